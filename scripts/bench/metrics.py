"""Measure how fast rankings are judged: ours over all cases at once, beside ir_measures and a loop.

Run:
    python scripts/studies/run.py metrics [--rows 1000000] [--candidates 20] [--sample 5000]

Each row is a case: scores of its candidates, one of which is the positive. All three find H@10,
NDCG@10 and the reciprocal rank of every row, from the scores on. The peers judge a sample of the
same rows in the same run, since all of them would take minutes, and are compared by time per row;
what they find must equal ours. Times differ between machines, the ratios hardly.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from typing import Any

import ir_measures
import numpy as np
from findings import Findings, origin_of
from numpy.typing import NDArray

from localrec.evaluation.ranking.metrics import hit_rates, ndcgs, reciprocal_ranks, tied_ranks
from localrec.evaluation.reporting.markdown import markdown_table

K = 10
SEED = 12
Scores = NDArray[np.float32]
Positives = NDArray[np.int64]
Figures = NDArray[np.float64]  # (rows, 3): hit rate, NDCG, reciprocal rank


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--candidates", type=int, default=20)
    parser.add_argument("--sample", type=int, default=5_000, help="rows for the peers")


def measure(asked: argparse.Namespace) -> Findings:
    """Judge the same rankings in three ways, which must find the same figures."""
    scores, positives = random_rows(asked.rows, asked.candidates)
    ours, ours_s = timed(at_once, scores, positives)
    measured = [{"how": "all at once", "rows": asked.rows, "seconds": round(ours_s, 3), "ratio": 1}]
    for how, peer in {"ir_measures": by_ir_measures, "a loop over rows": one_by_one}.items():
        sample = slice(0, asked.sample)
        theirs, theirs_s = timed(peer, scores[sample], positives[sample])
        if not np.allclose(ours[sample], theirs, rtol=0, atol=1e-9):
            raise SystemExit(f"{how} finds other figures than we do.")
        ratio = (theirs_s / len(theirs)) / (ours_s / asked.rows)
        measured.append(
            {"how": how, "rows": len(theirs), "seconds": round(theirs_s, 3), "ratio": round(ratio)}
        )
    made = origin_of("metrics", f"--rows {asked.rows}", f"--sample {asked.sample}")
    text = f"{as_table(measured)}\n\nMade by {made.as_text()}"
    return Findings(text=text, page="ranking", block="bench-metrics", figures=measured)


def random_rows(rows: int, candidates: int) -> tuple[Scores, Positives]:
    """Scores without ties, (rows, candidates), and the column of each row's positive.

    Small whole numbers, since trec_eval keeps 32-bit floats, of which random ones may tie.
    """
    random = np.random.default_rng(SEED)
    places = np.broadcast_to(np.arange(candidates, dtype=np.float32), (rows, candidates))
    return random.permuted(places, axis=1), random.integers(candidates, size=rows)


def at_once(scores: Scores, positives: Positives) -> Figures:
    """The harness's way."""
    places = tied_ranks(scores, positives)
    figures = [hit_rates(places, K), ndcgs(places, K), reciprocal_ranks(places)]
    return np.stack(figures, axis=1)


def by_ir_measures(scores: Scores, positives: Positives) -> Figures:
    """trec_eval's way; making its dictionaries of the scores belongs to it."""
    wanted = [ir_measures.Success @ K, ir_measures.nDCG @ K, ir_measures.RR]
    items = [str(item) for item in range(scores.shape[1])]
    run = {
        str(row): dict(zip(items, line, strict=True)) for row, line in enumerate(scores.tolist())
    }
    qrels = {str(row): {items[positive]: 1} for row, positive in enumerate(positives)}
    figures = np.zeros((len(scores), len(wanted)))
    for found in ir_measures.iter_calc(wanted, qrels, run):
        figures[int(found.query_id), wanted.index(found.measure)] = found.value
    return figures


def one_by_one(scores: Scores, positives: Positives) -> Figures:
    """The plain way: sort each row, look where the positive stands."""
    figures = []
    for line, positive in zip(scores, positives, strict=True):
        rank = int(np.argsort(-line).tolist().index(positive)) + 1
        figures.append((rank <= K, 1 / math.log2(rank + 1) if rank <= K else 0.0, 1 / rank))
    return np.array(figures, dtype=np.float64)


def as_table(measured: list[dict[str, Any]]) -> str:
    """The measurements as a Markdown table."""
    rows = [
        [
            one["how"],
            f"{one['rows']:,}",
            f"{one['seconds']:.2f}",
            f"{one['rows'] / one['seconds']:,.0f}",
            f"{one['ratio']:,}",
        ]
        for one in measured
    ]
    return markdown_table(["", "rows", "seconds", "rows/s", "time per row, ours = 1"], rows)


def timed(
    judge: Callable[[Scores, Positives], Figures], scores: Scores, positives: Positives
) -> tuple[Figures, float]:
    """What it finds, and the seconds it takes."""
    started = time.perf_counter()
    found = judge(scores, positives)
    return found, time.perf_counter() - started
