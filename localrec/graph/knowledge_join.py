"""What a dump of everything knows of the items of a store: found, and added to what is there.

An item is found by an identifier that it bears, else by its title with its year (a year apart at
most) and its creator where both name one; of several that fit, the dump's first counts, which is
the most rated one. A track is found by its album and artist. Only what an item lacks is added.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from localrec.data.domains import Domain
from localrec.data.knowledge import Wanted, rough_title
from localrec.data.rows import CatalogueRows, ImportReport, ItemRow
from localrec.foundation.prose import count_of
from localrec.foundation.text import clean_key
from localrec.graph.item_ingest import add_knowledge
from localrec.graph.item_matching import title_variants
from localrec.graph.store import Store

_IDS = ("imdb", "isbn13", "openlibrary", "musicbrainz")
_YEARS_APART = 1


class KnownItem(msgspec.Struct, frozen=True, kw_only=True):
    """An item of the store, as far as dumps can name it."""

    key: str
    names: tuple[str, ...]
    year: int | None
    creator: str
    ids: dict[str, str]
    is_part: bool


class FoundKnowledge(msgspec.Struct, frozen=True, kw_only=True):
    """Which row of a dump is about which item, and how many were found how."""

    rows: tuple[ItemRow, ...]
    by_id: int
    by_title: int
    items: int


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
            names=tuple(title_variants(album or name)),
            year=year,
            creator=creator or "",
            ids={name: told for name, told in zip(_IDS, found, strict=True) if told},
            is_part=bool(album),
        )
        for key, name, year, creator, album, *found in rows
    ]


def wanted_of(items: Iterable[KnownItem]) -> Wanted:
    """What to look for in a dump."""
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
            if told := row.properties.get(name):
                by_id.setdefault((name, str(told)), row)
        for title in dict.fromkeys((row.name, str(row.properties.get("original_title", row.name)))):
            for variant in title_variants(title):
                by_name[variant].append(row)
    found: list[ItemRow] = []
    named = 0
    for item in items:
        known = next((by_id[pair] for pair in item.ids.items() if pair in by_id), None)
        called = [one for name in item.names for one in by_name.get(name, ())]
        best = _best(item, called) if known is None else known
        if best is None:
            continue
        named += known is None
        properties = {
            name: told
            for name, told in best.properties.items()
            if told is not None and not (item.is_part and name in ("album", "musicbrainz"))
        }
        found.append(msgspec.structs.replace(best, key=item.key, properties=properties))
    return FoundKnowledge(
        rows=tuple(found), by_id=len(found) - named, by_title=named, items=len(items)
    )


def _best(item: KnownItem, rows: Sequence[ItemRow]) -> ItemRow | None:
    """The first row nearest in year that agrees on the creator; none without year or creator."""
    fitting: list[tuple[int, ItemRow]] = []
    for row in rows:
        year, creator = row.properties.get("year"), str(row.properties.get("creator") or "")
        both = item.year is not None and isinstance(year, int)
        apart = abs(int(year or 0) - (item.year or 0)) if both and not item.is_part else 0
        says_who = bool(item.creator and creator)
        if says_who and _last_name(item.creator) != _last_name(creator):
            continue
        is_near = apart <= _YEARS_APART or (says_who and not item.is_part)
        if is_near and (both or says_who):
            fitting.append((apart, row))
    return min(fitting, key=lambda one: one[0])[1] if fitting else None


def _last_name(creator: str) -> str:
    return clean_key(creator).split("-")[-1]


def join_knowledge(
    store: Store, domain: Domain, dump: CatalogueRows, *, keep_all: bool, dry_run: bool = False
) -> ImportReport:
    """Add what a dump says to the items of a store, all or nothing.

    Args:
        store: Open for writing, unless it is a dry run.
        domain: What the items belong to.
        dump: What was read of it.
        keep_all: Keep titles that no item of the store is, as items of their own.
        dry_run: Find only.

    Returns:
        The receipt as it was stored: it says how many items were found, and how.
    """
    items = read_known_items(store, domain)
    found = find_knowledge(items, dump.items)
    used = {row.name for row in found.rows}
    others = [row for row in dump.items if keep_all and row.name not in used]
    report = _receipt(dump.report, domain, found, len(others), len(dump.items))
    if not dry_run:
        add_knowledge(store, domain, found.rows, others, report)
    return report


def _receipt(
    report: ImportReport, domain: Domain, found: FoundKnowledge, others: int, read: int
) -> ImportReport:
    kept = min(read, len({(row.name, row.properties.get("year")) for row in found.rows}) + others)
    were = "was" if len(found.rows) == 1 else "were"
    note = (
        f"{len(found.rows):,} of {domain.counted(found.items)} {were} found: {found.by_id:,} by "
        f"their identifier, {found.by_title:,} by title and year or maker."
    )
    left = f"{count_of(read - kept, 'title')} of the dump {'is' if read - kept == 1 else 'are'}"
    return msgspec.structs.replace(
        report,
        kept=kept,
        apart=read - kept,
        notes=(note, f"{left} about nothing here.", *report.notes),
    )
