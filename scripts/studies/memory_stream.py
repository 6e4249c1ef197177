"""What it brings that a shared memory is kept up to date: rows replayed in the order of their time.

The first half of all rows is the known past. Every row behind it is first ranked among 20
candidates (itself and others that its person never had), then learned. Three memories do so:

    writes on        who likes what, and what goes together, are counted anew every 500 rows from
                     all rows before: one row in a hundred is missing at most, as in a workspace,
                     which counts anew beyond that
    writes off       both stay as they were half-way; only the person's own history grows
    nothing grows    neither grows

All three are the fused ranking with the same weights, fitted on the last row of each person in the
first half. What the memory learns are all rows; asked about are a few rows of everybody who has any
behind the half, evenly drawn, and never a person's very first. Each person's last row, which runs
are tested by, is left out altogether.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.interactions import Interactions
from localrec.evaluation.configs import SystemConfig
from localrec.evaluation.ranking.metrics import hit_rates, ndcgs, tied_ranks
from localrec.evaluation.ranking.splits import leave_one_out, sampled_candidates
from localrec.evaluation.ranking.system_factory import SystemFactory
from localrec.foundation.jsonl_log import JsonlLog
from localrec.memory.collaborative_memory import CollaborativeMemory
from localrec.memory.configs import MemRecConfig
from localrec.memory.from_log import build_collaborative_memory, deduplicated_history
from localrec.memory.fusion import FusionWeights
from localrec.memory.memrec import MemRec
from localrec.systems.memrec import MemoryRecommender

ARMS = ("writes on", "writes off", "nothing grows")
METRICS = ("H@1", "NDCG@10")
STEP = 500  # rows between two counts of the shared memory
NEGATIVES = 19

Rows = NDArray[np.int64]


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked between two counts of the shared memory.

    Args:
        start: Place of its first row in the order of time.
        rows: The rows that were asked about.
        metrics: Arm -> metric -> the figure of each row.
    """

    start: int
    rows: tuple[int, ...]
    metrics: dict[str, dict[str, tuple[float, ...]]]


class Bench(SystemFactory):
    """Makes whole systems, and shared memories of some rows."""

    def collaborative_memory(self, rows: Interactions) -> CollaborativeMemory:
        """The shared memory that these rows make."""
        return build_collaborative_memory(rows, self.knowledge)


class Stream(msgspec.Struct, frozen=True):
    """Rows in the order of time, each by its number in the data.

    Args:
        data: All rows, those too that are left out.
        order: Rows that are replayed, (s,).
        half: So many of them are known before.
    """

    data: Interactions
    order: Rows
    half: int

    def before(self, place: int) -> Interactions:
        """What had come before a place in the order."""
        rows = np.sort(self.order[:place])
        return self.data.select(rows)

    def history(self, row: int) -> NDArray[np.int32]:
        """Items that the person of a row had before it, oldest first."""
        return self.data.item[int(self.data.first_row[self.data.user[row]]) : row]

    def history_half_way(self, user: int) -> NDArray[np.int32]:
        """Items that a person had when the stream began."""
        first = int(self.data.first_row[user])
        known = int((self.data.user[self.order[: self.half]] == user).sum())
        return self.data.item[first : first + known]

    def asked(self, each: int, seed: int) -> Rows:
        """At most so many rows of each person, drawn from those behind the half, in their order.

        A person's first row is none of them: of nothing nothing can be foretold.
        """
        rows = self.order[self.half :]
        rows = rows[rows > self.data.first_row[self.data.user[rows]]]
        drawn = np.random.default_rng(seed).permutation(rows)
        drawn = drawn[np.argsort(self.data.user[drawn], kind="stable")]
        user = self.data.user[drawn]
        chosen = drawn[np.arange(len(drawn)) - np.searchsorted(user, user) < each]
        return rows[np.isin(rows, chosen)]


