"""Stage-W: update the memories of a user, of the items and of a few neighbours after an event.

All memories are counted anew from likes, so the same history always gives the same memory and
nothing drifts:

* the user: which attributes their newest liked items share more than items in general, and the
  newest titles; sentences that neighbours propagated stay at the end;
* each item of the job: the general preferences of the users who like it;
* at most `fan_out` neighbours, the nearest users by the domain's rules: one sentence about the item
  that was just liked, after their own words. The sentence is removed when the like is undone.

Where it departs from the paper: only users are neighbours, since an item's memory describes all
users who like it and is written when one of them acts; and the propagated sentences contain
catalogue words alone, never a sentence about the user who acted.

`updaters.py` makes the worker's updaters. The variant with a model (`model_update.py`) puts its
words into the same records.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from localrec.graph.store import Store
from localrec.memory.job_queue import Job
from localrec.memory.recent_likes import recent_likes_of
from localrec.memory.records import Memory, MemoryUpdate, memories_of
from localrec.memory.salient_attributes import UserLinks
from localrec.memory.sentences import (
    MAX_TITLES,
    TEMPLATE_AUTHOR,
    join_names,
    propagated,
    propagation_facet,
    with_propagated,
    without_propagated_items,
)
from localrec.memory.template_memories import item_memories, user_memories
from localrec.memory.update_context import (
    NearUser,
    UpdateContext,
    user_key_of,
)
from localrec.memory.worker import Reader

if TYPE_CHECKING:
    pass

FAN_OUT = 4

NeighbourFinder = Callable[[UpdateContext, int, Sequence[int], int], Sequence[NearUser]]
"""Domain, person, their newest liked items, how many -> people with a like taste, nearest first."""


class JobContext(msgspec.Struct, frozen=True, kw_only=True):
    """All data of one job, read at once.

    Args:
        job: The job.
        update_context: The memories and links of all other users.
        liked: Catalogue indexes of what the user likes now, the newest first.
        own: Links that the user set themselves.
        items: Catalogue indexes of the job's items, ascending.
        news: Those of them that are liked now, the newest first, at most `TITLES`.
        nearest: The neighbours who hear of the news.
        memories: Memories of the user, the items and those neighbours, by node id.
        outdated: Memories of users who heard from this user of items that are no longer liked.
    """

    job: Job
    update_context: UpdateContext
    liked: list[int]
    own: UserLinks
    items: tuple[int, ...]
    news: tuple[int, ...]
    nearest: tuple[NearUser, ...]
    memories: Mapping[int, Memory]
    outdated: tuple[Memory, ...]


class TemplateUpdate:
    """The deterministic `Update` of one domain, without a model.

    Args:
        open_update_context: Opens the update context of the domain.
        neighbours: Finds the neighbours; by default by the domain's rules.
        fan_out: The number of neighbours that hear of a new like.
    """

    def __init__(
        self,
        open_update_context: Callable[[Store], UpdateContext],
        neighbours: NeighbourFinder = UpdateContext.nearest_users,
        fan_out: int = FAN_OUT,
    ) -> None:
        self._open_update_context = open_update_context
        self._neighbours = neighbours
        self._fan_out = fan_out

    def __call__(self, job: Job, read: Reader) -> list[MemoryUpdate]:
        """Compute the memories of the user, the job's items and some neighbours."""
        with read() as store:
            scene = self.look(job, store)
        return [*template_updates(scene), *withdrawn_updates(scene), *propagated_titles(scene)]

    def look(self, job: Job, store: Store) -> JobContext:
        """Read the data of a job."""
        update_context = self._open_update_context(store)
        liked = recent_likes_of(store, update_context.catalogue, job.user_id)
        items = _items_of(update_context, job)
        now = set(liked)
        news = tuple(one for one in items if one in now)[:MAX_TITLES]
        nearest = self._nearest(update_context, job, liked) if news else ()
        wanted = [job.user_id, *update_context.node_ids(items), *(one.user_id for one in nearest)]
        gone = update_context.node_ids(one for one in items if one not in now)
        own = [(job.user_id, user_key_of(store, job.user_id))] if update_context.shelves else []
        return JobContext(
            job=job,
            update_context=update_context,
            liked=liked,
            own=update_context.own_links(own),
            items=tuple(sorted(items)),
            news=news,
            nearest=nearest,
            memories=memories_of(store, wanted),
            outdated=_told_by(store, job.user_id) if gone else (),
        )

    def _nearest(
        self, update_context: UpdateContext, job: Job, liked: Sequence[int]
    ) -> tuple[NearUser, ...]:
        if not self._fan_out:
            return ()
        found = self._neighbours(update_context, job.user_id, liked, self._fan_out)
        return tuple(found[: self._fan_out])


