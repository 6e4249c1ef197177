"""The evaluations in a workspace folder, as the Runs room asks for them.

Whatever is read of a run goes through `_clean`: its folder may come from somebody else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from localrec_tui.backend.base import Progress, Request
from localrec_tui.backend.running import (
    CaseFound,
    CaseOpened,
    Compared,
    ConfigFound,
    Figure,
    MetricCompared,
    RunFound,
    RunOpened,
    SystemFound,
)
from localrec_tui.backend.sending import Sender

if TYPE_CHECKING:
    from localrec.agent.trajectory import Trajectory
    from localrec.evaluation.asking import Outcome
    from localrec.evaluation.comparisons import SystemComparison
    from localrec.evaluation.explained import Rationale
    from localrec.evaluation.intervals import Measure
    from localrec.evaluation.questions import CaseLine
    from localrec.evaluation.runs import RunFolder, SystemResult

_RUNS = "runs"
_LONGEST = 4_000  # characters of one line of a trajectory
_LEADING = ("NDCG", "H", "MRR", "recall", "satisfaction_at_3", "router_accuracy")

Named = Callable[[str, Iterable[str]], dict[str, str]]
"""Domain, keys of items -> their names, as far as the catalogue knows them."""
Part = tuple[str, tuple[str, ...]]
_Line = TypeVar("_Line", "Outcome", "CaseLine")


class LocalEvaluations:
    """`Evaluating` over a workspace folder; making one opens nothing.

    Args:
        folder: The workspace.
        names: Looks names of items up.
    """

    def __init__(self, folder: Path, names: Named) -> None:
        self._folder = folder
        self._runs = folder / _RUNS
        self._names = names
        self._sender = Sender(folder)
        self._reading = Lock()  # see shapes.py

    def runs(self) -> tuple[RunFound, ...]:
        """The runs of the workspace."""
        from localrec.evaluation.runs import runs_in

        with self._reading:
            return tuple(_found_or_why(folder) for folder in runs_in(self._runs))

    def configs(self) -> tuple[ConfigFound, ...]:
        """The configurations that ship."""
        from localrec.evaluation.configs import load_config, ready_configs

        with self._reading:
            declared = [(path.stem, load_config(str(path))[0]) for path in ready_configs().values()]
        return tuple(
            ConfigFound(
                name=name, title=one.title, systems=tuple(system.name for system in one.systems)
            )
            for name, one in declared
        )

    def run(self, name: str) -> RunOpened:
        """A run with its figures."""
        from localrec.evaluation.questions import COSTS, FAULTS
        from localrec.evaluation.scoring import FALLING

        less = frozenset({*FALLING, *FAULTS, *COSTS, "ms", "miscalibration"})
        with self._reading:
            return _opened(self._folder_of(name), less)

    def cases(self, run: str, system: str) -> tuple[CaseFound, ...]:
        """The cases of a system."""
        with self._reading:
            folder = self._folder_of(run)
            if folder.asks_questions:
                return tuple(map(_question_line, folder.case_lines(system)))
            return tuple(map(_ranking_line, folder.outcomes(system)))

    def case(self, run: str, system: str, case: str) -> CaseOpened:
        """All that the run keeps of a case."""
        with self._reading:
            return CaseOpened(id=case, parts=self._parts(self._folder_of(run), system, case))

    def compare(
        self, ours: tuple[str, str | None], theirs: tuple[str, str | None]
    ) -> tuple[Compared, ...]:
        """Two systems, or all that two runs have in common."""
        from localrec.evaluation.comparisons import compare_runs

        (mine, our_system), (other, their_system) = ours, theirs
        with self._reading:
            found = compare_runs(
                self._folder_of(mine), self._folder_of(other), our_system, their_system
            )
        return tuple(map(_compared, found))

    def start(self, config: str, request: Request, progress: Progress) -> None:
        """Run a configuration that ships."""
        self._sender.send(("evaluate", "run", config), request, progress)

    def resume(self, run: str, request: Request, progress: Progress) -> None:
        """Go on with a run that was cut short, by the configuration in its folder."""
        path = self._folder_of(run).path
        arguments = ("evaluate", "run", str(path / "config.toml"), "--out", str(path))
        self._sender.send(arguments, request, progress)

    def stop(self, request: Request) -> None:
        """Stop a run."""
        self._sender.stop(request)

    def close(self) -> None:
        """See that what was started has ended."""
        self._sender.close()

    def _parts(self, folder: RunFolder, system: str, case: str) -> tuple[Part, ...]:
        if folder.asks_questions:
            return tuple(_question_parts(_one(folder.case_lines(system), case)))
        outcome = _one(folder.outcomes(system), case)
        domain, _ = folder.origin().run.data.where()
        names = self._names(domain, {*outcome.targets, *outcome.top})
        return (
            *_ranking_parts(outcome, names),
            *_why(_rationales(folder, system), case, names),
            *_acts(folder, system, case),
        )

    def _folder_of(self, name: str) -> RunFolder:
        from localrec.evaluation.runs import find_run

        return find_run(str(self._runs / name), self._runs)


def _clean(text: str) -> str:
    from localrec.sources.text import clean_text

    return clean_text(text, limit=_LONGEST)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(_clean(line) for line in text.splitlines())


def _found_or_why(folder: RunFolder) -> RunFound:
    from localrec.errors import LocalrecError

    try:
        return _found(folder)
    except LocalrecError as error:
        name = _clean(folder.path.name)
        return RunFound(name=name, title=_clean(error.message), state="unreadable")


def _found(folder: RunFolder) -> RunFound:
    metrics, origin = folder.metrics(), folder.any_origin()
    return RunFound(
        name=folder.path.name,
        title=_clean(origin.run.title or origin.run.name),
        state="complete" if metrics.complete else "unfinished",
        systems=tuple(one.name for one in metrics.systems),
        date=_clean(origin.made.date),
    )


def _opened(folder: RunFolder, less: frozenset[str]) -> RunOpened:
    results = folder.metrics().systems
    metrics = dict.fromkeys(_clean(metric) for one in results for metric in one.metrics)
    return RunOpened(
        found=_found(folder),
        told=tuple(map(_clean, _told(folder))),
        systems=tuple(map(_system, results)),
        metrics=tuple(sorted(metrics, key=_by_weight)),
        falling=less,
    )


def _told(folder: RunFolder) -> Iterator[str]:
    """What was done, and how it came about."""
    from localrec.evaluation.figures import told_protocol

    if folder.asks_questions:
        asked = folder.question_origin()
        half = asked.run.questions.half
        yield f"{asked.questions:,} questions of the {half} half, about {asked.items:,} items."
    else:
        yield told_protocol(folder.origin())
    made = folder.any_origin().made
    yield f"{made.command}, {made.date}, {made.machine}"


def _by_weight(metric: str) -> tuple[int, int, str]:
    """The most telling metrics first, of each the longest list."""
    kind, _, length = metric.partition("@")
    place = _LEADING.index(kind) if kind in _LEADING else len(_LEADING)
    return place, -int(length) if length.isdigit() else 0, metric


def _system(result: SystemResult) -> SystemFound:
    from localrec.evaluation.leaders import doubts_about

    settings = ", ".join(f"{name} {value}" for name, value in result.settings.items())
    return SystemFound(
        name=result.name,
        figures={_clean(name): _figure(one) for name, one in result.metrics.items()},
        cases=result.cases,
        seconds=(result.fit_s, result.score_s),
        doubts=tuple(_clean(f"{kind}: {told}") for kind, told in doubts_about(result)),
        settings=_clean(settings),
    )


def _figure(measure: Measure) -> Figure:
    return Figure(measure.value, measure.low, measure.high)


def _ranking_line(outcome: Outcome) -> CaseFound:
    return CaseFound(
        id=_clean(outcome.id),
        about=_clean(outcome.person),
        rank=outcome.first,
        remark=_clean(", ".join((*outcome.faults, *filter(None, [outcome.error])))),
        ms=outcome.ms,
    )


def _question_line(line: CaseLine) -> CaseFound:
    query = line.details.question.query if line.details is not None else "(not shown)"
    broken = line.details.broken if line.details is not None else ()
    amiss = sum(bool(demands) for _, demands in broken)
    return CaseFound(
        id=_clean(line.id),
        about=_clean(query),
        rank=None,
        remark=f"{amiss} of {len(broken)} items break something" if amiss else "",
        ms=line.ms,
    )


def _one(lines: Iterable[_Line], case: str) -> _Line:
    from localrec.errors import InputError

    for line in lines:
        if _clean(line.id) == case:
            return line
    raise InputError(f"There is no case {case} any more.", "Open the run again.")


def _ranking_parts(outcome: Outcome, names: dict[str, str]) -> Iterator[Part]:
    """What was asked, what came of it, and the list."""

    def called(key: str) -> str:
        return _clean(names.get(key) or key or "(no candidate)")

    yield (
        "What was asked",
        (
            f"Person {_clean(outcome.person)}; {outcome.pool:,} items to rank.",
            f"To be found: {', '.join(map(called, outcome.targets))}",
        ),
    )
    yield "What came of it", tuple(_clean(one) for one in _verdict(outcome))
    marked = (
        f"{rank:>4} {'▶' if key in outcome.targets else ' '} {called(key)}"
        for rank, key in enumerate(outcome.top, 1)
    )
    yield f"The first {len(outcome.top)} of the list (▶ was to be found)", tuple(marked)


def _verdict(outcome: Outcome) -> Iterator[str]:
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


def _rationales(folder: RunFolder, system: str) -> list[Rationale]:
    from localrec.evaluation.explained import Rationale
    from localrec.evaluation.ledger import read_records
    from localrec.evaluation.runs import rationale_file

    path = folder.path / rationale_file(system)
    return read_records(path, Rationale) if path.is_file() else []


def _why(rationales: Iterable[Rationale], case: str, names: dict[str, str]) -> Iterator[Part]:
    for one in rationales:
        if _clean(one.id) == case:
            said = one.rationale or f"none: {one.error}"
            by = f" (by {one.by})" if one.by else ""
            item = names.get(one.item, one.item)
            yield "Why the first place stands there", (_clean(f"{item}: {said}{by}"),)


def _acts(folder: RunFolder, system: str, case: str) -> Iterator[Part]:
    for one in folder.trajectories(system):
        if _clean(one.id) == case:
            yield "What the agent did", tuple(_steps(one.trajectory))


def _steps(trajectory: Trajectory) -> Iterator[str]:
    """Every turn word for word, and whose it was."""
    from localrec.agent.trajectory import FAULTS

    who = f"{trajectory.agent}, {trajectory.model or 'no model'}, {trajectory.ms:,.0f} ms"
    yield _clean(who)
    for role, text in trajectory.opening:
        yield f"── {_clean(role)}"
        yield from _lines(text)
    for turn in trajectory.turns:
        yield "── the agent" if turn.own else "── what it saw"
        yield from _lines(turn.text)
    if trajectory.fault is not None:
        yield FAULTS[trajectory.fault]


def _question_parts(line: CaseLine) -> Iterator[Part]:
    """A judged answer; of the test half no word of it was kept."""
    figures = tuple(
        f"{_clean(name)}: {part:g} of {weight:g}" for name, (part, weight) in line.parts.items()
    )
    details = line.details
    if details is not None:
        yield "What was asked", (_clean(details.question.query),)
        listed = (
            f"{'✗' if demands else '✓'} {_clean(name)}"
            + (f": {_clean(', '.join(demands))}" if demands else "")
            for name, demands in details.broken
        )
        yield "The items, and what they break", tuple(listed)
        if details.ungrounded:
            yield "Claims that nothing bears out", tuple(map(_clean, details.ungrounded))
    routed = line.routed.value if line.routed is not None else "nothing"
    yield "Routing", (f"{line.task.value} as {routed}; {line.ms:,.1f} ms, {line.tokens:,} tokens",)
    yield "Figures", figures


def _compared(one: SystemComparison) -> Compared:
    return Compared(
        ours=one.ours,
        theirs=one.theirs,
        cases=one.cases,
        metrics=tuple(
            MetricCompared(
                metric=_clean(line.metric),
                ours=_figure(line.ours),
                theirs=_figure(line.theirs),
                difference=_figure(line.compared.difference),
                p=line.compared.p_adjusted,
                verdict=line.compared.verdict,
            )
            for line in sorted(one.metrics, key=lambda line: _by_weight(line.metric))
        ),
    )
