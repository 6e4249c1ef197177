"""Serves the Runs room: past evaluations, their figures and cases, and comparisons of two.

A run's folder may be somebody else's: all of its words are cleaned before they come here. Records
here are made of what a screen shows; nothing of NumPy is loaded with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Literal

import msgspec

from localrec.foundation.progress import Progress
from localrec_tui.services.commands import CommandRunner
from localrec_tui.services.records import RequestHandle, Verdict
from localrec_tui.services.run_cases import (
    CaseParts,
    CaseSummary,
    clean_line,
    find_case,
    question_line,
    question_parts,
    ranked_lines,
    ranking_line,
    ranking_parts,
    rationale_parts,
    read_rationales,
    trajectory_parts,
)

if TYPE_CHECKING:
    from localrec.evaluation.comparisons import SystemComparison
    from localrec.evaluation.run_folder import RunFolder, SystemResult
    from localrec.evaluation.statistics import IntervalEstimate

State = Literal["complete", "unfinished", "unreadable"]


class RunSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A run of the workspace.

    Args:
        name: Its folder's.
        title: Its title; why it cannot be read, where it cannot.
        state: How far it is.
        systems: That were measured.
        date: When it was begun, as the run says.
    """

    name: str
    title: str
    state: State
    systems: tuple[str, ...] = ()
    date: str = ""


class ConfigSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A configuration that ships, ready to be run."""

    name: str
    title: str
    systems: tuple[str, ...]


class MetricValue(msgspec.Struct, frozen=True):
    """A figure with its 95% interval; None where nothing was measured, or where there is none."""

    value: float | None
    low: float | None = None
    high: float | None = None


class SystemSummary(msgspec.Struct, frozen=True, kw_only=True):
    """One system of a run.

    Args:
        name: Its name in the run.
        figures: Metric -> figure.
        cases: How many it was asked.
        seconds: To fit it, and for all its answers.
        doubts: Reasons to doubt its figures, as sentences.
        settings: As sentences, too.
    """

    name: str
    figures: dict[str, MetricValue]
    cases: int
    seconds: tuple[float, float]
    doubts: tuple[str, ...] = ()
    settings: str = ""


class RunFigures(msgspec.Struct, frozen=True, kw_only=True):
    """A run with all its figures.

    Args:
        found: The run.
        protocol: The protocol as a paragraph, and the command behind the run.
        systems: In the order of the configuration.
        metrics: Names of all figures, the most telling first.
        falling: Those of which less is better.
    """

    found: RunSummary
    protocol: tuple[str, ...]
    systems: tuple[SystemSummary, ...]
    metrics: tuple[str, ...]
    falling: frozenset[str] = frozenset()


class MetricDifference(msgspec.Struct, frozen=True, kw_only=True):
    """One metric of two systems, and how it differs."""

    metric: str
    ours: MetricValue
    theirs: MetricValue
    difference: MetricValue
    p: float | None
    verdict: str


class RunComparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two systems over the cases of both, named RUN:SYSTEM."""

    ours: str
    theirs: str
    cases: int
    metrics: tuple[MetricDifference, ...]


_RUNS = "runs"
_LEADING = ("NDCG", "H", "MRR", "recall", "satisfaction_at_3", "router_accuracy")
LookUpNames = Callable[[str, Iterable[str]], dict[str, str]]
LookUpVerdicts = Callable[[str, str | None, Iterable[str]], dict[str, Verdict]]


