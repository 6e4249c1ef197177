"""What is the judge worth? Two systems answer dev questions, a local model judges what they said.

Run:
    python scripts/studies/run.py llm_judge [--model NAME] [--questions 12] [--report]

Everything is done by the commands of `localrec`, so it can be made by hand as well; a run that was
stopped goes on where it was. `--report` puts the page that `evaluate judge` wrote into the docs.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import msgspec
from findings import Findings, add_folder

from localrec.cli.app import run
from localrec.evaluation.questions.gold import read_gold
from localrec.foundation.paths import make_private, shipped

DOMAIN = "cocktails"
SYSTEMS = ("marc", "marc-no-graph")  # one that holds constraints, and one that often does not


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--model", help="who judges; by default the workspace's chat model")
    parser.add_argument("--questions", type=int, default=12, help="so many, evenly spread")
    add_folder(parser, "--state", "judge", "where workspace, answers and verdicts stay")


def measure(asked: argparse.Namespace) -> Findings:
    """Ask both systems, then have their answers judged."""
    workspace, folder = asked.state / "workspace", asked.state / f"dev-{asked.questions}"
    make_private(folder)
    questions = write_questions(folder / "questions.jsonl", asked.questions)
    judging = ["evaluate", "judge", folder, "--samples", asked.questions]
    asking = ["ask", "--batch", questions]
    commands = [
        *([] if workspace.is_dir() else [["datasets", "pull", DOMAIN]]),
        *([*asking, "--out", folder / f"answers-{one}.jsonl", "--system", one] for one in SYSTEMS),
        [*judging, *(["--model", asked.model] if asked.model else [])],
    ]
    for command in commands:
        if code := run([str(one) for one in ["--workspace", workspace, *command]]):
            raise SystemExit(code)
    text = as_block(folder / "judged.md", asked.questions)
    return Findings(text=text, page="explanations", block="judge")


def write_questions(path: Path, count: int) -> Path:
    """So many dev questions as a batch file, at even steps, for the gold file is sorted by task."""
    gold = read_gold(shipped("datasets") / DOMAIN / "questions.jsonl", "dev")
    chosen = gold[:: max(1, len(gold) // count)][:count]
    lines = (msgspec.json.encode({"id": one.id, "query": one.query}) for one in chosen)
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


def as_block(page: Path, questions: int) -> str:
    """The judge's page under a heading of its own."""
    told = re.sub(r"(?m)^#", "###", page.read_text(encoding="utf-8"))
    return (
        "## The judge\n\n"
        f"{' and '.join(SYSTEMS)} answered {questions} dev questions; what they said was judged by "
        "the model that quickstart fetches. Made by `python scripts/studies/run.py llm_judge "
        f"--questions {questions} --report`.\n\n{told}"
    )
