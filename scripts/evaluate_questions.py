"""Measure the systems on the gold questions: router, constraints, grounding, time.

Run:
    python scripts/evaluate_questions.py --half dev [--systems marc,marc-model] [--failures]
    python scripts/evaluate_questions.py --half test --report

Answers are kept in a folder of their own per state of code, data and settings, so that a run that
was stopped goes on where it was, and an answer of other code is never counted. Failures are shown
for the dev half; of the test half nothing is shown but counts.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from localrec.datasets import fetch_dataset, find_dataset
from localrec.domains import load_domain
from localrec.errors import LocalrecError, UsageError
from localrec.evaluation.intervals import Measure
from localrec.evaluation.questions import (
    Case,
    GoldQuestion,
    Half,
    SystemReport,
    failures_to_show,
    judge,
    read_gold,
    summarise,
    unknown_names,
)
from localrec.evaluation.report import Origin, origin_now, table, write_between
from localrec.evaluation.truth import StoreTruth
from localrec.paths import make_private, shipped
from localrec.sources import open_source
from localrec.systems.batch import answer_batch
from localrec.systems.marc import Question
from localrec.types import Answer, TaskKind
from localrec.workspace import Workspace

ROOT = Path(__file__).resolve().parents[1]
DOMAIN = "cocktails"
K = 3
# Shown name -> system, and whether every role goes to its deterministic counterpart.
SYSTEMS: dict[str, tuple[str, bool]] = {
    "marc": ("marc", False),
    "marc --no-model": ("marc", True),
    "marc-model": ("marc-model", False),
    "marc-no-graph": ("marc-no-graph", False),
    "marc-no-reflection": ("marc-no-reflection", False),
    "marc-no-graph-no-reflection": ("marc-no-graph-no-reflection", False),
}
TITLES = {
    "router_accuracy": "router accuracy",
    "satisfaction_at_3": "constraints held at 3",
    "strict_satisfaction_at_3": "the same, strict",
    "answered": "questions answered",
    "own_target": "example returned (fewer is better)",
    "barred_served": "barred things served (fewer is better)",
    "relaxed_wrongly": "relaxed without need (fewer is better)",
    "impossible_admitted": "impossible, and said so",
    "edges_real": "cited edges that exist",
    "words_carried": "names and numbers carried",
    "claims_grounded": "claims grounded",
    "mean_ms": "mean time, ms",
}


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """One run, as the JSON file keeps it."""

    origin: Origin
    half: Half
    questions: int
    systems: tuple[SystemReport, ...]


def main() -> int:
    """Answer, judge, write; the exit code."""
    asked = parse_arguments()
    try:
        if asked.failures and asked.half != "dev":
            raise UsageError("Failures are shown for the dev half only.", "Use --half dev.")
        gold = spread(read_gold(asked.gold, asked.half), asked.limit)
        figures, cases = measure_systems(asked, gold)
        asked.out.parent.mkdir(parents=True, exist_ok=True)
        asked.out.write_bytes(msgspec.json.format(msgspec.json.encode(figures), indent=1) + b"\n")
        if asked.report:
            write_report(asked.out.parent, asked.docs)
    except LocalrecError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print(as_markdown(figures))
    if asked.failures:
        for system, judged in cases.items():
            print_failures(system, judged)
    return 0


def parse_arguments() -> argparse.Namespace:
    """The command line, with the default output filled in."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--half", choices=["dev", "test"], required=True)
    parser.add_argument(
        "--systems",
        type=lambda text: text.split(","),
        default=list(SYSTEMS),
        help=f"comma-separated, of: {', '.join(SYSTEMS)}",
    )
    parser.add_argument("--limit", type=int, help="only so many questions, evenly spread")
    parser.add_argument("--seed", type=int, help="of the bootstrap")
    parser.add_argument("--workspace", type=Path, help="use this one instead of building one")
    parser.add_argument(
        "--state",
        type=Path,
        default=Path(tempfile.gettempdir()) / "localrec-questions",
        help="where the built workspace and the answers stay between runs",
    )
    parser.add_argument(
        "--gold", type=Path, default=shipped("datasets") / DOMAIN / "questions.jsonl"
    )
    parser.add_argument("--out", type=Path, help="docs/figures/questions-HALF.json")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs" / "evaluation.md")
    parser.add_argument("--report", action="store_true", help="write the tables into --docs")
    parser.add_argument("--failures", action="store_true", help="show what failed (dev only)")
    asked = parser.parse_args()
    unknown = set(asked.systems) - set(SYSTEMS)
    if unknown:
        parser.error(f"no such system: {', '.join(sorted(unknown))}")
    asked.out = asked.out or ROOT / "docs" / "figures" / f"questions-{asked.half}.json"
    return asked


