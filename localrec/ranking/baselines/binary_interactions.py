"""Who had what, each pair once, seen from both sides: what the counting baselines start from.

Plain index arrays instead of a sparse matrix: counting who had two things is one gather and one
bincount for each item, and localrec's own `Audience` is made of the same four arrays.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import csr_rows
from localrec.data.interactions import Interactions
from localrec.foundation.progress import Progress

_TOLD_EVERY = 256  # items between two reports of progress


class BinaryInteractions(msgspec.Struct, frozen=True):
    """Pairs of people and items.

    Args:
        item: Items of person 0, ascending, then of person 1, ..., (e,) int32.
        first_item: Where each person's items begin, (people + 1,) int64.
        person: People of item 0, ascending, then of item 1, ..., (e,) int32.
        first_person: Where each item's people begin, (items + 1,) int64.
    """

    item: NDArray[np.int32]
    first_item: NDArray[np.int64]
    person: NDArray[np.int32]
    first_person: NDArray[np.int64]

    @property
    def users_of(self) -> NDArray[np.int64]:
        """How many people had each item, (items,)."""
        return np.diff(self.first_person)

    def had_with(self, item: int) -> NDArray[np.int64]:
        """Among the people who had `item`: how many had each item, itself included, (items,)."""
        people = self.person[self.first_person[item] : self.first_person[item + 1]]
        theirs = self.item[csr_rows(self.first_item, people)]
        return np.bincount(theirs, minlength=len(self.first_person) - 1)

    def each_had_with(self, progress: Progress) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Every item and its `had_with`, in order; time grows with the squares of the histories."""
        items = len(self.first_person) - 1
        for item in range(items):
            if item % _TOLD_EVERY == 0:
                progress("counting pairs of items", item, items)
            yield item, self.had_with(item)
        progress("counting pairs of items", items, items)


def binary_interactions_of(train: Interactions) -> BinaryInteractions:
    """All people and items of the training data; how often and how well liked is left out."""
    return binary_interactions(train.person, train.item, train.people, train.items)


def binary_interactions(
    person: NDArray[np.int32], item: NDArray[np.int32], people: int, items: int
) -> BinaryInteractions:
    """Pairs (m,) as an incidence; what comes twice counts once."""
    pairs = np.unique(person.astype(np.int64) * max(items, 1) + item)
    persons, things = (part.astype(np.int32) for part in np.divmod(pairs, max(items, 1)))
    by_item = np.argsort(things, kind="stable")
    return BinaryInteractions(
        things, row_offsets(persons, people), persons[by_item], row_offsets(things, items)
    )


def row_offsets(values: NDArray[np.int32], many: int) -> NDArray[np.int64]:
    """Where the entries of 0, 1, ..., many - 1 begin once `values` are in order, (many + 1,)."""
    offsets = np.zeros(many + 1, dtype=np.int64)
    np.cumsum(np.bincount(values, minlength=many), out=offsets[1:])
    return offsets
