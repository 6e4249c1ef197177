"""Reads items, users, domains and feedback from the store in a few queries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

import msgspec

from localrec.data.domains import Domain
from localrec.data.rows import Event
from localrec.foundation.errors import UsageError
from localrec.graph.domain_files import known_domains, load_domain, load_if_sound
from localrec.graph.export_queries import UNMET
from localrec.graph.image_store import thumbnails_by_key
from localrec.graph.interactions import FEEDBACK, USER
from localrec.graph.node_columns import edge_not_from, users_hidden_from
from localrec.graph.store import Store
from localrec_tui.services.records import (
    DomainSummary,
    HalfCell,
    ItemDetails,
    ItemEdge,
    SimilarItem,
    Verdict,
)

_SIMILAR = 5
_COLUMNS, _LINES = 40, 16  # of a picture; both fit a terminal of 80 by 24
_EdgeRow = tuple[str, int, str, str | None]  # relation, node id of the target, its name, an amount


def domain_summaries(store: Store) -> tuple[DomainSummary, ...]:
    """Return the domains that have items, largest first."""
    counts = {
        (domain, kind): count
        for domain, kind, count in store.rows(
            "SELECT domain, kind, count(*) FROM node WHERE domain IN (SELECT unnest(?)) "
            "GROUP BY ALL",
            [known_domains()],
        )
    }
    found = []
    for name in dict.fromkeys(name for name, _ in counts):
        domain = load_if_sound(name)
        if domain is None:  # doctor tells what is wrong with it
            continue
        if count := counts.get((name, domain.item)):
            found.append(
                DomainSummary(
                    name=name,
                    plural=domain.plural,
                    singular=domain.singular,
                    items=count,
                    examples=domain.examples,
                    has_shelf=bool(domain.staples),
                )
            )
    return tuple(sorted(found, key=lambda one: (-one.items, one.name)))


def met_domains(store: Store) -> frozenset[str]:
    """Return the domains in which anybody met an item: more than to want it or put it off."""
    rows = store.rows(
        "SELECT DISTINCT n.domain FROM node n SEMI JOIN interaction i "
        f"ON i.user_id = n.node_id AND i.event NOT IN {UNMET}"
    )
    return frozenset(domain for (domain,) in rows)


def user_domains(store: Store, user: str) -> tuple[str, ...]:
    """Return the domains in which a user is known, the one with the most interactions first.

    One whose declaration is broken is left out.
    """
    rows = store.rows(
        "SELECT n.domain FROM node n LEFT JOIN interaction i ON i.user_id = n.node_id "
        "WHERE n.kind = ? AND n.key = ? GROUP BY n.domain ORDER BY count(i.user_id) DESC, 1",
        [USER, user],
    )
    return tuple(domain for (domain,) in rows if load_if_sound(domain) is not None)


def latest_feedback(store: Store, domain: str, user: str, item: str) -> Event | None:
    """Return a user's newest feedback on an item; None where there is none."""
    rows = store.rows(
        "SELECT x.event FROM interaction x JOIN node u ON u.node_id = x.user_id "
        "JOIN node i ON i.node_id = x.item_id "
        "WHERE u.domain = $1 AND u.kind = $2 AND u.key = $3 AND i.domain = $1 AND i.kind = $4 "
        'AND i.key = $5 AND x.source = $6 ORDER BY x."at" DESC, x.rowid DESC LIMIT 1',
        [domain, USER, user, load_domain(domain).item, item, FEEDBACK],
    )
    return Event(rows[0][0]) if rows else None


def item_names(store: Store, domain: str, keys: Iterable[str]) -> dict[str, str]:
    """Map the keys of items to names; unknown keys are left out."""
    rows = store.rows(
        "SELECT key, name FROM node WHERE domain = ? AND kind = ? "
        "AND key IN (SELECT unnest(?::VARCHAR[]))",
        [domain, load_domain(domain).item, sorted(keys)],
    )
    return dict(rows)


