"""Cells that were written for a program: objects as text, and letters as HTML's entities."""

from __future__ import annotations

import ast
import html
import re
from collections.abc import Sequence
from typing import Any

import msgspec

from localrec.sources.catalogues.json_records import Cell, flattened
from localrec.sources.catalogues.keyed_objects import settle_data_keys
from localrec.sources.list_cells import is_missing

_OBJECTS = re.compile(r"""\[?\s*\{\s*(?:"[^"]*"|'[^']*')\s*:""")
_NOTHING = frozenset({"[]", "{}"})
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,31}\d{0,2});")
_LOOKED_AT = 2_000  # rows that tell what a column holds
_QUOTES = frozenset("\"'\\")
_Rows = Sequence[tuple[int, list[Cell]]]


def part_objects(
    columns: Sequence[str], rows: _Rows
) -> tuple[tuple[str, ...], list[tuple[int, list[Cell]]], list[tuple[int, str]]]:
    """A table whose columns of written objects are columns of their fields, as in JSON.

    "[{'id': 28, 'name': 'Action'}]" in `genres` becomes 28 in `genres.id` and Action in
    `genres.name`. A column of objects whose keys are data, and no fields, stays as it stands.

    Returns:
        The columns, the rows, and row and column of each cell that could not be read.
    """
    faults: list[tuple[int, str]] = []
    wide = [_fields_of(name, place, rows, faults) for place, name in enumerate(columns)]
    if not any(wide):
        return tuple(columns), list(rows), []
    names = [list(fields) if fields else [columns[at]] for at, fields in enumerate(wide)]
    flat: list[tuple[int, list[Cell]]] = []
    for at, (row, cells) in enumerate(rows):
        told = (
            (fields[name][at] for name in fields) if fields else (cells[place],)
            for place, fields in enumerate(wide)
        )
        flat.append((row, [cell for one in told for cell in one]))
    return tuple(name for one in names for name in one), flat, faults


def read_entities(rows: _Rows) -> None:
    """Write the letters that cells have as entities of HTML, once or twice over, as letters."""
    for _, cells in rows:
        for place, cell in enumerate(cells):
            if isinstance(cell, str):
                if "&" in cell and ";" in cell:
                    cells[place] = _letters(cell)
            elif cell is not None:
                cells[place] = [_letters(one) if isinstance(one, str) else one for one in cell]


def _letters(text: str) -> str:
    keeps_quotes = text.lstrip().startswith(("[", "{", "c("))  # they end the names of a list

    def letter(found: re.Match[str]) -> str:
        told = html.unescape(found.group())
        return found.group() if keeps_quotes and told in _QUOTES else told

    return _ENTITY.sub(letter, _ENTITY.sub(letter, text))


def _fields_of(
    name: str, place: int, rows: _Rows, faults: list[tuple[int, str]]
) -> dict[str, list[Cell]]:
    """Column of a field -> its cell in each row; none where the column holds no objects."""
    filled = [
        cell
        for _, cells in rows[:_LOOKED_AT]
        if isinstance(cell := cells[place], str) and cell not in _NOTHING and not is_missing(cell)
    ]
    if 2 * sum(_OBJECTS.match(cell) is not None for cell in filled) <= len(filled):
        return {}
    records: list[dict[str, Any]] = []
    broken: list[int] = []
    for row, cells in rows:
        cell = cells[place]
        is_told = isinstance(cell, str) and cell not in _NOTHING and not is_missing(cell)
        value = _written_value(cell) if is_told and isinstance(cell, str) else None
        if is_told and not isinstance(value, dict | list):
            broken.append(row)
        records.append({name: value} if isinstance(value, dict | list) else {})
    settle_data_keys(records)
    if any(isinstance(one.get(name), str) for one in records):
        return {}
    faults.extend((row, name) for row in broken)
    flat = [flattened(one) for one in records]
    fields = dict.fromkeys(field for one in flat for field in one)
    return {field: [one.get(field) for one in flat] for field in fields}


def _written_value(cell: str) -> Any:
    """The value that JSON or Python writes so; None where neither does."""
    try:
        return msgspec.json.decode(cell)
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        value = ast.literal_eval(cell.strip())
        return msgspec.json.decode(msgspec.json.encode(value))  # what JSON has no word for is none
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None
