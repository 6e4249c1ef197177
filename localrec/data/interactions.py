"""The interaction log: who did what with which item, and when."""

from __future__ import annotations

from functools import cached_property

import msgspec
import numpy as np
from numpy.typing import NDArray


class Interactions(msgspec.Struct, frozen=True, dict=True):
    """Who did what when, ordered by person, then time, then the order of the data.

    Args:
        person: 0..people - 1, ascending, (m,) int32.
        item: 0..items - 1, (m,) int32.
        stars: Rating, NaN where none was given, (m,) float32.
        at: When, (m,) datetime64[s].
        people: How many there are, those without a row too.
        items: How many there are, those without a row too.
    """

    person: NDArray[np.int32]
    item: NDArray[np.int32]
    stars: NDArray[np.float32]
    at: NDArray[np.datetime64]
    people: int
    items: int

    def __len__(self) -> int:
        return len(self.person)

    @cached_property
    def first_row(self) -> NDArray[np.int64]:
        """Where each person's rows begin, and the end, (people + 1,)."""
        return np.searchsorted(self.person, np.arange(self.people + 1)).astype(np.int64)

    def rows_of(self, person: int) -> slice:
        """The rows of one person, oldest first."""
        return slice(int(self.first_row[person]), int(self.first_row[person + 1]))
