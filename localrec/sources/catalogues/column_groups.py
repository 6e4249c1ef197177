"""Columns that belong together: numbered columns, yes-or-no columns, names with amounts."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

import msgspec

from localrec.sources.catalogues.column_profiles import ColumnProfile
from localrec.sources.catalogues.header_words import CREATORS, PLACES, header_words, meaning_of
from localrec.sources.list_cells import is_missing

_NUMBERED = re.compile(r"(?P<base>.*?[A-Za-z].*?)[\s_.-]*(?P<number>\d{1,2})\)?")
_UNNAMED = re.compile(r"column \d+")  # what a column without a name is called
_STARS = ("star",)  # of a film, where the cells are names
_LEAST_FLAGS = 4  # yes-or-no columns from which on they are one list
_FRACTION = "¼½¾⅓⅔⅛⅜⅝⅞"
_UNIT = (
    "fl oz|fluid ounces?|ounces?|oz|ml|cl|dl|l|litres?|liters?|cups?|teaspoons?|tsps?|"
    "tablespoons?|tbsps?|tbs|dash(?:es)?|drops?|splash(?:es)?|parts?|shots?|jiggers?|barspoons?|"
    "bar spoons?|pinch(?:es)?|slices?|wedges?|twists?|sprigs?|leaves|leaf|pieces?|cans?|bottles?|"
    "pints?|quarts?|gallons?|kg|g|grams?|lbs?|pounds?|cloves?|sticks?|packages?|pkgs?|cubes?|"
    "lumps?|stalks?|handfuls?|wheels?|scoops?|jars?"
)
_DIGITS = rf"(?:\d+(?:[.,/]\d+)?|\.\d+)(?:\s*[{_FRACTION}]|\s+\d/\d)?|[{_FRACTION}]"
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


def _numbered(profiles: Sequence[ColumnProfile]) -> list[ColumnGroup]:
    by_base: dict[str, list[ColumnProfile]] = defaultdict(list)
    for one in profiles:
        found = _NUMBERED.fullmatch(one.name)
        if found is not None and not _UNNAMED.fullmatch(one.name):
            by_base[" ".join(header_words(found["base"]))].append(one)
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
    if header_words(base) == _STARS:
        return "cast"
    return meaning if meaning and meaning != "name" else "_".join(header_words(base)) or "tag"


def _without_amounts(names: Sequence[str]) -> tuple[str, ...]:
    """The names themselves, where they bear their amounts, the commonest first."""
    if not _bear_amounts(names):
        return tuple(names)
    return tuple(name for name, _ in Counter(part_amount(one)[0] for one in names).most_common())


def _bear_amounts(names: Sequence[str]) -> bool:
    told = [name for name in names[:300] if not is_missing(name)]
    return sum(bool(part_amount(name)[1]) for name in told) > 0.4 * len(told) if told else False
