"""The baselines that count, against small cases worked out by hand or the textbook's formula."""

import numpy as np
import pytest

from localrec.data.interaction_matrix import InteractionMatrix
from localrec.foundation.errors import UsageError
from localrec.ranking.baselines.content_similarity import ContentSimilarity, ContentSimilarityConfig
from localrec.ranking.baselines.ease import BYTES_PER_PAIR, EASE, EASEConfig
from localrec.ranking.baselines.item_knn import ItemKNN, ItemKNNConfig
from localrec.ranking.baselines.naive_bayes import NaiveBayes, NaiveBayesConfig
from localrec.ranking.baselines.popularity import Popularity, PopularityConfig
from localrec.ranking.baselines.random_order import RandomOrder, RandomOrderConfig
from localrec.ranking.top_items import top_items

from .planted import BLOCK, UNSEEN, block_vectors, interactions, quiet, strangers, two_blocks

# People 0 to 3 and items 0 to 3: {0, 1}, {0, 1, 2}, {0, 2}, {3}; person 1 had item 0 twice.
FEW = [(0, 0), (0, 1), (1, 0), (1, 0, np.nan, 9), (1, 1), (1, 2), (2, 0), (2, 2), (3, 3)]


@pytest.fixture
def few():
    return interactions(FEW, users=4, items=4)


@pytest.fixture
def many():
    """200 people with 1 to 20 of 40 items each, drawn unevenly."""
    generator = np.random.default_rng(3)
    odds = 1.0 / np.arange(1, 41)
    rows = [
        (user, int(item))
        for user in range(200)
        for item in generator.choice(
            40, size=generator.integers(1, 21), replace=False, p=odds / odds.sum()
        )
    ]
    return interactions(rows, users=200, items=40)


def fit(baseline, train, seed=0):
    baseline.fit(train, seed, quiet)
    return baseline


def table_of(train):
    """Ones where somebody had something, (people, items)."""
    table = np.zeros((train.users, train.items))
    table[train.user, train.item] = 1.0
    return table


class TestIncidence:
    def test_counts_people_once_however_often_they_came(self, few):
        assert InteractionMatrix.from_log(few).likes.tolist() == [3, 2, 2, 1]


class TestRandom:
    def test_every_item_comes_first_equally_often(self):
        baseline = fit(RandomOrder(RandomOrderConfig()), two_blocks())
        asked = strangers(*([number % BLOCK, number] for number in range(5_000)))
        scores = baseline.score(asked)
        first = np.bincount(scores.argmax(axis=1), minlength=scores.shape[1])
        expected = 5_000 / scores.shape[1]
        chi_square = float(((first - expected) ** 2 / expected).sum())
        assert chi_square < 52.0  # 24 degrees of freedom: one in a thousand lies above
        assert abs(scores.mean() - 0.5) < 0.005

    def test_another_seed_gives_another_order(self):
        asked = strangers([1, 2])
        one, two = (
            fit(RandomOrder(RandomOrderConfig()), two_blocks(), seed).score(asked)
            for seed in (1, 2)
        )
        assert (one != two).any()


class TestPopularity:
    def test_is_the_number_of_people(self, many):
        scores = fit(Popularity(PopularityConfig()), many).score(strangers([0], []))
        np.testing.assert_array_equal(scores, [table_of(many).sum(axis=0)] * 2)

    def test_with_a_half_life_counts_the_newest_time_of_each_person(self):
        rows = [(0, 0, np.nan, 0), (0, 0, np.nan, 20), (1, 1, np.nan, 10), (2, 1, np.nan, 0)]
        train = interactions(rows, users=3, items=3)
        popular = fit(Popularity(PopularityConfig(half_life_days=10.0)), train)
        np.testing.assert_allclose(popular.score(strangers([])), [[1.0, 0.5 + 0.25, 0.0]])

    def test_what_has_no_date_counts_as_the_oldest(self):
        train = interactions([(0, 0, np.nan, 0), (1, 1, np.nan, 10)], users=2, items=2)
        train.at[0] = np.datetime64("NaT")
        undated = fit(Popularity(PopularityConfig(half_life_days=10.0)), train)
        np.testing.assert_allclose(undated.score(strangers([])), [[1.0, 1.0]])