def item_details(store: Store, domain_name: str, key: str, user: str | None) -> ItemDetails:
    """Return all that is stored about an item, as a user sees it.

    Raises:
        UsageError: there is none with this key.
    """
    domain = load_domain(domain_name)
    if not (found := _facts_by_node(store, domain, [key], user)):
        raise UsageError(
            f"There is no {domain.singular} {key!r} any more.", "Somebody took it out: ask again."
        )
    [(node_id, facts)] = found.items()
    thumbnails = thumbnails_by_key(store, domain, [key]) if facts.picture_lines else {}
    return msgspec.structs.replace(
        facts,
        picture=_picture(thumbnails.get(key)),
        thumbnail=thumbnails.get(key, b""),
        similar=_similar(store, domain, node_id, user),
        is_complete=True,
    )


def item_facts(
    store: Store, domain: str, keys: Sequence[str], user: str | None
) -> tuple[ItemDetails, ...]:
    """Return what is quickly read of several items, as a user sees them; unknown ones are left out.

    Their pictures and what is similar to them take several times as long: see `item_details`.
    """
    return tuple(_facts_by_node(store, load_domain(domain), keys, user).values())


def _facts_by_node(
    store: Store, domain: Domain, keys: Sequence[str], user: str | None
) -> dict[int, ItemDetails]:
    rows = store.rows(
        "SELECT n.node_id, n.key, n.name, n.properties, p.width, p.height FROM node n "
        "LEFT JOIN picture p ON p.node_id = n.node_id AND p.import_id IS NOT NULL "
        "WHERE n.domain = ? AND n.kind = ? AND n.key IN (SELECT unnest(?::VARCHAR[]))",
        [domain.name, domain.item, list(keys)],
    )
    edges = _edges_by_item(store, domain, [row[0] for row in rows], user)
    said = verdicts(store, domain.name, user, keys)
    return {
        node_id: ItemDetails(
            domain=domain.name,
            key=key,
            name=name,
            properties=msgspec.json.decode(properties),
            links=_distinct_edges(edges.get(node_id, ())),
            picture_lines=_lines_of(width, height),
            verdict=said.get(key),
            is_complete=False,
        )
        for node_id, key, name, properties, width, height in rows
    }


def _edges_by_item(
    store: Store, domain: Domain, items: Sequence[int], user: str | None
) -> dict[int, list[_EdgeRow]]:
    """Node id of an item -> its edges to attributes, in the order of its catalogue."""
    rows = store.rows(
        "SELECT e.source_id, e.kind, e.target_id, coalesce(e.properties->>'$.as_written', t.name), "
        "e.properties->>'$.value' FROM edge e JOIN node t ON t.node_id = e.target_id "
        "WHERE e.source_id IN (SELECT unnest(?::BIGINT[])) "
        f"AND e.kind IN (SELECT unnest(?)) AND {edge_not_from(users_hidden_from(store, user))} "
        "ORDER BY e.rowid",
        [list(items), [spec.edge for spec in domain.attributes.values()]],
    )
    found: dict[int, list[_EdgeRow]] = {}
    for source_id, *edge in rows:
        found.setdefault(source_id, []).append(tuple(edge))
    return found


def verdicts(
    store: Store, domain: str, user: str | None, keys: Iterable[str]
) -> dict[str, Verdict]:
    """Map the keys of items to a user's newest word on each; items without one are left out."""
    if user is None:
        return {}
    rows = store.rows(
        "SELECT i.key, arg_max(struct_pack(event := x.event, stars := x.rating, "
        "source := x.source), (coalesce(x.\"at\", TIMESTAMP '1970-01-01'), x.rowid)) "
        "FROM node i JOIN interaction x ON x.item_id = i.node_id "
        "JOIN node u ON u.node_id = x.user_id AND u.kind = $2 AND u.key = $3 "
        "WHERE i.domain = $1 AND i.kind = $4 AND i.key IN (SELECT unnest($5::VARCHAR[])) "
        "GROUP BY i.key",
        [domain, USER, user, load_domain(domain).item, list(keys)],
    )
    return {key: _verdict(**said) for key, said in rows}


