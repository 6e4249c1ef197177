"""Mutated exports against every importer: each file is read, or refused in one sentence.

A small sound export of every kind, in its public layout, is mutated: bytes flipped, lost and
added, tails cut, cells and lines doubled, brackets and quotes added, encodings changed, numbers of
any size put in. Then its kind is told from the bytes, it is read, and its receipt must add up.

    python scripts/studies/run.py fuzz_exports --count 100000 --report
    python scripts/studies/run.py fuzz_exports --count 300 --seed 2
"""

from __future__ import annotations

import argparse
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import fuzz_tables
import msgspec
from findings import ROOT, Findings, origin_of, say

from localrec.evaluation.provenance import Origin
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.foundation.errors import LocalrecError
from localrec.graph.domain_files import load_domain
from localrec.sources import detect_kind, open_source, read_export

sys.path.append(str(ROOT))

from tests.sources.exports_of_every_kind import WRITERS

_LIMIT_S = 30  # of the processor, for one small file


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """One run.

    Args:
        origin: How it came about.
        kinds: Kinds of exports.
        outcomes: How many exports were read and refused, and what else happened.
        slowest_cpu_s: Seconds of the processor that the slowest export took.
        harmful: Number and outcome of each export that was neither read rightly nor refused.
    """

    origin: Origin
    kinds: int
    outcomes: dict[str, int]
    slowest_cpu_s: float
    harmful: list[tuple[int, str]]


class _TookTooLongError(Exception):
    """One small file took longer than the limit."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--count", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)


def measure(asked: argparse.Namespace) -> Findings:
    """Fuzz; the exit code is 0 when every export was read rightly or refused."""
    figures = fuzz(asked.count, asked.seed)
    for number, outcome in figures.harmful[:20]:
        say(f"export {number}: {outcome}")
    return Findings(
        text=as_markdown(figures),
        page="../reliability",
        block="exports-fuzz",
        figures=figures,
        exit_code=int(bool(figures.harmful)),
    )


def fuzz(count: int, seed: int) -> Figures:
    """Read one mutated export after another and count what came of it."""
    drawn = random.Random(seed)
    outcomes: Counter[str] = Counter()
    harmful: list[tuple[int, str]] = []
    slowest = 0.0
    with tempfile.TemporaryDirectory() as place:
        sound = {kind: write(_made(Path(place) / kind)) for kind, write in WRITERS.items()}
        work = Path(place) / "work"
        for number in range(count):
            kind = drawn.choice(list(sound))
            path = _changed(sound[kind], work, drawn)
            began = time.process_time()
            outcome = _read(kind, path)
            slowest = max(slowest, time.process_time() - began)
            outcomes[outcome.partition(":")[0]] += 1
            if outcome not in ("read", "refused"):
                harmful.append((number, f"{kind}, {outcome}"))
    return Figures(
        origin=origin_of("fuzz_exports", f"--count {count} --seed {seed}"),
        kinds=len(WRITERS),
        outcomes=dict(outcomes.most_common()),
        slowest_cpu_s=round(slowest, 3),
        harmful=harmful,
    )


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _changed(sound: Path, work: Path, drawn: random.Random) -> Path:
    """A copy of an export with one of its files changed."""
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(sound.parent, work)
    path = work / sound.name
    files = sorted(one for one in work.rglob("*") if one.is_file())
    target = drawn.choice(files)
    target.write_bytes(fuzz_tables.mutated(target.read_bytes() or b"\n", drawn))
    return path


def _read(kind: str, path: Path) -> str:
    """What came of one export."""
    try:
        with _limited():
            _detect(path)
            source = open_source(kind)
            user = "anna" if getattr(source, "personal", False) else None
            report = read_export(kind, path, load_domain(source.domain), user).report
    except LocalrecError as error:
        return "refused" if "\n" not in error.message else f"refused in lines: {error.message}"
    except Exception:  # noqa: BLE001  the very thing that is looked for
        return f"raised: {traceback.format_exc(limit=-2)}"
    if report.read != report.kept + report.merged + report.dropped + report.apart:
        return f"lost rows: {report}"
    return "read"


def _detect(path: Path) -> None:
    """Tell the kind; a file of none or of several kinds is no fault."""
    try:
        detect_kind(path)
    except LocalrecError:
        return


@contextmanager
def _limited() -> Iterator[None]:
    """End what takes too long of the processor."""

    def stop(*_: object) -> None:
        raise _TookTooLongError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, _LIMIT_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def as_markdown(figures: Figures) -> str:
    """The figures as a table, with where they come from."""
    count = sum(figures.outcomes.values())
    rows = [[f"exports {how}", f"{times:,}", ""] for how, times in figures.outcomes.items()]
    rows += [
        ["exports that raised, hung or lost rows", f"{len(figures.harmful):,}", "0"],
        ["slowest export, seconds of the processor", f"{figures.slowest_cpu_s:.2f}", ""],
    ]
    head = [f"{count:,} mutated exports of {figures.kinds} kinds", "measured", "wanted"]
    return f"{markdown_table(head, rows)}\n\nMade by {figures.origin.as_text()}"
