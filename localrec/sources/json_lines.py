"""Large files of one JSON object per line, as SQL for `BulkTable`.

DuckDB parses the lines; a line that is no JSON object yields only NULLs, which a fault then names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from localrec.foundation.bounded_files import JSON_LINES, FileLimits, open_bytes
from localrec.foundation.errors import InputError
from localrec.foundation.sql import sql_literal
from localrec.sources.bulk_tables import BulkReader, BulkTable, RowFault
from localrec.sources.import_log import ImportLog

MAX_NOTE = 1_000  # characters kept of a review
_ID = "[A-Za-z0-9_-]{1,64}"
_FIRST_LINE = 4 << 20
_LONGEST_LINE = 32 << 20
_SHOWN = 100  # bad lines of a file of items that are named one by one
# Millions of lines are streamed, so that only the shape of the file needs a limit.
STREAMED = FileLimits(file_bytes=1 << 40, unpacked_bytes=1 << 40)


class ItemLines(msgspec.Struct, frozen=True):
    """A file with one item per line.

    Args:
        path: The file.
        key: The field that holds the item's id.
        fields: The other fields that are needed.
    """

    path: Path
    key: str
    fields: tuple[str, ...]

    def read(self, table: BulkTable, import_log: ImportLog) -> list[tuple[Any, ...]]:
        """The items that good rows of `table` speak of: (line, id, *fields), fields as texts.

        Lines without an id are dropped, of lines with one id the last is kept.

        Raises:
            InputError: the file cannot be read.
        """
        names = ", ".join(f'"{name}"' for name in (self.key, *self.fields))
        lines = (
            f"SELECT row_number() OVER () AS line, {names} "
            f"FROM {read_objects(self.path, (self.key, *self.fields))}"
        )
        no_id = f'"{self.key}" IS NULL OR {is_no_id(self.key)}'
        with BulkReader((self.path, *table.files)) as reader:
            ((bad,),) = reader.rows(f"SELECT count(*) FROM ({lines}) WHERE {no_id}")
            named = reader.rows(f"SELECT line FROM ({lines}) WHERE {no_id} LIMIT {_SHOWN}")
            found = reader.rows(
                f"SELECT * FROM ({lines}) WHERE NOT ({no_id}) "
                f'AND "{self.key}" IN (SELECT item_key FROM ({table.select()})) ORDER BY line'
            )
        for (line,) in named:
            import_log.drop(line, self.key, f"of {self.path.name} holds no item with an id")
        import_log.drop_unnamed(bad - len(named))
        return self._latest(found, import_log)

    def _latest(
        self, found: Iterable[tuple[Any, ...]], import_log: ImportLog
    ) -> list[tuple[Any, ...]]:
        latest: dict[str, tuple[Any, ...]] = {}
        for row in found:
            if earlier := latest.pop(row[1], None):
                problem = f"({row[1]}) of {self.path.name} is told again in line {row[0]}"
                import_log.merge(earlier[0], self.key, problem)
            latest[row[1]] = row
        return list(latest.values())


def read_objects(path: Path, fields: Sequence[str]) -> str:
    """SQL for a FROM item: the fields of each line's object, as texts."""
    columns = ", ".join(f"{sql_literal(name)}: 'VARCHAR'" for name in fields)
    return (
        f"read_ndjson({sql_literal(path)}, columns = {{{columns}}}, ignore_errors = true, "
        f"maximum_object_size = {_LONGEST_LINE})"
    )


def first_object(path: Path) -> dict[str, Any]:
    """The object in the first line of a file, plain or as .gz.

    Raises:
        InputError: missing, empty, not text, or its first line holds no JSON object.
    """
    with open_bytes(path, STREAMED, JSON_LINES) as stream:
        line = stream.readline(_FIRST_LINE).removeprefix(b"\xef\xbb\xbf")
    try:
        return msgspec.json.decode(line, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(
            f"{path}, line 1: this is no JSON object.", "Each line must hold one object."
        ) from error


def is_no_id(column: str) -> str:
    """SQL that is true where a column holds a text that cannot be an id of the data set."""
    return f"NOT regexp_full_match(\"{column}\", '{_ID}')"


def no_object_fault(cells: Sequence[str]) -> RowFault:
    """The fault of a line of which none of `cells` could be read."""
    missing = f"coalesce({', '.join(cells)}) IS NULL"
    return RowFault(None, missing, "holds no JSON object of a review", "''")


def id_fault(column: str, cell: str) -> RowFault:
    """The fault of a column that must hold an id."""
    return RowFault(column, f"coalesce({is_no_id(cell)}, true)", "{value} is no id", cell)
