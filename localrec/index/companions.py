"""Companions: what people take up shortly before or after an item.

Two items are companions where they lie close together in many histories, and the more so the fewer
other company they keep: series, directors, an evening's theme. Order and closeness are what plain
co-occurrence throws away. It is the first-order part of what sequential networks learn, counted
instead of trained.

With T_ij the sum of `decay` ^ (steps between - 1) over all places where i and j lie at most
`window` steps apart in a history, either one first, and |j| the number of histories with j:

    weight_ij = T_ij / (sum_j T_ij + `row_shrinkage`) / (|j| + `shrinkage`) ^ `damping`

Each item keeps its `kept` heaviest companions. Memory while counting stays below a bound whatever
the data; beyond `most_rows` rows a part of the people is counted, evenly drawn, the same each time.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

Items = NDArray[np.int32]
Weights = NDArray[np.float32]

_SUMS = 1 << 23  # held at once, 64 MB
_ROWS = 1 << 17  # of the items counted at once; each meets 2 * window others


class CompanionsConfig(msgspec.Struct, frozen=True, kw_only=True):
    """How companions are counted and asked; compared on MovieLens 100K's validation items.

    Args:
        window: Steps that two items may lie apart.
        decay: Worth of each further step.
        row_shrinkage: Added to an item's own sum: little company says little.
        shrinkage: Added to the number of histories.
        damping: How strongly company that everybody keeps is played down, 0 to 1.
        kept: Companions of each item.
        recent: Newest items of a history that are asked for theirs.
        fading: Worth of each older one of those.
        most_rows: Rows that are counted.
    """

    window: int = 30
    decay: float = 0.93
    row_shrinkage: float = 50.0
    shrinkage: float = 5.0
    damping: float = 0.5
    kept: int = 256
    recent: int = 10
    fading: float = 0.8
    most_rows: int = 5_000_000


class Companions(msgspec.Struct, frozen=True):
    """The companions of each item, heaviest first.

    Args:
        items: Companions of item 0, then of item 1, ..., (e,) int32.
        weights: Of each, (e,) float32.
        first: Where each item's companions begin, (n + 1,) int64.
        config: How they were counted.
    """

    items: Items
    weights: Weights
    first: NDArray[np.int64]
    config: CompanionsConfig = CompanionsConfig()

    def of(self, item: int) -> tuple[Items, Weights]:
        """The companions of one item and their weights."""
        part = slice(int(self.first[item]), int(self.first[item + 1]))
        return self.items[part], self.weights[part]

    def scores(self, history: Items, shares: Weights | None = None) -> Weights:
        """How strongly each item goes with the newest of a history, (n,).

        Args:
            history: Oldest first, (h,).
            shares: How much each of them counts, (h,); all of them by default.
        """
        scores = np.zeros(len(self.first) - 1, dtype=np.float32)
        for age, place in enumerate(range(len(history) - 1, -1, -1)[: self.config.recent]):
            items, weights = self.of(int(history[place]))
            share = 1.0 if shares is None else float(shares[place])
            # An item stands once among the companions of another, so plain indexing adds them all.
            scores[items] += np.float32(share * self.config.fading**age) * weights
        return scores


def count_companions(
    person: NDArray[np.int32], item: Items, size: int, config: CompanionsConfig | None = None
) -> Companions:
    """Count who keeps company with whom.

    Args:
        person: Of each row, ascending, (m,).
        item: Of each row, each person's oldest first, (m,).
        size: Items in the catalogue, n.
        config: How; the defaults where there is none.
    """
    config = config or CompanionsConfig()
    person, item = _part_of(person, item, config.most_rows)
    owners = np.bincount(item, minlength=size)
    damped = ((owners + config.shrinkage) ** config.damping).astype(np.float32)
    rows = np.argsort(item, kind="stable")  # rows of item 0, of item 1, ...
    ends = np.concatenate([[0], np.cumsum(owners)])
    parts = []
    for begin, end in _blocks(ends, size):
        own = rows[ends[begin] : ends[end]]
        sums = _company(person, item, own, begin, (end - begin, size), config)
        sums /= sums.sum(axis=1, keepdims=True) + np.float32(config.row_shrinkage)
        parts.append(_heaviest(sums / damped, config.kept))
    counts = np.concatenate([count for _, _, count in parts] or [np.zeros(0, dtype=np.int64)])
    return Companions(
        items=np.concatenate([items for items, _, _ in parts] or [np.zeros(0, dtype=np.int32)]),
        weights=np.concatenate([some for _, some, _ in parts] or [np.zeros(0, dtype=np.float32)]),
        first=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        config=config,
    )


def _part_of(person: NDArray[np.int32], item: Items, most: int) -> tuple[NDArray[np.int32], Items]:
    """Rows of every so-manieth person where there are too many."""
    if len(person) <= most:
        return person, item
    stays = person % -(-len(person) // most) == 0
    return person[stays], item[stays]


def _blocks(ends: NDArray[np.int64], size: int) -> Iterator[tuple[int, int]]:
    """Ranges of items whose sums and rows fit into the bounds, at least one item each."""
    begin = 0
    while begin < size:
        fitting = int(np.searchsorted(ends, ends[begin] + _ROWS, side="right")) - 1
        end = min(size, begin + max(1, _SUMS // size), max(begin + 1, fitting))
        yield begin, end
        begin = end


def _company(
    person: NDArray[np.int32],
    item: Items,
    own: NDArray[np.int64],
    begin: int,
    shape: tuple[int, int],
    config: CompanionsConfig,
) -> Weights:
    """T_ij for some items from `begin` on, whose rows are `own`; `shape` is (items, n)."""
    pairs, worths = [], []
    base = (item[own].astype(np.int64) - begin) * shape[1]
    for step in range(1, config.window + 1):
        for other in (own - step, own + step):
            near = np.clip(other, 0, len(person) - 1)
            together = (near == other) & (person[near] == person[own]) & (item[near] != item[own])
            pairs.append(base[together] + item[near[together]])
            worths.append(np.full(len(pairs[-1]), config.decay ** (step - 1)))
    sums = np.bincount(
        np.concatenate(pairs), weights=np.concatenate(worths), minlength=shape[0] * shape[1]
    )
    return sums.reshape(shape).astype(np.float32)


def _heaviest(weights: Weights, kept: int) -> tuple[Items, Weights, NDArray[np.int64]]:
    """The `kept` largest of each line that are above 0, in order; and how many each line has."""
    order = np.argsort(-weights, axis=1, kind="stable")[:, :kept]
    sorted_weights = np.take_along_axis(weights, order, axis=1)
    stays = sorted_weights > 0
    return order[stays].astype(np.int32), sorted_weights[stays], stays.sum(axis=1)
