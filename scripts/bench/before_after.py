"""Measure start, first screen, questions and rankings of two states of the code, in turn.

Run:
    python scripts/studies/run.py before_after [--before COMMIT] [--repeat 9] [--report]

An older state is checked out into a temporary folder. By default it is the last one before the
present layout of rooms. Both states import the bundled drinks and MovieLens 100K into workspaces of
their own and then do the same work in processes of their own, one after the other. What else the
machine does meets both, so ratios carry over and times do not. Each ratio is the median over the
pairs, with their quartiles; processor time counts all threads, child processes included.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
from findings import ROOT, Findings, origin_of, say
from terminal import Terminal, processor_s

from localrec.evaluation.provenance import Origin
from localrec.evaluation.questions.gold import read_gold
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.foundation.paths import pulled, shipped

FIRST_OF_LAYOUT = "localrec/foundation/__init__.py"  # came with the present layout of rooms
_FIRST_SCREEN = r"What would you like|\[1 Ask\]"  # of this layout, and of the older one
RANKINGS, CANDIDATES, HISTORY, SEED = 1_000, 20, 40, 20


class Spent(msgspec.Struct, frozen=True):
    """Seconds on the clock and of the processors."""

    clock: float
    processor: float


class Ratio(msgspec.Struct, frozen=True):
    """Time now over time before: median and quartiles over the pairs."""

    median: float
    low: float
    high: float


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of work: median seconds before and now, and the ratios."""

    name: str
    before: Spent
    now: Spent
    clock_ratio: Ratio
    processor_ratio: Ratio


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """One run; `before` is the commit of the older state."""

    origin: Origin
    before: str
    pairs: int
    work: tuple[Compared, ...]


