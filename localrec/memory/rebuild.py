"""Rebuild the memories of all users and items of a domain in one pass without a model.

An import of 25 million rows adds no jobs; a rebuild computes the same memories. It visits users,
then items, by rising node id, some hundreds at once. Each batch is one transaction that also moves
a mark, so an interrupted rebuild continues there, unless an import came in between. Pinned memories
stay; an unchanged memory gets no new version. Between batches the store is closed for a moment, so
that other processes can answer questions.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Literal

import msgspec

from localrec.data.domains import Domain
from localrec.data.records import Record
from localrec.graph.interactions import USER
from localrec.graph.store import Store
from localrec.memory.recent_likes import recent_likes_between
from localrec.memory.records import MemoryUpdate, WriteResult, memories_of, put_memories
from localrec.memory.template_memories import item_memories, user_memories
from localrec.memory.update_context import UpdateContext, UpdateContextCache
from localrec.memory.worker import GAP_S, OpenStore, Progress, alone, open_patiently

USERS_AT_ONCE = 500
ITEMS_AT_ONCE = 200
_HOLD_S = 0.5  # the store is kept open for the batches of so long

SubjectKind = Literal["people", "items"]
KINDS: tuple[SubjectKind, ...] = ("people", "items")


class RebuildReport(msgspec.Struct, Record, frozen=True, kw_only=True):
    """The counts of a rebuild.

    Args:
        domain: Name of the domain.
        resumed: Whether it continued an earlier rebuild that had stopped.
        users: The number of users whose memory was made anew.
        items: The number of items whose memory was made anew.
        written: The number of new versions.
        skipped: The number of pinned memories, which stay as they are.
    """

    domain: str
    resumed: bool = False
    users: int = msgspec.field(default=0, name="people")
    items: int = 0
    written: int = 0
    skipped: int = 0


class _Mark(msgspec.Struct, frozen=True):
    """The progress of a rebuild: the last node id, and the state of the data."""

    kind: SubjectKind = "people"
    after: int = 0
    newest_import: int = 0


class Rebuild:
    """Rebuild the memories of one domain.

    Args:
        open_store: Opens the workspace's store.
        domain: The domain.
        open_update_context: Opens the update context of that domain.
        lock: The lock of `Worker`: no other process writes memories meanwhile.
    """

    def __init__(
        self,
        open_store: OpenStore,
        domain: Domain,
        open_update_context: UpdateContextCache,
        lock: Path,
    ) -> None:
        self._open_store = open_store
        self._domain = domain
        self._open_update_context = open_update_context
        self._lock = lock
        self._mark = _Mark()
        self.report = RebuildReport(domain=domain.name)

    def run(self, progress: Progress = lambda what, done, total: None) -> RebuildReport:
        """Rebuild all memories, or those that an interrupted rebuild left.

        Args:
            progress: Called with what is done, how many of how many.

        Raises:
            BusyError: somebody else writes memories, or keeps the store open.
            KeyboardInterrupt: Ctrl+C; what was done is stored.
        """
        self.report = RebuildReport(domain=self._domain.name)
        with alone(self._lock):
            with self._opened() as store:
                self._mark, resumed = _mark_of(store, self._domain.name)
            self._count(resumed=resumed)
            for kind in KINDS[KINDS.index(self._mark.kind) :]:
                while not self._stretch(kind, progress):
                    time.sleep(GAP_S)
        return self.report

    def _opened(self) -> closing[Store]:
        return closing(open_patiently(self._open_store, read_only=False))

    def _stretch(self, kind: SubjectKind, progress: Progress) -> bool:
        """Work for a moment on one kind; return True when the kind is finished."""
        with self._opened() as store:
            until = time.monotonic() + _HOLD_S
            for done, total in self._batches(store, kind):
                progress(f"remembering {kind}", done, total)
                if time.monotonic() >= until:
                    return False
        return True

    def _batches(self, store: Store, kind: SubjectKind) -> Iterator[tuple[int, int]]:
        """Work batch after batch; yield the number done and the total."""
        nodes = _nodes_of(store, self._domain, kind)
        done = sum(node_id <= self._mark.after for node_id, _ in nodes)
        size = USERS_AT_ONCE if kind == "people" else ITEMS_AT_ONCE
        for begin in range(done, len(nodes), size):
            batch = nodes[begin : begin + size]
            self._write(store, kind, batch)
            yield begin + len(batch), len(nodes)
        self._mark = msgspec.structs.replace(self._mark, kind="items", after=0)
        _set_mark(store, self._domain.name, self._mark if kind == "people" else None)

    def _write(self, store: Store, kind: SubjectKind, batch: Sequence[tuple[int, str]]) -> None:
        mark = msgspec.structs.replace(self._mark, after=batch[-1][0])
        update_context = self._open_update_context(store)
        updates = (_of_users if kind == "people" else _of_items)(store, update_context, batch)
        with store.transaction():
            written = put_memories(store, updates)
            _set_mark(store, self._domain.name, mark)
        self._mark = mark
        self._tally(kind, len(batch), written)

    def _tally(self, kind: SubjectKind, many: int, written: WriteResult) -> None:
        counted = "users" if kind == "people" else "items"
        self._count(
            **{counted: getattr(self.report, counted) + many},
            written=self.report.written + len(written.written),
            skipped=self.report.skipped + len(written.skipped),
        )

    def _count(self, **now: int) -> None:
        self.report = msgspec.structs.replace(self.report, **now)


def _of_users(
    store: Store, update_context: UpdateContext, batch: Sequence[tuple[int, str]]
) -> list[MemoryUpdate]:
    users = [user_id for user_id, _ in batch]
    found = recent_likes_between(store, update_context.catalogue, users[0], users[-1])
    histories = {user_id: found.get(user_id, []) for user_id in users}
    return user_memories(
        update_context, histories, memories_of(store, users), update_context.own_links(batch)
    )


def _of_items(
    store: Store, update_context: UpdateContext, batch: Sequence[tuple[int, str]]
) -> list[MemoryUpdate]:
    nodes = [node_id for node_id, _ in batch]
    return item_memories(
        update_context, update_context.indexes_of(nodes), memories_of(store, nodes)
    )


def _nodes_of(store: Store, domain: Domain, kind: SubjectKind) -> list[tuple[int, str]]:
    """Return node id and key of all users or items of a domain, by rising id."""
    rows = store.rows(
        "SELECT node_id, key FROM node WHERE domain = ? AND kind = ? ORDER BY node_id",
        [domain.name, USER if kind == "people" else domain.item],
    )
    return [(int(node_id), str(key)) for node_id, key in rows]


def _mark_of(store: Store, domain: str) -> tuple[_Mark, bool]:
    """Read the progress of a rebuild, and whether one was interrupted."""
    [[newest]] = store.rows("SELECT coalesce(max(import_id), 0) FROM import_receipt")
    rows = store.rows("SELECT value FROM meta WHERE key = ?", [_row_of(domain)])
    mark = msgspec.json.decode(rows[0][0], type=_Mark) if rows else None
    if mark is None or mark.newest_import != newest:
        return _Mark(newest_import=int(newest)), False
    return mark, True


def _set_mark(store: Store, domain: str, mark: _Mark | None) -> None:
    if mark is None:
        store.execute("DELETE FROM meta WHERE key = ?", [_row_of(domain)])
    else:
        value = msgspec.json.encode(mark).decode()
        store.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [_row_of(domain), value])


def _row_of(domain: str) -> str:
    return f"memory_rebuild_{domain}"
