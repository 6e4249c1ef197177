"""A person inclines a question's answer: its head is reordered, nothing is added or lost."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.graph.user_profile import UserProfile, profile_from_keys
from localrec.retrieval.personalize import exclude_disliked, personalize
from localrec.retrieval.search_query import RankedItems, SearchParams

NOTHING = np.zeros(50, dtype=bool)


@pytest.fixture(scope="module")
def catalogue(bar):
    return bar.catalogue


def retrieve_in_order(count):
    def retrieve(query, pool, setting):
        items = np.arange(count, dtype=np.int32)
        return RankedItems(items, np.linspace(1, 0, count, dtype=np.float32))

    return retrieve


def asked(count, scores, k=3):
    retriever = personalize(retrieve_in_order(count), np.asarray(scores, dtype=np.float32))
    return retriever(None, NOTHING, SearchParams(k=k)).items.tolist()


@given(
    count=st.integers(0, 50),
    k=st.integers(1, 15),
    scores=st.lists(st.floats(-5, 5), min_size=50, max_size=50),
)
def test_only_the_head_is_reordered(count, k, scores):
    found = asked(count, scores, k)
    head = 4 * k
    assert sorted(found) == list(range(count))
    assert sorted(found[:head]) == list(range(count))[:head]
    assert found[head:] == list(range(count))[head:]


def test_scores_go_with_their_items():
    scores = np.random.default_rng(1).normal(size=50).astype(np.float32)
    plain = retrieve_in_order(20)(None, NOTHING, SearchParams(k=3))
    found = personalize(retrieve_in_order(20), scores)(None, NOTHING, SearchParams(k=3))
    told = dict(zip(plain.items.tolist(), plain.scores.tolist(), strict=True))
    assert dict(zip(found.items.tolist(), found.scores.tolist(), strict=True)) == told


def test_what_fits_moves_up_and_what_does_not_moves_down():
    likes_the_fourth = np.zeros(50)
    likes_the_fourth[3] = 1.0
    found = asked(12, likes_the_fourth)
    assert found.index(3) < 3
    hates_the_first = np.zeros(50)
    hates_the_first[0] = -1.0
    assert asked(12, hates_the_first).index(0) > 0


def test_the_question_stays_in_charge():
    likes_the_last = np.zeros(50)
    likes_the_last[11] = 1.0
    assert asked(12, likes_the_last)[0] == 0


@given(scores=st.lists(st.integers(-100, 100), min_size=50, max_size=50), k=st.integers(1, 5))
def test_only_the_order_of_scores_counts_so_evidence_may_be_on_any_scale(scores, k):
    on_another = 3.0 * np.exp(np.array(scores) / 50) - 1000
    assert asked(50, on_another, k) == asked(50, scores, k)


def test_a_person_of_one_opinion_changes_nothing():
    assert asked(12, np.full(50, 0.7)) == list(range(12))


class TestWhatIsBearable:
    @pytest.mark.parametrize(
        ("stars", "stays"), [(0.5, False), (2.0, False), (2.5, True), (3.0, True), (5.0, True)]
    )
    def test_is_all_but_what_was_given_two_stars_or_fewer(self, catalogue, stars, stays):
        user_profile = profile_from_keys(["negroni"], catalogue, [stars])
        kept = exclude_disliked(user_profile, catalogue.every())
        assert kept[catalogue.item_index("negroni")] == stays
        assert kept.sum() == 16 + stays

    def test_is_not_what_was_put_off(self, catalogue):
        hidden = catalogue.none()
        hidden[2] = True
        nothing = profile_from_keys((), catalogue)
        user_profile = UserProfile(
            nothing.items, nothing.strengths, nothing.stars, nothing.known, hidden
        )
        assert np.flatnonzero(~exclude_disliked(user_profile, catalogue.every())).tolist() == [2]

    @given(
        pool=st.lists(st.booleans(), min_size=17, max_size=17),
        stars=st.lists(st.sampled_from([0.5, 2.0, 3.0, 5.0]), min_size=17, max_size=17),
    )
    def test_never_empties_a_pool_nor_adds_to_it(self, catalogue, pool, stars):
        pool = np.array(pool)
        kept = exclude_disliked(profile_from_keys(catalogue.keys, catalogue, stars), pool)
        assert not (kept & ~pool).any()
        assert kept.any() == pool.any()
        if kept.any() and not np.array_equal(kept, pool):
            assert all(stars[item] > 2.0 for item in np.flatnonzero(kept))