class CodeState:
    """A checkout with a workspace of its own.

    Args:
        root: The checkout.
        home: Folder for its workspace and for what it writes.
    """

    def __init__(self, root: Path, home: Path) -> None:
        self._home = home
        paths = os.pathsep.join([str(root), str(root / "tui")])
        self._environment = {**os.environ, "PYTHONPATH": paths, "LOCALREC_LEARN": "off"}
        home.mkdir()

    def command(self, *arguments: str) -> list[str]:
        """A command line of localrec over the workspace."""
        workspace = str(self._home / "workspace")
        return [sys.executable, "-m", "localrec", "--workspace", workspace, *arguments]

    def run(self, *arguments: str) -> Spent:
        """Run a command to its end; its output is thrown away."""
        started = time.perf_counter()
        process = subprocess.Popen(
            self.command(*arguments),
            cwd=self._home,
            env=self._environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        told = process.stderr.read() if process.stderr else b""
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        clock = time.perf_counter() - started
        if process.returncode:
            raise SystemExit(f"{' '.join(arguments)} failed:\n{told.decode(errors='replace')}")
        return Spent(clock, used.ru_utime + used.ru_stime)

    def run_batch(self, *arguments: str) -> Spent:
        """Run a command that writes answers to a file, anew each time."""
        with tempfile.TemporaryDirectory(dir=self._home) as folder:
            return self.run(*arguments, "--out", str(Path(folder) / "out.jsonl"))

    def open_app(self) -> Spent:
        """Start the app and wait for its first screen."""
        with Terminal(self.command("tui"), self._environment, self._home) as app:
            clock, _ = app.wait_for(_FIRST_SCREEN)
            spent = Spent(clock, processor_s(app.process))
            app.rest(0.3)
        return spent


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--before", help="commit or tag of the older state")
    parser.add_argument("--repeat", type=int, default=9, help="pairs of each kind of work")


def measure(asked: argparse.Namespace) -> Findings:
    """Time each kind of work in both states, in turn."""
    commit = _git("rev-parse", "--short", asked.before or f"{_first_commit_of_layout()}^")
    with tempfile.TemporaryDirectory() as folder, checkout_of(commit) as older:
        home = Path(folder)
        states = (CodeState(older, home / "before"), CodeState(ROOT, home / "now"))
        for state in states:
            state.run("datasets", "pull", "cocktails")
            state.run("datasets", "pull", "ml-100k")
        tasks = work_in(home)
        compared = [compare(name, task, states, asked.repeat) for name, task in tasks.items()]
    measured = Measured(
        origin=origin_of("before_after", f"--before {commit}", f"--repeat {asked.repeat}"),
        before=commit,
        pairs=asked.repeat,
        work=tuple(compared),
    )
    return Findings(
        text=as_markdown(measured), page="speed", block="bench-before-after", figures=measured
    )


def work_in(home: Path) -> Mapping[str, Callable[[CodeState], Spent]]:
    """What is timed, by name; files of questions and requests are written into `home`."""
    questions, requests = home / "questions.jsonl", home / "requests.jsonl"
    gold = read_gold(shipped("datasets") / "cocktails" / "questions.jsonl", "dev")
    _write_lines(questions, [{"id": one.id, "query": one.query} for one in gold])
    _write_lines(requests, list(rank_requests()))
    ask = ("ask", "--batch", str(questions), "--no-model", "--domain", "cocktails")
    rank = ("rank", "--batch", str(requests), "--domain", "movies")
    return {
        "`--help`": lambda state: state.run("--help"),
        "start of the app to its first screen": lambda state: state.open_app(),
        f"{len(gold)} questions in one batch": lambda state: state.run_batch(*ask),
        f"{RANKINGS:,} rankings in one batch": lambda state: state.run_batch(*rank),
    }


def rank_requests() -> Iterator[dict[str, object]]:
    """Draw requests: the last film of a user among 19 unknown ones, and the history before it."""
    met = defaultdict(list)
    rows = (pulled("datasets") / "ml-100k" / "ml-100k.inter").read_text("utf-8").splitlines()[1:]
    for user, item, rating, at in (row.split("\t") for row in rows):
        met[user].append((float(at), item, float(rating)))
    draw = random.Random(SEED)
    films, users = sorted({item for rows in met.values() for _, item, _ in rows}), sorted(met)
    for number in range(RANKINGS):
        *history, (_, target, _) = sorted(met[users[number % len(users)]])
        unknown = sorted({*films} - {item for _, item, _ in history} - {target})
        candidates = [target, *draw.sample(unknown, CANDIDATES - 1)]
        draw.shuffle(candidates)
        yield {
            "id": str(number),
            "candidates": candidates,
            "history": [item for _, item, _ in history[-HISTORY:]],
            "ratings": [rating for *_, rating in history[-HISTORY:]],
        }


def compare(
    name: str,
    task: Callable[[CodeState], Spent],
    states: tuple[CodeState, CodeState],
    repeat: int,
) -> Compared:
    """Do the work in both states, in turn; every second pair begins with the newer one."""
    say(name)
    before, now = states
    task(before), task(now)  # files come into memory, caches onto the disk
    pairs = []
    for number in range(repeat):
        if number % 2:
            later, earlier = task(now), task(before)
        else:
            earlier, later = task(before), task(now)
        pairs.append((earlier, later))
    return Compared(
        name=name,
        before=_median([one for one, _ in pairs]),
        now=_median([one for _, one in pairs]),
        clock_ratio=_ratio([new.clock / old.clock for old, new in pairs]),
        processor_ratio=_ratio([new.processor / old.processor for old, new in pairs]),
    )


def as_markdown(measured: Measured) -> str:
    """The block in docs/results/speed.md."""
    head = ["s", "before", "now", "ratio", "processor before", "now", "ratio"]
    rows = [
        [
            one.name,
            *(f"{one.before.clock:.2f}", f"{one.now.clock:.2f}", _ratio_text(one.clock_ratio)),
            *(f"{one.before.processor:.2f}", f"{one.now.processor:.2f}"),
            _ratio_text(one.processor_ratio),
        ]
        for one in measured.work
    ]
    return (
        f"{measured.origin.as_text()} Ratios are time now over time before (commit "
        f"{measured.before}), the median of {measured.pairs} pairs with quartiles.\n\n"
        f"{markdown_table(head, rows)}"
    )


@contextmanager
def checkout_of(commit: str) -> Iterator[Path]:
    """The files of a commit in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        packed = subprocess.run(
            ["git", "archive", commit], cwd=ROOT, check=True, capture_output=True
        )
        subprocess.run(["tar", "-x", "-C", folder], input=packed.stdout, check=True)
        yield Path(folder)


def _first_commit_of_layout() -> str:
    return _git("log", "--diff-filter=A", "--format=%H", "--", FIRST_OF_LAYOUT).split("\n")[-1]


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def _write_lines(path: Path, records: Sequence[object]) -> None:
    path.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in records))


def _median(spent: Sequence[Spent]) -> Spent:
    clock = statistics.median(one.clock for one in spent)
    return Spent(clock, statistics.median(one.processor for one in spent))


def _ratio(ratios: Sequence[float]) -> Ratio:
    if len(ratios) < 2:
        return Ratio(ratios[0], ratios[0], ratios[0])
    low, median, high = statistics.quantiles(ratios, n=4, method="inclusive")
    return Ratio(median, low, high)


def _ratio_text(ratio: Ratio) -> str:
    return f"{ratio.median:.2f} ({ratio.low:.2f} to {ratio.high:.2f})"
