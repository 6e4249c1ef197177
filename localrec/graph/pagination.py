"""The catalogue page by page, straight from SQL: what somebody who browses it sees.

A page begins behind the last row of the one before (keyset paging), so that the last page of
100,000 items costs what the first does. What has been typed is found beforehand (`name_search`);
here it is put in order and turned page by page like everything else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import msgspec

from localrec.data.domains import AttributeRole, Domain
from localrec.foundation.sql import sql_literal
from localrec.graph.name_search import NameMatches
from localrec.graph.node_columns import edge_not_from
from localrec.graph.store import Store

BY_NAME, AS_IMPORTED = "name", "imported"
_MAIN_ROLES: tuple[AttributeRole, ...] = ("creator", "component", "container", "category")
_MOST_COLUMNS = 3


class ItemSelection(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """A filter and an order for the items of a domain.

    Args:
        found: Only these, the best fit first; the order holds among those that fit alike. None for
            all items.
        having: Node id of an attribute that every item has; None for no such demand.
        order: `BY_NAME`, `AS_IMPORTED`, or a number of the domain, whose unknown values come last.
        descending: The other way round; the best fit stays first.
        without: Keys of users whose own links are left out.
    """

    found: NameMatches | None = None
    having: int | None = None
    order: str = BY_NAME
    descending: bool = False
    without: frozenset[str] = frozenset()


class PageCursor(msgspec.Struct, frozen=True):
    """The position of a row: by its fit, then by its sort value, then by its node id."""

    value: str | float
    node_id: int
    fit: int = 0


class PageRow(msgspec.Struct, frozen=True, kw_only=True):
    """One item of a page; `attributes`: kind -> names, as the catalogue writes them."""

    key: str
    name: str
    place: PageCursor
    attributes: dict[str, tuple[str, ...]]


def main_kinds(domain: Domain) -> tuple[str, ...]:
    """The attribute kinds that tell most about an item at a glance, three at most."""
    kinds = (domain.kind_of(role) for role in _MAIN_ROLES)
    return tuple(kind for kind in kinds if kind is not None)[:_MOST_COLUMNS]


def sort_orders(domain: Domain) -> tuple[str, ...]:
    """List the orders that items of a domain can be sorted by."""
    return (BY_NAME, AS_IMPORTED, *domain.numbers)


def first_page(
    store: Store, domain: Domain, selection: ItemSelection, limit: int
) -> tuple[tuple[PageRow, ...], int]:
    """The first page of a selection, and how many items it has.

    Args:
        store: Open.
        domain: The domain of the items.
        selection: The items and their order.
        limit: Rows.
    """
    total = _count(store, domain, selection)
    if selection.found is not None and selection.having is None and selection.order == BY_NAME:
        # Found in the order of names: the store need not sort 100,000 to see who is first.
        foremost = selection.found.foremost(limit, descending=selection.descending)
        selection = msgspec.structs.replace(selection, found=foremost)
    return next_page(store, domain, selection, limit), total


def next_page(
    store: Store,
    domain: Domain,
    selection: ItemSelection,
    limit: int,
    *,
    behind: PageCursor | None = None,
    before: PageCursor | None = None,
    last: bool = False,
) -> tuple[PageRow, ...]:
    """At most `limit` items of a selection, in its order.

    Args:
        store: Open.
        domain: The domain of the items.
        selection: The items and their order.
        limit: Rows.
        behind: The page begins behind this row; without it, at the beginning.
        before: The page ends before this row.
        last: The page ends with the last item.
    """
    backwards = last or before is not None
    falls = selection.descending != backwards
    where, values = _where(domain, selection)
    place = _place(domain, selection)
    edge = before if backwards else behind
    if edge is not None:
        there = ", ".join(f"${field}" for field in place)
        where += f" AND ({', '.join(place.values())}) {'<' if falls else '>'} ({there})"
        values |= {field: getattr(edge, field) for field in place}
    way = "DESC" if falls else "ASC"
    order = ", ".join(f"{one} {way}" for one in place.values())
    with _staged(store, selection):
        rows = store.rows(
            f"SELECT n.node_id, n.key, n.name, {place['value']}, {place.get('fit', '0')} "
            f"FROM {_source(selection)} WHERE {where} ORDER BY {order} LIMIT {limit:d}",
            values,
        )
    return _rows(store, domain, selection, rows[::-1] if backwards else rows)


def page_rows(
    store: Store, domain: Domain, node_ids: Sequence[int], without: Iterable[str] = ()
) -> tuple[PageRow, ...]:
    """Given items as rows, in the order of `node_ids`; those that are gone are left out."""
    found = store.rows(
        "SELECT node_id, key, name, 0.0, 0 FROM node WHERE domain = ? AND kind = ? "
        "AND node_id IN (SELECT unnest(?))",
        [domain.name, domain.item, list(node_ids)],
    )
    by_id = {row[0]: row for row in found}
    selection = ItemSelection(without=frozenset(without))
    return _rows(store, domain, selection, [by_id[one] for one in node_ids if one in by_id])


def _rows(
    store: Store, domain: Domain, selection: ItemSelection, rows: Sequence[tuple[Any, ...]]
) -> tuple[PageRow, ...]:
    attributes = _attributes_of(store, domain, [row[0] for row in rows], selection.without)
    return tuple(
        PageRow(
            key=key,
            name=name,
            place=PageCursor(value, node_id, fit),
            attributes=attributes.get(node_id, {}),
        )
        for node_id, key, name, value, fit in rows
    )


def _attributes_of(
    store: Store, domain: Domain, node_ids: list[int], without: frozenset[str]
) -> dict[int, dict[str, tuple[str, ...]]]:
    """Node id -> kind -> names; of the kinds that a page shows."""
    found: dict[int, dict[str, tuple[str, ...]]] = {}
    told: set[tuple[int, int]] = set()
    for node_id, target_id, kind, name in store.rows(
        "SELECT e.source_id, t.node_id, t.kind, coalesce(e.properties->>'$.as_written', t.name) "
        "FROM edge e JOIN node t ON t.node_id = e.target_id "
        "WHERE e.source_id IN (SELECT unnest($nodes)) AND e.kind IN (SELECT unnest($relations)) "
        f"AND {edge_not_from(without)} ORDER BY e.rowid",
        {
            "nodes": node_ids,
            "relations": [domain.attributes[kind].edge for kind in main_kinds(domain)],
        },
    ):
        names = found.setdefault(node_id, {}).setdefault(kind, ())
        if (node_id, target_id) not in told:  # a second amount of it is no second thing
            told.add((node_id, target_id))
            found[node_id][kind] = (*names, name)
    return found


def _count(store: Store, domain: Domain, selection: ItemSelection) -> int:
    """Count the items of a selection."""
    if selection.found is not None and selection.having is None:
        return len(selection.found)
    where, values = _where(domain, selection)
    with _staged(store, selection):
        [(count,)] = store.rows(f"SELECT count(*) FROM {_source(selection)} WHERE {where}", values)
    return int(count)


def _place(domain: Domain, selection: ItemSelection) -> dict[str, str]:
    """Return the sort keys, the most important first: field of a `PageCursor` -> its SQL."""
    place = {"value": _value(domain, selection), "node_id": "n.node_id"}
    if selection.found is None:
        return place
    # The best fit is the first, whichever way the rest goes.
    return {"fit": "-f.fit" if selection.descending else "f.fit", **place}


def _value(domain: Domain, selection: ItemSelection) -> str:
    if selection.order == AS_IMPORTED:
        return "n.node_id"
    if selection.order in domain.numbers:
        path = sql_literal(f"$.{selection.order}")
        unknown = "-infinity" if selection.descending else "infinity"
        return f"coalesce(TRY_CAST(n.properties->>{path} AS DOUBLE), '{unknown}'::DOUBLE)"
    return "lower(n.name)"


def _staged(store: Store, selection: ItemSelection) -> AbstractContextManager[None]:
    """Stage the found items as the table that `_source` joins."""
    if (found := selection.found) is None:
        return nullcontext()
    return store.staged(staged_found={"node_id": found.node_ids, "fit": found.fits})


def _source(selection: ItemSelection) -> str:
    """Return the tables that give the item `n` and its fit, as SQL."""
    return "node n" if selection.found is None else "staged_found f JOIN node n USING (node_id)"


def _where(domain: Domain, selection: ItemSelection) -> tuple[str, dict[str, Any]]:
    """The condition on the item `n`, and the values of its placeholders."""
    condition = "n.domain = $domain AND n.kind = $item"
    values: dict[str, Any] = {"domain": domain.name, "item": domain.item}
    if selection.having is not None:
        values["having"] = selection.having
        condition += (
            " AND n.node_id IN (SELECT source_id FROM edge e WHERE target_id = $having "
            f"AND {edge_not_from(selection.without)})"
        )
    return condition, values
