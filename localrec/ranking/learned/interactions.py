"""Arrays of histories, as the ranker learns from them and scores them.

Users and items are numbered from 0. An unknown rating or day is NaN. Both shapes hold the rows of
one user (or one request) next to each other, oldest first, so that a slice is a history.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.interactions import Interactions

Indexes = NDArray[np.int32]
Offsets = NDArray[np.int64]
Floats = NDArray[np.float32]
Days = NDArray[np.float64]
Mask = NDArray[np.bool_]

NO_USER = -1


class Histories(msgspec.Struct, frozen=True):
    """Histories to rank items for, b of them.

    Args:
        item: Items of history 0, then of history 1, ..., each oldest first, (m,).
        first: Offset of each history, and the end, (b + 1,).
        rating: NaN where none was given, (m,).
        day: NaN where unknown, (m,).
        user: Number of each user in the log, `NO_USER` for somebody it does not know, (b,).
        in_order: Whether the items count as ordered though no day says so.
    """

    item: Indexes
    first: Offsets
    rating: Floats
    day: Days
    user: Indexes
    in_order: bool = False

    def __len__(self) -> int:
        return len(self.first) - 1

    @classmethod
    def of(
        cls,
        items: Sequence[NDArray[np.integer]],
        ratings: Sequence[NDArray[np.floating]] = (),
        days: Sequence[NDArray[np.floating]] = (),
        users: NDArray[np.integer] | None = None,
    ) -> Histories:
        """Join single histories; ratings, days and users may be left out."""
        lengths = [len(one) for one in items]
        first = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        unknown = np.full(int(first[-1]), np.nan)
        joined = np.concatenate([np.zeros(0, dtype=np.int32), *items]).astype(np.int32)
        return cls(
            item=joined,
            first=first,
            rating=(np.concatenate(ratings) if len(ratings) else unknown).astype(np.float32),
            day=(np.concatenate(days) if len(days) else unknown).astype(np.float64),
            user=np.full(len(items), NO_USER, dtype=np.int32)
            if users is None
            else np.asarray(users, dtype=np.int32),
        )

    @classmethod
    def from_log(cls, log: Interactions, ends: Offsets) -> Histories:
        """Take each user's rows before the given row numbers of the log, (b,)."""
        starts = log.first_row[log.user[ends]]
        slices = [slice(a, b) for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
        return cls.of(
            [log.item[one] for one in slices],
            [log.stars[one] for one in slices],
            [log.days[one] for one in slices],
            log.user[ends],
        )

    @property
    def lengths(self) -> Offsets:
        """Count the items of each history, (b,)."""
        return np.diff(self.first)

    @property
    def request(self) -> Offsets:
        """Return the history of each item, (m,)."""
        return np.repeat(np.arange(len(self)), self.lengths)

    @property
    def age(self) -> Offsets:
        """Count the newer items of the same history, (m,)."""
        return self.first[1:][self.request] - 1 - np.arange(len(self.item))

    @property
    def ordered(self) -> Mask:
        """Mark ordered histories, by an item's day or as declared, (b,)."""
        dated = np.concatenate([[0], np.cumsum(~np.isnan(self.day))])
        known: Mask = dated[self.first[1:]] > dated[self.first[:-1]]
        return known | self.in_order

    @property
    def newest_day(self) -> Days:
        """Return the newest known day of each history, NaN where there is none, (b,)."""
        newest = np.full(len(self), -np.inf)
        dated = ~np.isnan(self.day)
        np.maximum.at(newest, self.request[dated], self.day[dated])
        return np.where(np.isinf(newest), np.nan, newest)

    def items_of(self, row: int) -> Indexes:
        """Return the items of one history."""
        return self.item[int(self.first[row]) : int(self.first[row + 1])]

    def take(self, rows: Sequence[int] | Offsets) -> Histories:
        """Select some of the histories, in the given order."""
        slices = [slice(int(self.first[row]), int(self.first[row + 1])) for row in rows]
        taken = Histories.of(
            [self.item[one] for one in slices],
            [self.rating[one] for one in slices],
            [self.day[one] for one in slices],
            self.user[np.asarray(rows, dtype=np.int64)],
        )
        return msgspec.structs.replace(taken, in_order=self.in_order)

    def taken_in_order(self) -> Histories:
        """Return the same histories, declared as ordered even without days."""
        return msgspec.structs.replace(self, in_order=True)

    def newest(self, count: int) -> Histories:
        """Cut each history to its newest `count` items."""
        kept = self.age < count
        first = np.concatenate([[0], np.cumsum(np.minimum(self.lengths, count))])
        return msgspec.structs.replace(
            self,
            item=self.item[kept],
            first=first.astype(np.int64),
            rating=self.rating[kept],
            day=self.day[kept],
        )
