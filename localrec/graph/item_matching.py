"""Which item of a catalogue an export means: the same film under another key.

An export knows "Heat (1995)" by its title, a catalogue by its number. An item is found again by
its own key, else by name and year (a year apart at most, since release years differ between
countries) and by its creator where both name one; a volume is found by its number too. What fits
two items fits none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

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
    numbering = _numbering(rows)
    parts = "".join(f", properties->>'$.{name}'" for name in numbering)
    present = store.rows(
        "SELECT key, name, TRY_CAST(properties->>'$.year' AS INTEGER), "
        f"properties->>'$.creator'{parts} FROM node WHERE domain = ? AND kind = ?",
        [domain.name, domain.item],
    )
    keys = {key for key, *_ in present}
    strangers = [row for row in rows if row.key not in keys]
    if not strangers or not keys:
        return {}
    by_name: dict[str, list[_Known]] = {}
    for key, name, year, creator, *told in present:
        known = _Known(key, year, creator, tuple(map(_plain_number, told)))
        for spelling in title_variants(name):
            by_name.setdefault(spelling, []).append(known)
    found = {}
    for row in strangers:
        candidates = [
            one for spelling in title_variants(row.name) for one in by_name.get(spelling, ())
        ]
        key = _only_fit(row, candidates, numbering)
        if key is not None:
            found[row.key] = key
    return found


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
