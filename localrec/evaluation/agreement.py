"""How far two raters agree: Spearman's rank correlation and weighted kappa, with intervals.

Neither exists for a rater who gives the same score to everything: that agrees with nobody.
Intervals are bootstrapped over samples, all resamples at once; one without a figure is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from localrec.evaluation.intervals import SEED, Measure

Scores = NDArray[np.float64]
Statistic = Callable[[Scores, Scores], Scores]

_RESAMPLES = 1_000
_FEWEST = 4  # pairs from which a figure is given at all
_NOTHING = 1e-12  # what is left of a variance of 0


def spearman(first: Scores, second: Scores) -> Scores:
    """Pearson's correlation of the ranks of each line, ties given their mean rank; -1..1.

    Args:
        first: One rater's scores, (lines, samples).
        second: The other's.

    Returns:
        One figure per line, NaN where a rater does not vary.
    """
    a, b = _ranks(first), _ranks(second)
    a, b = a - a.mean(axis=1, keepdims=True), b - b.mean(axis=1, keepdims=True)
    return _ratio((a * b).sum(axis=1), np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1)))


def weighted_kappa(first: Scores, second: Scores) -> Scores:
    """Cohen's kappa of each line with quadratic weights; 1 is full agreement, 0 that of chance.

    1 - sum (a_i - b_i)^2 / n over the mean of (a_i - b_j)^2 for all pairs (i, j), which is the
    usual sum over the table of squared distances, and var a + var b + (mean a - mean b)^2.

    Args:
        first: One rater's scores, (lines, samples).
        second: The other's, on the same scale.

    Returns:
        One figure per line, NaN where both give one and the same score to everything.
    """
    apart = first.mean(axis=1) - second.mean(axis=1)
    by_chance = first.var(axis=1) + second.var(axis=1) + apart**2
    figures: Scores = 1.0 - _ratio(((first - second) ** 2).mean(axis=1), by_chance)
    return figures


def measured(
    statistic: Statistic, first: Sequence[float], second: Sequence[float], seed: int = SEED
) -> Measure:
    """A statistic of pairs with its 95% interval; without a value for fewer than four pairs."""
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if len(a) < _FEWEST or np.isnan(value := float(statistic(a[None], b[None])[0])):
        return Measure(None, None, None, len(a))
    drawn = np.random.default_rng(seed).integers(len(a), size=(_RESAMPLES, len(a)))
    low, high = np.nanpercentile(statistic(a[drawn], b[drawn]), [2.5, 97.5])
    return Measure(round(value, 4), round(float(low), 4), round(float(high), 4), len(a))


def in_words(figure: Measure) -> str:
    """What an agreement amounts to, judged by its interval and not by its value alone."""
    if figure.value is None or figure.low is None or figure.high is None:
        return "cannot be told: too few scores, or all of them equal"
    if figure.high < 0:
        return "disagrees"
    if figure.low <= 0:
        return "no better than chance"
    if figure.value < 0.4:
        return "weak"
    return "fair" if figure.value < 0.7 else "strong"


def _ranks(scores: Scores) -> Scores:
    """Ranks from 1 within each line; those that tie share the mean of theirs."""
    values, codes = np.unique(scores, return_inverse=True)
    codes = codes.reshape(scores.shape)
    lines, kinds = len(scores), len(values)
    flat = (codes + kinds * np.arange(lines)[:, None]).ravel()
    count = np.bincount(flat, minlength=lines * kinds).reshape(lines, kinds)
    means = count.cumsum(axis=1) - (count - 1) / 2
    ranks: Scores = np.take_along_axis(means, codes, axis=1)
    return ranks


def _ratio(part: Scores, whole: Scores) -> Scores:
    """`part / whole`, NaN where the whole is nothing."""
    counts = whole > _NOTHING
    figures: Scores = np.where(counts, part / np.where(counts, whole, 1.0), np.nan)
    return figures
