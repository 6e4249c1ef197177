"""Stage-W: what a click means for the person, the item and a few neighbours.

Everything is counted anew from likings, so that the same history always gives the same memory and
nothing drifts:

* the person: what their newest liked items have in common beyond what any items have, and the
  newest titles; what neighbours handed on before stays at the end;
* each item of the job: what the people who like it like in general;
* at most `fan_out` neighbours, the nearest people by the domain's rules: one sentence about what
  was just liked, behind their own words. When it is liked no longer, the sentence is withdrawn.

Where it departs from the paper: neighbours are people only, since an item's memory is about
everybody who likes it and is made when one of them clicks; and what is handed on are catalogue
words, never a sentence about the one who clicked.

`updater_of` and `model_updater_of` make what the worker calls. The model's variant
(`model_update.py`) puts its words into the same records.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec

from localrec.domains import Domain, load_domain
from localrec.errors import ModelError
from localrec.graph.store import Store
from localrec.memory.counting import count_items, count_people
from localrec.memory.histories import history_of
from localrec.memory.queue import Job
from localrec.memory.records import Memory, MemoryUpdate, memories_of
from localrec.memory.surroundings import KeptSurroundings, Near, OpenField, Surroundings, key_of
from localrec.memory.tastes import Links
from localrec.memory.wording import (
    COUNTS,
    TITLES,
    handed_on,
    listed,
    sentence_for_neighbours,
    with_sentence,
    without_items,
)
from localrec.memory.worker import LOCK, OpenStore, Reader, Update, Worker
from localrec.settings import MEMORY, RULES

if TYPE_CHECKING:
    from localrec.index.build import EmbeddedField
    from localrec.llm.base import ChatModel
    from localrec.settings import Settings

FAN_OUT = 4
_HOLD_S = 0.5  # opening the store for each read and write would take as long as counting does

Neighbours = Callable[[Surroundings, int, Sequence[int], int], Sequence[Near]]
"""Domain, person, their newest liked items, how many -> people with a like taste, nearest first."""


class Opened(Protocol):
    """What is needed of a workspace."""

    @property
    def folder(self) -> Path:
        """Where it lies."""
        ...

    @property
    def settings(self) -> Settings:
        """What its owner chose."""
        ...

    @property
    def embedder_name(self) -> str:
        """The name on its vectors."""
        ...


class Equipped(Opened, Protocol):
    """A workspace that opens models, too."""

    def open_model(self, role: str, name: str = "") -> ChatModel:
        """The model that plays a role; raises ModelError where its file is not here."""
        ...


def updater_of(workspace: Opened, domain: str) -> CountingUpdate:
    """The updater for the jobs of one domain that calls no model."""
    return CountingUpdate(surroundings_of(workspace, load_domain(domain)))


def model_updater_of(workspace: Opened, domain: str, model: ChatModel) -> Update:
    """The updater for the jobs of one domain that calls a model once for each."""
    from localrec.memory.model_update import ModelUpdate

    return ModelUpdate(updater_of(workspace, domain), model)


def updater_by_domain(workspace: Opened, model: ChatModel | None) -> Update:
    """The updaters of all domains as one, each made when a job of its domain comes."""
    updaters: dict[str, Update] = {}

    def update(job: Job, read: Reader) -> Sequence[MemoryUpdate]:
        if job.domain not in updaters:
            updaters[job.domain] = (
                updater_of(workspace, job.domain)
                if model is None
                else model_updater_of(workspace, job.domain, model)
            )
        return updaters[job.domain](job, read)

    return update


def open_memory_model(workspace: Equipped, wanted: bool | None = None) -> ChatModel | None:
    """The model that words memories, or None where they are counted.

    Args:
        workspace: Opens it.
        wanted: Whether a model is to do it; None asks one where the settings bind it to that.

    Raises:
        ModelError: its file is not here.
    """
    bound = workspace.settings.roles.get(MEMORY, RULES) != RULES
    return workspace.open_model(MEMORY) if wanted or (wanted is None and bound) else None


def worker_of(workspace: Opened, open_store: OpenStore, model: ChatModel | None) -> Worker:
    """The worker for all jobs of a workspace, whose own store stays closed meanwhile.

    Args:
        workspace: Whose jobs.
        open_store: Opens its store for the moments in which the worker reads and writes.
        model: Words memories; without one they are counted.
    """
    return Worker(
        open_store,
        updater_by_domain(workspace, model),
        workspace.folder / LOCK,
        cancel=getattr(model, "cancel", lambda: None),  # where there is a process to be told
        hold_s=hold_s_of(model),
    )


def hold_s_of(model: ChatModel | None) -> float:
    """How long the worker may hold the store for several jobs (`Worker.hold_s`)."""
    return _HOLD_S if model is None else 0.0


def surroundings_of(workspace: Opened, domain: Domain) -> KeptSurroundings:
    """The surroundings of a domain, people compared by the texts that describe items."""
    indexes = workspace.folder / "indexes"
    return KeptSurroundings(indexes, domain, _descriptions(workspace, domain, indexes))


def _descriptions(workspace: Opened, domain: Domain, indexes: Path) -> OpenField:
    def open_descriptions(store: Store) -> EmbeddedField | None:
        from localrec.index.build import open_field

        if "description" not in domain.texts:
            return None
        try:
            name = workspace.embedder_name
        except ModelError:  # without an embedder people are compared by what they share alone
            return None
        field = open_field(
            store, indexes, domain.name, "description", name, workspace.settings.index
        )
        return field if len(field) else None

    return open_descriptions


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """All that one job needs to know, read in one go.

    Args:
        job: What is worked.
        around: Everybody else.
        liked: Catalogue indexes of what the person likes now, the newest first.
        own: What they linked themselves.
        items: Catalogue indexes of the job's items, ascending.
        news: Those of them that are liked now, the newest first, at most `TITLES`.
        nearest: Who hears of the news.
        memories: Of the person, the items and those neighbours, by node id.
        outdated: Of people who heard from this person what is no longer liked.
    """

    job: Job
    around: Surroundings
    liked: list[int]
    own: Links
    items: tuple[int, ...]
    news: tuple[int, ...]
    nearest: tuple[Near, ...]
    memories: Mapping[int, Memory]
    outdated: tuple[Memory, ...]


class CountingUpdate:
    """The deterministic `Update` of one domain; calls no model.

    Args:
        surroundings: Of the domain.
        neighbours: Who is near; by default whom the domain's rules choose.
        fan_out: How many neighbours hear of what was just liked.
    """

    def __init__(
        self,
        surroundings: Callable[[Store], Surroundings],
        neighbours: Neighbours = Surroundings.nearest_people,
        fan_out: int = FAN_OUT,
    ) -> None:
        self._surroundings = surroundings
        self._neighbours = neighbours
        self._fan_out = fan_out

    def __call__(self, job: Job, read: Reader) -> list[MemoryUpdate]:
        """The memories of the person, the job's items and some neighbours."""
        with read() as store:
            scene = self.look(job, store)
        return [*counted(scene), *withdrawn(scene), *handed_on_titles(scene)]

    def look(self, job: Job, store: Store) -> Scene:
        """Read what a job needs."""
        around = self._surroundings(store)
        liked = history_of(store, around.catalogue, job.user_id)
        items = _items_of(around, job)
        now = set(liked)
        news = tuple(one for one in items if one in now)[:TITLES]
        nearest = self._nearest(around, job, liked) if news else ()
        wanted = [job.user_id, *around.node_ids(items), *(one.user_id for one in nearest)]
        gone = around.node_ids(one for one in items if one not in now)
        own = [(job.user_id, key_of(store, job.user_id))] if around.shelves else []
        return Scene(
            job=job,
            around=around,
            liked=liked,
            own=around.own_links(own),
            items=tuple(sorted(items)),
            news=news,
            nearest=nearest,
            memories=memories_of(store, wanted),
            outdated=_told_by(store, job.user_id) if gone else (),
        )

    def _nearest(self, around: Surroundings, job: Job, liked: Sequence[int]) -> tuple[Near, ...]:
        if not self._fan_out:
            return ()
        found = self._neighbours(around, job.user_id, liked, self._fan_out)
        return tuple(found[: self._fan_out])


