"""What every baseline promises, on planted people whose taste is known."""

import numpy as np
import pytest

from localrec.ranking.baselines.catalog import BASELINES, make_baseline
from localrec.ranking.recommender import ScoreRequests

from .planted import (
    BLOCK,
    ITEMS,
    PEOPLE,
    UNSEEN,
    block_vectors,
    interactions,
    known,
    quiet,
    strangers,
    two_blocks,
)

CLASSICAL = (*("random", "popularity", "item-knn", "ease", "als", "bpr", "vector", "naive-bayes"),)
BLIND = ("random", "popularity")  # who asks makes no difference to their list
BLIND_TO_TEXTLESS = ("random", "popularity", "naive-bayes")  # can place what nobody had
SMALL = {
    "als": {"embedding_size": 2},
    "bpr": {"embedding_size": 2, "learning_rate": 0.05, "regularization": 0.05},
    "item-knn": {"shrinkage": 1.0},
    "ease": {"regularization": 5.0},
}


def fitted(name, seed=0, train=None):
    baseline = make_baseline(name, SMALL.get(name), block_vectors())
    baseline.fit(two_blocks() if train is None else train, seed, quiet)
    return baseline


@pytest.mark.parametrize("name", CLASSICAL)
class TestEveryBaseline:
    def test_scores_all_items_for_each_request(self, name):
        train = two_blocks()
        scores = fitted(name).score(known(train, 0, PEOPLE - 1, 3))
        assert scores.shape == (3, ITEMS)
        assert scores.dtype == np.float32
        assert not np.isnan(scores).any()
        assert np.isfinite(scores[:, :UNSEEN]).all()

    def test_tells_its_name_and_all_its_settings(self, name):
        baseline = make_baseline(name, SMALL.get(name), block_vectors())
        assert baseline.name == name
        assert set(baseline.settings) == set(BASELINES[name].config.__struct_fields__)
        assert SMALL.get(name, {}).items() <= baseline.settings.items()

    def test_the_same_seed_gives_the_same_scores(self, name):
        requests = known(two_blocks(), *range(PEOPLE))
        first, again = fitted(name, seed=5).score(requests), fitted(name, seed=5).score(requests)
        np.testing.assert_array_equal(first, again)

    def test_scores_do_not_depend_on_the_batch(self, name):
        baseline = fitted(name)
        requests = strangers([0, 1], [BLOCK], [2, 5, 7], [])
        whole = baseline.score(requests)
        for row, history in enumerate(requests.histories):
            np.testing.assert_allclose(
                baseline.score(strangers(history))[0], whole[row], rtol=1e-4, atol=1e-6
            )

    def test_nobody_asking_gets_no_scores(self, name):
        assert fitted(name).score(strangers()).shape == (0, ITEMS)

    def test_asking_changes_nothing(self, name):
        baseline = fitted(name)
        first = baseline.score(strangers([0, 1, 2]))
        first[:] = 7.0  # what was handed out is the caller's
        second = baseline.score(strangers([0, 1, 2]))
        np.testing.assert_array_equal(second, baseline.score(strangers([0, 1, 2])))
        assert not (second == 7.0).all()

    def test_an_empty_history_is_answered(self, name):
        train = two_blocks()
        requests = ScoreRequests(
            user=np.array([-1, 0], dtype=np.int32),
            histories=(np.array([], dtype=np.int32), np.array([], dtype=np.int32)),
        )
        assert np.isfinite(fitted(name, train=train).score(requests)[:, :UNSEEN]).all()

    def test_an_item_nobody_had_is_never_the_best(self, name):
        if name == "random":
            pytest.skip("chance may put it first")
        scores = fitted(name).score(strangers([0, 1, 2, 3], [BLOCK, BLOCK + 1]))
        assert (scores[:, UNSEEN] < scores[:, :UNSEEN].max(axis=1)).all()
        if name not in BLIND_TO_TEXTLESS:
            assert (scores[:, UNSEEN] == -np.inf).all()

    def test_a_history_of_nothing_but_an_item_nobody_had_is_answered(self, name):
        scores = fitted(name).score(strangers([UNSEEN]))
        assert np.isfinite(scores[:, :UNSEEN]).all()

    def test_finds_the_block_of_a_stranger(self, name):
        if name in BLIND:
            pytest.skip("it does not look at who asks")
        histories = ([0, 1, 2, 4], [BLOCK, BLOCK + 1, BLOCK + 2, BLOCK + 4])
        first, second = fitted(name).score(strangers(*histories))
        left, right = slice(6, BLOCK), slice(BLOCK + 6, 2 * BLOCK)
        assert first[left].min() > first[right].max()
        assert second[right].min() > second[left].max()

    def test_finds_what_the_people_it_knows_missed(self, name):
        if name in BLIND:
            pytest.skip("it does not look at who asks")
        train = two_blocks()
        scores = fitted(name, train=train).score(known(train, *range(PEOPLE)))
        for person in range(PEOPLE):
            own, other = (0, BLOCK) if person < BLOCK else (BLOCK, 0)
            missed = [own + (person + step) % BLOCK for step in (0, 3, 7)]
            strange = np.delete(np.arange(other, other + BLOCK), person % BLOCK)
            assert scores[person, missed].mean() > scores[person, strange].max()

    def test_one_person_who_had_one_item_is_enough_to_fit(self, name):
        lonely = interactions([(0, 3)], people=2, items=ITEMS)
        scores = fitted(name, train=lonely).score(strangers([3], []))
        assert not np.isnan(scores).any()
        assert np.isfinite(scores[:, 3]).all()

    def test_tells_how_far_it_is(self, name):
        told = []
        baseline = make_baseline(name, SMALL.get(name), block_vectors())
        baseline.fit(two_blocks(), 0, lambda what, done, total: told.append((what, done, total)))
        assert all(0 <= done <= total for _, done, total in told)
        if name in ("item-knn", "ease", "als", "bpr"):  # the others are done at once
            assert told[-1][1] == told[-1][2]
