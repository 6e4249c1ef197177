"""Tables of a foreign SQLite file, read row by row and never believed.

The file is opened as it lies, without a journal and without its own triggers, views and functions:
only plain tables are read, one whole scan each. A broken file could make a scan run for ever, so
both the rows and the steps of the machine below it are bounded by the size of the file.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from localrec.foundation.bounded_files import FileLimits, open_regular
from localrec.foundation.errors import InputError
from localrec.foundation.text import clean_text

_MAGIC = b"SQLite format 3\x00"
_STEPS_AT_ONCE = 100_000
_LEAST_STEPS = 10_000_000
_STEPS_PER_BYTE = 20
_LEAST_ROW_BYTES = 2
_ALLOWED = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ)
Cell = str | int | float


class SqliteTables:
    """An SQLite file to read, to be used in a `with`.

    Args:
        path: The file.
        limits: Limits beyond which a file is refused.
        what: Expected kind of the file, for messages ("a library of Calibre").

    Raises:
        InputError: missing, too large, or no SQLite database.
    """

    def __init__(self, path: Path, limits: FileLimits, what: str) -> None:
        self._path, self._what = path, what
        with open_regular(path, limits) as stream:
            if stream.read(len(_MAGIC)) != _MAGIC:
                raise InputError(f"{path} is not {what}.", "Name the database file itself.")
        self._size = path.stat().st_size
        self._cell_chars = limits.cell_chars
        self._connection = self._open()
        self.names = self._plain_tables()

    def __enter__(self) -> SqliteTables:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.close()

    def rows(self, table: str, columns: Sequence[str]) -> Iterator[tuple[Cell, ...]]:
        """The rows of a table in the order of the file; nothing where there is no such table.

        Blobs and nulls are empty texts.

        Raises:
            InputError: a column is missing, or the file is damaged.
        """
        if table not in self.names:
            return
        chosen = ", ".join(f"[{name}]" for name in columns)  # in "", a wrong name is a text
        most = max(1_000, self._size // _LEAST_ROW_BYTES)
        for number, cells in enumerate(self._run(f"SELECT {chosen} FROM [{table}]")):
            if number >= most:
                raise self._damaged("it repeats its rows without end")
            yield tuple("" if one is None or isinstance(one, bytes) else one for one in cells)

    def _open(self) -> sqlite3.Connection:
        steps_left = max(_LEAST_STEPS, self._size * _STEPS_PER_BYTE) // _STEPS_AT_ONCE

        def count_down() -> int:
            nonlocal steps_left
            steps_left -= 1
            return int(steps_left < 0)

        address = f"{self._path.resolve().as_uri()}?mode=ro&immutable=1"
        try:
            connection = sqlite3.connect(address, uri=True, isolation_level=None)
            connection.text_factory = lambda raw: raw.decode("utf-8", errors="replace")
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, self._cell_chars * 4)
            for setting in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0"):
                connection.execute(f"PRAGMA {setting}")
            connection.set_progress_handler(count_down, _STEPS_AT_ONCE)
            connection.set_authorizer(
                lambda action, *_: sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY
            )
        except sqlite3.Error as error:
            raise self._damaged(clean_text(str(error))) from error
        return connection

    def _plain_tables(self) -> frozenset[str]:
        try:
            found = list(self._run("SELECT type, name, sql FROM sqlite_master"))
        except InputError:
            self._connection.close()
            raise
        return frozenset(
            str(name)
            for kind, name, sql in found
            if kind == "table"
            and "]" not in str(name)
            and not str(sql).upper().startswith("CREATE VIRTUAL")
        )

    def _run(self, sql: str) -> Iterator[tuple[Any, ...]]:
        try:
            yield from self._connection.execute(sql)
        except (sqlite3.Error, OverflowError) as error:
            raise self._damaged(clean_text(str(error))) from error

    def _damaged(self, why: str) -> InputError:
        return InputError(
            f"{self._path} is damaged, or not {self._what}: {why}.",
            "Close the program that wrote it, and copy the file again.",
        )
