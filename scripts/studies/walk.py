"""Random steps over a workspace, each held against a model of the store.

Imports, feedback, shelves, memories, forgetting, exports, settings, backups and ways back go by
the command line, the Python API, or a process that is killed at some statement; the clock jumps in
between. After each step the store equals a model in plain dictionaries, the checks of `localrec
doctor` find nothing, and no scrap lies in the folder. A walk that fails is told with its steps.

    python scripts/studies/run.py walk --steps 20000 --report
    python scripts/studies/run.py walk --steps 300 --seed 7
"""

from __future__ import annotations

import argparse
import os
import time

import msgspec
import store_walk
from findings import Findings, origin_of, say
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from localrec.evaluation.provenance import Origin
from localrec.evaluation.reporting.markdown import markdown_table

_STEPS = 50  # of one walk; then another begins in a fresh folder


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """One run.

    Args:
        origin: How it came about.
        steps: How many steps were taken.
        walks: Over how many workspaces.
        kinds: How many steps of each kind ended how: an exit code, killed, or outlived its killer.
        cpu_s: Seconds of CPU.
    """

    origin: Origin
    steps: int
    walks: int
    kinds: dict[str, int]
    cpu_s: float


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--steps", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)


def measure(asked: argparse.Namespace) -> Findings:
    """Walk; the first step after which something is wrong ends it with an error."""
    os.environ["LOCALREC_LEARN"] = "off"
    began = time.process_time()
    store_walk.counts.clear()
    walks = max(1, asked.steps // _STEPS)
    say(f"{walks} walks of {_STEPS} steps")
    run_state_machine_as_test(
        seed(asked.seed)(store_walk.WorkspaceWalk),
        settings=settings(
            max_examples=walks,
            stateful_step_count=_STEPS,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],
        ),
    )
    kinds = dict(sorted(store_walk.counts.items()))
    figures = Figures(
        origin=origin_of("walk", f"--steps {asked.steps} --seed {asked.seed}"),
        steps=sum(kinds.values()),
        walks=walks,
        kinds=kinds,
        cpu_s=round(time.process_time() - began, 1),
    )
    return Findings(
        text=_text(figures), page="reliability", block="walk", figures=figures, kept_as="walk"
    )


def _text(figures: Figures) -> str:
    killed = sum(count for kind, count in figures.kinds.items() if kind.endswith("killed"))
    refused = sum(count for kind, count in figures.kinds.items() if kind[-1] in "123")
    rows = [
        ["steps", f"{figures.steps:,}"],
        ["of them in a process that was killed half way", f"{killed:,}"],
        ["refused in a sentence, as the model expects", f"{refused:,}"],
        ["workspaces", f"{figures.walks:,}"],
        ["after which the store was not what the model says", "0"],
        ["seconds of CPU", f"{figures.cpu_s:,.0f}"],
    ]
    table = markdown_table(["what", "count"], rows)
    return f"{table}\n\nMade by {figures.origin.as_text()}"
