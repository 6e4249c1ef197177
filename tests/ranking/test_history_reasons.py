"""Baselines explain places by what they count, and say so where no item of a history decides."""

import numpy as np
import pytest

from localrec.ranking.baselines.catalog import make_baseline
from localrec.ranking.recommender import ScoreRequests
from localrec.testing.recommenders import cold_start_users, known_users, make_interactions

# Users 0 to 4 and items 0 to 4. Items 0 and 3 share three users, items 1 and 3 two, items 2 and 3
# none; nobody has item 4.
FEW = make_interactions(
    [(0, 0), (0, 1), (0, 3), (1, 0), (1, 1), (1, 3), (2, 0), (2, 3), (3, 2), (4, 1)], 5, 5
)
ASKED = cold_start_users([0, 1, 2], [2], [])


def told(name, row, item, requests=ASKED, **settings):
    """The text of the reason, or what is said in its place."""
    baseline = make_baseline(name, settings, np.eye(5, dtype=np.float32) + 0.1)
    baseline.fit(FEW, 0, lambda *_: None)
    reasons = baseline.explain(requests, row, item)
    return reasons.reasons[0].text or reasons.notes[0]


@pytest.mark.parametrize("name", ["item-knn", "naive-bayes"])
def test_the_items_of_the_history_are_named_that_share_most_users_with_it_first(name):
    assert told(name, 0, 3) == "Is raised most by item 0 and item 1 of the history."


def test_ease_names_the_items_in_the_order_of_their_weights():
    text = "Is raised most by item 0 and item 1 of the history."
    assert told("ease", 0, 3, regularization=1.0) == text


def test_texts_name_the_item_whose_vector_is_nearest():
    assert told("vector", 0, 2) == "Is raised most by item 2 of the history."


def test_als_names_an_item_that_its_vector_needs():
    assert "item 0" in told("als", 0, 3, embedding_size=2)


def test_popularity_counts_users():
    assert told("popularity", 0, 3) == "Was taken by 3 users."
    assert told("popularity", 0, 4) == "Nobody of the training data has item 4."
    aged = told("popularity", 0, 2, half_life_days=30.0)
    assert aged == "Was taken by 1 user, and the newer ones count more."


def test_chance_gives_no_reason():
    assert told("random", 0, 3) == "The order is drawn by chance."


def test_an_item_that_the_history_does_not_raise_has_no_reason():
    assert told("item-knn", 1, 3) == "No item of the history raises item 3."
    assert told("item-knn", 2, 3) == "No item of the history raises item 3."


def test_an_item_that_cannot_be_ranked_is_told():
    assert told("item-knn", 0, 4) == "Item 4 cannot be ranked for this history."


def test_of_a_user_whom_bpr_was_trained_on_the_learnt_vector_is_told_to_decide():
    known = known_users(FEW, 0)
    assert told("bpr", 0, 3, known, embedding_size=2) == (
        "Item 3 is placed by the vector that training learnt for this user, whatever the history "
        "of the request."
    )
    assert told("bpr", 0, 4, known) == "Item 4 cannot be ranked for this history."


def test_of_an_unknown_user_bpr_names_items_of_the_history():
    assert "of the history" in told("bpr", 0, 3, embedding_size=2)
    assert "learnt for this user" not in told("bpr", 0, 3, embedding_size=2)


def test_stars_and_days_of_a_history_go_with_its_items():
    """A scorer that reads them sees those of the items that are left."""
    from localrec.ranking.history_reasons import history_reasons

    def score(requests):
        stars = [float(one.sum()) for one in requests.stars]
        assert [len(one) for one in requests.at] == [len(one) for one in requests.histories]
        return np.array(stars, dtype=np.float32)[:, None]

    asked = ScoreRequests(
        user=np.array([-1], dtype=np.int32),
        histories=(np.array([7, 8], dtype=np.int32),),
        stars=(np.array([1.0, 5.0], dtype=np.float32),),
        at=(np.array(["2020", "2021"], dtype="datetime64[s]"),),
    )
    text = history_reasons(score, asked, 0, 0).reasons[0].text
    assert text == "Is raised most by item 8 and item 7 of the history."
