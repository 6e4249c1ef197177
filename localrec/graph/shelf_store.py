"""What people have at hand: per person a set of component nodes, in the order they were put there.

A shelf only points at nodes; what can be made of them is counted in `retrieval/shelf.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from localrec.data.domains import Domain
from localrec.graph.store import Store


def add_to_shelf(store: Store, user_id: int, node_ids: Sequence[int]) -> None:
    """Put components on a person's shelf, in a transaction of the caller; what is there stays.

    Args:
        store: An open, writable store.
        user_id: Node id of the person (`people.user_node`).
        node_ids: Attribute nodes of the person's domain.
    """
    store.execute(
        "INSERT INTO shelf SELECT $1, node_id, $3 FROM "
        "(SELECT node_id, min(place) AS place FROM "
        "(SELECT unnest($2) AS node_id, generate_subscripts($2, 1) AS place) GROUP BY 1) new "
        "ANTI JOIN (FROM shelf WHERE user_id = $1) old USING (node_id) ORDER BY place",
        [user_id, list(node_ids), datetime.now(UTC).replace(tzinfo=None)],
    )


def remove_from_shelf(store: Store, user_id: int, node_ids: Sequence[int]) -> None:
    """Take components off a person's shelf, in the caller's transaction; others are passed over."""
    store.execute(
        "DELETE FROM shelf WHERE user_id = ? AND node_id IN (SELECT unnest(?))",
        [user_id, list(node_ids)],
    )


def shelf_nodes(store: Store, user_id: int) -> list[int]:
    """The attribute nodes on a person's shelf, in the order they were put there."""
    rows = store.rows('SELECT node_id FROM shelf WHERE user_id = ? ORDER BY "at", rowid', [user_id])
    return [int(node_id) for (node_id,) in rows]


def shelf_entries(store: Store, user_id: int) -> list[tuple[int, str]]:
    """List the things on a user's shelf as node ids and names, in the order they were put there."""
    return store.rows(
        "SELECT s.node_id, n.name FROM shelf s JOIN node n USING (node_id) WHERE s.user_id = ? "
        'ORDER BY s."at", s.rowid',
        [user_id],
    )


def search_components(store: Store, domain: Domain, like: str, limit: int) -> tuple[str, ...]:
    """Names of components that contain `like`, whatever its case; those that begin with it first.

    Args:
        store: Open.
        domain: The domain of the components.
        like: The beginning of a name, or a part of one.
        limit: At most so many.
    """
    rows = store.rows(
        "SELECT name FROM node WHERE domain = $domain AND kind = $kind "
        "AND contains(lower(name), lower($like)) "
        "ORDER BY starts_with(lower(name), lower($like)) DESC, length(name), name LIMIT $limit",
        {
            "domain": domain.name,
            "kind": domain.kind_of("component"),
            "like": like,
            "limit": limit,
        },
    )
    return tuple(name for (name,) in rows)
