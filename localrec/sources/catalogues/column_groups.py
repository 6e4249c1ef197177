"""Columns and rows that belong together: numbered columns, yes-or-no columns, rows of one key."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise

import msgspec

from localrec.sources.catalogues.column_profiles import ColumnProfile
from localrec.sources.catalogues.header_words import CREATORS, PLACES, header_words, meaning_of
from localrec.sources.catalogues.records import RecordTable
from localrec.sources.list_cells import is_missing

_NUMBERED = re.compile(r"(?P<base>.*?[A-Za-z].*?)[\s_.-]*(?P<number>\d{1,2})\)?")
_UNNAMED = re.compile(r"column \d+")  # what a column without a name is called
_KEYS = (*CREATORS, "year", "id", "date")  # what tells things of one name apart
_VOLUMES = frozenset("volume vol issue edition band tome disc".split())
_PARTS = _VOLUMES | frozenset("episode season part chapter".split())
_LIST = re.compile(r"\S\s*(?:[;|\n]|,\s)\s*\S")
_LEAST_FLAGS = 4  # yes-or-no columns from which on they are one list
_FRACTION = "¼½¾⅓⅔⅛⅜⅝⅞"
_UNIT = (
    "fl oz|fluid ounces?|ounces?|oz|ml|cl|dl|l|litres?|liters?|cups?|teaspoons?|tsps?|"
    "tablespoons?|tbsps?|tbs|dash(?:es)?|drops?|splash(?:es)?|parts?|shots?|jiggers?|barspoons?|"
    "bar spoons?|pinch(?:es)?|slices?|wedges?|twists?|sprigs?|leaves|leaf|pieces?|cans?|bottles?|"
    "pints?|quarts?|gallons?|kg|g|grams?|lbs?|pounds?|cloves?|sticks?|packages?|pkgs?|cubes?|"
    "lumps?|stalks?|handfuls?|wheels?|scoops?|jars?"
)
_DIGITS = rf"\d+(?:[.,/]\d+)?(?:\s*[{_FRACTION}]|\s+\d/\d)?|[{_FRACTION}]"
_FEW = rf"(?=(?:few|half an?|an?)\s+(?:{_UNIT})\b)(?:few|half an?|an?)"
_UP_TO = r"(?:\s*(?:-|–|to)\s*\d+(?:[.,/]\d+)?)?"
_AMOUNT = re.compile(
    rf"(?P<amount>(?:(?:about|ca\.?|a(?=\s+few))\s+)?(?:{_DIGITS}|{_FEW}){_UP_TO}(?:\s*(?:{_UNIT})\b\.?)?"
    r"|(?:dash|splash|pinch|drop)(?:es|s)?\b)\s*(?:of\s+)?(?P<name>[^\d\s].*)",
    re.IGNORECASE,
)


class ColumnGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Columns whose names become links of one kind; see `LinkColumns`."""

    kind: str
    columns: tuple[str, ...]
    values: tuple[str, ...] = ()
    otherwise: str | None = None
    flags: bool = False
    amounts: bool = False
    separator: str | None = None
    common: tuple[str, ...] = ()


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


def part_amount(text: str) -> tuple[str, str]:
    """A name without the amount before it, and that amount: "1.5 oz Mezcal" -> Mezcal, 1.5 oz."""
    found = _AMOUNT.fullmatch(" ".join(text.split()))
    return (text, "") if found is None else (found["name"], found["amount"].strip())


def find_groups(profiles: Sequence[ColumnProfile]) -> list[ColumnGroup]:
    """The groups of columns that are one list each."""
    numbered = _numbered(profiles)
    taken = {column for group in numbered for column in (*group.columns, *group.values)}
    left = [one for one in profiles if one.name not in taken]
    return [*numbered, *_measured(left), *_flagged(left)]


def find_gathered_rows(table: RecordTable, name: str) -> GatheredRows | None:
    """How rows gather into items; None where each row is an item of its own."""
    place = table.columns.index(name)
    if any(isinstance(cells[place], list) for _, cells in table.rows[:50]):
        return None
    found = _gathered_by(table, (name,))
    if found is None:
        keys = [one for one in table.columns if one != name and meaning_of(one)[0] in _KEYS]
        return _first_gathered(table, [(name, one) for one in keys])
    # Two cooks of a stew: what tells them apart is no list where the rows of each still gather.
    keys = [one for one in found.varying if meaning_of(one)[0] in _KEYS]
    return _first_gathered(table, [(name, *keys), *((name, one) for one in keys)]) or found


def _first_gathered(table: RecordTable, keys: Sequence[tuple[str, ...]]) -> GatheredRows | None:
    tried = (_gathered_by(table, key) for key in keys if len(key) > 1)
    return next((found for found in tried if found), None)


def _gathered_by(table: RecordTable, key: tuple[str, ...]) -> GatheredRows | None:
    places = [table.columns.index(one) for one in key]
    keys = ["\0".join(str(cells[place] or "") for place in places) for _, cells in table.rows]
    counts = Counter(keys)
    runs = 1 + sum(one != before for before, one in pairwise(keys))
    if len(counts) > 0.67 * len(keys) or runs > 1.05 * len(counts) + 1:
        return None
    rows: dict[str, list[list[object]]] = defaultdict(list)
    for told, (_, cells) in zip(keys, table.rows, strict=True):
        rows[told].append(list(cells))
    several = [told for told in rows.values() if len(told) > 1]
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
    if _are_lists(rows, [table.columns.index(one) for one in varying if _is_component(one)]):
        return None
    is_recipe = any(meaning_of(one)[0] in ("ingredient", "measure") for one in varying)
    if not is_recipe and (not steady or any(map(_tells_parts_apart, (*counters, *varying)))):
        return None
    counters += [one for one in steady if meaning_of(one)[0] in ("id", "index")]
    return GatheredRows(key=key, counters=tuple(counters), varying=tuple(varying))


