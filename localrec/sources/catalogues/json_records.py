"""Records in JSON: where they stand in a file, and each as one flat row of cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import msgspec

from localrec.foundation.text import clean_name
from localrec.sources.catalogues.header_words import meaning_of

Cell = str | list[Any] | None
_SPLIT = {"columns", "index", "data"}
_DESCRIBED = {"schema", "data"}  # a table with a description of its columns
_KNOWN = 0.9  # how surely a header must mean something to count as the name of a column


def find_objects(content: Any, depth: int = 2) -> tuple[str, list[Any]] | None:
    """The longest list of objects, and the name it stands under."""
    if isinstance(content, list):
        objects = sum(isinstance(one, dict) for one in content)
        return ("", content) if objects and objects * 2 >= len(content) else None
    if not isinstance(content, dict) or not depth:
        return None
    if (rows := _rows_of_columns(content)) is not None:
        return "", rows
    if content.keys() == _DESCRIBED and (found := find_objects(content["data"])) is not None:
        return "data", found[1]
    inside = [
        (name, found[1])
        for name, value in content.items()
        if (found := find_objects(value, depth - 1)) is not None
    ]
    if len(content) > 1 and all(isinstance(value, dict) for value in content.values()):
        has_names = any({"name", "title"} & value.keys() for value in content.values())
        own = "key" if has_names else "name"
        inside.append(("", [{own: name, **value} for name, value in content.items()]))
    return max(inside, key=lambda one: len(one[1]), default=None)


def _rows_of_columns(content: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """The rows of a table that is written by its columns; None for anything else.

    Either the columns are named apart from the rows ("columns" and "data"), or each column holds
    an object with the cell of every row.
    """
    names, data = content.get("columns"), content.get("data")
    if isinstance(names, list) and isinstance(data, list) and content.keys() <= _SPLIT:
        are_rows = all(isinstance(row, list) and len(row) == len(names) for row in data)
        columns = _distinct(map(str, names))
        return [dict(zip(columns, row, strict=True)) for row in data] if are_rows else None
    objects = [value for value in content.values() if isinstance(value, dict) and value]
    if len(objects) < 2 or len(objects) < len(content):
        return None
    labels = list(objects[0])
    if any(list(one) != labels for one in objects) or not _are_columns(list(content), labels):
        return None
    return [{name: cells[label] for name, cells in content.items()} for label in labels]


def _are_columns(outer: list[str], labels: list[str]) -> bool:
    """Whether the outer names of an object of objects are columns, and the inner ones rows."""
    if labels == [str(place) for place in range(len(labels))]:
        return True
    known = [sum(meaning_of(name)[1] >= _KNOWN for name in names) for names in (outer, labels)]
    return known[0] * len(labels) > known[1] * len(outer)


def flattened(record: dict[str, Any], before: str = "") -> dict[str, Cell]:
    """Objects inside become columns `outer.inner`; of a list of objects each field is a list.

    Names are clean, and each is there once: a second column of a name has its number behind.
    """
    flat: dict[str, Cell] = {}
    for name, value in _renamed(record).items():
        place = f"{before}{name}"
        if isinstance(value, dict) and before.count(".") < 3:
            for inner, cell in flattened(value, f"{place}.").items():
                flat[_free(inner, flat)] = cell
        elif isinstance(value, list) and any(isinstance(one, dict) for one in value):
            named = _name_field(value)  # "salt" among objects is what the others call their name
            objects = [_renamed(one if isinstance(one, dict) else {named: one}) for one in value]
            for field in dict.fromkeys(field for one in objects for field in one):
                told = [_plain(one.get(field)) for one in objects]
                flat[_free(f"{place}.{field}".rstrip("."), flat)] = told
        else:
            is_list = isinstance(value, list)
            cell = [_plain(one) for one in value] if is_list else _plain(value)
            flat[_free(place, flat)] = cell
    return flat


def _renamed(record: Mapping[str, Any]) -> dict[str, Any]:
    """An object with clean names, none of which stands for two."""
    return dict(zip(_distinct(record), record.values(), strict=True))


def _distinct(names: Iterable[str]) -> list[str]:
    told: dict[str, None] = {}
    for name in names:
        told[_free(_clean_field(name), told)] = None
    return list(told)


def _free(name: str, taken: Mapping[str, Any]) -> str:
    """The name, with the number of its column behind where it is taken."""
    return name if name not in taken else _free(f"{name} ({len(taken) + 1})", taken)


@lru_cache(maxsize=4096)
def _clean_field(name: str) -> str:
    return clean_name(name)


def _name_field(values: list[Any]) -> str:
    """The field by which objects of a list are called; "" where none says so."""
    fields = dict.fromkeys(field for one in values if isinstance(one, dict) for field in one)
    called = (one for one in fields if meaning_of(one)[0] in ("name", "ingredient"))
    return next(called, "")


def _plain(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return (
        format(value, ".15g") if isinstance(value, float) else msgspec.json.encode(value).decode()
    )
