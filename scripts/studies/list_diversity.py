"""What variety costs: NDCG@10 of the held-out item against the distance within a list.

    python scripts/studies/run.py list_diversity --workspace FOLDER [--half test] [--cases 300]

FOLDER is a workspace that MovieLens 100K was pulled into. The learnt ranker is fitted on the
training rows, without networks; lists are chosen as `recommend --diverse` chooses them. With
--report the figures are kept as docs/figures/list_diversity_*.json.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import learned_ranking_data as ranking
import msgspec
import numpy as np
from findings import Findings
from numpy.typing import NDArray

from localrec.evaluation.ranking.cases import Cases, EvaluationProtocol, split_data
from localrec.evaluation.ranking.keyed_interactions import read_interactions
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.evaluation.reporting.number_format import with_interval
from localrec.evaluation.statistics import IntervalEstimate, ratio_estimate
from localrec.ranking.diversity import ItemSimilarity, diversify
from localrec.ranking.learned.evidence import KINDS
from localrec.ranking.learned.ranker import FusedRanker, RankerConfig
from localrec.systems.list_choice import SHORTLIST, best_items
from localrec.workspace import OpenWorkspace

SHARES = (0.0, 0.3, 0.6)
K = 10
NETWORKS = ("gru", "attention")

Similarities = Callable[[list[int]], ItemSimilarity]


class Tradeoff(msgspec.Struct, frozen=True):
    """What one share of variety brings and costs."""

    diverse: float
    ndcg: IntervalEstimate
    distance: IntervalEstimate


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--workspace", type=Path, required=True, help="with MovieLens 100K in it")
    parser.add_argument("--half", choices=["validation", "test"], default="validation")
    parser.add_argument("--cases", type=int, default=300, help="at most so many, evenly drawn")


def measure(asked: argparse.Namespace) -> Findings:
    """Measure the trade-off on one half."""
    data = ranking.read_workspace(asked.workspace)
    parted = split_data(data.interactions, EvaluationProtocol(candidates="full", seed=ranking.SEED))
    cases: Cases = getattr(parted, asked.half)
    drawn = np.linspace(0, len(cases) - 1, min(asked.cases, len(cases))).astype(np.int64)
    cases = cases.take(drawn)
    kinds = tuple(kind for kind in KINDS if kind not in NETWORKS)
    ranker = FusedRanker(RankerConfig(kinds=kinds))
    ranker.fit(parted.train, data.side, seed=ranking.SEED)
    scores = ranker.score(ranking.histories_of(cases))
    with OpenWorkspace(asked.workspace) as workspace:
        context = workspace.context(ranking.DOMAIN)
        catalogue = context.catalogue
        places = np.searchsorted(
            catalogue.node_ids, read_interactions(workspace.store, catalogue.domain).item_nodes
        )
        field = context.description_field

        def similarity_of(items: list[int]) -> ItemSimilarity:
            return ItemSimilarity(catalogue, field, places[items].tolist())

        rows = [_tradeoff(share, scores, cases, similarity_of) for share in SHARES]
    return Findings(text=_as_markdown(rows), figures=rows, kept_as=f"list_diversity_{asked.half}")


def _tradeoff(
    share: float, scores: NDArray[np.float32], cases: Cases, similarity_of: Similarities
) -> Tradeoff:
    gains, apart = [], []
    for row in range(len(cases)):
        fresh = np.isfinite(scores[row])
        fresh[cases.histories[row]] = False
        short = best_items(scores[row], fresh, SHORTLIST * K)
        similarity = similarity_of(short)
        if share:
            chosen = diversify(scores[row][short], similarity.similarities_to, K, share)
        else:
            chosen = list(range(min(K, len(short))))
        gains.append((_ndcg([short[place] for place in chosen], int(cases.positives[row][0])), 1.0))
        apart.append((_distance(similarity, chosen), 1.0))
    return Tradeoff(share, ratio_estimate(gains), ratio_estimate(apart))


def _ndcg(listed: list[int], target: int) -> float:
    return 1 / float(np.log2(listed.index(target) + 2)) if target in listed else 0.0


def _distance(similarity: ItemSimilarity, chosen: list[int]) -> float:
    """The mean distance of two items of a list, 1 less their similarity."""
    alike = np.stack([similarity.similarities_to(place)[chosen] for place in chosen])
    pairs = len(chosen) * (len(chosen) - 1)
    return 1 - float(alike.sum() - np.trace(alike)) / pairs


def _as_markdown(rows: list[Tradeoff]) -> str:
    table = [
        [f"{row.diverse:g}", with_interval(row.ndcg, 4), with_interval(row.distance, 4)]
        for row in rows
    ]
    return markdown_table(["`--diverse`", f"NDCG@{K}", "distance within the list"], table)
