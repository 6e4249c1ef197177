"""The report on answered questions: who routed what where, what was held, what it cost."""

import pytest

from localrec.evaluation.questions.answer_scoring import answer_score_record, score_answer
from localrec.evaluation.questions.question_report import leading_in_questions
from localrec.evaluation.questions.summaries import summarise
from localrec.evaluation.reporting.rendering import as_markdown
from localrec.evaluation.reporting.report_records import BarPlot, ConfusionPlot, HeatMap
from localrec.evaluation.run_folder import RunFolder, RunMetrics, SystemResult, case_file
from localrec.foundation.jsonl_log import write_records

from .conftest import answered, asked, told
from .planted_report import questions_answered


@pytest.fixture
def blocks(truth):
    """Section -> its blocks."""
    return {one.title: one.blocks for one in questions_answered(truth).sections}


def test_the_main_figures_come_first_and_all_of_them_after(blocks):
    main, everything, short = blocks["Quality"]
    assert isinstance(main, BarPlot)
    assert [figure.value for figure in main.rows["marc"]] == [0.6667, 0.6667, None]
    assert len(everything.scales) == 11
    assert [one.name for one in everything.scales if one.better == "less"] == [
        "example returned",
        "barred things served",
        "relaxed without need",
    ]
    assert dict(row[:2] for row in short.rows)["constraints held at 3"] == "1"


def test_a_router_is_shown_by_what_it_took_for_what(blocks):
    (router,) = blocks["Routers"]  # the other system has none
    assert isinstance(router, ConfusionPlot)
    assert router.title == "Router of marc"
    assert router.counts["C3"] == {"C1": 1, "C3": 1}


def test_what_was_held_is_shown_by_task_and_style(blocks):
    tasks, styles = blocks["By task and style"]
    assert isinstance(tasks, HeatMap)
    assert [figure.value for figure in tasks.rows["C2 (1)"]] == [0.0, 0.0]
    assert list(styles.rows) == ["typo (1)"]


def test_tokens_are_told_of_systems_that_asked_a_model(blocks):
    _, times, tokens = blocks["Who spoke, and what it cost"]
    assert [row[:2] for row in times.rows] == [
        ("marc", "2.0 [2.0, 2.0]"),
        ("unrouted", "2.0 [2.0, 2.0]"),
    ]
    assert tokens.rows == (("unrouted", "9 [9, 9]", "9"),)


def test_nobody_leads_where_nobody_was_compared(truth):
    text = as_markdown(questions_answered(truth))
    assert text.startswith("# Planted questions\n\nNothing was measured yet")


def measured(folder, name, cases):
    write_records(folder / case_file(name), [answer_score_record(case) for case in cases])
    return SystemResult(
        name=name,
        settings={},
        fit_s=0.0,
        score_s=0.0,
        cases=len(cases),
        metrics=summarise(name, "dev", cases).measures,
    )


def test_who_was_asked_nothing_that_can_be_held_neither_leads_nor_follows(truth, tmp_path):
    blue = score_answer(asked(id="q1", colour=("blue",)), answered(told("Nutty Blue")), truth)
    missed = score_answer(asked(id="q1", colour=("blue",)), answered(told("Plain Ale")), truth)
    nothing = score_answer(
        asked(id="q2", include=("egg", "mezcal")), answered(told("Plain Ale")), truth
    )
    systems = [
        measured(tmp_path, name, cases)
        for name, cases in {"idle": [nothing], "good": [blue, nothing], "bad": [missed]}.items()
    ]
    found = leading_in_questions(RunFolder(tmp_path), RunMetrics(complete=True, systems=systems))
    assert found.best == "good"
    assert {name: one.difference.value for name, one in found.others.items()} == {"bad": -1.0}
