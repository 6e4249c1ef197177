"""How far two raters agree: Spearman's rho, Kendall's tau-b and weighted kappa, with intervals.

There is no agreement for a rater who gives every sample the same score. Intervals are bootstrapped
over groups of samples (those of one question stay together), all resamples at once: a resample is a
row of weights, the number of times that each sample was drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from localrec.evaluation.statistics import SEED, IntervalEstimate

Scores = NDArray[np.float64]  # (n,)
Weights = NDArray[np.float64]  # (lines, n): how often each sample counts in each line
Statistic = Callable[[Scores, Scores, Weights], NDArray[np.float64]]

_RESAMPLES = 1_000
_FEWEST = 4  # groups from which a figure is given at all
_NOTHING = 1e-12  # what is left of a variance of 0


def spearman(first: Scores, second: Scores, weights: Weights) -> NDArray[np.float64]:
    """Compute Pearson's correlation of the ranks in each line, ties at their mean rank; -1..1.

    Args:
        first: One rater's scores, (n,).
        second: The other's.
        weights: Weight of each sample, (lines, n).

    Returns:
        One figure per line, NaN where a rater does not vary.
    """
    a, b = _centred_ranks(first, weights), _centred_ranks(second, weights)
    within = np.sqrt((weights * a**2).sum(axis=1) * (weights * b**2).sum(axis=1))
    return _ratio((weights * a * b).sum(axis=1), within)


def kendall(first: Scores, second: Scores, weights: Weights) -> NDArray[np.float64]:
    """Compute Kendall's tau-b of each line, made for scores with many ties; -1..1.

    Pairs in the same order minus pairs in opposite orders, over the root of the pairs that differ
    for one rater times those that differ for the other. Arguments and result as of `spearman`;
    memory grows with n squared.
    """
    a, b = (np.sign(np.subtract.outer(scores, scores)) for scores in (first, second))

    def counted(pairs: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(((weights @ pairs) * weights).sum(axis=1))

    return _ratio(counted(a * b), np.sqrt(counted(a * a) * counted(b * b)))


def weighted_kappa(first: Scores, second: Scores, weights: Weights) -> NDArray[np.float64]:
    """Compute Cohen's kappa of each line with quadratic weights; 1 is full agreement, 0 chance.

    1 - sum (a_i - b_i)^2 / n over the mean of (a_i - b_j)^2 for all pairs (i, j), which is the
    usual sum over the table of squared distances, and var a + var b + (mean a - mean b)^2.
    Both must use the same scale; arguments and result as of `spearman`.
    """
    share = weights / weights.sum(axis=1, keepdims=True)
    a, b = first - first.mean(), second - first.mean()  # near 0, for the sake of digits
    mean_a, mean_b = share @ a, share @ b
    by_chance = share @ a**2 - mean_a**2 + share @ b**2 - mean_b**2 + (mean_a - mean_b) ** 2
    figures: NDArray[np.float64] = 1.0 - _ratio(share @ (a - b) ** 2, by_chance)
    return figures


def agreement_estimate(
    statistic: Statistic,
    first: Sequence[float],
    second: Sequence[float],
    groups: Sequence[str] | None = None,
    seed: int = SEED,
) -> IntervalEstimate:
    """Estimate a statistic of pairs with its 95% interval; no value for fewer than four groups.

    Args:
        statistic: One of the above.
        first: One rater's scores.
        second: The other's, of the same samples.
        groups: The group of each pair; groups are resampled. None: every pair is a group of its
            own.
        seed: Seed of the resamples.
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    _, member = np.unique(range(len(a)) if groups is None else groups, return_inverse=True)
    kinds = int(member.max(initial=-1)) + 1
    if kinds < _FEWEST or np.isnan(value := float(statistic(a, b, np.ones((1, len(a))))[0])):
        return IntervalEstimate(None, None, None, len(a))
    weights = _draws(kinds, seed)[:, member]
    low, high = np.nanpercentile(statistic(a, b, weights), [2.5, 97.5])
    return IntervalEstimate(round(value, 4), round(float(low), 4), round(float(high), 4), len(a))


def describe_agreement(figure: IntervalEstimate) -> str:
    """Describe an agreement by its interval, not by its value alone."""
    if figure.value is None or figure.low is None or figure.high is None:
        return "cannot be told: too few scores, or all of them equal"
    if figure.high < 0:
        return "disagrees"
    if figure.low <= 0:
        return "no better than chance"
    if figure.value < 0.4:
        return "weak"
    return "fair" if figure.value < 0.7 else "strong"


def _draws(groups: int, seed: int) -> Weights:
    """Count how often each group is drawn in each resample, (resamples, groups)."""
    drawn = np.random.default_rng(seed).integers(groups, size=(_RESAMPLES, groups))
    flat = (drawn + groups * np.arange(_RESAMPLES)[:, None]).ravel()
    counts = np.bincount(flat, minlength=_RESAMPLES * groups)
    return counts.reshape(_RESAMPLES, groups).astype(np.float64)


def _centred_ranks(scores: Scores, weights: Weights) -> NDArray[np.float64]:
    """Centre the ranks within each line, (lines, n); ties share the mean rank."""
    values, codes = np.unique(scores, return_inverse=True)
    count = weights @ np.eye(len(values))[codes]  # (lines, values)
    ranks = (count.cumsum(axis=1) - (count - 1) / 2)[:, codes]
    mean = (weights * ranks).sum(axis=1, keepdims=True) / weights.sum(axis=1, keepdims=True)
    centred: NDArray[np.float64] = ranks - mean
    return centred


def _ratio(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide `part / whole`, NaN where the whole is 0."""
    counts = whole > _NOTHING
    figures: NDArray[np.float64] = np.where(counts, part / np.where(counts, whole, 1.0), np.nan)
    return figures
