"""The interaction log: which user met which item, with what rating, and when."""

from __future__ import annotations

from functools import cached_property

import msgspec
import numpy as np
from numpy.typing import NDArray

_DAY_S = 86_400
_NO_NODES = np.zeros(0, dtype=np.int64)


class Interactions(msgspec.Struct, frozen=True, dict=True):
    """Interactions ordered by user, then time, then the order of the data.

    Args:
        user: 0..users - 1, ascending, (m,) int32.
        item: 0..items - 1, (m,) int32.
        stars: Rating, NaN where none was given, (m,) float32.
        at: Time of each row, (m,) datetime64[s].
        users: Number of users, those without a row too.
        items: Number of items, those without a row too.
        item_nodes: The node id of each item, (items,) int64; empty where items are no nodes.
    """

    user: NDArray[np.int32]
    item: NDArray[np.int32]
    stars: NDArray[np.float32]
    at: NDArray[np.datetime64]
    users: int
    items: int
    item_nodes: NDArray[np.int64] = _NO_NODES

    def __len__(self) -> int:
        return len(self.user)

    @cached_property
    def first_row(self) -> NDArray[np.int64]:
        """Return the first row of each user, and the end, (users + 1,)."""
        return np.searchsorted(self.user, np.arange(self.users + 1)).astype(np.int64)

    def rows_of(self, user: int) -> slice:
        """Return the rows of one user, oldest first."""
        return slice(int(self.first_row[user]), int(self.first_row[user + 1]))

    @cached_property
    def days(self) -> NDArray[np.float64]:
        """The time of each row in days since 1970; NaN where unknown, (m,)."""
        return days_of(self.at)

    @cached_property
    def popularity(self) -> NDArray[np.float32]:
        """Count the rows of each item, (items,)."""
        return np.bincount(self.item, minlength=self.items).astype(np.float32)

    @cached_property
    def mean_stars(self) -> float:
        """Average all ratings; NaN where there are none."""
        rated = self.stars[~np.isnan(self.stars)]
        return float(rated.mean(dtype=np.float64)) if len(rated) else float("nan")

    @cached_property
    def liked(self) -> NDArray[np.bool_]:
        """Mark rows whose rating is not below the mean, and those without a rating, (m,)."""
        return liked_rows(self.stars, self.mean_stars)

    def select(self, rows: NDArray[np.bool_] | NDArray[np.int64]) -> Interactions:
        """Keep some of the rows, by a mask or in order; users and items keep their numbers."""
        columns = {name: getattr(self, name)[rows] for name in ("user", "item", "stars", "at")}
        return msgspec.structs.replace(self, **columns)


def days_of(at: NDArray[np.datetime64]) -> NDArray[np.float64]:
    """Convert moments to days since 1970; NaN where one is unknown, (m,)."""
    days = at.astype("datetime64[s]").astype(np.float64) / _DAY_S
    days[np.isnat(at)] = np.nan
    return days


def moments_of(days: NDArray[np.float64]) -> NDArray[np.datetime64]:
    """Convert days since 1970 to moments, to the second; NaT where one is unknown, (m,)."""
    seconds = np.where(np.isnan(days), 0.0, days * _DAY_S)
    at = np.round(seconds).astype(np.int64).astype("datetime64[s]")
    at[np.isnan(days)] = np.datetime64("NaT")
    return at


def liked_rows(stars: NDArray[np.float32], mean_stars: float) -> NDArray[np.bool_]:
    """Mark ratings that are not below the mean, and rows without a rating, (m,)."""
    if np.isnan(mean_stars):
        return np.ones(len(stars), dtype=bool)
    liked: NDArray[np.bool_] = ~(stars < mean_stars)
    return liked
