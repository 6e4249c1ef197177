"""Put the package's tables into the wheel without their comments, which are for who works on them.

The comments would be 7 of its 3,000 KB.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface):
    """Writes the tables that `tables` in `pyproject.toml` fits anew for a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Replace the tables by copies without whole lines of comment.

        Args:
            version: "standard", or "editable" where the checkout itself is used.
            build_data: Takes the copies, as path -> place in the wheel.

        Raises:
            ValueError: a copy says something else: a "#" stood in a text of several lines.
        """
        if version == "editable":
            return
        self._folder = TemporaryDirectory()
        for number, table in enumerate(sorted(Path(self.root).glob(self.config["tables"]))):
            text = table.read_text(encoding="utf-8")
            lines = text.splitlines(keepends=True)
            plain = "".join(line for line in lines if not line.startswith("#"))
            if tomllib.loads(plain) != tomllib.loads(text):
                raise ValueError(f"{table} says something else without its comments.")
            copy = Path(self._folder.name, f"{number}.toml")
            copy.write_text(plain, encoding="utf-8")
            build_data["force_include"][str(copy)] = table.relative_to(self.root).as_posix()

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the copies."""
        if version != "editable":
            self._folder.cleanup()
