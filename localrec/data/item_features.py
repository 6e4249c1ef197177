"""Item features: attributes, their rarity, and text vectors."""

from __future__ import annotations

from functools import cached_property

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Floats, Indexes, Offsets, csr_rows

_NO_DIRECTION = 1e-3  # length of what is left of a unit vector at the centre: rounding errors


class ItemFeatures(msgspec.Struct, frozen=True, dict=True):
    """The features of a catalogue's items.

    Args:
        item: Item of each link to an attribute, ascending, (l,) int32.
        attribute: Its attribute, 0..attributes - 1, (l,) int32; a link stands here once.
        items: The number of items.
        attributes: The number of attributes.
        vectors: One of each item, zeros where it has no text, (n, size) float32; or None.
    """

    item: Indexes
    attribute: Indexes
    items: int
    attributes: int
    vectors: Floats | None = None

    @cached_property
    def rarity(self) -> Floats:
        """Compute log(items / items that have it), the weight of each attribute, (attributes,)."""
        uses = np.bincount(self.attribute, minlength=self.attributes)
        rarity = np.log(max(self.items, 1) / uses.clip(min=1))
        return np.where(uses > 0, rarity, 0.0).astype(np.float32)

    @cached_property
    def lengths(self) -> Floats:
        """Compute the length of each item's weighted attributes, (n,)."""
        return np.sqrt(self.over_items(self.rarity**2))

    @cached_property
    def first_link(self) -> Offsets:
        """Return the offset of each item's links, (n + 1,)."""
        return np.searchsorted(self.item, np.arange(self.items + 1)).astype(np.int64)

    @cached_property
    def embedded(self) -> NDArray[np.bool_]:
        """Mark the items that have a vector, (n,)."""
        if self.vectors is None:
            return np.zeros(self.items, dtype=bool)
        return np.asarray(self.vectors.any(axis=1))

    @cached_property
    def centre(self) -> Floats:
        """Average all vectors, (size,); None without vectors."""
        if self.vectors is None:
            return np.zeros(0, dtype=np.float32)
        many = max(int(self.embedded.sum()), 1)
        return (self.vectors.sum(axis=0, dtype=np.float64) / many).astype(np.float32)

    def over_items(self, of_attributes: Floats) -> Floats:
        """Sum a value of each attribute (attributes,) over each item's attributes, (n,)."""
        weights = of_attributes.astype(np.float64).take(self.attribute)
        return np.bincount(self.item, weights, minlength=self.items).astype(np.float32)

    def over_attributes(self, of_items: Floats) -> Floats:
        """Sum a value of each item (n,) over the items that have each attribute."""
        items = np.flatnonzero(of_items != 0.0).astype(np.int32)  # few where they are a history
        links = csr_rows(self.first_link, items)
        weights = of_items[self.item[links]]
        sums = np.bincount(self.attribute[links], weights, minlength=self.attributes)
        return sums.astype(np.float32)

    def mean_direction(self, items: Indexes, weights: Floats) -> Floats:
        """Average some items' weighted, centred vectors, as a unit vector or zeros, (size,)."""
        if self.vectors is None:
            return self.centre
        told = float(weights @ self.embedded[items])
        mean = weights @ self.vectors[items] - np.float32(told) * self.centre
        length = float(np.linalg.norm(mean))
        known = length > _NO_DIRECTION * told  # else what is left are rounding errors
        return (mean / length if known else np.zeros_like(mean)).astype(np.float32)

    def cosines(self, items: Indexes, direction: Floats) -> Floats:
        """Compute the cosines of some items' centred vectors and a unit vector; 0 if missing."""
        if self.vectors is None:
            return np.zeros(len(items), dtype=np.float32)
        # Not by BLAS, whose threads wait for each other where a model keeps the cores busy.
        products = np.vecdot(self.vectors[items], direction) - self.centre @ direction
        lengths = self._spread[items]
        return np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)

    @cached_property
    def _spread(self) -> Floats:
        """Compute the length of each item's centred vector, 0 without a vector, (n,)."""
        if self.vectors is None:
            return np.zeros(self.items, dtype=np.float32)
        squares = np.vecdot(self.vectors, self.vectors) - 2 * (self.vectors @ self.centre)
        spread = np.sqrt(np.maximum(squares + self.centre @ self.centre, 0.0))
        return np.where(self.embedded & (spread > _NO_DIRECTION), spread, np.float32(0.0))
