"""Any file of records, as rows of cells: CSV and its kin, JSON, JSON Lines, Parquet.

Files are read leniently. A short row is filled up, surplus empty cells go, a quote that is never
closed costs its own line and nothing behind it. Whatever was mended or left out is in `faults`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from localrec.data.rows import RowProblem
from localrec.foundation.bounded_files import (
    FileLimits,
    detect_encoding,
    open_text,
    read_json,
)
from localrec.foundation.errors import InputError
from localrec.foundation.prose import count_of
from localrec.foundation.sql import sql_literal
from localrec.foundation.text import clean_name
from localrec.sources.catalogues.header_words import meaning_of
from localrec.sources.catalogues.json_records import Cell as Cell
from localrec.sources.catalogues.json_records import find_objects, flattened
from localrec.sources.catalogues.keyed_objects import settle_data_keys
from localrec.sources.catalogues.structured_cells import part_objects, read_entities
from localrec.sources.catalogues.table_edges import (
    cut,
    joined_header,
    lacks_header,
    lines_above_header,
    numbered_columns,
    second_table,
    told_of_edges,
    with_whole_header,
    without_bars,
)

_DELIMITERS = (",", "\t", ";", "|")
_SPELT = re.compile(r'^="(.*)"$', re.DOTALL)  # so that a spreadsheet keeps the zeros in front
_MARKUP = re.compile(r"<\?xml\b|<(?:opml|rss|feed|svg|plist)\b", re.IGNORECASE)
_LOOKED_AT = 60  # lines that tell the delimiter
_PART = 50_000  # lines that are read of a table with too many
_CHUNK = 2_000  # lines read at a time; a record of so many has a quote that was never closed


class RecordTable(msgspec.Struct, kw_only=True):
    """The records of one file.

    Args:
        path: The file.
        layout: Kind of the file, in words.
        columns: Names of the columns, each once.
        rows: Number of each row as a spreadsheet shows it, and its cells, one for each column.
        faults: Cells and rows that were mended or left out.
        is_part: Whether the file goes on behind these rows.
        encoding: Encoding that the text was read in.
        surplus: The number of rows that ended in empty cells behind the last column.
    """

    path: Path
    layout: str
    columns: tuple[str, ...]
    rows: list[tuple[int, list[Cell]]]
    faults: list[RowProblem] = []
    is_part: bool = False
    encoding: str = "utf-8"
    surplus: int = 0

    @property
    def dropped(self) -> int:
        """Count the rows that could not be read."""
        return sum(one.action == "dropped" for one in self.faults)

    def column(self, name: str) -> list[Cell]:
        """The cells of one column, in the order of the rows."""
        place = self.columns.index(name)
        return [cells[place] for _, cells in self.rows]


def open_records(
    path: Path, limits: FileLimits | None = None, *, many: int | None = None
) -> RecordTable:
    """Read all records of a file.

    Args:
        path: The file.
        limits: Limits beyond which a file is refused.
        many: The most lines to read of a table; None: all.

    Raises:
        InputError: missing, empty, binary, too large, or without records.
    """
    limits = limits or FileLimits()
    name = path.name.removesuffix(".gz").casefold()
    if name.endswith(".parquet"):
        table = _open_parquet(path)
    else:
        encoding = detect_encoding(path, limits)
        with open_text(path, limits, encoding) as stream:
            start = stream.read(4096).lstrip("\ufeff \t\r\n")
        if _MARKUP.match(start):
            raise InputError(f"{path} is XML, not a table.", "Save its records as CSV or JSON.")
        if start.startswith(("[", "{")):
            table = _open_json(path, limits, encoding, start)
        else:
            table = _open_delimited(path, limits, encoding, many)
        table.encoding = encoding
    if not table.rows or not table.columns:
        raise InputError(f"{path} holds no rows.", "Check that it is the right file.")
    table.columns, table.rows, broken = part_objects(table.columns, table.rows)
    told = "is no list of objects that can be read; left out"
    table.faults.extend(_fault(row, column, "repaired", told) for row, column in broken)
    read_entities(table.rows)
    return table


def _open_delimited(path: Path, limits: FileLimits, encoding: str, many: int | None) -> RecordTable:
    csv.field_size_limit(max(csv.field_size_limit(), limits.row_chars + 1))
    with open_text(path, limits, encoding) as stream:
        first = [] if many is None else list(islice(stream, many + 1))
        is_part = many is not None and len(first) > many
        whole = "".join(first[:_PART]) if is_part else "".join(first) + stream.read()
    faults: list[RowProblem] = []
    if "\0" in whole:
        line = whole.count("\n", 0, whole.index("\0")) + 1
        told = f"has the first of {count_of(whole.count(chr(0)), 'NUL character')}; all taken out"
        faults.append(_fault(line, None, "repaired", told))
    lines = whole.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n")
    kept = [f"{line}\n" for line in lines.removeprefix("\ufeff").rstrip("\n").split("\n")]
    kept = with_whole_header(without_bars(kept))
    delimiter = _likeliest_delimiter(kept[:_LOOKED_AT])
    kept = _unspaced(kept, delimiter)
    top = lines_above_header(kept[:_LOOKED_AT], delimiter)
    if above := clean_name(" ".join(kept[:top])).strip(f"{delimiter} "):
        told = f"stands above the header: {above[:60]!r}; passed over"
        faults.append(_fault(1, None, "repaired", told))
    columns = _columns_of(kept[top : top + _LOOKED_AT], delimiter)
    if len(columns) > limits.columns:
        raise InputError(f"{path} has {len(columns):,} columns.", "Check the delimiter.")
    told_rows = list(_records(kept, delimiter, len(columns), faults, top))
    if other := second_table(columns, told_rows):
        raise InputError(f"{path}: {other}.", "Save each table in a file of its own.")
    columns = _settled_header(columns, cut(kept[top], delimiter), top + 1, told_rows, faults)
    rows = _without_edges(columns, told_rows, faults)
    words = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars"}[delimiter]
    layout = f"a table parted by {words}, in {encoding}"
    taken = {row for row, _ in rows}
    return RecordTable(
        path=path,
        layout=layout,
        columns=columns,
        rows=rows,
        faults=faults,
        is_part=is_part,
        surplus=sum(len(cells) > len(columns) and row in taken for row, cells in told_rows),
    )


def _settled_header(
    columns: tuple[str, ...],
    header: list[str],
    row: int,
    told_rows: list[tuple[int, list[str]]],
    faults: list[RowProblem],
) -> tuple[str, ...]:
    """The names of the columns, where the header has two lines or there is none; told in faults.

    A second line is taken out of the rows, and a first line that is a row goes in.
    """
    if len(header) == len(columns) and (names := joined_header(header, told_rows)) is not None:
        faults.append(_fault(told_rows[0][0], None, "dropped", "is the header's second line"))
        del told_rows[0]
        return _named(names)
    if lacks_header(columns, told_rows):
        told_rows.insert(0, (row, header))
        faults.append(_fault(row, None, "repaired", "is no header; columns are called by letters"))
        return tuple(numbered_columns(len(columns)))
    if len(columns) == 1 and not meaning_of(columns[0])[0]:
        faults.append(_fault(row, None, "repaired", f"({columns[0]}) is taken for the header"))
    return columns


def _without_edges(
    columns: tuple[str, ...], told_rows: list[tuple[int, list[str]]], faults: list[RowProblem]
) -> list[tuple[int, list[Cell]]]:
    """The rows of the table itself, each with a cell for every column."""
    edges = told_of_edges(columns, told_rows)
    for row, what in edges.items():
        faults.append(_fault(row, None, "dropped", what))
    return [
        (row, cells)
        for row, told in told_rows
        if row not in edges and (cells := _fitted(row, told, columns, faults)) is not None
    ]


def _unspaced(lines: list[str], delimiter: str) -> list[str]:
    """Lines without blanks between a delimiter and a quote, where a table is written so."""
    spaced = re.compile(rf'(?<={re.escape(delimiter)})[ ]+(?=")')
    looked_at = [line for line in lines[:_LOOKED_AT] if '"' in line]
    if delimiter == "\t" or 2 * sum(map(bool, map(spaced.search, looked_at))) <= len(looked_at):
        return lines
    return [spaced.sub("", line) for line in lines]


def _likeliest_delimiter(lines: Sequence[str]) -> str:
    """The delimiter that cuts the header into most cells and the next lines into as many."""

    def fit(delimiter: str) -> tuple[float, int]:
        told = [cells for cells in csv.reader(lines, delimiter=delimiter) if cells]
        width = len(told[0]) if told else 0
        same = sum(len(cells) == width for cells in told[1:]) / max(1, len(told) - 1)
        return (same if width > 1 else 0.0) + (width > 1), width

    return max(_DELIMITERS, key=fit)


def _columns_of(lines: Sequence[str], delimiter: str) -> tuple[str, ...]:
    """The columns that the first of the lines names; R names none for the number of a row."""
    header, *others = [cut(line, delimiter) for line in lines] or [[]]
    longer = sum(len(cells) == len(header) + 1 for cells in others)
    if others and len(header) > 1 and longer > 0.9 * len(others):
        header = ["", *header]
    return _named(header)


def _named(header: Iterable[str]) -> tuple[str, ...]:
    """Names of the columns: an empty one gets its number, the second of two its number behind."""
    names: list[str] = []
    for place, cell in enumerate(header, 1):
        name = clean_name(cell) or f"column {place}"
        names.append(name if name not in names else f"{name} ({place})")
    return tuple(names)


def _records(
    lines: list[str], delimiter: str, width: int, faults: list[RowProblem], top: int
) -> Iterator[tuple[int, list[str]]]:
    """Each record below the header with its row number; an open quote costs its line alone."""
    place, row = top + 1, top + 2
    while place < len(lines):
        begun, end = place, min(place + _CHUNK, len(lines))
        reader = csv.reader(lines[begun:end], delimiter=delimiter)
        for cells in reader:
            taken = begun + reader.line_num
            spans = taken - place
            if taken == end < len(lines) and place > begun:
                break  # perhaps cut off by the chunk: read again from its first line
            is_cut = spans > 1 and (len(cells) != width or spans == _CHUNK)
            if is_cut or (spans > 1 and taken == end and _is_open(lines[place:end], delimiter)):
                faults.append(_fault(row, None, "dropped", "has a quote that is never closed"))
                place += 1
                row += 1
                break
            place = taken
            if cells:
                yield row, cells
            row += 1


def _is_open(lines: Sequence[str], delimiter: str) -> bool:
    try:
        list(csv.reader(lines, delimiter=delimiter, strict=True))
    except csv.Error:
        return True
    return False


def _fitted(
    row: int, cells: list[str], columns: tuple[str, ...], faults: list[RowProblem]
) -> list[Cell] | None:
    surplus = cells[len(columns) :]
    if any(cell.strip() for cell in surplus):
        told = f"has {len(cells)} cells where the header has {len(columns)}"
        faults.append(_fault(row, None, "dropped", told))
        return None
    if len(cells) < len(columns):
        if len(cells) == 1 and not cells[0].strip():
            return None
        told = f"ends after {len(cells)} of {len(columns)} cells; the rest was taken as empty"
        faults.append(_fault(row, None, "repaired", told))
    filled: list[Cell] = [
        _SPELT.sub(r"\1", cell) if cell.startswith("=") else cell for cell in cells[: len(columns)]
    ]
    return filled + [None] * (len(columns) - len(cells))


def _open_json(path: Path, limits: FileLimits, encoding: str, start: str) -> RecordTable:
    faults: list[RowProblem] = []
    lines = _json_lines(path, limits, encoding, faults) if start.startswith("{") else None
    if lines is not None:
        return _from_objects(path, "one JSON object a line", lines, faults)
    content = read_json(path, limits, Any)
    found = find_objects(content)
    if found is None:
        raise InputError(
            f"{path} is JSON without a list of records.", "It needs a list of objects."
        )
    where, objects = found
    layout = f"a JSON list of objects{f' under {where!r}' if where else ''}"
    numbered = [(row, one) for row, one in enumerate(objects, 1) if isinstance(one, dict)]
    known = {row for row, _ in numbered}
    faults.extend(
        _fault(row, None, "dropped", "is no object")
        for row in range(1, len(objects) + 1)
        if row not in known
    )
    return _from_objects(path, layout, numbered, faults)


def _json_lines(
    path: Path, limits: FileLimits, encoding: str, faults: list[RowProblem]
) -> list[tuple[int, dict[str, Any]]] | None:
    """The objects of a file with one on each line; None for one object over several lines."""
    found: list[tuple[int, dict[str, Any]]] = []
    with open_text(path, limits, encoding) as stream:
        for row, line in enumerate(stream, 1):
            if not line.strip():
                continue
            try:
                found.append((row, msgspec.json.decode(line.lstrip("\ufeff"), type=dict[str, Any])))
            except (msgspec.DecodeError, RecursionError):
                if not found:
                    return None
                faults.append(_fault(row, None, "dropped", "is no JSON object"))
    # One object on one line that holds the records is no file of lines.
    is_one = len(found) == 1 and not faults and find_objects(found[0][1]) is not None
    return None if is_one else found


def _from_objects(
    path: Path,
    layout: str,
    numbered: list[tuple[int, dict[str, Any]]],
    faults: list[RowProblem],
) -> RecordTable:
    settle_data_keys([one for _, one in numbered])
    flat = [(row, flattened(one)) for row, one in numbered]
    columns = tuple(dict.fromkeys(name for _, one in flat for name in one))
    rows = [(row, [one.get(name) for name in columns]) for row, one in flat]
    return RecordTable(path=path, layout=layout, columns=columns, rows=rows, faults=faults)


def _open_parquet(path: Path) -> RecordTable:
    from localrec.sources.bulk_tables import BulkReader  # DuckDB: for this format alone

    source = f"read_parquet({sql_literal(path)})"
    with BulkReader([path]) as reader:
        columns = [row[0] for row in reader.rows(f"DESCRIBE SELECT * FROM {source}")]
        told = reader.rows(f"SELECT * FROM {source}")
    numbered = [(row, dict(zip(columns, cells, strict=True))) for row, cells in enumerate(told, 1)]
    shown = [
        (row, {name: _json_value(cell) for name, cell in one.items()}) for row, one in numbered
    ]
    return _from_objects(path, "a Parquet file", shown, [])


def _json_value(value: Any) -> Any:
    """A value of DuckDB as JSON has it; moments and the like as text."""
    if value is None or isinstance(value, str | int | float | bool | list | dict):
        return value
    return str(value)


def _fault(row: int, column: str | None, action: str, problem: str) -> RowProblem:
    return RowProblem(row=row, column=column, action=action, problem=problem)
