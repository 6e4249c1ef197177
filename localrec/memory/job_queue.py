r"""A durable queue of interactions that no memory contains yet, one row for each.

A job is stored in the transaction of its event, and ends in the transaction that writes its
memories: so no event is lost or counted twice. In between, a worker claims it. If the claim is no
longer valid at the end (the worker was presumed dead, or a user was forgotten), the result is
discarded.

    waiting -> running -> done
       ^__________|  \-> failed  (after `MOST_FAILURES`; `retry_failed` lets it wait again)

A job that kills its process reports no failure. So a job that was claimed `MOST_CLAIMS` times and
is still marked as running has failed too; otherwise it would kill every worker.

Waiting jobs of one user are claimed together. Imports add no jobs: 25 million rows would be 25
million jobs, whose memories a rebuild computes in one pass over users.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal
from uuid import uuid4

import msgspec

from localrec.data.records import Record
from localrec.data.rows import Event
from localrec.foundation.text import clean_text
from localrec.graph.domain_files import is_known_domain
from localrec.graph.store import Store
from localrec.memory.records import MemoryUpdate, WriteResult, put_memories

UNDONE = "undone"  # the event of a job about feedback that was taken back
BURST = 256  # events of one job at most
MOST_FAILURES = 3
MOST_CLAIMS = 5
MAX_ERROR = 300

State = Literal["waiting", "running", "done", "failed"]
STATES: tuple[State, ...] = ("waiting", "running", "done", "failed")

_PAUSED = "memory_jobs_paused"  # row of `meta`, there while jobs are paused


class QueuedEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One event of a job: the row of the queue, the item and the feedback."""

    job_id: int
    item_id: int
    event: str
    at: datetime


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """The waiting events of one user, claimed together.

    Args:
        job_id: Number of the oldest event; the whole job is recorded there.
        user_id: Node id of the user.
        domain: The user's domain.
        events: Oldest first, at least one.
        claim: Token that keeps other workers from these rows.
    """

    job_id: int
    user_id: int
    domain: str
    events: tuple[QueuedEvent, ...]
    claim: str


class JobRow(msgspec.Struct, Record, frozen=True, kw_only=True):
    """One row of the queue, as `memory jobs` shows it.

    `calls` counts updates that were called for it and came back; in a job of several events the
    oldest row has them. `skipped` are node ids of pinned memories that it left as they were.
    """

    job_id: int
    user: str
    item: str
    domain: str
    event: str
    at: datetime
    state: State
    attempts: int
    failures: int
    calls: int
    error: str | None
    skipped: tuple[int, ...]
    ended: datetime | None


def enqueue(store: Store, user_id: int, item_id: int, event: str) -> int | None:
    """Add a job in the caller's transaction, so that job and event are stored together or not.

    Returns:
        Its number; None for "not now", which says nothing that could be remembered.
    """
    if event == Event.LATER:
        return None
    [[job_id]] = store.rows("SELECT nextval('job_ids')")
    store.execute(
        "INSERT INTO job VALUES (?, ?, ?, ?, ?, 'waiting', NULL, 0, 0, 0, NULL, [], NULL)",
        [job_id, user_id, item_id, str(event), _now()],
    )
    return int(job_id)


def claim(store: Store) -> Job | None:
    """Claim the oldest waiting job with all waiting events of its user; None without one.

    Jobs that failed before stand behind the others. Nothing is claimed while jobs are paused, and
    none of a domain that nothing declares: after a way back, it waits until it is declared again.
    """
    with store.transaction():
        if is_paused(store):
            return None
        first = store.rows(
            "SELECT j.user_id FROM job j JOIN node n ON n.node_id = j.user_id "
            "WHERE j.state = 'waiting' AND list_contains($1, n.domain) "
            "ORDER BY j.failures, j.job_id LIMIT 1",
            [_declared_domains(store)],
        )
        if not first:
            return None
        mark = uuid4().hex
        store.execute(
            "UPDATE job SET state = 'running', claim = $1, attempts = attempts + 1 WHERE job_id IN "
            "(SELECT job_id FROM job WHERE state = 'waiting' AND user_id = $2 "
            "ORDER BY job_id LIMIT $3)",
            [mark, first[0][0], BURST],
        )
        return _claimed(store, mark)


def complete(store: Store, job: Job, updates: Sequence[MemoryUpdate]) -> WriteResult | None:
    """Store a job's memories and end the job, in one transaction.

    Returns:
        What was written; None where the claim no longer stands: then nothing is, and what is left
        of the job waits again.
    """
    with store.transaction():
        if not _stands(store, job):
            _let_wait(store, job)
            return None
        written = put_memories(store, updates, job=job.job_id)
        store.execute(
            "UPDATE job SET state = 'done', claim = NULL, error = NULL, ended = $1, "
            "calls = calls + CASE WHEN job_id = $2 THEN 1 ELSE 0 END, "
            "skipped = CASE WHEN job_id = $2 THEN $3::BIGINT[] ELSE [] END WHERE claim = $4",
            [_now(), job.job_id, list(written.skipped), job.claim],
        )
    return written