def spread(gold: list[GoldQuestion], limit: int | None) -> list[GoldQuestion]:
    """So many of the questions, taken at even steps, for the file is sorted by task."""
    return gold if limit is None else gold[:: max(1, len(gold) // max(1, limit))][:limit]


def measure_systems(
    asked: argparse.Namespace, gold: Sequence[GoldQuestion]
) -> tuple[Figures, dict[str, list[Case]]]:
    """Every system's answers, judged."""
    state = make_private(make_private(asked.state) / state_of_code(asked.workspace))
    folder = asked.workspace or build_workspace(state / "workspace")
    with Workspace(folder) as workspace:
        truth = StoreTruth(workspace.store, load_domain(DOMAIN))
    report_unknown_names(gold, truth, asked.half)
    reports, cases = [], {}
    for name in asked.systems:
        # Each system opens the workspace anew, so that none profits from what another has cached.
        with Workspace(folder) as workspace:
            answers = ask_all(workspace, name, gold, state / f"{asked.half}-{name}.jsonl")
        cases[name] = [judge(one, answers[one.id], truth) for one in gold]
        seed = {} if asked.seed is None else {"seed": asked.seed}
        reports.append(summarise(name, asked.half, cases[name], **seed))
    shown = [f"--half {asked.half}"]
    shown += [f"--systems '{','.join(asked.systems)}'"] * (asked.systems != list(SYSTEMS))
    shown += [f"--limit {asked.limit}"] * (asked.limit is not None)
    figures = Figures(
        origin=origin_now("scripts/evaluate_questions.py", shown),
        half=asked.half,
        questions=len(gold),
        systems=tuple(reports),
    )
    return figures, cases


def build_workspace(folder: Path) -> Path:
    """A workspace with the bundled drinks alone; one that is there already is taken as it is."""
    ready = folder / "ready"
    if not ready.is_file():
        domain = load_domain(DOMAIN)
        source = open_source(find_dataset(DOMAIN).kind)
        with Workspace(folder, writable=True) as workspace:
            workspace.take_in(source.read(fetch_dataset(DOMAIN), domain), domain, show_step)
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


def ask_all(
    workspace: Workspace, name: str, gold: Sequence[GoldQuestion], out: Path
) -> dict[str, Answer]:
    """The answers of one system by id, those already in `out` among them."""
    system_name, without_model = SYSTEMS[name]
    system = workspace.system(system_name, DOMAIN, without_model=without_model)
    system.answer(Question(query="warm up", id="warm up"), K)  # loading is not answering
    progress = Progress(name)
    questions = [Question(query=one.query, id=one.id) for one in gold]
    answer_batch(lambda _: system, questions, out, K, progress.show)
    lines = out.read_bytes().splitlines()
    answers = (msgspec.json.decode(line, type=Answer) for line in lines)
    return {answer.id: answer for answer in answers}


class Progress:
    """A line on stderr now and then with the time left, judged by this run's own pace."""

    PAUSE_S = 1.0

    def __init__(self, name: str) -> None:
        self._name = name
        self._begun: tuple[float, int] | None = None
        self._shown = 0.0

    def show(self, done: int, total: int) -> None:
        now = time.monotonic()
        begun, before = self._begun = self._begun or (now, done)
        if done < total and now - self._shown < self.PAUSE_S:
            return
        self._shown = now
        pace = (now - begun) / (done - before) if done > before else 0.0
        left = f", {pace * (total - done):.0f} s left" if pace and done < total else ""
        end = "\n" if done == total else ""
        print(f"\r{self._name}: {done} of {total}{left}    ", end=end, file=sys.stderr, flush=True)


def show_step(what: str, done: int, total: int) -> None:
    """Progress of building the workspace."""
    print(f"\r{what} {done}/{total}    ", end="", file=sys.stderr, flush=True)


def report_unknown_names(gold: Sequence[GoldQuestion], truth: StoreTruth, half: Half) -> None:
    """Say on stderr which gold names the store does not know; on the test half only how many."""
    unknown = sorted(set(unknown_names(gold, truth)))
    if unknown:
        named = f": {', '.join(unknown)}" if half == "dev" else ""
        print(f"{len(unknown)} gold names are unknown to the store{named}", file=sys.stderr)


def write_report(folder: Path, docs: Path) -> None:
    """Put the tables of every half that was measured between the markers of `docs`."""
    halves = [
        msgspec.json.decode(path.read_bytes(), type=Figures)
        for path in sorted(folder.glob("questions-*.json"), reverse=True)
    ]
    write_between(docs, "questions", "\n\n".join(as_markdown(figures) for figures in halves))


def as_markdown(figures: Figures) -> str:
    """A run's tables: figures side by side, then by task and style, then the router."""
    names = [one.system for one in figures.systems]
    parts = [
        f"### {figures.half.capitalize()} half, {figures.questions} questions",
        figures.origin.as_text(),
        table(["", *names], [_row(title, figures, name) for name, title in TITLES.items()]),
        "Brackets: 95% bootstrap intervals over questions "
        f"(2,000 resamples, seed {figures.systems[0].seed if figures.systems else ''}).",
    ]
    for heading, groups in (("task", "by_task"), ("style", "by_style")):
        rows = [
            [f"{group} ({_n(figures, groups, group)})"]
            + [_plain(getattr(one, groups)[group]["satisfaction_at_3"]) for one in figures.systems]
            for group in (getattr(figures.systems[0], groups) if figures.systems else ())
        ]
        parts.append(table([f"constraints held at 3, by {heading}", *names], rows))
    parts += [confusion_table(one) for one in figures.systems if _is_own_router(one)]
    spoke = [f"{one.system}: {_spoken(one)}" for one in figures.systems]
    parts.append("Who spoke. " + "; ".join(spoke) + ".")
    return "\n\n".join(parts)


def confusion_table(report: SystemReport) -> str:
    """Gold tasks down, routed tasks across."""
    rows = [
        [f"gold {gold}", *(str(report.confusion[gold].get(routed, 0)) for routed in TaskKind)]
        for gold in TaskKind
    ]
    return table([f"router of {report.system}", *TaskKind], rows)


def print_failures(system: str, cases: Sequence[Case]) -> None:
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


def _row(title: str, figures: Figures, name: str) -> list[str]:
    return [title, *(_with_interval(one.measures[name], name) for one in figures.systems)]


def _with_interval(figure: Measure, name: str) -> str:
    if figure.value is None or figure.low is None or figure.high is None:
        return "-"
    digits = 1 if name == "mean_ms" else 3
    return f"{figure.value:.{digits}f} [{figure.low:.{digits}f}, {figure.high:.{digits}f}]"


def _plain(figure: Measure) -> str:
    return "-" if figure.value is None else f"{figure.value:.3f}"


def _n(figures: Figures, groups: str, group: str) -> int:
    return getattr(figures.systems[0], groups)[group]["answered"].n


def _is_own_router(report: SystemReport) -> bool:
    """Whether the report's router is another one than plain `marc` shows already."""
    return report.system == "marc" or "model" in report.spoke.get("router", {})


def _spoken(report: SystemReport) -> str:
    return ", ".join(
        f"{role} {' / '.join(f'{who} {count}' for who, count in counts.items() if who)}"
        for role, counts in report.spoke.items()
        if role != "understanding"
    )


def _filled(record: msgspec.Struct) -> str:
    shown = {name: getattr(record, name) for name in record.__struct_fields__}
    return ", ".join(f"{name}={value}" for name, value in shown.items() if value)


if __name__ == "__main__":
    sys.exit(main())
