"""The interaction log: who did what with which item, and when."""

from __future__ import annotations

from functools import cached_property

import msgspec
import numpy as np
from numpy.typing import NDArray


class Interactions(msgspec.Struct, frozen=True, dict=True):
    """Who did what when, ordered by user, then time, then the order of the data.

    Args:
        user: 0..users - 1, ascending, (m,) int32.
        item: 0..items - 1, (m,) int32.
        stars: Rating, NaN where none was given, (m,) float32.
        at: When, (m,) datetime64[s].
        users: Number of users, those without a row too.
        items: Number of items, those without a row too.
    """

    user: NDArray[np.int32]
    item: NDArray[np.int32]
    stars: NDArray[np.float32]
    at: NDArray[np.datetime64]
    users: int
    items: int

    def __len__(self) -> int:
        return len(self.user)

    @cached_property
    def first_row(self) -> NDArray[np.int64]:
        """Where each user's rows begin, and the end, (users + 1,)."""
        return np.searchsorted(self.user, np.arange(self.users + 1)).astype(np.int64)

    def rows_of(self, user: int) -> slice:
        """The rows of one user, oldest first."""
        return slice(int(self.first_row[user]), int(self.first_row[user + 1]))
