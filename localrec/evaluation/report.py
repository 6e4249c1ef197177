"""Figures into docs: tables between markers, with what it takes to make them again.

Only the text between `<!-- NAME:begin -->` and `<!-- NAME:end -->` is replaced, so that people can
write around it.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import msgspec

from localrec.errors import InputError

# All that figures may depend on; several are extras, and none is imported to be asked.
_PACKAGES = (
    *("localrec", "duckdb", "hnswlib", "onnxruntime", "llama-cpp-python", "numpy"),
    *("scipy", "implicit", "torch"),
)


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """How figures came about: command, day (UTC), versions, machine; no paths, no host names."""

    command: str
    date: str
    versions: dict[str, str]
    machine: str

    def as_text(self) -> str:
        """One paragraph of Markdown."""
        versions = ", ".join(f"{name} {number}" for name, number in self.versions.items())
        return f"`{self.command}`, {self.date}, {self.machine}; {versions}."


def origin_now(script: str, arguments: Sequence[str]) -> Origin:
    """The origin of figures made by this process.

    Args:
        script: The script's path in the repository.
        arguments: Its arguments that decide the figures.
    """
    return Origin(
        command=" ".join(["python", script, *arguments]),
        date=datetime.now(UTC).date().isoformat(),
        versions={"Python": platform.python_version(), **_versions()},
        machine=f"{usable_cores()} cores, {platform.machine()}, {sys.platform}",
    )


def usable_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; every column but the first is right-aligned."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows))


def write_between(path: Path, name: str, text: str) -> None:
    """Replace what stands between the markers of `name`; a new pair goes to the end of the file.

    Raises:
        InputError: only one of the two markers is there, or they stand the wrong way round.
    """
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    written = path.read_text(encoding="utf-8") if path.is_file() else ""
    block = f"{begin}\n{text.strip()}\n{end}"
    if begin not in written and end not in written:
        whole = f"{written.rstrip()}\n\n{block}\n".lstrip()
    else:
        before, found, rest = written.partition(begin)
        _, closed, after = rest.partition(end)
        if not found or not closed:
            raise InputError(f"{path} has no whole pair of markers {begin} and {end}.", "Mend it.")
        whole = f"{before}{block}{after}"
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.write_text(whole, encoding="utf-8")
    part.replace(path)


def _versions() -> dict[str, str]:
    found = {}
    for name in _PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found
