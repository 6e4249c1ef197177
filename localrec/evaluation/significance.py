"""Compare a run's systems with the leader, and list figures that are in doubt.

Overlapping intervals tell little: both systems were asked the same cases, so their difference case
by case counts. Every system is tested against the best (`statistics.compare_all`, users whole),
corrected for the number of systems. The best was chosen on the same cases, which no test can
undo: it is the best here, and some others are not significantly worse.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec
import numpy as np

from localrec.evaluation.ranking.inference import CaseResult
from localrec.evaluation.ranking.scoring import FALLING, Values, parts_of, values_of
from localrec.evaluation.run_folder import RunFolder, SystemResult
from localrec.evaluation.statistics import Comparison, Parts, compare_all


class CaseValues(msgspec.Struct, frozen=True, kw_only=True):
    """One metric of one system, a value for each case.

    Args:
        cases: Their ids.
        users: User of each case.
        values: One for each; NaN where there was nothing to measure.
    """

    cases: tuple[str, ...]
    users: tuple[str, ...] = msgspec.field(name="people")
    values: Values


class LeaderComparison(msgspec.Struct, frozen=True, kw_only=True):
    """All systems against the best by one metric.

    Args:
        metric: Metric that they are ordered by.
        best: The system with the best figure; of several the first.
        others: Each other system against it: the other's figure minus the best one's.
    """

    metric: str
    best: str
    others: dict[str, Comparison]

    @property
    def level(self) -> tuple[str, ...]:
        """List the systems that are not significantly worse than the best."""
        return tuple(name for name, one in self.others.items() if one.verdict != "worse")


def is_believed(result: SystemResult) -> bool:
    """Whether a system was measured, without any doubt about its figures."""
    return bool(result.metrics) and not result.failed and not result.suspicions


def doubts_about(result: SystemResult) -> Iterator[tuple[str, str]]:
    """List the reasons to doubt a system's figures, with details."""
    if result.failed:
        yield "failed", result.failed
    for doubt in result.suspicions:
        yield doubt.kind, doubt.detail
    for kind, count in result.faults.items():
        yield kind, f"in {count} of {result.cases} answers"


def compare_with_leaders(run: RunFolder, metrics: Sequence[str]) -> dict[str, LeaderComparison]:
    """Compare all systems of a ranking run with the best by each metric.

    Only systems that are to be believed are compared, and nothing is where the cases of one of
    them are not all in the folder: it might be the best. A metric that none of them has is left
    out. A system that was asked a sample is compared over the cases of both.
    """
    declared = run.origin().run
    by_system: dict[str, dict[str, CaseValues]] = {}
    for one in filter(is_believed, run.metrics().systems):
        outcomes = run.outcomes(one.name)
        if len(outcomes) != one.cases:
            return {}
        several = declared.protocol.has_several_targets
        by_system[one.name] = _case_values(outcomes, declared.lengths, several=several)
    found = {}
    for metric in metrics:
        have = {name: values[metric] for name, values in by_system.items() if metric in values}
        if have:
            found[metric] = compare_with_leader(metric, have)
    return found


def compare_with_leader(metric: str, systems: Mapping[str, CaseValues]) -> LeaderComparison:
    """Compare every system with the best by one metric; at least one system is needed."""
    sign = -1.0 if metric in FALLING else 1.0
    best = max(systems, key=lambda name: sign * float(np.nanmean(systems[name].values)))
    pairs = {name: _paired(one, systems[best]) for name, one in systems.items() if name != best}
    return LeaderComparison(
        metric=metric, best=best, others=compare_all(pairs, rising=metric not in FALLING)
    )


def _case_values(
    outcomes: Sequence[CaseResult], lengths: Sequence[int], *, several: bool
) -> dict[str, CaseValues]:
    cases = tuple(one.id for one in outcomes)
    users = tuple(one.user for one in outcomes)
    return {
        metric: CaseValues(cases=cases, users=users, values=values)
        for metric, values in values_of(outcomes, lengths, several=several).items()
    }


def _paired(ours: CaseValues, theirs: CaseValues) -> tuple[Parts, Parts]:
    """Sum and count the values of each user over the cases of both."""
    here, there = ({case: row for row, case in enumerate(one.cases)} for one in (ours, theirs))
    common = [case for case in ours.cases if case in there]
    rows, others = [here[case] for case in common], [there[case] for case in common]
    users = [ours.users[row] for row in rows]
    return parts_of(ours.values[rows], users), parts_of(theirs.values[others], users)
