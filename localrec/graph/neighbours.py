"""One step from a node of the graph: who walks it by hand goes from step to step."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from localrec.data.domains import Domain
from localrec.foundation.errors import UsageError
from localrec.graph.node_columns import edge_not_from
from localrec.graph.store import Store
from localrec.graph.taxonomy import FLAVOURED_WITH, IS_A


class GraphNode(msgspec.Struct, frozen=True, kw_only=True):
    """A node that one can stand on: an item or an attribute."""

    node_id: int
    kind: str
    key: str
    name: str


class NeighbourEdge(msgspec.Struct, frozen=True, kw_only=True):
    """An edge that leads on, along its direction or `against` it, with its value."""

    relation: str
    node: GraphNode
    against: bool = False
    value: str | None = None


def find_node(store: Store, domain: Domain, kind: str, key: str) -> GraphNode:
    """A node by kind and key.

    Raises:
        UsageError: there is none.
    """
    rows = store.rows(
        "SELECT node_id, kind, key, name FROM node WHERE domain = ? AND kind = ? AND key = ?",
        [domain.name, kind, key],
    )
    if not rows:
        raise UsageError(f"There is no {kind} {key!r} any more.", "Somebody took it out: go back.")
    return _node(rows[0])


def neighbour_edges(
    store: Store, domain: Domain, node: GraphNode, without: Iterable[str] = ()
) -> tuple[NeighbourEdge, ...]:
    """The edges of an item to its attributes; of an attribute those up and down its families.

    The items that have an attribute may be all there are: `pages.page_of` lists them.

    Args:
        store: An open store.
        domain: Domain of the node.
        node: The node whose edges are wanted.
        without: Keys of users whose own links are left out.
    """
    if node.kind == domain.item:
        relations = [spec.edge for spec in domain.attributes.values()]
        return _edges(store, node, relations, without)
    families = [IS_A, FLAVOURED_WITH]
    up = _edges(store, node, families, without)
    return (*up, *_edges(store, node, families, without, against=True))


def _edges(
    store: Store,
    node: GraphNode,
    relations: list[str],
    without: Iterable[str],
    *,
    against: bool = False,
) -> tuple[NeighbourEdge, ...]:
    here, there = ("target_id", "source_id") if against else ("source_id", "target_id")
    rows = store.rows(
        "SELECT t.node_id, t.kind, t.key, t.name, e.kind, "
        f"e.properties->>'$.value' FROM edge e JOIN node t ON t.node_id = e.{there} "
        f"WHERE e.{here} = ? AND e.kind IN (SELECT unnest(?)) AND {edge_not_from(without)} "
        "ORDER BY e.rowid",
        [node.node_id, relations],
    )
    found: dict[tuple[str, int], NeighbourEdge] = {}
    for row in rows:
        way = row[4], row[0]
        if way not in found or found[way].value is None:  # told again, perhaps with its amount
            found[way] = NeighbourEdge(
                relation=row[4], node=_node(row), against=against, value=row[5]
            )
    return tuple(found.values())


def _node(row: tuple[int, str, str, str, *tuple[str | None, ...]]) -> GraphNode:
    return GraphNode(node_id=row[0], kind=row[1], key=row[2], name=row[3])
