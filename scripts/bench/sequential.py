"""Measure SASRec beside RecBole's on MovieLens 100K: the last item of each person, full ranking.

Run:
    python scripts/studies/run.py sequential [--system sasrec|gru4rec|lightgcn] [--seed 0 ...]
    python scripts/studies/run.py sequential --seed 0 1 2 --write     puts the table into the docs

The split is RecBole's: all ratings count as interactions, ordered by person, then time, then the
order of the file (many ratings of MovieLens 100K share their second, so that rule decides which of
them is the last); the last is the test, the one before validates, what went before is trained on.
RecBole ranks all items for its sequential models, those in the history too; localrec's harness
leaves out what a person had. Both are printed. `--ties N` draws the order within a second by a seed
instead, which shows how much the rule decides.

One thread unless told otherwise: two of them save a third of a step's time on two quiet cores, but
a fit on cores that others used too took 214 s with two and 38 s with one. The scores differ
with the number of threads, because sums are rounded otherwise.

The peer's figures were recorded, not measured in this run: RecBole 1.2.1's SASRec, 12 epochs in
1,331 s on two cores, so the ratio of times holds for a machine like that one only.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import msgspec
import numpy as np
from findings import Findings, origin_of, show_step
from numpy.typing import NDArray

from localrec.data.interactions import Interactions
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.ranking.baselines.neural import make_gru4rec, make_lightgcn, make_sasrec
from localrec.ranking.baselines.neural.configs import (
    GRU4RecConfig,
    LightGCNConfig,
    NeuralConfig,
    SASRecConfig,
)
from localrec.ranking.baselines.neural.training_loop import TrainingResult, hold_out
from localrec.ranking.recommender import Recommender
from localrec.sources.dataset_catalog import fetch_dataset

K = 10
RECORDED_S = 1_331.0
RECORDED_NDCG, RECORDED_HIT_RATE = 0.058, 0.119


class Trained(Recommender, Protocol):
    """A baseline that tells how its training went."""

    training: TrainingResult


SYSTEMS: dict[str, tuple[Callable[[Any], Trained], type[NeuralConfig]]] = {
    "sasrec": (make_sasrec, SASRecConfig),
    "gru4rec": (make_gru4rec, GRU4RecConfig),
    "lightgcn": (make_lightgcn, LightGCNConfig),
}


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """One fit; `all_items` ranks what a person had too, `new_items` does not."""

    seed: int
    epochs: int
    best_epoch: int
    seconds: float
    cpu_seconds: float
    all_items: tuple[float, float]
    new_items: tuple[float, float]


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--system", choices=SYSTEMS, default="sasrec")
    parser.add_argument("--seed", type=int, nargs="+", default=[0])
    parser.add_argument("--threads", type=int, default=1, help="of torch")
    parser.add_argument("--ties", type=int, help="seed for the order within a second")
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", dest="settings")


def measure(asked: argparse.Namespace) -> Findings:
    """Fit once for each seed."""
    make, config = SYSTEMS[asked.system]
    given = dict(setting.split("=", 1) for setting in asked.settings) | {"threads": asked.threads}
    chosen = msgspec.convert(given, config, strict=False)
    data = read_movielens(fetch_dataset("ml-100k") / "ml-100k.inter", asked.ties)
    fits = [measure_fit(make(chosen), data, seed) for seed in asked.seed]
    text = f"{as_paragraph(asked.threads)}\n\n{as_text(asked, fits)}"
    return Findings(text=text, page="ranking", block="bench-sequential", figures=fits)


def read_movielens(path: Path, ties: int | None) -> Interactions:
    """All ratings by person, time and place in the file, or drawn within a second."""
    raw = np.loadtxt(path, dtype=np.int64, skiprows=1)
    users, user = np.unique(raw[:, 0], return_inverse=True)
    items, item = np.unique(raw[:, 1], return_inverse=True)
    place = np.arange(len(raw))
    if ties is not None:
        place = np.random.default_rng(ties).permutation(place)
    order = np.lexsort((place, raw[:, 3], user))
    return Interactions(
        user=user[order].astype(np.int32),
        item=item[order].astype(np.int32),
        stars=raw[order, 2].astype(np.float32),
        at=raw[order, 3].astype("datetime64[s]"),
        users=len(users),
        items=len(items),
    )


def measure_fit(baseline: Trained, data: Interactions, seed: int) -> Measured:
    """Fit to all but each person's last item, of which the baseline keeps back the last itself."""
    seen, test = hold_out(data, data.users, seed)
    begun, begun_cpu = time.perf_counter(), time.process_time()
    baseline.fit(seen, seed, show_step)
    seconds, cpu_seconds = time.perf_counter() - begun, time.process_time() - begun_cpu
    print(file=sys.stderr)
    scores = baseline.score(test.requests)
    all_items = judge(scores, test.items)
    for row, history in enumerate(test.requests.histories):
        scores[row, history] = -np.inf
    return Measured(
        seed=seed,
        epochs=baseline.training.epochs,
        best_epoch=baseline.training.best_epoch,
        seconds=seconds,
        cpu_seconds=cpu_seconds,
        all_items=all_items,
        new_items=judge(scores, test.items),
    )


