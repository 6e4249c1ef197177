"""What a dump of everything knows of the items of a store: found, and added to what is there.

An item is found by an identifier that it bears, else by its title with its year (a year apart at
most) and its creator where both name one; of several titles that fit, the dump's first counts,
which is the most rated one. A title is one item's at most: where two of the store may be it, none
gets it. A track is found by its album and artist. Only what an item lacks is added.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from localrec.data.domains import Domain
from localrec.data.knowledge import Wanted, rough_title
from localrec.data.rows import CatalogueRows, ImportReport, ItemRow
from localrec.foundation.prose import count_of, join_words
from localrec.foundation.text import clean_key
from localrec.graph.item_ingest import add_knowledge
from localrec.graph.item_matching import title_variants
from localrec.graph.store import Store

_IDS = ("imdb", "isbn13", "openlibrary", "musicbrainz")
_YEARS_APART = 1
_NAMED = 5  # items that a receipt names


class KnownItem(msgspec.Struct, frozen=True, kw_only=True):
    """An item of the store, as far as dumps can name it."""

    key: str
    name: str
    names: tuple[str, ...]
    year: int | None
    creator: str
    ids: dict[str, str]
    is_part: bool


class FoundKnowledge(msgspec.Struct, frozen=True, kw_only=True):
    """The rows of a dump that match items, and the counts of the matches.

    Args:
        rows: The dump's facts about items, under the items' keys.
        by_id: Items that were found by an identifier.
        by_title: Items that were found by title and year, or by album.
        items: Items that were looked for.
        unclear: Items, with their years, that may be the same title of the dump as another one.
        used: Keys of the dump's rows that are about an item.
        alike: Keys of its rows that may be about an item, by title and year.
    """

    rows: tuple[ItemRow, ...]
    by_id: int
    by_title: int
    items: int
    unclear: tuple[str, ...] = ()
    used: frozenset[str] = frozenset()
    alike: frozenset[str] = frozenset()


def read_known_items(store: Store, domain: Domain) -> list[KnownItem]:
    """The items of a domain; a track is called as its album here."""
    ids = ", ".join(f"properties->>'$.{name}'" for name in _IDS)
    rows = store.rows(
        "SELECT key, name, TRY_CAST(properties->>'$.year' AS INTEGER), "
        f"properties->>'$.creator', properties->>'$.album', {ids} FROM node "
        "WHERE domain = ? AND kind = ?",
        [domain.name, domain.item],
    )
    return [
        KnownItem(
            key=key,
            name=name,
            names=tuple(title_variants(album or name)),
            year=year,
            creator=creator or "",
            ids={name: told for name, told in zip(_IDS, found, strict=True) if told},
            is_part=bool(album),
        )
        for key, name, year, creator, album, *found in rows
    ]


def wanted_of(items: Iterable[KnownItem]) -> Wanted:
    """Collect the identifiers and titles to look for in a dump."""
    items = list(items)
    return Wanted(
        ids={name: frozenset(one.ids[name] for one in items if name in one.ids) for name in _IDS},
        titles=frozenset(rough_title(name) for one in items for name in one.names),
    )


def find_knowledge(items: Sequence[KnownItem], rows: Sequence[ItemRow]) -> FoundKnowledge:
    """Find the row of each item; the rows come back under the items' keys."""
    by_id: dict[tuple[str, str], ItemRow] = {}
    by_name: dict[str, list[ItemRow]] = defaultdict(list)
    for row in rows:
        for name in _IDS:
            if number := row.properties.get(name):
                by_id.setdefault((name, str(number)), row)
        for title in dict.fromkeys((row.name, str(row.properties.get("original_title", row.name)))):
            for variant in title_variants(title):
                by_name[variant].append(row)
    named: dict[str, ItemRow] = {}
    fitting: dict[str, list[_Match]] = {}
    for item in items:
        known = next((by_id[pair] for pair in item.ids.items() if pair in by_id), None)
        if known is not None:
            named[item.key] = known
        else:
            called = [one for name in item.names for one in by_name.get(name, ())]
            fitting[item.key] = _fitting(item, called)
    taken = {row.key for row in named.values()}
    titled, unclear = _titled([one for one in items if one.key in fitting], fitting, taken)
    told = {**named, **titled}
    found = [_about(item, told[item.key]) for item in items if item.key in told]
    return FoundKnowledge(
        rows=tuple(found),
        by_id=len(named),
        by_title=len(titled),
        items=len(items),
        unclear=tuple(_dated(one) for one in items if one.key in unclear),
        used=frozenset(row.key for row in told.values()),
        alike=frozenset(fit.row.key for fits in fitting.values() for fit in fits),
    )


def _dated(item: KnownItem) -> str:
    return item.name if item.year is None else f"{item.name} ({item.year})"


class _Match(msgspec.Struct, frozen=True):
    years_apart: int
    row: ItemRow


