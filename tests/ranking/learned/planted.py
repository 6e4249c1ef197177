"""Stores whose pattern is planted, so that the right answer is known."""

from __future__ import annotations

import numpy as np

from localrec.data.interactions import Interactions, moments_of
from localrec.data.item_features import ItemFeatures
from localrec.ranking.learned.interactions import Histories
from localrec.ranking.learned.ranker import FusedRanker

ITEMS = 60
GROUPS = 6  # items 0..9 are one group, 10..19 the next
SIZE = ITEMS // GROUPS
COUNTED = (  # kinds of evidence that need no network
    "popularity",
    "attributes",
    "texts",
    "cooccurrence",
    "item-knn",
    "odds",
    "user-knn",
    "memory",
    "ease",
)


def grouped_log(users: int = 120, rows: int = 8, seed: int = 0, *, dated: bool = True):
    """Each user meets items of one group only, one day after the other, in random order."""
    generator = np.random.default_rng(seed)
    user = np.repeat(np.arange(users), rows)
    group = generator.integers(GROUPS, size=users)
    picks = [generator.permutation(SIZE)[:rows] for _ in range(users)]
    item = np.repeat(group * SIZE, rows) + np.concatenate(picks)
    day = np.tile(np.arange(rows, dtype=np.float64), users) + user
    return log_of(user, item, users, ITEMS, day=day if dated else None)


def chained_log(users: int = 150, rows: int = 8, seed: int = 0) -> Interactions:
    """After item i always comes item i + 1, from a random start."""
    generator = np.random.default_rng(seed)
    user = np.repeat(np.arange(users), rows)
    start = np.repeat(generator.integers(ITEMS, size=users), rows)
    item = (start + np.tile(np.arange(rows), users)) % ITEMS
    return log_of(user, item, users, ITEMS, day=np.tile(np.arange(rows, dtype=float), users))


def log_of(user, item, users, items, *, day=None, rating=None) -> Interactions:
    """A log from plain columns; days and ratings are unknown where they are left out."""
    unknown = np.full(len(item), np.nan)
    return Interactions(
        user=np.asarray(user, dtype=np.int32),
        item=np.asarray(item, dtype=np.int32),
        stars=np.asarray(unknown if rating is None else rating, dtype=np.float32),
        at=moments_of(np.asarray(unknown if day is None else day, dtype=np.float64)),
        users=users,
        items=items,
    )


def group_side(items: int = ITEMS) -> ItemFeatures:
    """One attribute for each group, and no texts."""
    numbers = np.arange(items, dtype=np.int32)
    return ItemFeatures(numbers, numbers // (ITEMS // GROUPS), items, GROUPS)


def nothing_known(items: int = ITEMS, vectors=None) -> ItemFeatures:
    """No attributes, and the texts that are given."""
    none = np.zeros(0, dtype=np.int32)
    return ItemFeatures(none, none, items, 0, vectors)


def best_items(ranker: FusedRanker, histories: Histories, k: int) -> list[int]:
    """The k items with the highest scores outside the first history, best first."""
    ranked = ranker.score(histories)[0].copy()
    ranked[histories.item] = -np.inf
    best = np.argsort(-ranked, kind="stable")[:k]
    return best[np.isfinite(ranked[best])].tolist()
