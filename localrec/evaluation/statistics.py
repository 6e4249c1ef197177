"""Shares and means over cases with bootstrap intervals, and whether two systems differ.

A measure is a ratio of sums, so that means (every weight 1) and pooled shares (claims of all
answers together) are computed alike. Cases are resampled, not claims, since claims of one answer
belong together.

Two systems are compared over the same cases. The interval of their difference comes from a paired
bootstrap (both read the same resampled cases), the p-value from a paired randomisation test: if
they were equal, swapping their results in any case would change nothing. Where several comparisons
are read together, Holm's correction keeps the chance of even one false "better" or "worse" below
5%. A difference that is not significant does not show that two systems are equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.foundation.errors import UsageError

RESAMPLES = 2_000
SWAPS = 9_999  # with the data as they are, 10,000: the smallest p-value is 0.0001
SEED = 20_251_108
SIGNIFICANCE = 0.05

Parts = Sequence[tuple[float, float]]
ComparisonVerdict = Literal["better", "worse", "not separable"]

_BLOCK_CELLS = 1 << 21  # draws held at once; more only costs memory


class IntervalEstimate(msgspec.Struct, frozen=True):
    """A figure with its 95% interval; all three are None where nothing was to be measured.

    Args:
        value: Sum of the parts over the sum of the weights.
        low: Lower bound, the 2.5th percentile of the resamples.
        high: Upper bound, the 97.5th.
        n: Cases that the figure rests on.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """One system against another over the same cases.

    Args:
        difference: Ours minus theirs, with its paired interval, which no correction widens.
        p: Chance of a difference at least as large, either way, if the two were alike; None where
            nothing was to be compared.
        p_adjusted: The same after Holm's correction for all comparisons made together.
        verdict: "better" or "worse", of ours, where `p_adjusted` is below 0.05; the interval is
            for the eye, and decides nothing.
    """

    difference: IntervalEstimate
    p: float | None
    p_adjusted: float | None
    verdict: ComparisonVerdict


def ratio_estimate(parts: Parts, seed: int = SEED) -> IntervalEstimate:
    """Estimate the ratio of sums of (part, weight) pairs, one per case; weight 0 is left out."""
    counted = _pairs(parts)
    counted = counted[counted[:, 1] > 0]
    if not len(counted):
        return IntervalEstimate(None, None, None, 0)
    sums = _resampled_sums(counted, seed)
    return _interval(float(_ratio(counted.sum(axis=0))), _ratio(sums), len(counted))


def compare(ours: Parts, theirs: Parts, *, rising: bool = True, seed: int = SEED) -> Comparison:
    """Tell whether our figure differs from theirs; see `compare_all`.

    Example:
        `compare([(1.0, 1.0)] * 30, [(0.0, 1.0)] * 30).verdict` is "better".
    """
    return compare_all({"": (ours, theirs)}, rising=rising, seed=seed)[""]


def compare_all(
    pairs: Mapping[str, tuple[Parts, Parts]], *, rising: bool = True, seed: int = SEED
) -> dict[str, Comparison]:
    """Correct comparisons that are read together for their number.

    Args:
        pairs: Our and their (part, weight) pairs, as `ratio_estimate` takes them, in the same
            order of the same cases. A case counts where both weights are above 0.
        rising: Whether more is better, as for a hit rate; False for seconds, tokens and errors.
        seed: Seed of the resamples and the swaps.

    Raises:
        UsageError: two systems have not the same number of cases.
    """
    found = {name: _difference(name, *both, seed) for name, both in pairs.items()}
    tested = {name: p for name, (_, p, _) in found.items() if p is not None}
    adjusted = dict(zip(tested, holm(list(tested.values())), strict=True))
    return {
        name: Comparison(
            difference=difference,
            p=p,
            p_adjusted=adjusted.get(name),
            verdict=_verdict(gap if rising else -gap, adjusted.get(name)),
        )
        for name, (difference, p, gap) in found.items()
    }


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for their number by Holm's (1979) step-down method, in their order."""
    count = len(p_values)
    adjusted, least = [0.0] * count, 0.0
    for place, index in enumerate(sorted(range(count), key=p_values.__getitem__)):
        least = max(least, min(1.0, (count - place) * p_values[index]))
        adjusted[index] = least
    return adjusted


