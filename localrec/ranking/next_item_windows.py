"""Training data of next-item networks: windows of histories, batches, and the learning rate.

Each user's rows are cut into windows, in every epoch at another place, so that each item is a
target once in an epoch, after contexts of all lengths. One pass over a window learns from all its
places at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from localrec.data.interactions import Interactions

NO_TARGET = -1
_POOL = 16  # batches among which windows of like length are put together

Windows = tuple[NDArray[np.int64], NDArray[np.int64]]  # items and the next items, both (w, length)


def cut_windows(
    log: Interactions, length: int, generator: np.random.Generator, filling: int = 0
) -> Windows:
    """Cut the histories of a log, padded at the right with `filling` and `NO_TARGET`.

    The first window of a longer history has a random width, so that no step is always at the
    border of two windows.
    """
    rows = np.flatnonzero(log.user[1:] == log.user[:-1])  # those with a next one
    user = log.user[rows]
    steps = np.diff(log.first_row) - 1
    shift = np.where(steps > length, generator.integers(length, size=log.users), 0)
    chunk = (rows - log.first_row[user] + shift[user]) // length
    fresh = np.ones(len(rows), dtype=bool)
    fresh[1:] = (np.diff(user) != 0) | (np.diff(chunk) != 0)
    starts = np.flatnonzero(fresh)
    window = np.cumsum(fresh) - 1
    place = np.arange(len(rows)) - starts[window]
    items = np.full((len(starts), length), filling, dtype=np.int64)
    next_items = np.full((len(starts), length), NO_TARGET, dtype=np.int64)
    items[window, place] = log.item[rows]
    next_items[window, place] = log.item[rows + 1]
    return items, next_items


def batches_of(
    windows: Windows, batch_size: int, generator: np.random.Generator
) -> Iterator[Windows]:
    """Draw all windows in random batches of similar widths, each as wide as its widest window."""
    items, next_items = windows
    widths = np.count_nonzero(next_items != NO_TARGET, axis=1)
    order = generator.permutation(len(widths))
    batches = []
    for begin in range(0, len(order), _POOL * batch_size):
        rows = order[begin : begin + _POOL * batch_size]
        rows = rows[np.argsort(widths[rows], kind="stable")]
        batches += [rows[at : at + batch_size] for at in range(0, len(rows), batch_size)]
    for place in generator.permutation(len(batches)):
        rows = batches[place]
        width = int(widths[rows].max())
        yield items[rows, :width], next_items[rows, :width]


def learning_rate_at(done: float, warm_up: float) -> float:
    """Return the share of the peak learning rate after `done` of all steps, 0..1.

    A line up, then a cosine down to 0 (Smith and Topin 2019, without their momentum).
    """
    if done < warm_up:
        return done / warm_up
    return 0.5 * (1.0 + math.cos(math.pi * min(1.0, (done - warm_up) / (1.0 - warm_up))))
