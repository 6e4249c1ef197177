"""Co-occurrence and transitions: items that users meet near an item, in any order or after it.

With T_ij the sum of `decay` ^ (steps - 1) over all places where j stands at most `window` steps
from i in a history, and |j| the rows of j:

    weight_ij = T_ij / (sum_j T_ij + `row_shrinkage`) / (|j| + `shrinkage`) ^ `damping`

"Co-occurrence" counts both directions within a wide and a narrow window, "transitions" only what
comes after. Plain co-occurrence throws this away; sequence networks learn it as their first-order
part.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.interactions import Interactions
from localrec.ranking.learned.evidence.base import FitContext, Signals, add_rows, history_weights
from localrec.ranking.learned.interactions import Floats, Histories, Offsets
from localrec.ranking.learned.sparse import SparseRows, grouped, heaviest_of_cells, join_rows

NEWEST = 20  # items of a history whose co-occurring items count
_CELLS = 1 << 23  # of dense sums held at once
_SPARSE = 4  # a block with fewer pairs than this part of its cells is summed by sorting its pairs


class CooccurrenceWindow(msgspec.Struct, frozen=True):
    """Configure one window of co-occurrence.

    Args:
        steps: The most steps that two items may lie apart.
        decay: Worth of each further step.
        both_ways: Whether the order of the two does not matter.
        row_shrinkage: Added to an item's own sum: a rare item says little.
        damping: Damping of popular items, 0 to 1.
        fade: Worth of each older item of a history.
        kept: Entries of each row.
    """

    steps: int
    decay: float
    both_ways: bool
    row_shrinkage: float = 50.0
    damping: float = 0.5
    fade: float = 0.8
    kept: int = 256


SHRINKAGE = 5.0
WINDOWS = {
    "cooccurrence-wide": CooccurrenceWindow(steps=30, decay=0.93, both_ways=True),
    "cooccurrence-near": CooccurrenceWindow(steps=5, decay=0.8, both_ways=True),
    "transitions": CooccurrenceWindow(
        steps=10, decay=0.8, both_ways=False, row_shrinkage=20.0, damping=0.4, fade=0.7
    ),
}


class Cooccurrence(msgspec.Struct, frozen=True):
    """Item-to-item weights, one matrix for each window.

    Args:
        wide: Weights within many steps.
        within_window: Weights within few steps.
        after: Weights from an item to the items after it.
        mean_rating: Mean rating of the store, NaN where nothing was rated.
    """

    kind: ClassVar[str] = "cooccurrence"

    wide: SparseRows
    within_window: SparseRows
    after: SparseRows
    mean_rating: float

    def signals(self, histories: Histories) -> Signals:
        """Roots of the co-occurrence with the newest items; the root tames the few inseparable
        pairs."""
        newest = histories.newest(NEWEST)
        signals: Signals = {}
        matrices = (self.wide, self.within_window, self.after)
        for (name, window), rows in zip(WINDOWS.items(), matrices, strict=True):
            weights = history_weights(newest, window.fade, self.mean_rating)
            signals[name] = np.sqrt(add_rows(rows, newest, weights))
        return signals


def fit_cooccurrence(context: FitContext) -> Cooccurrence:
    """Count co-occurrence in all windows."""
    wide, near, after = (count_cooccurrence(context.log, window) for window in WINDOWS.values())
    return Cooccurrence(wide, near, after, context.log.mean_stars)


def count_cooccurrence(log: Interactions, window: CooccurrenceWindow) -> SparseRows:
    """Count the co-occurrence of each item within one window."""
    damped = (log.popularity + np.float32(SHRINKAGE)) ** np.float32(window.damping)
    order, first = grouped(log.item, log.items)
    parts = []
    for begin, end in _item_blocks(log.items):
        cells, sums = _sums(log, order[first[begin] : first[end]], (begin, end), window)
        row, column = np.divmod(cells, log.items)
        totals = np.bincount(row, sums, end - begin).astype(np.float32)
        values = sums / (totals[row] + np.float32(window.row_shrinkage)) / damped[column]
        parts.append(heaviest_of_cells(row, column, values, end - begin, window.kept))
    return join_rows(parts, log.items)


def _item_blocks(items: int) -> Iterator[tuple[int, int]]:
    """Split the items so that dense sums fit in memory, at least one item in each range."""
    step = max(1, _CELLS // max(1, items))
    for begin in range(0, items, step):
        yield begin, min(items, begin + step)


def _sums(
    log: Interactions, rows: Offsets, bounds: tuple[int, int], window: CooccurrenceWindow
) -> tuple[Offsets, Floats]:
    """Sum T_ij for the items within the bounds, whose rows of the log are given.

    Returns:
        Cells that are not 0, ascending, row by row of the items, and their sums.
    """
    begin, end = bounds
    size = (end - begin) * log.items
    base = (log.item[rows].astype(np.int64) - begin) * log.items
    steps = range(1, window.steps + 1)
    signed = [s * sign for s in steps for sign in ((1, -1) if window.both_ways else (1,))]
    pairs, worths = [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
    dense = len(rows) * len(signed) * _SPARSE > size
    sums = np.zeros(size if dense else 0)
    for step in signed:
        other = rows + step
        near = np.clip(other, 0, len(log) - 1)
        together = (near == other) & (log.user[near] == log.user[rows])
        together &= log.item[near] != log.item[rows]
        found = base[together] + log.item[near[together]]
        worth = window.decay ** (abs(step) - 1)
        if dense:
            sums += worth * np.bincount(found, minlength=size)
        else:
            pairs.append(found)
            worths.append(np.full(len(found), worth))
    if dense:
        cells = np.flatnonzero(sums)
        return cells, sums[cells].astype(np.float32)
    return _summed(np.concatenate(pairs), np.concatenate(worths))


def _summed(cells: Offsets, worths: NDArray[np.float64]) -> tuple[Offsets, Floats]:
    """Add up the worths of equal cells, ascending by cell."""
    order = np.argsort(cells)
    ordered = cells[order]
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)])
    if not len(begins):
        return ordered, np.zeros(0, dtype=np.float32)
    return ordered[begins], np.add.reduceat(worths[order], begins).astype(np.float32)
