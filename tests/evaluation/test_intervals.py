"""Bootstrap intervals and comparisons: known values, coverage, repeatability."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.evaluation.statistics import (
    Comparison,
    IntervalEstimate,
    compare,
    compare_all,
    holm,
    ratio_estimate,
)
from localrec.foundation.errors import UsageError


def test_a_mean_is_a_ratio_with_equal_weights():
    assert ratio_estimate([(1, 1), (0, 1), (1, 1), (1, 1)]).value == 0.75


def test_a_pooled_share_weighs_by_the_number_of_claims():
    assert ratio_estimate([(1, 1), (0, 9)]).value == 0.1


def test_questions_without_weight_do_not_count():
    assert ratio_estimate([(1, 1), (0, 0)]) == IntervalEstimate(1.0, 1.0, 1.0, 1)


def test_nothing_measured_is_no_figure():
    assert ratio_estimate([(0, 0)]) == IntervalEstimate(None, None, None, 0)


def test_the_same_seed_gives_the_same_interval_and_another_seed_another():
    parts = [(value, 1) for value in np.random.default_rng(0).random(50)]
    assert ratio_estimate(parts, seed=1) == ratio_estimate(parts, seed=1)
    assert ratio_estimate(parts, seed=1) != ratio_estimate(parts, seed=2)


def test_the_interval_of_a_fair_coin_is_as_wide_as_statistics_says():
    found = ratio_estimate([(flip % 2, 1) for flip in range(100)])
    assert found.low == pytest.approx(0.402, abs=0.02)  # 0.5 - 1.96 * sqrt(0.25 / 100)
    assert found.high == pytest.approx(0.598, abs=0.02)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(5, 9)), min_size=1, max_size=30))
def test_the_value_lies_within_its_interval(parts):
    found = ratio_estimate(parts)
    assert found.low <= found.value <= found.high


def test_blocks_of_draws_do_not_change_the_interval(monkeypatch):
    parts = [(value, 1) for value in np.random.default_rng(0).random(30)]
    whole = ratio_estimate(parts)
    monkeypatch.setattr("localrec.evaluation.statistics._BLOCK_CELLS", 1_000)
    assert ratio_estimate(parts) == whole


# Two systems over the same cases


def shifted(by, spread, n=200):
    """Results of two systems: ours differs from theirs by so much and so unevenly."""
    random = np.random.default_rng(4)
    theirs = random.random(n)
    ours = theirs + random.normal(by, spread, size=n)
    return [(value, 1.0) for value in ours], [(value, 1.0) for value in theirs]


@pytest.mark.parametrize(
    ("by", "verdict"), [(0.05, "better"), (-0.05, "worse"), (0.001, "not separable")]
)
def test_a_verdict_says_what_the_cases_can_tell(by, verdict):
    found = compare(*shifted(by, 0.1))
    assert found.verdict == verdict
    assert found.difference.low <= found.difference.value <= found.difference.high
    assert found.difference.n == 200


def test_a_sure_difference_too_small_to_be_shown_is_still_a_difference():
    ours, theirs = [(0.50001, 1.0)] * 100, [(0.5, 1.0)] * 100
    found = compare(ours, theirs)
    assert (found.difference.value, found.verdict) == (0.0, "better")
    assert found.p == 0.0001  # never 0: the data as they are count among the swaps


def test_pairing_separates_what_two_intervals_would_not():
    ours, theirs = shifted(0.02, 0.05)
    assert ratio_estimate(ours).low < ratio_estimate(theirs).high
    assert compare(ours, theirs).verdict == "better"


def test_where_less_is_better_less_is_better():
    ours, theirs = shifted(-0.05, 0.1)
    assert compare(ours, theirs, rising=False).verdict == "better"
    assert compare(theirs, ours, rising=False).verdict == "worse"


def test_alike_systems_are_not_separable_and_the_test_knows_it():
    ours, _ = shifted(0.0, 0.0)
    found = compare(ours, ours)
    assert (found.difference.value, found.p, found.verdict) == (0.0, 1.0, "not separable")


def test_three_cases_prove_nothing_however_clear():
    found = compare([(1.0, 1.0)] * 3, [(0.0, 1.0)] * 3)
    assert found.difference.low == 1.0
    assert found.p == pytest.approx(0.25, abs=0.02)  # 2 of 8 ways to swap are as extreme
    assert found.verdict == "not separable"


def test_the_p_value_is_that_of_all_swaps():
    differences = np.array([0.3, 0.1, 0.4, -0.2, 0.25, 0.05, 0.15, -0.1])
    signs = np.array(list(itertools.product([1, -1], repeat=8)))
    exact = np.mean(np.abs(signs @ differences) >= differences.sum() - 1e-12)
    found = compare([(one, 1.0) for one in differences], [(0.0, 1.0)] * 8)
    assert found.p == pytest.approx(exact, abs=0.015)


def test_false_alarms_are_as_rare_as_promised():
    random = np.random.default_rng(8)
    alarms = [
        compare(
            [(value, 1.0) for value in random.random(25)],
            [(value, 1.0) for value in random.random(25)],
            seed=number,
        ).verdict
        != "not separable"
        for number in range(120)
    ]
    assert sum(alarms) <= 12  # 6 expected; 13 or more come once in 150 times


def test_pooled_shares_are_compared_by_their_weights():
    ours, theirs = [(9, 9), (0, 1)] * 20, [(0, 1), (9, 9)] * 20
    assert compare(ours, theirs).difference.value == 0.0
    assert compare([(9, 9)] * 20, [(1, 2)] * 20).difference.value == 0.5


def test_a_case_counts_where_both_systems_have_something_to_count():
    found = compare([(1, 1), (1, 0), (1, 1)], [(0, 1), (0, 1), (0, 0)])
    assert found.difference == IntervalEstimate(1.0, 1.0, 1.0, 1)


def test_nothing_to_compare_is_no_verdict():
    found = compare([(1, 0)], [(1, 1)])
    assert found == Comparison(
        difference=IntervalEstimate(None, None, None, 0),
        p=None,
        p_adjusted=None,
        verdict="not separable",
    )


def test_systems_of_different_cases_are_refused():
    with pytest.raises(UsageError, match="EASE has 1 cases of one system and 2 of the other"):
        compare_all({"EASE": ([(1, 1)], [(1, 1), (0, 1)])})


def test_holms_method_gives_the_textbook_values():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_never_makes_a_finding_surer_nor_changes_their_order(p_values):
    adjusted = holm(p_values)
    assert all(one <= after <= 1 for one, after in zip(p_values, adjusted, strict=True))
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    assert [adjusted[one] for one in order] == sorted(adjusted)


def test_comparisons_read_together_need_stronger_proof():
    weak = shifted(0.016, 0.1)
    alone = compare(*weak)
    assert alone.verdict == "better"
    others = {f"other {number}": shifted(0.0, 0.1) for number in range(9)}
    together = compare_all({"weak": weak, **others})["weak"]
    assert together.p == alone.p
    assert together.p_adjusted == pytest.approx(10 * alone.p)
    assert together.verdict == "not separable"
