"""The memories of a workspace folder, as the Memory room asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, ExitStack
from itertools import count
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Protocol, TypeVar

from localrec_tui.backend.base import Progress, Request
from localrec_tui.backend.remembering import (
    FacetTold,
    Jobs,
    Neighbour,
    Remembered,
    Rules,
    Version,
)

if TYPE_CHECKING:
    from localrec.graph.store import Store
    from localrec.memory.curation import Curated
    from localrec.memory.records import Memory
    from localrec.memory.surroundings import KeptSurroundings, Surroundings
    from localrec.memory.worker import Worker, WorkReport
    from localrec_tui.backend.gate import Gate

_ROWS = 200  # of the queue
_STRANGER = "somebody with similar taste"
_Made = TypeVar("_Made")


class Read(Protocol):
    """Asks the store something quick, beside whoever else reads it."""

    def __call__(self, query: Callable[[Store], _Made]) -> _Made:
        """What the query makes of the store."""
        ...


class LocalMemories:
    """`Remembering` over a workspace folder; making one opens nothing.

    Args:
        folder: The workspace.
        gate: Parts readers and writers of this process.
        read: Reads from the store.
        writing: Keeps the store for one writer of this process.
    """

    def __init__(
        self,
        folder: Path,
        gate: Gate,
        read: Read,
        writing: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._folder, self._gate, self._read, self._writing = folder, gate, read, writing
        self._around: dict[str, KeptSurroundings] = {}
        self._worker: Worker | None = None
        self._reading = Lock()  # see shapes.py

    def remembered(self, user: str, domain: str | None) -> Remembered:
        """What is remembered of a person."""
        from localrec_tui.backend.facts import domains_of

        def read(store: Store) -> Remembered:
            domains = domains_of(store, user)
            chosen = domain or next(iter(domains), "")
            versions = _versions(store, chosen, user) if chosen in domains else ()
            return Remembered(user=user, domain=chosen, domains=domains, versions=versions)

        with self._reading:
            return self._read(read)

    def neighbours(self, user: str, domain: str) -> tuple[Neighbour, ...]:
        """Who and what is near a person's taste."""
        return self._read(lambda store: _near(store, self._surroundings(domain), user))

    def rules(self, domain: str) -> Rules:
        """The rules that hold in a domain."""
        from localrec.memory.rule_text import format_rules
        from localrec.memory.rule_versions import rules_of

        found = self._read(lambda store: rules_of(store, domain))
        return Rules(
            domain=domain, version=found.version, source=found.source, text=format_rules(found)
        )

    def edit(self, user: str, domain: str, text: str) -> None:
        """Replace a memory by a person's own words."""
        from localrec.memory.records import edit_memory

        self._write(lambda store: edit_memory(store, _node_of(store, domain, user), text))

    def pin(self, user: str, domain: str, pinned: bool) -> None:
        """Keep a memory as it is, or let it change again."""
        from localrec.memory.records import pin_memory

        self._write(lambda store: pin_memory(store, _node_of(store, domain, user), pinned))

    def foresee(self, user: str, since: str, domain: str | None) -> tuple[str, ...]:
        """What would go if a person were forgotten."""
        from localrec.erasure.forgetting import forget
        from localrec.erasure.receipts import told_receipt
        from localrec.graph.forget import wish_of

        wish = wish_of(user=user, since=since or None, domain=domain)
        with self._gate.reading():
            receipt = forget(self._folder, wish, dry_run=True, progress=lambda *_: None)
        return tuple(told_receipt(receipt))

    def forget(
        self, user: str, since: str, domain: str | None, progress: Progress
    ) -> tuple[str, ...]:
        """Forget a person for good."""
        from localrec.erasure.forgetting import forget
        from localrec.erasure.receipts import told_receipt
        from localrec.graph.forget import wish_of

        wish = wish_of(user=user, since=since or None, domain=domain)
        with self._writing():
            self._around.clear()  # what was read of them is gone too
            receipt = forget(self._folder, wish, dry_run=False, progress=progress)
        return tuple(told_receipt(receipt))

    def jobs(self, seen: object = None) -> Jobs | None:
        """The queue now; None where nothing changed."""
        from localrec.memory import queue
        from localrec_tui.backend.lent import mark_of

        mark = mark_of(self._folder)
        if mark == seen:
            return None
        with self._reading:
            return self._read(
                lambda store: Jobs(
                    mark=mark,
                    counts=queue.counts_of(store),
                    paused=queue.is_paused(store),
                    rows=tuple(queue.jobs_of(store, _ROWS)),
                )
            )

    def set_paused(self, paused: bool) -> None:
        """Let jobs wait, or be worked again."""
        from localrec.memory.queue import pause, resume

        self._write(pause if paused else resume)

    def retry(self) -> int:
        """Let failed jobs wait again."""
        from localrec.memory.queue import retry_failed

        return self._write(retry_failed)

    def work(self, request: Request, progress: Progress) -> WorkReport:
        """Work off what waits, until it is done or the request is stopped."""
        from localrec.errors import InputError
        from localrec.memory.propagation import open_memory_model, worker_of
        from localrec.memory.queue import is_paused
        from localrec.workspace import Workspace

        if self._read(is_paused):
            raise InputError("Jobs are paused.", "Let them go on first: key H.")
        # The workspace keeps its store closed: the worker opens it for moments.
        with Workspace(self._folder) as opened:
            worker = self._worker = worker_of(opened, self._open, open_memory_model(opened))
            try:
                if request.stopped.is_set():
                    worker.stop()
                return worker.run_pending(progress=progress)
            finally:
                self._worker = None
                request.over.set()

    def stop(self, request: Request) -> None:
        """Stop the work that a request began."""
        request.stopped.set()
        if (worker := self._worker) is not None:
            worker.stop()

    def close(self) -> None:
        """Stop whatever is worked off; it waits for the next time."""
        if (worker := self._worker) is not None:
            worker.stop()

    def _surroundings(self, domain: str) -> KeptSurroundings:
        from localrec.domains import load_domain
        from localrec.memory.propagation import surroundings_of
        from localrec.workspace import Workspace

        if domain not in self._around:
            self._around[domain] = surroundings_of(Workspace(self._folder), load_domain(domain))
        return self._around[domain]

    def _write(self, deed: Callable[[Store], _Made]) -> _Made:
        from localrec.erasure.journal import open_settled

        with self._writing(), open_settled(self._folder, read_only=False) as store:
            return deed(store)

    def _open(self, *, read_only: bool) -> Store:
        """The store at its turn, which lasts until it is closed."""
        from localrec.erasure.journal import open_settled
        from localrec_tui.backend.lent import HeldStore

        with ExitStack() as turn:
            turn.enter_context(self._gate.reading() if read_only else self._writing())
            store = open_settled(self._folder, read_only=read_only)
            return HeldStore(self._folder, store, turn.pop_all())


