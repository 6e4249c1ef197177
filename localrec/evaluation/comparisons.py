"""Two measured systems against each other, case by case: of one run, or of two on the same cases.

People are resampled and swapped whole. All metrics where more is better are read together, and so
are those where fewer is; the verdicts are corrected for their number (`intervals.compare_all`).
Times are not compared: they depend on the machine's other work, and say so by no interval.
"""

from __future__ import annotations

import msgspec

from localrec.errors import UsageError
from localrec.evaluation.asking import Outcome
from localrec.evaluation.intervals import Comparison, Measure, compare_all, measure
from localrec.evaluation.runs import RunFolder
from localrec.evaluation.scoring import FALLING, Values, parts_of, values_of


class MetricComparison(msgspec.Struct, frozen=True, kw_only=True):
    """One metric of both systems, and what sets them apart."""

    metric: str
    ours: Measure
    theirs: Measure
    compared: Comparison


class SystemComparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two systems over the cases that both were asked; names as RUN:SYSTEM."""

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
    mine, other = ours.origin(), theirs.origin()
    different = [
        what
        for what, one, two in (
            ("the data", mine.fingerprint, other.fingerprint),
            ("the protocol", mine.run.protocol, other.run.protocol),
        )
        if one != two
    ]
    if different:
        raise UsageError(
            f"{ours.path.name} and {theirs.path.name} cannot be compared: "
            f"{' and '.join(different)} differ.",
            "Run both with the same data and protocol.",
        )


def _compare(
    ours: RunFolder, theirs: RunFolder, our_system: str, their_system: str
) -> SystemComparison:
    mine, other = _cases(ours, our_system), _cases(theirs, their_system)
    common = [one for one in mine if one in other]
    if not common:
        raise UsageError(
            f"{ours.path.name} has {len(mine)} cases of {our_system}, {theirs.path.name} has "
            f"{len(other)} of {their_system}, and none in common.",
            "Give both the same seed, or a larger sample.",
        )
    here, there = (
        _values(ours, theirs, [mine[one] for one in common]),
        _values(ours, theirs, [other[one] for one in common]),
    )
    people = [mine[one].person for one in common]
    parts = {name: (parts_of(here[name], people), parts_of(there[name], people)) for name in here}
    found = {
        **compare_all({name: both for name, both in parts.items() if name not in FALLING}),
        **compare_all(
            {name: both for name, both in parts.items() if name in FALLING}, rising=False
        ),
    }
    return SystemComparison(
        ours=f"{ours.path.name}:{our_system}",
        theirs=f"{theirs.path.name}:{their_system}",
        cases=len(common),
        metrics=tuple(
            MetricComparison(
                metric=name,
                ours=measure(parts[name][0]),
                theirs=measure(parts[name][1]),
                compared=found[name],
            )
            for name in parts
        ),
    )


def _cases(run: RunFolder, system: str) -> dict[str, Outcome]:
    """All cases of a measured system by their id."""
    outcomes = {one.id: one for one in run.outcomes(system)}
    [asked] = [one.cases for one in run.metrics().systems if one.name == system]
    if len(outcomes) != asked:
        raise UsageError(
            f"{run.path.name} has {len(outcomes)} cases of {system}, but was asked {asked}.",
            "Run it again; it goes on where it was.",
        )
    return outcomes


def _values(ours: RunFolder, theirs: RunFolder, outcomes: list[Outcome]) -> dict[str, Values]:
    """Every metric at the lengths that both runs kept."""
    config, other = ours.origin().run, theirs.origin().run
    ks = [k for k in config.lengths if k in other.lengths]
    return values_of(outcomes, ks, several=config.protocol.has_several_targets)
