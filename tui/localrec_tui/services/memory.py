"""Serves the Memory room: a user's memory, its sources and rules, and the queue of jobs.

Records here are made of what a screen shows; nothing of NumPy or DuckDB is loaded with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, ExitStack
from datetime import datetime
from itertools import count
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Protocol, TypeVar

import msgspec

from localrec.foundation.progress import Progress
from localrec_tui.services.records import RequestHandle

if TYPE_CHECKING:
    from localrec.graph.store import Store
    from localrec.memory.curation import CuratedNeighbours
    from localrec.memory.job_queue import JobRow, State
    from localrec.memory.records import Memory
    from localrec.memory.update_context import UpdateContext, UpdateContextCache
    from localrec.memory.worker import Worker, WorkReport
    from localrec.privacy.forget import ForgetReceipt
    from localrec_tui.services.store_access import ReadWriteLock


class FacetSummary(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a memory says, how sure that is (0 to 1), and the names that support it."""

    text: str
    confidence: float
    supporters: tuple[str, ...] = ()


class MemoryVersion(msgspec.Struct, frozen=True, kw_only=True):
    """One version of a memory.

    Args:
        number: From 1.
        text: Its words.
        facets: The statements of the memory, one by one.
        source: How it came about, in words.
        by: The writer: "counts", a model's name, or "" for the user.
        pinned: Only the user changes it.
        at: When, UTC without a zone.
        users: Names of the other users whose data is in it.
        unnamed: How many more of them have no name that anybody here knows.
        items: Names of the items that it speaks of.
    """

    number: int
    text: str
    facets: tuple[FacetSummary, ...]
    source: str
    by: str
    pinned: bool
    at: datetime
    users: tuple[str, ...] = ()
    unnamed: int = 0
    items: tuple[str, ...] = ()


class UserMemory(msgspec.Struct, frozen=True, kw_only=True):
    """The memory of a user in one domain.

    Args:
        user: Their key.
        domain: The domain; "" where the user has no interactions.
        domains: All that they did something in, the most first.
        versions: The newest first; none where nothing is remembered.
    """

    user: str
    domain: str
    domains: tuple[str, ...]
    versions: tuple[MemoryVersion, ...]


class NeighbourScore(msgspec.Struct, frozen=True, kw_only=True):
    """A user or an item near a user's taste, as the rules chose it.

    Args:
        name: The item's or the user's name; an unknown user has a number.
        is_user: Whether it is a user.
        score: The score that the rules compute from the figures below.
        edge_weight: A figure of `memory/user_item_graph.py`, as all below.
        shared: The number of items that both like, or of found users who like the item.
        overlap: Overlap of attributes, 0 to 1.
        similarity: Similarity of texts, 0 to 1.
        days: Days since the newest interaction.
    """

    name: str
    is_user: bool
    score: float
    edge_weight: float
    shared: int
    overlap: float
    similarity: float
    days: float


