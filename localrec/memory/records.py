"""Memories of users and items as versions in the store: read, write, edit, pin.

A node's current memory is its newest version; older ones are kept. A pinned memory holds the user's
own words: only the user changes it, and an edit pins it. `Provenance.made_from` names every node
whose data went into a version. Forgetting one of them deletes the version
(`privacy/erasure_plan.py`), so the writer of a memory must name all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Literal

import msgspec
import numpy as np

from localrec.data.records import Record
from localrec.foundation.errors import InputError
from localrec.foundation.text import clean_text
from localrec.graph.store import Columns, Store

MAX_MEMORY = 1_200  # characters: some 300 tokens, so that a dozen fit into one prompt
MAX_FACET = 160
MAX_FACETS = 7  # the paper's number

MemorySource = Literal["template", "model", "person", "propagated", "agent"]

_encode = msgspec.json.Encoder().encode
_NEWEST = (
    "QUALIFY row_number() OVER (PARTITION BY node_id ORDER BY version DESC) = 1 ORDER BY node_id"
)
_COLUMNS = 'node_id, version, text, facets, source, provenance, pinned, "at"'


class Facet(msgspec.Struct, frozen=True):
    """One statement of a memory: its confidence, 0 to 1, and the nodes that support it."""

    text: str
    confidence: float
    supporters: tuple[int, ...] = ()


class Provenance(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The origin of a version.

    Args:
        by: Author of it: "counts", a model's name, an agent's with its model's, or nothing for a
            user.
        job: The job it was written by.
        made_from: Node ids of all people and items whose data is in it, ascending.
        builds_on: The version whose words it carries on.
    """

    by: str = ""
    job: int | None = None
    made_from: tuple[int, ...] = ()
    builds_on: int | None = None


class Memory(msgspec.Struct, Record, frozen=True, kw_only=True):
    """One version of the memory of a user or an item; `at` is UTC without a zone."""

    node_id: int
    version: int
    text: str
    facets: tuple[Facet, ...]
    source: MemorySource
    provenance: Provenance
    pinned: bool
    at: datetime


class MemoryUpdate(msgspec.Struct, frozen=True, kw_only=True):
    """A memory to be written as the next version of its node.

    Args:
        node_id: Node id of the owner.
        text: The words; cleaned and cut to `MAX_MEMORY` when they are written.
        facets: At most `MAX_FACETS` are kept; supporters are node ids.
        source: "template", "model", "propagated" or "agent".
        by: As in `Provenance`.
        made_from: As in `Provenance`; supporters are added, and so is everything the version
            before was made from where `carries_on` says that its words live on.
        carries_on: Words of the version before are in this one.
    """

    node_id: int
    text: str
    facets: tuple[Facet, ...] = ()
    source: MemorySource = "template"
    by: str = ""
    made_from: tuple[int, ...] = ()
    carries_on: bool = False