def _node_of(store: Store, domain: str, user: str) -> int:
    from localrec.errors import InputError
    from localrec.graph.people import user_node

    found = user_node(store, domain, user)
    if found is None:
        raise InputError(f"Nobody called {user!r} is known here.", "Choose another person: F2.")
    return found


def _versions(store: Store, domain: str, user: str) -> tuple[Version, ...]:
    from localrec.memory.records import history_of

    node = _node_of(store, domain, user)
    memories = history_of(store, node)
    named = {one for memory in memories for one in memory.provenance.made_from}
    named |= {one for memory in memories for facet in memory.facets for one in facet.supporters}
    names = _names(store, named)
    return tuple(_version(memory, names, node) for memory in memories)


def _names(store: Store, nodes: Iterable[int]) -> dict[int, tuple[str, bool]]:
    """Node id -> what it is called, "" for a stranger; and whether it is a person.

    The people of a data set have numbers for keys. Known are those who have a name besides, those
    who said something here, and those whose exports are here.
    """
    from localrec.graph.node_columns import tellers
    from localrec.graph.people import FEEDBACK, USER

    rows = store.rows(
        "SELECT node_id, name, kind = $user, name <> key OR key IN (SELECT unnest($here)) OR "
        "node_id IN (SELECT user_id FROM interaction WHERE source = $said) "
        "FROM node WHERE node_id IN (SELECT unnest($nodes))",
        {
            "user": USER,
            "here": sorted(tellers(store)),
            "said": FEEDBACK,
            "nodes": sorted(nodes),
        },
    )
    return {
        node_id: (name if is_known or not is_person else "", is_person)
        for node_id, name, is_person, is_known in rows
    }


def _version(memory: Memory, names: dict[int, tuple[str, bool]], own: int) -> Version:
    from localrec.memory.telling import SOURCES

    made_from = [names[one] for one in memory.provenance.made_from if one in names and one != own]
    people = [name for name, is_person in made_from if is_person]
    return Version(
        number=memory.version,
        text=memory.text,
        facets=tuple(
            FacetTold(
                text=facet.text,
                confidence=facet.confidence,
                supporters=tuple(
                    names[one][0] or _STRANGER for one in facet.supporters if one in names
                ),
            )
            for facet in memory.facets
        ),
        source=SOURCES[memory.source],
        by=memory.provenance.by,
        pinned=memory.pinned,
        at=memory.at,
        people=tuple(filter(None, people)),
        strangers=people.count(""),
        items=tuple(name for name, is_person in made_from if not is_person),
    )


def _near(store: Store, kept: KeptSurroundings, user: str) -> tuple[Neighbour, ...]:
    import numpy as np

    from localrec.memory.curation import curate
    from localrec.memory.histories import history_of

    around = kept(store)
    node = _node_of(store, around.catalogue.domain.name, user)
    liked = np.array(history_of(store, around.catalogue, node)[::-1], dtype=np.int32)
    if not len(liked):
        return ()
    found = around.graph.neighbours_of(
        liked, np.ones(len(liked), dtype=np.float32), around.graph.person_of(node)
    )
    return _told_neighbours(store, around, curate(found, around.rules))


def _told_neighbours(store: Store, around: Surroundings, curated: Curated) -> tuple[Neighbour, ...]:
    near = curated.neighbours
    users = {one: int(around.graph.users[one]) for one in near.index[near.is_person].tolist()}
    names, numbers = _names(store, users.values()), count(1)

    def name(place: int) -> str:
        index = int(near.index[place])
        if near.is_person[place]:
            known, _ = names.get(users[index], ("somebody who is gone", True))
            return known or f"{_STRANGER} ({next(numbers)})"
        return around.catalogue.names[index]

    return tuple(
        Neighbour(
            name=name(place),
            is_person=bool(near.is_person[place]),
            score=float(curated.scores[place]),
            edge_weight=float(near.edge_weight[place]),
            shared=int(near.co_interaction_count[place]),
            overlap=float(near.metadata_overlap_score[place]),
            similarity=float(near.memory_similarity_score[place]),
            days=float(near.recency_days[place]),
        )
        for place in range(len(curated))
    )
