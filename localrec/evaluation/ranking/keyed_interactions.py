"""Read the interactions of many users and items as arrays for an evaluation.

There is one row for each user and item: their first interaction, and the first rating. Items that
were only wanted or put off are no interactions. Users and items are numbered in the order of their
keys, so that the same data gives the same numbers in any workspace.
"""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.domains import Domain
from localrec.data.interactions import Interactions
from localrec.data.rows import Event
from localrec.foundation.errors import InputError
from localrec.graph.interactions import USER
from localrec.graph.store import Store

_MEETINGS = (
    *(Event.RATED, Event.LIKED, Event.DISLIKED, Event.ABANDONED, Event.SEEN, Event.PLAYED),
)

_MET = """
    CREATE OR REPLACE TEMP TABLE met AS
    SELECT x.user_id, x.item_id,
        arg_min(x.rating, (coalesce(x."at", '-infinity'::TIMESTAMP), x.rowid)) AS stars,
        nullif(min(coalesce(x."at", '-infinity'::TIMESTAMP)), '-infinity'::TIMESTAMP) AS "at",
        min(x.rowid) AS place
    FROM interaction x
    JOIN node i ON i.node_id = x.item_id AND i.domain = $domain AND i.kind = $item
    JOIN node u ON u.node_id = x.user_id AND u.kind = $user
    WHERE x.event IN (SELECT unnest($events)) AND ($source IS NULL OR x.source = $source)
    GROUP BY 1, 2
"""
_NUMBERED = """
    CREATE OR REPLACE TEMP TABLE {name} AS
    SELECT node_id, key, (row_number() OVER (ORDER BY key) - 1)::INTEGER AS number
    FROM node WHERE node_id IN (SELECT {column} FROM met)
"""
_ROWS = """
    SELECT p.number AS person, i.number AS item, m.stars, m."at"
    FROM met m JOIN met_person p ON p.node_id = m.user_id JOIN met_item i ON i.node_id = m.item_id
    ORDER BY p.number, m."at" NULLS FIRST, m.place
"""


class KeyedInteractions(msgspec.Struct, frozen=True, kw_only=True):
    """Interactions, with the users and items behind their numbers.

    Args:
        interactions: Ordered by person, time, and the order in which they were imported.
        user_keys: The key of each user, (users,).
        item_keys: The key of each item, (items,).
        fingerprint: Changes with any row or key; the same for the same data in any workspace.
    """

    interactions: Interactions
    user_keys: NDArray[np.object_]
    item_keys: NDArray[np.object_]
    fingerprint: str

    @property
    def item_nodes(self) -> NDArray[np.int64]:
        """The store's id of each item, (items,)."""
        return self.interactions.item_nodes


def read_interactions(store: Store, domain: Domain, source: str | None = None) -> KeyedInteractions:
    """Read all interactions of users with the items of a domain.

    Args:
        store: Open for reading.
        domain: Name of the domain that the items belong to.
        source: Only what came from this kind of import; None for everything, feedback too.

    Raises:
        InputError: nobody did anything.
    """
    store.execute(
        _MET,
        {
            "domain": domain.name,
            "item": domain.item,
            "user": USER,
            "events": [event.value for event in _MEETINGS],
            "source": source,
        },
    )
    store.execute(_NUMBERED.format(name="met_person", column="user_id"))
    store.execute(_NUMBERED.format(name="met_item", column="item_id"))
    rows = store.columns(_ROWS)
    users = store.columns("SELECT key FROM met_person ORDER BY number")
    items = store.columns("SELECT node_id, key FROM met_item ORDER BY number")
    for table in ("met", "met_person", "met_item"):
        store.execute(f"DROP TABLE temp.{table}")
    if not len(rows["person"]):
        origin = f" from {source}" if source else ""
        raise InputError(
            f"{store.path.parent} knows nothing{origin} of what people did with {domain.plural}.",
            "Put a data set in first, such as: localrec datasets pull ml-100k",
        )
    interactions = Interactions(
        user=np.asarray(rows["person"], dtype=np.int32),
        item=np.asarray(rows["item"], dtype=np.int32),
        stars=np.ma.filled(np.ma.asarray(rows["stars"], dtype=np.float32), np.nan),
        at=_moments(rows["at"]),
        users=len(users["key"]),
        items=len(items["key"]),
        item_nodes=np.asarray(items["node_id"], dtype=np.int64),
    )
    user_keys, item_keys = _texts(users["key"]), _texts(items["key"])
    return KeyedInteractions(
        interactions=interactions,
        user_keys=user_keys,
        item_keys=item_keys,
        fingerprint=_fingerprint(interactions, user_keys, item_keys),
    )


def _fingerprint(rows: Interactions, users: NDArray[np.object_], items: NDArray[np.object_]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for keys in (users, items):
        digest.update(msgspec.json.encode(keys.tolist()))
    for column in (rows.user, rows.item, rows.stars, rows.at):
        digest.update(np.ascontiguousarray(column).tobytes())
    return digest.hexdigest()


def _moments(column: Any) -> NDArray[np.datetime64]:
    """Parse times to the second; an unknown time is NaT."""
    moments = np.ma.filled(np.ma.asarray(column), np.datetime64("NaT"))
    return np.asarray(moments, dtype="datetime64[s]")


def _texts(keys: NDArray[Any]) -> NDArray[np.object_]:
    column: NDArray[np.object_] = np.empty(len(keys), dtype=object)
    column[:] = keys
    return column
