"""RecBole's atomic files: tab-separated, each header field with its type (`release_year:token`).

Quotes mean nothing in them. The types are token (a name), token_seq (names parted by spaces),
float and float_seq.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, cast

import msgspec

from localrec.errors import InputError
from localrec.sources.files import Limits
from localrec.sources.tables import Table

FieldType = Literal["token", "token_seq", "float", "float_seq"]
_TYPES = ("token", "token_seq", "float", "float_seq")


class AtomicField(msgspec.Struct, frozen=True):
    """One column: its name and what its cells hold."""

    name: str
    type: FieldType


class AtomicTable:
    """An opened atomic file: typed fields, and rows with those fields' names.

    Raises:
        InputError: no table, a header field without a known type, or a field named twice.
    """

    def __init__(self, path: Path, limits: Limits | None = None) -> None:
        self._table = Table(path, limits, delimiter="\t", quoted=False)
        self.fields = tuple(self._read_field(written) for written in self._table.header)
        names = [field.name for field in self.fields]
        if repeated := [name for name in names if names.count(name) > 1]:
            raise InputError(
                f"{path}, row 1: the header names {repeated[0]!r} twice.", "Rename one of the two."
            )

    def rows(self) -> Iterator[tuple[int, dict[str, str]]]:
        """Each whole row as (row number, field name -> cell)."""
        for row, cells in self._table.rows():
            yield row, dict(zip((field.name for field in self.fields), cells.values(), strict=True))

    @property
    def ragged(self) -> list[tuple[int, str]]:
        """Rows of the wrong length with their problem, complete once `rows` has ended."""
        return self._table.ragged

    def _read_field(self, written: str) -> AtomicField:
        name, _, kind = written.rpartition(":")
        if not name or kind not in _TYPES:
            raise InputError(
                f"{self._table.path}, row 1: the header field {written!r} is not written as "
                f"name:type, with a type of {', '.join(_TYPES)}.",
                "Atomic files of RecBole have such a header.",
            )
        return AtomicField(name, cast(FieldType, kind))
