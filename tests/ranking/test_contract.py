"""What every baseline promises, on planted people whose taste is known."""

import numpy as np
import pytest

from localrec.ranking.baselines.catalog import BASELINES, make_baseline
from localrec.testing import RecommenderContract

from .planted import (
    BLOCK,
    PEOPLE,
    UNSEEN,
    block_vectors,
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
class TestEveryBaseline(RecommenderContract):
    @pytest.fixture(autouse=True)
    def of_name(self, name):
        self.name = name

    def make(self):
        return make_baseline(self.name, SMALL.get(self.name), block_vectors())

    def test_tells_its_name_and_all_its_settings(self, name):
        baseline = make_baseline(name, SMALL.get(name), block_vectors())
        assert baseline.name == name
        assert set(baseline.settings) == set(BASELINES[name].config.__struct_fields__)
        assert SMALL.get(name, {}).items() <= baseline.settings.items()

    def test_an_item_nobody_had_is_never_the_best(self, name):
        if name == "random":
            pytest.skip("chance may put it first")
        scores = fitted(name).score(strangers([0, 1, 2, 3], [BLOCK, BLOCK + 1]))
        assert (scores[:, UNSEEN] < scores[:, :UNSEEN].max(axis=1)).all()
        if name not in BLIND_TO_TEXTLESS:
            assert (scores[:, UNSEEN] == -np.inf).all()

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
        for user in range(PEOPLE):
            own, other = (0, BLOCK) if user < BLOCK else (BLOCK, 0)
            missed = [own + (user + step) % BLOCK for step in (0, 3, 7)]
            strange = np.delete(np.arange(other, other + BLOCK), user % BLOCK)
            assert scores[user, missed].mean() > scores[user, strange].max()

    def test_tells_when_it_is_done(self, name):
        told = []
        baseline = make_baseline(name, SMALL.get(name), block_vectors())
        baseline.fit(two_blocks(), 0, lambda what, done, total: told.append((what, done, total)))
        if name in ("item-knn", "ease", "als", "bpr"):  # the others are done at once
            assert told[-1][1] == told[-1][2]
