"""Count pairs of items with the same users, for EASE, item kNN and co-occurrence.

A pair is counted for each user who met both items. The work is the sum of the squared lengths of
the histories, so of a very long one only the newest part counts.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from localrec.data.interactions import Interactions
from localrec.ranking.learned.interactions import Floats, Indexes, Mask, Offsets
from localrec.ranking.learned.sparse import (
    SparseRows,
    flat_ranges,
    grouped,
    heaviest_of_cells,
    join_rows,
)

LONGEST = 500  # newest rows of a user that are paired
_CELLS = 1 << 23  # of dense sums held at once
_PAIRS = 1 << 22  # counted at once
_SPARSE = 4  # fewer pairs than this part of the cells are counted by sorting them


def item_counts(log: Interactions, chosen: Indexes, second: Mask | None = None) -> Floats:
    """Count the users who met both of each two chosen items, (c, c).

    Args:
        log: The interactions of users and items.
        chosen: The items, ascending, (c,).
        second: Rows that the second item of a pair must come from, (m,); None: any row.
    """
    place = np.full(log.items, -1, dtype=np.int64)
    place[chosen] = np.arange(len(chosen))
    used = (place[log.item] >= 0) & newest_rows(log)
    partner = used if second is None else used & second
    users, items = log.user[used], place[log.item[used]]
    partners = place[log.item[partner]]
    _, first = grouped(log.user[partner], log.users)
    counts = np.zeros(len(chosen) ** 2, dtype=np.float32)
    for rows, pairs in _row_blocks(users, first):
        lengths = first[users[rows] + 1] - first[users[rows]]
        left = np.repeat(items[rows] * len(chosen), lengths)
        _add_ones(counts, left + partners[pairs])
    return counts.reshape(len(chosen), len(chosen))


def neighbour_rows(log: Interactions, kept: int, scale: tuple[Floats, Floats]) -> SparseRows:
    """Count the shared users of each two items, times a factor of either; keep the heaviest.

    Args:
        log: The interactions of users and items.
        kept: Entries of each row.
        scale: Factors of the first and of the second item, (items,) each.
    """
    used = newest_rows(log)
    users, items = log.user[used], log.item[used]
    _, first = grouped(users, log.users)
    order, first_of_item = grouped(items, log.items)
    parts = []
    for begin, end in item_blocks(first_of_item, log.items):
        rows = order[first_of_item[begin] : first_of_item[end]]
        size = (end - begin) * log.items
        cells, counts = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        base = (items[rows].astype(np.int64) - begin) * log.items
        for chunk, pairs in _row_blocks(users[rows], first):
            lengths = first[users[rows][chunk] + 1] - first[users[rows][chunk]]
            more = _counted(np.repeat(base[chunk], lengths) + items[pairs], size)
            cells, counts = _joined((cells, counts), more) if len(cells) else more
        row, column = np.divmod(cells, log.items)
        others = row + begin != column
        row, column = row[others], column[others]
        values = counts[others].astype(np.float32) * (scale[0][begin + row] * scale[1][column])
        parts.append(heaviest_of_cells(row, column, values, end - begin, kept))
    return join_rows(parts, log.items)


def newest_rows(log: Interactions) -> Mask:
    """Select the newest `LONGEST` rows of each user, (m,)."""
    newer = log.first_row[1:][log.user] - 1 - np.arange(len(log))
    newest: Mask = newer < LONGEST
    return newest


def item_blocks(first_of_item: Offsets, items: int) -> Iterator[tuple[int, int]]:
    """Split the items so that dense sums fit in memory, at least one item in each range."""
    step = max(1, _CELLS // max(1, items))
    for begin in range(0, items, step):
        yield begin, min(items, begin + step)


def _row_blocks(users: Indexes, first: Offsets) -> Iterator[tuple[Offsets, Offsets]]:
    """Yield rows in blocks of bounded work, with the partner rows of the block's users."""
    lengths = first[users.astype(np.int64) + 1] - first[users]
    ends = np.cumsum(lengths)
    begin = 0
    while begin < len(users):
        done = int(ends[begin - 1]) if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, done + _PAIRS, side="right")))
        rows = np.arange(begin, end)
        yield rows, flat_ranges(first[users[rows]], lengths[rows])
        begin = end


def _counted(named: Offsets, size: int) -> tuple[Offsets, Offsets]:
    """Count how often each cell is named: the cells, ascending, and their counts."""
    if len(named) * _SPARSE > size:
        counts = np.bincount(named, minlength=size)
        cells = np.flatnonzero(counts)
        return cells, counts[cells]
    return np.unique(named, return_counts=True)


def _joined(
    one: tuple[Offsets, Offsets], other: tuple[Offsets, Offsets]
) -> tuple[Offsets, Offsets]:
    """Add up two countings of cells."""
    cells, place = np.unique(np.concatenate([one[0], other[0]]), return_inverse=True)
    counts = np.bincount(place, np.concatenate([one[1], other[1]]), len(cells))
    return cells, counts.astype(np.int64)


def _add_ones(counts: Floats, cells: Offsets) -> None:
    """Add 1 at each cell, as often as the cell is named."""
    if len(counts) <= 4 * len(cells):
        counts += np.bincount(cells, minlength=len(counts)).astype(np.float32)
        return
    different, times = np.unique(cells, return_counts=True)
    counts[different] += times
