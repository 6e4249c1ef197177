"""Put questions of other hands to the default and judge the answers by the raw catalogue.

Run:
    python scripts/studies/run.py asked_questions --catalogues FOLDER FILE... [--failures]
    python scripts/studies/run.py asked_questions --catalogues FOLDER FILE... --half test --report

Each line of a file is a question with its labels (`asked_judge.AskedQuestion`), each file of the
folder is a catalogue named after its domain (`films.jsonl`). A question is asked for three items
and for ten. With `--half test` nothing is shown but counts.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np
from asked_catalogues import AskedCatalogue
from asked_judge import FIRST, AskedQuestion, Given, Label, Verdict, judge
from findings import Findings, add_folder, origin_of, say, show_step

from localrec.data.answers import Answer, QuestionAnswerer
from localrec.data.questions import Question
from localrec.evaluation.provenance import Origin
from localrec.evaluation.statistics import IntervalEstimate, ratio_estimate
from localrec.foundation.errors import InputError
from localrec.foundation.paths import make_private
from localrec.systems.registry import SYSTEM_REGISTRY

_MOST = 10
_ABOUT_THE_EXAMPLE = re.compile(r"Taking [^.]* as the example\.")
MEASURES: dict[str, str] = {
    "satisfied": "satisfied at 3",
    "barred_served": "barred served",
    "silently_wrong": "silently wrong",
    "over_relaxed": "over-relaxed",
    "impossible_said": "impossible said",
    "declined": "off topic declined",
    "foreign_right": "foreign told or right",
    "example_returned": "example returned",
    "route_right": "route right",
    "same_list": "same list at 3 and 10",
    "scores_fall": "scores fall",
}


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """A run: measure -> group ("all", a domain, a style) -> cell, and milliseconds by domain."""

    origin: Origin
    half: str
    questions: int
    measures: dict[str, dict[str, IntervalEstimate]]
    median_ms: dict[str, float]


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("files", type=Path, nargs="+", help="questions, one JSON object a line")
    parser.add_argument("--catalogues", type=Path, required=True, help="folder of DOMAIN.jsonl")
    parser.add_argument("--half", choices=["dev", "test"], default="dev", help="what they are")
    parser.add_argument("--system", default="marc", help="a system that answers questions")
    parser.add_argument("--failures", action="store_true", help="show what failed (dev only)")
    parser.add_argument("--only", default="", help="only questions of this domain")
    add_folder(parser, "--state", "asked", "where the built workspaces stay")


def measure(asked: argparse.Namespace) -> Findings:
    """Answer all questions and judge the answers."""
    questions = read_questions(asked.files)
    state = make_private(asked.state)
    show = asked.failures and asked.half == "dev"
    verdicts: list[Verdict] = []
    for domain in sorted({one.domain for one in questions}):
        if asked.only in ("", domain):
            mine = [one for one in questions if one.domain == domain]
            catalogue = AskedCatalogue(domain, asked.catalogues / f"{domain}.jsonl", state)
            verdicts += list(ask_and_judge(mine, catalogue, asked.system, show))
    files = " ".join(path.name for path in asked.files)
    figures = Figures(
        origin=origin_of("asked_questions", f"--catalogues FOLDER --half {asked.half} {files}"),
        half=asked.half,
        questions=len(verdicts),
        measures=summarise(verdicts),
        median_ms={
            domain: round(float(np.median([one.ms for one in verdicts if one.domain == domain])), 1)
            for domain in sorted({one.domain for one in verdicts})
        },
    )
    return Findings(
        text=as_markdown(figures),
        page="questions",
        block=f"asked-{asked.half}",
        figures=figures,
        kept_as=f"questions-asked-{asked.half}",
    )


def read_questions(files: Iterable[Path]) -> list[AskedQuestion]:
    """Read files of questions.

    Raises:
        InputError: a line is no question.
    """
    found = []
    for path in files:
        for number, line in enumerate(path.read_bytes().splitlines(), 1):
            if line.strip():
                try:
                    found.append(msgspec.json.decode(line, type=AskedQuestion))
                except msgspec.MsgspecError as error:
                    raise InputError(f"{path}, line {number}: {error}.", "Mend it.") from error
    return found


def ask_and_judge(
    questions: Sequence[AskedQuestion], catalogue: AskedCatalogue, system: str, show: bool
) -> Iterator[Verdict]:
    """Ask every question of one domain and judge what came back."""
    histories = {one.id: one.user for one in questions if one.user}
    workspace, context = catalogue.open(histories)
    with workspace:
        answerer = SYSTEM_REGISTRY.answerer(context, system)
        answerer.answer(Question(query="warm up", id="warm up"), _MOST)
        for done, asked in enumerate(questions, 1):
            show_step(catalogue.name, done, len(questions))
            given, answer = put(asked, answerer, catalogue.name_of)
            verdict = judge(asked, given, catalogue.rows, catalogue.rows_named)
            if show and _failed(verdict):
                say("\n" + failure_text(asked, verdict, answer))
            yield verdict


def put(
    asked: AskedQuestion, answerer: QuestionAnswerer, name_of: Callable[[str, str], str]
) -> tuple[Given, Answer]:
    """Ask one question for three items and for ten."""
    question = Question(query=asked.query, id=asked.id, user=asked.id if asked.user else None)
    begun = time.perf_counter()
    first = answerer.answer(question, FIRST)
    ms = 1000 * (time.perf_counter() - begun)
    answer = answerer.answer(question, _MOST)
    scores = [item.score for item in answer.items]
    unused = getattr(first, "unused", ())
    words = [getattr(one, "words", one) for one in unused]
    message = _ABOUT_THE_EXAMPLE.sub("", first.message)
    return Given(
        names=tuple(name_of(item.key, item.name) for item in answer.items),
        first=tuple(name_of(item.key, item.name) for item in first.items),
        relaxed=tuple(f"{one.constraint} {one.value}" for one in first.relaxed),
        told=" ".join((message, *words)),
        language=getattr(first, "language", "") or "",
        task=str(first.task.kind),
        falls=all(one >= other for one, other in pairwise(scores)),
        ms=ms,
    ), first


def _failed(verdict: Verdict) -> bool:
    good = (verdict.satisfied, verdict.impossible_said, verdict.declined, verdict.foreign_right)
    bad = (verdict.barred_served, verdict.over_relaxed, verdict.example_returned)
    wrong = any(one is not None and one < 1.0 for one in good) or verdict.route_right is False
    return wrong or any(map(bool, bad))


def failure_text(asked: AskedQuestion, verdict: Verdict, answer: Answer) -> str:
    """What went wrong with one question, for who mends it."""
    faults = [
        f"{name}={value}"
        for name in MEASURES
        if (value := getattr(verdict, name)) is not None and name not in ("same_list",)
    ]
    intent = {
        name: value
        for name, value in msgspec.to_builtins(answer.intent).items()
        if value not in ((), [], {}, None)
    }
    labels = [
        f"must {[_label_text(one) for one in asked.must]}" * bool(asked.must),
        f"any_of {[[_label_text(o) for o in one] for one in asked.any_of]}" * bool(asked.any_of),
        f"not {[_label_text(one) for one in asked.barred]}" * bool(asked.barred),
        f"example {asked.example}" * bool(asked.example),
    ]
    return "\n".join(
        (
            f"{asked.id} {asked.kind} {','.join(asked.style)}: {asked.query}",
            f"   {' '.join(faults)}",
            f"   labels: {' '.join(filter(None, labels))}",
            f"   read: {intent}",
            f"   items: {[item.name for item in answer.items]} "
            f"relaxed {[one.value for one in answer.relaxed]} said: {answer.message}",
        )
    )


def _label_text(label: Label) -> str:
    parts = ((name, getattr(label, name)) for name in label.__struct_fields__)
    return " ".join(f"{name}={value}" for name, value in parts if value is not None)


def summarise(verdicts: Sequence[Verdict]) -> dict[str, dict[str, IntervalEstimate]]:
    """Every measure over all questions, by domain and by style."""
    groups: dict[str, Callable[[Verdict], bool]] = {"all": lambda _: True}
    for domain in sorted({one.domain for one in verdicts}):
        groups[domain] = lambda one, domain=domain: one.domain == domain  # type: ignore[misc]
    for style in sorted({style for one in verdicts for style in one.style}):
        groups[style] = lambda one, style=style: style in one.style  # type: ignore[misc]
    found: dict[str, dict[str, IntervalEstimate]] = {}
    for name in MEASURES:
        cells = {}
        for group, belongs in groups.items():
            values = [
                float(value)
                for one in verdicts
                if belongs(one) and (value := getattr(one, name)) is not None
            ]
            if values:
                cells[group] = ratio_estimate([(value, 1.0) for value in values])
        found[name] = cells
    return found


def _cell(one: IntervalEstimate | None) -> str:
    if one is None or one.value is None:
        return "-"
    return f"{one.value:.3f} [{one.low:.3f}, {one.high:.3f}] ({one.n})"


def as_markdown(figures: Figures) -> str:
    """The figures as a page shows them."""
    lines = [
        f"### {figures.half.capitalize()} half, {figures.questions} questions",
        "",
        f"`{figures.origin.command}`, {figures.origin.machine}.",
        "",
        "| measure | all |",
        "| --- | ---: |",
    ]
    lines += [
        f"| {title} | {_cell(figures.measures[name]['all'])} |"
        for name, title in MEASURES.items()
        if "all" in figures.measures[name]
    ]
    shown = [name for name in MEASURES if len(figures.measures[name]) > 1][:5]
    lines += ["", "| | " + " | ".join(MEASURES[name] for name in shown) + " |"]
    lines += ["| --- |" + " ---: |" * len(shown)]
    groups = dict.fromkeys(group for name in shown for group in figures.measures[name])
    for group in groups:
        cells = (figures.measures[name].get(group) for name in shown)
        lines.append(f"| {group} | " + " | ".join(map(_cell, cells)) + " |")
    times = ", ".join(f"{domain} {ms:g}" for domain, ms in figures.median_ms.items())
    return "\n".join([*lines, "", f"Median milliseconds of an answer with three items: {times}."])
