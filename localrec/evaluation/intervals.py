"""Shares and means over questions, with bootstrap intervals that anybody can make again.

A measure is a ratio of sums, so that means (every weight 1) and pooled shares (claims of all
answers together) are one thing. Questions are resampled, not claims: those of one answer stand or
fall together.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

RESAMPLES = 2_000
SEED = 20_251_108


class Measure(msgspec.Struct, frozen=True):
    """A figure with its 95% interval; all three are None where nothing was to be measured.

    Args:
        value: Sum of the parts over the sum of the weights.
        low: Lower bound, the 2.5th percentile of the resamples.
        high: Upper bound, the 97.5th.
        n: Questions that the figure rests on.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int


def measure(parts: Sequence[tuple[float, float]], seed: int = SEED) -> Measure:
    """The ratio of sums of (part, weight) pairs, one per question; weight 0 leaves one out."""
    counted = np.array([pair for pair in parts if pair[1] > 0], dtype=np.float64).reshape(-1, 2)
    if not len(counted):
        return Measure(None, None, None, 0)
    drawn = np.random.default_rng(seed).integers(len(counted), size=(RESAMPLES, len(counted)))
    sums = counted[drawn].sum(axis=1)
    low, high = np.percentile(sums[:, 0] / sums[:, 1], [2.5, 97.5])
    value = counted[:, 0].sum() / counted[:, 1].sum()
    return Measure(_rounded(value), _rounded(low), _rounded(high), len(counted))


def _rounded(value: float) -> float:
    return round(float(value), 4)
