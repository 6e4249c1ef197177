"""The default ranker: kinds of evidence, with weights learnt from held-out rows of the same log.

    1. hold some rows and users out of the log              (`held_out.py`)
    2. fit every kind of evidence on the rest               (`evidence/`)
    3. learn how much each signal counts from what was held out   (`fusion.py`)
    4. fit the kinds that count again, on all rows

Networks go on from their weights of step 2 in step 4, so that they are not trained twice. A log
beyond `most_rows` is learnt from a sample of its users. What is finished is kept in a folder, where
one is given: a fit that was stopped or killed goes on behind it, and one on unchanged rows is read.

Histories that have days and those that have none are weighed by weights of their own. A history
without days may still be in order, as a request lists it; nothing tells. So it is read both ways,
and the shares that an item gets are mixed.
"""

from __future__ import annotations

import shutil
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from localrec.data.interactions import Interactions
from localrec.data.item_features import ItemFeatures
from localrec.foundation.errors import InputError, UsageError
from localrec.foundation.progress import Progress
from localrec.ranking.learned.artefact import (
    Arrays,
    put_together,
    read_artefact,
    take_apart,
    write_artefact,
)
from localrec.ranking.learned.contributions import AccountedScores
from localrec.ranking.learned.evidence import KINDS
from localrec.ranking.learned.evidence.base import (
    FitContext,
    FittedEvidence,
    ShouldStop,
    Signals,
    check_stop,
    check_stop_flag,
)
from localrec.ranking.learned.features import (
    features_of,
    signal_of,
)
from localrec.ranking.learned.fitting import (
    fingerprint_of,
    fit_or_read,
    sample_users,
    without_false_order,
)
from localrec.ranking.learned.fusion import (
    LearnedWeights,
    chance_of_order,
    default_weights,
    item_familiarity,
    learn_from_held_out,
    mixed_scores,
)
from localrec.ranking.learned.held_out import InnerSplit, split_log
from localrec.ranking.learned.interactions import Floats, Histories
from localrec.ranking.learned.time_left import ALL, INNER, WEIGHING

_GIB = 2**30
_CELLS = 1 << 24  # of features held at once while scoring
_TELLS = "user-knn"  # kept for reasons even without a weight: it knows who came to what when
_GROWTH = 1.5  # of a store, from which on its weights are learnt anew
_SHARES = {INNER: 0.3, ALL: 0.1}  # of a fit's time that one network may take in a stage


class RankerConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Limit what the ranker uses.

    Args:
        kinds: Kinds of evidence to try.
        most_rows: Most rows to learn from; of more, a sample of the users.
        memory_limit: Most bytes that one kind may hold while it is fitted.
        threads: Threads for networks; two are slower than one where other work wants a core.
        seconds: CPU seconds that a fit should take; beyond them networks give up passes, and the
            report says so.
    """

    kinds: tuple[str, ...] = tuple(KINDS)
    most_rows: int = 2_000_000
    memory_limit: int = 3 * _GIB
    threads: int = 1
    seconds: float = 600.0


class FitReport(msgspec.Struct, frozen=True, kw_only=True):
    """The report of a fit.

    Args:
        seed: Seed of every random choice.
        rows: The number of rows in the log.
        learnt_rows: The number of rows that were learnt from.
        seconds: Part of the fit -> its seconds.
        fingerprint: Hash of the log, the settings and the seed.
        shortened: Kinds of evidence whose training was cut short by the time allowed.
        weighed_rows: Rows that the log had when the weights were learnt.
    """

    seed: int
    rows: int
    learnt_rows: int
    seconds: dict[str, float]
    fingerprint: str
    shortened: tuple[str, ...] = ()
    weighed_rows: int = 0

    @property
    def sampled(self) -> bool:
        """Whether only a sample of the rows was used."""
        return self.learnt_rows < self.rows


class FusedRanker:
    """Score all items by a weighted sum of all evidence.

    Example:
        After `ranker = FusedRanker()` and `ranker.fit(log, features, seed=7)`,
        `ranker.score(histories)` has a row of scores for each history.

    Args:
        config: The limits of the ranker.
        folder: Folder that keeps the ranker and its finished parts; None keeps nothing.
        progress: Called with the part that is being fitted.
        should_stop: Called now and then; a yes ends the fit.
        may_ablate: Whether to keep in memory the parts that `ablated` needs.
    """

    name = "auto"

    def __init__(
        self,
        config: RankerConfig | None = None,
        folder: Path | None = None,
        *,
        progress: Progress = lambda what, done, total: None,
        should_stop: ShouldStop = lambda: False,
        may_ablate: bool = False,
    ) -> None:
        self.config = config or RankerConfig()
        self.evidence: dict[str, FittedEvidence] = {}
        self._folder, self._may_ablate = folder, may_ablate
        self._inner: dict[str, FittedEvidence] = {}
        self._split: InnerSplit | None = None
        self._progress, self._should_stop = progress, should_stop
        self.ordered = self.unordered = default_weights(())
        self.report: FitReport | None = None
        self._items = 0
        self._familiarity = np.zeros(0, dtype=np.float32)

    def fit(self, log: Interactions, side: ItemFeatures, *, seed: int) -> None:
        """Fit evidence and weights; reuse the parts of a stopped fit on the same rows.

        Raises:
            FitStoppedError: the stop flag went up; what is finished is kept.
        """
        mark = fingerprint_of(log, side, self.config, seed)
        with suppress(InputError):  # a damaged ranker is made again
            if self.load(mark):
                return
        seconds: dict[str, float] = {}
        learnt = without_false_order(sample_users(log, self.config.most_rows, seed), seed)
        split = split_log(learnt, seed)
        inner = self._fit_kinds(split.log, side, seed, INNER, mark, seconds)
        started = time.perf_counter()
        self._items, self._familiarity = log.items, item_familiarity(log.popularity)
        self.evidence = inner
        self._learn_both(split, seed)
        seconds["weights"] = time.perf_counter() - started
        if self._may_ablate:
            self._inner, self._split = dict(inner), split
        used = self._kinds_of((*self.ordered.used, *self.unordered.used))
        for kind in set(inner) - {*used, _TELLS}:
            del inner[kind]
        self.evidence = {}
        del split  # large stores are not held twice
        self.evidence = self._fit_kinds(learnt, side, seed, ALL, mark, seconds, inner)
        self._keep(mark, seed, (len(log), len(learnt), len(log)), seconds)

    def update(self, log: Interactions, side: ItemFeatures, *, seed: int) -> None:
        """Add new rows: weights stay, networks train on, counts are redone.

        A ranker that was never fitted is fitted, and so is one whose weights were learnt from a
        store that was half as large again, or that much smaller. Users and items keep their
        numbers; new ones come behind them.
        """
        weighed = 0 if self.report is None else self.report.weighed_rows
        if self.report is None or not weighed / _GROWTH <= len(log) <= weighed * _GROWTH:
            self.fit(log, side, seed=seed)
            return
        mark = fingerprint_of(log, side, self.config, seed)
        if mark == self.report.fingerprint:
            return
        seconds: dict[str, float] = {}
        learnt = without_false_order(sample_users(log, self.config.most_rows, seed), seed)
        self.evidence = self._fit_kinds(learnt, side, seed, ALL, mark, seconds, dict(self.evidence))
        self._items, self._familiarity = log.items, item_familiarity(log.popularity)
        self._keep(mark, seed, (len(log), len(learnt), weighed), seconds)

    def ablated(self, kind: str) -> FusedRanker:
        """Return the same ranker without one kind of evidence, with new weights.

        Raises:
            UsageError: what it takes was not kept.
        """
        if self._split is None or self.report is None:
            raise UsageError(
                "This ranker kept nothing to learn other weights from.",
                "Fit it with may_ablate=True.",
            )
        less = FusedRanker(self.config)
        less._items, less._familiarity, less.report = self._items, self._familiarity, self.report
        less.evidence = {name: one for name, one in self._inner.items() if name != kind}
        less._learn_both(self._split, self.report.seed)
        less.evidence = {name: one for name, one in self.evidence.items() if name != kind}
        return less

    def score(self, histories: Histories) -> Floats:
        """Score all items, (b, items); history items are scored like any other."""
        scores = np.zeros((len(histories), self._items), dtype=np.float32)
        ordered = histories.ordered
        step = max(1, _CELLS // max(1, self._items * len(self.ordered.names)))
        for rows in (np.flatnonzero(ordered), np.flatnonzero(~ordered)):
            for begin in range(0, len(rows), step):
                part = rows[begin : begin + step]
                some = histories.take(part)
                scores[part] = self._weighted(some).sum(axis=0)
                if self._is_read_twice(some):
                    in_order = self._weighted(some.taken_in_order()).sum(axis=0)
                    chance = chance_of_order(some.lengths)
                    scores[part] = mixed_scores(scores[part], in_order, chance)
        return scores

    def account(self, history: Histories) -> AccountedScores:
        """Score all items for a single history, as `score` does, with the contributions.

        Of a history without days it is told how it is read if its order says nothing, or if it
        does, whichever is likelier.
        """
        told, weighted = history, self._weighted(history)
        scores = weighted.sum(axis=0)
        if self._is_read_twice(history):
            ordered = history.taken_in_order()
            in_order, chance = self._weighted(ordered), chance_of_order(history.lengths)
            scores = mixed_scores(scores, in_order.sum(axis=0), chance)
            if chance[0] > 0.5:
                told, weighted = ordered, in_order
        names = self._weights_of(told).names
        return AccountedScores(
            scores[0], names, weighted[: len(names), 0], self.evidence, self._names, told
        )

    @property
    def used_kinds(self) -> tuple[str, ...]:
        """List the kinds of evidence that have a weight."""
        return tuple(self._kinds_of((*self.ordered.used, *self.unordered.used)))

    def signals(self, histories: Histories, kinds: tuple[str, ...] | None = None) -> Signals:
        """Compute all signals of the fitted evidence, or of some kinds, by name."""
        found: Signals = {}
        for kind, fitted in self.evidence.items():
            if kinds is None or kind in kinds:
                found |= fitted.signals(histories)
        return found

    def save(self) -> None:
        """Save the fitted ranker in its folder, if it has one."""
        if self._folder is None or self.report is None:
            return
        plain: dict[str, Any] = {}
        arrays: Arrays = {}
        for kind, fitted in self.evidence.items():
            assert isinstance(fitted, msgspec.Struct)
            some_plain, some_arrays = take_apart(fitted, f"{kind}/")
            plain |= some_plain
            arrays |= some_arrays
        arrays["familiarity"] = self._familiarity
        plain["kinds"] = list(self.evidence)
        plain["items"] = self._items
        plain["ordered"] = msgspec.to_builtins(self.ordered)
        plain["unordered"] = msgspec.to_builtins(self.unordered)
        plain["report"] = msgspec.to_builtins(self.report)
        write_artefact(self._folder, plain, arrays)
        del arrays
        self.load()  # mapped from the whole, for the parts are removed
        for stage in _SHARES:
            for kind in KINDS:
                shutil.rmtree(self._folder / f"{stage}-{kind}", ignore_errors=True)

    def load(self, fingerprint: str = "") -> bool:
        """Load a saved ranker, with the given fingerprint if any; return whether there was one.

        Raises:
            InputError: the files are damaged.
        """
        stored = None if self._folder is None else read_artefact(self._folder)
        if stored is None:
            return False
        plain, arrays = stored
        report = msgspec.convert(plain["report"], FitReport)
        if fingerprint and report.fingerprint != fingerprint:
            return False
        self.evidence = {
            kind: put_together(KINDS[kind].record, plain, arrays, f"{kind}/")
            for kind in plain["kinds"]
        }
        self.ordered = msgspec.convert(plain["ordered"], LearnedWeights)
        self.unordered = msgspec.convert(plain["unordered"], LearnedWeights)
        self._items, self._familiarity = plain["items"], arrays["familiarity"]
        self.report = report
        return True

    def _keep(
        self, mark: str, seed: int, rows: tuple[int, int, int], seconds: dict[str, float]
    ) -> None:
        """Save the ranker with its report: counts of all rows and of those used."""
        self.report = FitReport(
            seed=seed,
            rows=rows[0],
            learnt_rows=rows[1],
            weighed_rows=rows[2],
            seconds={name: round(value, 2) for name, value in seconds.items()},
            fingerprint=mark,
            shortened=tuple(
                kind for kind, one in self.evidence.items() if getattr(one, "share", 1.0) < 1.0
            ),
        )
        self.save()

    def _weights_of(self, histories: Histories) -> LearnedWeights:
        """Return the weights for ordered or for unordered histories."""
        return self.ordered if histories.ordered.all() else self.unordered

    def _is_read_twice(self, histories: Histories) -> bool:
        """Whether histories may be ordered without days, and weights for both readings exist."""
        return self.ordered.cases > 0 and not histories.ordered.any()

    def _weighted(self, histories: Histories) -> Floats:
        """Multiply each signal's weight and deviation by its scores, (k, b, items)."""
        weights = self._weights_of(histories)
        if not weights.names:
            return np.zeros((1, len(histories), self._items), dtype=np.float32)
        kinds = self._kinds_of(weights.used)
        found = self.signals(histories, tuple(kinds))
        if not found:
            return np.zeros((len(weights.names), len(histories), self._items), dtype=np.float32)
        features = features_of(found, weights.names)
        features *= weights.of_histories(histories, self._familiarity)[:, :, None]
        return features

    def _fit_kinds(
        self,
        log: Interactions,
        side: ItemFeatures,
        seed: int,
        stage: str,
        mark: str,
        seconds: dict[str, float],
        older: dict[str, FittedEvidence] | None = None,
    ) -> dict[str, FittedEvidence]:
        """Fit all kinds, or update those in `older`, which is emptied; keep slow ones on disk."""
        fitted: dict[str, FittedEvidence] = {}
        chosen = self.config.kinds if older is None else tuple(older)
        for number, kind in enumerate(chosen):
            self._progress(f"{stage}: {kind}", number, len(chosen))
            context = FitContext(
                log=log,
                side=side,
                seed=seed,
                memory_limit=self.config.memory_limit,
                threads=self.config.threads,
                progress=self._progress,
                should_stop=self._should_stop,
                previous=None if older is None else older.pop(kind),
                seconds=_SHARES[stage] * self.config.seconds,
            )
            check_stop(context)
            started = time.perf_counter()
            folder = None if self._folder is None else self._folder / f"{stage}-{kind}"
            found = fit_or_read(kind, context, folder, mark)
            seconds[f"{stage} {kind}"] = time.perf_counter() - started
            if found is not None:
                fitted[kind] = found
        return fitted

    def _learn_both(self, split: InnerSplit, seed: int) -> None:
        """Learn weights for ordered histories and for unordered ones."""
        learnt = []
        for number, held_out in enumerate((split.ordered, split.unordered)):
            self._progress(WEIGHING, number, 2)
            check_stop_flag(self._should_stop)
            learnt.append(
                learn_from_held_out(held_out, self.signals, self._familiarity, seed + number)
            )
        self.ordered, self.unordered = learnt

    def _kinds_of(self, features: tuple[str, ...]) -> list[str]:
        """List the kinds of evidence with a signal in some features."""
        signals = {signal_of(name) for name in features}
        return [kind for kind, names in self._names.items() if names & signals]

    @property
    def _names(self) -> dict[str, set[str]]:
        """Name the signals of each kind."""
        nothing = Histories.of([])
        return {kind: set(fitted.signals(nothing)) for kind, fitted in self.evidence.items()}
