"""The catalogue page by page, straight from SQL: what somebody who browses it sees.

No snapshot is built and nothing is counted through: a page begins behind the last row of the one
before (keyset paging), so that the last page of 100,000 items costs what the first does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from localrec.domains import Domain, Role
from localrec.graph.node_columns import not_told_by
from localrec.graph.store import Store
from localrec.sources.bulk import literal

BY_NAME, AS_IMPORTED = "name", "imported"
_MAIN_ROLES: tuple[Role, ...] = ("creator", "component", "container", "category")
_MOST_COLUMNS = 3


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """Which items are listed, and in which order.

    Args:
        words: Each stands in an item's name or in that of one of its attributes, whatever its case
            and accents.
        having: Node id of an attribute that every item has; None for no such demand.
        order: `BY_NAME`, `AS_IMPORTED`, or a number of the domain, whose unknown values come last.
        descending: The other way round.
        without: People whose own links are left out.
    """

    words: tuple[str, ...] = ()
    having: int | None = None
    order: str = BY_NAME
    descending: bool = False
    without: frozenset[str] = frozenset()


class Place(msgspec.Struct, frozen=True):
    """Where a row stands in the order: by what it is sorted, then by its node id."""

    value: str | float
    node_id: int


class PageRow(msgspec.Struct, frozen=True, kw_only=True):
    """One item of a page; `attributes`: kind -> names, as the catalogue writes them."""

    key: str
    name: str
    place: Place
    attributes: dict[str, tuple[str, ...]]


def main_kinds(domain: Domain) -> tuple[str, ...]:
    """The attribute kinds that tell most about an item at a glance, three at most."""
    kinds = (domain.kind_of(role) for role in _MAIN_ROLES)
    return tuple(kind for kind in kinds if kind is not None)[:_MOST_COLUMNS]


def orders_of(domain: Domain) -> tuple[str, ...]:
    """What items of a domain can be sorted by."""
    return (BY_NAME, AS_IMPORTED, *domain.numbers)


def first_page(
    store: Store, domain: Domain, selection: Selection, limit: int
) -> tuple[tuple[PageRow, ...], int]:
    """The first page of a selection, and how many items it has: what a search needs, in one look.

    Args:
        store: Open.
        domain: Whose items.
        selection: Which of them.
        limit: Rows.
    """
    where, values = _where(store, domain, selection)
    way = "DESC" if selection.descending else "ASC"
    rows = store.rows(
        f"WITH found AS MATERIALIZED (SELECT n.node_id, n.key, n.name, {_key(domain, selection)} "
        f"AS place FROM node n WHERE {where}) SELECT *, (SELECT count(*) FROM found) FROM found "
        f"ORDER BY place {way}, node_id {way} LIMIT {limit:d}",
        values,
    )
    total = int(rows[0][4]) if rows else 0
    return _rows(store, domain, selection, [row[:4] for row in rows]), total


def page_of(
    store: Store,
    domain: Domain,
    selection: Selection,
    limit: int,
    *,
    behind: Place | None = None,
    before: Place | None = None,
    last: bool = False,
) -> tuple[PageRow, ...]:
    """At most `limit` items of a selection, in its order.

    Args:
        store: Open.
        domain: Whose items.
        selection: Which of them.
        limit: Rows.
        behind: The page begins behind this row; without it, at the beginning.
        before: The page ends before this row.
        last: The page ends with the last item.
    """
    backwards = last or before is not None
    falls = selection.descending != backwards
    where, values = _where(store, domain, selection)
    key, way = _key(domain, selection), "DESC" if falls else "ASC"
    edge = before if backwards else behind
    if edge is not None:
        where += f" AND ({key}, n.node_id) {'<' if falls else '>'} ($value, $node)"
        values |= {"value": edge.value, "node": edge.node_id}
    rows = store.rows(
        f"SELECT n.node_id, n.key, n.name, {key} FROM node n WHERE {where} "
        f"ORDER BY {key} {way}, n.node_id {way} LIMIT {limit:d}",
        values,
    )
    return _rows(store, domain, selection, rows[::-1] if backwards else rows)


def rows_of(
    store: Store, domain: Domain, node_ids: Sequence[int], without: Iterable[str] = ()
) -> tuple[PageRow, ...]:
    """Given items as rows, in the order of `node_ids`; those that are gone are left out."""
    found = store.rows(
        "SELECT node_id, key, name, 0.0 FROM node WHERE domain = ? AND kind = ? "
        "AND node_id IN (SELECT unnest(?))",
        [domain.name, domain.item, list(node_ids)],
    )
    by_id = {row[0]: row for row in found}
    selection = Selection(without=frozenset(without))
    return _rows(store, domain, selection, [by_id[one] for one in node_ids if one in by_id])


def _rows(
    store: Store, domain: Domain, selection: Selection, rows: Sequence[tuple[Any, ...]]
) -> tuple[PageRow, ...]:
    attributes = _attributes_of(store, domain, [row[0] for row in rows], selection.without)
    return tuple(
        PageRow(
            key=key, name=name, place=Place(value, node_id), attributes=attributes.get(node_id, {})
        )
        for node_id, key, name, value in rows
    )


def _attributes_of(
    store: Store, domain: Domain, node_ids: list[int], without: frozenset[str]
) -> dict[int, dict[str, tuple[str, ...]]]:
    """Node id -> kind -> names; of the kinds that a page shows."""
    found: dict[int, dict[str, tuple[str, ...]]] = {}
    for node_id, kind, name in store.rows(
        "SELECT e.source_id, t.kind, coalesce(e.properties->>'$.as_written', t.name) "
        "FROM edge e JOIN node t ON t.node_id = e.target_id "
        "WHERE e.source_id IN (SELECT unnest($nodes)) AND e.kind IN (SELECT unnest($relations)) "
        f"AND {not_told_by(without)} ORDER BY e.rowid",
        {
            "nodes": node_ids,
            "relations": [domain.attributes[kind].edge for kind in main_kinds(domain)],
        },
    ):
        names = found.setdefault(node_id, {}).setdefault(kind, ())
        if name not in names:
            found[node_id][kind] = (*names, name)
    return found


def _key(domain: Domain, selection: Selection) -> str:
    """What is sorted by, in SQL."""
    if selection.order == AS_IMPORTED:
        return "n.node_id"
    if selection.order in domain.numbers:
        path = literal(f"$.{selection.order}")
        unknown = "-infinity" if selection.descending else "infinity"
        return f"coalesce(TRY_CAST(n.properties->>{path} AS DOUBLE), '{unknown}'::DOUBLE)"
    return "lower(n.name)"


def _where(store: Store, domain: Domain, selection: Selection) -> tuple[str, dict[str, Any]]:
    """The condition on the item `n`, and the values of its placeholders."""
    told = not_told_by(selection.without)
    conditions = ["n.domain = $domain AND n.kind = $item"]
    values: dict[str, Any] = {"domain": domain.name, "item": domain.item}
    if selection.having is not None:
        values["having"] = selection.having
        conditions.append(
            f"n.node_id IN (SELECT source_id FROM edge e WHERE target_id = $having AND {told})"
        )
    for place, word in enumerate(selection.words):
        values[f"word{place}"] = word
        # Attributes are few: found beforehand, they cost half of what they do within the query.
        values[f"named{place}"] = _attributes_named(store, domain, word)
        conditions.append(
            f"(contains({_folded('n.name')}, {_folded(f'$word{place}')}) OR n.node_id IN ("
            f"SELECT source_id FROM edge e WHERE target_id IN (SELECT unnest($named{place})) "
            f"AND {told}))"
        )
    return " AND ".join(conditions), values


def _attributes_named(store: Store, domain: Domain, word: str) -> list[int]:
    """Node ids of the attributes whose names contain a word."""
    rows = store.rows(
        "SELECT node_id FROM node WHERE domain = ? AND kind IN (SELECT unnest(?)) "
        f"AND contains({_folded('name')}, {_folded('?')})",
        [domain.name, list(domain.attributes), word],
    )
    return [node_id for (node_id,) in rows]


def _folded(text: str) -> str:
    return f"strip_accents(lower({text}))"
