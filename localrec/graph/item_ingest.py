"""Items into the graph: one transaction, set-based, idempotent.

Importing the same rows twice changes nothing; importing a changed row replaces that item's
properties and attribute edges. Attribute nodes and their families are shared by all items. What
one person says of an item (a shelf of their own) is an edge that bears their key, so that it can
go with them; so is kept which import delivered a node (`brought`). A person's export adds to an
item that a catalogue brought, and contradicts it in nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import chain

import msgspec
import numpy as np

from localrec.data.domains import Domain
from localrec.data.rows import AttributeLink, ImportReport, ItemRow
from localrec.graph.attribute_extraction import extract_attributes
from localrec.graph.joined_items import (
    add_joined,
    find_joined,
    find_staged,
    merged_properties,
    properties_beside_written,
    tell_joined,
)
from localrec.graph.namesakes import match_recipes
from localrec.graph.store import Columns, Store
from localrec.graph.stored_counts import require_items
from localrec.graph.taxonomy import FLAVOURED_WITH, IS_A, Placement, taxonomy_of

Staged = dict[str, Columns]  # name of a table that SQL sees -> its columns

_encode = msgspec.json.Encoder().encode
_OWN_LINKS = "(SELECT * FROM staged_link WHERE item_key NOT IN (SELECT key FROM joined))"
_BROUGHT_BY_OTHERS = (
    "SELECT b.node_id FROM brought b JOIN import_receipt r USING (import_id) "
    "WHERE r.user_key IS DISTINCT FROM $by"
)


def ingest_items(
    store: Store,
    domain: Domain,
    rows: Sequence[ItemRow],
    report: ImportReport,
    progress: Callable[[str], None] = lambda stage: None,
) -> ImportReport:
    """Write items, their attributes and the attributes' families, all or nothing.

    Args:
        store: An open, writable store.
        domain: The domain of the rows.
        rows: Items with unique keys.
        report: The receipt, stored in the same transaction.
        progress: Called with the name of each step.

    Returns:
        The receipt as it was stored: it says how many items another catalogue had brought.
    """
    progress("reading what the texts say")
    recipes = match_recipes(store, domain, rows, report)
    staged = stage_items(domain, recipes.rows)
    progress("writing the graph")
    with store.staged(**staged), store.transaction():
        joined = write_items(store, domain, report)
        require_items(store, domain)
        report = tell_joined(report, domain, joined, recipes)
        record_import(store, domain, report)
    return report


def add_knowledge(
    store: Store,
    domain: Domain,
    known: Sequence[ItemRow],
    others: Sequence[ItemRow],
    report: ImportReport,
) -> ImportReport:
    """Add to items what a dump of everything says of them, all or nothing.

    Args:
        store: An open, writable store.
        domain: The domain of the items.
        known: Facts about items that are here, under their keys; each is only added to. The receipt
            does not count as their import, so that they go with the import of the item.
        others: Items to keep beside them.
        report: The receipt.

    Returns:
        The receipt as it was stored.
    """
    with store.staged(**stage_items(domain, known)), store.transaction():
        find_staged(store, domain.name)
        _upsert_nodes(store, domain.name, "staged_attribute", replace=False)
        add_joined(store, domain)
        _replace_families(store, domain.name)
        store.execute("DROP TABLE temp.joined")
        if not others:
            store_receipt(store, report)
    return ingest_items(store, domain, others, report) if others else report


def stage_items(domain: Domain, rows: Sequence[ItemRow], by: str | None = None) -> Staged:
    """Columns of items, links, attributes and families, for `Store.staged`.

    Args:
        domain: The domain of the rows.
        rows: Items with unique keys.
        by: The person whose own links (`AttributeLink.personal`) are among them.
    """
    placements = _Placements(domain)
    nodes, links = _stage_items(domain, rows, placements, by)
    attributes, families = placements.stage()
    return {
        "staged_item": nodes,
        "staged_link": links,
        "staged_attribute": attributes,
        "staged_family": families,
    }


def write_items(store: Store, domain: Domain, report: ImportReport, by: str | None = None) -> int:
    """Write the staged items, inside the caller's transaction.

    Args:
        store: An open, writable store.
        domain: The domain of the items.
        report: The receipt of the import, which says what is imported.
        by: The person whose export it is; None for a catalogue.

    Returns:
        How many items another catalogue had brought: they are added to, not replaced.
    """
    joined = 0 if by is not None else find_joined(store, domain.name, report)
    _upsert_nodes(store, domain.name, "staged_attribute", replace=False)
    _upsert_nodes(store, domain.name, "staged_item", replace=by is None)
    if by is not None:
        _add_properties(store, domain.name)
    _replace_links(store, domain, by)
    if joined:
        add_joined(store, domain)
    _replace_families(store, domain.name)
    if by is None:
        store.execute("DROP TABLE temp.joined")
    return joined


def record_import(
    store: Store, domain: Domain, report: ImportReport, by: str | None = None
) -> None:
    """Keep the receipt, and that this import delivered the staged items and their attributes.

    A node that a catalogue or the same person brought before needs no second mention.
    """
    import_id = store_receipt(store, report, by)
    store.execute(
        "INSERT INTO brought SELECT n.node_id, $import FROM node n JOIN ("
        "SELECT kind, key FROM staged_item UNION "
        "SELECT attribute_kind, attribute_key FROM staged_link) s "
        "ON n.domain = $domain AND n.kind = s.kind AND n.key = s.key "
        "WHERE n.node_id NOT IN (SELECT b.node_id FROM brought b JOIN import_receipt r "
        "USING (import_id) WHERE r.user_key IS NULL OR r.user_key = $by)",
        {"import": import_id, "domain": domain.name, "by": by},
    )


def store_receipt(store: Store, report: ImportReport, by: str | None = None) -> int:
    """Keep a receipt, inside the caller's transaction; the number of its import."""
    (import_id,) = store.rows("SELECT nextval('import_ids')")[0]
    store.execute(
        "INSERT INTO import_receipt VALUES (?, ?, ?, ?)",
        [import_id, by, datetime.now(UTC).replace(tzinfo=None), _encode(report).decode()],
    )
    return int(import_id)


