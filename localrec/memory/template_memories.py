"""Write memories of any number of users or items from counts.

Nothing here reads the store or knows jobs: propagation and a rebuild write the same memories.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from localrec.data.arrays import Indexes
from localrec.memory.recent_likes import RecentLikes
from localrec.memory.records import MAX_FACETS, Facet, Memory, MemoryUpdate
from localrec.memory.salient_attributes import SalientAttribute, UserLinks, count_salient_attributes
from localrec.memory.sentences import (
    MAX_TITLES,
    RECENT_PREFIX,
    TEMPLATE_AUTHOR,
    as_sentences,
    facet_sentences,
    item_sentence,
    join_names,
    propagated,
    user_sentence,
)
from localrec.memory.update_context import MAX_HISTORY_ITEMS, UpdateContext

_NOTHING: Indexes = np.zeros(0, dtype=np.int32)

MemoryById = Mapping[int, Memory]


def user_memories(
    update_context: UpdateContext,
    histories: RecentLikes,
    memories: MemoryById,
    own: UserLinks | None = None,
    by: str = TEMPLATE_AUTHOR,
) -> list[MemoryUpdate]:
    """Write the memories of users: the shared attributes of their newest items, the newest titles,
    and sentences that neighbours propagated before.

    Args:
        update_context: The domain.
        histories: Likes of the users; a user without likes has an empty history.
        memories: Their memories now; a user without likes and without a memory gets none.
        own: Links that they set themselves, `UpdateContext.own_links`.
        by: The author, for the provenance.
    """
    subjects = np.repeat(
        np.fromiter(histories, dtype=np.int64, count=len(histories)),
        [len(items) for items in histories.values()],
    )
    items = np.array([one for items in histories.values() for one in items], dtype=np.int32)
    salient_attributes = count_salient_attributes(
        subjects, items, update_context.item_features, update_context.is_staple, own
    )
    return [
        _of_user(
            update_context,
            user_id,
            salient_attributes.get(user_id, []),
            liked,
            memories.get(user_id),
            by,
        )
        for user_id, liked in histories.items()
        if liked or user_id in memories
    ]


def _of_user(
    update_context: UpdateContext,
    user_id: int,
    salient_attributes: Sequence[SalientAttribute],
    liked: Sequence[int],
    before: Memory | None,
    by: str,
) -> MemoryUpdate:
    titles = update_context.titles(liked[:MAX_TITLES])
    own = salient_facets(update_context, salient_attributes)
    if titles:
        own.append(
            Facet(
                f"{RECENT_PREFIX}{join_names(titles)}",
                1.0,
                update_context.node_ids(liked[:MAX_TITLES]),
            )
        )
    kept = propagated(before)
    sentence = user_sentence(attribute_names(update_context, salient_attributes), titles)
    return MemoryUpdate(
        node_id=user_id,
        text=f"{as_sentences([sentence])} {facet_sentences(kept)}".strip(),
        facets=(*own[: MAX_FACETS - len(kept)], *kept),
        by=by,
    )


def item_memories(
    update_context: UpdateContext,
    items: Iterable[int],
    memories: MemoryById,
    fresh: RecentLikes | None = None,
    by: str = TEMPLATE_AUTHOR,
) -> list[MemoryUpdate]:
    """Write the memories of items: the general preferences of the users who like them.

    Args:
        update_context: The domain.
        items: Catalogue indexes.
        memories: Their memories now; an item without one, whose users share nothing, gets none.
        fresh: Histories of people that may be newer than the surroundings.
        by: The author, for the provenance.
    """
    chosen = sorted(set(items))
    asked = _Audiences(update_context, fresh or {})
    users = {item: asked.who_like(item) for item in chosen}
    else_liked = [asked.what_else(users[item], item) for item in chosen]
    salient_attributes = count_salient_attributes(
        np.repeat(np.array(chosen, dtype=np.int64), [len(items) for items in else_liked]),
        np.concatenate([_NOTHING, *else_liked]),
        update_context.item_features,
        update_context.is_staple,
    )
    made = []
    for item, node_id in zip(chosen, update_context.node_ids(chosen), strict=True):
        shared = salient_attributes.get(item, [])
        if shared or node_id in memories:
            made.append(
                MemoryUpdate(
                    node_id=node_id,
                    text=as_sentences([item_sentence(attribute_names(update_context, shared))]),
                    facets=tuple(salient_facets(update_context, shared)),
                    by=by,
                    made_from=tuple(users[item]),
                )
            )
    return made


def salient_facets(
    update_context: UpdateContext, salient_attributes: Sequence[SalientAttribute]
) -> list[Facet]:
    """Turn salient attributes into facets, supported by the items that have them."""
    names = attribute_names(update_context, salient_attributes)
    return [
        Facet(f"likes {name}", one.share, update_context.node_ids(one.items))
        for name, one in zip(names, salient_attributes, strict=True)
    ]


def attribute_names(
    update_context: UpdateContext, salient_attributes: Iterable[SalientAttribute]
) -> list[str]:
    """Name the attributes of preferences."""
    return [update_context.catalogue.attributes[one.attribute].name for one in salient_attributes]


class _Audiences:
    """The users who like items, and what else they like; each user is read once."""

    def __init__(self, update_context: UpdateContext, fresh: RecentLikes) -> None:
        self._update_context, self._fresh = update_context, fresh
        self._newest: dict[int, Indexes] = {}

    def who_like(self, item: int) -> list[int]:
        """Return the node ids of users who like an item."""
        users = self._update_context.graph.matrix.user_nodes
        others = [int(users[one]) for one in self._update_context.audience_of(item)]
        now = [user_id for user_id, liked in self._fresh.items() if item in liked]
        return [*now, *(one for one in others if one not in self._fresh)]

    def what_else(self, users: Iterable[int], item: int) -> Indexes:
        """Return the newest items of all users but one, concatenated."""
        items = np.concatenate([_NOTHING, *(self._items_of(user_id) for user_id in users)])
        return items[items != item]

    def _items_of(self, user_id: int) -> Indexes:
        if user_id not in self._newest:
            graph = self._update_context.graph
            self._newest[user_id] = (
                np.array(self._fresh[user_id], dtype=np.int32)
                if user_id in self._fresh
                else graph.matrix.newest_items(graph.matrix.user_index(user_id), MAX_HISTORY_ITEMS)
            )
        return self._newest[user_id]