def _fitting(item: KnownItem, rows: Sequence[ItemRow]) -> list[_Match]:
    """The rows of an item's title near in year that agree on the creator, the likeliest first.

    Without a year or creator on both sides none fits.
    """
    fits: list[_Match] = []
    for row in rows:
        year, creator = row.properties.get("year"), str(row.properties.get("creator") or "")
        both = item.year is not None and isinstance(year, int)
        apart = abs(int(year or 0) - (item.year or 0)) if both and not item.is_part else 0
        says_who = bool(item.creator and creator)
        if says_who and _last_name(item.creator) != _last_name(creator):
            continue
        if _bears_another(item, row):
            continue
        is_near = apart <= _YEARS_APART or (says_who and not item.is_part)
        if is_near and (both or says_who):
            fits.append(_Match(apart, row))
    return sorted(fits, key=lambda one: one.years_apart)


def _bears_another(item: KnownItem, row: ItemRow) -> bool:
    """Whether an item bears another identifier than a row; an ISBN is one edition's of several."""
    told = ((item.ids.get(name), row.properties.get(name)) for name in _IDS if name != "isbn13")
    return any(own and other and own != str(other) for own, other in told)


def _titled(
    items: Sequence[KnownItem], fitting: dict[str, list[_Match]], taken: set[str]
) -> tuple[dict[str, ItemRow], set[str]]:
    """The row that is an item's by its title, and the keys of items that share theirs.

    Args:
        items: Those without an identifier that the dump knows.
        fitting: Key of an item -> the rows that it may be, the likeliest first.
        taken: Keys of rows that are an item's by its identifier.
    """
    wanting: dict[str, list[KnownItem]] = defaultdict(list)
    found: dict[str, ItemRow] = {}
    for item in items:
        if not (fits := fitting[item.key]):
            continue
        if item.is_part:  # a row about an album is about each of its tracks
            found[item.key] = fits[0].row
        else:
            wanting[fits[0].row.key].append(item)
    unclear: set[str] = set()
    for key, told in wanting.items():
        nearest = min(fitting[one.key][0].years_apart for one in told)
        likeliest = [one for one in told if fitting[one.key][0].years_apart == nearest]
        if len(likeliest) == 1 and key not in taken:
            found[likeliest[0].key] = fitting[likeliest[0].key][0].row
            told = [one for one in told if one is not likeliest[0]]
        unclear.update(one.key for one in told)
    return found, unclear


def _about(item: KnownItem, row: ItemRow) -> ItemRow:
    """A row of the dump as what is said of an item."""
    properties = {
        name: told
        for name, told in row.properties.items()
        if told is not None and not (item.is_part and name in ("album", "musicbrainz"))
    }
    return msgspec.structs.replace(row, key=item.key, properties=properties)


def _last_name(creator: str) -> str:
    return clean_key(creator).split("-")[-1]


def join_knowledge(
    store: Store, domain: Domain, dump: CatalogueRows, *, keep_all: bool
) -> ImportReport:
    """Add what a dump says to the items of a store, all or nothing.

    Args:
        store: Open for writing.
        domain: The domain of the items.
        dump: The rows read of the dump.
        keep_all: Keep titles that no item of the store is, as items of their own.

    Returns:
        The receipt as it was stored: it says how many items were found, and how.
    """
    found = find_knowledge(read_known_items(store, domain), dump.items)
    others = _others(found, dump) if keep_all else []
    report = knowledge_receipt(domain, dump, found, keep_all=keep_all)
    return add_knowledge(store, domain, found.rows, others, report)


def _others(found: FoundKnowledge, dump: CatalogueRows) -> list[ItemRow]:
    """The rows of a dump that are and may be about no item of a store."""
    return [row for row in dump.items if row.key not in found.used | found.alike]


def knowledge_receipt(
    domain: Domain, dump: CatalogueRows, found: FoundKnowledge, *, keep_all: bool
) -> ImportReport:
    """The receipt of a dump: what was found, and what becomes of its other titles."""
    read = len(dump.items)
    kept = len(found.used) + (len(_others(found, dump)) if keep_all else 0)
    notes = [
        f"{len(found.rows):,} of {found.items:,} {domain.plural} were found: {found.by_id:,} by "
        f"their identifier, {found.by_title:,} by title and year or maker."
    ]
    if found.unclear:
        names = list(dict.fromkeys(found.unclear))
        several = len(found.unclear) > 1
        notes.append(
            f"{len(found.unclear):,} {domain.plural if several else domain.singular} may be the "
            "same title of the dump as another one here, and got nothing: "
            f"{join_words([*names[:_NAMED], *_more(len(names) - _NAMED)])}."
        )
    left = count_of(read - kept, "title")
    if not keep_all:
        are = "is" if read - kept == 1 else "are"
        notes.append(f"{left} of the dump {are} about nothing here.")
    elif read > kept:
        notes.append(f"{left} of the dump may be what is here already, and stayed out.")
    return msgspec.structs.replace(
        dump.report, kept=kept, apart=read - kept, notes=(*notes, *dump.report.notes)
    )


def _more(count: int) -> list[str]:
    return [f"{count:,} more"] if count > 0 else []
