"""Sparse rows in NumPy: store item-to-item weights, and sum some rows.

SciPy would serve as well, but it belongs to no base installation. A list adds the rows of one
history, some hundred times a few hundred entries, which one `bincount` does in under a millisecond.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.ranking.learned.interactions import Floats, Indexes, Offsets

_SUMS_HELD = 1 << 23


class SparseRows(msgspec.Struct, frozen=True):
    """A matrix stored by rows, without its zeros.

    Example:
        `SparseRows(column, value, first, 3).row(0)` is the columns and the values of the first row.

    Args:
        column: Column of each entry, row by row, (e,).
        value: Value of each entry, (e,).
        first: Offset of each row's first entry, and the end, (rows + 1,).
        columns: The number of columns.
    """

    column: Indexes
    value: Floats
    first: Offsets
    columns: int

    def row(self, number: int) -> tuple[Indexes, Floats]:
        """Return columns and values of one row."""
        part = slice(int(self.first[number]), int(self.first[number + 1]))
        return self.column[part], self.value[part]

    def entries(self, rows: Offsets, column: int) -> Floats:
        """Return the entries of some rows in one column, (rows,)."""
        starts = self.first[rows]
        lengths = self.first[rows + 1] - starts
        places = flat_ranges(starts, lengths)
        values = np.where(self.column[places] == column, self.value[places], np.float32(0.0))
        owner = np.repeat(np.arange(len(rows)), lengths)
        return np.bincount(owner, values, len(rows)).astype(np.float32)

    def combine(self, rows: Indexes, weights: Floats) -> Floats:
        """Sum some rows, each times its weight, (columns,)."""
        starts, ends = self.first[rows], self.first[rows + 1]
        lengths = ends - starts
        places = flat_ranges(starts, lengths)
        added = np.repeat(weights, lengths) * self.value[places]
        sums = np.bincount(self.column[places], weights=added, minlength=self.columns)
        return sums.astype(np.float32)


def flat_ranges(starts: Offsets, lengths: Offsets) -> Offsets:
    """Concatenate several ranges of numbers."""
    total = int(lengths.sum())
    if not total:
        return np.zeros(0, dtype=np.int64)
    ends = np.cumsum(lengths)
    shifts = np.repeat(starts - (ends - lengths), lengths)
    places: Offsets = shifts + np.arange(total)
    return places


def heaviest_entries(block: Floats, kept: int) -> tuple[Indexes, Floats, Offsets]:
    """Select the `kept` largest entries by magnitude of each dense row, without zeros.

    Returns:
        Columns and values row by row, and how many each row has.
    """
    rows, width = block.shape
    cells = np.flatnonzero(block)
    row, column = np.divmod(cells, max(width, 1))
    return heaviest_of_cells(row, column, block.ravel()[cells], rows, kept)


def heaviest_of_cells(
    row: Offsets, column: Offsets, values: Floats, rows: int, kept: int
) -> tuple[Indexes, Floats, Offsets]:
    """Select the `kept` largest entries by magnitude of each row; among equals the first columns.

    Args:
        row: Row of each entry, ascending, (e,).
        column: Column of each entry, ascending within its row, (e,).
        values: Value of each entry, none of them 0, (e,).
        rows: The number of rows.
        kept: Most entries of a row.

    Returns:
        Columns and values row by row, and the number of entries of each row.
    """
    counts = np.bincount(row, minlength=rows)
    ends = np.cumsum(counts)
    sizes, least = np.abs(values), np.zeros(rows, dtype=values.dtype)
    for full in np.flatnonzero(counts > kept).tolist():
        part = sizes[int(ends[full] - counts[full]) : int(ends[full])]
        least[full] = np.partition(part, len(part) - kept)[len(part) - kept]
    bar = np.repeat(least, counts)  # 0, below every size, in rows that are kept whole
    stays = sizes > bar
    equal = np.flatnonzero(sizes == bar)
    at_bar = row[equal]
    place = np.arange(len(equal)) - np.searchsorted(at_bar, at_bar)  # among the equals of its row
    room = kept - np.bincount(row[stays], minlength=rows)
    stays[equal[place < room[at_bar]]] = True
    return (
        column[stays].astype(np.int32),
        values[stays].astype(np.float32),
        np.minimum(counts, kept).astype(np.int64),
    )


def join_rows(parts: list[tuple[Indexes, Floats, Offsets]], columns: int) -> SparseRows:
    """Join blocks of rows into one matrix."""
    no_entries = (np.zeros(0, np.int32), np.zeros(0, np.float32), np.zeros(0, np.int64))
    blocks = [no_entries, *parts]
    counts = np.concatenate([count for _, _, count in blocks])
    return SparseRows(
        column=np.concatenate([column for column, _, _ in blocks]),
        value=np.concatenate([value for _, value, _ in blocks]),
        first=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        columns=columns,
    )


def grouped(key: NDArray[np.integer], groups: int) -> tuple[Offsets, Offsets]:
    """Sort row numbers by key; return the order, and the offset of each group."""
    order = np.argsort(key, kind="stable")
    first = np.concatenate([[0], np.cumsum(np.bincount(key, minlength=groups))])
    return order, first.astype(np.int64)


def blocks_of_rows(rows: int, columns: int) -> Iterator[tuple[int, int]]:
    """Split rows so that dense blocks fit in memory, at least one row in each range."""
    step = max(1, _SUMS_HELD // max(1, columns))
    for begin in range(0, rows, step):
        yield begin, min(rows, begin + step)
