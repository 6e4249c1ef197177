"""Do five ratings of a stranger make a better list than popularity? Measured on MovieLens 100K.

People are split once (60% whose ratings lie in the store, 20% to develop on, 20% to test on). Each
held-out person is a stranger to the store: five of their ratings come with the request, and all
films they did not name are ranked. Relevant are the films they gave four stars or more elsewhere.
The five are the first they gave, or any five; both are measured.

    python scripts/studies/run.py cold_start --half dev
    python scripts/studies/run.py cold_start --half test --report

Films pulled before are needed: localrec datasets pull ml-100k
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
from findings import Findings, add_half, gap_text, origin_of
from numpy.typing import NDArray

from localrec.data.questions import RankRequest
from localrec.data.rows import BulkHistory
from localrec.evaluation.provenance import Origin
from localrec.evaluation.ranking.metrics import capped_recall, hits_of, ndcg
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.evaluation.reporting.number_format import with_interval
from localrec.evaluation.statistics import IntervalEstimate, ratio_estimate
from localrec.graph.domain_files import load_domain
from localrec.ranking.configs import RANKERS
from localrec.sources import read_export
from localrec.sources.dataset_catalog import fetch_dataset, find_dataset
from localrec.systems.auto import EvidenceRecommender
from localrec.systems.registry import SYSTEM_REGISTRY
from localrec.workspace import OpenWorkspace

DATASET = "ml-100k"
K = 10
RELEVANT_FROM = 4.0  # stars
SEED = 7
SYSTEMS = ("popularity", "auto", *(name for name in RANKERS if name not in ("popularity", "auto")))
Half = Literal["dev", "test"]
Choice = Literal["first", "any"]


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """One system under one choice of the ratings that are shown."""

    system: str
    choice: Choice
    ndcg: IntervalEstimate
    recall: IntervalEstimate
    ndcg_over_popularity: IntervalEstimate


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """One run, as the JSON file keeps it."""

    origin: Origin
    half: Half
    shown: int
    seed: int
    users: int
    scores: tuple[Score, ...]


class Ratings(msgspec.Struct, frozen=True):
    """All ratings in the file's order: people, items (texts), stars, seconds; each (m,)."""

    user: NDArray[np.object_]
    item: NDArray[np.object_]
    stars: NDArray[np.float32]
    at: NDArray[np.datetime64]


class Stranger(msgspec.Struct, frozen=True):
    """A held-out person: what is shown of them, and what should be found."""

    shown: tuple[str, ...]
    stars: tuple[float, ...]
    relevant: frozenset[str]


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    add_half(parser)
    parser.add_argument("--shown", type=int, default=5, help="ratings in the request")
    parser.add_argument("--seed", type=int, default=SEED, help="of the split and the choice")


def measure(asked: argparse.Namespace) -> Findings:
    """Rank for users who are strangers to the store."""
    figures = run(asked)
    kept_as = f"people-{asked.half}"
    text = as_markdown(figures)
    return Findings(text=text, page="ranking", block="people", figures=figures, kept_as=kept_as)


def run(asked: argparse.Namespace) -> Figures:
    """Build a store of the people who are known, rank for those who are not."""
    dataset = find_dataset(DATASET)
    domain = load_domain(dataset.domain)
    history = read_export(dataset.kind, fetch_dataset(DATASET), domain)
    assert isinstance(history, BulkHistory)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "workspace"
        with OpenWorkspace(path, writable=True, may_read=history.files) as workspace:
            ratings = read_ratings(workspace, history)
            known, held_out = split_users(ratings, asked.half, asked.seed)
            keys = ", ".join(f"'{key}'" for key in known)
            select = f"SELECT * FROM ({history.select}) WHERE CAST(user_key AS VARCHAR) IN ({keys})"
            known_only = msgspec.structs.replace(history, select=select)
            workspace.imports.import_history(known_only, domain, None)
        with OpenWorkspace(path) as workspace:
            rankers = {
                name: SYSTEM_REGISTRY.recommender(workspace.context(domain.name), name)
                for name in SYSTEMS
            }
            keys_of_all = workspace.context(domain.name).catalogue.keys
            scores = [
                score
                for choice in ("first", "any")
                for score in measure_choice(
                    rankers, keys_of_all, list(strangers(ratings, held_out, asked, choice)), choice
                )
            ]
    return Figures(
        origin=origin_of("cold_start", f"--half {asked.half}"),
        half=asked.half,
        shown=asked.shown,
        seed=asked.seed,
        users=len(held_out),
        scores=tuple(scores),
    )


