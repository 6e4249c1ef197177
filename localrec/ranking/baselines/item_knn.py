"""Item kNN: items with the same users, by cosine with shrinkage (Sarwar et al. 2001).

    s(i, j) = |users of both| / (sqrt(|users of i| |users of j|) + shrinkage)
    score(j) = sum of s(j, h)

over the k nearest items h of j that are in the history. Deshpande and Karypis (2004) take the k
nearest items of each history item instead. On MovieLens 100K (validation) this was equal in full
ranking and worse among 20 candidates, for every k from 10 to 300 and shrinkage from 0 to 300: rare
items are near to none and all score 0. Only k neighbours are kept, 8 bytes each. Ratings do not
count; every interaction does.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import largest_places, row_offsets, stable_order
from localrec.data.interaction_matrix import InteractionMatrix
from localrec.data.interactions import Interactions
from localrec.foundation.progress import Progress
from localrec.ranking.history_reasons import ExplainedByHistory
from localrec.ranking.learned.sparse import SparseRows, heaviest_of_cells, join_rows
from localrec.ranking.recommender import ScoreRequests, SettingValue
from localrec.ranking.top_items import ListsItems

# An item and how near it is: eight bytes that are copied as one number.
_NEAR = np.dtype([("item", np.int32), ("similar", np.float32)])
Packed: TypeAlias = NDArray[np.int64]
_NOTHING: Packed = np.zeros(0, dtype=np.int64)


class ItemKNNConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Configure the neighbours.

    Args:
        neighbours: The number of nearest items that each item keeps.
        shrinkage: Added to the cosine's denominator, so that two people are no proof yet.
    """

    neighbours: Annotated[int, msgspec.Meta(ge=1)] = 100
    shrinkage: Annotated[float, msgspec.Meta(ge=0.0)] = 20.0


class ItemKNN(ExplainedByHistory, ListsItems):
    """Sum the similarities to the history; -inf for items without interactions.

    Example:
        `ItemKNN(ItemKNNConfig(neighbours=50)).fit(train, 7, no_progress)`
    """

    name = "item-knn"

    def __init__(self, config: ItemKNNConfig) -> None:
        self.settings: dict[str, SettingValue] = msgspec.to_builtins(config)
        self._config = config

    def fit(self, train: Interactions, seed: int, progress: Progress) -> None:
        """Find the nearest items of each item; the seed has no effect, since nothing is drawn."""
        interactions = InteractionMatrix.from_log(train)
        self._unseen = interactions.likes == 0
        roots = np.sqrt(interactions.likes).astype(np.float32)
        shrinkage = np.float32(self._config.shrinkage)
        kept = []
        for block in interactions.common_users(progress):
            others = block.item != block.other
            item, other = block.item[others], block.other[others]
            alike = block.users[others] / np.maximum(roots[item] * roots[other] + shrinkage, 1.0)
            begin, end = block.items
            most = self._config.neighbours
            kept.append(heaviest_of_cells(item - begin, other, alike, end - begin, most))
        self._keep_by_neighbour(join_rows(kept, train.items))

    def _keep_by_neighbour(self, nearest: SparseRows) -> None:
        """Transpose the neighbours, since a history sums over its items' neighbours."""
        item = np.repeat(np.arange(nearest.columns, dtype=np.int32), np.diff(nearest.first))
        order = stable_order(nearest.column)
        near = np.empty(len(order), dtype=_NEAR)
        near["item"], near["similar"] = item[order], nearest.value[order]
        self._near = near.view(np.int64)
        self._first = row_offsets(nearest.column, nearest.columns)

    def score(self, requests: ScoreRequests) -> NDArray[np.float32]:
        """Score all items, (b, items); equal scores for an empty history."""
        items = len(self._unseen)
        scores = np.empty((len(requests), items), dtype=np.float32)
        for row, history in enumerate(requests.histories):
            scores[row] = self._sums(self._neighbours_of(history))
        scores[:, self._unseen] = -np.inf
        return scores

    def best_items(self, history: NDArray[np.int32], k: int) -> NDArray[np.int32]:
        """Return the k best items outside a history, best first, as sorting all scores would.

        Few items are near to any of the history, so that only these are looked at, and of them only
        what is no worse than the k-th of those that are near to one item of the history.
        """
        neighbours = self._neighbours_of(history)
        sums = self._sums(neighbours)
        sums[history] = -np.inf
        (near,) = (sums > _bar(sums, neighbours, k)).nonzero()
        if len(near) < k:
            sums[self._unseen] = -np.inf
            near = np.flatnonzero(sums > -np.inf)
        best = near[largest_places(sums.take(near).astype(np.float32), k)]
        return best.astype(np.int32)

    def _neighbours_of(self, history: NDArray[np.int32]) -> list[Packed]:
        """Return what is near to each item of a history, as it is stored."""
        own = np.sort(history)
        if len(set(history.tolist())) < len(own):  # an item named twice speaks once
            own = np.unique(own)
        spans = zip(self._first[own].tolist(), self._first[own + 1].tolist(), strict=True)
        return [self._near[begin:end] for begin, end in spans]

    def _sums(self, neighbours: list[Packed]) -> NDArray[np.float64]:
        """Sum similarities by item, (items,)."""
        near = np.concatenate([_NOTHING, *neighbours]).view(_NEAR)
        items = near["item"].astype(np.int64)  # cast once, not twice by bincount
        sums = np.bincount(items, near["similar"], minlength=len(self._unseen))
        return sums.astype(np.float64, copy=False)  # of nothing it counts in whole numbers


def _bar(sums: NDArray[np.float64], neighbours: list[Packed], k: int) -> np.float32:
    """Return what lies just below the k-th best of the longest row, whose items all differ.

    Just below as float32, which two sums that differ as float64 may share.
    """
    row = max(neighbours, key=len, default=_NOTHING).view(_NEAR)["item"]
    if not 0 < k <= len(row):
        return np.float32(0.0)
    some = sums.take(row).astype(np.float32)
    some.partition(len(some) - k)
    return max(np.float32(0.0), np.nextafter(some[len(some) - k], np.float32(-np.inf)))
