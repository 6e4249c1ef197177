"""Measure the systems on the gold questions: router, constraints, grounding, time; into the docs.

Run:
    python scripts/studies/run.py gold_questions --half dev [--systems marc,marc-model] [--failures]
    python scripts/studies/run.py gold_questions --half test --report

It is `localrec evaluate run` over a workspace with the bundled drinks alone, in a folder of its own
per state of code, data and settings: a run that was stopped goes on where it was, and an answer of
other code is never counted. Failures are shown for the dev half; of the test half nothing is shown
but counts.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
from findings import ROOT, Findings, add_folder, add_half, halves_in, origin_of, show_step
from question_tables import question_tables

from localrec.evaluation.configs import (
    Half,
    QuestionRunConfig,
    QuestionsConfig,
    QuestionSystemConfig,
    QuestionSystemSettings,
)
from localrec.evaluation.provenance import Origin
from localrec.evaluation.questions.answer_scoring import AnswerScore, failures_to_show
from localrec.evaluation.questions.gold import read_gold, unknown_names
from localrec.evaluation.questions.question_harness import run_question_evaluation, score_answers
from localrec.evaluation.questions.store_truth import StoreTruth
from localrec.evaluation.questions.summaries import SystemReport
from localrec.evaluation.run_folder import RunFolder
from localrec.foundation.errors import UsageError
from localrec.foundation.paths import make_private
from localrec.graph.domain_files import load_domain
from localrec.sources import open_source
from localrec.sources.dataset_catalog import fetch_dataset, find_dataset
from localrec.workspace import OpenWorkspace

DOMAIN = "cocktails"
SYSTEMS = {
    system.name: system
    for system in (
        QuestionSystemConfig(name="marc"),
        QuestionSystemConfig(name="marc-rules"),
        QuestionSystemConfig(
            name="marc-no-model", entry="marc", settings=QuestionSystemSettings(no_model=True)
        ),
        QuestionSystemConfig(name="marc-model"),
        QuestionSystemConfig(name="marc-no-graph"),
        QuestionSystemConfig(name="marc-no-reflection"),
        QuestionSystemConfig(name="marc-no-graph-no-reflection"),
        QuestionSystemConfig(name="vector-rag"),
    )
}


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """One run, as the JSON file keeps it."""

    origin: Origin
    half: Half
    questions: int
    systems: tuple[SystemReport, ...]


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    add_half(parser)
    parser.add_argument(
        "--systems",
        type=lambda text: text.split(","),
        default=list(SYSTEMS),
        help=f"comma-separated, of: {', '.join(SYSTEMS)}",
    )
    parser.add_argument("--limit", type=int, default=0, help="only so many questions, drawn")
    parser.add_argument("--workspace", type=Path, help="use this one instead of building one")
    add_folder(parser, "--state", "questions", "where the built workspace and the runs stay")
    parser.add_argument("--failures", action="store_true", help="show what failed (dev only)")


def measure(asked: argparse.Namespace) -> Findings:
    """Answer the questions of a half and judge the answers."""
    if unknown := set(asked.systems) - set(SYSTEMS):
        raise UsageError(
            f"No system is called {', '.join(sorted(unknown))}.", f"Known: {', '.join(SYSTEMS)}."
        )
    if asked.failures and asked.half != "dev":
        raise UsageError("Failures are shown for the dev half only.", "Use --half dev.")
    state = make_private(make_private(asked.state) / state_of_code(asked.workspace))
    home = asked.workspace or build_workspace(state / "workspace")
    figures, folder = measure_systems(asked, home, state)
    if asked.failures:
        show_failures(folder, home, asked.systems)
    return Findings(
        text=as_markdown(figures),
        page="questions",
        block="questions",
        figures=figures,
        kept_as=f"questions-{asked.half}",
        whole_block=lambda figures: halves_in(figures, "questions", Figures, as_markdown),
    )


def measure_systems(
    asked: argparse.Namespace, home: Path, state: Path
) -> tuple[Figures, RunFolder]:
    """Every system's figures, and the run they come from."""
    config = QuestionRunConfig(
        name=f"questions-{asked.half}",
        questions=QuestionsConfig(gold=DOMAIN, half=asked.half),
        systems=tuple(
            msgspec.structs.replace(SYSTEMS[name], sample=asked.limit) for name in asked.systems
        ),
    )
    shown = [f"--half {asked.half}"]
    shown += [f"--systems '{','.join(asked.systems)}'"] * (asked.systems != list(SYSTEMS))
    shown += [f"--limit {asked.limit}"] * bool(asked.limit)
    made = origin_of("gold_questions", *shown)
    text = msgspec.json.encode(config)
    folder = RunFolder(state / f"{config.name}-{hashlib.sha256(text).hexdigest()[:8]}")
    note = f"# {made.command}\n".encode()
    found = run_question_evaluation(config, note, home, folder, made, progress=show_step)
    print(file=sys.stderr)
    for one in found.systems:
        if one.questions is None:
            raise UsageError(f"{one.name} was not measured: {one.failed}", "Leave it out.")
    reports = tuple(one.questions for one in found.systems if one.questions is not None)
    figures = Figures(
        origin=made,
        half=asked.half,
        questions=max(one.questions for one in reports),
        systems=reports,
    )
    return figures, folder