def template_updates(scene: JobContext, by: str = TEMPLATE_AUTHOR) -> list[MemoryUpdate]:
    """Compute the memories of the user and of the job's items."""
    fresh = {scene.job.user_id: scene.liked}
    return [
        *user_memories(scene.update_context, fresh, scene.memories, scene.own, by),
        *item_memories(scene.update_context, scene.items, scene.memories, fresh, by),
    ]


def propagated_titles(scene: JobContext, by: str = TEMPLATE_AUTHOR) -> list[MemoryUpdate]:
    """Write one sentence for each neighbour about the items that the user has just liked."""
    theme = join_names(scene.update_context.titles(scene.news))
    return [propagated_to(scene, near, theme, by) for near in scene.nearest]


def propagated_to(scene: JobContext, neighbour: NearUser, theme: str, by: str) -> MemoryUpdate:
    """Add a sentence about similar users' likes to one neighbour's memory."""
    about = (scene.job.user_id, *scene.update_context.node_ids(scene.news))
    before = scene.memories.get(neighbour.user_id)
    if before is not None and (mended := _without_outdated(scene, before)) is not None:
        before = msgspec.structs.replace(before, text=mended.text, facets=mended.facets)
    news = propagation_facet(theme, neighbour.weight, about)
    return with_propagated(before, neighbour.user_id, news, by)


def withdrawn_updates(scene: JobContext) -> list[MemoryUpdate]:
    """Remove sentences about items that the user no longer likes from the neighbours' memories.

    Whoever also hears of the news is told so in an update behind this one, which then counts.
    """
    mended = (_without_outdated(scene, memory) for memory in scene.outdated)
    return [update for update in mended if update is not None]


def _without_outdated(scene: JobContext, memory: Memory) -> MemoryUpdate | None:
    now = set(scene.liked)
    gone = scene.update_context.node_ids(one for one in scene.items if one not in now)
    if not gone:
        return None
    named = {one for facet in propagated(memory) for one in facet.supporters[1:]} - set(gone)
    items = scene.update_context.indexes_of(sorted(named))
    names = zip(
        scene.update_context.node_ids(items), scene.update_context.titles(items), strict=True
    )
    return without_propagated_items(memory, scene.job.user_id, frozenset(gone), names)


def _items_of(update_context: UpdateContext, job: Job) -> list[int]:
    """Return the catalogue indexes of a job's items, each once, newest event first."""
    newest_first = (event.item_id for event in reversed(job.events))
    return update_context.indexes_of(dict.fromkeys(newest_first))


def _told_by(store: Store, user_id: int) -> tuple[Memory, ...]:
    """Read the memories of the neighbours that a job of this user wrote to."""
    rows = store.rows(
        "SELECT DISTINCT m.node_id FROM memory m JOIN job j "
        "ON j.job_id = TRY_CAST(m.provenance->>'$.job' AS BIGINT) "
        "WHERE m.source = 'propagated' AND j.user_id = ? ORDER BY 1",
        [user_id],
    )
    return tuple(memories_of(store, [node_id for (node_id,) in rows]).values())
