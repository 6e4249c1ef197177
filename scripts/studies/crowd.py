"""Four processes at one workspace: two read, two write, as fast as they can.

Reading is asking and recommending, writing is feedback and imports, each a command of its own as
people type them. Wanted: no reading that fails, no writing that is lost, and short waits.

    python scripts/studies/run.py crowd --seconds 3600 --report
    python scripts/studies/run.py crowd --seconds 1200 --pause 5
    python scripts/studies/run.py crowd --seconds 30
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import msgspec
from findings import Findings, origin_of
from store_walk import WorkspaceWalk
from walk_model import Row, Step, stored

from localrec.evaluation.provenance import Origin
from localrec.evaluation.reporting.markdown import markdown_table


class RoleCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Commands of one process: how many, how many failed, and their median and longest seconds."""

    commands: int
    failed: int
    median_s: float
    longest_s: float


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """One run: the four processes, and writes that were told as done and are not in the store."""

    origin: Origin
    roles: dict[str, RoleCounts]
    lost: int
    complaints: list[str]


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--pause", type=float, default=0, help="seconds between two commands")


def measure(asked: argparse.Namespace) -> Findings:
    """Let four processes work for a while, then look what the store holds."""
    os.environ["LOCALREC_LEARN"] = "off"
    walk = WorkspaceWalk()
    try:
        figures = _measure(walk, asked.seconds, asked.pause)
    finally:
        walk.teardown()
    failed = figures.lost + sum(role.failed for role in figures.roles.values())
    return Findings(
        text=_text(figures),
        page="../reliability",
        block="crowd",
        figures=figures,
        exit_code=int(bool(failed)),
    )


def _measure(walk: WorkspaceWalk, seconds: float, pause: float) -> Figures:
    walk.folder.mkdir(mode=0o700)
    (walk.folder / "settings.toml").write_text(walk.model.settings, encoding="utf-8")
    for step in (
        Step("drinks", names=("Negroni", "Gimlet")),
        Step("films", "bob", ("Heat",), number=4.0),
    ):
        walk._do(step, *walk._expected(step))
    with tempfile.TemporaryDirectory() as place:
        films = Path(place) / "ratings.csv"
        films.write_text(
            "Date,Name,Year,Letterboxd URI,Rating\n2024-05-01,Heat,1995,https://boxd.it/heat,4\n"
        )
        roles = {
            "asks": lambda _: ["ask", "something with gin", "--no-model"],
            "recommends": lambda _: ["recommend", "--user", "bob"],
            "rates": lambda n: [
                *("feedback", "--user", "anna", "--item", "Negroni", "--like"),
                *("--reason", f"word {n}"),
            ],
            "imports": lambda n: ["import", "letterboxd", place, "--user", f"guest {n}"],
        }
        ends: dict[str, list[tuple[int, float, str]]] = {name: [] for name in roles}
        until = time.monotonic() + seconds
        threads = [
            Thread(target=_work, args=(walk.folder, line, until, pause, ends[name]))
            for name, line in roles.items()
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return Figures(
        origin=origin_of("crowd", f"--seconds {seconds:g} --pause {pause:g}"),
        roles={name: _counts(found) for name, found in ends.items()},
        lost=_lost(walk.folder, ends),
        complaints=sorted({told for found in ends.values() for code, _, told in found if code})[:9],
    )


def _work(
    folder: Path, line: object, until: float, pause: float, ends: list[tuple[int, float, str]]
) -> None:
    """Run commands one after another: exit code, seconds, and the last words of each."""
    while time.monotonic() < until:
        began = time.monotonic()
        done = _localrec(folder, *line(len(ends)))  # type: ignore[operator]
        ends.append((done.returncode, time.monotonic() - began, done.stderr.strip()[-200:]))
        time.sleep(pause)


def _localrec(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "localrec", "--workspace", str(folder), *words],
        capture_output=True,
        text=True,
        check=False,
    )


def _counts(found: list[tuple[int, float, str]]) -> RoleCounts:
    times = [seconds for _, seconds, _ in found]
    return RoleCounts(
        commands=len(found),
        failed=sum(code != 0 for code, _, _ in found),
        median_s=round(statistics.median(times), 2),
        longest_s=round(max(times), 2),
    )


def _lost(folder: Path, ends: dict[str, list[tuple[int, float, str]]]) -> int:
    """Writes that a command told as done and that are not in the store."""
    said: Counter[Row] = stored(folder)["said"]  # type: ignore[assignment]
    words, users = {row[5] for row in said}, {row[1] for row in said}
    return sum(_missing(ends["rates"], "word", words)) + sum(
        _missing(ends["imports"], "guest", users)
    )


def _missing(ends: list[tuple[int, float, str]], what: str, there: set[str]) -> Iterator[bool]:
    for number, (code, _, _) in enumerate(ends):
        yield code == 0 and f"{what} {number}" not in there


def _text(figures: Figures) -> str:
    rows = [
        [name, f"{one.commands:,}", f"{one.failed:,}", f"{one.median_s:g}", f"{one.longest_s:g}"]
        for name, one in figures.roles.items()
    ]
    table = markdown_table(["process", "commands", "failed", "median s", "longest s"], rows)
    words = "".join(f"\n- {told}" for told in figures.complaints)
    return f"{table}\n\nWrites lost: {figures.lost:,}.{words}\n\nMade by {figures.origin.as_text()}"
