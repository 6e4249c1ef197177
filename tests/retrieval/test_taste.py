"""A history becomes strengths: the newest verdict counts, and "not now" is no verdict."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.data.rows import Event
from localrec.graph.interactions import UserHistory
from localrec.graph.user_profile import (
    merge_profiles,
    preference_of_rating,
    profile_from_history,
    profile_from_keys,
)

NOW = datetime(2026, 6, 1)
HALF_STARS = [half / 2 for half in range(1, 11)]


@pytest.fixture(scope="module")
def catalogue(bar):
    return bar.catalogue


def interactions_of(catalogue, *told):
    """Interactions of (key or node id, event, rating, days ago, times), oldest first."""
    rows = [(*one, *(None, None, 1)[len(one) - 2 :]) for one in told]
    ids = [
        catalogue.node_ids[catalogue.item_index(key)] if isinstance(key, str) else key
        for key, *_ in rows
    ]
    never = np.datetime64("NaT")
    at = [never if ago is None else np.datetime64(NOW - timedelta(days=ago)) for *_, ago, _ in rows]
    return UserHistory(
        items=np.array(ids, dtype=np.int64),
        events=np.array([str(row[1]) for row in rows], dtype=object),
        ratings=np.array([np.nan if row[2] is None else row[2] for row in rows], dtype=np.float32),
        at=np.array(at, dtype="datetime64[us]"),
        times=np.array([row[4] for row in rows], dtype=np.int32),
    )


def user_profile(catalogue, *told):
    return profile_from_history(interactions_of(catalogue, *told), catalogue, NOW)


def strength(catalogue, *told):
    (one,) = user_profile(catalogue, *told).strengths
    return float(one)


class TestStars:
    def test_rise_with_strength(self):
        strengths = [preference_of_rating(stars) for stars in HALF_STARS]
        assert strengths == sorted(set(strengths))
        assert (strengths[0], strengths[-1]) == (-1.0, 1.0)

    @given(one=st.floats(0.5, 5), other=st.floats(0.5, 5))
    def test_in_any_order_and_within_bounds(self, one, other):
        low, high = sorted([one, other])
        assert -1.0 <= preference_of_rating(low) <= preference_of_rating(high) <= 1.0

    def test_in_the_middle_say_nothing(self):
        assert preference_of_rating(2.75) == 0.0


class TestTheNewestVerdict:
    def test_as_a_heart_beside_good_stars_leaves_them_and_beside_bad_ones_does_not(self, catalogue):
        key = catalogue.keys[0]
        good = user_profile(
            catalogue, (key, Event.RATED, 4.5, 9, 1), (key, Event.LIKED, None, 3, 1)
        )
        bad = user_profile(catalogue, (key, Event.RATED, 1.0, 9, 1), (key, Event.LIKED, None, 3, 1))
        assert (good.stars.tolist(), good.strengths.tolist()) == ([4.5], [1.0])
        assert np.isnan(bad.stars).all() and bad.strengths.tolist() == [1.0]

    @pytest.mark.parametrize(
        ("told", "expected"),
        [
            ([("liked",)], 1.0),
            ([("disliked",)], -1.0),
            ([("abandoned",)], -0.5),
            ([("liked",), ("abandoned",)], -0.5),
            ([("abandoned",), ("rated", 4.5)], pytest.approx(7 / 9)),
            ([("liked",), ("disliked",)], -1.0),
            ([("disliked",), ("rated", 5.0)], 1.0),
            ([("rated", 5.0), ("rated", 0.5)], -1.0),
            ([("rated", 5.0), ("seen",)], 1.0),
            ([("rated", 0.5), ("played", None, 1, 900)], -1.0),
            ([("seen",)], 0.3),
            ([("wanted",)], 0.4),
            ([("seen",), ("wanted",)], 0.4),
            ([("wanted",), ("seen",)], 0.4),
            ([("played", None, None, 1)], 0.3),
            ([("played", None, None, 4)], 0.65),
            ([("played", None, None, 16)], 1.0),
            ([("played", None, None, 9_000)], 1.0),
        ],
    )
    def test_counts_and_what_is_none_says_a_little(self, catalogue, told, expected):
        rows = [("gimlet", *one) for one in told]
        assert strength(catalogue, *rows) == pytest.approx(expected)

    def test_takes_stars_that_were_given_before(self, catalogue):
        assert np.isnan(
            user_profile(catalogue, ("negroni", "rated", 5.0), ("negroni", "disliked")).stars
        )
        assert user_profile(
            catalogue, ("negroni", "disliked"), ("negroni", "rated", 4.0)
        ).stars == [4.0]

    def test_leaves_each_item_once(self, catalogue):
        told = user_profile(
            catalogue, ("negroni", "liked"), ("mojito", "seen"), ("negroni", "rated", 3.0)
        )
        assert len(told) == 2
        assert [catalogue.keys[item] for item in told.items] == ["negroni", "mojito"]


class TestNotNow:
    @pytest.mark.parametrize(("ago", "hidden"), [(0, True), (29, True), (31, False)])
    def test_hides_for_thirty_days(self, catalogue, ago, hidden):
        told = user_profile(catalogue, ("negroni", "later", None, ago))
        item = catalogue.item_index("negroni")
        assert told.hidden[item] == told.known[item] == hidden
        assert told.hidden.sum() == hidden

    def test_says_nothing_of_taste(self, catalogue):
        assert len(user_profile(catalogue, ("negroni", "later", None, 1))) == 0
        told = user_profile(catalogue, ("negroni", "rated", 4.0, 9), ("negroni", "later", None, 1))
        assert told.strengths == pytest.approx([preference_of_rating(4.0)])

    def test_counts_from_the_last_time_it_was_said(self, catalogue):
        rows = [("negroni", "later", None, 60), ("negroni", "later", None, 1)]
        assert user_profile(catalogue, *rows).hidden.sum() == 1

    @pytest.mark.parametrize("event", ["liked", "wanted"])
    def test_ends_when_the_item_is_taken_up_again(self, catalogue, event):
        rows = [("negroni", "later", None, 2), ("negroni", event, None, 1)]
        assert not user_profile(catalogue, *rows).hidden.any()


class TestWhatIsKnown:
    @pytest.mark.parametrize(
        ("event", "known"),
        [(event, event not in (Event.WANTED, Event.LATER)) for event in Event],
    )
    def test_is_what_was_had_or_judged(self, catalogue, event, known):
        assert user_profile(catalogue, ("negroni", event.value, None, 90)).known.sum() == known

    def test_leaves_out_what_the_catalogue_has_not(self, catalogue):
        first, last = int(catalogue.node_ids[0]), int(catalogue.node_ids[-1])
        rows = [(node, "liked") for node in (0, first - 1, last + 1, 10**9)]
        told = user_profile(catalogue, *rows, ("negroni", "liked"))
        assert [catalogue.keys[item] for item in told.items] == ["negroni"]
        assert told.known.sum() == 1

    def test_of_a_stranger_is_nothing(self, catalogue):
        for told in (user_profile(catalogue), profile_from_keys((), catalogue)):
            assert (len(told), told.known.sum(), told.hidden.sum()) == (0, 0, 0)
            assert told.liked.shape == told.disliked.shape == (0,)


class TestAHistoryOfKeys:
    def test_is_all_liked_without_ratings(self, catalogue):
        told = profile_from_keys(["negroni", "nowhere", "mojito"], catalogue)
        assert told.strengths.tolist() == [1.0, 1.0]
        assert np.isnan(told.stars).all()
        assert told.known.sum() == 2

    def test_bears_its_ratings(self, catalogue):
        told = profile_from_keys(["negroni", "nowhere", "mojito"], catalogue, [5.0, 3.0, 0.5])
        assert told.strengths.tolist() == [1.0, -1.0]
        assert told.stars.tolist() == [5.0, 0.5]
        assert told.disliked.tolist() == [0.0, 1.0]

    def test_joins_a_stored_one_and_is_right_where_both_speak(self, catalogue):
        stored = profile_from_keys(["negroni", "mojito"], catalogue, [5.0, 4.0])
        told = merge_profiles(
            stored, profile_from_keys(["negroni", "gimlet"], catalogue, [1.0, 3.0])
        )
        names = [catalogue.keys[item] for item in told.items]
        assert dict(zip(names, told.stars.tolist(), strict=True)) == {
            "negroni": 1.0,
            "mojito": 4.0,
            "gimlet": 3.0,
        }
        assert told.known.sum() == 3


def test_2000_interactions_on_one_item_are_one_verdict(catalogue):
    rows = [("negroni", "rated", HALF_STARS[number % 10]) for number in range(2_000)]
    assert strength(catalogue, *rows) == 1.0
