"""Tables of millions of rows: read, checked and counted by DuckDB, without a loop over rows.

A source describes its file as SQL over texts (`read`), the typed columns made of them
(`columns`), and what makes a row bad (`faults`). Reading happens in a connection of its own that
can see the named files and nothing else. What was read is kept as typed columns in a private file
until the store has taken it in (`BulkHistory.select`), so that texts are cut and cast once and no
row passes through Python; a table with notes is read again instead, since its copy would be as
large as itself. Rows that double others are left to the store, which keeps the latest.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from localrec.data.rows import BulkHistory, Event, ItemRow, UserRow
from localrec.foundation.errors import InputError, UsageError
from localrec.foundation.sql import enum_type, sql_literal
from localrec.foundation.text import clean_text
from localrec.sources.import_log import ImportLog

COLUMNS = ("user_key", "item_key", "event", "rating", "at", "times", "note")
_NAMES = ", ".join(f'"{name}"' for name in COLUMNS)
_PREFIX = "localrec-"  # of private folders
_COPY = "rows.parquet"
_SHOWN = 100  # bad rows named in the report; all are counted
_SHOWN_CHARS = 60  # of the bad cell
_PASSED_OVER = -1  # stands where the number of a fault would
# What a column is cast to and what stands in for it where a source leaves it out.
_TYPES = {
    "event": enum_type(Event),  # as the store's: written as it is, at half the time of texts
    "rating": "FLOAT",
    "at": "TIMESTAMP",
    "times": "INTEGER",
    "note": "VARCHAR",
}
_FILLED = {"event": "'seen'", "rating": "NULL", "at": "NULL", "times": "1", "note": "NULL"}
_EVENT_OF_RATING = "CASE WHEN rating IS NULL THEN 'seen' ELSE 'rated' END"


class RowFault(msgspec.Struct, frozen=True):
    """A fault of a row: a condition over `read`'s and the typed columns.

    Args:
        column: The file's own name for the column at fault; None for the row as a whole.
        condition: SQL that is true for a bad row; it must not fail on any text.
        problem: The words of the report; `{value}` becomes the cell in quotes, `{number}` bare.
        cell: SQL for the cell that is shown.
    """

    column: str | None
    condition: str
    problem: str
    cell: str


class RowCheck(msgspec.Struct, frozen=True):
    """The result of a check of all rows.

    Args:
        good: The number of good rows.
        select: SQL for them with all of `COLUMNS`.
        files: The only files that `select` needs.
        scratch: The private folder of a copy; it is removed with its last holder.
    """

    good: int
    select: str
    files: tuple[Path, ...]
    scratch: tempfile.TemporaryDirectory[str] | None = None


class BulkTable(msgspec.Struct, frozen=True, kw_only=True):
    """A file of interactions as SQL.

    Args:
        read: A FROM item that yields the file's columns as texts, such as a read_csv call; none
            of them bears a name of `COLUMNS`.
        columns: Name of `COLUMNS` -> SQL over `read`'s columns; what is left out is filled in
            (event from the rating, times 1, the rest NULL).
        files: The only files that `read` needs.
        first_row: Number of the first row of data, as a spreadsheet would show it.
        faults: Faults of a row; checked in this order, the first one counts.
        blank: SQL that is true for a row to pass over in silence, such as an empty line.
        numbers: Numbers of the rows of `read`, where they do not simply go on from `first_row`.
        event: SQL for the event where `columns` names none, if it is not told by the rating.
    """

    read: str
    columns: Mapping[str, str]
    files: tuple[Path, ...]
    first_row: int = 2
    faults: tuple[RowFault, ...] = ()
    blank: str = "false"
    numbers: Callable[[], Iterator[int]] | None = None
    event: str | None = None

    def select(self, *, all_good: bool = False) -> str:
        """SQL for the good rows with all of `COLUMNS`, from the file itself.

        `all_good` is for a file that was found without fault: nothing is judged again, which
        halves the time.
        """
        rows = f"({self._typed('')})" if all_good else f"({self.good_rows()})"
        return f"SELECT {_NAMES} FROM {rows}"

    def good_rows(self) -> str:
        """SQL for the good rows: what `read` yields, and `COLUMNS`."""
        return f"SELECT * FROM ({self._judged('')}) WHERE fault IS NULL"

    def check(self, import_log: ImportLog) -> RowCheck:
        """Read every row once; notes the bad ones in `receipt`.

        Raises:
            InputError: the file cannot be read as what it should be.
        """
        scratch = None if "note" in self.columns else tempfile.TemporaryDirectory(prefix=_PREFIX)
        copy = None if scratch is None else Path(scratch.name) / _COPY
        judged = f"({self._judged('')})"
        with BulkReader(self.files, copy) as reader:
            if copy is not None:
                reader.keep(f"SELECT {self._given()}, fault FROM {judged}", copy)
                judged = f"read_parquet({sql_literal(copy)})"
            counts: dict[int | None, int] = dict(
                reader.rows(f"SELECT fault, count(*) FROM {judged} GROUP BY fault")
            )
            bad = sum(count for fault, count in counts.items() if fault is not None and fault >= 0)
            if bad:
                import_log.drop_unnamed(bad - self._name_bad(reader, import_log))
        good = counts.pop(None, 0)
        if copy is None:
            return RowCheck(good, self.select(all_good=not counts), self.files)
        sound_rows = f"{judged} WHERE fault IS NULL" if counts else judged
        return RowCheck(good, self._from_copy(sound_rows), (copy,), scratch)

    def check_sound(self) -> RowCheck | None:
        """Read every row once and keep its columns; None where one row is bad or does not fit.

        For a file with typed cells (`sql_tables.typed_cells`), which takes a third of the time; the
        same file as texts can tell then what is bad.
        """
        scratch = tempfile.TemporaryDirectory(prefix=_PREFIX)
        copy = Path(scratch.name) / _COPY
        stop = "CASE WHEN fault IS NULL THEN true ELSE error('a row has a fault') END"
        with BulkReader(self.files, copy) as reader:
            try:
                good = reader.keep(
                    f"SELECT {self._given()} FROM ({self._judged('')}) WHERE {stop}", copy
                )
            except InputError:
                return None
        select = self._from_copy(f"read_parquet({sql_literal(copy)})")
        return RowCheck(good, select, (copy,), scratch)

    def history(
        self,
        import_log: ImportLog,
        items: Sequence[ItemRow] = (),
        users: Sequence[UserRow] = (),
        more_kept: int = 0,
        checked: RowCheck | None = None,
    ) -> BulkHistory:
        """Check the file and close the receipt.

        Args:
            import_log: Log that bad rows are noted in.
            items: Items that go with the interactions.
            users: The facts known about the users.
            more_kept: Rows of the files beside this one that were kept.
            checked: The result of a check of all rows, if there was one.

        Raises:
            InputError: the file cannot be read, or no row of it can be kept.
        """
        checked = checked or self.check(import_log)
        if not checked.good:
            raise InputError(
                f"{self.files[0]} holds no row that can be kept: {import_log.first_drop()}.",
                "Each row needs a user and an item.",
            )
        return BulkHistory(
            items=tuple(items),
            select=checked.select,
            files=tuple(str(file) for file in checked.files),
            report=import_log.report(kept=checked.good + more_kept),
            rows=checked.good,
            users=tuple(users),
            scratch=(checked.scratch,),
        )

    def _name_bad(self, reader: BulkReader, import_log: ImportLog) -> int:
        """Note the first bad rows with number, column and cell; returns how many."""
        numbered = self._judged("row_number() OVER () AS row_number, ")
        cells = " ".join(
            f"WHEN {place} THEN CAST({fault.cell} AS VARCHAR)"
            for place, fault in enumerate(self.faults)
        )
        rows = reader.rows(
            f"SELECT row_number, fault, left(CASE fault {cells} END, {_SHOWN_CHARS}) "
            f"FROM ({numbered}) WHERE fault >= 0 LIMIT {_SHOWN}"
        )
        number_of = self._numbers_of([int(row) for row, _, _ in rows])
        for row, place, cell in rows:
            fault = self.faults[place]
            shown = clean_text(cell)
            told = fault.problem.format(value=repr(shown), number=shown)
            import_log.drop(number_of[row], fault.column, told)
        return len(rows)

    def _numbers_of(self, places: Sequence[int]) -> dict[int, int]:
        """Place of a row in `read`, from 1 -> its number as a spreadsheet shows it."""
        found = {place: place + self.first_row - 1 for place in places}
        if self.numbers is not None:
            try:
                told = dict(enumerate(islice(self.numbers(), max(places)), 1))
            except InputError:  # quotes that DuckDB alone can read: the places must do
                return found
            found |= {place: told[place] for place in places if place in told}
        return found

    def _judged(self, before: str) -> str:
        """SQL for every row: `before`, what `read` yields, `COLUMNS`, and the number of its fault.

        `fault` is NULL for a good row and below 0 for one to pass over.
        """
        cases = " ".join(
            f"WHEN {fault.condition} THEN {place}" for place, fault in enumerate(self.faults)
        )
        verdict = f"CASE WHEN {self.blank} THEN {_PASSED_OVER} {cases} END"
        return f"SELECT *, {verdict} AS fault FROM ({self._typed(before)})"

    def _typed(self, before: str) -> str:
        """SQL for every row: `before`, what `read` yields, and `COLUMNS`."""
        given = ", ".join(_as_column(name, self.columns[name]) for name in self.columns)
        typed = f"SELECT {before}*, {given} FROM {self.read}"
        return f"SELECT *{self._filled()} FROM ({typed})"

    def _given(self) -> str:
        """The columns that a copy holds: what can be filled in takes no room there, and no time."""
        return ", ".join(map(_quoted, self.columns))

    def _filled(self) -> str:
        """SQL for the columns that the source leaves out."""
        event = self.event or (_EVENT_OF_RATING if "rating" in self.columns else _FILLED["event"])
        fill = {**_FILLED, "event": event}
        lacking = [name for name in fill if name not in self.columns]
        return "".join(f", {_as_column(name, fill[name])}" for name in lacking)

    def _from_copy(self, rows: str) -> str:
        """SQL for all of `COLUMNS` of rows that hold what `_given` names."""
        return f"SELECT {_NAMES} FROM (SELECT {self._given()}{self._filled()} FROM {rows})"


class BulkReader:
    """An in-memory DuckDB that may read a few files and nothing else, to be used in a `with`.

    What outgrows its memory goes to a private folder that is deleted at the end.

    Args:
        files: The files that may be read.
        copy: A file that may be written (`keep`).
    """

    def __init__(self, files: Iterable[Path], copy: Path | None = None) -> None:
        import duckdb  # 60 ms to import: only a bulk import pays for it

        self._files = tuple(files)
        self._scratch = tempfile.TemporaryDirectory(prefix=_PREFIX)
        self._connection = duckdb.connect(
            ":memory:",
            config={
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
                "memory_limit": "1GB",
                "temp_directory": self._scratch.name,
            },
        )
        within = self._files if copy is None else (*self._files, copy)
        allowed = ", ".join(sql_literal(path) for path in within)
        for setting in (
            f"allowed_paths = [{allowed}]",
            "enable_external_access = false",
            "lock_configuration = true",
        ):
            self._connection.execute(f"SET {setting}")

    def __enter__(self) -> BulkReader:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()
        self._scratch.cleanup()

    def keep(self, sql: str, copy: Path) -> int:
        """Write what a query gives as columns into the copy; returns the number of rows.

        Raises:
            InputError: a file is not what the query takes it for.
        """
        # Snappy costs more than the disk saves: the copy is read twice and deleted.
        options = "FORMAT parquet, COMPRESSION uncompressed"
        return int(self.rows(f"COPY ({sql}) TO {sql_literal(copy)} ({options})")[0][0])

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a query.

        Raises:
            InputError: a file is not what the query takes it for.
        """
        import duckdb  # see `__init__`

        try:
            return self._connection.execute(sql).fetchall()
        except duckdb.Error as error:
            told = clean_text(str(error).splitlines()[0].rstrip(":. "))
            remedy = (
                "Save it in UTF-8." if "encoded" in told else "Export it again, or name its kind."
            )
            raise InputError(f"{self._files[0]} cannot be read: {told}.", remedy) from error


def latest_moment() -> datetime:
    """The last moment that a row may bear: a day ahead, since clocks and zones differ (UTC)."""
    return datetime.now(UTC).replace(tzinfo=None, microsecond=0) + timedelta(days=1)


def refuse_user(kind: str, user: str | None) -> None:
    """For a data set of many people.

    Raises:
        UsageError: somebody was named as the one whose export it is.
    """
    if user is not None:
        raise UsageError(f"A data set of kind {kind} names its people itself.", "Omit --user.")


def _as_column(name: str, sql: str) -> str:
    typed = f"CAST({sql} AS {_TYPES[name]})" if name in _TYPES else sql
    return f"{typed} AS {_quoted(name)}"


def _quoted(name: str) -> str:
    return f'"{name}"'
