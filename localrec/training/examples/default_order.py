"""The default ranking's order of cases, without the networks that take minutes to train.

`default_scores` scores given candidates; `top_of_catalogue` finds the default's own first ones
among all items that a user has not met. `disagreements` tells how much kinds of evidence disagree
with it about the first place. Each of three votes for the candidate that it scores highest: what
comes next, what similar users like, and the attributes that the user likes.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Scores
from localrec.data.interactions import Interactions, days_of
from localrec.data.item_features import ItemFeatures
from localrec.evaluation.ranking.cases import Cases
from localrec.foundation.progress import Progress
from localrec.ranking.learned.evidence import KINDS
from localrec.ranking.learned.interactions import Histories
from localrec.ranking.learned.ranker import FusedRanker, RankerConfig

VOTERS = ("transitions", "user-knn", "attributes-long")  # signals, one of each of three kinds

_NETWORKS = ("gru", "attention")
_AT_ONCE = 256  # cases whose scores or signals of all items are held at once


class CatalogueTop(msgspec.Struct, frozen=True):
    """The default's first items of the whole catalogue for each case.

    Args:
        items: Best first, (b, c); a user who has met nearly all gets the first one again behind.
        scores: The default's scores of these, minus infinity of one that is there again, (b, c).
        places: Place of each choice among all that its user has not met, from 0, (b,).
    """

    items: NDArray[np.int32]
    scores: Scores
    places: NDArray[np.intp]


def fitted_default(train: Interactions, item_features: ItemFeatures, seed: int) -> FusedRanker:
    """Fit the learnt default without its networks."""
    kinds = tuple(kind for kind in KINDS if kind not in _NETWORKS)
    ranker = FusedRanker(RankerConfig(kinds=kinds))
    ranker.fit(train, item_features, seed=seed)
    return ranker


def default_scores(ranker: FusedRanker, cases: Cases) -> Scores:
    """Score the candidates of cases, in their order, (b, c)."""
    assert cases.candidates is not None  # the protocol asks for some
    scores = ranker.score(case_histories(cases))
    return np.take_along_axis(scores, cases.candidates, axis=1)


def top_of_catalogue(
    ranker: FusedRanker, cases: Cases, count: int, progress: Progress
) -> CatalogueTop:
    """Find the first items that each user has not met, and the place of the choice among all.

    Scores of all items are held for a block of cases at a time.

    Args:
        ranker: The fitted default.
        cases: Each with one choice, which its user has not met before.
        count: Number of items; a smaller catalogue has fewer.
        progress: Called with the step and its progress.
    """
    parts = []
    for begin in range(0, len(cases), _AT_ONCE):
        progress("ranking the catalogue", begin, len(cases))
        block = np.arange(begin, min(begin + _AT_ONCE, len(cases)))
        parts.append(_block_top(ranker, cases.take(block), count))
    return CatalogueTop(
        items=np.concatenate([one.items for one in parts]),
        scores=np.concatenate([one.scores for one in parts]),
        places=np.concatenate([one.places for one in parts]),
    )


def _block_top(ranker: FusedRanker, cases: Cases, count: int) -> CatalogueTop:
    scores = ranker.score(case_histories(cases))
    for row, seen in enumerate(cases.seen_items):
        scores[row, seen] = -np.inf
    chosen = np.array([int(one[0]) for one in cases.positives])
    own = np.take_along_axis(scores, chosen[:, None], axis=1)
    items = np.argsort(-scores, axis=1, kind="stable")[:, :count]
    top = np.take_along_axis(scores, items, axis=1)
    items = np.where(np.isneginf(top), items[:, :1], items)
    # Of equal scores the lower number stands first, as in the order of the items.
    equal = (scores == own) & (np.arange(scores.shape[1]) < chosen[:, None])
    return CatalogueTop(items.astype(np.int32), top, ((scores > own) | equal).sum(axis=1))


def disagreements(ranker: FusedRanker, cases: Cases, shown: NDArray[np.intp]) -> Scores:
    """Compute the share of the voters that vote for another candidate than the default, (b,).

    0 where the fitted ranker has none of the voters.

    Args:
        ranker: The fitted default.
        cases: Each with candidates.
        shown: Places of the candidates to vote for, the default's first in front, (b, s).
    """
    assert cases.candidates is not None  # the protocol asks for some
    items = np.take_along_axis(cases.candidates, shown, axis=1)
    parts = [np.zeros(0)]
    for begin in range(0, len(cases), _AT_ONCE):
        rows = np.arange(begin, min(begin + _AT_ONCE, len(cases)))
        signals = ranker.signals(case_histories(cases.take(rows)))
        votes = [
            np.take_along_axis(signals[name], items[rows], axis=1).argmax(axis=1)
            for name in VOTERS
            if name in signals
        ]
        parts.append(np.mean(np.array(votes) != 0, axis=0) if votes else np.zeros(len(rows)))
    return np.concatenate(parts)


def case_histories(cases: Cases) -> Histories:
    """Return the histories of cases, as the default reads them."""
    days = [days_of(one) for one in cases.at]
    return Histories.of(cases.histories, cases.stars, days, cases.train_user)
