"""Content: the similarity of items and history by attributes and texts.

The only evidence for an item that nobody met yet. Attributes are compared by the cosine of their
inverse document frequencies, texts by the cosine of their vectors less the mean of all; each once
with a fading history and once without. Without attributes, or without vectors, the signal is 0.
"""

from __future__ import annotations

from typing import ClassVar

import msgspec
import numpy as np

from localrec.ranking.learned.evidence.base import (
    FADES,
    FitContext,
    Signals,
    history_weights,
)
from localrec.ranking.learned.interactions import Floats, Histories, Indexes, Mask
from localrec.ranking.learned.sparse import SparseRows


class Attributes(msgspec.Struct, frozen=True):
    """Weighted attributes of the items, by item and by attribute.

    Args:
        of_item: Attributes of each item, each row of length 1.
        of_attribute: The same, the items of each attribute.
        mean_rating: Mean rating of the store, NaN where nothing was rated.
    """

    kind: ClassVar[str] = "attributes"

    of_item: SparseRows
    of_attribute: SparseRows
    mean_rating: float

    def signals(self, histories: Histories) -> Signals:
        """Compute the cosines of each history's summed attributes and each item's."""
        signals: Signals = {}
        every = np.arange(self.of_item.columns, dtype=np.int32)
        for name, fade in FADES.items():
            weights = history_weights(histories, fade, self.mean_rating)
            scores = np.empty((len(histories), self.of_attribute.columns), dtype=np.float32)
            for row in range(len(histories)):
                part = slice(int(histories.first[row]), int(histories.first[row + 1]))
                summed = self.of_item.combine(histories.item[part], weights[part])
                scores[row] = self.of_attribute.combine(every, summed)
            signals[f"attributes-{name}"] = scores
        return signals


class Texts(msgspec.Struct, frozen=True):
    """Centred text vectors of length 1.

    Args:
        vectors: (items, size); zeros where there is no text.
        mean_rating: Mean rating of the store, NaN where nothing was rated.
    """

    kind: ClassVar[str] = "texts"

    vectors: Floats
    mean_rating: float

    def signals(self, histories: Histories) -> Signals:
        """Multiply each history's summed vectors and each item's."""
        signals: Signals = {}
        for name, fade in FADES.items():
            weights = history_weights(histories, fade, self.mean_rating)
            summed = np.zeros((len(histories), self.vectors.shape[1]), dtype=np.float32)
            np.add.at(summed, histories.request, weights[:, None] * self.vectors[histories.item])
            signals[f"texts-{name}"] = summed @ self.vectors.T
        return signals

    def texts_between(self, source: int, item: int) -> tuple[int, int]:
        """Count the texts nearer to the source's than the item's, and all other texts."""
        similarities = self.vectors @ self.vectors[source]
        similarities[source] = -np.inf
        others = int(self.vectors.any(axis=1).sum()) - 1
        return int((similarities > similarities[item]).sum()), others


def fit_attributes(context: FitContext) -> Attributes | None:
    """Weight attributes by rarity; None where no item has any."""
    side = context.side
    if not len(side.attribute):
        return None
    frequency = np.bincount(side.attribute, minlength=side.attributes)
    rarity = np.log((side.items + 1) / (frequency + 1)).astype(np.float32)
    lengths = np.sqrt(np.bincount(side.item, rarity[side.attribute] ** 2, side.items))
    values = (rarity[side.attribute] / np.maximum(lengths[side.item], 1e-6)).astype(np.float32)
    of_item = SparseRows(side.attribute, values, side.first_link, side.attributes)
    return Attributes(of_item, _turned(of_item, side.item), context.log.mean_stars)


def fit_texts(context: FitContext) -> Texts | None:
    """Centre the vectors; None where no item has a text."""
    vectors = context.side.vectors
    if vectors is None:
        return None
    present: Mask = np.asarray(vectors.any(axis=1))
    if not present.any():
        return None
    centred = np.where(present[:, None], vectors - vectors[present].mean(axis=0), 0.0)
    lengths = np.linalg.norm(centred, axis=1, keepdims=True)
    unit = (centred / np.maximum(lengths, 1e-6)).astype(np.float32)
    return Texts(unit, context.log.mean_stars)


def _turned(rows: SparseRows, owner: Indexes) -> SparseRows:
    """Transpose a sparse matrix."""
    order = np.argsort(rows.column, kind="stable")
    counts = np.bincount(rows.column, minlength=rows.columns)
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return SparseRows(owner[order], rows.value[order], first, len(rows.first) - 1)
