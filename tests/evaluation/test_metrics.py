"""Each measure against a reading of its definition by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.evaluation.ranking.metrics import (
    TiedRanks,
    attribute_distance,
    average_precision,
    capped_recall,
    coverage,
    faults_of,
    genre_shares,
    hit_rate,
    hit_rates,
    hits_of,
    intra_list_diversity,
    miscalibration,
    ndcg,
    ndcgs,
    novelty,
    precision,
    recall,
    reciprocal_rank,
    reciprocal_ranks,
    tied_ranks,
)
from localrec.foundation.errors import UsageError

LISTS = st.lists(st.booleans(), max_size=12).map(lambda told: np.array(told, dtype=bool))


def test_hits_are_the_ranks_of_what_is_relevant():
    assert hits_of(["a", "b", "c"], ["c", "a", "z"]).tolist() == [True, False, True]
    assert hits_of([], ["a"]).tolist() == []


@pytest.mark.parametrize(
    ("hits", "relevant", "k", "expected"),
    [
        ([1, 0, 0], 1, 3, 1.0),
        ([0, 1, 0], 1, 3, 1 / math.log2(3)),
        ([0, 0, 1], 1, 2, 0.0),
        ([1, 0, 1], 2, 3, (1 + 1 / 2) / (1 + 1 / math.log2(3))),
        ([1, 1], 5, 2, 1.0),
        ([1], 5, 3, 1 / (1 + 1 / math.log2(3) + 1 / 2)),
        ([0, 0], 0, 2, 0.0),
        ([1], 1, 0, 0.0),
        ([], 1, 5, 0.0),
    ],
)
def test_ndcg_discounts_by_the_logarithm_of_the_rank(hits, relevant, k, expected):
    assert ndcg(np.array(hits, dtype=bool), relevant, k) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("hits", "relevant", "k", "expected"),
    [([1, 0, 1], 4, 3, 2 / 3), ([1, 0, 1], 2, 2, 0.5), ([1], 0, 1, 0.0), ([1, 1], 8, 2, 1.0)],
)
def test_capped_recall_is_the_share_of_what_k_places_can_hold(hits, relevant, k, expected):
    assert capped_recall(np.array(hits, dtype=bool), relevant, k) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("hits", "relevant", "k", "expected"),
    [([1, 0, 1], 4, 3, 0.5), ([1, 0, 1], 2, 2, 0.5), ([1], 0, 1, 0.0), ([1, 1], 8, 2, 0.25)],
)
def test_recall_is_the_share_of_all_that_is_relevant(hits, relevant, k, expected):
    assert recall(np.array(hits, dtype=bool), relevant, k) == pytest.approx(expected)


@pytest.mark.parametrize(("hits", "k", "expected"), [([0, 1], 1, 0), ([0, 1], 2, 1), ([], 3, 0)])
def test_the_hit_rate_asks_for_any(hits, k, expected):
    assert hit_rate(np.array(hits, dtype=bool), k) == expected


@pytest.mark.parametrize(("hits", "expected"), [([0, 0, 1, 1], 1 / 3), ([1], 1), ([0], 0), ([], 0)])
def test_the_reciprocal_rank_is_of_the_first(hits, expected):
    assert reciprocal_rank(np.array(hits, dtype=bool)) == pytest.approx(expected)


@given(hits=LISTS, more=st.integers(0, 5), k=st.integers(0, 15))
def test_all_lie_between_nothing_and_one(hits, more, k):
    relevant = int(hits.sum()) + more
    measures = [
        ndcg(hits, relevant, k),
        recall(hits, relevant, k),
        capped_recall(hits, relevant, k),
        average_precision(hits, relevant, k),
        hit_rate(hits, k),
        reciprocal_rank(hits, k),
    ]
    assert all(0.0 <= one <= 1.0 + 1e-12 for one in [*measures, reciprocal_rank(hits)])


@given(hits=LISTS.filter(lambda told: len(told) > 1), k=st.integers(1, 12))
def test_a_hit_that_moves_up_never_costs(hits, k):
    relevant = int(hits.sum())
    better = np.array(sorted(hits, reverse=True), dtype=bool)
    assert ndcg(better, relevant, k) >= ndcg(hits, relevant, k) - 1e-12
    assert recall(better, relevant, k) >= recall(hits, relevant, k)
    assert average_precision(better, relevant, k) >= average_precision(hits, relevant, k) - 1e-12
    assert reciprocal_rank(better) >= reciprocal_rank(hits)


def test_an_item_named_twice_is_hit_once():
    hits = hits_of(["a", "a", "b", "a"], ["a", "b"])
    assert hits.tolist() == [True, False, True, False]
    assert recall(hits, 2, 4) == 1.0


def test_precision_counts_the_places_that_a_short_list_lacks():
    assert precision(np.array([True, True]), 4) == 0.5


@pytest.mark.parametrize(
    ("hits", "relevant", "k", "expected"),
    [
        ([1, 0, 1], 2, None, (1 + 2 / 3) / 2),
        ([1, 0, 1], 2, 2, 1 / 2),
        ([1, 0, 1], 5, 3, (1 + 2 / 3) / 5),
        ([0, 0], 0, 2, 0.0),
    ],
)
def test_average_precision_is_over_all_that_is_relevant(hits, relevant, k, expected):
    found = average_precision(np.array(hits, dtype=bool), relevant, k)
    assert found == pytest.approx(expected)


def test_the_reciprocal_rank_at_k_ends_at_k():
    assert reciprocal_rank(np.array([False, False, True]), k=2) == 0.0


# Many cases at once


def test_a_positive_stands_behind_everything_that_scores_more():
    scores = np.array([[0.1, 0.9, 0.5], [3.0, 2.0, 1.0]])
    places = tied_ranks(scores, np.array([2, 0]))
    assert places.first.tolist() == [2, 1]
    assert places.tied.tolist() == [1, 1]


@given(
    rows=st.lists(st.lists(st.integers(0, 3), min_size=6, max_size=6), min_size=1, max_size=8).map(
        lambda told: np.array(told, dtype=np.float32)
    ),
    k=st.integers(1, 8),
)
def test_ties_count_as_the_mean_over_all_their_orders(rows, k):
    positive = np.arange(len(rows)) % rows.shape[1]
    places = tied_ranks(rows, positive)
    for case, row in enumerate(rows):
        ahead, tied = (row > row[positive[case]]).sum(), (row == row[positive[case]]).sum()
        orders = [np.arange(6) == ahead + place for place in range(tied)]
        for all_at_once, one in (
            (hit_rates(places, k), [hit_rate(hits, k) for hits in orders]),
            (ndcgs(places, k), [ndcg(hits, 1, k) for hits in orders]),
            (reciprocal_ranks(places, k), [reciprocal_rank(hits, k) for hits in orders]),
            (reciprocal_ranks(places), [reciprocal_rank(hits) for hits in orders]),
        ):
            assert all_at_once[case] == pytest.approx(np.mean(one), abs=1e-12)


@pytest.mark.parametrize("candidates", [10, 19, 20, 1_000])
def test_a_constant_scorer_gets_what_chance_gets(candidates):
    places = tied_ranks(np.full((5, candidates), 7.0), np.arange(5))
    assert hit_rates(places, 10) == pytest.approx(10 / candidates)
    assert places.first.tolist() == [1] * 5
    assert places.tied.tolist() == [candidates] * 5


@pytest.mark.parametrize("score", [np.nan, -np.inf])
def test_a_positive_that_was_not_ranked_is_worth_nothing(score):
    places = tied_ranks(np.array([[score, score, 1.0]]), np.array([0]))
    assert places.first.tolist() == [0]
    assert hit_rates(places, 3).tolist() == [0.0]
    assert reciprocal_ranks(places).tolist() == [0.0]


def test_candidates_that_were_not_ranked_stand_behind_the_positive():
    places = tied_ranks(np.array([[np.nan, -np.inf, 0.0, 1.0]]), np.array([2]))
    assert places.first.tolist() == [2]


def test_ranks_read_off_lists_need_no_scores():
    places = TiedRanks.at(np.array([1, 3, 0]))
    assert ndcgs(places, 2).tolist() == [1.0, 0.0, 0.0]
    assert reciprocal_ranks(places) == pytest.approx([1, 1 / 3, 0])


def test_blocks_of_cases_do_not_change_their_places(monkeypatch):
    random = np.random.default_rng(3)
    scores, positive = random.integers(9, size=(50, 7)).astype(float), random.integers(7, size=50)
    whole = tied_ranks(scores, positive)
    monkeypatch.setattr("localrec.evaluation.ranking.metrics._BLOCK_CELLS", 20)
    parted = tied_ranks(scores, positive)
    assert whole.first.tolist() == parted.first.tolist()
    assert whole.tied.tolist() == parted.tied.tolist()


@pytest.mark.parametrize("positive", [[0], [0, 3], [0, -1]])
def test_a_case_without_a_column_for_its_positive_is_refused(positive):
    with pytest.raises(UsageError, match=r"need a positive in 0\.\.2 for each row"):
        tied_ranks(np.zeros((2, 3)), np.array(positive))


def test_no_case_has_no_place():
    assert hit_rates(tied_ranks(np.zeros((0, 3)), np.zeros(0, dtype=int)), 2).shape == (0,)


# The lists themselves


def test_coverage_counts_each_item_once():
    assert coverage([np.array([0, 1]), np.array([1]), np.array([], dtype=int)], items=4) == 0.5


def test_novelty_is_the_mean_of_the_bits_that_items_say():
    owners = np.array([8, 4, 1, 0])  # of 8 people: 0, 1, 3 and, as if one had it, 3 bits
    lists = [np.array([0, 1]), np.array([1, 2, 3]), np.array([], dtype=int)]
    found = novelty(lists, owners, users=8)
    assert found[:2] == pytest.approx([0.5, 7 / 3])
    assert np.isnan(found[2])


def test_diversity_is_the_mean_distance_over_pairs():
    sets = [{"a", "b"}, {"b", "c"}, {"a", "b"}, set(), set()]
    lists = [np.array(one) for one in ([0, 2], [0, 1], [0, 1, 2], [3, 4], [3, 0], [1])]
    found = intra_list_diversity(lists, attribute_distance(sets))
    assert found[:5] == pytest.approx([0, 2 / 3, 4 / 9, 0, 1])
    assert np.isnan(found[5])


@given(st.lists(st.sets(st.integers(0, 20)), min_size=2, max_size=6))
def test_the_distance_of_sets_is_one_minus_jaccard(sets):
    left, right = np.triu_indices(len(sets), k=1)
    expected = [
        1 - len(sets[a] & sets[b]) / len(sets[a] | sets[b]) if sets[a] | sets[b] else 0.0
        for a, b in zip(left, right, strict=True)
    ]
    assert attribute_distance(sets)(left, right) == pytest.approx(expected)


GENRES = np.array([[1, 0], [0, 1], [0.5, 0.5], [0, 0]])


def test_genre_shares_leave_out_items_of_unknown_genre():
    found = genre_shares([np.array([0, 2, 3]), np.array([3])], GENRES)
    assert found[0] == pytest.approx([0.75, 0.25])
    assert np.isnan(found[1]).all()


def test_calibration_is_the_divergence_from_ones_own_mix():
    history = np.array([[0.7, 0.3], [0.7, 0.3], [1.0, 0.0], [np.nan, np.nan]])
    listed = np.array([[0.7, 0.3], [1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    found = miscalibration(history, listed)
    only_one = 0.7 * np.log(0.7 / (0.99 + 0.007)) + 0.3 * np.log(0.3 / 0.003)
    assert found[:3] == pytest.approx([0.0, only_one, np.log(100)])
    assert np.isnan(found[3])


@pytest.mark.parametrize(
    ("answer", "faults"),
    [
        (["a", "b"], ()),
        (None, ("failed",)),
        ([], ("empty",)),
        (["a", "z"], ("unknown", "short")),
        (["a", "b", "a"], ("repeated",)),
        (["a", "a"], ("repeated", "short")),
        (["b", "a", "z", "z"], ("unknown", "repeated")),
    ],
)
def test_every_fault_of_an_answer_is_named(answer, faults):
    assert faults_of(answer, {"a", "b", "c"}, wanted=2) == faults


def test_nothing_is_a_sound_answer_where_nothing_was_wanted():
    assert faults_of([], {"a"}, wanted=0) == ()
