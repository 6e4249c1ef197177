"""Ranking metrics: of one list, of many rankings at once, and of all lists together.

The `hits` of one list are a boolean array over its ranks, best first, (length,); `relevant` counts
all relevant items, in the list or not. `TiedRanks` scores all cases with one relevant item among
scored candidates at once; with one relevant item, recall is the hit rate, precision is the hit rate
over k and average precision is the reciprocal rank.

Ties: where candidates have the positive's score, a metric is its average over all orders of them
(McSherry and Najork 2008). A constant scorer gets the figures of a random one, and a coarse scorer
is neither favoured nor punished, as a best, mean or worst rank would do. RecBole keeps the order of
`torch.topk`, and trec_eval orders ties by id; the functions name the other differences from RecBole
1.2.1.

For metrics over all cases, `lists` holds one array of item numbers for each, best first; arrays may
differ in length and be empty.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.trajectory import TrajectoryFault as AgentFault
from localrec.foundation.errors import UsageError

Hits = NDArray[np.bool_]
Values = NDArray[np.float64]
Numbers = NDArray[np.integer[Any]]
Lists = Sequence[Numbers]
PairDistance = Callable[[Numbers, Numbers], Values]
Fault = Literal["failed", "empty", "unknown", "repeated", "short", AgentFault]

STEADYING = 0.01  # Steck's alpha: the share of the history's distribution mixed into the list's
_BLOCK_CELLS = 1 << 22  # compared at once; more only costs memory
_BLOCK_PAIRS = 1 << 15


# One list


def hits_of(ranking: Sequence[Hashable], relevant: Collection[Hashable]) -> Hits:
    """Mark the ranks of a list that hold a relevant item; a repeated item hits only once."""
    left = set(relevant)
    hits = np.zeros(len(ranking), dtype=bool)
    for place, item in enumerate(ranking):
        if item in left:
            hits[place] = True
            left.remove(item)
    return hits


def hit_rate(hits: Hits, k: int) -> float:
    """Return 1 where the first k hold a relevant item, else 0; trec_eval's success."""
    return float(hits[:k].any())


def ndcg(hits: Hits, relevant: int, k: int) -> float:
    """Normalised discounted cumulative gain at k with binary gains; 0 where nothing is relevant."""
    best = min(relevant, k)
    if not best:
        return 0.0
    discounts = _discounts(k)
    return float(discounts[: len(hits)][hits[:k]].sum() / discounts[:best].sum())


def recall(hits: Hits, relevant: int, k: int) -> float:
    """Compute the share of all relevant items among the first k; below 1 where k is fewer."""
    return float(hits[:k].sum() / relevant) if relevant else 0.0


def capped_recall(hits: Hits, relevant: int, k: int) -> float:
    """Share of the relevant items, at most k of them, in the first k; 1 is always possible.

    Neither RecBole nor trec_eval has it: what they call recall is `recall`.
    """
    best = min(relevant, k)
    return float(hits[:k].sum() / best) if best else 0.0


def precision(hits: Hits, k: int) -> float:
    """Compute the share of k places with a relevant item; missing places count as misses."""
    return float(hits[:k].sum() / k)


def average_precision(hits: Hits, relevant: int, k: int | None = None) -> float:
    """Precision at each hit, summed over the first k (all, if None), over all relevant items.

    This is trec_eval's map and map_cut; RecBole divides by k where more than k are relevant.
    """
    if not relevant:
        return 0.0
    ranks = np.flatnonzero(hits[:k]) + 1
    return float((np.arange(1, len(ranks) + 1) / ranks).sum() / relevant)


def reciprocal_rank(hits: Hits, k: int | None = None) -> float:
    """1 over the rank of the first relevant item; 0 where the first k (all, if None) hold none."""
    places = np.flatnonzero(hits[:k])
    return float(1.0 / (places[0] + 1)) if len(places) else 0.0


# Many cases with one relevant item each


class TiedRanks(msgspec.Struct, frozen=True):
    """The rank of each case's positive among its candidates, with ties.

    Args:
        first: The best rank it may have, from 1; 0 where it was not ranked at all, (b,) int64.
        tied: The number of candidates that share its score, itself among them: its rank lies from
            `first` to `first + tied - 1`, (b,) int64.
    """

    first: NDArray[np.int64]
    tied: NDArray[np.int64]

    @classmethod
    def at(cls, ranks: Numbers) -> TiedRanks:
        """Places of positives whose ranks are certain, (b,); 0 for one that its list lacks."""
        first = np.asarray(ranks, dtype=np.int64)
        return cls(first, np.ones_like(first))


