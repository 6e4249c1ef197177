"""EASE: predict each item from all others by ridge regression in closed form (Steck, WWW 2019).

With X (users, items) of ones and zeros, P = (X'X + lambda I)^-1 and B = I - P diag(1 / P_jj). Two
readings are kept apart: from everything that was met to what will be met, and, where ratings tell
likes from dislikes, from everything met to what will be liked, B_liked = P (X'Y - diag(mu)), with Y
the liked part of X and mu such that no item predicts itself.

The inversion takes time with the cube of the items. So lambda is chosen on the most popular items
alone, as a multiple of their mean count, and a catalogue that would exceed the memory allowed is
cut to its most popular part; the rest gets no evidence from here. Of each row the entries of
largest magnitude are kept.
"""

from __future__ import annotations

from typing import ClassVar

import msgspec
import numpy as np

from localrec.data.interactions import Interactions
from localrec.ranking.learned.evidence.base import (
    FADES,
    FitContext,
    Signals,
    add_rows,
    check_stop,
    history_weights,
)
from localrec.ranking.learned.evidence.pairs import item_counts
from localrec.ranking.learned.interactions import Floats, Histories, Indexes, Offsets
from localrec.ranking.learned.sparse import SparseRows, blocks_of_rows, heaviest_entries, join_rows

KEPT = 512  # entries of each row
_BYTES_PER_PAIR = 32  # of items, while the matrix is inverted
_LARGEST = 6_000  # items that are inverted, whatever the memory: some seconds on two cores
_TUNED_ON = 1_500  # items
_MULTIPLES = (1.0, 3.0, 10.0, 30.0)  # of the mean count, tried for lambda
_USUAL_MULTIPLE = 5.0
_FEWEST_CASES = 50
_MOST_CASES = 2_000


class Ease(msgspec.Struct, frozen=True):
    """Item-to-item weights.

    Args:
        met: Weights from items that were met to items that will be met.
        liked: Weights from items that were met to items that will be liked; None where nothing was
            rated.
        mean_rating: Mean rating of the store, NaN where nothing was rated.
        regularization: lambda, in users.
    """

    kind: ClassVar[str] = "ease"

    met: SparseRows
    liked: SparseRows | None
    mean_rating: float
    regularization: float

    def signals(self, histories: Histories) -> Signals:
        """Sum the rows of each history, with and without decay."""
        signals: Signals = {}
        for name, fade in FADES.items():
            weights = history_weights(histories, fade, self.mean_rating)
            signals[f"ease-{name}"] = add_rows(self.met, histories, weights)
        if self.liked is not None:
            weights = history_weights(histories, 1.0, self.mean_rating)
            signals["ease-liked"] = add_rows(self.liked, histories, weights)
        return signals


def fit_ease(context: FitContext) -> Ease | None:
    """Invert the item counts; None where there are fewer than two items."""
    log = context.log
    chosen = _largest_block(log, context.memory_limit)
    if len(chosen) < 2:
        return None
    context.progress("EASE: counting", 0, 3)
    multiple = _best_multiple(log, context.seed)
    counts = item_counts(log, chosen)
    check_stop(context)
    regularization = multiple * float(np.diag(counts).mean())
    context.progress("EASE: inverting", 1, 3)
    counts[np.diag_indices_from(counts)] += np.float32(regularization)
    inverse = np.linalg.inv(counts)
    del counts
    rated = not np.isnan(log.mean_stars) and not log.liked.all()
    liked = None
    if rated:
        liked = _spread(_liked_weights(log, chosen, inverse), chosen, log.items)
    inverse /= -np.diag(inverse).copy()
    np.fill_diagonal(inverse, 0.0)
    met = _spread(inverse, chosen, log.items)
    context.progress("EASE: inverting", 3, 3)
    return Ease(met, liked, log.mean_stars, regularization)


def _largest_block(log: Interactions, memory_limit: int) -> Indexes:
    """Choose the most popular items that memory and time allow to invert, ascending."""
    fitting = min(_LARGEST, int((memory_limit / _BYTES_PER_PAIR) ** 0.5))
    met = np.flatnonzero(log.popularity)
    order = np.argsort(-log.popularity[met], kind="stable")
    chosen: Indexes = np.sort(met[order[:fitting]]).astype(np.int32)
    return chosen


def _best_multiple(log: Interactions, seed: int) -> float:
    """Choose the multiple of the mean count that best finds each user's last popular item."""
    order = np.argsort(-log.popularity, kind="stable")[:_TUNED_ON]
    chosen = np.sort(order[log.popularity[order] > 0]).astype(np.int32)
    place = np.full(log.items, -1, dtype=np.int64)
    place[chosen] = np.arange(len(chosen))
    block = log.select(place[log.item] >= 0)
    rows = np.diff(block.first_row)
    last = (block.first_row[1:] - 1)[rows >= 3]
    if len(last) < _FEWEST_CASES or len(chosen) < 3:
        return _USUAL_MULTIPLE
    last = np.sort(np.random.default_rng(seed).permutation(last)[:_MOST_CASES])
    kept = np.ones(len(block), dtype=bool)
    kept[last] = False
    counts = item_counts(block.select(kept), chosen)
    known = _histories_in_block(block, last, place)
    targets = place[block.item[last]]
    gains = [_gain(counts, multiple, known, targets) for multiple in _MULTIPLES]
    return _MULTIPLES[int(np.argmax(gains))]


def _histories_in_block(block: Interactions, last: Offsets, place: Offsets) -> Floats:
    """Compute decayed weights of each user's items before the last one, (cases, chosen items)."""
    known = np.zeros((len(last), int(place.max()) + 1), dtype=np.float32)
    histories = Histories.from_log(block, last)
    weights = history_weights(histories, FADES["recent"], block.mean_stars)
    known[histories.request, place[histories.item]] = weights
    return known


def _gain(counts: Floats, multiple: float, known: Floats, targets: Offsets) -> float:
    """Average 1 / log2(1 + rank) of the targets among the unseen items."""
    regularization = np.float32(multiple * float(np.diag(counts).mean()))
    inverse = np.linalg.inv(counts + regularization * np.eye(len(counts), dtype=np.float32))
    inverse /= -np.diag(inverse).copy()
    np.fill_diagonal(inverse, 0.0)
    scores = known @ inverse
    scores[known > 0] = -np.inf
    own = scores[np.arange(len(targets)), targets]
    ranks = 1 + np.count_nonzero(scores > own[:, None], axis=1)
    return float(np.mean(1.0 / np.log2(1.0 + ranks)))


def _liked_weights(log: Interactions, chosen: Indexes, inverse: Floats) -> Floats:
    """Compute ridge weights from all met items to the liked ones, with an empty diagonal."""
    weights = inverse @ item_counts(log, chosen, log.liked)
    multipliers = np.diag(weights) / np.diag(inverse)
    weights -= inverse * multipliers
    np.fill_diagonal(weights, 0.0)
    return weights.astype(np.float32)


def _spread(weights: Floats, chosen: Indexes, items: int) -> SparseRows:
    """Write the weights of a block as rows of the whole catalogue."""
    parts = []
    for begin, end in blocks_of_rows(len(chosen), len(chosen)):
        column, value, counts = heaviest_entries(weights[begin:end], KEPT)
        parts.append((chosen[column], value, counts))
    block = join_rows(parts, items)
    lengths = np.zeros(items, dtype=np.int64)
    lengths[chosen] = np.diff(block.first)
    first = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return SparseRows(block.column, block.value, first, items)