class RunService:
    """Reads past evaluations and starts new ones; making one opens nothing.

    Args:
        folder: The workspace.
        names: Looks names of items up.
        verdicts: Looks up what a user said of items.
    """

    def __init__(self, folder: Path, names: LookUpNames, verdicts: LookUpVerdicts) -> None:
        self._folder = folder
        self._runs = folder / _RUNS
        self._names, self._verdicts = names, verdicts
        self._sender = CommandRunner(folder)
        self._reading = Lock()  # one thread at a time prepares the decoders of msgspec

    def runs(self) -> tuple[RunSummary, ...]:
        """The runs of the workspace."""
        from localrec.evaluation.run_folder import runs_in

        with self._reading:
            return tuple(_found_or_why(folder) for folder in runs_in(self._runs))

    def configs(self) -> tuple[ConfigSummary, ...]:
        """The configurations that ship."""
        from localrec.evaluation.configs import load_config, ready_configs

        with self._reading:
            declared = [(path.stem, load_config(str(path))[0]) for path in ready_configs().values()]
        return tuple(
            ConfigSummary(
                name=name, title=one.title, systems=tuple(system.name for system in one.systems)
            )
            for name, one in declared
        )

    def run(self, name: str) -> RunFigures:
        """A run with its figures."""
        from localrec.evaluation.questions.answer_scoring import COSTS, FAULTS
        from localrec.evaluation.ranking.scoring import FALLING

        less = frozenset({*FALLING, *FAULTS, *COSTS, "ms", "miscalibration"})
        with self._reading:
            return _opened(self._folder_of(name), less)

    def cases(self, run: str, system: str) -> tuple[CaseSummary, ...]:
        """The cases of a system."""
        with self._reading:
            folder = self._folder_of(run)
            if folder.asks_questions:
                return tuple(map(question_line, folder.case_lines(system)))
            return tuple(map(ranking_line, folder.outcomes(system)))

    def case(self, run: str, system: str, case: str, user: str | None = None) -> CaseParts:
        """All that the run keeps of a case, with what a user said of the items of its list."""
        with self._reading:
            folder = self._folder_of(run)
            if not folder.asks_questions:
                return self._ranking_case(folder, system, case, user)
            parts = question_parts(find_case(folder.case_lines(system), case))
            return CaseParts(id=case, parts=tuple(parts))

    def compare(
        self, ours: tuple[str, str | None], theirs: tuple[str, str | None]
    ) -> tuple[RunComparison, ...]:
        """Two systems, or all that two runs have in common."""
        from localrec.evaluation.comparisons import compare_runs

        (mine, our_system), (other, their_system) = ours, theirs
        with self._reading:
            found = compare_runs(
                self._folder_of(mine), self._folder_of(other), our_system, their_system
            )
        return tuple(map(_compared, found))

    def rival(self, run: str) -> RunComparison | None:
        """Compare a run's best system with the best that another run has on the same cases."""
        from localrec.evaluation.comparisons import compare_runs, have_same_cases
        from localrec.evaluation.run_folder import runs_in

        with self._reading:
            ours = self._folder_of(run)
            mine = _best_system(ours)
            others = [
                (found.value, folder, found)
                for folder in runs_in(self._runs)
                if folder.path != ours.path
                and (found := _best_system(folder)) is not None
                and have_same_cases(ours, folder)
            ]
            if mine is None or not others:
                return None
            _, theirs, best = max(others, key=lambda one: one[0])
            [compared] = compare_runs(ours, theirs, mine.name, best.name)
        return _compared(compared)

    def start(self, config: str, request: RequestHandle, progress: Progress) -> None:
        """Run a configuration that ships."""
        self._sender.send(("evaluate", "run", config), request, progress)

    def resume(self, run: str, request: RequestHandle, progress: Progress) -> None:
        """Go on with a run that was cut short, by the configuration in its folder."""
        path = self._folder_of(run).path
        arguments = ("evaluate", "run", str(path / "config.toml"), "--out", str(path))
        self._sender.send(arguments, request, progress)

    def stop(self, request: RequestHandle) -> None:
        """Stop a run."""
        self._sender.stop(request)

    def close(self) -> None:
        """End every process that was started."""
        self._sender.close()

    def _ranking_case(
        self, folder: RunFolder, system: str, case: str, user: str | None
    ) -> CaseParts:
        outcome = find_case(folder.outcomes(system), case)
        domain, _ = folder.origin().run.data.where()
        names = self._names(domain, {*outcome.targets, *outcome.top})
        said = self._verdicts(domain, user, outcome.top) if names else {}
        lines = ranked_lines(outcome, names)
        parts = (
            *ranking_parts(outcome, names),
            *rationale_parts(read_rationales(folder, system), case, names),
            *trajectory_parts(folder, system, case),
        )
        verdicts = {lines[key]: verdict for key, verdict in said.items()}
        return CaseParts(id=case, parts=parts, verdicts=verdicts)

    def _folder_of(self, name: str) -> RunFolder:
        from localrec.evaluation.run_folder import find_run

        return find_run(str(self._runs / name), self._runs)