class RulesText(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of a domain as a text; version 0 is the shipped set."""

    domain: str
    version: int
    source: str
    text: str


class QueueSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """The queue.

    Args:
        mark: The state of the workspace that it was read from.
        counts: State -> how many.
        paused: Whether the jobs are on hold.
        rows: The newest jobs, those to be done first.
    """

    mark: object
    counts: dict[State, int]
    paused: bool
    rows: tuple[JobRow, ...]


_ROWS = 200  # of the queue
_STRANGER = "somebody with similar taste"
_Made = TypeVar("_Made")


class ReadStore(Protocol):
    """Runs a quick query beside other readers."""

    def __call__(self, query: Callable[[Store], _Made]) -> _Made:
        """Return the result of the query."""
        ...


class MemoryService:
    """Reads and changes what the Memory room shows; making one opens nothing.

    Args:
        folder: The workspace.
        lock: Separates readers and writers of this process.
        read: Reads from the store.
        writing: Keeps the store for one writer of this process.
    """

    def __init__(
        self,
        folder: Path,
        lock: ReadWriteLock,
        read: ReadStore,
        writing: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._folder, self._lock, self._read, self._writing = folder, lock, read, writing
        self._update_contexts: dict[str, UpdateContextCache] = {}
        self._worker: Worker | None = None
        self._reading = Lock()  # one thread at a time prepares the decoders of msgspec

    def user_memory(self, user: str, domain: str | None) -> UserMemory:
        """Return the memory of a user."""
        from localrec_tui.services.store_queries import user_domains

        def read(store: Store) -> UserMemory:
            domains = user_domains(store, user)
            chosen = domain or next(iter(domains), "")
            versions = _versions(store, chosen, user) if chosen in domains else ()
            return UserMemory(user=user, domain=chosen, domains=domains, versions=versions)

        with self._reading:
            return self._read(read)

    def neighbours(self, user: str, domain: str) -> tuple[NeighbourScore, ...]:
        """Return the users and items near a user's taste."""
        return self._read(lambda store: _neighbours_of(store, self._update_context(domain), user))

    def rules(self, domain: str) -> RulesText:
        """Return the rules of a domain."""
        from localrec.memory.rule_text import format_rules
        from localrec.memory.rule_versions import rules_of

        found = self._read(lambda store: rules_of(store, domain))
        return RulesText(
            domain=domain, version=found.version, source=found.source, text=format_rules(found)
        )

    def edit(self, user: str, domain: str, text: str) -> None:
        """Replace a memory by the user's own words."""
        from localrec.memory.records import edit_memory

        self._write(lambda store: edit_memory(store, _node_of(store, domain, user), text))

    def pin(self, user: str, domain: str, pinned: bool) -> None:
        """Keep a memory as it is, or let it change again."""
        from localrec.memory.records import pin_memory

        self._write(lambda store: pin_memory(store, _node_of(store, domain, user), pinned))

    def preview_forget(self, user: str, since: str, domain: str | None) -> ForgetReceipt:
        """Preview the effect of forgetting a user."""
        from localrec.privacy.erasure_plan import parse_forget_scope
        from localrec.privacy.forget import forget

        wish = parse_forget_scope(user=user, since=since or None, domain=domain)
        with self._lock.reading():
            return forget(self._folder, wish, dry_run=True, progress=lambda *_: None)

    def forget(
        self, user: str, since: str, domain: str | None, progress: Progress
    ) -> ForgetReceipt:
        """Forget a user for good."""
        from localrec.privacy.erasure_plan import parse_forget_scope
        from localrec.privacy.forget import forget

        wish = parse_forget_scope(user=user, since=since or None, domain=domain)
        with self._writing():
            self._update_contexts.clear()  # what was read of them is gone too
            return forget(self._folder, wish, dry_run=False, progress=progress)

    def jobs(self, seen: object = None) -> QueueSnapshot | None:
        """The queue now; None where nothing changed."""
        from localrec.graph.leased_store import workspace_mark
        from localrec.memory import job_queue

        mark = workspace_mark(self._folder)
        if mark == seen:
            return None
        with self._reading:
            return self._read(
                lambda store: QueueSnapshot(
                    mark=mark,
                    counts=job_queue.counts_of(store),
                    paused=job_queue.is_paused(store),
                    rows=tuple(job_queue.jobs_of(store, _ROWS)),
                )
            )

    def set_paused(self, paused: bool) -> None:
        """Let jobs wait, or be worked again."""
        from localrec.memory.job_queue import pause, resume

        self._write(pause if paused else resume)

    def retry(self) -> int:
        """Let failed jobs wait again."""
        from localrec.memory.job_queue import retry_failed

        return self._write(retry_failed)

    def work(self, request: RequestHandle, progress: Progress) -> WorkReport:
        """Work off what waits, until it is done or the request is stopped."""
        from localrec.foundation.errors import InputError
        from localrec.memory.job_queue import is_paused
        from localrec.memory.updaters import memory_worker, open_memory_model
        from localrec.workspace import OpenWorkspace

        if self._read(is_paused):
            raise InputError("Jobs are paused.", "Let them go on first: key H.")
        # The workspace keeps its store closed: the worker opens it for moments.
        with OpenWorkspace(self._folder) as opened:
            model = open_memory_model(opened.settings, opened.models.open)
            worker = self._worker = memory_worker(opened.updater_parts, self._open, model)
            try:
                if request.stopped.is_set():
                    worker.stop()
                return worker.run_pending(progress=progress)
            finally:
                self._worker = None
                request.over.set()

    def stop(self, request: RequestHandle) -> None:
        """Stop the work that a request began."""
        request.stopped.set()
        if (worker := self._worker) is not None:
            worker.stop()

    def close(self) -> None:
        """Stop whatever is worked off; it waits for the next time."""
        if (worker := self._worker) is not None:
            worker.stop()

    def _update_context(self, domain: str) -> UpdateContextCache:
        from localrec.graph.domain_files import load_domain
        from localrec.memory.updaters import open_update_contexts
        from localrec.workspace import OpenWorkspace

        if domain not in self._update_contexts:
            self._update_contexts[domain] = open_update_contexts(
                OpenWorkspace(self._folder).updater_parts, load_domain(domain)
            )
        return self._update_contexts[domain]

    def _write(self, change: Callable[[Store], _Made]) -> _Made:
        from localrec.graph.journal import open_settled

        with self._writing(), open_settled(self._folder, read_only=False) as store:
            return change(store)

    def _open(self, *, read_only: bool) -> Store:
        """The store at its turn, which lasts until it is closed."""
        from localrec.graph.journal import open_settled
        from localrec.graph.leased_store import HeldStore

        with ExitStack() as turn:
            turn.enter_context(self._lock.reading() if read_only else self._writing())
            store = open_settled(self._folder, read_only=read_only)
            return HeldStore(self._folder, store, turn.pop_all())


def _node_of(store: Store, domain: str, user: str) -> int:
    from localrec.foundation.errors import InputError
    from localrec.graph.interactions import user_node

    found = user_node(store, domain, user)
    if found is None:
        raise InputError(f"Nobody called {user!r} is known here.", "Choose another person: F2.")
    return found


def _versions(store: Store, domain: str, user: str) -> tuple[MemoryVersion, ...]:
    from localrec.memory.records import history_of

    node = _node_of(store, domain, user)
    memories = history_of(store, node)
    named = {one for memory in memories for one in memory.provenance.made_from}
    named |= {one for memory in memories for facet in memory.facets for one in facet.supporters}
    names = _names(store, named)
    return tuple(_version(memory, names, node) for memory in memories)


def _names(store: Store, nodes: Iterable[int]) -> dict[int, tuple[str, bool]]:
    """Map node ids to a name ("" for an unknown user) and whether the node is a user.

    The people of a data set have numbers for keys. Known are those who have a name besides, those
    who said something here, and those whose exports are here.
    """
    from localrec.graph.interactions import FEEDBACK, USER
    from localrec.graph.node_columns import users_with_own_links

    rows = store.rows(
        "SELECT node_id, name, kind = $user, name <> key OR key IN (SELECT unnest($here)) OR "
        "node_id IN (SELECT user_id FROM interaction WHERE source = $said) "
        "FROM node WHERE node_id IN (SELECT unnest($nodes))",
        {
            "user": USER,
            "here": sorted(users_with_own_links(store)),
            "said": FEEDBACK,
            "nodes": sorted(nodes),
        },
    )
    return {
        node_id: (name if is_known or not is_user else "", is_user)
        for node_id, name, is_user, is_known in rows
    }


def _version(memory: Memory, names: dict[int, tuple[str, bool]], own: int) -> MemoryVersion:
    from localrec.memory.report import SOURCE_LABELS

    made_from = [names[one] for one in memory.provenance.made_from if one in names and one != own]
    users = [name for name, is_user in made_from if is_user]
    return MemoryVersion(
        number=memory.version,
        text=memory.text,
        facets=tuple(
            FacetSummary(
                text=facet.text,
                confidence=facet.confidence,
                supporters=tuple(
                    names[one][0] or _STRANGER for one in facet.supporters if one in names
                ),
            )
            for facet in memory.facets
        ),
        source=SOURCE_LABELS[memory.source],
        by=memory.provenance.by,
        pinned=memory.pinned,
        at=memory.at,
        users=tuple(filter(None, users)),
        unnamed=users.count(""),
        items=tuple(name for name, is_user in made_from if not is_user),
    )


def _neighbours_of(store: Store, kept: UpdateContextCache, user: str) -> tuple[NeighbourScore, ...]:
    import numpy as np

    from localrec.memory.curation import curate
    from localrec.memory.recent_likes import recent_likes_of

    around = kept(store)
    node = _node_of(store, around.catalogue.domain.name, user)
    liked = np.array(recent_likes_of(store, around.catalogue, node)[::-1], dtype=np.int32)
    if not len(liked):
        return ()
    found = around.graph.neighbours_of(
        liked, np.ones(len(liked), dtype=np.float32), around.graph.matrix.user_index(node)
    )
    return _neighbour_scores(store, around, curate(found, around.rules))


def _neighbour_scores(
    store: Store, around: UpdateContext, curated: CuratedNeighbours
) -> tuple[NeighbourScore, ...]:
    near = curated.neighbours
    users = {
        one: int(around.graph.matrix.user_nodes[one]) for one in near.index[near.is_user].tolist()
    }
    names, numbers = _names(store, users.values()), count(1)

    def name(place: int) -> str:
        index = int(near.index[place])
        if near.is_user[place]:
            known, _ = names.get(users[index], ("somebody who is gone", True))
            return known or f"{_STRANGER} ({next(numbers)})"
        return around.catalogue.names[index]

    return tuple(
        NeighbourScore(
            name=name(place),
            is_user=bool(near.is_user[place]),
            score=float(curated.scores[place]),
            edge_weight=float(near.edge_weight[place]),
            shared=int(near.co_interaction_count[place]),
            overlap=float(near.metadata_overlap_score[place]),
            similarity=float(near.memory_similarity_score[place]),
            days=float(near.recency_days[place]),
        )
        for place in range(len(curated))
    )
