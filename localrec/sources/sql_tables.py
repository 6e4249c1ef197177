"""Flat files as SQL: how DuckDB gets at the rows and cells of a table, without guessing.

DuckDB's own CSV reader refuses a whole file for one row of the wrong length, or loses its
neighbours. So where cells bear no quotes, whole lines are read and cut at the delimiter in SQL:
as fast, and every line keeps its number (measured: 16 million lines in 2.3 s on two cores, against
2.6 s). Only where quotes occur, its CSV reader does the cutting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from localrec.foundation.bounded_files import FileLimits, detect_encoding, open_bytes
from localrec.foundation.errors import InputError
from localrec.foundation.sql import sql_literal
from localrec.sources.bulk_tables import BulkReader, RowFault
from localrec.sources.delimited_tables import DelimitedTable

_SURPLUS = 8  # cells beyond the header's with which a quoted row is still told apart
_NOTHING = "\x02"  # written by nobody: makes an empty cell '' and a missing one NULL
# DuckDB's Latin-1 has no letters from 80 to 9F: cp1252 goes without its dashes and curly quotes.
_ENCODINGS = {"utf-8": "utf-8", "utf-8-sig": "utf-8", "latin-1": "latin-1", "cp1252": "latin-1"}


class FlatFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file's rows as SQL.

    Args:
        path: The file.
        read: A FROM item for its rows.
        cells: Name of a column -> SQL for its cell, a text.
        first_row: Number of the first row of data.
        faults: Faults of a whole row, such as a wrong number of cells.
        blank: SQL that is true for an empty line.
        numbers: Numbers of the rows, where blank lines make them others than their places.
    """

    path: Path
    read: str
    cells: dict[str, str]
    first_row: int
    faults: tuple[RowFault, ...] = ()
    blank: str = "false"
    numbers: Callable[[], Iterator[int]] | None = None


def split_lines(
    path: Path,
    columns: Sequence[str],
    delimiter: str,
    *,
    has_header: bool = True,
    limits: FileLimits | None = None,
) -> FlatFile:
    """Lines cut at each `delimiter` (of any length); quotes mean nothing.

    Empty cells beyond the last column are passed over, as in `DelimitedTable` and `typed_cells`.

    Raises:
        InputError: missing, not text by its first bytes, too large, or in an encoding that is
            neither UTF-8 nor Latin-1.
    """
    lines = _lines(path, 1 if has_header else 0, limits or FileLimits())
    count = len(columns)
    surplus = _is_filled(f"array_to_string(cells[{count + 1}:], '')")
    ragged = RowFault(
        None,
        f"len(cells) < {count} OR (len(cells) > {count} AND {surplus})",
        f"has {{number}} cells where {count} belong",
        "len(cells)",
    )
    return FlatFile(
        path=path,
        read=f"(SELECT string_split(line, {sql_literal(delimiter)}) AS cells FROM {lines})",
        cells={name: f"cells[{place}]" for place, name in enumerate(columns, 1)},
        first_row=2 if has_header else 1,
        faults=(ragged,),
        blank="cells IS NULL",
    )


def typed_cells(
    path: Path,
    types: Mapping[str, str],
    delimiter: str,
    *,
    has_header: bool = True,
    limits: FileLimits | None = None,
) -> FlatFile:
    """Rows of exactly these columns, in this order, as DuckDB parses them by itself.

    One cell that has not its type, or one row of another length, and any query over `read` fails:
    for `BulkTable.check_sound`. Quotes mean nothing, empty lines are passed over.

    Args:
        path: The file.
        types: Name of a column -> a number type of SQL; an empty cell is NULL.
        delimiter: One to four letters.
        has_header: Whether the first line is passed over.
        limits: Limits beyond which a file is refused.

    Raises:
        InputError: missing, not text by its first bytes, or too large.
    """
    open_bytes(path, limits or FileLimits()).close()
    columns = ", ".join(f"'c{place}': '{kind}'" for place, kind in enumerate(types.values()))
    read = (
        f"read_csv({sql_literal(path)}, auto_detect = false, header = {str(has_header).lower()}, "
        f"delim = {sql_literal(delimiter)}, quote = '', escape = '', {_packing(path)}, "
        f"columns = {{{columns}}})"
    )
    cells = {name: f"c{place}" for place, name in enumerate(types)}
    return FlatFile(path=path, read=read, cells=cells, first_row=1 + has_header)


def delimited_table(
    path: Path, delimiter: str | None = None, limits: FileLimits | None = None
) -> FlatFile:
    """A CSV or TSV file with a header; cells may be in quotes and hold line breaks.

    Where there are quotes, a broken one refuses the file.

    Raises:
        InputError: see `split_lines`; no header; a broken quote.
    """
    limits = limits or FileLimits()
    table = DelimitedTable(path, limits, delimiter=delimiter)
    lines = _lines(path, 0, limits)
    with BulkReader([path]) as reader:
        [[quotes, blank]] = reader.rows(
            "SELECT sum(length(line) - length(replace(line, '\"', ''))), "
            f"count(*) FILTER (line IS NULL) FROM {lines}"
        )
        if not quotes:
            return split_lines(path, table.header, table.delimiter, limits=limits)
        quoted = _quoted_table(table, path)
        _check_quotes(table, quoted, reader, are_paired=quotes % 2 == 0)
    # DuckDB passes over blank lines, and does not say where.
    return msgspec.structs.replace(quoted, numbers=table.row_numbers) if blank else quoted