def build_workspace(folder: Path) -> Path:
    """A workspace with the bundled drinks alone; one that is there already is taken as it is."""
    ready = folder / "ready"
    if not ready.is_file():
        domain = load_domain(DOMAIN)
        source = open_source(find_dataset(DOMAIN).kind)
        with OpenWorkspace(folder, writable=True) as workspace:
            workspace.imports.import_items(
                source.read(fetch_dataset(DOMAIN), domain), domain, show_step
            )
        ready.touch()
    return folder


def state_of_code(workspace: Path | None) -> str:
    """Changes with anything that could change an answer: code, bundled data, a given workspace."""
    digest = hashlib.sha256()
    code = (path for path in (ROOT / "localrec").rglob("*.py") if "evaluation" not in path.parts)
    data = (ROOT / "datasets" / DOMAIN).rglob("*")
    for path in sorted(code) + sorted(data):
        if path.is_file() and path.name != "questions.jsonl":
            digest.update(path.relative_to(ROOT).as_posix().encode())
            digest.update(path.read_bytes())
    if workspace is not None:
        store = (workspace / "store.duckdb").stat()
        digest.update(f"{workspace.resolve()} {store.st_mtime_ns} {store.st_size}".encode())
        settings = workspace / "settings.toml"
        digest.update(settings.read_bytes() if settings.is_file() else b"")
    return digest.hexdigest()[:16]


def as_markdown(figures: Figures) -> str:
    """A run's tables under their heading."""
    title = f"{figures.half.capitalize()} half, {figures.questions} questions"
    return question_tables(title, figures.origin, figures.systems)


def show_failures(folder: RunFolder, home: Path, systems: Sequence[str]) -> None:
    """What each system fell short of, and the gold names that the store does not know."""
    declared = folder.question_origin().run.questions
    gold = read_gold(declared.path, declared.half)
    with OpenWorkspace(home) as workspace:
        truth = StoreTruth(workspace.store, load_domain(DOMAIN))
    for name in sorted(set(unknown_names(gold, truth))):
        print(f"{name} is unknown to the store", file=sys.stderr)
    for system in systems:
        print_failures(system, score_answers(folder, system, gold, truth))


def print_failures(system: str, cases: Sequence[AnswerScore]) -> None:
    """Each question of the dev half that fell short, and what was understood of it."""
    answers = failures_to_show(cases)
    print(f"\n{system}: {len(answers)} questions fall short of something")
    for case, names in answers:
        question = case.question
        print(f"\n{question.id} [{question.task}] {question.query}")
        print(f"  short of    {', '.join(names)}")
        print(f"  gold        {_filled(question.gold)}")
        print(f"  understood  {case.routed} {_filled(case.understood)}")
        for name, demands in case.broken:
            print(f"  answered    {name}: {'; '.join(demands) or 'holds'}")
        for claim in case.claims:
            if not claim.holds:
                print(f"  ungrounded  {claim.text}")


def _filled(record: msgspec.Struct) -> str:
    shown = {name: getattr(record, name) for name in record.__struct_fields__}
    return ", ".join(f"{name}={value}" for name, value in shown.items() if value)