def _is_component(column: str) -> bool:
    return meaning_of(column)[0] == "ingredient"


def _are_lists(rows: Mapping[str, Sequence[Sequence[object]]], places: Sequence[int]) -> bool:
    """Whether cells of some columns are mostly lists already, so that each row is a whole item."""
    cells = [
        str(cells[place] or "") for told in rows.values() for cells in told for place in places
    ]
    return sum(bool(_LIST.search(cell)) for cell in cells) * 2 > len(cells)


def numbers_volumes(column: str) -> bool:
    """Whether a column numbers volumes, which are read and rated one by one."""
    return not _VOLUMES.isdisjoint(header_words(column))


def _tells_parts_apart(column: str) -> bool:
    """Whether a column numbers the parts of a work, each of which is an item of its own."""
    return not _PARTS.isdisjoint(header_words(column))


def _counts_up(cells: Sequence[object]) -> bool:
    numbers = [str(cell or "").strip() for cell in cells]
    if not all(number.isdigit() for number in numbers):
        return False
    told = [int(number) for number in numbers]
    return all(later > one for one, later in pairwise(told))


def _numbered(profiles: Sequence[ColumnProfile]) -> list[ColumnGroup]:
    by_base: dict[str, list[ColumnProfile]] = defaultdict(list)
    for one in profiles:
        found = _NUMBERED.fullmatch(one.name)
        if found is not None and not _UNNAMED.fullmatch(one.name):
            by_base[found["base"].casefold().strip(" _.-(")].append(one)
    bases = {
        base: sorted(told, key=lambda one: int(_NUMBERED.fullmatch(one.name)["number"]))  # type: ignore[index]
        for base, told in by_base.items()
        if len(told) > 1
    }
    amounts = [base for base in bases if meaning_of(base)[0] == "measure"]
    free = list(amounts)  # amounts go with the first list of ingredients
    groups = []
    for base, told in bases.items():
        meaning = meaning_of(base)[0]
        is_names = sum(one.holds in ("name", "text", "list") for one in told) * 2 >= len(told)
        if base in amounts or meaning in (*PLACES, *CREATORS, "description") or not is_names:
            continue
        beside: list[str] = []
        if meaning == "ingredient":
            beside, free = free, []
        values = [one for other in beside for one in bases[other]]
        common = tuple(dict.fromkeys(name for one in told for name in one.common))
        groups.append(
            ColumnGroup(
                kind=_kind_of(base, meaning),
                columns=tuple(one.name for one in told),
                values=tuple(one.name for one in values),
                amounts=not values and _bear_amounts(common),
                common=_without_amounts(common) if not values else common,
            )
        )
    return groups


def _measured(profiles: Sequence[ColumnProfile]) -> list[ColumnGroup]:
    """Ingredients with the amounts beside them, and what stands inside a list of objects."""
    named = [one for one in profiles if one.meaning == "ingredient" and one.certainty >= 0.5]
    named = [one for one in named if one.holds in ("name", "list", "text")]
    if not named:
        return []
    best = max(named, key=lambda one: (_specificity(one), one.filled))
    outer = best.name.rpartition(".")[0]
    beside = [one for one in profiles if one is not best and one.name.rpartition(".")[0] == outer]
    values = [
        one
        for one in beside
        if one.meaning == "measure" and one.holds in ("list", "name", "number")
    ]
    values.sort(key=lambda one: "unit" in header_words(one.name))  # "6" goes before "cl"
    other = [
        one for one in beside if outer and header_words(one.name)[-1] in ("special", "text", "name")
    ]
    common = best.common
    return [
        ColumnGroup(
            kind="ingredient",
            columns=(best.name,),
            values=tuple(one.name for one in values if one not in other),
            otherwise=other[0].name if other and best.holds == "list" else None,
            amounts=not values and _bear_amounts(common),
            separator=best.separator,
            common=common if values else _without_amounts(common),
        )
    ]


def _specificity(one: ColumnProfile) -> int:
    words = header_words(one.name)
    last = words[-1] if words else ""
    return 2 * (last in ("ingredient", "name")) - 2 * (
        last in ("description", "note", "id", "sort")
    )


def _flagged(profiles: Sequence[ColumnProfile]) -> list[ColumnGroup]:
    flags = [one for one in profiles if one.holds == "flag" and one.filled > 0.5]
    if len(flags) < _LEAST_FLAGS:
        return []
    firsts = {header_words(one.name)[:1] for one in flags}
    shared = next(iter(firsts)) if len(firsts) == 1 else ()
    has_prefix = bool(shared) and all(len(header_words(one.name)) > 1 for one in flags)
    return [
        ColumnGroup(
            kind=shared[0] if has_prefix and shared[0] not in ("is", "has") else "tag",
            columns=tuple(one.name for one in flags),
            flags=True,
            common=tuple(" ".join(re.split(r"[_.\s]+", one.name)) for one in flags),
        )
    ]


def _kind_of(base: str, meaning: str) -> str:
    return meaning if meaning and meaning != "name" else "_".join(header_words(base)) or "tag"


def _without_amounts(names: Sequence[str]) -> tuple[str, ...]:
    """The names themselves, where they bear their amounts, the commonest first."""
    if not _bear_amounts(names):
        return tuple(names)
    return tuple(name for name, _ in Counter(part_amount(one)[0] for one in names).most_common())


def _bear_amounts(names: Sequence[str]) -> bool:
    told = [name for name in names[:300] if not is_missing(name)]
    return sum(bool(part_amount(name)[1]) for name in told) > 0.4 * len(told) if told else False