def _found_or_why(folder: RunFolder) -> RunSummary:
    from localrec.foundation.errors import LocalrecError

    try:
        return _found(folder)
    except LocalrecError as error:
        name = clean_line(folder.path.name)
        return RunSummary(name=name, title=clean_line(error.message), state="unreadable")


def _found(folder: RunFolder) -> RunSummary:
    metrics, origin = folder.metrics(), folder.any_origin()
    return RunSummary(
        name=folder.path.name,
        title=clean_line(origin.run.title or origin.run.name),
        state="complete" if metrics.complete else "unfinished",
        systems=tuple(one.name for one in metrics.systems),
        date=clean_line(origin.made.date),
    )


class _BestSystem(msgspec.Struct, frozen=True):
    """The best system of a run by the metric that tells most."""

    name: str
    value: float


def _best_system(folder: RunFolder) -> _BestSystem | None:
    """Find the best system of a run; None where it is not whole, or nothing was measured."""
    from localrec.foundation.errors import LocalrecError

    try:
        metrics = folder.metrics()
    except LocalrecError:
        return None
    systems = [one for one in metrics.systems if metrics.complete and not one.failed]
    names = sorted({name for one in systems for name in one.metrics}, key=_by_weight)
    measured = [
        _BestSystem(one.name, value)
        for name in names[:1]
        for one in systems
        if name in one.metrics and (value := one.metrics[name].value) is not None
    ]
    return max(measured, key=lambda one: one.value, default=None)


def _opened(folder: RunFolder, less: frozenset[str]) -> RunFigures:
    results = folder.metrics().systems
    metrics = dict.fromkeys(clean_line(metric) for one in results for metric in one.metrics)
    return RunFigures(
        found=_found(folder),
        protocol=tuple(map(clean_line, _protocol_lines(folder))),
        systems=tuple(map(_system, results)),
        metrics=tuple(sorted(metrics, key=_by_weight)),
        falling=less,
    )


def _protocol_lines(folder: RunFolder) -> Iterator[str]:
    """Yield the protocol, and the command behind the run."""
    from localrec.evaluation.run_report import describe_protocol

    if folder.asks_questions:
        asked = folder.question_origin()
        half = asked.run.questions.half
        yield f"{asked.questions:,} questions of the {half} half, about {asked.items:,} items."
    else:
        yield describe_protocol(folder.origin())
    made = folder.any_origin().made
    yield f"{made.command}, {made.date}, {made.machine}"


def _by_weight(metric: str) -> tuple[int, int, str]:
    """The most telling metrics first, of each the longest list."""
    kind, _, length = metric.partition("@")
    place = _LEADING.index(kind) if kind in _LEADING else len(_LEADING)
    return place, -int(length) if length.isdigit() else 0, metric


def _system(result: SystemResult) -> SystemSummary:
    from localrec.evaluation.significance import doubts_about

    settings = ", ".join(f"{name} {value}" for name, value in result.settings.items())
    return SystemSummary(
        name=result.name,
        figures={clean_line(name): _figure(one) for name, one in result.metrics.items()},
        cases=result.cases,
        seconds=(result.fit_s, result.score_s),
        doubts=tuple(clean_line(f"{kind}: {told}") for kind, told in doubts_about(result)),
        settings=clean_line(settings),
    )


def _figure(measure: IntervalEstimate) -> MetricValue:
    return MetricValue(measure.value, measure.low, measure.high)


def _compared(one: SystemComparison) -> RunComparison:
    return RunComparison(
        ours=one.ours,
        theirs=one.theirs,
        cases=one.cases,
        metrics=tuple(
            MetricDifference(
                metric=clean_line(line.metric),
                ours=_figure(line.ours),
                theirs=_figure(line.theirs),
                difference=_figure(line.compared.difference),
                p=line.compared.p_adjusted,
                verdict=line.compared.verdict,
            )
            for line in sorted(one.metrics, key=lambda line: _by_weight(line.metric))
        ),
    )