def stream_of(data: Interactions) -> Stream:
    """The stream of a data set, everybody's last row left out."""
    rows = np.flatnonzero(~leave_one_out(data.user).test)
    order = rows[np.argsort(data.at[rows], kind="stable")]
    return Stream(data, order, len(order) // 2)


class Replay:
    """Puts rows to the three memories.

    Args:
        bench: Counts shared memories.
        stream: The rows.
        weights: Of all arms.
        candidates: Row -> what is ranked, its own item among it.
    """

    def __init__(
        self,
        bench: Bench,
        stream: Stream,
        weights: FusionWeights,
        candidates: Mapping[int, NDArray[np.int32]],
    ) -> None:
        self._bench, self._stream, self._weights = bench, stream, weights
        self._candidates = candidates
        self._off = self._memory(stream.half)
        self._still: dict[int, NDArray[np.float32]] = {}

    def step(self, start: int, rows: Sequence[int]) -> Step:
        """Count the shared memory of all rows before, and rank the step's rows."""
        memory_on = self._memory(start)
        data = self._stream.data
        ranked: dict[str, list[NDArray[np.float32]]] = {arm: [] for arm in ARMS}
        for row in rows:
            items, likes = deduplicated_history(self._stream.history(row))
            user, pool = int(data.user[row]), self._candidates[row]
            of_all = (
                memory_on.scores(items, likes, user),
                self._off.scores(items, likes, user),
                self._standing_still(user),
            )
            for arm, scores in zip(ARMS, of_all, strict=True):
                ranked[arm].append(scores[pool])
        positive = np.array(
            [np.argmax(self._candidates[row] == data.item[row]) for row in rows], dtype=np.int64
        )
        return Step(
            start=start,
            rows=tuple(rows),
            metrics={arm: _figures(np.stack(scores), positive) for arm, scores in ranked.items()},
        )

    def _memory(self, place: int) -> MemRec:
        known = self._bench.collaborative_memory(self._stream.before(place))
        return MemRec(known, MemRecConfig(), self._weights)

    def _standing_still(self, user: int) -> NDArray[np.float32]:
        if user not in self._still:
            items, likes = deduplicated_history(self._stream.history_half_way(user))
            self._still[user] = self._off.scores(items, likes, user)
        return self._still[user]


def _figures(ranked: NDArray[np.float32], positive: Rows) -> dict[str, tuple[float, ...]]:
    places = tied_ranks(ranked, positive)
    found = (hit_rates(places, 1), ndcgs(places, 10))
    return {name: tuple(one.round(6).tolist()) for name, one in zip(METRICS, found, strict=True)}


def measure_stream(
    bench: Bench, stream: Stream, each: int, seed: int, kept: Path
) -> tuple[list[Step], dict[str, float]]:
    """Replay what is not done yet; all steps in their order, and the weights.

    Args:
        bench: Makes memories.
        stream: All rows.
        each: Rows of a person that are asked about.
        seed: Of these rows, their candidates and the fit.
        kept: Where steps are kept; what is there is not measured again.
    """
    system = bench.make(SystemConfig(name="memrec", kind="memory"), {})
    assert isinstance(system, MemoryRecommender)
    system.fit(stream.before(stream.half), seed, lambda what, done, total: None)
    weights = system.log_memory.weights
    assert weights is not None  # the evidence of memrec is fused
    rows = stream.asked(each, seed)
    drawn = sampled_candidates(
        stream.data.user, stream.data.item, rows, negatives=NEGATIVES, seed=seed
    )
    pools = dict(zip(rows.tolist(), drawn.items.astype(np.int32), strict=True))
    replay = Replay(bench, stream, weights, pools)
    with JsonlLog(kept, Step) as ledger:
        done = {step.start for step in ledger.records}
        for start in range(stream.half, len(stream.order), STEP):
            wanted = [row for row in stream.order[start : start + STEP].tolist() if row in pools]
            if wanted and start not in done:
                ledger.append(replay.step(start, wanted))
                print(f"up to row {start + STEP} of {len(stream.order)}", file=sys.stderr)
        steps = sorted(ledger.records, key=lambda step: step.start)
    return steps, weights.weights


def counting_ms(bench: Bench, stream: Stream) -> float:
    """CPU time of counting the shared memory of all rows anew, for each row of a step."""
    rows = stream.before(len(stream.order))
    used = time.process_time()
    bench.collaborative_memory(rows)
    return round(1000 * (time.process_time() - used) / STEP, 2)
