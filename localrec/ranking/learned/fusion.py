"""Learn the weights of the signals from held-out interactions of the store itself.

A case is a history and the item that came next, or several that are as right. An item's score is

    s = sum over features k of w_k(h) x_k,    w_k(h) = a_k + b_k . t(h),

with x_k a reading of a signal (`features.py`) and t(h) two traits of the history, standardised and
cut at two deviations: the logarithm of its length, and how well known its items are. (Five films
that everybody saw tell little of whose neighbour somebody is.) The weights minimise the negative
logarithm of the share that the right items have in a softmax over all items, estimated from the
hardest others and evenly drawn ones that stand for the rest. Where several are right their shares
are added, since a list is good by what its head holds. Where one is right, half of the loss is its
share among 19 evenly drawn others: what an order of given candidates needs.

a_k >= 0 and |b_k| <= a_k / 4 for either trait, so no weight is ever negative: evidence that does
not help gets none, and noise is not explained by evidence that is turned around. A pull towards
default weights, worth some cases, decides where a store has few of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.ranking.learned.evidence.base import Signals
from localrec.ranking.learned.features import feature_names, features_of
from localrec.ranking.learned.held_out import HeldOut
from localrec.ranking.learned.interactions import Floats, Histories, Indexes, Mask, Offsets

Values = NDArray[np.float64]

SECOND_LOSS_NEGATIVES = 19  # others among which the second loss finds the target
HARD_NEGATIVES = 100  # others of the highest plain sums
UNIFORM_NEGATIVES = 100  # evenly drawn others that stand for the rest
CANDIDATES = 1 + HARD_NEGATIVES + UNIFORM_NEGATIVES + SECOND_LOSS_NEGATIVES
# Where the target and the others begin.
_GROUPS = (0, 1, 1 + HARD_NEGATIVES, 1 + HARD_NEGATIVES + UNIFORM_NEGATIVES)
PRIOR_STRENGTH = 10.0  # strength of the default weights, in cases
_STEPS = 300
_TOLERANCE = 1e-7
_WIDEST = 2.0  # standard deviations of a history's trait
TRAITS = 2
_SHARE_OF_FEW = 0.5  # of the loss where one item is right
_CELLS = 1 << 24  # of features held at once
_MOST_CELLS = 1 << 32  # of features that are computed for all cases: half a minute or so
_FEWEST_CASES = 500  # that are kept of them
_EVEN_ODDS = 7.0  # items of a history that is as likely in order as not

# Weights of a store without cases. Only their order of magnitude matters: some hundred cases
# outweigh them.
USUAL = {
    "popularity": 0.1,
    "popularity-liked": 0.3,
    "odds": 0.7,
    "cooccurrence-wide": 0.3,
    "item-knn-long": 0.2,
    "user-knn-liked": 0.4,
    "ease-recent": 0.2,
    "ease-liked": 0.1,
    "attributes-long": 0.2,
    "texts-long": 0.15,
}


class Traits(msgspec.Struct, frozen=True):
    """The scaling of history traits to t(h).

    Args:
        mean: Mean of each trait.
        deviation: Deviation of each trait, at least a little above 0.
    """

    mean: tuple[float, ...]
    deviation: tuple[float, ...]

    @classmethod
    def of(cls, traits: Floats) -> Traits:
        """Measure the traits of the cases, (b, 2)."""
        deviation = np.maximum(traits.std(axis=0, dtype=np.float64), 0.1)
        return cls(tuple(traits.mean(axis=0, dtype=np.float64).tolist()), tuple(deviation.tolist()))

    def standardized(self, traits: Floats) -> Floats:
        """t(h) of each history, (b, 2)."""
        deviations = (traits - np.array(self.mean)) / np.array(self.deviation)
        return np.clip(deviations, -_WIDEST, _WIDEST).astype(np.float32)


def traits_of(histories: Histories, familiarity: Floats) -> Floats:
    """Measure each history: the logarithm of its length, and its items' mean familiarity, (b, 2).

    Args:
        histories: The histories to measure.
        familiarity: Popularity of each item, 0 for the average, (items,).
    """
    lengths = histories.lengths
    sums = np.bincount(histories.request, familiarity[histories.item], len(histories))
    return np.stack([np.log1p(lengths), sums / np.maximum(lengths, 1)], axis=1).astype(np.float32)


def item_familiarity(popularity: Floats) -> Floats:
    """Compute the logarithm of each item's rows, less its mean over all rows, (items,)."""
    logs = np.log1p(popularity)
    mean = float((logs * popularity).sum() / max(1.0, float(popularity.sum())))
    return (logs - mean).astype(np.float32)


