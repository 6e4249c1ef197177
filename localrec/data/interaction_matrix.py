"""A sparse matrix of users and the items they like, readable by user and by item.

Plain index arrays and no `scipy.sparse`: docs/design.md, section "Data", has the figures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Days, Indexes, Offsets, csr_rows, row_offsets
from localrec.data.common_users import CommonUsers, UserRows
from localrec.data.interactions import Interactions
from localrec.foundation.progress import Progress

SAMPLE = 1_000  # users asked about one item; a share of them is known to 1.6% at worst
_NO_NODES = np.zeros(0, dtype=np.int64)


class InteractionMatrix(msgspec.Struct, frozen=True, dict=True, eq=False):
    """Pairs of users and items, each pair once, sorted by user and by item.

    Example:
        `matrix.items_of(3)` are the items that user 3 likes, `matrix.users_of(7)` the users who
        like item 7.

    Args:
        items: Items of user 0, ascending, then of user 1, ..., (e,) int32.
        first_item: Offset of each user's first item, and the end, (users + 1,) int64.
        users: Users of item 0, ascending, then of item 1, ..., (e,) int32.
        first_user: Offset of each item's first user, and the end, (items + 1,) int64.
        days: Day of each like of `items`, in days since 1970; NaN where unknown, (e,) float32.
        user_nodes: The node id of each user, (users,) int64; empty where users are no nodes.
        mark: Mark of the contents for caches that depend on them; empty where they were not kept.
    """

    items: Indexes
    first_item: Offsets
    users: Indexes
    first_user: Offsets
    days: Days
    user_nodes: NDArray[np.int64] = _NO_NODES
    mark: str = ""

    @classmethod
    def from_pairs(
        cls,
        user: Indexes,
        item: Indexes,
        user_count: int,
        item_count: int,
        day: Days | None = None,
        user_nodes: NDArray[np.int64] = _NO_NODES,
    ) -> InteractionMatrix:
        """Sort rows in any order; of equal pairs the newest day counts.

        Args:
            user: 0..user_count - 1, (m,).
            item: 0..item_count - 1, (m,).
            user_count: Number of users, those without a row too.
            item_count: Number of items, those without a row too.
            day: Days since 1970, NaN where unknown, (m,).
            user_nodes: The node id of each user, (users,).
        """
        if day is None:
            day = np.full(len(item), np.nan, dtype=np.float32)
        # One number per pair: in order, by user, then item.
        many = max(item_count, 1)
        pairs = user.astype(np.int64) * many + item
        order = np.argsort(pairs)
        pairs = pairs[order]
        first = np.flatnonzero(np.append(True, pairs[1:] != pairs[:-1])[: len(pairs)])
        days = np.fmax.reduceat(day[order], first) if len(first) else day[:0]
        del order  # 25 million of them are 200 MB
        by_user, by_item = (part.astype(np.int32) for part in np.divmod(pairs[first], many))
        # Sixteen bits are sorted by radix, five times as fast as by comparing.
        turned = np.argsort(
            by_item.astype(np.uint16) if many <= 1 << 16 else by_item, kind="stable"
        )
        return cls(
            items=by_item,
            first_item=row_offsets(by_user, user_count),
            users=by_user[turned],
            first_user=row_offsets(by_item, item_count),
            days=days.astype(np.float32, copy=False),
            user_nodes=user_nodes,
        )

    @classmethod
    def from_log(cls, log: Interactions) -> InteractionMatrix:
        """Take every row of a log as a like; users and items keep their numbers."""
        days = log.days.astype(np.float32)
        return cls.from_pairs(log.user, log.item, log.users, log.items, days)

    @classmethod
    def from_likes(cls, log: Interactions, liked_from: float) -> InteractionMatrix:
        """Take rows without stars and rows with `liked_from` stars or more as likes.

        Users without a like get no number, because shares count among users who like something.
        """
        liked = ~(log.stars < liked_from)  # NaN, no stars, is not below
        fans, user = np.unique(log.user[liked], return_inverse=True)
        return cls.from_pairs(user.astype(np.int32), log.item[liked], len(fans), log.items)

    @property
    def user_count(self) -> int:
        """The number of users."""
        return len(self.first_item) - 1

    @property
    def item_count(self) -> int:
        """The number of items."""
        return len(self.first_user) - 1

    @cached_property
    def likes(self) -> Offsets:
        """Count the users who like each item, (items,)."""
        return np.diff(self.first_user)

    @cached_property
    def user_likes(self) -> Offsets:
        """Count the items that each user likes, (users,)."""
        return np.diff(self.first_item)

    def items_of(self, user: int) -> Indexes:
        """Return all items that a user likes, ascending."""
        return self.items[self.rows_of(user)]

    def users_of(self, item: int) -> Indexes:
        """Return all users who like an item, ascending."""
        return self.users[int(self.first_user[item]) : int(self.first_user[item + 1])]

    def rows_of(self, user: int) -> slice:
        """Return the slice of a user's entries in `items` and `days`."""
        return slice(int(self.first_item[user]), int(self.first_item[user + 1]))

    def newest_items(self, user: int, count: int) -> Indexes:
        """Return a user's `count` newest items, newest first; undated ones come last."""
        rows = self.rows_of(user)
        order = np.argsort(-self.days[rows], kind="stable")  # NaN is sorted to the end
        return self.items[rows][order[:count]]

    def user_index(self, node: int) -> int:
        """Return the number of the user with a node id; -1 where they like nothing yet."""
        return self._user_indexes.get(node, -1)

    @cached_property
    def _user_indexes(self) -> dict[int, int]:
        return {node: user for user, node in enumerate(self.user_nodes.tolist())}

    @cached_property
    def liked_with(self) -> Callable[[int], tuple[NDArray[np.int32], int]]:
        """Count for an item: how many of its users like each item (items,), and of how many users.

        At most `SAMPLE` users are asked, evenly spread over all, the same ones each time.
        """
        return lru_cache(maxsize=128)(self._liked_with)

    def _liked_with(self, item: int) -> tuple[NDArray[np.int32], int]:
        users = self.users_of(item)
        if len(users) > SAMPLE:
            users = users[np.linspace(0, len(users) - 1, SAMPLE).astype(np.int64)]
        return self._count_items(users).astype(np.int32), len(users)

    def common_users(self, progress: Progress) -> Iterator[CommonUsers]:
        """Count for every two items how many users like both, in blocks of whole items."""
        rows = UserRows(self.items, self.first_item, self.users, self.first_user)
        return rows.count(progress)

    def _count_items(self, users: Indexes) -> NDArray[np.int64]:
        """Count how many of some users like each item, (items,)."""
        theirs = self.items[csr_rows(self.first_item, users)]
        return np.bincount(theirs, minlength=self.item_count)
