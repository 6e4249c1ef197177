"""Guests of the planted bar, what they said, and a worker's view of their store."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from localrec.data.rows import Event
from localrec.graph.interactions import store_feedback, user_node
from localrec.graph.store import Store
from localrec.memory.job_queue import Job, enqueue
from localrec.memory.records import MemoryUpdate, memories_of
from localrec.memory.worker import LOCK, Reader, Worker
from tests.planted import BAR


def node(store: Store, key: str) -> int:
    """The node of a guest or a drink."""
    [[node_id]] = store.rows(
        "SELECT node_id FROM node WHERE key = ? AND kind IN ('user', 'cocktail')", [key]
    )
    return node_id


def says(store: Store, user: str, drink: str, event: Event = Event.LIKED) -> int:
    """A guest says something of a drink, which is queued with it; returns the guest's node."""
    item = node(store, drink)
    store_feedback(
        store,
        BAR.name,
        user,
        item,
        event,
        then=lambda user_id: enqueue(store, user_id, item, event),
    )
    found = user_node(store, BAR.name, user)
    assert found is not None
    return found


def diary(job: Job, read: Reader) -> Sequence[MemoryUpdate]:
    """Adds each event to what was remembered before: what is lost or doubled shows in the words."""
    with read() as store:
        nodes = [job.user_id, *dict.fromkeys(interaction.item_id for interaction in job.events)]
        before = memories_of(store, nodes)
    told = {one: [before[one].text] if one in before else [] for one in nodes}
    for interaction in job.events:
        told[job.user_id].append(f"{interaction.event} {interaction.item_id}")
        told[interaction.item_id].append(f"{interaction.event} by {job.user_id}")
    return [
        MemoryUpdate(node_id=one, text=", ".join(words), made_from=(job.user_id,), carries_on=True)
        for one, words in told.items()
    ]


def worker(path: Path, update=diary, **more) -> Worker:
    """A worker for the store at `path`."""
    return Worker(partial(Store.open_, path, wait_s=0.2), update, path.with_name(LOCK), **more)


def texts(path: Path) -> dict[str, list[str]]:
    """Every node's memories, oldest first."""
    found: dict[str, list[str]] = {}
    with closing(Store.open_(path, read_only=True)) as store:
        for key, text in store.rows(
            "SELECT key, text FROM memory JOIN node USING (node_id) ORDER BY key, version"
        ):
            found.setdefault(key, []).append(text)
    return found
