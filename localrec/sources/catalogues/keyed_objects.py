"""Objects whose keys are data and no columns: the votes of each user, the tags of a game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from itertools import chain
from typing import Any, Literal

import msgspec

_DEEPEST = 4  # objects within objects that become columns
_MANY_KEYS = 100  # from which on keys that few rows have make no columns
_FEW_KEYS = 30  # as many may be used once each by chance
_SHARED = 0.5  # of the objects: the fields of records have most of their keys in common


def settle_data_keys(records: Sequence[dict[str, Any]], depth: int = _DEEPEST) -> None:
    """Take the objects within records whose keys are data for values, in place.

    Names with a number each, as in `{"Indie": 100, "Action": 50}`, become a list of names with the
    numbers beside it in `.amount`. Other objects whose keys hardly repeat become one text of JSON,
    and so do lists of them.
    """
    fields = dict.fromkeys(chain.from_iterable(records))
    for name in fields:
        holders = [one for one in records if isinstance(one.get(name), dict)]
        lists = [one for one in records if isinstance(one.get(name), list)]
        objects = [one[name] for one in holders]
        elements = [each for one in lists for each in one[name] if isinstance(each, dict)]
        kind = _kind_of_keys(objects)
        if kind == "names":
            _part_names(holders, name, fields)
        elif kind == "text":
            _write_out(holders, name)
        if _are_data(elements):
            _write_out(lists, name)
        elif depth:
            settle_data_keys([*(objects if kind == "fields" else ()), *elements], depth - 1)


def _part_names(holders: Sequence[dict[str, Any]], name: str, taken: Container[str]) -> None:
    beside = f"{name}.amount"
    while beside in taken:
        beside = f"{name}.{beside}"
    for one in holders:
        names = one[name]
        one[name], one[beside] = list(names), list(names.values())


def _write_out(holders: Sequence[dict[str, Any]], name: str) -> None:
    for one in holders:
        one[name] = msgspec.json.encode(one[name]).decode()


def _are_data(elements: Sequence[dict[str, Any]]) -> bool:
    """Whether the keys of the objects in lists are data, and too many for columns."""
    is_known = _kind_of_keys(elements) == "fields"
    return not is_known and len(set(chain.from_iterable(elements))) > _FEW_KEYS


def _kind_of_keys(objects: Sequence[dict[str, Any]]) -> Literal["fields", "names", "text"]:
    """Tell what the keys of the objects in one column are: fields, names or text."""
    used = Counter(chain.from_iterable(objects))
    filled = sum(map(bool, objects))
    if used.total() >= _SHARED * len(used) * filled:
        return "fields"
    is_used_once = 2 * len(used) > used.total()
    if is_used_once and len(used) > _FEW_KEYS:
        return "text"
    if all(type(value) in (int, float) for one in objects for value in one.values()):
        return "names"
    return "text" if len(used) > _MANY_KEYS else "fields"
