"""Write the report of a question run: figures, routers, tasks, styles, models, costs.

The report shows only counts of the test half: no question, and no id of a failed one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from localrec.data.query import TaskKind
from localrec.evaluation.questions.answer_scoring import COSTS, FAULTS, AnswerScoreRecord
from localrec.evaluation.questions.summaries import SystemReport
from localrec.evaluation.reporting.number_format import NOTHING, plain, with_interval
from localrec.evaluation.reporting.report_records import (
    BarPlot,
    Block,
    ConfusionPlot,
    HeatMap,
    MetricScale,
    Report,
    Section,
    TableBlock,
    TextBlock,
)
from localrec.evaluation.run_folder import QuestionRunOrigin, RunFolder, RunMetrics, SystemResult
from localrec.evaluation.significance import (
    CaseValues,
    LeaderComparison,
    compare_with_leader,
    is_believed,
)
from localrec.evaluation.statistics import IntervalEstimate

TITLES = {
    "router_accuracy": "router accuracy",
    "satisfaction_at_3": "constraints held at 3",
    "strict_satisfaction_at_3": "the same, strict",
    "answered": "questions answered",
    "own_target": "example returned",
    "barred_served": "barred things served",
    "relaxed_wrongly": "relaxed without need",
    "impossible_admitted": "impossible, and said so",
    "edges_real": "cited edges that exist",
    "words_carried": "names and numbers carried",
    "claims_grounded": "claims grounded",
    "mean_ms": "mean time, ms",
    "mean_tokens": "mean tokens",
}
_MAIN = "satisfaction_at_3"
_DRAWN = ("satisfaction_at_3", "router_accuracy", "claims_grounded")
_NOTHING = IntervalEstimate(None, None, None, 0)


def question_report(
    origin: QuestionRunOrigin,
    metrics: RunMetrics,
    *,
    leading: LeaderComparison | None = None,
    wary: Sequence[Block] = (),
    against: Sequence[Block] = (),
    extra: Sequence[Section] = (),
) -> Report:
    """Write the report on a question run.

    Args:
        origin: The origin of the run.
        metrics: The figures so far.
        leading: All systems against the best.
        wary: Blocks of reasons to doubt the figures.
        against: Blocks that compare the systems, behind the figures.
        extra: Sections that go behind the figures, such as the judge's.
    """
    run = origin.run
    reports = [one.questions for one in metrics.systems if one.questions is not None]
    state = "" if metrics.complete else " The run is not finished."
    return Report(
        title=run.title or run.name,
        summary=f"{_told_best(metrics.systems, leading)}{state}",
        origin=origin.made,
        sections=(
            Section(
                title="What was done",
                blocks=(TextBlock(text=_told_questions(origin, metrics.systems)), *wary),
            ),
            Section(title="Quality", blocks=(*_quality(reports), *against)),
            Section(title="Routers", blocks=_routers(reports)),
            Section(title="By task and style", blocks=_groups(reports)),
            Section(title="Who spoke, and what it cost", blocks=_costs(reports)),
            *extra,
            Section(title="Settings", blocks=(_settings(metrics.systems),)),
        ),
    )


def leading_in_questions(folder: RunFolder, metrics: RunMetrics) -> LeaderComparison | None:
    """Every system against the one that holds most constraints, over the questions of both.

    None where nothing was measured, or the cases of a system are not all in the folder. A system
    that was asked nothing that can be held is left out.
    """
    measured = [one for one in metrics.systems if is_believed(one)]
    believed = [one for one in measured if one.metrics[_MAIN].value is not None]
    if not believed:
        return None
    lines = {one.name: folder.case_lines(one.name) for one in believed}
    if any(len(lines[one.name]) != one.cases for one in believed):
        return None
    return compare_with_leader(
        TITLES[_MAIN], {name: _shares_held(cases) for name, cases in lines.items()}
    )


def _shares_held(lines: Sequence[AnswerScoreRecord]) -> CaseValues:
    """Return the main figure of each question; a question counts like a user of a ranking."""
    ids = tuple(one.id for one in lines)
    shares = [part if weight else np.nan for part, weight in (one.parts[_MAIN] for one in lines)]
    return CaseValues(cases=ids, users=ids, values=np.array(shares, dtype=np.float64))


def _told_best(results: Sequence[SystemResult], leading: LeaderComparison | None) -> str:
    if leading is None:
        return "Nothing was measured yet that is to be believed."
    [figure] = [one.metrics[_MAIN] for one in results if one.name == leading.best]
    told = f"{leading.best} holds most of the constraints, {with_interval(figure, 3)}."
    if not leading.others:
        return told
    if leading.level:
        return f"{told} Not separable from it, question by question: {', '.join(leading.level)}."
    return f"{told} All others hold fewer, question by question."


def _told_questions(origin: QuestionRunOrigin, results: Sequence[SystemResult]) -> str:
    questions = origin.run.questions
    sampled = [
        f"{one.name} was asked {one.cases:,} of them"
        for one in results
        if one.questions and one.cases < origin.questions
    ]
    disagreements = max(
        (one.questions.disagreements for one in results if one.questions), default=0
    )
    parts = [
        f"{origin.questions:,} gold questions of the {questions.half} half "
        f"about {questions.about}, "
        f"{origin.run.k} items to an answer, against {origin.items:,} items of the catalogue.",
        f"{'; '.join(sampled)}." if sampled else "",
        f"{origin.unknown} names of the gold are unknown to the catalogue."
        if origin.unknown
        else "",
        f"Of {disagreements} questions the catalogue says otherwise than their author whether "
        "anything holds them; the catalogue counts."
        if disagreements
        else "",
        "Of this half only counts are shown." if questions.half == "test" else "",
        f"Data {origin.fingerprint[:12]}, samples with seed {origin.run.seed}; "
        + ", ".join(f"{role}: {name}" for role, name in origin.models.items())
        + ".",
    ]
    return " ".join(part for part in parts if part)


def _quality(reports: Sequence[SystemReport]) -> tuple[Block, ...]:
    if not reports:
        return (TextBlock(text="Nothing was measured yet."),)
    judged = [name for name in TITLES if name not in COSTS]
    return (
        BarPlot(
            title="Questions answered",
            scales=tuple(MetricScale(name=TITLES[name], high=1.0) for name in _DRAWN),
            rows=_rows(reports, _DRAWN),
            note="Whiskers are 95% bootstrap intervals over questions.",
        ),
        BarPlot(
            title="All figures",
            scales=tuple(
                MetricScale(
                    name=TITLES[name], better="less" if name in FAULTS else "more", high=1.0
                )
                for name in judged
            ),
            rows=_rows(reports, judged),
        ),
        TableBlock(
            title="Questions that fall short",
            head=("figure", *(one.system for one in reports)),
            rows=tuple(
                (TITLES[name], *(str(one.failures.get(name, 0)) for one in reports))
                for name in judged
            ),
            note="Counts; which ones stands in the files of cases."
            if reports[0].half == "dev"
            else "Counts; which ones stays unread.",
        ),
    )


def _routers(reports: Sequence[SystemReport]) -> tuple[Block, ...]:
    """Write one table for all systems whose routers made the same choices."""
    alike: dict[str, list[SystemReport]] = {}
    for one in reports:
        if any(one.confusion.values()):
            alike.setdefault(repr(one.confusion), []).append(one)
    blocks = tuple(
        ConfusionPlot(
            title=f"Router of {', '.join(one.system for one in group)}",
            classes=tuple(task.value for task in TaskKind),
            counts=group[0].confusion,
            note="Rows: the task that was meant; columns: the task it was taken for.",
        )
        for group in alike.values()
    )
    return blocks or (TextBlock(text="No system routed a question."),)


def _groups(reports: Sequence[SystemReport]) -> tuple[Block, ...]:
    blocks = []
    for title, by_group in (
        ("task", [one.by_task for one in reports]),
        ("style", [one.by_style for one in reports]),
    ):
        names = sorted({name for groups in by_group for name in groups})
        counts = {name: max(g[name]["answered"].n for g in by_group if name in g) for name in names}
        blocks.append(
            HeatMap(
                title=f"Constraints held at 3, by {title}",
                columns=tuple(one.system for one in reports),
                rows={
                    f"{name} ({counts[name]})": tuple(
                        groups[name][_MAIN] if name in groups else _NOTHING for groups in by_group
                    )
                    for name in names
                },
                middle=0.5,
                reach=0.5,
                note=f"Behind each {title}: how many questions.",
            )
        )
    return tuple(blocks) if reports else (TextBlock(text="Nothing was measured yet."),)


def _costs(reports: Sequence[SystemReport]) -> tuple[Block, ...]:
    stages = list(dict.fromkeys(stage for one in reports for stage in one.stages))
    timed = [
        name for name in stages if any(one.stages[name].ms for one in reports if name in one.stages)
    ]
    roles = [
        role
        for role in dict.fromkeys(role for one in reports for role in one.answered_by)
        if role != "understanding" and not role.endswith("_failed")  # told by the faults
    ]
    return (
        TableBlock(
            title="Who spoke",
            head=("system", *roles),
            rows=tuple(
                (one.system, *(_counted_answers(one.answered_by.get(role, {})) for role in roles))
                for one in reports
            ),
            note="By whom each role was played, and in how many answers.",
        ),
        TableBlock(
            title="Time of an answer",
            head=("system", "mean, ms", "median", "95th percentile", *timed),
            rows=tuple(
                (
                    one.system,
                    with_interval(one.measures["mean_ms"], 1),
                    *(plain(one.percentiles_ms.get(name), 1) for name in ("50", "95")),
                    *(
                        plain(one.stages[name].ms if name in one.stages else None, 1)
                        for name in timed
                    ),
                )
                for one in reports
            ),
            note="Milliseconds; of each stage the mean. A model that has read a prompt before "
            "reads it faster.",
        ),
        *_tokens(reports, stages),
    )


def _tokens(reports: Sequence[SystemReport], stages: Iterable[str]) -> tuple[Block, ...]:
    with_models = [one for one in reports if any(cost.tokens for cost in one.stages.values())]
    played = [name for name in stages if any(name in one.stages for one in with_models)]
    played = [
        n for n in played if any(one.stages[n].tokens for one in with_models if n in one.stages)
    ]
    if not with_models:
        return (TextBlock(text="No system asked a model anything."),)
    return (
        TableBlock(
            title="Tokens to an answer",
            head=("system", "mean", *played),
            rows=tuple(
                (
                    one.system,
                    with_interval(one.measures["mean_tokens"], 0),
                    *(plain(one.stages[n].tokens if n in one.stages else None, 0) for n in played),
                )
                for one in with_models
            ),
            note="Read and written, what came from a cached prefix among them.",
        ),
    )


def _counted_answers(counts: dict[str, int]) -> str:
    return "; ".join(f"{who}: {count}" for who, count in counts.items() if who) or NOTHING


def _settings(results: Sequence[SystemResult]) -> TableBlock:
    return TableBlock(
        title="Settings",
        head=("system", "settings", "opening, s", "answers, s", "questions"),
        rows=tuple(
            (
                one.name,
                ", ".join(f"{name} = {value}" for name, value in one.settings.items()) or NOTHING,
                f"{one.fit_s:,.2f}",
                f"{one.score_s:,.2f}",
                f"{one.cases:,}",
            )
            for one in results
        ),
    )


def _rows(
    reports: Sequence[SystemReport], names: Sequence[str]
) -> dict[str, tuple[IntervalEstimate, ...]]:
    return {one.system: tuple(one.measures.get(n, _NOTHING) for n in names) for one in reports}
