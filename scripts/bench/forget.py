"""Measure forgetting people of a store with millions of interactions: time, disk, memory.

Run:
    python scripts/studies/run.py forget [--rows 25000000] [--users 162000] [--items 59000]
        [--people 1]

The store has the shape of MovieLens 25M, and a note at every hundredth interaction. It is made in
a temporary folder (TMPDIR moves it) and removed. Forgetting runs in a process of its own, whose
memory is that of its peak; the disk is watched from outside, spilled files included. The copy of
the store's file beside it says what the disk alone would take for as many bytes.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from findings import ROOT, RUNNER, Findings

from localrec.graph.store import Store
from localrec.privacy.erasure_plan import ForgetScope
from localrec.privacy.forget import forget

FIRST = 4711  # number of the first who is forgotten; the others stand at distances behind them
APART = 97


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--rows", type=int, default=25_000_000)
    parser.add_argument("--users", type=int, default=162_000)
    parser.add_argument("--items", type=int, default=59_000)
    parser.add_argument("--people", type=int, default=1, help="forgotten one after the other")
    parser.add_argument("--forget-in", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--whom", help=argparse.SUPPRESS)


def measure(asked: argparse.Namespace) -> Findings:
    """Make a store, and forget users one after the other, each in a process of its own."""
    if asked.forget_in:
        return Findings(text=json.dumps(forget_here(asked.forget_in, asked.whom)))
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "workspace"
        make_store(folder / "store.duckdb", asked.rows, asked.users, asked.items)
        copied_s = copy_s(folder / "store.duckdb", Path(home) / "copy")
        runs = [
            forget_elsewhere(folder, f"person-number-{FIRST + number * APART}")
            for number in range(asked.people)
        ]
    slowest = max(runs, key=lambda run: run["forget_s"])
    measured = {
        "rows": asked.rows,
        "people": asked.people,
        "copy_s": copied_s,
        "median_s": statistics.median(run["forget_s"] for run in runs),
        **{f"slowest_{name}": value for name, value in slowest.items()},
    }
    return Findings(text=as_table(measured), figures=measured)


def make_store(path: Path, rows: int, users: int, items: int) -> None:
    """A store of so many interactions, by the store's own SQL."""
    with Store.open_(path) as store:
        for kind, count in (("user", users), ("movie", items)):
            name = "person" if kind == "user" else "movie"
            store.execute(
                "INSERT INTO node SELECT nextval('node_ids'), 'movies', $1, "
                "$2 || '-number-' || i, $2 || '-number-' || i, '{}' FROM range($3) r(i)",
                [kind, name, count],
            )
        store.execute(
            "INSERT INTO interaction SELECT 1 + hash(i) % $2, 1 + $2 + hash(i, 'item') % $3, "
            "'rated', 0.5 + (hash(i, 'stars') % 10) / 2, "
            "TIMESTAMP '2010-01-01' + to_seconds((hash(i, 'at') % 400000000)::BIGINT), 1, "
            "'movielens', CASE WHEN i % 100 = 0 THEN 'A thought about number ' || i END "
            "FROM range($1) r(i)",
            [rows, users, items],
        )


def copy_s(path: Path, to: Path) -> float:
    """Seconds to copy the store's file and have it on the disk."""
    began = time.perf_counter()
    shutil.copyfile(path, to)
    subprocess.run(["sync", to], check=True)
    to.unlink()
    return round(time.perf_counter() - began, 2)


def forget_here(folder: Path, whom: str) -> dict[str, float]:
    """Forget one person and say what this process took."""
    receipt = forget(folder, ForgetScope(user=whom), dry_run=False, progress=lambda *_: None)
    if receipt.found or not receipt.rows.get("interaction"):
        raise SystemExit(f"It did not work: {receipt}")
    return {
        "forgotten_rows": sum(receipt.rows.values()),
        "forget_s": receipt.seconds,
        "store_bytes": receipt.store_bytes[0],
        "peak_memory_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


def forget_elsewhere(folder: Path, whom: str) -> dict[str, float]:
    """Forget in another process while the folder's size is watched."""
    before = peak = size_of(folder)
    with subprocess.Popen(
        [
            *(sys.executable, str(ROOT / RUNNER), "forget"),
            *("--forget-in", str(folder), "--whom", whom),
        ],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        while process.poll() is None:
            peak = max(peak, size_of(folder))
            time.sleep(0.05)
        told, _ = process.communicate()
    if process.returncode:
        raise SystemExit(process.returncode)
    return {**json.loads(told), "extra_disk_bytes": peak - before}


def size_of(folder: Path) -> int:
    """Bytes on disk of all files below a folder; files may come and go meanwhile."""
    size = 0
    for path in folder.rglob("*"):
        try:
            size += path.stat().st_blocks * 512
        except FileNotFoundError:
            continue
    return size


def as_table(measured: dict[str, float]) -> str:
    """One line per figure."""
    return "\n".join(f"{name:20} {value:>16,}" for name, value in measured.items())
