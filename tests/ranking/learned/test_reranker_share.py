"""What a reranker's scores count: nothing unless it makes the order better beyond chance."""

import numpy as np
import pytest

from localrec.ranking.learned.progress_file import folder_of
from localrec.ranking.learned.reranker_share import (
    FEWEST_CASES,
    RerankedCases,
    RerankerShare,
    in_one_order,
    learn_share,
    ndcg_of_first,
    read_share,
    with_reranker_scores,
    write_share,
)


def cases(skill, many=200, seed=1):
    """A default that knows a little of the first column, and a reranked of some skill."""
    generator = np.random.default_rng(seed)
    default, reranked = generator.normal(size=(2, many, 20)).astype(np.float32)
    default[:, 0] += 1.0
    reranked[:, 0] += skill
    return RerankedCases(default, 100.0 * reranked + 7.0)


def test_a_verdict_that_knows_something_gets_a_share_and_makes_unseen_orders_better():
    found = learn_share("judge", cases(skill=1.5), seed=3)
    assert found.share > 0.3
    assert found.gain > 3 * found.error
    unseen = cases(skill=1.5, seed=2)
    mixed = with_reranker_scores(unseen.default, unseen.reranked, found.share)
    assert ndcg_of_first(mixed).mean() > ndcg_of_first(unseen.default).mean() + 0.05


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_a_verdict_at_chance_gets_no_share(seed):
    assert learn_share("judge", cases(skill=0.0, seed=seed), seed=3).share == 0.0


def test_a_verdict_that_is_wrong_gets_no_share():
    assert learn_share("judge", cases(skill=-2.0), seed=3).share == 0.0


def test_a_little_skill_in_few_cases_is_not_enough():
    assert learn_share("judge", cases(skill=0.2, many=30), seed=3).share == 0.0


def test_too_few_cases_teach_nothing():
    found = learn_share("judge", cases(skill=3.0, many=FEWEST_CASES - 1), seed=3)
    assert (found.share, found.cases) == (0.0, FEWEST_CASES - 1)


def test_without_a_share_the_order_of_the_default_stands():
    some = cases(skill=1.0, many=5)
    assert np.array_equal(with_reranker_scores(some.default, some.reranked, 0.0), some.default)


def test_a_verdict_that_holds_all_equal_changes_nothing():
    some = cases(skill=1.0, many=5)
    flat = np.full_like(some.reranked, 0.3)
    assert np.allclose(with_reranker_scores(some.default, flat, 2.0), some.default)


def test_ties_are_shared_out():
    scores = np.array([[1.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 0.0]], dtype=np.float32)
    gains = 1 / np.log2([2, 3, 4])
    expected = [gains[:2].mean(), gains[1], gains.mean()]
    assert np.allclose(ndcg_of_first(scores), expected)


def test_equal_scores_come_in_the_order_before():
    apart = in_one_order(np.ones(3, np.float32), np.array([0.1, 0.3, 0.2], np.float32))
    assert np.argsort(-apart).tolist() == [1, 2, 0]
    assert len(set(apart.tolist())) == 3


def test_a_share_is_kept_for_its_reranker_alone(tmp_path):
    folder_of(tmp_path, "films").mkdir()
    kept = RerankerShare(reranker="agent with this", share=0.5, cases=60, gain=0.02, error=0.005)
    write_share(tmp_path, "films", kept)
    assert read_share(tmp_path, "films", "agent with this") == kept
    assert read_share(tmp_path, "films", "agent with that").share == 0.0
    assert read_share(tmp_path, "drinks", "agent with this").cases == 0


def test_a_damaged_share_counts_as_none(tmp_path):
    folder_of(tmp_path, "films").mkdir()
    write_share(tmp_path, "films", RerankerShare(reranker="agent", share=0.5, cases=60))
    for file in folder_of(tmp_path, "films").glob("share-*"):
        file.write_text("{")
    assert read_share(tmp_path, "films", "agent").share == 0.0


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (RerankerShare(reranker="a with b", share=0.0, cases=0), "none was learnt"),
        (RerankerShare(reranker="a with b", share=0.0, cases=60, gain=-0.01), "did not make"),
        (RerankerShare(reranker="a with b", share=0.5, cases=60, gain=0.03), "has a share of 0.50"),
    ],
)
def test_a_list_says_what_the_verdict_counts(share, said):
    assert said in share.as_sentence()
