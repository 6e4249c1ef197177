"""Count the users of each two items, in blocks of whole items that stay in the cache.

Item kNN, EASE and the odds of the learnt ranking count with it, each from rows of its own choice.
Time grows with the squares of the histories.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np

from localrec.data.arrays import Indexes, Offsets, csr_rows
from localrec.foundation.progress import Progress, no_progress

_PAIRS_AT_ONCE = 1 << 18  # 2 MB of cells, which stay in the cache while they are sorted
_BLOCKS_HELD = 16  # an item with more pairs than so many blocks have is counted in parts
_SPARSE = 4  # fewer pairs than this part of the cells are counted by sorting them


class CommonUsers(msgspec.Struct, frozen=True):
    """How many users have both of two items: the cells above 0 of a block of rows.

    Args:
        item: First item of each cell, ascending, (c,) int64.
        other: Second item, ascending for each first one, which may be among them, (c,) int64.
        users: How many have both, (c,) int64.
        items: The first item of the block, and the one behind its last.
    """

    item: Offsets
    other: Offsets
    users: Offsets
    items: tuple[int, int]


class UserRows(msgspec.Struct, frozen=True):
    """The rows whose pairs are counted, by user and by item; a row that comes twice counts twice.

    Args:
        items: Second items of pairs, user by user, (m,).
        first_item: Offset of each user's items, and the end, (users + 1,).
        users: Users of the first items of pairs, item by item, (n,).
        first_user: Offset of each item's users, and the end, (items + 1,).
    """

    items: Indexes
    first_item: Offsets
    users: Indexes
    first_user: Offsets

    def count(self, progress: Progress = no_progress) -> Iterator[CommonUsers]:
        """Count for every two items how many users have both, in blocks of whole items."""
        counting, items = "counting pairs of items", len(self.first_user) - 1
        lengths = np.diff(self.first_item)
        pairs = np.cumsum(np.append(0, lengths[self.users]))[self.first_user]
        begin = 0
        while begin < items:
            progress(counting, begin, items)
            most = pairs[begin] + _PAIRS_AT_ONCE
            end = max(begin + 1, int(np.searchsorted(pairs, most, side="right")) - 1)
            if pairs[end] - pairs[begin] > _BLOCKS_HELD * _PAIRS_AT_ONCE:
                yield self._count_in_parts(begin)
            else:
                yield self._count_block(begin, end)
            begin = end
        progress(counting, items, items)

    def _count_block(self, begin: int, end: int) -> CommonUsers:
        """Count the users that each of some items shares with every item."""
        items = len(self.first_user) - 1
        users = self.users[int(self.first_user[begin]) : int(self.first_user[end])]
        base = np.repeat(np.arange(end - begin) * items, np.diff(self.first_user[begin : end + 1]))
        # Every pair of an item and an item of one of its users is a cell of (end - begin, items).
        cells = np.repeat(base, self.first_item[users + 1] - self.first_item[users])
        cells += self.items[csr_rows(self.first_item, users)]
        found, counts = _count_cells(cells, (end - begin) * items)
        item, other = np.divmod(found, items)
        return CommonUsers(item=item + begin, other=other, users=counts, items=(begin, end))

    def _count_in_parts(self, item: int) -> CommonUsers:
        """Count the users that one item shares with every item, some of its users at a time."""
        users = self.users[int(self.first_user[item]) : int(self.first_user[item + 1])]
        counts = np.zeros(len(self.first_user) - 1, dtype=np.int64)
        ends = np.cumsum(self.first_item[users + 1] - self.first_item[users])
        parts = np.searchsorted(ends, np.arange(0, ends[-1], _BLOCKS_HELD * _PAIRS_AT_ONCE))
        for some in np.split(users, np.unique(parts)):
            theirs = self.items[csr_rows(self.first_item, some)]
            counts += np.bincount(theirs, minlength=len(counts))
        other = np.flatnonzero(counts)
        return CommonUsers(np.full(len(other), item), other, counts[other], (item, item + 1))


def _count_cells(named: Offsets, size: int) -> tuple[Offsets, Offsets]:
    """Count how often each cell of 0..size - 1 is named: the cells, ascending, and their counts."""
    if len(named) * _SPARSE > size:
        counts = np.bincount(named, minlength=size)
        cells = np.flatnonzero(counts)
        return cells, counts[cells]
    named.sort()
    first = np.flatnonzero(np.append(True, named[1:] != named[:-1])[: len(named)])
    return named[first], np.diff(first, append=len(named))
