"""Measure a bulk import and lists for people on data of MovieLens 25M's size.

Run:
    python scripts/studies/run.py people [--rows 25000095] [--report]

A ratings.csv in MovieLens' layout is generated (162,541 people of very different diligence, 62,423
films of very different fame) and imported by the program itself in a process of its own, whose peak
memory is measured. The peer beside it is DuckDB alone: reading the same file into a plain table of
typed columns, without checking a row. Lists are then made for people drawn at random, warm, in one
process; the peer is one scan of the table of interactions. The folder (TMPDIR moves it) takes
about 2 GB and is removed.
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

from localrec.evaluation.provenance import Origin
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.systems.registry import SYSTEM_REGISTRY
from localrec.workspace import OpenWorkspace

PEOPLE, FILMS = 162_541, 62_423
LISTS = 200
SEED = 25
_IMPORT = """
import json, resource, sys, time
from localrec.cli.app import run
begun = time.perf_counter()
code = run(["import", "movielens", sys.argv[1], "--workspace", sys.argv[2], "--index-later"])
spent = time.perf_counter() - begun
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"code": code, "seconds": spent, "peak_mb": peak}))
"""


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """One run."""

    origin: Origin
    rows: int
    people: int
    file_mb: float
    plain_s: float
    import_s: float
    import_peak_mb: float
    rows_per_s: float
    over_plain: float
    store_mb: float
    open_s: float
    list_median_ms: float
    list_p95_ms: float
    scan_median_ms: float
    lists_peak_mb: float


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--rows", type=int, default=25_000_095)
    parser.add_argument("--lists-of", type=Path, help=argparse.SUPPRESS)


def measure(asked: argparse.Namespace) -> Findings:
    """Generate, import and recommend."""
    if asked.lists_of:
        return Findings(text=json.dumps(lists_for(asked.lists_of)))
    with tempfile.TemporaryDirectory() as home:
        measured = measure_all(Path(home), asked.rows, PEOPLE)
    text = as_markdown(measured)
    return Findings(text=text, page="speed", block="bench-people", figures=measured)


def measure_all(home: Path, rows: int, people: int) -> Measured:
    """All figures of one run; an empty folder takes what it generates."""
    folder, workspace = home / "ml", home / "workspace"
    folder.mkdir()
    rows, people = generate(folder, rows, people)
    plain_s = load_plainly(folder / "ratings.csv", home / "plain.duckdb")
    (home / "plain.duckdb").unlink()
    done = subprocess.run(
        [sys.executable, "-c", _IMPORT, str(folder), str(workspace)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    imported = json.loads(done.stdout.splitlines()[-1])
    if imported["code"]:
        raise SystemExit("The import failed.")
    told = subprocess.run(  # in a process of its own, whose memory is nobody else's
        [sys.executable, str(ROOT / RUNNER), "people", "--lists-of", str(workspace)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    lists = json.loads(told.stdout)
    return Measured(
        origin=origin_of("people", f"--rows {rows}"),
        rows=rows,
        people=people,
        file_mb=(folder / "ratings.csv").stat().st_size / 1e6,
        plain_s=plain_s,
        import_s=imported["seconds"],
        import_peak_mb=imported["peak_mb"],
        rows_per_s=rows / imported["seconds"],
        over_plain=imported["seconds"] / plain_s,
        store_mb=(workspace / "store.duckdb").stat().st_size / 1e6,
        **lists,
    )


def generate(folder: Path, rows: int, people: int) -> tuple[int, int]:
    """ratings.csv and movies.csv as MovieLens hands them out, of so many people at most.

    Returns:
        The number of ratings, and of the people who gave them.
    """
    import duckdb

    diligence = (
        "least(4000, 20 + floor(exp(4.2 + 1.28 * sqrt(-2 * ln(random())) "
        "* cos(6.2831853 * random()))))::INTEGER"
    )
    with duckdb.connect() as connection:
        connection.execute("SET threads = 1")  # a seed holds for one thread only
        connection.execute(f"SELECT setseed({SEED / 100})")
        connection.execute(
            f'COPY (SELECT person AS "userId", film AS "movieId", '
            "ceil(10 * pow(random(), 0.55)) / 2 AS rating, "
            '789652009 + floor(random() * 784675694)::BIGINT AS "timestamp" FROM ('
            "SELECT DISTINCT person, 1 + floor("
            f"{FILMS - 1} * pow((place + random()) / many, 3.0))::INTEGER AS film FROM ("
            "SELECT person, many, unnest(range(many)) AS place FROM ("
            f"SELECT i AS person, {diligence} AS many FROM range(1, {people + 1}) r(i)))) "
            f"ORDER BY person, film LIMIT {rows}) TO '{folder / 'ratings.csv'}' (HEADER)"
        )
        connection.execute(
            "COPY (SELECT i AS \"movieId\", 'Film ' || i || ' (' || (1930 + i % 90) || ')' "
            "AS title, ['Drama', 'Comedy', 'Thriller', 'Romance', 'Action', 'Horror'][1 + i % 6] "
            "|| '|' || ['War', 'Western', 'Musical', 'Fantasy', 'Crime'][1 + i % 5] AS genres "
            f"FROM range(1, {FILMS + 1}) r(i)) TO '{folder / 'movies.csv'}' (HEADER)"
        )
        [(ratings, raters)] = connection.execute(
            f"SELECT count(*), count(DISTINCT \"userId\") FROM read_csv('{folder / 'ratings.csv'}')"
        ).fetchall()
    return int(ratings), int(raters)


def load_plainly(csv: Path, store: Path) -> float:
    """Seconds that DuckDB alone takes for the same file."""
    import duckdb

    columns = (
        "{'userId': 'INTEGER', 'movieId': 'INTEGER', 'rating': 'FLOAT', 'timestamp': 'BIGINT'}"
    )
    begun = time.perf_counter()
    with duckdb.connect(str(store)) as connection:
        connection.execute(
            f"CREATE TABLE rating AS FROM read_csv('{csv}', header = true, columns = {columns})"
        )
    return time.perf_counter() - begun


def lists_for(workspace: Path) -> dict[str, float]:
    """Times of lists of ten for people drawn at random, and of a plain scan."""
    begun = time.perf_counter()
    with OpenWorkspace(workspace) as opened:
        personal = SYSTEM_REGISTRY.recommender(opened.context("movies"))
        open_s = time.perf_counter() - begun
        rows = opened.store.rows("SELECT key FROM node WHERE kind = 'user' ORDER BY node_id")
        users = np.random.default_rng(SEED).choice([key for (key,) in rows], LISTS, replace=False)
        lists, scans = [], []
        for key in users:
            begun = time.perf_counter()
            personal.recommend(key, opened.context("movies").user_profile(key), 10)
            lists.append(1000 * (time.perf_counter() - begun))
            begun = time.perf_counter()
            opened.store.rows("SELECT avg(rating) FROM interaction WHERE item_id % 7 = 3")
            scans.append(1000 * (time.perf_counter() - begun))
    return {
        "open_s": open_s,
        "list_median_ms": float(np.median(lists)),
        "list_p95_ms": float(np.percentile(lists, 95)),
        "scan_median_ms": float(np.median(scans)),
        "lists_peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def as_markdown(one: Measured) -> str:
    """The figures as a table with their targets."""
    rows = [
        ["rows imported per second", f"{one.rows_per_s:,.0f}", "at least 500,000"],
        ["import, seconds", f"{one.import_s:.1f}", ""],
        ["the same over DuckDB's bare read of the file", f"{one.over_plain:.1f}", ""],
        ["peak memory of the import, MB", f"{one.import_peak_mb:,.0f}", "under 2,000"],
        ["store, MB (the file has " + f"{one.file_mb:,.0f})", f"{one.store_mb:,.0f}", ""],
        ["opening, seconds", f"{one.open_s:.1f}", ""],
        ["a person's list of ten, median ms", f"{one.list_median_ms:.0f}", "under 150"],
        ["the same, 95th percentile", f"{one.list_p95_ms:.0f}", ""],
        [
            "the same over one scan of the table",
            f"{one.list_median_ms / one.scan_median_ms:.1f}",
            "",
        ],
        ["peak memory meanwhile, MB", f"{one.lists_peak_mb:,.0f}", "under 1,000"],
    ]
    title = f"{one.rows:,} ratings, {one.people:,} people, {FILMS:,} films"
    return (
        f"{markdown_table([title, 'measured', 'wanted'], rows)}\n\nMade by {one.origin.as_text()}"
    )
