"""What a source is: one public file format, read into typed rows.

A source never touches the store. It raises `InputError` with row and column for a file it cannot
take, and reports every row that it mended, merged or left out.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import msgspec

from localrec.domains import Domain
from localrec.types import SourceTable


class Field(msgspec.Struct, frozen=True):
    """One field of a public layout and what becomes of it (the docs table is made from these)."""

    name: str
    becomes: str


class Source(Protocol):
    """A reader of one file format."""

    kind: str
    fields: tuple[Field, ...]

    def read(self, path: Path, domain: Domain) -> SourceTable:
        """Read the whole file or folder.

        Raises:
            InputError: the file is missing, foreign, damaged or too large; the message names row
                and column where there is one.
        """
        ...
