"""What a click costs in a workspace: its own queue, worker and updater over a copy of its store.

The copy is set back to an earlier day by taking out rows, all memories are made once, and then the
next rows come as feedback: some one by one, each worked off at once, then as many at a time that
wait together. Measured half-way and near the end, since what a click costs should not depend on
how many came before.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.domains import Domain
from localrec.data.rows import Event
from localrec.evaluation.ranking.keyed_interactions import KeyedInteractions
from localrec.evaluation.ranking.splits import leave_one_out
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.foundation.jsonl_log import JsonlLog
from localrec.graph.interactions import USER, store_feedback
from localrec.graph.journal import open_settled
from localrec.graph.store import Store
from localrec.memory.job_queue import Job, enqueue
from localrec.memory.rebuild import Rebuild
from localrec.memory.records import MemoryUpdate
from localrec.memory.updaters import open_update_contexts, store_hold_s, template_updater
from localrec.memory.worker import LOCK, Reader, Update, Worker, WorkReport
from localrec.workspace import OpenWorkspace

CLICKS = 300  # one by one, and as many again together
STORE, SETTINGS = "store.duckdb", "settings.toml"

_TAKE_OUT = """
    DELETE FROM interaction WHERE (user_id, item_id) NOT IN (
        SELECT n.node_id, k.item FROM staged_known k
        JOIN node n ON n.kind = $user AND n.domain = $domain AND n.key = k.person)
