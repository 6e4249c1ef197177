"""Memories counted from what people like, for any number of people or items at once.

Nothing here reads the store or knows of jobs: propagation and a rebuild make the same memories.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from localrec.graph.catalogue import Indexes
from localrec.memory.histories import Histories
from localrec.memory.records import MAX_FACETS, Facet, Memory, MemoryUpdate
from localrec.memory.surroundings import HISTORY, Surroundings
from localrec.memory.tastes import Links, Taste, count_tastes
from localrec.memory.wording import (
    COUNTS,
    LATELY,
    TITLES,
    handed_on,
    listed,
    own_sentence,
    sentences_of,
    shared_sentence,
    told,
)

_NOTHING: Indexes = np.zeros(0, dtype=np.int32)

Memories = Mapping[int, Memory]


def count_people(
    around: Surroundings,
    histories: Histories,
    memories: Memories,
    own: Links | None = None,
    by: str = COUNTS,
) -> list[MemoryUpdate]:
    """The memories of people: what their newest items share, the newest titles, and what
    neighbours handed on before.

    Args:
        around: The domain.
        histories: Of whom; one who likes nothing now has an empty one.
        memories: What is remembered of them; who likes nothing and has none gets none.
        own: What they linked themselves, `Surroundings.own_links`.
        by: Who writes, for the provenance.
    """
    subjects = np.repeat(
        np.fromiter(histories, dtype=np.int64, count=len(histories)),
        [len(items) for items in histories.values()],
    )
    items = np.array([one for items in histories.values() for one in items], dtype=np.int32)
    tastes = count_tastes(subjects, items, around.traits, around.barred, own)
    return [
        _of_person(around, user_id, tastes.get(user_id, []), liked, memories.get(user_id), by)
        for user_id, liked in histories.items()
        if liked or user_id in memories
    ]


def _of_person(
    around: Surroundings,
    user_id: int,
    tastes: Sequence[Taste],
    liked: Sequence[int],
    before: Memory | None,
    by: str,
) -> MemoryUpdate:
    titles = around.titles(liked[:TITLES])
    own = taste_facets(around, tastes)
    if titles:
        own.append(Facet(f"{LATELY}{listed(titles)}", 1.0, around.node_ids(liked[:TITLES])))
    kept = handed_on(before)
    sentence = own_sentence(names_of(around, tastes), titles)
    return MemoryUpdate(
        node_id=user_id,
        text=f"{told([sentence])} {sentences_of(kept)}".strip(),
        facets=(*own[: MAX_FACETS - len(kept)], *kept),
        by=by,
    )


def count_items(
    around: Surroundings,
    items: Iterable[int],
    memories: Memories,
    fresh: Histories | None = None,
    by: str = COUNTS,
) -> list[MemoryUpdate]:
    """The memories of items: what the people who like them like in general.

    Args:
        around: The domain.
        items: Catalogue indexes.
        memories: What is remembered of them; an item without one, and whose people have nothing in
            common, gets none.
        fresh: Histories of people that may be newer than the surroundings.
        by: Who writes, for the provenance.
    """
    chosen = sorted(set(items))
    asked = _Audiences(around, fresh or {})
    people = {item: asked.who_like(item) for item in chosen}
    else_liked = [asked.what_else(people[item], item) for item in chosen]
    tastes = count_tastes(
        np.repeat(np.array(chosen, dtype=np.int64), [len(items) for items in else_liked]),
        np.concatenate([_NOTHING, *else_liked]),
        around.traits,
        around.barred,
    )
    made = []
    for item, node_id in zip(chosen, around.node_ids(chosen), strict=True):
        shared = tastes.get(item, [])
        if shared or node_id in memories:
            made.append(
                MemoryUpdate(
                    node_id=node_id,
                    text=told([shared_sentence(names_of(around, shared))]),
                    facets=tuple(taste_facets(around, shared)),
                    by=by,
                    made_from=tuple(people[item]),
                )
            )
    return made


def taste_facets(around: Surroundings, tastes: Sequence[Taste]) -> list[Facet]:
    """Tastes as facets, supported by the items that have them."""
    names = names_of(around, tastes)
    return [
        Facet(f"likes {name}", one.share, around.node_ids(one.items))
        for name, one in zip(names, tastes, strict=True)
    ]


def names_of(around: Surroundings, tastes: Iterable[Taste]) -> list[str]:
    """The names of the attributes that tastes are for."""
    return [around.catalogue.attributes[one.attribute].name for one in tastes]


class _Audiences:
    """Who likes items, and what else they like; each person is looked up once."""

    def __init__(self, around: Surroundings, fresh: Histories) -> None:
        self._around, self._fresh = around, fresh
        self._newest: dict[int, Indexes] = {}

    def who_like(self, item: int) -> list[int]:
        """Node ids of people who like an item."""
        users = self._around.graph.users
        others = [int(users[one]) for one in self._around.audience_of(item)]
        now = [user_id for user_id, liked in self._fresh.items() if item in liked]
        return [*now, *(one for one in others if one not in self._fresh)]

    def what_else(self, people: Iterable[int], item: int) -> Indexes:
        """The newest items of people but for one, one list behind the other."""
        items = np.concatenate([_NOTHING, *(self._items_of(user_id) for user_id in people)])
        return items[items != item]

    def _items_of(self, user_id: int) -> Indexes:
        if user_id not in self._newest:
            graph = self._around.graph
            self._newest[user_id] = (
                np.array(self._fresh[user_id], dtype=np.int32)
                if user_id in self._fresh
                else graph.lately_liked(graph.person_of(user_id), HISTORY)
            )
        return self._newest[user_id]
