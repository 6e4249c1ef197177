"""Keep the wheel small: tables without comments and blanks, all of it packed as tightly as can be.

The comments would be 7 of its 3,000 KB and the blanks 2; packing tightly is worth 5.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# Blanks that say nothing in a table, and what is left of them.
_BLANKS = (
    (r"\n{2,}", "\n"),
    (r'",\s+"', '","'),
    (r"\n[ \t]+", "\n"),
    (r'(?<=[\]"}\w]) = (?=[\["{\d])', "="),
    (r'\[\n"', '["'),
    (r'",\n\]', '"]'),
)


class CustomBuildHook(BuildHookInterface):
    """Writes the tables that `tables` in `pyproject.toml` fits anew for a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Replace the tables by copies without whole lines of comment and without blanks in lists.

        Args:
            version: "standard", or "editable" where the checkout itself is used.
            build_data: Takes the copies, as path -> place in the wheel.

        Raises:
            ValueError: a copy says something else: such signs stood in a text of several lines.
        """
        if version == "editable":
            return
        self._folder = TemporaryDirectory()
        for number, table in enumerate(sorted(Path(self.root).glob(self.config["tables"]))):
            text = table.read_text(encoding="utf-8")
            lines = text.splitlines(keepends=True)
            plain = "".join(line for line in lines if not line.startswith("#"))
            for blanks, tight in _BLANKS:
                plain = re.sub(blanks, tight, plain)
            if tomllib.loads(plain) != tomllib.loads(text):
                raise ValueError(f"{table} says something else without comments and blanks.")
            copy = Path(self._folder.name, f"{number}.toml")
            copy.write_text(plain, encoding="utf-8")
            build_data["force_include"][str(copy)] = table.relative_to(self.root).as_posix()

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the copies, and pack a wheel tightly."""
        if version == "editable":
            return
        self._folder.cleanup()
        if artifact_path.endswith(".whl"):
            _pack_tightly(Path(artifact_path))


def _pack_tightly(wheel: Path) -> None:
    """Write a wheel anew at the highest level of compression, its files in the same order."""
    packed = wheel.with_suffix(".packed")
    with ZipFile(wheel) as told, ZipFile(packed, "w", ZIP_DEFLATED) as tight:
        for info in told.infolist():
            tight.writestr(info, told.read(info.filename), compresslevel=9)
    packed.replace(wheel)
