"""Measure MARC's router on questions in the paper's form: four tasks, with and without pictures.

Run:
    python scripts/studies/run.py routed_questions scripts/studies/questions/routes/w69-drinks.jsonl

A line has `query`, `route` (C1 to C4, as the paper defines them), `picture` (a photo lies beside)
and `points` (the words speak of it). As in the paper (section 4.1) there are fifty questions of
each task and thirty-five of these come with a picture. The pictures are rendered drinks of the dev
half. Questions whose words do not speak of the picture are asked without it as well: their task
must not change.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from findings import Findings, add_folder, origin_of, show_step
from gold_questions import build_workspace
from image_questions import DOMAIN, draw, drinks_of

from localrec.data.questions import Question
from localrec.evaluation.provenance import Origin
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.evaluation.reporting.number_format import with_interval
from localrec.evaluation.statistics import IntervalEstimate, ratio_estimate
from localrec.systems.registry import SYSTEM_REGISTRY
from localrec.workspace import OpenWorkspace

TASKS = ("C1", "C2", "C3", "C4")
GROUPS = {
    "all": lambda one: True,
    "text alone": lambda one: not one.picture,
    "words speak of the picture": lambda one: one.points,
    "a picture lies beside": lambda one: one.picture and not one.points,
}


class RoutedQuestion(msgspec.Struct, frozen=True):
    """One line of the file."""

    query: str
    route: str
    picture: bool
    points: bool
    id: str = ""


class Routed(msgspec.Struct, frozen=True):
    """A question, the task it was given, and that without its picture."""

    question: RoutedQuestion
    task: str
    without: str


class RouteFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Shares of right tasks: group -> task or "all"; and of tasks that a picture left alone."""

    origin: Origin
    right: dict[str, dict[str, IntervalEstimate]]
    kept: IntervalEstimate


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("file", type=Path, help="questions, one JSON object a line")
    add_folder(parser, "--state", "pictured", "where pictures and the built workspace stay")
    parser.add_argument("--failures", action="store_true", help="show what was routed wrongly")


def measure(asked: argparse.Namespace) -> Findings:
    """Route every question, with its picture where it has one."""
    lines = asked.file.read_bytes().splitlines()
    questions = [msgspec.json.decode(line, type=RoutedQuestion) for line in lines if line.strip()]
    with OpenWorkspace(build_workspace(asked.state / "workspace")) as workspace:
        routed = list(route(workspace, questions, asked.state / "dev"))
    if asked.failures:
        for one in routed:
            if one.task != one.question.route or one.without != one.task:
                print(one.question, one.task, one.without)
    figures = RouteFigures(
        origin=origin_of("routed_questions", asked.file.name),
        right={
            name: {
                task: share
                for task in ("all", *TASKS)
                if (share := _right([one for one in routed if belongs(one.question)], task))
            }
            for name, belongs in GROUPS.items()
        },
        kept=ratio_estimate(
            [
                (float(one.task == one.without), 1.0)
                for one in routed
                if one.question.picture and not one.question.points
            ]
        ),
    )
    return Findings(text=as_markdown(figures), page="questions", block="routes", figures=figures)


def route(
    workspace: OpenWorkspace, questions: Sequence[RoutedQuestion], folder: Path
) -> Iterator[Routed]:
    """Ask every question as it stands, and without its picture."""
    context = workspace.context(DOMAIN)
    asker = SYSTEM_REGISTRY.answerer(context, "marc", without_model=True)
    drinks = drinks_of(context.catalogue, "dev")
    pictures = [draw(drink, number, "dev", folder) for number, drink in enumerate(drinks)]
    for place, one in enumerate(questions):
        show_step("routing", place + 1, len(questions))
        alone = str(asker.answer(Question(query=one.query), 1).task.kind)
        task = alone
        if one.picture:
            image = str(pictures[place % len(pictures)])
            task = str(asker.answer(Question(query=one.query, image=image), 1).task.kind)
        yield Routed(one, task, alone)


def _right(routed: Sequence[Routed], task: str) -> IntervalEstimate | None:
    asked = [one for one in routed if task in ("all", one.question.route)]
    if not asked:
        return None
    return ratio_estimate([(float(one.task == one.question.route), 1.0) for one in asked])


def as_markdown(figures: RouteFigures) -> str:
    """The figures as a page shows them."""
    rows = [
        [
            name,
            *(
                with_interval(shares[task], 3) if task in shares else "-"
                for task in ("all", *TASKS)
            ),
        ]
        for name, shares in figures.right.items()
    ]
    return "\n".join(
        (
            markdown_table(["routed rightly", "all", *TASKS], rows),
            "",
            "A picture that the words do not speak of leaves the task as it was in "
            f"{with_interval(figures.kept, 3)} of the questions.",
            "",
            f"`{figures.origin.command}`, {figures.origin.machine}.",
        )
    )