class TestItemNeighbours:
    def test_is_the_cosine_with_shrinkage(self, few):
        config = ItemKNNConfig(neighbours=4, shrinkage=0.5)
        scores = fit(ItemKNN(config), few).score(strangers([1]))[0]
        np.testing.assert_allclose(
            scores, [2 / (np.sqrt(6) + 0.5), 0.0, 1 / (2 + 0.5), 0.0], rtol=1e-6
        )

    @pytest.mark.parametrize("keep", [1, 3, 40])
    def test_only_the_nearest_of_each_item_speak(self, many, keep):
        table = table_of(many)
        both = table.T @ table
        counts = np.diag(both)
        alike = both / np.sqrt(np.outer(counts, counts))
        np.fill_diagonal(alike, 0.0)
        history = [0, 5, 9, 17]
        expected = []
        for line in alike:
            near = np.argsort(-line, kind="stable")[:keep]
            expected.append(sum(line[item] for item in near if item in history))
        config = ItemKNNConfig(neighbours=keep, shrinkage=0.0)
        scores = fit(ItemKNN(config), many).score(strangers(history))[0]
        np.testing.assert_allclose(scores, expected, rtol=1e-5, atol=1e-6)

    @pytest.mark.parametrize("keep", [1, 3, 100])
    def test_neighbours_are_those_of_comparing_each_item_with_all_others(self, many, keep):
        model = fit(ItemKNN(ItemKNNConfig(neighbours=keep)), many)
        table = table_of(many)
        roots = np.sqrt(table.sum(axis=0)).astype(np.float32)
        shown = np.eye(40, dtype=np.int32)
        found = np.stack([model.score(strangers(np.flatnonzero(one)))[0] for one in shown], axis=1)
        expected = np.zeros((40, 40), dtype=np.float32)
        for item, both in enumerate((table.T @ table).astype(np.int64)):
            both[item] = 0
            met = np.flatnonzero(both)
            alike = both[met] / np.maximum(roots[item] * roots[met] + np.float32(20.0), 1.0)
            order = np.argsort(-alike, kind="stable")[:keep]
            expected[item, met[order]] = alike[order]
        expected[model.score(strangers([]))[0] == -np.inf] = -np.inf
        np.testing.assert_array_equal(found, expected)

    @pytest.mark.parametrize("history", [[], [39], [0, 5, 9, 17], [3, 3, 8], [*range(38)]])
    @pytest.mark.parametrize("k", [1, 10, 100])
    def test_a_list_of_its_best_is_that_of_sorting_all_scores(self, many, k, history):
        model = fit(ItemKNN(ItemKNNConfig(neighbours=5)), many)
        (scores,) = model.score(strangers(history))
        scores[history] = -np.inf
        sorted_all = [item for item in np.argsort(-scores, kind="stable") if scores[item] > -np.inf]
        (listed,) = top_items(model, strangers(history), k)
        assert listed.tolist() == sorted_all[:k]

    def test_a_list_looks_at_few_of_many_items_and_says_the_same(self):
        random = np.random.default_rng(9)
        pairs = {(u, int(i)) for u in range(300) for i in 900 * random.random(12) ** 2}
        train = interactions(sorted(pairs), users=300, items=1_000)
        model = fit(ItemKNN(ItemKNNConfig(neighbours=30)), train)
        for user in range(60):
            history = train.item[train.rows_of(user)]
            (scores,) = model.score(strangers(history))
            scores[history] = -np.inf
            (listed,) = top_items(model, strangers(history), 10)
            assert listed.tolist() == np.argsort(-scores, kind="stable")[:10].tolist()

    def test_an_item_named_twice_speaks_once(self, many):
        baseline = fit(ItemKNN(ItemKNNConfig()), many)
        once, twice = baseline.score(strangers([3, 8], [8, 3, 8]))
        np.testing.assert_array_equal(once, twice)