def counted(scene: Scene, by: str = COUNTS) -> list[MemoryUpdate]:
    """The memories of the person and of the job's items."""
    fresh = {scene.job.user_id: scene.liked}
    return [
        *count_people(scene.around, fresh, scene.memories, scene.own, by),
        *count_items(scene.around, scene.items, scene.memories, fresh, by),
    ]


def handed_on_titles(scene: Scene, by: str = COUNTS) -> list[MemoryUpdate]:
    """One sentence for each neighbour about what the person has just come to like."""
    theme = listed(scene.around.titles(scene.news))
    return [handed_on_to(scene, near, theme, by) for near in scene.nearest]


def handed_on_to(scene: Scene, near: Near, theme: str, by: str) -> MemoryUpdate:
    """One neighbour's memory with a sentence about what people with their taste enjoy."""
    about = (scene.job.user_id, *scene.around.node_ids(scene.news))
    before = scene.memories.get(near.user_id)
    if before is not None and (mended := _without_outdated(scene, before)) is not None:
        before = msgspec.structs.replace(before, text=mended.text, facets=mended.facets)
    news = sentence_for_neighbours(theme, near.weight, about)
    return with_sentence(before, near.user_id, news, by)


def withdrawn(scene: Scene) -> list[MemoryUpdate]:
    """Memories of those who had heard from the person what that person no longer likes.

    Whoever also hears of the news is told so in an update behind this one, which then counts.
    """
    mended = (_without_outdated(scene, memory) for memory in scene.outdated)
    return [update for update in mended if update is not None]


def _without_outdated(scene: Scene, memory: Memory) -> MemoryUpdate | None:
    now = set(scene.liked)
    gone = scene.around.node_ids(one for one in scene.items if one not in now)
    if not gone:
        return None
    named = {one for facet in handed_on(memory) for one in facet.supporters[1:]} - set(gone)
    items = scene.around.indexes_of(sorted(named))
    names = zip(scene.around.node_ids(items), scene.around.titles(items), strict=True)
    return without_items(memory, scene.job.user_id, frozenset(gone), names)


def _items_of(around: Surroundings, job: Job) -> list[int]:
    """Catalogue indexes of a job's items, each once, that of the newest deed first."""
    deeds = (deed.item_id for deed in reversed(job.deeds))
    return around.indexes_of(dict.fromkeys(deeds))


def _told_by(store: Store, user_id: int) -> tuple[Memory, ...]:
    """What is remembered now of those to whom a job of this person handed something on."""
    rows = store.rows(
        "SELECT DISTINCT m.node_id FROM memory m JOIN job j "
        "ON j.job_id = TRY_CAST(m.provenance->>'$.job' AS BIGINT) "
        "WHERE m.source = 'propagated' AND j.user_id = ? ORDER BY 1",
        [user_id],
    )
    return tuple(memories_of(store, [node_id for (node_id,) in rows]).values())