"""


class Spread(msgspec.Struct, frozen=True):
    """Of some figures."""

    median: float
    p95: float
    most: float


class QueueCost(msgspec.Struct, frozen=True, kw_only=True):
    """What clicks cost in a store of one size.

    Args:
        known: Interactions in the store before the first.
        clicks: One by one.
        calls: Calls of the updater for these.
        written: Versions of memories that each wrote.
        update_ms: Of the updater alone.
        job_ms: Of the whole job: opening the store, claiming, updating, writing, closing.
        job_cpu_ms: The same on all cores together, without waiting for others.
        opening_ms: Of the first job, which opens the graph of likings; it is in no spread.
        burst_clicks: That waited together.
        burst_calls: Calls of the updater for these.
        burst_ms: For each of these, all told.
        load: Of the machine meanwhile, the mean of the last minute.
    """

    known: int
    clicks: int
    calls: int
    written: Spread
    update_ms: Spread
    job_ms: Spread
    job_cpu_ms: Spread
    opening_ms: float
    burst_clicks: int
    burst_calls: int
    burst_ms: float
    load: float


class Worked(msgspec.Struct, frozen=True):
    """One run of the worker, and what it took."""

    report: WorkReport
    ms: float
    cpu_ms: float


class Timed:
    """An updater whose calls are timed.

    Args:
        update: What is called.
    """

    def __init__(self, update: Update) -> None:
        self._update = update
        self.ms: list[float] = []

    def __call__(self, job: Job, read: Reader) -> Sequence[MemoryUpdate]:
        begun = time.perf_counter()
        try:
            return self._update(job, read)
        finally:
            self.ms.append(1000 * (time.perf_counter() - begun))


def measure_queue(
    workspace: Path, domain: Domain, keyed: KeyedInteractions, kept: Path
) -> tuple[QueueCost, ...]:
    """Click through copies of a workspace's store that are set back; the workspace stays as it is.

    The last row of everybody is neither in the copy nor a click.

    Args:
        workspace: Its folder.
        domain: Of the data set.
        keyed: All rows of the data set.
        kept: Where costs are kept; what is there is not measured again.
    """
    data = keyed.interactions
    rows = np.flatnonzero(~leave_one_out(data.user).test)
    order = rows[np.argsort(data.at[rows], kind="stable")]
    with JsonlLog(kept, QueueCost) as ledger:
        done = {cost.known for cost in ledger.records}
        for known in (len(order) // 2, len(order) - 2 * CLICKS):
            if known in done:
                continue
            with tempfile.TemporaryDirectory() as folder:
                home = Path(folder)
                for name in (STORE, SETTINGS):
                    if (workspace / name).is_file():
                        shutil.copyfile(workspace / name, home / name)
                with open_settled(home, read_only=False) as store:
                    _take_out(store, domain, keyed, order[:known])
                ledger.append(_click_through(home, domain, keyed, order[known:], known))
        return tuple(ledger.records)


def _take_out(
    store: Store, domain: Domain, keyed: KeyedInteractions, known: NDArray[np.int64]
) -> None:
    """Leave nothing but some rows, and neither jobs nor memories."""
    data = keyed.interactions
    columns = {
        "person": keyed.user_keys[data.user[known]].astype(str),
        "item": keyed.item_nodes[data.item[known]],
    }
    with store.staged(staged_known=columns):
        store.execute(_TAKE_OUT, {"user": USER, "domain": domain.name})
    for table_name in ("job", "memory"):
        store.execute(f"DELETE FROM {table_name}")


def _click_through(
    home: Path, domain: Domain, keyed: KeyedInteractions, rows: NDArray[np.int64], known: int
) -> QueueCost:
    open_store = partial(open_settled, home)
    with OpenWorkspace(home) as workspace:
        Rebuild(
            open_store, domain, open_update_contexts(workspace.updater_parts, domain), home / LOCK
        ).run()
    with OpenWorkspace(home) as workspace:
        update = Timed(template_updater(workspace.updater_parts, domain.name))
        worker = Worker(open_store, update, home / LOCK, hold_s=store_hold_s(None))
        singly = []
        for row in rows[:CLICKS].tolist():
            _click(home, domain, keyed, [row])
            singly.append(_work_off(worker))
        alone_ms = list(update.ms)
        together = rows[CLICKS : 2 * CLICKS].tolist()
        _click(home, domain, keyed, together)
        burst = _work_off(worker)
    reports = [one.report for one in singly]
    return QueueCost(
        known=known,
        clicks=sum(report.events for report in reports),
        calls=sum(report.calls for report in reports),
        written=_spread([report.written for report in reports]),
        update_ms=_spread(alone_ms[1:]),
        job_ms=_spread([one.ms for one in singly[1:]]),
        job_cpu_ms=_spread([one.cpu_ms for one in singly[1:]]),
        opening_ms=round(singly[0].ms, 1),
        burst_clicks=burst.report.events,
        burst_calls=burst.report.calls,
        burst_ms=round(burst.ms / max(1, burst.report.events), 2),
        load=round(os.getloadavg()[0], 1),
    )


def _click(home: Path, domain: Domain, keyed: KeyedInteractions, rows: Sequence[int]) -> None:
    """Say of some items what these rows say, as `localrec feedback` does."""
    data = keyed.interactions
    with open_settled(home, read_only=False) as store:
        for row in rows:
            item = int(keyed.item_nodes[data.item[row]])
            store_feedback(
                store,
                domain.name,
                str(keyed.user_keys[data.user[row]]),
                item,
                Event.RATED,
                rating=float(data.stars[row]),
                then=partial(enqueue, store, item_id=item, event=Event.RATED),
            )


def _work_off(worker: Worker) -> Worked:
    """Let a worker do what waits."""
    begun, used = time.perf_counter(), time.process_time()
    report = worker.run_pending()
    ms, cpu_ms = 1000 * (time.perf_counter() - begun), 1000 * (time.process_time() - used)
    return Worked(report, ms, cpu_ms)


def _spread(figures: Sequence[float]) -> Spread:
    median, p95, most = np.percentile(figures, [50, 95, 100]).tolist()
    return Spread(round(median, 2), round(p95, 2), round(most, 2))


def queue_as_markdown(costs: Sequence[QueueCost], counting_ms: float) -> str:
    """One table, sizes across."""
    head = ["what a click costs", *(f"{one.known:,} interactions" for one in costs)]
    told = {
        "clicks, one by one": [str(one.clicks) for one in costs],
        "calls of the updater for each": [f"{one.calls / one.clicks:.2f}" for one in costs],
        "memories written, median and most": [
            f"{one.written.median:.0f}, {one.written.most:.0f}" for one in costs
        ],
        "ms in the updater, median and 95%": [_times(one.update_ms) for one in costs],
        "ms for the whole job, median and 95%": [_times(one.job_ms) for one in costs],
        "CPU ms for the whole job, median and 95%": [_times(one.job_cpu_ms) for one in costs],
        "ms for the first job, which opens the graph": [f"{one.opening_ms:.0f}" for one in costs],
        "clicks that waited together": [str(one.burst_clicks) for one in costs],
        "calls for each of these": [f"{one.burst_calls / one.burst_clicks:.2f}" for one in costs],
        "ms for each of these": [f"{one.burst_ms:.1f}" for one in costs],
        "load of the machine": [f"{one.load:.1f}" for one in costs],
    }
    return (
        f"{markdown_table(head, [[name, *cells] for name, cells in told.items()])}\n\n"
        "From a copy of the workspace's store, by its own queue, worker and updater without a "
        "model; opening the store for each job is in the job's time. Counting the shared memory "
        f"anew, as above, comes to {counting_ms:.2f} ms of CPU time for each row learned."
    )


def _times(one: Spread) -> str:
    return f"{one.median:.1f}, {one.p95:.1f}"
