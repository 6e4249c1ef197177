"""Compare two measured systems case by case, from one run or from two runs on the same cases.

Users (or questions) are resampled and swapped whole. All metrics where more is better are tested
together, and so are those where less is better; the p-values are corrected for their number
(`statistics.compare_all`). Times are not compared: they depend on other work of the machine, which
no interval shows.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from localrec.data.records import Record
from localrec.evaluation.questions.answer_scoring import COSTS, FAULTS, MEASURES
from localrec.evaluation.ranking.inference import CaseResult
from localrec.evaluation.ranking.scoring import FALLING, Values, parts_of, values_of
from localrec.evaluation.run_folder import RunFolder
from localrec.evaluation.statistics import (
    Comparison,
    IntervalEstimate,
    Parts,
    compare_all,
    ratio_estimate,
)
from localrec.foundation.errors import UsageError

Pairs = dict[str, tuple[Parts, Parts]]  # our parts and theirs, for `statistics.compare_all`

_FALLING = FALLING | FAULTS


class MetricComparison(msgspec.Struct, frozen=True, kw_only=True):
    """One metric of both systems, and their difference."""

    metric: str
    ours: IntervalEstimate
    theirs: IntervalEstimate
    compared: Comparison


class SystemComparison(msgspec.Struct, Record, frozen=True, kw_only=True):
    """Two systems over their common cases, named as RUN:SYSTEM."""

    ours: str
    theirs: str
    cases: int
    metrics: tuple[MetricComparison, ...]


def compare_runs(
    ours: RunFolder, theirs: RunFolder, our_system: str | None, their_system: str | None
) -> list[SystemComparison]:
    """Compare two runs: the named systems, else those that both have.

    A single name stands for both sides; two runs with one system each need none.

    Raises:
        UsageError: other data, another protocol or other cases; no such system, or none in common.
    """
    _check_alike(ours, theirs)
    return [
        _compare(ours, theirs, mine, other)
        for mine, other in _matched(ours, theirs, our_system, their_system)
    ]


def have_same_cases(ours: RunFolder, theirs: RunFolder) -> bool:
    """Tell whether two runs were asked the same cases, so that they can be compared."""
    return ours.asks_questions == theirs.asks_questions and _state_of(ours) == _state_of(theirs)


def _matched(
    ours: RunFolder, theirs: RunFolder, our_system: str | None, their_system: str | None
) -> list[tuple[str, str]]:
    here, there = _names(ours), _names(theirs)
    if our_system or their_system:
        pairs = [(our_system or their_system or "", their_system or our_system or "")]
    elif len(here) == len(there) == 1:
        pairs = [(here[0], there[0])]
    else:
        pairs = [(name, name) for name in here if name in there]
    if not pairs or any(mine not in here or other not in there for mine, other in pairs):
        raise UsageError(
            f"{ours.path.name} has measured {', '.join(here) or 'nothing'}; "
            f"{theirs.path.name} has measured {', '.join(there) or 'nothing'}.",
            "Name systems as RUN:SYSTEM.",
        )
    if ours.path == theirs.path and all(mine == other for mine, other in pairs):
        raise UsageError(
            "A system is no better than itself.", "Name two systems of the run as RUN:SYSTEM."
        )
    return pairs


def _names(run: RunFolder) -> list[str]:
    return [one.name for one in run.metrics().systems if not one.failed]


def _check_alike(ours: RunFolder, theirs: RunFolder) -> None:
    if ours.asks_questions != theirs.asks_questions:
        raise UsageError(
            f"Of {ours.path.name} and {theirs.path.name} one ranks, the other answers questions.",
            "Compare two runs of one kind.",
        )
    mine, other = _state_of(ours), _state_of(theirs)
    different = [what for what, state in mine.items() if other[what] != state]
    if different:
        raise UsageError(
            f"{ours.path.name} and {theirs.path.name} cannot be compared: "
            f"{' and '.join(different)} differ.",
            "Run both with the same data and protocol.",
        )


def _state_of(run: RunFolder) -> dict[str, object]:
    """Return the state that two runs must share for their cases to be the same."""
    if not run.asks_questions:
        ranked = run.origin()
        return {"the data": ranked.fingerprint, "the protocol": ranked.run.protocol}
    asked = run.question_origin()
    return {
        "the data": asked.fingerprint,
        "the half": asked.run.questions.half,
        "the length of answers": asked.run.k,
    }


def _compare(
    ours: RunFolder, theirs: RunFolder, our_system: str, their_system: str
) -> SystemComparison:
    parts_of_both = _question_parts if ours.asks_questions else _ranking_parts
    count, pairs = parts_of_both(ours, theirs, our_system, their_system)
    rising = {name: both for name, both in pairs.items() if name not in _FALLING}
    falling = {name: both for name, both in pairs.items() if name in _FALLING}
    found = {**compare_all(rising), **compare_all(falling, rising=False)}
    return SystemComparison(
        ours=f"{ours.path.name}:{our_system}",
        theirs=f"{theirs.path.name}:{their_system}",
        cases=count,
        metrics=tuple(
            MetricComparison(
                metric=name,
                ours=ratio_estimate(here),
                theirs=ratio_estimate(there),
                compared=found[name],
            )
            for name, (here, there) in pairs.items()
        ),
    )


def _ranking_parts(
    ours: RunFolder, theirs: RunFolder, our_system: str, their_system: str
) -> tuple[int, Pairs]:
    """Count the cases that both were asked, and collect the parts of each metric by user."""
    mine = {one.id: one for one in ours.outcomes(our_system)}
    other = {one.id: one for one in theirs.outcomes(their_system)}
    _check_whole(ours, our_system, len(mine))
    _check_whole(theirs, their_system, len(other))
    common = _common(f"{ours.path.name}:{our_system}", mine, other)
    here, there = (
        _values(ours, theirs, [mine[one] for one in common]),
        _values(ours, theirs, [other[one] for one in common]),
    )
    users = [mine[one].user for one in common]
    return len(common), {  # what an agent alone has, such as figures as shown, is left out
        name: (parts_of(here[name], users), parts_of(there[name], users))
        for name in here
        if name in there
    }


def _question_parts(
    ours: RunFolder, theirs: RunFolder, our_system: str, their_system: str
) -> tuple[int, Pairs]:
    """Count the questions that both were asked, and collect the parts of each figure."""
    mine = {one.id: one.parts for one in ours.case_lines(our_system)}
    other = {one.id: one.parts for one in theirs.case_lines(their_system)}
    _check_whole(ours, our_system, len(mine))
    _check_whole(theirs, their_system, len(other))
    common = _common(f"{ours.path.name}:{our_system}", mine, other)
    return len(common), {
        name: ([mine[one][name] for one in common], [other[one][name] for one in common])
        for name in MEASURES
        if name not in COSTS
    }


def _check_whole(run: RunFolder, system: str, cases: int) -> None:
    [asked] = [one.cases for one in run.metrics().systems if one.name == system]
    if cases != asked:
        raise UsageError(
            f"{run.path.name} has {cases} cases of {system}, but was asked {asked}.",
            "Run it again; it goes on where it was.",
        )


def _common(named: str, mine: Mapping[str, object], other: Mapping[str, object]) -> list[str]:
    """List the ids of the cases of both runs, in the order of the first."""
    common = [one for one in mine if one in other]
    if not common:
        raise UsageError(
            f"Of the {len(mine)} cases of {named} none is among the {len(other)} of the other.",
            "Give both the same seed, or a larger sample.",
        )
    return common


def _values(ours: RunFolder, theirs: RunFolder, outcomes: list[CaseResult]) -> dict[str, Values]:
    """Compute every metric at the lengths that both runs kept."""
    config, other = ours.origin().run, theirs.origin().run
    ks = [k for k in config.lengths if k in other.lengths]
    return values_of(outcomes, ks, several=config.protocol.has_several_targets)
