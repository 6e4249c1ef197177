"""Tables of millions of rows: read, checked and counted by DuckDB, without a loop over rows.

A source describes its file as SQL over texts (`read`), the typed columns made of them
(`columns`), and what makes a row bad (`faults`). Reading happens in a connection of its own that
can see the named files and nothing else; the rows themselves go straight from the file into the
store later (`BulkHistory.select`), so that none of them passes through Python.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from localrec.errors import InputError
from localrec.sources.receipt import Receipt
from localrec.sources.text import clean_text

COLUMNS = ("user_key", "item_key", "event", "rating", "at", "times", "note")
_SHOWN = 100  # bad rows named in the report; all are counted


class Fault(msgspec.Struct, frozen=True):
    """What makes a row bad: a condition over `read`'s and the typed columns.

    Args:
        column: The file's own name for the column at fault.
        condition: SQL that is true for a bad row.
        problem: The words of the report; `{value}` is replaced by the cell.
        cell: SQL for the cell that is shown.
    """

    column: str
    condition: str
    problem: str
    cell: str


class BulkTable(msgspec.Struct, frozen=True, kw_only=True):
    """A file of interactions as SQL.

    Args:
        read: A FROM item that yields the file's columns as texts, such as a read_csv call.
        columns: Name of `COLUMNS` -> SQL over `read`'s columns; what is left out is filled in
            (event from the rating, times 1, the rest NULL).
        files: The only files that `read` needs.
        first_row: Number of the first row of data, as a spreadsheet would show it.
        faults: What makes a row bad; checked in this order, the first one counts.
    """

    read: str
    columns: Mapping[str, str]
    files: tuple[Path, ...]
    first_row: int = 2
    faults: tuple[Fault, ...] = ()

    def select(self) -> str:
        """SQL for the good rows with all of `COLUMNS`."""
        return (
            f"SELECT {', '.join(_quoted(name) for name in COLUMNS)} "
            f"FROM ({self._typed('*')}) WHERE NOT ({self._is_bad()})"
        )

    def check(self, receipt: Receipt) -> int:
        """Read every row once; notes the bad ones in `receipt` and returns how many are good.

        Raises:
            InputError: the file cannot be read as what it should be.
        """
        counts = "".join(
            f", count(*) FILTER ({self._is_first(place)})" for place in range(len(self.faults))
        )
        with _Reader(self.files) as reader:
            every, *bad = reader.rows(f"SELECT count(*){counts} FROM ({self._typed('*')})")[0]
            if any(bad):
                self._note_bad(reader, receipt, bad)
        return int(every) - sum(bad)

    def _note_bad(self, reader: _Reader, receipt: Receipt, bad: Sequence[int]) -> None:
        numbered = self._typed(f"row_number() OVER () + {self.first_row - 1} AS row_number, *")
        which = " ".join(
            f"WHEN {self._is_first(place)} THEN {place}" for place in range(len(self.faults))
        )
        cells = " ".join(
            f"WHEN {self._is_first(place)} THEN CAST({fault.cell} AS VARCHAR)"
            for place, fault in enumerate(self.faults)
        )
        rows = reader.rows(
            f"SELECT row_number, CASE {which} END, left(CASE {cells} END, 60) "
            f"FROM ({numbered}) WHERE {self._is_bad()} LIMIT {_SHOWN}"
        )
        for row, place, value in rows:
            fault = self.faults[place]
            told = fault.problem.format(value=repr(clean_text(value)))
            receipt.drop(int(row), fault.column, told)
        receipt.drop_unnamed(sum(bad) - len(rows))

    def _typed(self, head: str) -> str:
        filled = {"event": _EVENT, "times": "1", "rating": "NULL", "at": "NULL", "note": "NULL"}
        typed = ", ".join(
            f"CAST({{}} AS {_TYPES[name]}) AS {_quoted(name)}".format(self.columns[name])
            if name in _TYPES
            else f"{self.columns[name]} AS {_quoted(name)}"
            for name in COLUMNS
            if name in self.columns
        )
        rest = ", ".join(
            f"CAST({filled[name]} AS {_TYPES[name]}) AS {_quoted(name)}"
            for name in COLUMNS
            if name not in self.columns
        )
        inner = f"SELECT {head}, {typed} FROM {self.read}"
        return f"SELECT *, {rest} FROM ({inner})" if rest else inner

    def _is_bad(self) -> str:
        return (
            " OR ".join(f"coalesce({fault.condition}, false)" for fault in self.faults) or "false"
        )

    def _is_first(self, place: int) -> str:
        """True for rows whose first fault is the one at `place`."""
        earlier = [f"NOT coalesce({one.condition}, false)" for one in self.faults[:place]]
        return " AND ".join([*earlier, f"coalesce({self.faults[place].condition}, false)"])


_EVENT = "CASE WHEN rating IS NULL THEN 'seen' ELSE 'rated' END"
_TYPES = {
    "event": "VARCHAR",
    "rating": "FLOAT",
    "at": "TIMESTAMP",
    "times": "INTEGER",
    "note": "VARCHAR",
}


def latest_moment() -> datetime:
    """The last moment that a row may bear: a day ahead, since clocks and zones differ (UTC)."""
    return datetime.now(UTC).replace(tzinfo=None, microsecond=0) + timedelta(days=1)


def literal(text: str | Path) -> str:
    """A text as an SQL literal."""
    return "'" + str(text).replace("'", "''") + "'"


class _Reader:
    """An in-memory DuckDB that may read a few files and nothing else."""

    def __init__(self, files: Sequence[Path]) -> None:
        import duckdb  # 60 ms to import: only a bulk import pays for it

        self._connection = duckdb.connect(
            ":memory:",
            config={
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
                "memory_limit": "1GB",
            },
        )
        allowed = ", ".join(literal(path) for path in files)
        for setting in (
            f"allowed_paths = [{allowed}]",
            "enable_external_access = false",
            "lock_configuration = true",
        ):
            self._connection.execute(f"SET {setting}")

    def __enter__(self) -> _Reader:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        import duckdb

        try:
            return self._connection.execute(sql).fetchall()
        except duckdb.Error as error:
            raise InputError(
                f"The table cannot be read: {clean_text(str(error).splitlines()[0])}.",
                "Export it again, or name another kind.",
            ) from error


def _quoted(name: str) -> str:
    return f'"{name}"'
