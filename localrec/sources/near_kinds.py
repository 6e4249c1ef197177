"""Known formats that a table resembles: the columns it shares with them, and those it lacks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import msgspec

from localrec.sources import open_source, source_kinds
from localrec.sources.catalogues.records import RecordTable

_OF_ANY_TABLE = ("table", "catalogue")  # their fields are no columns
_NO_COLUMN = re.compile(
    r".*(?:\.(?:csv|jsonl?|dat|user)\b|/$| \.\.\.)|(?:own|other|no|in|everything|entries)\b.*"
)
_LEFT = re.compile(r"left (?:out|apart)\b")
_LEAST_SHARE = 1 / 3  # of the columns of a format that make a table near to it
_LEAST_OWN_SHARE = 0.2  # where two of them are of no other format
_SHOWN = 5


class NearKind(msgspec.Struct, frozen=True):
    """A format that a table resembles: the columns it shares, and those it lacks."""

    kind: str
    shared: tuple[str, ...]
    missing: tuple[str, ...]

    def as_sentence(self) -> str:
        """Write the shared and the missing columns as a sentence for people."""
        lacks = f" and lacks {_shortened(self.missing)}" if self.missing else ""
        return f"It has {_shortened(self.shared)} of {self.kind}{lacks}."


class _ColumnChoice(msgspec.Struct, frozen=True):
    """Names of one column of a format, of which a file has one; and the file that has it."""

    file: str
    names: tuple[str, ...]


def nearest_kinds(table: RecordTable) -> list[NearKind]:
    """The formats whose columns a table has some of, the nearest first.

    What many formats have (a title, a description) makes no table near to one of them: it takes
    two columns that no other format has, or one and some others.
    """
    here = {column.casefold() for column in table.columns}
    kinds = {kind: _columns_of(kind) for kind in source_kinds() if kind not in _OF_ANY_TABLE}
    known = Counter(name.casefold() for columns in kinds.values() for name in _names(columns))
    found = []
    for kind, columns in kinds.items():
        one = _compared(kind, columns, here)
        own = sum(known[name.casefold()] == 1 for name in one.shared)
        share = len(one.shared) / max(1, len(one.shared) + len(one.missing))
        is_near = own == 1 and len(one.shared) > 2 and share >= _LEAST_SHARE
        if is_near or (own > 1 and share >= _LEAST_OWN_SHARE):
            found.append(one)
    return sorted(found, key=lambda one: -len(one.shared) / (1 + len(one.missing)))[:2]


def _compared(kind: str, columns: list[_ColumnChoice], here: set[str]) -> NearKind:
    """Compare a table with a format: shared columns, and missing ones of its likeliest file."""
    shared = [(one.file, name) for one in columns if (name := _name_in(one, here))]
    names = {name for _, name in shared}
    files = Counter(file for file, _ in shared)
    files.pop("", None)
    likeliest = {"", *(file for file, _ in files.most_common(1))}
    missing = [
        one.names[0]
        for one in columns
        if one.file in likeliest and not names.intersection(one.names)
    ]
    return NearKind(kind, tuple(dict.fromkeys(name for _, name in shared)), tuple(missing))


def _columns_of(kind: str) -> list[_ColumnChoice]:
    """The columns that a format reads; what it leaves out need not be there."""
    found = []
    for field in open_source(kind).fields:
        file, _, told = field.name.rpartition(": ")
        names = tuple(name for name in map(str.strip, told.split(",")) if _is_column(name))
        if names and not _LEFT.match(field.becomes):
            found.append(_ColumnChoice(file, names))
    return found


def _is_column(name: str) -> bool:
    return bool(name) and not _NO_COLUMN.fullmatch(name)


def _names(columns: list[_ColumnChoice]) -> Iterator[str]:
    """Every name of a column of a format, each once."""
    yield from dict.fromkeys(name for one in columns for name in one.names)


def _name_in(column: _ColumnChoice, here: set[str]) -> str:
    """The name by which a table has a column; "" where it lacks it."""
    for name in column.names:
        nested = f"{column.file}.{name}"
        if {name.casefold(), nested.casefold()} & here:
            return name
    return ""


def _shortened(names: tuple[str, ...]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
