"""Diversify a list by maximal marginal relevance."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from localrec.data.arrays import Mask, Scores
from localrec.graph.catalogue import Catalogue
from localrec.index.embedded_fields import EmbeddedField


class ItemSimilarity:
    """The similarity of items: the mean of their attributes' and their texts' cosines.

    Example:
        `ItemSimilarity(catalogue, None, [3, 8, 9]).similarities_to(0)` compares item 3 with 3, 8
        and 9, (3,).

    Args:
        catalogue: The items and attributes.
        field: The vectors of descriptions; None where there are none.
        items: The items that are compared, (s,).
    """

    def __init__(
        self, catalogue: Catalogue, field: EmbeddedField | None, items: Sequence[int]
    ) -> None:
        self._links = [np.unique(catalogue.attributes_of(item)) for item in items]
        self._flat = np.concatenate([np.zeros(0, dtype=np.int32), *self._links])
        self._counts = np.array([len(one) for one in self._links], dtype=np.int64)
        self._place = np.repeat(np.arange(len(items)), self._counts)
        self._texts = None
        if field is not None and len(field):
            ids = catalogue.node_ids[np.asarray(items, dtype=np.int64)]
            rows = np.searchsorted(field.node_ids, ids).clip(max=len(field) - 1)
            self._embedded = field.node_ids[rows] == ids
            self._texts = field.exact.matrix[rows]

    def similarities_to(self, place: int) -> Scores:
        """Return the similarity of one place to each of the others, 0 to 1, (s,)."""
        shared = np.isin(self._flat, self._links[place])
        together = np.bincount(self._place, weights=shared, minlength=len(self._counts))
        lengths = np.sqrt((self._counts * self._counts[place]).clip(min=1))
        by_attributes = (together / lengths).astype(np.float32)
        if self._texts is None:
            return by_attributes
        by_text = (self._texts @ self._texts[place]).clip(0.0, 1.0)
        both = self._embedded & self._embedded[place]
        return np.where(both, (by_attributes + by_text) / 2, by_attributes).astype(np.float32)


def diversify(
    scores: Scores,
    similarities_to: Callable[[int], Scores],
    k: int,
    diverse: float,
    first: Mask | None = None,
) -> list[int]:
    """Choose k places by maximal marginal relevance.

    Args:
        scores: Score of each candidate, best first, (s,).
        similarities_to: Tells how alike the candidate at a place and all others are, (s,).
        k: Length of the list.
        diverse: The share of variety against fit, 0 to 1.
        first: Candidates that come before others, (s,).
    """
    if not len(scores):
        return []
    reach = float(scores.max() - scores.min())
    fit = (scores - scores.min()) / reach if reach > 0 else np.ones_like(scores)
    nearest = np.zeros(len(scores), dtype=np.float32)
    left = np.ones(len(scores), dtype=bool)
    chosen: list[int] = []
    while left.any() and len(chosen) < k:
        pool = left & first if first is not None and (left & first).any() else left
        value = np.where(pool, (1 - diverse) * fit - diverse * nearest, -np.inf)
        chosen.append(int(np.argmax(value)))
        left[chosen[-1]] = False
        nearest = np.maximum(nearest, similarities_to(chosen[-1]))
    return chosen
