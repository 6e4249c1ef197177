"""Time what a user waits for beside what they would use instead, in turn, as ratios with a history.

Run:
    python scripts/studies/run.py peers [--repeat 7] [--ratings 1000000] [--only NAME] [--report]
    python scripts/studies/run.py peers --check

Each line is done by localrec and by its peer, one after the other, so that whatever else the
machine does meets both. A ratio is processor time (all threads, child processes included) of ours
over the peer's: the median over the pairs with their quartiles. `--report` also adds the ratios to
docs/figures/bench-peers-history.json. `--check` measures nothing: it reads that history and fails
where a line was more than a tenth above its best median in the last two runs that had it.
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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
import numpy as np
from curation import drawn, item_features, likings
from findings import ROOT, Findings, as_json, origin_of, say
from people import generate

from localrec.data.interaction_matrix import InteractionMatrix
from localrec.evaluation.provenance import Origin
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.index.vectors import ExactIndex, HnswIndex, unit_rows
from localrec.memory.curation import curate
from localrec.memory.default_rules import default_rules
from localrec.memory.user_item_graph import UserItemGraph

HISTORY_FILE = "bench-peers-history"
LOSS = 1.1  # a line is worse from this share of its best median on
QUESTION = "a smoky drink without whiskey"
NEIGHBOURS, USERS_LOOKED_AT = 16, 256
Seconds = Callable[[], float]


class PeerLine(msgspec.Struct, frozen=True):
    """One line: processor seconds of both sides, and the ratio with its quartiles."""

    name: str
    peer: str
    ours_s: float
    peer_s: float
    ratio: float
    low: float
    high: float
    wanted: str = ""


class PeerRun(msgspec.Struct, frozen=True, kw_only=True):
    """One run of the bench."""

    origin: Origin
    pairs: int
    lines: tuple[PeerLine, ...]


class PastRun(msgspec.Struct, frozen=True):
    """What the history keeps of a run: its date and the median ratios by line."""

    date: str
    ratios: dict[str, float]


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--repeat", type=int, default=7, help="pairs of each line")
    parser.add_argument("--ratings", type=int, default=1_000_000, help="rows that are imported")
    parser.add_argument("--interactions", type=int, default=600_000, help="of the curated graph")
    parser.add_argument("--only", action="append", help="lines whose names begin so")
    parser.add_argument("--check", action="store_true", help="read the history, measure nothing")


def measure(asked: argparse.Namespace) -> Findings:
    """Time every line, or check the history."""
    history = read_history(asked.docs)
    if asked.check:
        lost = losses(history)
        told = "\n".join(f"{name}: {text}" for name, text in lost.items())
        return Findings(text=told or "No line lost a tenth twice.", exit_code=1 if lost else 0)
    with tempfile.TemporaryDirectory() as folder:
        lines = tuple(all_lines(Path(folder), asked))
    given = (f"--repeat {asked.repeat}", f"--ratings {asked.ratings}")
    run = PeerRun(origin=origin_of("peers", *given), pairs=asked.repeat, lines=lines)
    if asked.report:
        past = PastRun(run.origin.date, {line.name: line.ratio for line in lines})
        path = asked.docs / "figures" / f"{HISTORY_FILE}.json"
        path.write_text(as_json([*history, past]) + "\n", encoding="utf-8")
    return Findings(text=as_markdown(run), page="speed", block="bench-peers", figures=run)


def read_history(docs: Path) -> list[PastRun]:
    """The runs that were kept, oldest first."""
    path = docs / "figures" / f"{HISTORY_FILE}.json"
    return msgspec.json.decode(path.read_bytes(), type=list[PastRun]) if path.is_file() else []


def losses(history: Sequence[PastRun]) -> dict[str, str]:
    """Lines that were more than a tenth above their best median in the last two runs with them."""
    found = {}
    for name in {name: None for run in history for name in run.ratios}:
        ratios = [run.ratios[name] for run in history if name in run.ratios]
        best = min(ratios)
        if len(ratios) > 2 and min(ratios[-2:]) > LOSS * best:
            found[name] = f"{ratios[-2]:.2f} and {ratios[-1]:.2f}, at best {best:.2f}"
    return found


def all_lines(home: Path, asked: argparse.Namespace) -> Iterator[PeerLine]:
    """Time each line that is asked for."""

    def is_asked(name: str) -> bool:
        return not asked.only or any(name.startswith(begin) for begin in asked.only)

    workspace = str(home / "drinks")
    bare = [sys.executable, "-c", "pass"]
    libraries = [sys.executable, "-c", "import duckdb, numpy"]
    ask = [*program(workspace), "ask", QUESTION]
    starts = {
        "`localrec --help`": ([*program(workspace), "--help"], libraries, "under 0.15 s"),
        "`localrec ask`, cold": (ask, libraries, "under 0.5 s"),
    }
    if any(map(is_asked, [*starts, "`localrec ask`, warm helper"])):
        run_command([*program(workspace), "datasets", "pull", "cocktails"])
        run_command([*program(workspace), "index"])
    for name, (ours, theirs, wanted) in starts.items():
        if is_asked(name):
            pair = (lambda o=ours: run_command(o)), (lambda t=theirs: run_command(t))
            yield compare(name, "`import duckdb, numpy`", pair, asked.repeat, wanted)
    if is_asked("`localrec ask`, warm helper"):
        with warm_helper(workspace):
            pair = (lambda: run_command(ask)), (lambda: run_command(bare))
            name = "`localrec ask`, warm helper"
            yield compare(name, "`python -c pass`", pair, asked.repeat, "")
    if is_asked("import"):
        yield import_line(home, asked.ratings, max(1, asked.repeat // 2))
    if is_asked("curation"):
        yield curation_line(asked.interactions, asked.repeat)
    if is_asked("HNSW"):
        yield hnsw_line(asked.repeat)


def program(workspace: str) -> list[str]:
    """How localrec is started over a workspace."""
    return [sys.executable, "-m", "localrec", "--workspace", workspace]


def run_command(command: Sequence[str]) -> float:
    """Run a command to its end; returns its processor seconds."""
    paths = os.pathsep.join([str(ROOT), str(ROOT / "tui")])
    environment = {**os.environ, "PYTHONPATH": paths, "LOCALREC_LEARN": "off"}
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    told = process.stderr.read() if process.stderr else b""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{told.decode(errors='replace')}")
    return used.ru_utime + used.ru_stime


@contextmanager
def warm_helper(workspace: str) -> Iterator[None]:
    """Keep a helper for a workspace."""
    run_command([*program(workspace), "warm"])
    try:
        yield
    finally:
        run_command([*program(workspace), "warm", "--stop"])


def compare(
    name: str,
    peer: str,
    pair: tuple[Seconds, Seconds],
    repeat: int,
    wanted: str = "",
    *,
    warm_up: bool = True,
) -> PeerLine:
    """Do both in turn; every second pair begins with the peer."""
    say(name)
    ours, theirs = pair
    if warm_up:
        ours(), theirs()
    spent = []
    for number in range(repeat):
        if number % 2:
            other = theirs()
            mine = ours()
        else:
            mine = ours()
            other = theirs()
        spent.append((mine, other))
    low, middle, high = np.percentile([mine / other for mine, other in spent], [25, 50, 75])
    medians = [statistics.median(side) for side in zip(*spent, strict=True)]
    return PeerLine(name, peer, *medians, float(middle), float(low), float(high), wanted)


def import_line(home: Path, ratings: int, repeat: int) -> PeerLine:
    """The import of a MovieLens folder beside DuckDB's read of its ratings into a table."""
    folder = home / "ml"
    folder.mkdir()
    rows = generate(folder, ratings)
    count = iter(range(10_000))
    load = (
        "import duckdb, sys; c = duckdb.connect(sys.argv[1]); "
        "c.execute(f\"CREATE TABLE rating AS FROM read_csv('{sys.argv[2]}')\")"
    )

    def ours() -> float:
        workspace = str(home / f"import-{next(count)}")
        return run_command(
            [*program(workspace), "import", "movielens", str(folder), "--index-later"]
        )

    def theirs() -> float:
        store, ratings_file = home / f"plain-{next(count)}.duckdb", folder / "ratings.csv"
        return run_command([sys.executable, "-c", load, str(store), str(ratings_file)])

    name = f"import of {rows:,} ratings"
    return compare(name, "DuckDB's `read_csv`", (ours, theirs), repeat, "under 3", warm_up=False)