def judge(scores: NDArray[np.float32], wanted: NDArray[np.int32]) -> tuple[float, float]:
    """NDCG@10 and H@10 of one wanted item each; ties count against it."""
    own = scores[np.arange(len(wanted)), wanted]
    ahead = np.count_nonzero(scores >= own[:, None], axis=1) - 1
    gains = np.where(ahead < K, 1.0 / np.log2(ahead + 2.0), 0.0)
    return float(gains.mean()), float((ahead < K).mean())


def as_paragraph(threads: int) -> str:
    """What to know before the table is read."""
    ours = "one thread" if threads == 1 else f"{threads} threads"
    return (
        "MovieLens 100K, the last film of each person, full ranking. RecBole ranks for its "
        "sequential models what a person had too, which is the first pair of columns; the second "
        "ranks new films alone, as our runs do. RecBole's figures were recorded elsewhere, 12 "
        f"epochs in {RECORDED_S:,.0f} s on two cores; ours were measured with {ours}. The last "
        "column therefore holds for a machine like that one only."
    )


def as_text(asked: argparse.Namespace, fits: list[Measured]) -> str:
    """A table with one line for each seed, their mean, and the recorded peer."""
    rows = [
        [
            f"{asked.system}, seed {fit.seed}, threads {asked.threads}",
            *(f"{value:.4f}" for value in (*fit.all_items, *fit.new_items)),
            f"{fit.seconds:.0f}",
            f"{fit.cpu_seconds:.0f}",
            f"{fit.epochs} ({fit.best_epoch})",
            f"1/{RECORDED_S / fit.seconds:.0f}",
        ]
        for fit in fits
    ]
    means = np.mean([(*fit.all_items, *fit.new_items) for fit in fits], axis=0)
    rows.append(["mean", *(f"{value:.4f}" for value in means), "", "", "", ""])
    recorded = [f"{RECORDED_NDCG:.3f}", f"{RECORDED_HIT_RATE:.3f}", "", ""]
    rows.append(["RecBole 1.2.1 (recorded)", *recorded, f"{RECORDED_S:,.0f}", "", "12", "1"])
    head = ["ml-100k", "NDCG@10", "H@10", "NDCG@10, new", "H@10, new", "seconds", "CPU s"]
    seeds = " ".join(map(str, asked.seed))
    origin = origin_of("sequential", f"--system {asked.system} --seed {seeds}", *asked.settings)
    return (
        f"{markdown_table([*head, 'epochs (best)', 'of 1,331 s'], rows)}\n\n"
        f"Made by {origin.as_text()}"
    )
