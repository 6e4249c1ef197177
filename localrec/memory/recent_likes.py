"""Read the newest liked items of a few users from the store."""

from __future__ import annotations

import numpy as np

from localrec.graph.catalogue import Catalogue
from localrec.graph.store import Store
from localrec.index.interaction_cache import LIKED_FROM
from localrec.memory.update_context import MAX_HISTORY_ITEMS

# The newest verdict of a user on an item counts; without one, having seen or heard it does.
_LIKES = """
    SELECT user_id, item_id,
        CASE WHEN rating IS NOT NULL THEN (rating >= $liked_from)::INTEGER
            WHEN event = 'liked' THEN 1 WHEN event IN ('disliked', 'abandoned') THEN 0
            WHEN event IN ('seen', 'played') THEN 2 ELSE 3 END AS said
    FROM interaction WHERE {whose} ORDER BY user_id, "at" NULLS FIRST, rowid
"""
_DISLIKED, _LIKED, _MET = range(3)

RecentLikes = dict[int, list[int]]
"""Node id of a person -> catalogue indexes of their newest liked items, the newest first."""


def recent_likes_of(store: Store, catalogue: Catalogue, user_id: int) -> list[int]:
    """Return the newest liked items of one user, newest first."""
    found = _read(store, catalogue, "user_id = $low", low=user_id)
    return found.get(user_id, [])


def recent_likes_between(store: Store, catalogue: Catalogue, low: int, high: int) -> RecentLikes:
    """Return the likes of users with node ids from `low` to `high`, without users who have none.

    Stores are written user after user, so a stretch of ids lies together.
    """
    return _read(store, catalogue, "user_id BETWEEN $low AND $high", low=low, high=high)


def _read(store: Store, catalogue: Catalogue, whose: str, **id_range: int) -> RecentLikes:
    columns = store.columns(_LIKES.format(whose=whose), {"liked_from": LIKED_FROM, **id_range})
    users = np.asarray(columns["user_id"], dtype=np.int64)
    nodes = np.asarray(columns["item_id"], dtype=np.int64)
    ours = np.isin(nodes, catalogue.node_ids)
    items, users = catalogue.indexes_of(nodes[ours]), users[ours]
    verdicts = np.asarray(columns["said"], dtype=np.int64)[ours]
    distinct, first = np.unique(users, return_index=True)
    ends = np.append(first, len(users))[1:]
    return {
        user: _newest_liked(items[begin:end].tolist(), verdicts[begin:end].tolist())
        for user, begin, end in zip(distinct.tolist(), first.tolist(), ends.tolist(), strict=True)
    }


def _newest_liked(items: list[int], verdicts: list[int]) -> list[int]:
    """Return the items that a user's events, oldest first, leave liked, newest first."""
    newest: dict[int, int] = {}
    for item, now in zip(items, verdicts, strict=True):
        before = newest.pop(item, None)  # to stand where the newest event about it stands
        newest[item] = now if before is None or now < _MET else min(before, now)
    liked = [item for item, verdict in newest.items() if verdict in (_LIKED, _MET)]
    return liked[: -MAX_HISTORY_ITEMS - 1 : -1]
