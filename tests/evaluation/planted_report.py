"""A report with one of everything, and with names that try to break out of it."""

from __future__ import annotations

import msgspec

from localrec.evaluation.configs import QuestionRunConfig, QuestionsConfig, QuestionSystemConfig
from localrec.evaluation.provenance import Origin
from localrec.evaluation.questions.answer_scoring import score_answer
from localrec.evaluation.questions.question_report import question_report
from localrec.evaluation.questions.summaries import summarise
from localrec.evaluation.reporting.report_records import (
    BarPlot,
    ConfusionPlot,
    HeatMap,
    MetricScale,
    PlotPoint,
    Report,
    ScatterPlot,
    Section,
    TableBlock,
    TextBlock,
)
from localrec.evaluation.run_folder import QuestionRunOrigin, RunMetrics, SystemResult
from localrec.evaluation.statistics import IntervalEstimate

from .conftest import answered, asked, told

EVIL = '<img src="http://evil.test/a.png" onerror="document.title=7">'
SYSTEMS = {"ours": 0.08, "popularity": 0.02, "a-baseline-with-quite-a-long-name": 0.05, EVIL: 0.06}
NOT_MEASURED = IntervalEstimate(None, None, None, 0)


def figure(value: float) -> IntervalEstimate:
    """A measure with an interval around it."""
    return IntervalEstimate(value, round(value * 0.9, 4), round(value * 1.1, 4), 100)


BARS = BarPlot(
    title="Quality",
    scales=(MetricScale(name="H@10"), MetricScale(name="latency", unit="ms", better="less")),
    rows={name: (figure(value), figure(900 * value)) for name, value in SYSTEMS.items()}
    | {"broken": (NOT_MEASURED, NOT_MEASURED)},
    ours=("ours",),
    note="A note on bars.",
)
SCATTER = ScatterPlot(
    title="Quality against time",
    across=MetricScale(name="time", unit="s", better="less"),
    up=MetricScale(name="NDCG@10"),
    points=tuple(
        PlotPoint(name=name, across=10.0**place, up=figure(value))
        for place, (name, value) in enumerate(SYSTEMS.items(), -2)
    ),
    ours=("ours",),
)
CONFUSION = ConfusionPlot(
    title="Router", classes=("C1", "C2"), counts={"C1": {"C1": 9, "C2": 1}, "C2": {"C2": 5}}
)
HEAT = HeatMap(
    title="Agreement",
    columns=("constraints", "grounded"),
    rows={"accuracy": (figure(0.5), figure(-0.25)), "factuality": (figure(0.1), NOT_MEASURED)},
    reach=1.0,
)
REPORT = Report(
    title="A planted report",
    summary="Ours | theirs.",
    origin=Origin(command="localrec evaluate run", date="2026-11-22", versions={}, machine="2"),
    sections=(
        Section(title="Rankings", blocks=(TextBlock(text=f"Said by {EVIL}."), BARS, SCATTER)),
        Section(
            title="Classes",
            blocks=(
                CONFUSION,
                HEAT,
                TableBlock(
                    title="Settings", head=("", "with"), rows=(("a|b", "1"),), strong=((0, 1),)
                ),
            ),
        ),
    ),
)

QUESTION_ORIGIN = QuestionRunOrigin(
    run=QuestionRunConfig(
        name="planted",
        title="Planted questions",
        questions=QuestionsConfig(gold="bar", half="dev"),
        systems=(QuestionSystemConfig(name="marc"), QuestionSystemConfig(name="unrouted")),
    ),
    fingerprint="0123456789abcdef",
    questions=3,
    unknown=0,
    items=5,
    models={"embedder": "hashing"},
    made=REPORT.origin,
)


def questions_answered(truth):
    """The report on three questions put to a system that routes, and to one that does not."""
    answers = [
        (asked(task="C3", id="q1"), answered(told("Peat Sour"), task="C1")),
        (asked(task="C3", id="q2", style=("typo",)), answered(told("Peat Sour"), task="C3")),
        (asked(task="C2", id="q3", glass=("coupe glass",)), answered(told("Salty Dog"), task="C2")),
    ]
    routed = [score_answer(*one, truth) for one in answers]
    unrouted = [
        msgspec.structs.replace(one, routed=None, tokens={"selection": 9}) for one in routed
    ]
    results = []
    for name, cases in (("marc", routed), ("unrouted", unrouted)):
        found = summarise(name, "dev", cases)
        results.append(
            SystemResult(
                name=name,
                settings={},
                fit_s=0.0,
                score_s=0.0,
                cases=3,
                metrics=found.measures,
                questions=found,
            )
        )
    return question_report(QUESTION_ORIGIN, RunMetrics(complete=True, systems=tuple(results)))
