"""What is the judge worth? Two systems answer dev questions, a local model judges what they said.

Run:
    python scripts/studies/llm_judge.py [--model NAME] [--questions 12] [--report]

Everything is done by the commands of `localrec`, so it can be made by hand as well; a run that was
stopped goes on where it was. `--report` puts the page that `evaluate judge` wrote into the docs.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from pathlib import Path

import msgspec

from localrec.cli.app import run
from localrec.evaluation.questions.gold import read_gold
from localrec.evaluation.reporting.markdown import replace_marked_block
from localrec.foundation.paths import make_private, shipped

ROOT = Path(__file__).resolve().parents[2]
DOMAIN = "cocktails"
SYSTEMS = ("marc", "marc-no-graph")  # one that holds constraints, and one that often does not


def main() -> int:
    """Ask, judge, write; the exit code."""
    asked = parse_arguments()
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
            return code
    if asked.report:
        replace_marked_block(asked.docs, "judge", as_block(folder / "judged.md", asked.questions))
    return 0


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", help="who judges; by default the workspace's chat model")
    parser.add_argument("--questions", type=int, default=12, help="so many, evenly spread")
    parser.add_argument(
        "--state",
        type=Path,
        default=Path(tempfile.gettempdir()) / "localrec-judge",
        help="where workspace, answers and verdicts stay between runs",
    )
    parser.add_argument("--docs", type=Path, default=ROOT / "docs" / "results" / "explanations.md")
    parser.add_argument("--report", action="store_true", help="write the page into --docs")
    return parser.parse_args()


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
        "the model that quickstart fetches. Made by `python scripts/studies/llm_judge.py "
        f"--questions {questions} --report`.\n\n{told}"
    )


if __name__ == "__main__":
    sys.exit(main())
