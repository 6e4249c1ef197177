"""Process the job queue: claim a job, compute without the store, then write and end it at once.

    claim            a short write: the job is marked as running by this worker
    update           the store is closed for writing; only here a model may be called, once
    complete         a short write: the memories and the end of the job, in one transaction

A process that dies leaves either a claim, which its successor returns to the queue, or a finished
job. DuckDB lets one process write while no other reads, so the store is opened only for moments: a
question in another process waits for milliseconds, not for a model. A lock of the operating system,
which ends with its process, allows one worker at a time.

The thread is for a program that stays open (the app); `run_pending` does the same work in the
caller's own thread.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Protocol

import msgspec

from localrec.data.records import Record
from localrec.foundation.errors import BusyError, LocalrecError, ModelCancelledError
from localrec.foundation.paths import exclusive, owner_only
from localrec.graph.store import Store
from localrec.memory.job_queue import (
    Job,
    claim,
    complete,
    counts_of,
    fail,
    give_back,
    has_work,
    release_claims,
)
from localrec.memory.records import MemoryUpdate

LOCK = "memory.lock"  # in the workspace's folder; empty
_PATIENCE_S = 30.0  # for a store that somebody else has open
GAP_S = 0.15  # between two holds: others ask for the store every 0.1 s
_RETRY_S = (5.0, 60.0)  # after a failure the thread rests, twice as long each time

Reader = Callable[[], AbstractContextManager[Store]]
Progress = Callable[[str, int, int], None]


class OpenStore(Protocol):
    """Open the store of one workspace; raise BusyError while another process has it open."""

    def __call__(self, *, read_only: bool) -> Store:
        """Open the store; the caller closes it."""
        ...


class Update(Protocol):
    """Compute the memories that a job changes: the user's, the items' and some neighbours'.

    It may call a model once, however many events and neighbours there are. `read` opens the store
    for reading; what is needed is read in one `with` block, and a model is called behind it.
    Interactions are in the store already, and nothing that it returns is there before it returns.
    """

    def __call__(self, job: Job, read: Reader) -> Sequence[MemoryUpdate]:
        """Return the memories to write; an error returns the job to the queue.

        Raises:
            ModelCancelledError: stopped on request; the job waits as if it had not begun.
        """
        ...


class WorkReport(msgspec.Struct, Record, frozen=True, kw_only=True):
    """The counts of one run of the worker.

    Args:
        jobs: Jobs worked off; those of one user that waited together count as one.
        events: Events of users that these jobs worked in; `deeds` in JSON.
        calls: The number of calls of `update`, failures included.
        written: New versions of memories.
        skipped: Pinned memories that were left as they are.
        failed: Jobs whose update failed.
        waiting: Events that still wait.
    """

    jobs: int = 0
    events: int = msgspec.field(default=0, name="deeds")
    calls: int = 0
    written: int = 0
    skipped: int = 0
    failed: int = 0
    waiting: int = 0

    @property
    def deeds(self) -> int:
        """The old name of `events`."""
        return self.events


class _Thought(msgspec.Struct, frozen=True):
    """The outcome of an update: memories, an error, or neither where it was stopped."""

    job: Job
    updates: tuple[MemoryUpdate, ...] = ()
    error: str | None = None
    stopped: bool = False


class Worker:
    """Process the jobs of one workspace.

    Args:
        open_store: Opens the workspace's store.
        update: Turns a job into memories.
        lock: File that one worker at a time holds: `LOCK` in the workspace's folder.
        cancel: Stops a model call of `update` that is under way; may be called from any thread.
        hold_s: One opening serves jobs for so long. 0 where `update` calls a model; some tenths
            of a second where it only counts, for then opening would take longer than the work.
        idle_s: Seconds between two looks of the thread for work; `wake` makes it look at once.
    """

    def __init__(
        self,
        open_store: OpenStore,
        update: Update,
        lock: Path,
        *,
        cancel: Callable[[], None] = lambda: None,
        hold_s: float = 0.0,
        idle_s: float = 2.0,
    ) -> None:
        self._open_store = open_store
        self._update = update
        self._lock = lock
        self._cancel = cancel
        self._hold_s = hold_s
        self._idle_s = idle_s
        self._held: Store | None = None
        self._held_until = 0.0
        self._stopped = threading.Event()
        self._woken = threading.Event()
        self._draining = False
        self._thread: threading.Thread | None = None
        self.report = WorkReport()
        self._seen: object = None  # what the store's files looked like when nothing waited
        self.trouble: Exception | None = None  # why the thread does not get on, if it does not

    def run_pending(
        self,
        limit: int | None = None,
        progress: Progress = lambda what, done, total: None,
    ) -> WorkReport:
        """Process all waiting jobs in this thread; failed jobs are not tried again here.

        Args:
            limit: Stop after so many jobs.
            progress: Called with what is done, events done and events in all.

        Raises:
            BusyError: another worker is at it, or somebody keeps the store open.
            KeyboardInterrupt: Ctrl+C; what was done is stored, the rest waits.
        """
        self.report = WorkReport()
        with self._alone():
            self._work(limit, progress)
        return self.report

    def start(self) -> None:
        """Start a background thread that works until `stop` or `close`."""
        self._stopped.clear()
        self._draining = False
        self._thread = threading.Thread(target=self._live, name="memory-worker", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Wake the thread for a new job."""
        self._woken.set()

    def stop(self, wait_s: float = 1.0) -> bool:
        """Stop at once; a job in progress is left for the next worker.

        Returns:
            Whether the thread ended in time. One that did not holds no store, and nothing of
            what it still does can be doubled.
        """
        self._stopped.set()
        self._woken.set()
        self._cancel()
        return self._ended(wait_s)

    def close(self, drain_s: float = 2.0) -> bool:
        """Process waiting jobs for at most `drain_s`, then stop; as `stop` otherwise."""
        self._draining = True
        self._woken.set()
        return self._ended(drain_s) or self.stop()

    def _ended(self, wait_s: float) -> bool:
        if self._thread is None:
            return True
        self._thread.join(wait_s)
        return not self._thread.is_alive()

    def _live(self) -> None:
        """Run the thread until it is stopped."""
        rest = 0.0
        while not self._stopped.is_set():
            self._woken.clear()
            went_well = self._shift()
            if self._draining:
                return
            rest = self._idle_s if went_well else min(max(2 * rest, _RETRY_S[0]), _RETRY_S[1])
            self._woken.wait(rest)

    def _shift(self) -> bool:
        """Process the waiting jobs; return False after a failure."""
        stamp = self._stamp()
        if stamp == self._seen:
            return True
        try:
            if self._finds_work():
                with self._alone():
                    return not self._work(None, lambda *_: None, until_failure=True)
            self._seen, self.trouble = stamp, None
        except Exception as error:  # noqa: BLE001 - a full disk, a held store: it may get better
            self.trouble = error
        return self.trouble is None

    def _finds_work(self) -> bool:
        with closing(self._open(read_only=True)) as store:
            return has_work(store)

    def _stamp(self) -> tuple[tuple[int, int], ...]:
        """Return a mark that changes with every write to the store, without opening it."""
        files = sorted(self._lock.parent.glob("*.duckdb*"))
        found = []
        for file in files:
            with suppress(OSError):  # a log that was just folded into the store
                status = file.stat()
                found.append((status.st_mtime_ns, status.st_size))
        return tuple(found)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the lock, and return the claims of dead workers to the queue."""
        with alone(self._lock), ExitStack() as stack:
            stack.callback(self._let_go)
            with self._writable() as store:
                release_claims(store)
            yield

    def _work(self, limit: int | None, progress: Progress, *, until_failure: bool = False) -> int:
        """Process jobs; return the number that failed."""
        thought: _Thought | None = None
        failed: set[int] = set()
        total = None
        while True:
            with self._writable() as store:
                if thought is not None:
                    self._deliver(store, thought)
                    if thought.error is not None:
                        failed.add(thought.job.job_id)
                total = total if total is not None else counts_of(store)["waiting"]
                progress("working off jobs", self.report.events, total)
                full = limit is not None and self.report.jobs + len(failed) >= limit
                over = full or self._stopped.is_set() or (until_failure and failed)
                job = None if over or (thought and thought.stopped) else claim(store)
                if job is not None and job.job_id in failed:  # all others were before it
                    give_back(store, job)
                    job = None
                if job is None:
                    self._count(waiting=counts_of(store)["waiting"] - self.report.waiting)
                    return len(failed)
            thought = self._think(job)

    def _think(self, job: Job) -> _Thought:
        """Call the update once; an error fails the job and not the worker."""
        self._count(calls=1)
        try:
            return _Thought(job, tuple(self._update(job, self._reader)))
        except KeyboardInterrupt:
            # Where the store is busy, the next worker takes the claim back.
            with suppress(BusyError), self._writable() as store:
                give_back(store, job)
            raise
        except ModelCancelledError:
            return _Thought(job, stopped=True)
        except Exception as error:  # noqa: BLE001 - whatever it is, the other jobs can be worked
            told = str(error) if isinstance(error, LocalrecError) else repr(error)
            return _Thought(job, error=told)

    def _deliver(self, store: Store, thought: _Thought) -> None:
        if thought.stopped:
            give_back(store, thought.job)
        elif thought.error is not None:
            fail(store, thought.job, thought.error)
            self._count(failed=1)
        elif (done := complete(store, thought.job, thought.updates)) is not None:
            self._count(
                jobs=1,
                events=len(thought.job.events),
                written=len(done.written),
                skipped=len(done.skipped),
            )

    def _count(self, **more: int) -> None:
        so_far = {name: getattr(self.report, name) + more[name] for name in more}
        self.report = msgspec.structs.replace(self.report, **so_far)

    @contextmanager
    def _reader(self) -> Iterator[Store]:
        """Yield the store for an update: the open one, else one opened for reading."""
        if self._held is not None:
            yield self._held
        else:
            with closing(self._open(read_only=True)) as store:
                yield store

    @contextmanager
    def _writable(self) -> Iterator[Store]:
        """Yield the store for writing; keep it open for up to `hold_s`."""
        if self._held is None:
            self._held = self._open(read_only=False)
            self._held_until = time.monotonic() + self._hold_s
        try:
            yield self._held
        finally:
            if time.monotonic() >= self._held_until:
                self._let_go()
                if self._hold_s:
                    self._stopped.wait(GAP_S)

    def _let_go(self) -> None:
        if self._held is not None:
            self._held.close()
            self._held = None

    def _open(self, *, read_only: bool) -> Store:
        return open_patiently(self._open_store, read_only=read_only, give_up=self._stopped.is_set)


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """Hold the lock of the background writer of a workspace's memories.

    Raises:
        BusyError: somebody else is.
    """
    with ExitStack() as stack:
        try:
            with owner_only():
                stack.enter_context(exclusive(lock))
        except BusyError as error:
            raise BusyError(
                "Another process is working off the jobs of this workspace.",
                "See how far it is: localrec memory jobs",
            ) from error
        yield


def open_patiently(
    open_store: OpenStore, *, read_only: bool, give_up: Callable[[], bool] = lambda: False
) -> Store:
    """Open a store, waiting for other processes that have it open briefly.

    Raises:
        BusyError: somebody kept it for `_PATIENCE_S`, or until `give_up`.
    """
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        try:
            return open_store(read_only=read_only)
        except BusyError:
            if give_up() or time.monotonic() >= deadline:
                raise
