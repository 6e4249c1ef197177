"""What the store says about one item, and who is in it; read in a few queries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from localrec.domains import load_domain, shipped_domains
from localrec.errors import UsageError
from localrec.graph.node_columns import hidden_from, not_told_by
from localrec.graph.people import FEEDBACK, USER
from localrec.graph.pictures import pictures_of
from localrec.graph.store import Store
from localrec.types import Event
from localrec_tui.backend.base import DomainFound, HalfCell, ItemFound, Link

_COLUMNS, _LINES = 40, 16  # of a picture; both fit a terminal of 80 by 24


def domains_in(store: Store) -> tuple[DomainFound, ...]:
    """The domains that have items, largest first."""
    counts = {
        (domain, kind): count
        for domain, kind, count in store.rows(
            "SELECT domain, kind, count(*) FROM node WHERE domain IN (SELECT unnest(?)) "
            "GROUP BY ALL",
            [list(shipped_domains())],
        )
    }
    found = []
    for name in dict.fromkeys(name for name, _ in counts):
        domain = load_domain(name)
        if count := counts.get((name, domain.item)):
            found.append(
                DomainFound(name=name, plural=domain.plural, items=count, examples=domain.examples)
            )
    return tuple(sorted(found, key=lambda one: (-one.items, one.name)))


def people_in(store: Store, like: str, limit: int) -> tuple[str, ...]:
    """Keys of people that contain `like`, whatever its case, in alphabetical order."""
    rows = store.rows(
        "SELECT DISTINCT key FROM node WHERE kind = ? AND contains(lower(key), lower(?)) "
        "ORDER BY key LIMIT ?",
        [USER, like, limit],
    )
    return tuple(key for (key,) in rows)


def domains_of(store: Store, user: str) -> tuple[str, ...]:
    """The domains in which a person is known, the one that they did most in first."""
    rows = store.rows(
        "SELECT n.domain FROM node n LEFT JOIN interaction i ON i.user_id = n.node_id "
        "WHERE n.kind = ? AND n.key = ? GROUP BY n.domain ORDER BY count(i.user_id) DESC, 1",
        [USER, user],
    )
    return tuple(domain for (domain,) in rows)


def newest_word(store: Store, domain: str, user: str, item: str) -> Event | None:
    """A person's newest feedback on an item; None where there is none."""
    rows = store.rows(
        "SELECT x.event FROM interaction x JOIN node u ON u.node_id = x.user_id "
        "JOIN node i ON i.node_id = x.item_id "
        "WHERE u.domain = $1 AND u.kind = $2 AND u.key = $3 AND i.domain = $1 AND i.kind = $4 "
        'AND i.key = $5 AND x.source = $6 ORDER BY x."at" DESC, x.rowid DESC LIMIT 1',
        [domain, USER, user, load_domain(domain).item, item, FEEDBACK],
    )
    return Event(rows[0][0]) if rows else None


def names_in(store: Store, domain: str, keys: Iterable[str]) -> dict[str, str]:
    """Key of an item -> its name; keys that nobody knows are left out."""
    rows = store.rows(
        "SELECT key, name FROM node WHERE domain = ? AND kind = ? "
        "AND key IN (SELECT unnest(?::VARCHAR[]))",
        [domain, load_domain(domain).item, sorted(keys)],
    )
    return dict(rows)


def item_in(store: Store, domain_name: str, key: str, user: str | None) -> ItemFound:
    """All that is stored about an item, as a person sees it.

    Raises:
        UsageError: there is none with this key.
    """
    domain = load_domain(domain_name)
    rows = store.rows(
        "SELECT node_id, name, properties FROM node WHERE domain = ? AND kind = ? AND key = ?",
        [domain.name, domain.item, key],
    )
    if not rows:
        raise UsageError(
            f"There is no {domain.singular} {key!r} any more.", "Somebody took it out: ask again."
        )
    node_id, name, properties = rows[0]
    links = store.rows(
        "SELECT e.kind, e.target_id, coalesce(e.properties->>'$.as_written', t.name), "
        "e.properties->>'$.value' FROM edge e JOIN node t ON t.node_id = e.target_id "
        "WHERE e.source_id = ? "
        f"AND e.kind IN (SELECT unnest(?)) AND {not_told_by(hidden_from(store, user))} "
        "ORDER BY e.rowid",
        [node_id, [spec.edge for spec in domain.attributes.values()]],
    )
    return ItemFound(
        domain=domain.name,
        key=key,
        name=name,
        properties=msgspec.json.decode(properties),
        links=_told_once(links),
        picture=_picture(pictures_of(store, domain, [key]).get(key)),
    )


def _told_once(rows: Sequence[tuple[str, int, str, str | None]]) -> tuple[Link, ...]:
    """An attribute that is told several times once, or once with each of its amounts."""
    measured = {(relation, target) for relation, target, _, value in rows if value}
    links: dict[tuple[str, int, str | None], Link] = {}
    for relation, target, name, value in rows:
        if value or (relation, target) not in measured:
            links.setdefault((relation, target, value), Link(relation, name, value))
    return tuple(links.values())


def _picture(content: bytes | None) -> tuple[tuple[HalfCell, ...], ...]:
    """A thumbnail in lines of half cells; () where there is none."""
    if content is None:
        return ()
    from localrec.images.thumbnails import half_cells_of  # Pillow: 50 ms

    cells = half_cells_of(content, _COLUMNS, _LINES)
    return tuple(
        tuple(("#" + bytes(upper).hex(), "#" + bytes(lower).hex()) for upper, lower in line)
        for line in cells
    )