def tied_ranks(scores: NDArray[np.floating[Any]], positive: Numbers) -> TiedRanks:
    """Rank the positives by their scores, with ties.

    Args:
        scores: Higher is better, (b, n). NaN and -inf take no part; a positive of such a score
            was not ranked.
        positive: The column of each row's positive, (b,).

    Raises:
        UsageError: not one positive for each row, or one that is no column.
    """
    count, width = scores.shape
    columns = np.asarray(positive, dtype=np.int64)
    if columns.shape != (count,) or (count and not 0 <= columns.min() <= columns.max() < width):
        raise UsageError(
            f"Scores of shape {scores.shape} need a positive in 0..{width - 1} for each row.",
            "Give one column for every case.",
        )
    first, tied = np.zeros(count, dtype=np.int64), np.ones(count, dtype=np.int64)
    rows_at_once = max(1, _BLOCK_CELLS // max(1, width))
    for start in range(0, count, rows_at_once):
        rows = slice(start, start + rows_at_once)
        block = scores[rows]
        own = np.take_along_axis(block, columns[rows, None], axis=1)
        ranked = own[:, 0] > -np.inf
        first[rows] = np.where(ranked, np.count_nonzero(block > own, axis=1) + 1, 0)
        tied[rows] = np.where(ranked, np.count_nonzero(block == own, axis=1), 1)
    return TiedRanks(first, tied)


def hit_rates(places: TiedRanks, k: int) -> Values:
    """Compute `hit_rate` of every case, (b,); between 0 and 1 where ties reach across rank k."""
    return _average_gains(places, np.ones(k))


def ndcgs(places: TiedRanks, k: int) -> Values:
    """Compute `ndcg` of every case, (b,)."""
    return _average_gains(places, _discounts(k))


def reciprocal_ranks(places: TiedRanks, k: int | None = None) -> Values:
    """`reciprocal_rank` of every case, (b,); over the first k ranks, or all if None."""
    last = int((places.first + places.tied).max(initial=1)) if k is None else k
    return _average_gains(places, 1.0 / np.arange(1, last + 1))


def _discounts(k: int) -> Values:
    return 1.0 / np.log2(np.arange(2, k + 2))


def _average_gains(places: TiedRanks, gains: Values) -> Values:
    """Mean of the gains (m,) of the ranks 1..m that each positive may have; beyond m it is 0."""
    sums = np.concatenate([[0.0], np.cumsum(gains)])
    before = np.minimum(places.first - 1, len(gains))
    last = np.minimum(before + places.tied, len(gains))
    return np.where(places.first > 0, (sums[last] - sums[before]) / places.tied, 0.0)


# The lists themselves, whatever was relevant


def coverage(lists: Lists, items: int) -> float:
    """Compute the share of the items 0..items - 1 that occur in at least one list.

    RecBole's is lower by a hair: it counts its padding item into the catalogue.
    """
    _, listed = _flat(lists)
    return float(len(np.unique(listed)) / items) if items else 0.0


def novelty(lists: Lists, owners: Numbers, users: int) -> Values:
    """Compute the mean self-information of each list in bits, (b,); NaN for an empty list.

    An item says -log2(share of the users who have it): 0 where everybody has it (Zhou et al.
    2010). One that nobody has counts as if one user did, the most that can be said of it.
    RecBole has the average popularity instead, which is the mean of `owners`.

    Args:
        lists: Items as numbers, best first.
        owners: The number of users of each item, in the training data, (items,).
        users: The number of users.
    """
    surprise = np.log2(users) - np.log2(np.maximum(owners, 1))
    return _means(lists, surprise[:, None])[:, 0]


def intra_list_diversity(lists: Lists, distance: PairDistance) -> Values:
    """Compute the mean distance of each list's pairs, (b,); NaN with fewer than two items."""
    lengths = np.array([len(one) for one in lists], dtype=np.int64)
    diversity = np.full(len(lengths), np.nan)
    for length in np.unique(lengths[lengths > 1]).tolist():
        above, below = np.triu_indices(length, k=1)
        same = np.flatnonzero(lengths == length)
        for cases in np.array_split(same, 1 + len(same) * len(above) // _BLOCK_PAIRS):
            block = np.stack([np.asarray(lists[case]) for case in cases])
            apart = distance(block[:, above].ravel(), block[:, below].ravel())
            diversity[cases] = apart.reshape(len(cases), -1).mean(axis=1)
    return diversity


def attribute_distance(attributes: Sequence[Collection[Hashable]]) -> PairDistance:
    """One minus the Jaccard similarity of two items' attribute sets, given for each item.

    Two items without any attribute are 0 apart, so that missing data never looks diverse.
    """
    number = {name: at for at, name in enumerate(dict.fromkeys(n for s in attributes for n in s))}
    held = np.zeros((len(attributes), -(-len(number) // 8)), dtype=np.uint8)  # a bit for each
    for item, names in enumerate(attributes):
        for name in names:
            held[item, number[name] >> 3] |= 1 << (number[name] & 7)

    def distance(left: Numbers, right: Numbers) -> Values:
        shared = np.bitwise_count(held[left] & held[right]).sum(axis=1, dtype=np.int64)
        either = np.bitwise_count(held[left] | held[right]).sum(axis=1, dtype=np.int64)
        return np.where(either > 0, 1.0 - shared / np.maximum(either, 1), 0.0)

    return distance


def genre_shares(lists: Lists, genres: NDArray[np.floating[Any]]) -> Values:
    """Compute the share of each genre in each list, (b, g); rows sum to 1, or are NaN.

    Args:
        lists: Items as numbers: a list shown, or a person's history.
        genres: Distribution of each item over genres, (items, g): rows sum to 1, or are all zeros
            for an item of unknown genre, which does not count.
    """
    known = genres.any(axis=1, keepdims=True)
    sums = _means(lists, np.concatenate([genres, known], axis=1))
    with np.errstate(invalid="ignore"):  # 0 / 0 is the NaN that is promised
        return sums[:, :-1] / sums[:, -1:]


def miscalibration(history: Values, listed: Values, steadying: float = STEADYING) -> Values:
    """Compute the distance of lists from their users' genres, (b,); 0 is none, NaN unknown.

    Steck's (2018) Kullback-Leibler divergence of a list's shares q from the history's p, in nats:
    the sum of p log(p / q'), with q' = (1 - a) q + a p, which keeps it finite, at most -log a.

    Args:
        history: `genre_shares` of what users had, (b, g).
        listed: `genre_shares` of what they were shown, (b, g).
        steadying: Steck's a.
    """
    mixed = (1.0 - steadying) * listed + steadying * history
    wanted = history > 0
    ratio = np.divide(history, mixed, out=np.ones_like(mixed), where=wanted)
    return np.where(np.isnan(history + listed), np.nan, history * np.log(ratio)).sum(axis=1)


# Answers that are no lists at all


def faults_of(
    answer: Sequence[Hashable] | None, allowed: Collection[Hashable], wanted: int
) -> tuple[Fault, ...]:
    """List the faults that make an answer invalid, in a fixed order; none for a valid one.

    Args:
        answer: The items as the system gave them; None where it failed to give any.
        allowed: Items that it may name: the candidates, or the catalogue.
        wanted: The fewest different items that it should give.
    """
    if answer is None:
        return ("failed",)
    if not answer:
        return ("empty",) if wanted else ()
    different = set(answer)
    known = {item for item in different if item in allowed}
    found: dict[Fault, bool] = {
        "unknown": len(known) < len(different),
        "repeated": len(different) < len(answer),
        "short": len(known) < wanted,
    }
    return tuple(fault for fault, there in found.items() if there)


def _flat(lists: Lists) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All items of all lists one after another, and the list that each stands in."""
    lengths = [len(one) for one in lists]
    listed = np.concatenate([np.zeros(0, dtype=np.int64), *lists])
    return np.repeat(np.arange(len(lengths)), lengths), listed.astype(np.int64)


def _means(lists: Lists, values: NDArray[np.floating[Any]]) -> Values:
    """Mean of the items' values (items, v) in each list, (b, v); NaN where it is empty."""
    owner, listed = _flat(lists)
    counts = np.bincount(owner, minlength=len(lists))
    columns = [
        np.bincount(owner, weights=column[listed], minlength=len(lists)) for column in values.T
    ]
    with np.errstate(invalid="ignore"):  # 0 / 0 is the NaN that is promised
        return np.stack(columns, axis=1) / counts[:, None]