class TestTopItems:
    def test_are_the_best_outside_the_history_and_never_what_cannot_be_ranked(self, many):
        model = fit(EASE(EASEConfig()), many)
        history = [2, 11, 30]
        (scores,) = model.score(strangers(history))
        scores[history] = -np.inf
        (listed,) = top_items(model, strangers(history), 40)
        assert listed.tolist() == np.argsort(-scores, kind="stable")[: len(listed)].tolist()
        assert len(listed) == np.count_nonzero(scores > -np.inf)


class TestEase:
    def test_equals_one_ridge_regression_for_each_item(self, many):
        table, regularization = table_of(many), 7.0
        expected = np.zeros((40, 40))
        for item in range(40):
            others = np.delete(np.arange(40), item)
            given = table[:, others]
            gram = given.T @ given + regularization * np.eye(39)
            expected[others, item] = np.linalg.solve(gram, given.T @ table[:, item])
        scores = fit(EASE(EASEConfig(regularization=regularization)), many)
        history = [2, 11, 30]
        np.testing.assert_allclose(
            scores.score(strangers(history))[0], expected[history].sum(axis=0), atol=1e-5
        )

    def test_refuses_what_would_not_fit_into_memory(self, many):
        limit = BYTES_PER_PAIR * 40**2
        fit(EASE(EASEConfig(), memory_limit=limit), many)
        with pytest.raises(UsageError, match="EASE on 40 items takes"):
            fit(EASE(EASEConfig(), memory_limit=limit - 1), many)


class TestNearness:
    def test_is_the_cosine_to_the_mean_of_the_history(self):
        vectors = block_vectors()
        near = fit(ContentSimilarity(ContentSimilarityConfig(), vectors * 3.0), two_blocks())
        scores = near.score(strangers([0, 1, BLOCK]))[0, :UNSEEN]
        units = vectors[:UNSEEN] / np.linalg.norm(vectors[:UNSEEN], axis=1, keepdims=True)
        mean = units[[0, 1, BLOCK]].mean(axis=0)
        np.testing.assert_allclose(scores, units @ mean / np.linalg.norm(mean), rtol=1e-5)

    def test_the_newest_of_a_history_may_count_alone(self):
        near = fit(
            ContentSimilarity(ContentSimilarityConfig(recent=2), block_vectors()), two_blocks()
        )
        long, short = near.score(strangers([BLOCK, 3, 4], [3, 4]))
        np.testing.assert_allclose(long, short)

    def test_a_row_that_is_no_number_is_an_item_without_a_text(self):
        vectors = block_vectors()
        vectors[1, 3] = np.nan
        vectors[2] = np.nan
        scores = fit(ContentSimilarity(ContentSimilarityConfig(), vectors), two_blocks()).score(
            strangers([0, 2])
        )
        assert np.flatnonzero(scores[0] == -np.inf).tolist() == [1, 2, UNSEEN]

    def test_refuses_vectors_of_other_items(self):
        with pytest.raises(UsageError, match="There are vectors for 24 items, but the data has 25"):
            fit(ContentSimilarity(ContentSimilarityConfig(), block_vectors()[1:]), two_blocks())


class TestNaiveBayes:
    def test_without_a_history_is_popularity_among_those_who_liked(self):
        rows = [(0, 0, 5.0, 0), (1, 0, 4.0, 0), (1, 1, 2.0, 0), (2, 1, np.nan, 0)]
        bayes = fit(NaiveBayes(NaiveBayesConfig()), interactions(rows, users=5, items=3))
        np.testing.assert_allclose(bayes.score(strangers([])), [np.log1p([2, 1, 0])], rtol=1e-6)

    def test_every_rating_counts_where_that_is_asked(self):
        rows = [(0, 0, 0.5, 0), (1, 1, 2.0, 0), (2, 1, np.nan, 0)]
        bayes = NaiveBayes(NaiveBayesConfig(liked_from=0.5))
        scores = fit(bayes, interactions(rows, users=3, items=2)).score(strangers([]))
        np.testing.assert_allclose(scores, [np.log1p([1, 2])], rtol=1e-6)
