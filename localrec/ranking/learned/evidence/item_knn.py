"""Item kNN: items that many of the same users met, in any order.

    weight_ij = |i and j| / ((|i| + s)^a (|j| + s)^b)

with a above one half, which plays down what goes with everything. (Deshpande and Karypis 2004 have
the cosine, a = b = 1/2.)
"""

from __future__ import annotations

from typing import ClassVar

import msgspec

from localrec.ranking.learned.evidence.base import (
    FADES,
    FitContext,
    Signals,
    add_rows,
    history_weights,
)
from localrec.ranking.learned.evidence.pairs import neighbour_rows
from localrec.ranking.learned.interactions import Histories
from localrec.ranking.learned.sparse import SparseRows

KEPT = 256
SHRINKAGE = 5.0
_OWN_POWER = 0.7
_OTHER_POWER = 0.5


class ItemNeighbours(msgspec.Struct, frozen=True):
    """Item-to-item weights.

    Args:
        weights: Neighbours of each item.
        mean_rating: Mean rating of the store, NaN where nothing was rated.
    """

    kind: ClassVar[str] = "item-knn"

    weights: SparseRows
    mean_rating: float

    def signals(self, histories: Histories) -> Signals:
        """Sum the neighbours of each history, with and without decay."""
        return {
            f"item-knn-{name}": add_rows(
                self.weights, histories, history_weights(histories, fade, self.mean_rating)
            )
            for name, fade in FADES.items()
        }


def fit_item_knn(context: FitContext) -> ItemNeighbours:
    """Count shared users and keep the nearest neighbours."""
    damped = context.log.popularity + SHRINKAGE
    weights = neighbour_rows(context.log, KEPT, (damped**-_OWN_POWER, damped**-_OTHER_POWER))
    return ItemNeighbours(weights, context.log.mean_stars)