class WriteResult(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of some updates, each by its node id.

    `written` got a new version; `skipped` are pinned and stay as they are; `unchanged` say the
    same already; `gone` are no longer in the store.
    """

    written: tuple[int, ...] = ()
    skipped: tuple[int, ...] = ()
    unchanged: tuple[int, ...] = ()
    gone: tuple[int, ...] = ()


def memory_of(store: Store, node_id: int) -> Memory | None:
    """Return the current memory of a node; None where it has none."""
    return memories_of(store, [node_id]).get(node_id)


def memories_of(store: Store, node_ids: Iterable[int]) -> dict[int, Memory]:
    """Return the current memories of some nodes in one query; nodes without one are left out."""
    rows = store.rows(
        f"SELECT {_COLUMNS} FROM memory WHERE node_id IN (SELECT unnest(?)) {_NEWEST}",
        [[int(one) for one in node_ids]],
    )
    return {row[0]: _memory(row) for row in rows}


def history_of(store: Store, node_id: int) -> list[Memory]:
    """Return all versions of a node's memory, newest first."""
    rows = store.rows(
        f"SELECT {_COLUMNS} FROM memory WHERE node_id = ? ORDER BY version DESC", [node_id]
    )
    return [_memory(row) for row in rows]


def put_memories(
    store: Store, updates: Sequence[MemoryUpdate], *, job: int | None = None
) -> WriteResult:
    """Write updates as new versions in the caller's transaction.

    Pinned memories are left alone, and an update that changes neither text nor facets makes no
    version. Of several updates of one node the last counts.

    Args:
        store: Writable, with a transaction under way.
        updates: The memories to write.
        job: The job that they come from, for the provenance.
    """
    last = {update.node_id: update for update in updates}
    present = _present(store, last)
    newest = memories_of(store, present)
    skipped = [one for one in present if one in newest and newest[one].pinned]
    fresh = [_next(last[one], newest.get(one), job) for one in present if one not in set(skipped)]
    changed = [memory for memory in fresh if _says_more(memory, newest.get(memory.node_id))]
    _insert(store, changed)
    written = tuple(memory.node_id for memory in changed)
    return WriteResult(
        written=written,
        skipped=tuple(skipped),
        unchanged=tuple(m.node_id for m in fresh if m.node_id not in set(written)),
        gone=tuple(sorted(set(last) - set(present))),
    )


def edit_memory(store: Store, node_id: int, text: str) -> Memory:
    """Replace a memory by the user's own words, as a new, pinned version.

    The words count as the person's, whatever was there before, so they stay when a neighbour is
    forgotten; facets of the version before may contradict them and are not carried on.

    Raises:
        InputError: nothing of the text can be seen, or there is more than a memory holds.
    """
    words = clean_text(text, max(len(text), 1))
    if len(words) > MAX_MEMORY:
        raise InputError(
            f"A memory has room for {MAX_MEMORY:,} letters, and these words have {len(words):,}.",
            "Shorten them.",
        )
    if not words:
        raise InputError(
            "A memory needs words that can be read.", 'Write some: --text "Likes it bitter."'
        )
    with store.transaction():
        before = memory_of(store, node_id)
        edited = Memory(
            node_id=node_id,
            version=_version_behind(before),
            text=words,
            facets=(),
            source="person",
            provenance=Provenance(),
            pinned=True,
            at=_now(),
        )
        _insert(store, [edited])
    return edited


def pin_memory(store: Store, node_id: int, pinned: bool = True) -> Memory | None:
    """Pin or unpin a memory; return None where there is none."""
    with store.transaction():
        memory = memory_of(store, node_id)
        if memory is None:
            return None
        store.execute(
            "UPDATE memory SET pinned = ? WHERE node_id = ? AND version = ?",
            [pinned, node_id, memory.version],
        )
    return msgspec.structs.replace(memory, pinned=pinned)


def _present(store: Store, node_ids: Iterable[int]) -> list[int]:
    rows = store.rows(
        "SELECT node_id FROM node WHERE node_id IN (SELECT unnest(?)) ORDER BY 1",
        [[int(one) for one in node_ids]],
    )
    return [node_id for (node_id,) in rows]


def _next(update: MemoryUpdate, before: Memory | None, job: int | None) -> Memory:
    """Make the version of an update."""
    facets = tuple(_cleaned(facet) for facet in update.facets[:MAX_FACETS])
    made_from = {*update.made_from, *(one for facet in facets for one in facet.supporters)}
    carries_on = update.carries_on and before is not None
    if carries_on and before is not None:
        made_from.update(before.provenance.made_from)
    return Memory(
        node_id=update.node_id,
        version=_version_behind(before),
        text=clean_text(update.text, limit=MAX_MEMORY),
        facets=facets,
        source=update.source,
        provenance=Provenance(
            by=clean_text(update.by, limit=MAX_FACET),
            job=job,
            made_from=tuple(sorted(made_from)),
            builds_on=before.version if carries_on and before is not None else None,
        ),
        pinned=False,
        at=_now(),
    )


def _cleaned(facet: Facet) -> Facet:
    sure = float(np.clip(np.nan_to_num(facet.confidence), 0.0, 1.0))
    return Facet(clean_text(facet.text, limit=MAX_FACET), round(sure, 3), facet.supporters)


def _says_more(memory: Memory, before: Memory | None) -> bool:
    return before is None or (memory.text, memory.facets) != (before.text, before.facets)


def _version_behind(before: Memory | None) -> int:
    return before.version + 1 if before is not None else 1


def _insert(store: Store, memories: Sequence[Memory]) -> None:
    if not memories:
        return
    staged: Columns = {
        "node_id": np.array([one.node_id for one in memories], dtype=np.int64),
        "version": np.array([one.version for one in memories], dtype=np.int32),
        "text": _texts(one.text for one in memories),
        "facets": _texts(_encode(one.facets).decode() for one in memories),
        "source": _texts(one.source for one in memories),
        "provenance": _texts(_encode(one.provenance).decode() for one in memories),
        "pinned": np.array([one.pinned for one in memories], dtype=bool),
        "at": np.array([np.datetime64(one.at) for one in memories], dtype="datetime64[us]"),
    }
    with store.staged(staged_memory=staged):
        store.execute(f"INSERT INTO memory SELECT {_COLUMNS} FROM staged_memory")


def _texts(values: Iterable[str]) -> np.ndarray:
    return np.array(list(values), dtype=object)


def _memory(row: tuple[Any, ...]) -> Memory:
    node_id, version, text, facets, source, provenance, pinned, at = row
    return Memory(
        node_id=node_id,
        version=version,
        text=text,
        facets=msgspec.json.decode(facets, type=tuple[Facet, ...]),
        source=source,
        provenance=msgspec.json.decode(provenance, type=Provenance),
        pinned=pinned,
        at=at,
    )


def _now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)
