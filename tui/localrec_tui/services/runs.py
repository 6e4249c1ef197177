"""What the Runs room asks: past evaluations, their figures and cases, two of them compared.

A run's folder may be somebody else's: all of its words are cleaned before they come here. Records
here are made of what a screen shows; nothing of NumPy is loaded with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from localrec.foundation.progress import Progress
from localrec_tui.services.commands import CommandRunner
from localrec_tui.services.records import RequestHandle

if TYPE_CHECKING:
    from localrec.data.trajectory import Trajectory
    from localrec.evaluation.comparisons import SystemComparison
    from localrec.evaluation.explanations.explanation_records import Rationale
    from localrec.evaluation.questions.answer_scoring import AnswerScoreRecord
    from localrec.evaluation.ranking.inference import CaseResult
    from localrec.evaluation.run_folder import RunFolder, SystemResult
    from localrec.evaluation.statistics import IntervalEstimate

from typing import Literal

import msgspec

State = Literal["complete", "unfinished", "unreadable"]


class RunSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A run of the workspace.

    Args:
        name: Its folder's.
        title: What it is about; of one that cannot be read, why.
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
        doubts: What speaks against believing its figures, as sentences.
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
        told: What was done, as a paragraph, and how it came about.
        systems: In the order of the configuration.
        metrics: Names of all figures, the most telling first.
        falling: Those of which less is better.
    """

    found: RunSummary
    told: tuple[str, ...]
    systems: tuple[SystemSummary, ...]
    metrics: tuple[str, ...]
    falling: frozenset[str] = frozenset()


class CaseSummary(msgspec.Struct, frozen=True, kw_only=True):
    """One case of a system, in a line.

    Args:
        id: The case's.
        about: The person's key, or the question.
        rank: Of what was to be found, from 1; 0 where it was not ranked, None where nothing was.
        remark: Faults, or what the answer broke.
        ms: Time it took.
    """

    id: str
    about: str
    rank: int | None
    remark: str
    ms: float


class CaseParts(msgspec.Struct, frozen=True, kw_only=True):
    """All about one case: titles, each with its lines."""

    id: str
    parts: tuple[tuple[str, tuple[str, ...]], ...]


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


_LONGEST = 4_000  # characters of one line of a trajectory


_LEADING = ("NDCG", "H", "MRR", "recall", "satisfaction_at_3", "router_accuracy")


LookUpNames = Callable[[str, Iterable[str]], dict[str, str]]


CasePart = tuple[str, tuple[str, ...]]


_Line = TypeVar("_Line", "CaseResult", "AnswerScoreRecord")


class RunService:
    """`Evaluating` over a workspace folder; making one opens nothing.

    Args:
        folder: The workspace.
        names: Looks names of items up.
    """

    def __init__(self, folder: Path, names: LookUpNames) -> None:
        self._folder = folder
        self._runs = folder / _RUNS
        self._names = names
        self._sender = CommandRunner(folder)
        self._reading = Lock()  # see shapes.py

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
                return tuple(map(_question_line, folder.case_lines(system)))
            return tuple(map(_ranking_line, folder.outcomes(system)))

    def case(self, run: str, system: str, case: str) -> CaseParts:
        """All that the run keeps of a case."""
        with self._reading:
            return CaseParts(id=case, parts=self._parts(self._folder_of(run), system, case))

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
        """See that what was started has ended."""
        self._sender.close()

    def _parts(self, folder: RunFolder, system: str, case: str) -> tuple[CasePart, ...]:
        if folder.asks_questions:
            return tuple(question_parts(find_case(folder.case_lines(system), case)))
        outcome = find_case(folder.outcomes(system), case)
        domain, _ = folder.origin().run.data.where()
        names = self._names(domain, {*outcome.targets, *outcome.top})
        return (
            *ranking_parts(outcome, names),
            *rationale_parts(read_rationales(folder, system), case, names),
            *trajectory_parts(folder, system, case),
        )

    def _folder_of(self, name: str) -> RunFolder:
        from localrec.evaluation.run_folder import find_run

        return find_run(str(self._runs / name), self._runs)


def clean_line(text: str) -> str:
    """Make one line of untrusted text safe to show."""
    from localrec.foundation.text import clean_text

    return clean_text(text, limit=_LONGEST)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(clean_line(line) for line in text.splitlines())


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


def _opened(folder: RunFolder, less: frozenset[str]) -> RunFigures:
    results = folder.metrics().systems
    metrics = dict.fromkeys(clean_line(metric) for one in results for metric in one.metrics)
    return RunFigures(
        found=_found(folder),
        told=tuple(map(clean_line, _protocol_lines(folder))),
        systems=tuple(map(_system, results)),
        metrics=tuple(sorted(metrics, key=_by_weight)),
        falling=less,
    )


def _protocol_lines(folder: RunFolder) -> Iterator[str]:
    """What was done, and how it came about."""
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


def _ranking_line(outcome: CaseResult) -> CaseSummary:
    return CaseSummary(
        id=clean_line(outcome.id),
        about=clean_line(outcome.user),
        rank=outcome.first,
        remark=clean_line(", ".join((*outcome.faults, *filter(None, [outcome.error])))),
        ms=outcome.ms,
    )