def fail(store: Store, job: Job, error: str) -> None:
    """Record a failed job: it waits again behind the others, or fails for good."""
    store.execute(
        "UPDATE job SET state = CASE WHEN failures + 1 >= $1 THEN 'failed' ELSE 'waiting' END, "
        "failures = failures + 1, claim = NULL, error = $2, "
        "calls = calls + CASE WHEN job_id = $3 THEN 1 ELSE 0 END WHERE claim = $4",
        [MOST_FAILURES, clean_text(error, limit=MAX_ERROR), job.job_id, job.claim],
    )


def give_back(store: Store, job: Job) -> None:
    """Return a claimed job to the queue unchanged."""
    with store.transaction():
        _let_wait(store, job)


def release_claims(store: Store) -> None:
    """Return all running jobs to the queue; call it only when no other worker runs.

    One that was claimed `MOST_CLAIMS` times and never ended has failed.
    """
    store.execute(
        "UPDATE job SET claim = NULL, "
        "state = CASE WHEN attempts >= $most THEN 'failed' ELSE 'waiting' END, "
        "error = CASE WHEN attempts >= $most THEN $error ELSE error END WHERE state = 'running'",
        {
            "most": MOST_CLAIMS,
            "error": f"Each of the {MOST_CLAIMS} processes that worked on it ended without a word.",
        },
    )


def pause(store: Store) -> None:
    """Pause the queue until `resume`; new jobs are still stored."""
    store.execute("INSERT OR REPLACE INTO meta VALUES (?, 'yes')", [_PAUSED])


def resume(store: Store) -> None:
    """Continue a paused queue."""
    store.execute("DELETE FROM meta WHERE key = ?", [_PAUSED])


def is_paused(store: Store) -> bool:
    """Whether jobs are paused."""
    return bool(store.rows("SELECT 1 FROM meta WHERE key = ?", [_PAUSED]))


def retry_failed(store: Store) -> int:
    """Return failed jobs to the queue, their attempts set to zero; return their number."""
    with store.transaction():
        count = counts_of(store)["failed"]
        store.execute(
            "UPDATE job SET state = 'waiting', failures = 0, attempts = 0 WHERE state = 'failed'"
        )
    return count


def has_work(store: Store) -> bool:
    """Whether a job waits that can be claimed."""
    return bool(_declared_domains(store)) and not is_paused(store)


def _declared_domains(store: Store) -> list[str]:
    """The domains with waiting jobs, without those that nothing declares."""
    rows = store.rows(
        "SELECT DISTINCT n.domain FROM job j JOIN node n ON n.node_id = j.user_id "
        "WHERE j.state = 'waiting'"
    )
    return [domain for (domain,) in rows if is_known_domain(domain)]


def counts_of(store: Store) -> dict[State, int]:
    """Count the jobs in each state."""
    found = dict(store.rows("SELECT state, count(*) FROM job GROUP BY state"))
    return {state: int(found.get(state, 0)) for state in STATES}


def calls_of(store: Store) -> tuple[int, int]:
    """Count the update calls of all finished jobs, and the events in them."""
    calls, events = store.rows(
        "SELECT coalesce(sum(calls), 0), count(*) FROM job WHERE state = 'done'"
    )[0]
    return int(calls), int(events)


def jobs_of(store: Store, limit: int = 20) -> list[JobRow]:
    """Return the newest rows of the queue, failed and waiting ones first."""
    rows = store.rows(
        'SELECT j.job_id, u.key, i.name, u.domain, j.event, j."at", j.state, j.attempts, '
        "j.failures, j.calls, j.error, j.skipped, j.ended FROM job j "
        "JOIN node u ON u.node_id = j.user_id JOIN node i ON i.node_id = j.item_id "
        "ORDER BY j.state = 'done', j.job_id DESC LIMIT ?",
        [limit],
    )
    names = JobRow.__struct_fields__
    return [msgspec.convert(dict(zip(names, row, strict=True)), JobRow) for row in rows]


def _claimed(store: Store, mark: str) -> Job | None:
    rows = store.rows(
        'SELECT j.job_id, j.user_id, n.domain, j.item_id, j.event, j."at" FROM job j '
        "JOIN node n ON n.node_id = j.user_id WHERE j.claim = ? ORDER BY j.job_id",
        [mark],
    )
    if not rows:
        return None
    events = tuple(
        QueuedEvent(job_id=job_id, item_id=item_id, event=event, at=at)
        for job_id, _, _, item_id, event, at in rows
    )
    job_id, user_id, domain = rows[0][:3]
    return Job(job_id=job_id, user_id=user_id, domain=domain, events=events, claim=mark)


def _stands(store: Store, job: Job) -> bool:
    rows = store.rows("SELECT job_id FROM job WHERE claim = ? AND state = 'running'", [job.claim])
    return {job_id for (job_id,) in rows} == {event.job_id for event in job.events}


def _let_wait(store: Store, job: Job) -> None:
    store.execute(
        "UPDATE job SET state = 'waiting', claim = NULL, attempts = attempts - 1 WHERE claim = ?",
        [job.claim],
    )


def _now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)
