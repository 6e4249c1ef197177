"""Measure HNSW against the exact scan: recall@10, query time, time to build and to open.

Run:
    python scripts/studies/run.py vectors [--items 100000] [--size 384] [--queries 200] [--json]

Two sets of vectors: clustered ones made here, and MiniLM's of recipe-like sentences where the
model has been pulled (fewer, since embedding takes most of the time). Both indexes see the same
vectors and queries in one run, so the ratios carry over to other machines; the times do not.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from findings import Findings

from localrec.foundation.errors import ModelError
from localrec.index.embedders import open_embedder
from localrec.index.protocols import Labels, VectorIndex, Vectors
from localrec.index.vectors import ExactIndex, HnswIndex, unit_rows

K = 10
REAL_ITEMS = 4_000
VOCABULARY = """
smoky mezcal gin rum bourbon lime lemon sugar honey ginger mint basil cream coffee vanilla bitter
sweet sour dry tall short shaken stirred muddled frozen hot blue red golden foamy highball coupe
tumbler mug orange peel cherry olive salt rim summer winter party brunch
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--size", type=int, default=384)
    parser.add_argument("--queries", type=int, default=200)


def measure(asked: argparse.Namespace) -> Findings:
    """Run the comparison on vectors made here, and on MiniLM's."""
    measured = [
        compare("clustered", *clustered_vectors(asked.items, asked.queries, asked.size)),
        *measure_real(asked.queries),
    ]
    return Findings(text=as_table(measured), figures=measured)


def clustered_vectors(items: int, queries: int, size: int) -> tuple[Vectors, Vectors]:
    """Unit vectors around one centre per 250 items, and queries around the same centres."""
    random = np.random.default_rng(0)
    centres = random.normal(size=(max(1, items // 250), size)).astype(np.float32)
    around = centres[random.integers(len(centres), size=items + queries)]
    noise = random.normal(scale=0.5, size=around.shape).astype(np.float32)
    vectors = unit_rows(around + noise)
    return vectors[:items], vectors[items:]


def measure_real(queries: int) -> list[dict[str, Any]]:
    """The same measurement on MiniLM's vectors, or nothing where the model is absent."""
    try:
        embedder = open_embedder()
    except ModelError as error:
        print(f"MiniLM left out: {error}", file=sys.stderr)
        return []
    random = np.random.default_rng(0)
    words = VOCABULARY.split()
    texts = [
        " ".join(random.choice(words, size=random.integers(4, 12)))
        for _ in range(REAL_ITEMS + queries)
    ]
    vectors = embedder.embed(texts)
    return [compare("MiniLM", vectors[:REAL_ITEMS], vectors[REAL_ITEMS:])]


def compare(name: str, matrix: Vectors, queries: Vectors) -> dict[str, Any]:
    """Build and save both indexes over `matrix` (n, size), then compare answers and times."""
    exact = ExactIndex(np.arange(len(matrix), dtype=np.int64), matrix)
    hnsw, build_s = _timed(lambda: HnswIndex.build(exact))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph"
        hnsw.save(path)
        hnsw, open_s = _timed(lambda: HnswIndex.load(path, exact))
    hnsw_labels, hnsw_ms = ask_one_by_one(hnsw, queries)
    exact_labels, exact_ms = ask_one_by_one(exact, queries)
    return {
        "vectors": name,
        "items": len(matrix),
        "recall_at_10": round(recall(exact_labels, hnsw_labels), 4),
        "exact_ms": round(exact_ms, 3),
        "hnsw_ms": round(hnsw_ms, 3),
        "exact_over_hnsw": round(exact_ms / hnsw_ms, 1),
        "build_s": round(build_s, 2),
        "open_s": round(open_s, 3),
    }


def ask_one_by_one(index: VectorIndex, queries: Vectors) -> tuple[Labels, float]:
    """Search each query by itself, as questions come: labels (q, 10), median milliseconds."""
    index.search(queries[:1], K)
    answers = [
        _timed(lambda row=row: index.search(queries[row : row + 1], K)[0])
        for row in range(len(queries))
    ]
    return np.vstack([labels for labels, _ in answers]), float(
        np.median([s for _, s in answers])
    ) * 1e3


def recall(true: Labels, found: Labels) -> float:
    """Share of the true nearest, (q, k), that was found."""
    hits = sum(
        len(set(one) & set(other)) for one, other in zip(true.tolist(), found.tolist(), strict=True)
    )
    return hits / true.size


def as_table(measured: list[dict[str, Any]]) -> str:
    """The measurements as aligned columns."""
    rows = [list(measured[0]), *([str(value) for value in one.values()] for one in measured)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    )


def _timed(run: Callable[[], Any]) -> tuple[Any, float]:
    started = time.perf_counter()
    return run(), time.perf_counter() - started
