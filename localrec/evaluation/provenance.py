"""Put figures into docs as tables between markers, with the command that makes them.

Only the text between `<!-- NAME:begin -->` and `<!-- NAME:end -->` is replaced, so that authors can
write around it.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

from localrec.foundation.machine import usable_cores
from localrec.foundation.versions import versions_behind_figures


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """The origin of figures: command, day (UTC), versions, machine; no paths, no host names."""

    command: str
    date: str
    versions: dict[str, str]
    machine: str

    def as_text(self) -> str:
        """One paragraph of Markdown."""
        versions = ", ".join(f"{name} {number}" for name, number in self.versions.items())
        return f"`{self.command}`, {self.date}, {self.machine}; {versions}."


def current_origin(script: str, arguments: Sequence[str]) -> Origin:
    """The origin of figures made by this process.

    Args:
        script: The script's path in the repository.
        arguments: Its arguments that decide the figures.
    """
    return Origin(
        command=" ".join(["python", script, *arguments]),
        date=datetime.now(UTC).date().isoformat(),
        versions=versions_behind_figures(),
        machine=f"{usable_cores()} cores, {platform.machine()}, {sys.platform}",
    )