def _question_line(line: AnswerScoreRecord) -> CaseSummary:
    query = line.details.question.query if line.details is not None else "(not shown)"
    broken = line.details.broken if line.details is not None else ()
    amiss = sum(bool(demands) for _, demands in broken)
    return CaseSummary(
        id=clean_line(line.id),
        about=clean_line(query),
        rank=None,
        remark=f"{amiss} of {len(broken)} items break something" if amiss else "",
        ms=line.ms,
    )


def find_case(lines: Iterable[_Line], case: str) -> _Line:
    """Find a case by its shown id.

    Raises:
        InputError: the run does not hold it any more.
    """
    from localrec.foundation.errors import InputError

    for line in lines:
        if clean_line(line.id) == case:
            return line
    raise InputError(f"There is no case {case} any more.", "Open the run again.")


def ranking_parts(outcome: CaseResult, names: dict[str, str]) -> Iterator[CasePart]:
    """What was asked, what came of it, and the list."""

    def called(key: str) -> str:
        return clean_line(names.get(key) or key or "(no candidate)")

    yield (
        "What was asked",
        (
            f"Person {clean_line(outcome.user)}; {outcome.pool:,} items to rank.",
            f"To be found: {', '.join(map(called, outcome.targets))}",
        ),
    )
    yield "What came of it", tuple(clean_line(one) for one in _verdict(outcome))
    marked = (
        f"{rank:>4} {'▶' if key in outcome.targets else ' '} {called(key)}"
        for rank, key in enumerate(outcome.top, 1)
    )
    yield f"The first {len(outcome.top)} of the list (▶ was to be found)", tuple(marked)


def _verdict(outcome: CaseResult) -> Iterator[str]:
    if outcome.first:
        tied = f", tied with {outcome.tied - 1} others" if outcome.tied > 1 else ""
        yield f"It stands at rank {outcome.first}{tied}."
    else:
        yield "It was not ranked."
    for fault in outcome.faults:
        yield f"Invalid: {fault}."
    if outcome.error:
        yield f"Raised: {outcome.error}"
    yield from outcome.notes
    cost = f"{outcome.ms:,.1f} ms"
    if outcome.calls:
        cost += f", {outcome.calls} calls of a model, {outcome.prompt_tokens:,} tokens read"
        cost += f" ({outcome.cached_tokens:,} of them cached), {outcome.new_tokens:,} written"
    if outcome.tool_calls:
        cost += f", {outcome.tool_calls} calls of tools"
    yield f"{cost}."


def read_rationales(folder: RunFolder, system: str) -> list[Rationale]:
    """Read what a system said to explain its rankings; nothing where it said nothing."""
    from localrec.evaluation.explanations.explanation_records import Rationale
    from localrec.evaluation.run_folder import rationale_file
    from localrec.foundation.jsonl_log import read_records

    path = folder.path / rationale_file(system)
    return read_records(path, Rationale) if path.is_file() else []


def rationale_parts(
    rationales: Iterable[Rationale], case: str, names: dict[str, str]
) -> Iterator[CasePart]:
    """Yield the reasons that were given in one case."""
    for one in rationales:
        if clean_line(one.id) == case:
            said = one.rationale or f"none: {one.error}"
            by = f" (by {one.by})" if one.by else ""
            item = names.get(one.item, one.item)
            yield "Why the first place stands there", (clean_line(f"{item}: {said}{by}"),)


def trajectory_parts(folder: RunFolder, system: str, case: str) -> Iterator[CasePart]:
    """Yield what the agent did in one case, step by step."""
    for one in folder.trajectories(system):
        if clean_line(one.id) == case:
            yield "What the agent did", tuple(_steps(one.trajectory))


def _steps(trajectory: Trajectory) -> Iterator[str]:
    """Every turn word for word, and whose it was."""
    from localrec.data.trajectory import FAULTS

    who = f"{trajectory.agent}, {trajectory.model or 'no model'}, {trajectory.ms:,.0f} ms"
    yield clean_line(who)
    for role, text in trajectory.opening:
        yield f"── {clean_line(role)}"
        yield from _lines(text)
    for turn in trajectory.turns:
        yield "── the agent" if turn.own else "── what it saw"
        yield from _lines(turn.text)
    if trajectory.fault is not None:
        yield FAULTS[trajectory.fault]


def question_parts(line: AnswerScoreRecord) -> Iterator[CasePart]:
    """A judged answer; of the test half no word of it was kept."""
    figures = tuple(
        f"{clean_line(name)}: {part:g} of {weight:g}" for name, (part, weight) in line.parts.items()
    )
    details = line.details
    if details is not None:
        yield "What was asked", (clean_line(details.question.query),)
        listed = (
            f"{'✗' if demands else '✓'} {clean_line(name)}"
            + (f": {clean_line(', '.join(demands))}" if demands else "")
            for name, demands in details.broken
        )
        yield "The items, and what they break", tuple(listed)
        if details.ungrounded:
            yield "Claims that nothing bears out", tuple(map(clean_line, details.ungrounded))
    routed = line.routed.value if line.routed is not None else "nothing"
    yield "Routing", (f"{line.task.value} as {routed}; {line.ms:,.1f} ms, {line.tokens:,} tokens",)
    yield "Figures", figures


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
