"""Which item of a catalogue an export means: the same film under another key.

An export knows "Heat (1995)" by its title, a catalogue by its number. An item is found again by
its own key, else by name and year (a year apart at most, since release years differ between
countries) and by its creator where both name one; a volume is found by its number too. An item of
which only a number is told ("137739") is found by a number that its catalogue gives it, where no
other numbers of the catalogue fit as well. What fits two items fits none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from localrec.data.domains import Domain
from localrec.data.rows import ItemRow
from localrec.data.series_parts import numbers_parts
from localrec.data.titles import restore_article
from localrec.foundation.text import clean_key
from localrec.graph.store import Store

_PROPERTY = re.compile(r"[a-z][a-z0-9_]*")
_PARENTHESES = re.compile(r"\(([^()]*)\)")
_YEARS_APART = 1


class _Known(msgspec.Struct, frozen=True):
    key: str
    year: int | None
    creator: str | None
    parts: tuple[str, ...]


def match_existing_items(store: Store, domain: Domain, rows: Sequence[ItemRow]) -> dict[str, str]:
    """Key of a row -> key of the item that is there already under another key."""
    numbering, identifiers = _numbering(rows), _identifiers(domain)
    told = "".join(f", properties->>'$.{name}'" for name in (*numbering, *identifiers))
    present = store.rows(
        "SELECT key, name, TRY_CAST(properties->>'$.year' AS INTEGER), "
        f"properties->>'$.creator'{told} FROM node WHERE domain = ? AND kind = ?",
        [domain.name, domain.item],
    )
    keys = {key for key, *_ in present}
    unmatched = [row for row in rows if row.key not in keys]
    if not unmatched or not keys:
        return {}
    by_name: dict[str, list[_Known]] = {}
    numbered: list[dict[str, set[str]]] = [{} for _ in identifiers]
    for key, name, year, creator, *numbers in present:
        parts = tuple(map(_plain_number, numbers[: len(numbering)]))
        known = _Known(key, year, creator, parts)
        for spelling in title_variants(name):
            by_name.setdefault(spelling, []).append(known)
        told_numbers = map(_plain_number, numbers[len(numbering) :])
        for of_one, number in zip(numbered, told_numbers, strict=True):
            of_one.setdefault(number, set()).add(key)
    found = _found_by_number(unmatched, numbered)
    for row in unmatched:
        candidates = [
            one for spelling in title_variants(row.name) for one in by_name.get(spelling, ())
        ]
        fit = found.get(row.key) or _only_fit(row, candidates, numbering)
        if fit is not None:
            found[row.key] = fit
    return found


def _identifiers(domain: Domain) -> tuple[str, ...]:
    """The properties by which other tables may call the items of a domain."""
    if domain.columns is None:
        return ()
    told = domain.columns.properties.items()
    names = (name for name, column in told if column in domain.columns.identifiers)
    return tuple(filter(_PROPERTY.fullmatch, names))


def _found_by_number(
    unmatched: Sequence[ItemRow], numbered: Sequence[Mapping[str, set[str]]]
) -> dict[str, str]:
    """Key of a row that tells nothing but a number -> key of the one item with that number.

    Where fewer than half of all rows are found by an identifier, the numbers are names ("300"), or
    those of another catalogue. Where two identifiers find other items, nothing says which is meant.

    Args:
        unmatched: The rows that are not there under their own key.
        numbered: For each identifier, its numbers -> the keys of the items that bear them.
    """
    bare = {row.key: number for row in unmatched
            if row.name == row.key and (number := _plain_number(row.key))}  # fmt: skip
    fitting: list[dict[str, str]] = []
    for of_one in numbered:
        told = {key: of_one.get(number, set()) for key, number in bare.items()}
        found = {key: next(iter(keys)) for key, keys in told.items() if len(keys) == 1}
        if found and 2 * len(found) >= len(unmatched) and found not in fitting:
            fitting.append(found)
    return fitting[0] if len(fitting) == 1 else {}


def _numbering(rows: Sequence[ItemRow]) -> tuple[str, ...]:
    """The properties that number the parts of a series in some rows, such as `volume`."""
    names = {name for row in rows for name in row.properties if _PROPERTY.fullmatch(name)}
    return tuple(sorted(filter(numbers_parts, names)))


def _plain_number(told: object) -> str:
    return "" if told is None else str(told).strip().casefold().removesuffix(".0")


def _only_fit(row: ItemRow, candidates: Sequence[_Known], numbering: Sequence[str]) -> str | None:
    year, creator = row.properties.get("year"), row.properties.get("creator")
    parts = tuple(_plain_number(row.properties.get(name)) for name in numbering)
    fitting: dict[str, int] = {}
    for one in candidates:
        if any(parts) and parts != one.parts:
            continue
        apart = abs(int(year) - one.year) if year and one.year else 0
        if apart <= _YEARS_APART and _agree(str(creator or ""), one.creator or ""):
            fitting.setdefault(one.key, apart)
    nearest = [key for key, apart in fitting.items() if apart == min(fitting.values())]
    return nearest[0] if len(nearest) == 1 else None


def _agree(one: str, other: str) -> bool:
    """Whether two creators may be one: their last names agree, or one is not told."""
    return not one or not other or clean_key(one).split("-")[-1] == clean_key(other).split("-")[-1]


def title_variants(name: str) -> Iterator[str]:
    """A name with its article in front, without what stands in parentheses, and that."""
    name = restore_article(name)
    yield clean_key(name)
    bare = _PARENTHESES.sub(" ", name).strip()
    if bare and bare != name:
        yield clean_key(bare)
        for inner in _PARENTHESES.findall(name):
            if len(inner) > 3 and not inner.isdigit():
                yield clean_key(inner.removeprefix("a.k.a. "))
