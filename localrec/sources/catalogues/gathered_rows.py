"""Rows that are one item together: a long table with an ingredient, say, in each row."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations, pairwise

import msgspec

from localrec.data.series_parts import numbers_parts
from localrec.foundation.text import clean_key
from localrec.sources.catalogues.header_words import CREATORS, meaning_of
from localrec.sources.catalogues.numbers import number_format
from localrec.sources.catalogues.records import Cell, RecordTable
from localrec.sources.list_cells import is_missing

_KEYS = (*CREATORS, "year", "id", "date")  # what tells things of one name apart
_MOST_KEYS = 4  # columns that are tried together with the name
_LISTED = frozenset({"ingredient", "cast"})  # what rows of one item name one after another
# Who made an ingredient tells no two recipes apart.
_OF_INGREDIENTS = frozenset({"brand", "publisher", "winery", "brewery", "distillery", "roaster"})
_LIST = re.compile(r"\S\s*(?:[;|\n]|,\s)\s*\S")
_FEW = 0.2  # of the keys: a longer key that leaves more rows alone is none
_Rows = dict[str, list[list[Cell]]]  # key -> its rows


class GatheredRows(msgspec.Struct, frozen=True, kw_only=True):
    """Several rows that are one item.

    Args:
        key: The columns whose values they share, the item's name first.
        counters: Columns that only count them.
        varying: Columns that are a list together.
    """

    key: tuple[str, ...]
    counters: tuple[str, ...]
    varying: tuple[str, ...]


def find_gathered_rows(table: RecordTable, name: str) -> GatheredRows | None:
    """Find the columns that gather rows into items; None where each row is an item of its own."""
    place = table.columns.index(name)
    if any(isinstance(cells[place], list) for _, cells in table.rows[:50]):
        return None
    others = [one for one in table.columns if one != name and _tells_apart(one)][:_MOST_KEYS]
    tried = (more for length in (0, 1, 2) for more in combinations(others, length))
    found = next((found for more in tried if (found := _gathered_by(table, (name, *more)))), None)
    return None if found is None else _with_whole_key(table, found)


def _tells_apart(column: str) -> bool:
    """Whether a column may tell things of one name apart."""
    return meaning_of(column)[0] in _KEYS or numbers_parts(column)


def _gathered_by(table: RecordTable, key: tuple[str, ...]) -> GatheredRows | None:
    keys = _keys_of(table, key)
    runs = 1 + sum(one != before for before, one in pairwise(keys))
    count = len(set(keys))
    if count > 0.67 * len(keys) or runs > 1.05 * count + 1:
        return None
    several = [told for told in _by_key(table, keys).values() if len(told) > 1]
    steady, counters = [], []
    for at, column in enumerate(table.columns):
        if column in key:
            continue
        same = sum(len({str(cells[at]) for cells in told}) == 1 for told in several)
        if same >= 0.95 * len(several):
            steady.append(column)
        elif all(_counts_up([cells[at] for cells in told]) for told in several[:200]):
            counters.append(column)
    varying = [one for one in table.columns if one not in (*key, *steady, *counters)]
    if not varying or len(varying) > max(4, len(steady)):
        return None
    if not _is_list(table, steady, counters, varying):
        return None
    counters += [one for one in steady if meaning_of(one)[0] in ("id", "index")]
    return GatheredRows(key=key, counters=tuple(counters), varying=tuple(varying))


def _is_list(
    table: RecordTable, steady: Sequence[str], counters: Sequence[str], varying: Sequence[str]
) -> bool:
    """Whether the columns that vary are a list of one item, and tell no further items.

    Volumes, vintages and sizes of one name are items of their own.
    """
    if _are_whole_lists(table, varying):
        return False
    if _names_parts(table, varying):
        return True
    if any(map(numbers_parts, (*counters, *varying))):
        return False
    if any(meaning_of(one) == ("year", 1.0) for one in varying):
        return False
    return bool(steady) and any(not _has_numbers(table, one) for one in varying)


def _are_whole_lists(table: RecordTable, varying: Sequence[str]) -> bool:
    """Whether a cell of the ingredients mostly names all of them, so that each row is an item."""
    columns = [one for one in varying if meaning_of(one)[0] == "ingredient"]
    cells = [str(cell or "") for one in columns for cell in table.column(one)]
    return sum(bool(_LIST.search(cell)) for cell in cells) * 2 > len(cells)


def _names_parts(table: RecordTable, varying: Sequence[str]) -> bool:
    """Whether columns name ingredients or the like, or anything with how much there is of it."""
    meanings = {one: meaning_of(one)[0] for one in varying}
    if _LISTED & set(meanings.values()):
        return True
    names = [one for one, meaning in meanings.items() if meaning != "measure"]
    names = [one for one in names if not numbers_parts(one) and not _has_numbers(table, one)]
    return "measure" in meanings.values() and bool(names)


def _has_numbers(table: RecordTable, column: str) -> bool:
    texts = [str(cell) for cell in table.column(column) if not is_missing(cell)]
    return number_format(texts)[1] > 0.95


def _with_whole_key(table: RecordTable, found: GatheredRows) -> GatheredRows:
    """The same rows by a longer key, where a recipe of one name is told by two cooks, say."""
    for column in table.columns:
        if column in found.key or not _may_lengthen(table, found, column):
            continue
        longer = _gathered_by(table, (*found.key, column))
        if longer is not None and _are_items(table, found, column):
            found = longer
    return found


def _may_lengthen(table: RecordTable, found: GatheredRows, column: str) -> bool:
    meaning, certainty = meaning_of(column)
    is_maker = meaning in CREATORS and meaning not in _OF_INGREDIENTS
    is_told = certainty >= 0.5 and (is_maker or meaning in ("year", "id"))
    is_version = numbers_parts(column) and column not in found.counters
    others = [one for one in found.varying if one != column]
    return (is_told or is_version) and _names_parts(table, others)


def _are_items(table: RecordTable, found: GatheredRows, column: str) -> bool:
    """Whether rows of one key that differ in a column are items: each value with its own list.

    Where every value has the same list both columns are lists of one item: two directors and
    their actors. A column that is empty here and there tells nothing apart.
    """
    at = table.columns.index(column)
    places = [table.columns.index(one) for one in found.varying if one != column]
    lists = items = alone = 0
    for told in _by_key(table, _keys_of(table, found.key)).values():
        parts: dict[str, Counter[str]] = defaultdict(Counter)
        for cells in told:
            parts[clean_key(cells[at])].update(["\0".join(str(cells[one]) for one in places)])
        if len(parts) < 2:
            continue
        if any(is_missing(cells[at]) for cells in told):
            return False
        same = len({frozenset(one) for one in parts.values()}) == 1
        lists, items = lists + same, items + (not same)
        alone += sum(one.total() == 1 for one in parts.values()) > _FEW * len(parts)
    return items > lists and alone <= _FEW * items


def _keys_of(table: RecordTable, key: Sequence[str]) -> list[str]:
    """The key of each row."""
    places = [table.columns.index(one) for one in key]
    return ["\0".join(str(cells[place] or "") for place in places) for _, cells in table.rows]


def _by_key(table: RecordTable, keys: Sequence[str]) -> _Rows:
    rows: _Rows = defaultdict(list)
    for told, (_, cells) in zip(keys, table.rows, strict=True):
        rows[told].append(cells)
    return rows


def _counts_up(cells: Sequence[object]) -> bool:
    numbers = [str(cell or "").strip() for cell in cells]
    if not all(number.isdigit() for number in numbers):
        return False
    told = [int(number) for number in numbers]
    return all(later > one for one, later in pairwise(told))
