"""Lines of the bench beside peers that learn from likings: item kNN beside implicit's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from curation import likings
from findings import say
from peer_lines import PeerLine, Wanted, compare, each
from scipy.sparse import csr_matrix

from localrec.data.interactions import Interactions
from localrec.ranking.baselines.item_knn import ItemKNN, ItemKNNConfig
from localrec.ranking.recommender import ScoreRequests
from localrec.ranking.top_items import top_items

LISTS, K, NEIGHBOURS, SEED = 64, 10, 100, 1
FIT_USERS, FIT_ITEMS, FIT_LIKINGS = 4_000, 4_000, 600_000
USERS, ITEMS, LIKINGS = 20_000, 100_000, 1_000_000
MEANWHILE: Callable[..., None] = lambda *_told: None  # noqa: E731 - nobody watches


def list_lines(repeat: int) -> Iterator[PeerLine]:
    """A fit and a list of ten, both from scratch and from equal likings."""
    rows, matrix = likings_of(FIT_LIKINGS, FIT_USERS, FIT_ITEMS)
    name = f"fit of item kNN, {len(rows):,} likings of {FIT_ITEMS:,} items"
    pair = (lambda: each(lambda: ours_fitted(rows))), (lambda: each(lambda: fitted(matrix)))
    yield compare(name, "implicit's `CosineRecommender`", pair, max(3, repeat // 2))
    rows, matrix = likings_of(LIKINGS, USERS, ITEMS)
    say("fits for the lists")
    ours, theirs = ours_fitted(rows), fitted(matrix)
    users = np.random.default_rng(SEED).integers(USERS, size=LISTS).tolist()

    def listed() -> None:
        for user in users:
            list_of(ours, rows, user)

    def recommended() -> None:
        for user in users:
            theirs.recommend(user, matrix[user], N=K)

    pair = (lambda: each(listed) / LISTS), (lambda: each(recommended) / LISTS)
    name = f"a list of {K} from {ITEMS:,} items, item kNN"
    yield compare(name, "implicit's `recommend`", pair, repeat, Wanted(1))


def likings_of(many: int, users: int, items: int) -> tuple[Interactions, csr_matrix]:
    """The likings in both sides' form."""
    user, item, day = likings(many, users, items)
    order = np.lexsort((day, user))
    user, item, day = user[order], item[order], day[order]
    rows = Interactions(
        user=user,
        item=item,
        stars=np.full(len(user), np.nan, dtype=np.float32),
        at=(day * 86_400).astype("datetime64[s]"),
        users=users,
        items=items,
    )
    ones = np.ones(len(user), dtype=np.float32)
    return rows, csr_matrix((ones, (user, item)), shape=(users, items))


def ours_fitted(rows: Interactions) -> ItemKNN:
    """Our neighbours."""
    model = ItemKNN(ItemKNNConfig(neighbours=NEIGHBOURS))
    model.fit(rows, SEED, MEANWHILE)
    return model


def fitted(matrix: csr_matrix) -> Any:
    """implicit's neighbours, as many."""
    from implicit.nearest_neighbours import CosineRecommender

    model = CosineRecommender(K=NEIGHBOURS)
    model.fit(matrix, show_progress=False)
    return model


def list_of(model: ItemKNN, rows: Interactions, user: int) -> list[int]:
    """The ten best items that a user has not met."""
    own = rows.item[rows.rows_of(user)]
    requests = ScoreRequests(np.array([user], dtype=np.int32), (own,))
    return top_items(model, requests, K)[0].tolist()