def _upsert_nodes(store: Store, domain: str, staged: str, *, replace: bool) -> None:
    if replace:
        store.execute(
            f"UPDATE node SET name = told.name, properties = told.properties FROM ("
            f"SELECT n.node_id, s.name, {properties_beside_written()} AS properties "
            f"FROM {staged} s JOIN node n ON n.domain = ? AND n.kind = s.kind AND n.key = s.key "
            "WHERE n.node_id NOT IN (SELECT node_id FROM joined)) told "
            "WHERE node.node_id = told.node_id AND (node.name <> told.name "
            "OR node.properties::VARCHAR <> told.properties::VARCHAR)",
            [domain],
        )
    store.execute(
        "INSERT INTO node SELECT nextval('node_ids'), * FROM ("
        f"SELECT ?, s.kind, s.key, s.name, s.properties FROM {staged} s "
        "ANTI JOIN node n ON n.domain = ? AND n.kind = s.kind AND n.key = s.key "
        "ORDER BY s.position)",
        [domain, domain],
    )


def _add_properties(store: Store, domain: str) -> None:
    """One person's export adds to what is known of an item; what it leaves out stays.

    Where the two differ a catalogue is right, else the newest export.
    """
    store.execute(
        "UPDATE node SET properties = told.properties FROM (SELECT n.node_id, "
        "CASE WHEN n.node_id IN (SELECT b.node_id FROM brought b JOIN import_receipt r "
        "USING (import_id) WHERE r.user_key IS NULL) "
        f"THEN {merged_properties(newest_wins=False)} "
        f"ELSE {merged_properties(newest_wins=True)} END AS properties "
        "FROM node n JOIN staged_item s ON n.kind = s.kind AND n.key = s.key "
        "WHERE n.domain = $domain AND s.properties <> '{}') told "
        "WHERE node.node_id = told.node_id "
        "AND told.properties::VARCHAR <> node.properties::VARCHAR",
        {"domain": domain},
    )