def count_words_since(store: Store, moment: datetime) -> int:
    """Count what all users said here after a moment, in UTC, and did not take back."""
    [[count]] = store.rows(
        'SELECT count(*) FROM interaction WHERE source = ? AND "at" > ?', [FEEDBACK, moment]
    )
    return int(count)


def _verdict(event: str, stars: float | None, source: str) -> Verdict:
    return Verdict(event=Event(event), stars=stars, source=source)


def _similar(
    store: Store, domain: Domain, node_id: int, user: str | None
) -> tuple[SimilarItem, ...]:
    """The items that share an item's rarest attributes; each attribute weighs ln(items / with it).

    The attributes that nearly every item has count for nothing, and are not walked.
    """
    rows = store.rows(
        "WITH seeds AS (SELECT DISTINCT e.target_id, e.kind, t.name FROM edge e "
        "JOIN node t ON t.node_id = e.target_id WHERE e.source_id = $1 "
        f"AND e.kind IN (SELECT unnest($2)) AND {edge_not_from(users_hidden_from(store, user))}), "
        "fans AS (SELECT DISTINCT e.source_id, s.target_id, s.name FROM edge e "
        "JOIN seeds s USING (target_id, kind) WHERE e.source_id <> $1), "
        "rare AS (SELECT target_id, ln((SELECT count(*) FROM node WHERE domain = $3 "
        "AND kind = $4) / count(*)) AS weight FROM fans GROUP BY target_id), "
        "near AS (SELECT f.source_id, sum(r.weight) AS score, "
        "arg_max(f.name, r.weight, 3) AS shared FROM fans f JOIN rare r USING (target_id) "
        "WHERE r.weight > 0 GROUP BY f.source_id ORDER BY score DESC, f.source_id LIMIT $5) "
        "SELECT n.key, n.name, near.shared FROM near JOIN node n ON n.node_id = near.source_id "
        "ORDER BY near.score DESC, n.node_id",
        [
            node_id,
            [spec.edge for spec in domain.attributes.values()],
            domain.name,
            domain.item,
            _SIMILAR,
        ],
    )
    said = verdicts(store, domain.name, user, [key for key, _, _ in rows])
    return tuple(SimilarItem(key, name, tuple(shared), said.get(key)) for key, name, shared in rows)


def _distinct_edges(rows: Sequence[_EdgeRow]) -> tuple[ItemEdge, ...]:
    """An attribute that is told several times once, or once with each of its amounts."""
    measured = {(relation, target) for relation, target, _, value in rows if value}
    links: dict[tuple[str, int, str | None], ItemEdge] = {}
    for relation, target, name, value in rows:
        if value or (relation, target) not in measured:
            links.setdefault((relation, target, value), ItemEdge(relation, name, value))
    return tuple(links.values())


def _lines_of(width: int | None, height: int | None) -> int:
    """How many lines `_picture` draws of a picture of that shape; 0 without one."""
    if not width or not height:
        return 0
    scale = min(1.0, _COLUMNS / width, 2 * _LINES / height)
    return max(1, (round(height * scale) + 1) // 2)


def _picture(content: bytes | None) -> tuple[tuple[HalfCell, ...], ...]:
    """A thumbnail in lines of half cells; () where there is none."""
    if content is None:
        return ()
    from localrec.images.thumbnails import terminal_cells  # Pillow: 50 ms

    cells = terminal_cells(content, _COLUMNS, _LINES)
    return tuple(
        tuple(("#" + bytes(upper).hex(), "#" + bytes(lower).hex()) for upper, lower in line)
        for line in cells
    )
