"""Write a question run as the tables of docs/results/questions.md.

The run's own report shows more, with a system in each row; here every system is a column, so that a
page can hold both halves.
"""

from __future__ import annotations

from collections.abc import Sequence

from localrec.data.query import TaskKind
from localrec.evaluation.provenance import Origin
from localrec.evaluation.questions.answer_scoring import COSTS, FAULTS
from localrec.evaluation.questions.question_report import TITLES
from localrec.evaluation.questions.summaries import SystemReport
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.evaluation.reporting.number_format import NOTHING
from localrec.evaluation.statistics import IntervalEstimate

_MAIN = "satisfaction_at_3"


def question_tables(title: str, origin: Origin, reports: Sequence[SystemReport]) -> str:
    """Write the tables of a run as Markdown.

    Args:
        title: Title of the tables.
        origin: The origin of the figures.
        reports: One for each system, in the order of the columns; one at least.
    """
    systems = [one.system for one in reports]
    measured = [name for name in TITLES if any(name in one.measures for one in reports)]
    parts = [
        f"### {title}",
        origin.as_text(),
        markdown_table(["", *systems], [_row(name, reports) for name in measured]),
        "Brackets: 95% bootstrap intervals over questions "
        f"(2,000 resamples, seed {reports[0].seed}).",
        _groups("task", [one.by_task for one in reports], systems),
        _groups("style", [one.by_style for one in reports], systems),
        *(_confusion(one) for one in reports if _is_own_router(one)),
        "Who spoke. "
        + "; ".join(f"{one.system}: {_answered_by_text(one)}" for one in reports)
        + ".",
    ]
    return "\n\n".join(parts)


def _row(name: str, reports: Sequence[SystemReport]) -> list[str]:
    title = f"{TITLES[name]} (fewer is better)" if name in FAULTS else TITLES[name]
    return [title, *(_with_interval(one.measures[name], name) for one in reports)]


def _groups(
    kind: str, by_group: Sequence[dict[str, dict[str, IntervalEstimate]]], systems: Sequence[str]
) -> str:
    """The main figure of each task or style, and behind its name the number of its questions."""
    rows = [
        [f"{group} ({first['answered'].n})", *(_plain(of[group][_MAIN]) for of in by_group)]
        for group, first in by_group[0].items()
    ]
    return markdown_table([f"constraints held at 3, by {kind}", *systems], rows)


def _confusion(report: SystemReport) -> str:
    """Write the confusion table: gold tasks down, routed tasks across."""
    rows = [
        [f"gold {gold}", *(str(report.confusion[gold].get(routed, 0)) for routed in TaskKind)]
        for gold in TaskKind
    ]
    return markdown_table([f"router of {report.system}", *TaskKind], rows)


def _is_own_router(report: SystemReport) -> bool:
    """Whether the report's router differs from that of plain `marc`."""
    return report.system == "marc" or "model" in report.answered_by.get("router", {})


def _answered_by_text(report: SystemReport) -> str:
    return ", ".join(
        f"{role} {' / '.join(f'{who} {count}' for who, count in counts.items() if who)}"
        for role, counts in report.answered_by.items()
        if role != "understanding"
    )


def _with_interval(figure: IntervalEstimate, name: str) -> str:
    if figure.value is None or figure.low is None or figure.high is None:
        return NOTHING
    digits = 1 if name in COSTS else 3
    return f"{figure.value:.{digits}f} [{figure.low:.{digits}f}, {figure.high:.{digits}f}]"


def _plain(figure: IntervalEstimate) -> str:
    return NOTHING if figure.value is None else f"{figure.value:.3f}"