def _check_quotes(
    table: DelimitedTable, quoted: FlatFile, reader: BulkReader, *, are_paired: bool
) -> None:
    """Refuse a broken quote: DuckDB would swallow the rest of the file, or not say where it is."""
    try:
        count = reader.rows(f"SELECT count(*) FROM {quoted.read}")[0][0]
        if are_paired:
            return
    except InputError:
        count = None
    # Only now row by row, since this names row and column (some 300,000 rows a second).
    if sum(1 for _ in table.rows()) + len(table.ragged) != count:
        raise InputError(
            f"{quoted.path}: the quotes, or rows far too long, leave no clear cells.",
            "Put every cell with a quote in quotes, and double the quotes inside.",
        )


def json_lines(path: Path, names: Sequence[str], limits: FileLimits | None = None) -> FlatFile:
    """A file with one JSON object on each line; `names` are the fields that are wanted.

    Lists and objects in a field come as JSON.

    Raises:
        InputError: see `split_lines`.
    """
    lines = _lines(path, 0, limits or FileLimits())
    pointers = ", ".join(
        sql_literal("/" + name.replace("~", "~0").replace("/", "~1")) for name in names
    )
    read = (
        f"(SELECT line, object, json_extract_string(object, [{pointers}]) AS cells FROM "
        f"(SELECT line, CASE WHEN json_valid(line) THEN line END AS object FROM {lines}))"
    )
    foreign = RowFault(
        None, "coalesce(json_type(object) <> 'OBJECT', true)", "is no JSON object: {value}", "line"
    )
    return FlatFile(
        path=path,
        read=read,
        cells={name: f"cells[{place}]" for place, name in enumerate(names, 1)},
        first_row=1,
        faults=(foreign,),
        blank="coalesce(trim(line), '') = ''",
    )


def parquet_table(path: Path) -> FlatFile:
    """A Parquet file; every value becomes a text, a list or struct JSON.

    Raises:
        InputError: missing, or no Parquet file.
    """
    if not path.is_file():
        raise InputError(f"{path} is not a file.", "Check the path.")
    source = f"read_parquet({sql_literal(path)})"
    with BulkReader([path]) as reader:
        described = reader.rows(f"DESCRIBE SELECT * FROM {source}")
    texts = [_as_text(name, kind) for name, kind, *_ in described]
    return FlatFile(
        path=path,
        read=f"(SELECT {', '.join(f'{t} AS c{place}' for place, t in enumerate(texts))} "
        f"FROM {source})",
        cells={row[0]: f"c{place}" for place, row in enumerate(described)},
        first_row=1,
    )


def _quoted_table(table: DelimitedTable, path: Path) -> FlatFile:
    count = len(table.header)
    names = [f"c{place}" for place in range(count + _SURPLUS)]
    columns = ", ".join(f"'{name}': 'VARCHAR'" for name in names)
    encoding = _encoding_for(path, table.encoding)
    read = (
        f"read_csv({sql_literal(path)}, auto_detect = false, header = true, parallel = false, "
        f"delim = {sql_literal(table.delimiter)}, "
        f"quote = '\"', escape = '\"', null_padding = true, "
        f"nullstr = '{_NOTHING}', {_packing(path)}, encoding = '{encoding}', "
        f"columns = {{{columns}}})"
    )
    surplus = _is_filled(f"concat({', '.join(names[count:])})")
    ragged = RowFault(
        None,
        f"c{count - 1} IS NULL OR (c{count} IS NOT NULL AND {surplus})",
        f"has {{number}} cells where the header has {count}",
        f"list_count([{', '.join(names)}])",
    )
    cells = {name: f"c{place}" for place, name in enumerate(table.header)}
    return FlatFile(path=path, read=read, cells=cells, first_row=2, faults=(ragged,))


def _lines(path: Path, skip: int, limits: FileLimits) -> str:
    """A FROM item for the lines of a file as `line`; empty ones are NULL."""
    encoding = detect_encoding(path, limits)  # reads it all: 0.8 s for 430 MB
    return (
        f"read_csv({sql_literal(path)}, auto_detect = false, header = false, skip = {skip}, "
        f"delim = '\x01', quote = '', escape = '', strict_mode = false, {_packing(path)}, "
        f"encoding = '{_encoding_for(path, encoding)}', columns = {{'line': 'VARCHAR'}})"
    )


def _is_filled(text: str) -> str:
    """SQL that is true where a text holds more than blanks and tabs."""
    return f"NOT regexp_full_match({text}, '\\s*')"


def _packing(path: Path) -> str:
    return f"compression = '{'gzip' if path.suffix == '.gz' else 'none'}'"


def _encoding_for(path: Path, encoding: str) -> str:
    if encoding not in _ENCODINGS:
        raise InputError(f"{path} is text in {encoding}.", "Save it in UTF-8.")
    return _ENCODINGS[encoding]


def _as_text(name: str, kind: str) -> str:
    column = '"' + name.replace('"', '""') + '"'
    nested = kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "UNION"))
    return f"CAST({f'to_json({column})' if nested else column} AS VARCHAR)"