def _replace_links(store: Store, domain: Domain, by: str | None) -> None:
    """Put the staged links in place of the items' old ones; other people's own links stay.

    A person's export takes away their own links, and those shared links that came with nothing
    but their exports and of which this one tells the kind.
    """
    replaced = (
        "properties->>'$.by' IS NULL AND source_id NOT IN (SELECT node_id FROM joined)"
        if by is None
        else "(properties->>'$.by' = $by OR (properties->>'$.by' IS NULL "
        f"AND source_id NOT IN ({_BROUGHT_BY_OTHERS}) AND (source_id, kind) IN ("
        "SELECT (n.node_id, l.edge) FROM staged_link l JOIN node n ON n.domain = $domain "
        "AND n.kind = $item AND n.key = l.item_key WHERE l.properties->>'$.by' IS NULL)))"
    )
    values = {
        "kinds": [spec.edge for spec in domain.attributes.values()],
        "domain": domain.name,
        "item": domain.item,
    }
    store.execute(
        "DELETE FROM edge WHERE kind IN (SELECT unnest($kinds)) AND source_id IN ("
        "SELECT n.node_id FROM node n JOIN staged_item s ON n.key = s.key "
        f"WHERE n.domain = $domain AND n.kind = $item) AND {replaced}",
        values if by is None else {**values, "by": by},
    )
    store.execute(
        "INSERT INTO edge SELECT i.node_id, a.node_id, l.edge, 1.0, l.properties, NULL "
        f"FROM {'staged_link' if by is not None else _OWN_LINKS} l "
        "JOIN node i ON i.domain = $1 AND i.kind = $2 AND i.key = l.item_key "
        "JOIN node a ON a.domain = $1 AND a.kind = l.attribute_kind AND a.key = l.attribute_key "
        "ANTI JOIN edge e ON e.source_id = i.node_id AND e.target_id = a.node_id "
        "AND e.kind = l.edge AND coalesce(e.properties->>'$.by', '') IN "
        "('', coalesce(l.properties->>'$.by', '')) ORDER BY l.position",
        [domain.name, domain.item],
    )


def _replace_families(store: Store, domain: str) -> None:
    store.execute(
        "DELETE FROM edge WHERE kind IN (?, ?) AND source_id IN ("
        "SELECT n.node_id FROM node n JOIN staged_attribute s ON n.kind = s.kind "
        "AND n.key = s.key WHERE n.domain = ?)",
        [IS_A, FLAVOURED_WITH, domain],
    )
    store.execute(
        "INSERT INTO edge SELECT c.node_id, p.node_id, f.edge, 1.0, NULL, NULL "
        "FROM staged_family f "
        "JOIN node c ON c.domain = $1 AND c.kind = f.kind AND c.key = f.child "
        "JOIN node p ON p.domain = $1 AND p.kind = f.kind AND p.key = f.parent",
        [domain],
    )


