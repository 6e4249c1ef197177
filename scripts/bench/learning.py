"""Measure how long the default list takes: after an import, while it is learnt, and once it is.

Run:
    python scripts/studies/run.py learning [--rows 5000000] [--report]
    python scripts/studies/run.py learning --workspace FOLDER     a store that is there already

Without a workspace a ratings.csv of that many rows is generated as `people` does (people of very
different diligence, 62,423 films of very different fame, more than a fifth of them unmet at 5
million rows) and imported by the program itself. Everything that is timed is a command in a process
of its own, as users call it: the first list after the import, the fit, and a list by what was
learnt. Peak memory is the largest that the process held. Warm lists are asked in one process.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import msgspec
import numpy as np
from findings import ROOT, RUNNER, Findings, origin_of
from people import PEOPLE, generate

from localrec.evaluation.provenance import Origin
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.systems.registry import SYSTEM_REGISTRY
from localrec.workspace import OpenWorkspace

DOMAIN = "movies"
LISTS = 50
SEED = 25


class Command(msgspec.Struct, frozen=True):
    """What a command took, and what it said."""

    seconds: float
    cpu_seconds: float
    peak_mb: float
    said: dict[str, object]


class LearningSpeed(msgspec.Struct, frozen=True, kw_only=True):
    """One run."""

    origin: Origin
    rows: int
    first_list: Command
    second_list: Command
    fit: Command
    learnt_list: Command
    warm_list_ms: float


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--workspace", type=Path, help="a store that is there already")
    parser.add_argument("--lists-of", type=Path, help=argparse.SUPPRESS)


def measure(asked: argparse.Namespace) -> Findings:
    """Generate and import unless there is a store, then recommend, learn and recommend."""
    if asked.lists_of:
        return Findings(text=json.dumps(warm_list_ms(asked.lists_of)))
    if asked.workspace:
        measured = measure_all(asked.workspace, f"--workspace {asked.workspace.name}")
    else:
        with tempfile.TemporaryDirectory() as home:
            folder, workspace = Path(home) / "ml", Path(home) / "workspace"
            folder.mkdir()
            generate(folder, asked.rows, PEOPLE)
            call(workspace, "import", "movielens", str(folder), "--index-later")
            measured = measure_all(workspace, f"--rows {asked.rows}")
    return Findings(text=as_markdown(measured), kept_as="learning_speed", figures=measured)


def measure_all(workspace: Path, arguments: str) -> LearningSpeed:
    """All figures of one store that nothing was learnt of yet."""
    with OpenWorkspace(workspace) as opened:
        rows = int(opened.store.rows("SELECT count(*) FROM interaction")[0][0])
        key = opened.store.rows("SELECT key FROM node WHERE kind = 'user' LIMIT 1")[0][0]
    recommend = ("recommend", "--user", str(key), "--domain", DOMAIN)
    first, second = call(workspace, *recommend), call(workspace, *recommend)
    fit = call(workspace, "learn", "--domain", DOMAIN)
    learnt = call(workspace, *recommend)
    warm = subprocess.run(
        [sys.executable, str(ROOT / RUNNER), "learning", "--lists-of", str(workspace)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return LearningSpeed(
        origin=origin_of("learning", arguments),
        rows=rows,
        first_list=first,
        second_list=second,
        fit=fit,
        learnt_list=learnt,
        warm_list_ms=float(json.loads(warm.stdout)),
    )


def call(workspace: Path, *command: str) -> Command:
    """Run one command of the program in a process of its own."""
    begun = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "localrec", "--json", "--workspace", str(workspace), *command],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(ROOT), "LOCALREC_LEARN": "off"},
    )
    assert process.stdout is not None
    said = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"localrec {' '.join(command)} failed.")
    seconds = time.perf_counter() - begun
    lines = said.decode().splitlines()
    told = json.loads(lines[-1]) if lines else {}
    return Command(seconds, used.ru_utime + used.ru_stime, _megabytes(used), told)


def warm_list_ms(workspace: Path) -> float:
    """Median milliseconds of a list of ten with its reasons, for users drawn at random."""
    with OpenWorkspace(workspace) as opened:
        context = opened.context(DOMAIN)
        recommender = SYSTEM_REGISTRY.recommender(context)
        rows = opened.store.rows("SELECT key FROM node WHERE kind = 'user' ORDER BY node_id")
        users = np.random.default_rng(SEED).choice([key for (key,) in rows], LISTS)
        times = []
        for key in users.tolist():
            begun = time.perf_counter()
            recommender.recommend(key, context.user_profile(key), 10)
            times.append(1000.0 * (time.perf_counter() - begun))
    return float(np.median(times))


def as_markdown(one: LearningSpeed) -> str:
    """The figures as a table."""
    steps = {
        "first list after the import": one.first_list,
        "the same again": one.second_list,
        "fit": one.fit,
        "a list by what was learnt": one.learnt_list,
    }
    body = [
        [name, f"{step.seconds:.1f}", f"{step.cpu_seconds:.1f}", f"{step.peak_mb:,.0f}"]
        for name, step in steps.items()
    ]
    heads = ["step", "seconds", "of CPU time", "peak memory, MB"]
    [(_, learnt)] = one.fit.said.items()
    return (
        f"{one.rows:,} interactions.\n\n{markdown_table(heads, body)}\n\n"
        f"A warm list of ten takes {one.warm_list_ms:.1f} ms (median of {LISTS}). The fit said: "
        f"{learnt}\n\nMade by {one.origin.as_text()}"
    )


def _megabytes(used: resource.struct_rusage) -> float:
    return used.ru_maxrss / (1024.0 if sys.platform.startswith("linux") else 1024.0**2)