def _difference(
    name: str, ours: Parts, theirs: Parts, seed: int
) -> tuple[IntervalEstimate, float | None, float]:
    """Ours minus theirs with its interval, the p-value before any correction, ours minus theirs.

    The last is not rounded: systems may differ surely by less than a figure shows.
    """
    if len(ours) != len(theirs):
        raise UsageError(
            f"{name or 'The comparison'} has {len(ours)} cases of one system and {len(theirs)} of "
            "the other.",
            "Compare two systems over the same cases, in the same order.",
        )
    both = np.concatenate([_pairs(ours), _pairs(theirs)], axis=1)  # (n, 4): part, weight, twice
    both = both[(both[:, 1] > 0) & (both[:, 3] > 0)]
    if not len(both):
        return IntervalEstimate(None, None, None, 0), None, 0.0
    gap = float(_gap(both.sum(axis=0)))
    difference = _interval(gap, _gap(_resampled_sums(both, seed)), len(both))
    return difference, _randomisation_p(both, seed), gap


def _randomisation_p(both: NDArray[np.float64], seed: int) -> float:
    """Compute the two-sided p-value of the gap between the halves of (n, 4), by random swaps."""
    observed = abs(float(_gap(both.sum(axis=0))))
    swapped = np.roll(both, 2, axis=1) - both  # what a swap of the case adds to the sums
    swapped = swapped[swapped.any(axis=1)]  # where both did the same, a swap adds nothing
    if not len(swapped):
        return 1.0
    generator = np.random.default_rng(seed)
    as_large = 1  # the data as they are
    for rows in _blocks(SWAPS, len(swapped)):
        chosen = _coins(generator, rows, len(swapped))
        added = np.zeros((rows, 4))
        for column in np.flatnonzero(swapped.any(axis=0)):  # of means, the weights never change
            # Without BLAS, whose threads cost more than they save where other work runs.
            added[:, column] = np.einsum("rn,n->r", chosen, swapped[:, column].copy())
        gaps = np.abs(_gap(both.sum(axis=0) + added))
        as_large += int((gaps >= observed - 1e-12).sum())  # equal but for rounding is equal
    return as_large / (SWAPS + 1)


def _verdict(gain: float, p_adjusted: float | None) -> ComparisonVerdict:
    if p_adjusted is None or p_adjusted >= SIGNIFICANCE:
        return "not separable"
    return "better" if gain > 0 else "worse"


def _coins(generator: np.random.Generator, rows: int, count: int) -> NDArray[np.float64]:
    """Toss fair coins, 0 or 1, (rows, count)."""
    drawn = np.frombuffer(generator.bytes(rows * -(-count // 8)), dtype=np.uint8)
    return np.unpackbits(drawn.reshape(rows, -1), axis=1, count=count).astype(np.float64)


def _resampled_sums(counted: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """Sum the columns of `RESAMPLES` draws of the rows (n, c) with replacement, (RESAMPLES, c)."""
    generator, count = np.random.default_rng(seed), len(counted)
    sums = []
    for rows in _blocks(RESAMPLES, count):
        drawn = generator.integers(count, size=(rows, count))
        # One column after another: a twentieth of the time of gathering whole rows.
        sums.append(np.stack([column[drawn].sum(axis=1) for column in counted.T.copy()], axis=1))
    return np.concatenate(sums)


def _blocks(total: int, width: int) -> Iterator[int]:
    """Split `total` rows into blocks that fit in memory."""
    at_once = max(1, _BLOCK_CELLS // max(1, width))
    for start in range(0, total, at_once):
        yield min(at_once, total - start)


def _ratio(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide part by weight of sums (..., 2)."""
    return sums[..., 0] / sums[..., 1]


def _gap(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Subtract their ratio from ours, of sums (..., 4)."""
    return _ratio(sums[..., :2]) - _ratio(sums[..., 2:])


def _interval(value: float, resampled: NDArray[np.float64], n: int) -> IntervalEstimate:
    low, high = np.percentile(resampled, [2.5, 97.5]).tolist()
    return IntervalEstimate(round(value, 4), round(low, 4), round(high, 4), n)


def _pairs(parts: Parts) -> NDArray[np.float64]:
    return np.array(parts, dtype=np.float64).reshape(-1, 2)
