"""Train the agent as AgenticRec does, and measure each stage: warm start, GRPO, refinement.

    python scripts/studies/run.py agent_training                       all of it, on MovieLens 100K
    python scripts/studies/run.py agent_training --stages warm grpo    so far only
    python scripts/studies/run.py agent_training --estimate            time of the next stage
    python scripts/studies/run.py agent_training --processes 2         together, one thread each

Beside them an agent without tools is trained by GRPO alone (the paper's ablation).

Every stage is a command of `localrec train`, goes on where it was stopped, and is skipped once it
is finished; its adapter goes to models/adapters. Then each ranks for the same people on the test
half, beside the frozen model, SASRec and the fused tools (`evaluate run agenticrec-trained`, which
resumes as well), and the table and the curves of reward, tool rate and hits (the paper's Figures 3
and 4) are written into the docs with `--report`.
Nothing of the test half is looked at before the last stage is over; it is everybody's last film, so
that each case is another person's, and rows that a protocol holds out taught none of the stages.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
from findings import ROOT, RUNNER, Findings, add_workspace
from ranking_runs import as_markdown, finished
from training_curves import Curve, curves_picture

from localrec.cli.app import run as localrec
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.foundation.errors import CutShortError
from localrec.foundation.paths import make_private
from localrec.training.jobs.training_runs import StepRecord, TrainingRun, open_run, runs_folder

DATASET = "ml-100k"
EVALUATIONS = {
    "agenticrec-trained": "agenticrec-trained",
    "agenticrec-no-tools": str(ROOT / "scripts" / "studies" / "agenticrec-no-tools.toml"),
}
BUDGET, THOUGHT = 2, 60  # calls of tools, and characters of a thought
TABLED = {
    "warm": {"loss": "loss"},
    "grpo": {
        "reward": "reward",
        "asked a tool": "tool_rate",
        "H@10": "hit10",
        "H@1": "hit1",
        "NDCG@10": "score",
        "without signal": "share_without_signal",
    },
    "no-tools": {
        "reward": "reward",
        "H@10": "hit10",
        "H@1": "hit1",
        "NDCG@10": "score",
        "without signal": "share_without_signal",
    },
    "refine": {
        "right": "reward",
        "asked a tool": "tool_rate",
        "without signal": "share_without_signal",
    },
}
DRAWN = {
    "grpo": (
        Curve("reward", "reward"),
        Curve("share that asked a tool", "tool_rate"),
        Curve("H@10", "hit10"),
        Curve("H@1", "hit1"),
    ),
    "refine": (
        Curve("right answers on pairs", "reward", validated=False),
        Curve("share that asked a tool", "tool_rate", validated=False),
    ),
}
POINTS = 8  # rows of a table, each the mean of a stretch of steps


class Stage(msgspec.Struct, frozen=True, kw_only=True):
    """One training.

    Args:
        name: Of its run, and of the system that is measured.
        command: Behind `localrec train`, without the name.
        told: In the tables.
    """

    name: str
    command: tuple[str, ...]
    told: str


def stages(base: str, workspace: Path) -> dict[str, Stage]:
    """All of them, in order; each begins with what the one before came to."""
    learnt = runs_folder(workspace) / "agent-warm" / "adapter"
    warm = str(learnt) if learnt.is_dir() else "agent-warm"  # the one that ships
    rate = ("--learning-rate", "1e-4")  # few steps, so long ones
    bounds = (
        *("--max-tool-calls", str(BUDGET), "--max-thought-chars", str(THOUGHT)),
        *("--max-tokens", "3072"),
    )
    return {
        "warm": Stage(
            name="agent-warm",
            command=(
                *("adapter", "agent", "--base", base, "--train", "192", "--validation", "12"),
                *("--batch", "8"),
            ),
            told="warm start",
        ),
        "grpo": Stage(
            name="agent-grpo",
            command=(
                *("grpo", "--base", base, "--init-adapter", warm),
                *("--prompts-per-step", "2", "--steps", "24"),
                *("--validation", "16", "--validate-every", "12", *rate, *bounds),
            ),
            told="GRPO",
        ),
        "no-tools": Stage(
            name="agent-no-tools",
            command=(
                *("grpo", "--base", base, "--no-tools", "--prompts-per-step", "2", "--steps", "24"),
                *("--validation", "16", "--validate-every", "12", *rate, *bounds),
            ),
            told="GRPO without tools",
        ),
        "refine": Stage(
            name="agent-refined",
            command=("refine", "agent-grpo", "--mine-requests", "60", "--steps", "12", *rate),
            told="refinement",
        ),
    }


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    add_workspace(parser)
    parser.add_argument("--base", default="smollm2-135m")
    parser.add_argument("--stages", nargs="*", default=[*TABLED, "measure"])
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--estimate", action="store_true", help="of the next stage alone")


def measure(asked: argparse.Namespace) -> Iterator[Findings]:
    """Train what is missing, and measure it."""
    command(asked.workspace, "datasets", "pull", DATASET)
    for key in TABLED:
        if key in asked.stages:
            stage = stages(asked.base, asked.workspace)[key]
            if train(asked, stage) and asked.estimate:
                return
            yield course_of(key, stage, asked.workspace)
    if "measure" in asked.stages:
        for one in EVALUATIONS.values():
            command(asked.workspace, "evaluate", "run", one)
        text = as_markdown(finished(list(EVALUATIONS), asked.workspace))
        yield Findings(text=text, page="training", block="agent-trained")


def train(asked: argparse.Namespace, stage: Stage) -> bool:
    """Train a stage to its end and export it; whether there was anything to train."""
    workspace = asked.workspace
    folder = runs_folder(workspace) / stage.name
    begun = (folder / "config.json").exists()
    if begun and open_run(folder).state.status == "finished":
        return False
    if asked.estimate and not begun:
        command(workspace, "train", *stage.command, "--name", stage.name, "--estimate")
        return True
    if begun:
        command(workspace, "train", "resume", stage.name, processes=asked.processes)
    else:
        told = ("train", *stage.command, "--name", stage.name)
        command(workspace, *told, processes=asked.processes)
    command(workspace, "train", "export", stage.name, "--out", str(exported(stage)))
    return True


def exported(stage: Stage) -> Path:
    """The GGUF of a stage, which ships."""
    return make_private(ROOT / "models" / "adapters") / f"{stage.name}.gguf"


def course_of(key: str, stage: Stage, workspace: Path) -> Findings:
    """How a training went, and its curves."""
    run = open_run(runs_folder(workspace) / stage.name)
    parts = [
        f"### {stage.told[0].upper()}{stage.told[1:]}, step by step",
        told_training(run, TABLED[key]),
        f"Made by `python {RUNNER} agent_training`.",
    ]
    pictures = {}
    if key in DRAWN:
        name = f"training-{key}.svg"
        pictures[name] = curves_picture(f"{stage.told}, step by step", run.records(), DRAWN[key])
        told = ", ".join(one.title for one in DRAWN[key])
        parts.insert(1, f"![{told}](../figures/{name})")
    text = "\n\n".join(parts)
    return Findings(text=text, page="training", block=f"training-{key}", pictures=pictures)


def told_training(run: TrainingRun, names: Mapping[str, str]) -> str:
    """What was logged, in so many stretches of steps."""
    records = [one for one in run.records() if one.values]
    width = -(-len(records) // POINTS)
    stretches = [records[at : at + width] for at in range(0, len(records), width)]
    heads = ["steps", *names, "seconds a step"]
    rows = [
        [
            f"{part[0].step} to {part[-1].step}",
            *(f"{mean(part, name):.3f}" for name in names.values()),
            f"{sum(one.seconds for one in part) / len(part):.0f}",
        ]
        for part in stretches
    ]
    return markdown_table(heads, rows)


def mean(records: Sequence[StepRecord], name: str) -> float:
    """Of a figure over some steps, where it is one."""
    found = [value for one in records if (value := one.values.get(name)) is not None]
    return sum(found) / len(found) if found else float("nan")


def command(workspace: Path, *arguments: str, processes: int = 1) -> None:
    """One command of localrec, or several processes of it that train together.

    Raises:
        CutShortError: it did not come to its end; it has told why.
    """
    told = ["--workspace", str(workspace), *arguments]
    if processes == 1:
        code = localrec(told)
    else:
        launcher = ("-m", "torch.distributed.run", "--nproc-per-node", str(processes))
        started = [sys.executable, *launcher, "-m", "--", "localrec", *told]
        code = subprocess.run(started, check=False).returncode
    if code:
        raise CutShortError(
            f"localrec {' '.join(arguments)} did not come to its end.",
            f"Run python {RUNNER} agent_training again: it goes on from there.",
        )
