"""The report of an export, as `export --json` prints it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from localrec.graph.table_writer import WrittenTable


class ExportedFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file: its rows, its size, and the number of texts with an apostrophe put in front."""

    path: str
    rows: int
    bytes: int
    defused: int

    @classmethod
    def of(cls, target: Path, part: Path, written: WrittenTable) -> ExportedFile:
        """Describe `target`, whose content is still in `part`."""
        return cls(
            path=str(target),
            rows=written.rows,
            bytes=part.stat().st_size,
            defused=written.defused,
        )


class ExportReport(msgspec.Struct, frozen=True, kw_only=True):
    """All files of an export, and its warnings."""

    what: str
    format: str
    domain: str
    files: tuple[ExportedFile, ...]
    notes: tuple[str, ...] = ()
