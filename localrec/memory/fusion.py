"""Fuse several kinds of evidence into one ranking by a weighted sum with fitted weights.

The values of every kind are scaled to mean 0 and deviation 1 over all items (a kind with equal
values has no effect), weighted and summed. The weights maximise the likelihood of the chosen item
under a softmax over the candidates (list-wise logistic regression: McFadden 1974, ListNet with one
relevant item), with `l2` regularisation. There is one optimum, so nothing is drawn at random and
the same data gives the same weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

Values = NDArray[np.float64]

_L2 = 1e-3
_STEPS = 50
_GOOD_ENOUGH = 1e-9  # of the loss
_HALVINGS = 30


class FusionWeights(msgspec.Struct, frozen=True, kw_only=True):
    """The weight of each kind of evidence, and the data of the fit.

    Args:
        weights: Kind -> weight.
        cases: Cases they were fitted on; 0: they came with localrec.
    """

    weights: dict[str, float]
    cases: int = 0

    def fuse(self, evidence: Mapping[Any, ArrayLike]) -> Values:
        """Compute one score for each item, (n,); kinds without a weight do not count.

        Args:
            evidence: Kind -> the values of all items, (n,); -inf or NaN: nothing is known.
        """
        length = len(np.asarray(next(iter(evidence.values()))))
        total = np.zeros(length)
        for kind, weight in self.weights.items():
            if kind in evidence:
                total += weight * standardized(np.asarray(evidence[kind], dtype=np.float64))
        return total


def standardized(values: Values) -> Values:
    """Scale to mean 0 and deviation 1 along the last axis; unknown values count as the least."""
    known = np.isfinite(values)
    least = np.min(np.where(known, values, np.inf), axis=-1, keepdims=True)
    filled = np.where(known, values, np.where(np.isfinite(least), least, 0.0))
    centred = filled - filled.mean(axis=-1, keepdims=True)
    deviation = centred.std(axis=-1, keepdims=True)
    return np.where(deviation > 0, centred / np.where(deviation > 0, deviation, 1.0), 0.0)


def fit_weights(
    kinds: Sequence[str], evidence: ArrayLike, taken: ArrayLike, *, l2: float = _L2
) -> FusionWeights:
    """Fit the weights by Newton's method.

    Args:
        kinds: Names of the last axis, in order.
        evidence: Values of some candidates, `standardised` before over all items, (cases,
            candidates, kinds).
        taken: Place of the candidate that was taken, (cases,).
        l2: Strength of the pull of the weights to 0.
    """
    values = np.asarray(evidence, dtype=np.float64)
    places = np.asarray(taken, dtype=np.int64)
    weights: Values = np.zeros(len(kinds))
    if not len(places):
        return FusionWeights(weights=dict.fromkeys(kinds, 0.0))
    loss = _loss(values, places, weights, l2)
    for _ in range(_STEPS):
        gradient, curvature = _derivatives(values, places, weights, l2)
        step = np.linalg.solve(curvature, gradient).astype(np.float64)
        scale, better = _descend(values, places, weights, step, loss, l2)
        weights -= scale * step
        done, loss = loss - better < _GOOD_ENOUGH, better
        if done:
            break
    return FusionWeights(
        weights={kind: round(float(one), 4) for kind, one in zip(kinds, weights, strict=True)},
        cases=len(places),
    )


def _descend(
    values: Values,
    places: NDArray[np.int64],
    weights: Values,
    step: Values,
    loss: float,
    l2: float,
) -> tuple[float, float]:
    """Halve a step until it lowers the loss; return the step and the loss."""
    scale = 1.0
    for _ in range(_HALVINGS):
        reached = _loss(values, places, weights - scale * step, l2)
        if reached <= loss:
            return scale, reached
        scale /= 2
    return 0.0, loss


def _loss(values: Values, places: NDArray[np.int64], weights: Values, l2: float) -> float:
    logits = values @ weights
    highest = logits.max(axis=1)
    norm = highest + np.log(np.exp(logits - highest[:, None]).sum(axis=1))
    own = logits[np.arange(len(places)), places]
    return float((norm - own).mean() + l2 * (weights @ weights))


def _derivatives(
    values: Values, places: NDArray[np.int64], weights: Values, l2: float
) -> tuple[Values, Values]:
    """Return gradient (kinds,) and curvature (kinds, kinds) of the loss."""
    logits = values @ weights
    chances = np.exp(logits - logits.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    expected = np.einsum("bc,bck->bk", chances, values)
    own = values[np.arange(len(places)), places]
    gradient = (expected - own).mean(axis=0) + 2 * l2 * weights
    spread = np.einsum("bc,bck,bcl->kl", chances, values, values) - expected.T @ expected
    return gradient, spread / len(places) + 2 * l2 * np.eye(len(weights))
