"""Weights of several kinds of evidence are found from what was taken."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.memory.fusion import FusionWeights, fit_weights, standardized


@pytest.fixture
def planted():
    """2,000 cases of 10 candidates, taken by chance with known weights for three kinds."""
    generator = np.random.default_rng(3)
    evidence = generator.normal(size=(2_000, 10, 3)) * [1.0, 50.0, 0.01] + [5.0, 0.0, -3.0]
    values = standardized(np.moveaxis(evidence, 2, 1)).swapaxes(1, 2)
    noise = generator.gumbel(size=values.shape[:2])
    return values, np.argmax(values @ [1.5, 0.5, 0.0] + noise, axis=1)


def test_weights_are_found_whatever_the_scale_of_a_kind(planted):
    evidence, taken = planted
    found = fit_weights(["strong", "weak", "none"], evidence, taken, l2=0.0)
    assert found.cases == 2_000
    assert found.weights["strong"] == pytest.approx(1.5, abs=0.15)
    assert found.weights["weak"] == pytest.approx(0.5, abs=0.1)
    assert found.weights["none"] == pytest.approx(0.0, abs=0.1)


def test_the_fit_is_at_the_bottom_of_the_loss(planted):
    evidence, taken = planted
    kinds = ["a", "b", "c"]
    found = fit_weights(kinds, evidence, taken)

    def loss(weights):
        logits = evidence @ weights
        chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        own = chances[np.arange(len(taken)), taken]
        return -np.log(own).mean() + 1e-3 * np.sum(np.square(weights))

    best = np.array([found.weights[kind] for kind in kinds])
    for nudge in np.vstack([np.eye(3), -np.eye(3)]) * 0.02:
        assert loss(best) < loss(best + nudge)


def test_kinds_that_always_tell_the_taken_one_do_not_run_away():
    evidence = np.zeros((50, 5, 1))
    evidence[:, 2, 0] = 1.0
    found = fit_weights(["sure"], evidence, np.full(50, 2))
    assert 1.0 < found.weights["sure"] < 100.0


def test_nothing_to_fit_on_gives_weights_of_0():
    found = fit_weights(["a"], np.zeros((0, 4, 1)), np.zeros(0))
    assert found == FusionWeights(weights={"a": 0.0}, cases=0)


def test_a_sum_counts_only_kinds_with_a_weight():
    weights = FusionWeights(weights={"near": 2.0, "absent": 9.0})
    fused = weights.fuse({"near": [1.0, 2.0, 3.0], "unweighted": [9.0, 0.0, 0.0]})
    assert np.argsort(-fused).tolist() == [2, 1, 0]
    assert fused.mean() == pytest.approx(0.0)


def test_a_kind_that_says_the_same_of_all_says_nothing():
    assert standardized(np.array([4.0, 4.0, 4.0])).tolist() == [0.0, 0.0, 0.0]


def test_what_is_not_known_counts_as_the_least_known():
    values = standardized(np.array([1.0, -np.inf, 3.0, np.nan]))
    assert values[1] == values[3] == values[0] == values.min()
    assert standardized(np.array([-np.inf, np.nan])).tolist() == [0.0, 0.0]


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=20),
    st.floats(0.001, 1000),
    st.floats(-1000, 1000),
)
def test_scale_and_origin_of_a_kind_do_not_matter(values, factor, shift):
    one = np.array(values)
    if one.std() < 1e-3 * max(1.0, np.abs(one).max()):
        return
    assert standardized(one * factor + shift) == pytest.approx(standardized(one), abs=1e-4)
