"""What the API reads of the store: items, histories, shelves."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from localrec.api.records import HistoryEntry, ItemRecord, RecordList
from localrec.graph.domain_files import load_domain
from localrec.graph.interactions import USER

if TYPE_CHECKING:
    from localrec.graph.store import Store
    from localrec.workspace.domain_context import DomainContext
    from localrec.workspace.workspace import OpenWorkspace


def search_items(
    opened: OpenWorkspace, text: str, domain: str | None, k: int
) -> RecordList[ItemRecord]:
    """Find the k items of a domain whose names fit a text best.

    Raises:
        UsageError: the domain has no items.
        WorkspaceError: there is no catalogue yet.
    """
    from localrec.graph.name_search import NameSearch
    from localrec.graph.node_columns import users_hidden_from
    from localrec.workspace.domain_choice import domain_of_question

    chosen = domain_of_question(opened, text, domain)
    hidden = users_hidden_from(opened.store, None)
    names = NameSearch(opened.store, load_domain(chosen), hidden)
    return _items(
        opened.store, names.find(opened.store, text.split()).foremost(k).node_ids.tolist()
    )


def read_item(opened: OpenWorkspace, item: str, domain: str | None) -> ItemRecord:
    """Read one item by key or name.

    Raises:
        UsageError: there is no such item, or several.
    """
    from localrec.workspace.domain_choice import find_item

    _, node, _ = find_item(opened, item, domain)
    [found] = _items(opened.store, [node])
    return found


def _items(store: Store, nodes: list[int]) -> RecordList[ItemRecord]:
    """Read items with their attributes, in the order of their node ids."""
    from localrec.graph.node_columns import edge_not_from, users_hidden_from

    hidden = users_hidden_from(store, None)
    rows = store.rows(
        "SELECT n.domain, n.key, n.name, n.properties, "
        "(SELECT list((a.kind, a.name) ORDER BY a.kind, a.name) FROM edge e "
        "JOIN node a ON a.node_id = e.target_id WHERE e.source_id = n.node_id "
        f"AND {edge_not_from(hidden)}) "
        "FROM (SELECT unnest(?) AS node_id, unnest(range(len(?))) AS place) wanted "
        "JOIN node n USING (node_id) ORDER BY wanted.place",
        [nodes, nodes],
    )
    found: RecordList[ItemRecord] = RecordList()
    for domain, key, name, properties, pairs in rows:
        attributes: dict[str, list[str]] = {}
        for pair in pairs or ():
            kind, attribute = pair.values() if isinstance(pair, dict) else pair
            attributes.setdefault(kind, []).append(attribute)
        found.append(
            ItemRecord(
                key=key,
                name=name,
                domain=domain,
                properties=json.loads(properties),
                attributes=attributes,
            )
        )
    return found


def read_history(store: Store, user: str, domain: str | None) -> RecordList[HistoryEntry]:
    """Read what a user did, the newest first, undated rows last."""
    from localrec.foundation.text import clean_name

    rows = store.rows(
        'SELECT i.domain, i.key, i.name, x.event, x.rating, x."at", x.source, x.note '
        "FROM interaction x JOIN node u ON u.node_id = x.user_id "
        "JOIN node i ON i.node_id = x.item_id "
        "WHERE u.kind = ? AND u.key = ? AND coalesce(i.domain = ?, true) "
        'ORDER BY x."at" DESC NULLS LAST, x.rowid DESC',
        [USER, clean_name(user), domain],
    )
    return RecordList(
        HistoryEntry(
            domain=of,
            item=key,
            name=name,
            event=event,
            stars=rating,
            at=at,
            source=source,
            note=note or "",
        )
        for of, key, name, event, rating, at, source, note in rows
    )


def read_shelf(context: DomainContext, user: str) -> list[str]:
    """List the names of what a user has at hand, in alphabetical order."""
    attributes = context.catalogue.attributes
    names = {attribute.key: attribute.name for attribute in attributes}
    return sorted(names[key] for key in context.shelf(user))
