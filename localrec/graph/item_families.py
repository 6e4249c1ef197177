"""The families above the attributes of items, as sets of bits that are compared many at once."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Indexes, Offsets

_BITS = 64
Sets = NDArray[np.uint64]


class ItemFamilies(msgspec.Struct, frozen=True, eq=False):
    """The families that the attributes of n items fall under.

    Args:
        sets: A bit for each family of an item, (words, n).
        sizes: How many families an item falls under, (n,).
    """

    sets: Sets
    sizes: NDArray[np.int32]

    @classmethod
    def of(
        cls, first: Offsets, attribute: Indexes, ancestors: Sequence[Collection[int]]
    ) -> ItemFamilies:
        """Gather the families above the attributes of each item.

        Args:
            first: Offset of each item's links, and the end of the last, (n + 1,).
            attribute: The attribute of each link.
            ancestors: The families that count above each attribute.
        """
        families = sorted({family for own in ancestors for family in own})
        bit_of = {family: number for number, family in enumerate(families)}
        above = np.zeros((len(ancestors), len(families) // _BITS + 1), dtype=np.uint64)
        for one, own in enumerate(ancestors):
            for family in own:
                word, bit = divmod(bit_of[family], _BITS)
                above[one, word] |= np.uint64(1 << bit)
        sets: Sets = np.zeros((len(first) - 1, above.shape[1]), dtype=np.uint64)
        linked = np.flatnonzero(np.diff(first))  # an item without links would get the next one's
        if len(linked):
            sets[linked] = np.bitwise_or.reduceat(above[attribute], first[linked], axis=0)
        sizes = np.bitwise_count(sets).sum(axis=1, dtype=np.int32)
        return cls(np.ascontiguousarray(sets.T), sizes)

    def overlap(self, item: int, others: Indexes) -> NDArray[np.float32]:
        """Jaccard overlap of an item's families with those of others, 0 without any, (k,)."""
        others = others.astype(np.intp)  # cast once, not for each word
        both = np.zeros(len(others), dtype=np.int32)
        for word in self.sets:
            if word[item]:  # an item has few families, and most words none of them
                both += np.bitwise_count(word[item] & word[others])
        either = self.sizes[others] + self.sizes[item] - both
        return (both / np.maximum(either, 1)).astype(np.float32)