class LearnedWeights(msgspec.Struct, frozen=True, kw_only=True):
    """Weights of the features, with their dependence on the history.

    Args:
        names: Names of the signals, (k,).
        level: a_k of each.
        slope: b_k of each, for the length and for the familiarity.
        traits: The scaling of a history's traits.
        cases: The number of cases that the weights were learnt from.
        loss: Mean loss of these cases under the weights.
        usual_loss: The same under the default weights.
    """

    names: tuple[str, ...]
    level: tuple[float, ...]
    slope: tuple[tuple[float, float], ...]
    traits: Traits
    cases: int = 0
    loss: float = 0.0
    usual_loss: float = 0.0

    def of_histories(self, histories: Histories, familiarity: Floats) -> Floats:
        """Compute the weight of each feature for each history, (k, b)."""
        level = np.array(self.level, dtype=np.float32)[:, None]
        slope = np.array(self.slope, dtype=np.float32).reshape(-1, TRAITS)
        weights: Floats = (
            level + slope @ self.traits.standardized(traits_of(histories, familiarity)).T
        )
        return weights

    @property
    def used(self) -> tuple[str, ...]:
        """List the signals with a weight."""
        return tuple(n for n, level in zip(self.names, self.level, strict=True) if level > 0.0)


class FusionCases(msgspec.Struct, frozen=True):
    """Candidates of each case: the target, then hard, uniform and second-loss negatives.

    Args:
        features: (b, CANDIDATES, k).
        offsets: Logarithm of the number of items that each candidate stands for, -inf for none, (b,
            candidates).
        right: Whether each candidate is right, (b, candidates).
        traits: Traits of each history, (b, 2).
    """

    features: Floats
    offsets: Floats
    right: Mask
    traits: Floats

    def __len__(self) -> int:
        return len(self.traits)


def default_weights(names: tuple[str, ...]) -> LearnedWeights:
    """Return the weights to use where there is nothing to learn from."""
    level = tuple(USUAL.get(name, 0.0) for name in names)
    return LearnedWeights(
        names=names,
        level=level,
        slope=((0.0, 0.0),) * len(names),
        traits=Traits((0.0,) * TRAITS, (1.0,) * TRAITS),
    )


def chance_of_order(lengths: Offsets) -> Floats:
    """Estimate the probability that an undated history is in order: odds of (length / 7)^4, (b,).

    Nobody's store can tell. Someone who lists a few favourites names them as they come to mind; a
    list of some dozen items is a record that somebody kept.
    """
    odds = (lengths / _EVEN_ODDS) ** 4
    return (odds / (1.0 + odds)).astype(np.float32)


def mixed_scores(plain: Floats, in_order: Floats, chance: Floats) -> Floats:
    """Mix two readings of the same histories into the logarithm of expected shares, (b, n).

    An item comes high that either reading is sure of; a mean of scores would ask for both.

    Args:
        plain: Scores of all items by a reading without order, (b, n).
        in_order: Scores by a reading with order, (b, n).
        chance: Weight of the second reading, (b,).
    """
    with np.errstate(divide="ignore"):  # a reading of no chance takes no part
        logs = (
            plain - _softmax(plain)[0][:, None] + np.log1p(-chance)[:, None],
            in_order - _softmax(in_order)[0][:, None] + np.log(chance)[:, None],
        )
    mixed: Floats = np.logaddexp(*logs).astype(np.float32)
    return mixed


