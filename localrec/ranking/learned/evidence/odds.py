"""Odds: how much each liked item raises the odds of another one, as in naive Bayes.

    log P(j) + d * sum over liked i of (log P(j | i) - log P(j)),    d = 3 / (3 + liked items)

counted among users who liked the items and smoothed by a few users of average habits. The damping d
stands for items of one history not being independent. Unlike cosines this has a unit of its own: a
history of what everybody liked raises no odds, and popularity decides by itself.
"""

from __future__ import annotations

from typing import ClassVar

import msgspec
import numpy as np

from localrec.data.interactions import liked_rows
from localrec.ranking.learned.evidence.base import FitContext, Signals
from localrec.ranking.learned.evidence.pairs import neighbour_rows
from localrec.ranking.learned.interactions import Floats, Histories
from localrec.ranking.learned.sparse import SparseRows

KEPT = 1_024
NEWEST = 50  # liked items of a history that are asked
_SMOOTHING = 5.0  # users of average habits
_VOTES = 3.0  # a history of any length weighs as much as so many independent votes


class Odds(msgspec.Struct, frozen=True):
    """Logarithms of odds.

    Args:
        prior: log P(j), up to a constant, (items,).
        apart: Loss of an item's odds for each liked item that nobody liked together with it,
            (items,).
        together: Gain of these odds by the users who liked both, from item to item.
        mean_rating: Mean rating of the store, NaN where nothing was rated.
    """

    kind: ClassVar[str] = "odds"

    prior: Floats
    apart: Floats
    together: SparseRows
    mean_rating: float

    def signals(self, histories: Histories) -> Signals:
        """Sum the logarithms of the odds; the prior alone where no item is liked yet."""
        scores = np.tile(self.prior, (len(histories), 1))
        liked = liked_rows(histories.rating, self.mean_rating)
        for row in range(len(histories)):
            part = slice(int(histories.first[row]), int(histories.first[row + 1]))
            items = histories.item[part][liked[part]][-NEWEST:]
            worth = np.float32(_VOTES / (_VOTES + len(items)))
            raised = self.together.combine(items, np.full(len(items), worth, dtype=np.float32))
            scores[row] += raised + worth * len(items) * self.apart
        return {"odds": scores}


def fit_odds(context: FitContext) -> Odds:
    """Count the users who like both items of each pair."""
    log = context.log.select(context.log.liked)
    users = len(np.unique(log.user))
    share = (log.popularity + 1.0) / (users + 2.0)
    ones = np.ones(log.items, dtype=np.float32)
    counts = neighbour_rows(log, KEPT, ((1.0 / (_SMOOTHING * share)).astype(np.float32), ones))
    together = SparseRows(counts.column, np.log1p(counts.value), counts.first, counts.columns)
    apart = np.log(_SMOOTHING / (log.popularity + _SMOOTHING)).astype(np.float32)
    prior = np.log1p(log.popularity).astype(np.float32)
    return Odds(prior, apart, together, context.log.mean_stars)