class _Placements:
    """Every attribute name met so far, placed once; starts with the declared concepts."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._placed: dict[tuple[str, str], Placement] = {}
        self._nodes: dict[tuple[str, str], Placement] = {}
        for kind in domain.attributes:
            for placement in taxonomy_of(domain, kind).all_concepts():
                self._nodes[kind, placement.key] = placement

    def key_of(self, kind: str, written: str) -> str:
        placement = self._placed.get((kind, written))
        if placement is None:
            placement = taxonomy_of(self._domain, kind).place(written)
            self._placed[kind, written] = placement
            self._nodes.setdefault((kind, placement.key), placement)
        return placement.key

    def stage(self) -> tuple[Columns, Columns]:
        families = [
            (kind, placement.key, parent, relation)
            for (kind, _), placement in self._nodes.items()
            for relation, parents in (
                (IS_A, placement.is_a),
                (FLAVOURED_WITH, placement.flavoured_with),
            )
            for parent in parents
        ]
        nodes = [(kind, key, place.name, "{}") for (kind, key), place in self._nodes.items()]
        return (
            _columns(("kind", "key", "name", "properties"), nodes),
            _columns(("kind", "child", "parent", "edge"), families),
        )


def _stage_items(
    domain: Domain, rows: Sequence[ItemRow], placements: _Placements, by: str | None
) -> tuple[Columns, Columns]:
    told: list[str] = []
    staged: dict[int, tuple[tuple[str, ...], ...]] = {}
    links: list[tuple[tuple[str, ...], ...]] = []
    for row in rows:
        properties = row.properties
        if by is not None:  # a null would take away in a merge what another export knew
            properties = {name: value for name, value in properties.items() if value is not None}
        told.append(_encode(properties).decode())
        extracted = extract_attributes(domain, row)
        # Thousands of films share one tuple of links: it is known by its place in memory.
        place = id(row.links)
        columns = None if extracted else staged.get(place)
        if columns is None:
            columns = _link_columns(domain, (*row.links, *extracted), placements, by)
            if not extracted:
                staged[place] = columns
        links.append(columns)
    keys = [row.key for row in rows]
    counts = np.array([len(columns[0]) for columns in links], dtype=np.int64)
    edge, kind, key, details = (
        list(chain.from_iterable(columns[number] for columns in links)) for number in range(4)
    )
    return (
        _side_by_side(
            kind=[domain.item] * len(rows),
            key=keys,
            name=[row.name for row in rows],
            properties=told,
        ),
        _side_by_side(
            item_key=np.repeat(texts_column(keys), counts),
            edge=edge,
            attribute_kind=kind,
            attribute_key=key,
            properties=details,
        ),
    )


def _link_columns(
    domain: Domain, links: Sequence[AttributeLink], placements: _Placements, by: str | None
) -> tuple[tuple[str, ...], ...]:
    """The links of an item as columns: edge, attribute kind, attribute key, properties."""
    first: dict[tuple[str, str], tuple[str, ...]] = {}
    for link in links:
        kind, key = link.kind, placements.key_of(link.kind, link.name)
        # The first link to a node stands: an ingredient listed twice is one edge.
        if (kind, key) not in first:
            details = _details(link.name, link.value, by if link.personal else None)
            first[kind, key] = (domain.attributes[kind].edge, kind, key, details)
    return tuple(zip(*first.values(), strict=True)) if first else ((),) * 4


@lru_cache(maxsize=1 << 12)  # genres and decades are written alike in thousands of rows
def _details(as_written: str, value: str | None, by: str | None) -> str:
    """The properties of a link as JSON."""
    more = {name: text for name, text in (("value", value), ("by", by)) if text}
    return _encode({"as_written": as_written, **more}).decode()


def _columns(names: Sequence[str], rows: Sequence[tuple[str, ...]]) -> Columns:
    """Rows as columns of texts, with their positions."""
    columns = zip(*rows, strict=True) if rows else ((),) * len(names)
    return _side_by_side(**dict(zip(names, columns, strict=True)))


def _side_by_side(**texts: Sequence[str] | np.ndarray) -> Columns:
    """Columns of texts, all of one length, with the positions of their rows."""
    count = len(next(iter(texts.values())))
    columns: Columns = {"position": np.arange(count, dtype=np.int64)}
    return columns | {name: texts_column(values) for name, values in texts.items()}


def texts_column(values: Sequence[str] | np.ndarray) -> np.ndarray:
    """Texts as a column; an empty one still has the type of texts."""
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column if len(values) else np.empty(0, dtype="<U1")