def learn_from_held_out(
    held_out: HeldOut, read: Callable[[Histories], Signals], familiarity: Floats, seed: int
) -> LearnedWeights:
    """Learn the weights of all signals from held-out cases; of many items use a sample.

    Args:
        held_out: The cases.
        read: Returns the signals of histories.
        familiarity: Popularity of each item, (items,).
        seed: Seed of the draw of candidates.
    """
    generator = np.random.default_rng(seed)
    names = feature_names(tuple(read(held_out.histories.take([]))))
    cells = max(1, len(familiarity) * len(names))  # of features, for each case
    held_out = some_cases(held_out, max(_FEWEST_CASES, _MOST_CELLS // cells), generator)
    histories, drawn = held_out.histories, []
    step = max(1, _CELLS // cells)
    for begin in range(0, len(histories), step):
        rows = np.arange(begin, min(begin + step, len(histories)))
        part = histories.take(rows)
        drawn.append(
            draw_candidates(
                features_of(read(part), names),
                held_out.targets[rows],
                [part.items_of(row) for row in range(len(part))],
                held_out.also[begin : begin + step],
                generator,
            )
        )
    if not drawn:
        return default_weights(names)
    cut, offsets, right = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
    return learn_weights(names, FusionCases(cut, offsets, right, traits_of(histories, familiarity)))


def some_cases(held_out: HeldOut, most: int, generator: np.random.Generator) -> HeldOut:
    """Draw at most this many of the cases evenly, in their order."""
    if len(held_out.targets) <= most:
        return held_out
    rows = np.sort(generator.permutation(len(held_out.targets))[:most])
    also = tuple(held_out.also[row] for row in rows.tolist())
    return HeldOut(held_out.histories.take(rows), held_out.targets[rows], also)


def draw_candidates(
    features: Floats,
    targets: Offsets,
    known: Sequence[Indexes],
    also: Sequence[Indexes],
    generator: np.random.Generator,
) -> tuple[Floats, Floats, Mask]:
    """Keep the target's features, those of the hardest others, and of some drawn evenly.

    Args:
        features: Features of all items, (k, b, items).
        targets: The item that came next in each case, (b,).
        known: Items of each history; the target is not ranked against them.
        also: Other items that are right, of each case.
        generator: Draws the even ones.

    Returns:
        Features (b, candidates, k), offsets and right candidates (b, candidates), as in
        `FusionCases`.
    """
    signals, cases, items = features.shape
    cut = np.zeros((cases, CANDIDATES, signals), dtype=np.float32)
    offsets = np.full((cases, CANDIDATES), -np.inf, dtype=np.float32)
    right = np.zeros((cases, CANDIDATES), dtype=bool)
    sums = features.sum(axis=0)
    for case in range(cases):
        free = np.ones(items, dtype=bool)
        free[known[case]] = False
        free[targets[case]] = False
        others = np.flatnonzero(free)
        hard_count = min(HARD_NEGATIVES, len(others) // 2)
        order = np.argsort(-sums[case, others], kind="stable")
        hard, rest = others[order[:hard_count]], others[order[hard_count:]]
        even = generator.permutation(rest)[:UNIFORM_NEGATIVES]
        few = generator.permutation(np.setdiff1d(others, also[case]))[:SECOND_LOSS_NEGATIVES]
        chosen = (np.array([targets[case]]), hard, even, few)
        stands_for = (1.0, 1.0, len(rest) / max(1, len(even)), 1.0)
        for begin, group, worth in zip(_GROUPS, chosen, stands_for, strict=True):
            places = slice(begin, begin + len(group))
            cut[case, places] = features[:, case, group].T
            offsets[case, places] = np.log(worth)
            right[case, places] = np.isin(group, also[case])
    right[:, 0] = True
    return cut, offsets, right


def learn_weights(
    names: tuple[str, ...], cases: FusionCases, strength: float = PRIOR_STRENGTH
) -> LearnedWeights:
    """Minimise the loss of the cases by accelerated projected gradient steps.

    Args:
        names: Names of the features, on the last axis.
        cases: The cases to learn from.
        strength: Strength of the default weights, in cases.
    """
    usual = default_weights(names)
    if not len(cases):
        return usual
    traits = Traits.of(cases.traits)
    objective = _Objective(cases, traits, np.array(usual.level), strength)
    start = np.concatenate([objective.usual, np.zeros(TRAITS * len(names))])
    learnt = _minimize(objective, start)
    return LearnedWeights(
        names=names,
        level=tuple(learnt[: len(names)].tolist()),
        slope=tuple(zip(*learnt[len(names) :].reshape(TRAITS, -1).tolist(), strict=True)),
        traits=traits,
        cases=len(cases),
        loss=objective.loss(learnt),
        usual_loss=objective.loss(start),
    )


class _Objective:
    """The loss, its gradient, and the constraints of the weights."""

    def __init__(self, cases: FusionCases, traits: Traits, usual: Values, strength: float) -> None:
        self.usual = usual
        self._pull = strength / len(cases)
        self._features = cases.features
        several = bool((cases.right.sum(axis=1) > 1).any())
        self._share_of_few = 0.0 if several else _SHARE_OF_FEW
        self._wrong = np.where(cases.right, np.float32(0.0), np.float32(-np.inf))
        self._t = traits.standardized(cases.traits)
        drawn = np.arange(CANDIDATES) >= _GROUPS[-1]
        self._offsets = np.where(drawn, np.float32(-np.inf), cases.offsets)
        few = drawn | (np.arange(CANDIDATES) == 0)
        self._few_offsets = np.where(few, cases.offsets, np.float32(-np.inf))

    def loss(self, weights: Values) -> float:
        """Compute the loss without regularisation."""
        return self._evaluate(weights)[0]

    def __call__(self, weights: Values) -> tuple[float, Values]:
        """Compute the regularised loss and its gradient."""
        value, gradient = self._evaluate(weights)
        signals = len(self.usual)
        away = weights - np.concatenate([self.usual, np.zeros(TRAITS * signals)])
        return value + self._pull * float(away @ away), gradient + 2.0 * self._pull * away

    def project(self, weights: Values) -> Values:
        """Project weights to the nearest allowed ones, the level first."""
        signals = len(self.usual)
        level = np.maximum(weights[:signals], 0.0)
        most = np.tile(level / (TRAITS * _WIDEST), TRAITS)
        slope = np.clip(weights[signals:], -most, most)
        return np.concatenate([level, slope])

    def _evaluate(self, weights: Values) -> tuple[float, Values]:
        signals = len(self.usual)
        slope = weights[signals:].reshape(TRAITS, signals)
        own = (weights[:signals] + self._t @ slope).astype(np.float32)
        scores = np.matmul(self._features, own[:, :, None])[:, :, 0]
        value, pull = 0.0, np.zeros_like(scores)
        for offsets, share in (
            (self._offsets, 1.0 - self._share_of_few),
            (self._few_offsets, self._share_of_few),
        ):
            logits = scores + offsets
            whole, shares = _softmax(logits)
            part, right = _softmax(logits + self._wrong)
            value += share * float(np.mean(whole - part, dtype=np.float64))
            pull += share * (shares - right)
        each = np.matmul(pull[:, None, :], self._features)[:, 0] / len(scores)  # (b, k)
        slopes = (self._t.T @ each).ravel()
        return value, np.concatenate([each.sum(axis=0), slopes]).astype(np.float64)


def _softmax(logits: Floats) -> tuple[Floats, Floats]:
    """Return the logarithm of the sum of exponentials of each row (b,), and the softmax."""
    highest = logits.max(axis=1, keepdims=True)
    exponentials = np.exp(logits - highest)
    total = exponentials.sum(axis=1, keepdims=True)
    logs: Floats = (np.log(total) + highest)[:, 0]
    return logs, exponentials / total


def _minimize(objective: _Objective, start: Values) -> Values:
    """Run FISTA with backtracking, restarted where the value rises."""
    weights = objective.project(start)
    ahead, momentum, step = weights, 1.0, 1.0
    best, _ = objective(weights)
    for _ in range(_STEPS):
        value, gradient = objective(ahead)
        while True:
            moved = objective.project(ahead - step * gradient)
            difference = moved - ahead
            found, _ = objective(moved)
            bound = value + gradient @ difference + difference @ difference / (2.0 * step)
            if found <= bound + 1e-9 or step < 1e-6:
                break
            step *= 0.5
        if found > best:
            if momentum == 1.0:
                break
            ahead, momentum = weights, 1.0
            continue
        done = best - found < _TOLERANCE * max(1.0, abs(best))
        following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        ahead = moved + (momentum - 1.0) / following * (moved - weights)
        ahead = objective.project(ahead)
        weights, best, momentum = moved, found, float(following)
        step *= 1.1
        if done:
            break
    return weights
