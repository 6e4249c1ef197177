"""Bootstrap intervals: known values, coverage, repeatability."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.evaluation.intervals import Measure, measure


def test_a_mean_is_a_ratio_with_equal_weights():
    assert measure([(1, 1), (0, 1), (1, 1), (1, 1)]).value == 0.75


def test_a_pooled_share_weighs_by_the_number_of_claims():
    assert measure([(1, 1), (0, 9)]).value == 0.1


def test_questions_without_weight_do_not_count():
    assert measure([(1, 1), (0, 0)]) == Measure(1.0, 1.0, 1.0, 1)


def test_nothing_measured_is_no_figure():
    assert measure([(0, 0)]) == Measure(None, None, None, 0)


def test_the_same_seed_gives_the_same_interval_and_another_seed_another():
    parts = [(value, 1) for value in np.random.default_rng(0).random(50)]
    assert measure(parts, seed=1) == measure(parts, seed=1)
    assert measure(parts, seed=1) != measure(parts, seed=2)


def test_the_interval_of_a_fair_coin_is_as_wide_as_statistics_says():
    found = measure([(flip % 2, 1) for flip in range(100)])
    assert found.low == pytest.approx(0.402, abs=0.02)  # 0.5 - 1.96 * sqrt(0.25 / 100)
    assert found.high == pytest.approx(0.598, abs=0.02)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(5, 9)), min_size=1, max_size=30))
def test_the_value_lies_within_its_interval(parts):
    found = measure(parts)
    assert found.low <= found.value <= found.high