def read_ratings(workspace: OpenWorkspace, history: BulkHistory) -> Ratings:
    """Every rating of the file, held-out people's too."""
    columns = workspace.store.columns(
        "SELECT CAST(user_key AS VARCHAR) AS person, CAST(item_key AS VARCHAR) AS item, "
        f'rating, "at" FROM ({history.select})'
    )
    return Ratings(
        columns["person"].astype(object),
        columns["item"].astype(object),
        np.asarray(columns["rating"], dtype=np.float32),
        np.asarray(columns["at"]),
    )


def split_users(ratings: Ratings, half: Half, seed: int) -> tuple[list[str], list[str]]:
    """Keys of the people in the store, and of those held out for `half`."""
    users = np.unique(ratings.user.astype(str))
    drawn = np.random.default_rng(seed).permutation(users).tolist()
    fifth = len(drawn) // 5
    halves = {"test": drawn[:fifth], "dev": drawn[fifth : 2 * fifth]}
    return drawn[2 * fifth :], halves[half]


def strangers(
    ratings: Ratings, users: Sequence[str], asked: argparse.Namespace, choice: Choice
) -> Iterator[Stranger]:
    """Held-out people with a few ratings shown; those with nothing left to find are left out."""
    for number, user in enumerate(users):
        mine = np.flatnonzero(ratings.user == user)
        if choice == "first":
            mine = mine[np.argsort(ratings.at[mine], kind="stable")]
        else:
            mine = np.random.default_rng([asked.seed, number]).permutation(mine)
        shown, rest = mine[: asked.shown], mine[asked.shown :]
        relevant = frozenset(ratings.item[rest[ratings.stars[rest] >= RELEVANT_FROM]].tolist())
        if relevant:
            yield Stranger(
                tuple(ratings.item[shown].tolist()), tuple(ratings.stars[shown].tolist()), relevant
            )


def measure_choice(
    rankers: dict[str, EvidenceRecommender],
    keys: Sequence[str],
    users: Sequence[Stranger],
    choice: Choice,
) -> Iterator[Score]:
    """Every system's scores for the same people."""
    baseline: list[float] = []
    for name, ranker in rankers.items():
        gains, recalls = [], []
        for number, one in enumerate(users):
            candidates = tuple(key for key in keys if key not in one.shown)
            request = RankRequest(
                id=number, candidates=candidates, history=one.shown, ratings=one.stars
            )
            hits = hits_of(ranker.rank(request).ranking, one.relevant)
            gains.append(ndcg(hits, len(one.relevant), K))
            recalls.append(capped_recall(hits, len(one.relevant), K))
        if name == "popularity":
            baseline = gains
        differences = [(mine - theirs, 1.0) for mine, theirs in zip(gains, baseline, strict=True)]
        yield Score(
            system=name,
            choice=choice,
            ndcg=ratio_estimate([(gain, 1.0) for gain in gains]),
            recall=ratio_estimate([(share, 1.0) for share in recalls]),
            ndcg_over_popularity=ratio_estimate(differences),
        )
        print(f"{choice} {name}: NDCG@{K} {np.mean(gains):.4f}", file=sys.stderr)


def as_markdown(figures: Figures) -> str:
    """The figures as a table with where they come from."""
    rows = [
        [
            score.system,
            {"first": f"their first {figures.shown}", "any": f"any {figures.shown}"}[score.choice],
            with_interval(score.ndcg, 3),
            with_interval(score.recall, 3),
            gap_text(score.ndcg_over_popularity),
        ]
        for score in figures.scores
    ]
    head = ["system", "ratings shown", f"NDCG@{K}", f"capped recall@{K}", "NDCG over popularity"]
    half = "test" if figures.half == "test" else "development"
    return (
        f"{figures.users} {half} people of MovieLens 100K, strangers to the store, "
        f"{figures.shown} ratings each in the request (seed {figures.seed}); "
        "intervals are 95%, bootstrap over people.\n\n"
        f"{markdown_table(head, rows)}\n\nMade by {figures.origin.as_text()}"
    )