def curation_line(interactions: int, repeat: int) -> PeerLine:
    """Neighbours of a history, found and chosen, beside counts of what is shared."""
    users, items = max(100, interactions // 150), max(200, min(62_423, interactions // 150))
    user, item, day = likings(interactions, users, items)
    matrix = InteractionMatrix.from_pairs(user, item, users, items, day)
    graph = UserItemGraph(matrix, item_features(items))
    _ = graph.profiles
    liked = [
        matrix.items[matrix.first_item[one] : matrix.first_item[one + 1]].tolist()
        for one in range(users)
    ]
    liked_by: list[list[int]] = [[] for _ in range(items)]
    for one, theirs_liked in enumerate(liked):
        for known in theirs_liked:
            liked_by[known].append(one)
    rules, asked = default_rules("movies"), drawn(graph, 40)

    def ours() -> float:
        begun = time.process_time()
        for one, history in asked:
            weights = np.ones(len(history), dtype=np.float32)
            curate(graph.neighbours_of(history, weights, one), rules)
        return (time.process_time() - begun) / len(asked)

    def theirs() -> float:
        begun = time.process_time()
        for one, history in asked:
            plain_neighbours(liked, liked_by, one, history.tolist())
        return (time.process_time() - begun) / len(asked)

    name = f"curation of a history, {interactions:,} likings"
    return compare(name, "a pruner with `Counter`", (ours, theirs), repeat, "under 0.2")


def plain_neighbours(
    liked: list[list[int]], liked_by: list[list[int]], one: int, history: list[int]
) -> list[int]:
    """The items that are liked most by those who share most with a history, by counting alone."""
    shared = Counter(other for item in history for other in liked_by[item])
    del shared[one]
    nearest = [other for other, _ in shared.most_common(USERS_LOOKED_AT)]
    given = set(history)
    fans = Counter(item for other in nearest for item in liked[other] if item not in given)
    return [item for item, _ in fans.most_common(NEIGHBOURS)]


def hnsw_line(repeat: int, count: int = 20_000, size: int = 384) -> PeerLine:
    """Searches of our index beside those of hnswlib itself with the same parameters."""
    import hnswlib

    random = np.random.default_rng(7)
    vectors = unit_rows(random.standard_normal((count, size), dtype=np.float32))
    labels = np.arange(count, dtype=np.int64)
    index = HnswIndex.build(ExactIndex(labels, vectors))
    plain = hnswlib.Index(space="ip", dim=size)
    plain.init_index(count, M=HnswIndex.M, ef_construction=HnswIndex.EF_CONSTRUCTION)
    plain.add_items(vectors, labels, num_threads=1)
    plain.set_ef(HnswIndex.EF)
    queries = unit_rows(random.standard_normal((64, size), dtype=np.float32))

    def ours() -> float:
        begun = time.process_time()
        for query in queries:
            index.search(query[None], 10)
        return (time.process_time() - begun) / len(queries)

    def theirs() -> float:
        begun = time.process_time()
        for query in queries:
            plain.knn_query(query[None], k=10, num_threads=1)
        return (time.process_time() - begun) / len(queries)

    return compare("HNSW, ten of 20,000", "hnswlib alone", (ours, theirs), repeat, "under 1.1")


def as_markdown(run: PeerRun) -> str:
    """The lines as a table."""
    rows = [
        [
            line.name,
            line.peer,
            f"{1000 * line.ours_s:,.2f}",
            f"{1000 * line.peer_s:,.2f}",
            f"{line.ratio:.2f} ({line.low:.2f} to {line.high:.2f})",
            line.wanted,
        ]
        for line in run.lines
    ]
    head = ["processor ms", "peer", "ours", "the peer's", "ratio", "wanted"]
    made = f"Made by {run.origin.as_text()} Medians of {run.pairs} pairs, with quartiles."
    return f"{markdown_table(head, rows)}\n\n{made}"
