"""The contract of every recommender, on planted users with known preferences."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from localrec.data.evidence import fact_sentences
from localrec.data.interactions import Interactions
from localrec.foundation.progress import no_progress
from localrec.ranking.recommender import Recommender, ScoreRequests

BLOCK = 12  # items of each block; users of each too
UNSEEN = 2 * BLOCK  # an item without interactions
ITEMS = 2 * BLOCK + 1
USERS = 2 * BLOCK


class RecommenderContract:
    """Test a recommender; a subclass makes one that is not fitted yet.

    Example:
        `class TestMine(RecommenderContract)` with `def make(self): return Mine()`.
    """

    def make(self) -> Recommender:
        """Return a recommender that is not fitted; it is fitted on `two_blocks()`."""
        raise NotImplementedError

    def fitted(self, seed: int = 0, train: Interactions | None = None) -> Recommender:
        """Return a recommender that was fitted."""
        recommender = self.make()
        recommender.fit(two_blocks() if train is None else train, seed, no_progress)
        return recommender

    def test_scores_all_items_for_each_request(self) -> None:
        """Scores are single floats; what users had gets a finite one."""
        scores = self.fitted().score(known_users(two_blocks(), 0, USERS - 1, 3))
        assert scores.shape == (3, ITEMS)
        assert scores.dtype == np.float32
        assert not np.isnan(scores).any()
        assert np.isfinite(scores[:, :UNSEEN]).all()

    def test_the_same_seed_gives_the_same_scores(self) -> None:
        """Chance is drawn from the seed alone."""
        requests = known_users(two_blocks(), *range(USERS))
        first, again = self.fitted(5).score(requests), self.fitted(5).score(requests)
        np.testing.assert_array_equal(first, again)

    def test_scores_do_not_depend_on_the_batch(self) -> None:
        """A request alone gets the scores that it gets among others."""
        recommender = self.fitted()
        requests = cold_start_users([0, 1], [BLOCK], [2, 5, 7], [])
        whole = recommender.score(requests)
        for row, history in enumerate(requests.histories):
            alone = recommender.score(cold_start_users(history.tolist()))[0]
            np.testing.assert_allclose(alone, whole[row], rtol=1e-4, atol=1e-6)

    def test_no_request_gets_no_scores(self) -> None:
        """An empty batch is answered by an empty table."""
        assert self.fitted().score(cold_start_users()).shape == (0, ITEMS)

    def test_asking_changes_nothing(self) -> None:
        """The caller may write into the scores."""
        recommender = self.fitted()
        first = recommender.score(cold_start_users([0, 1, 2]))
        first[:] = 7.0
        second = recommender.score(cold_start_users([0, 1, 2]))
        np.testing.assert_array_equal(second, recommender.score(cold_start_users([0, 1, 2])))
        assert not (second == 7.0).all()

    def test_an_empty_history_is_answered(self) -> None:
        """Users without a history are asked for too, known ones and new ones."""
        empty = np.array([], dtype=np.int32)
        requests = ScoreRequests(user=np.array([-1, 0], dtype=np.int32), histories=(empty, empty))
        assert np.isfinite(self.fitted().score(requests)[:, :UNSEEN]).all()

    def test_a_history_of_nothing_but_an_unseen_item_is_answered(self) -> None:
        """An item without interactions may be all that is known of a user."""
        assert np.isfinite(self.fitted().score(cold_start_users([UNSEEN]))[:, :UNSEEN]).all()

    def test_one_user_with_one_item_is_enough_to_fit(self) -> None:
        """The smallest data is data."""
        train = make_interactions([(0, 3)], users=2, items=ITEMS)
        scores = self.fitted(train=train).score(cold_start_users([3], []))
        assert not np.isnan(scores).any()
        assert np.isfinite(scores[:, 3]).all()

    def test_explains_an_item_of_any_request(self) -> None:
        """One reason comes for one item; its words are those of its facts, or a model's."""
        recommender = self.fitted()
        requests = cold_start_users([0, 1, 2], [BLOCK], [])
        for row in range(len(requests)):
            reasons = recommender.explain(requests, row, 4).reasons
            assert len(reasons) == 1
            reason = reasons[0]
            assert bool(reason.text) == bool(reason.facts)
            assert reason.by == "model" or reason.text == fact_sentences(reason.facts)

    def test_explains_an_item_among_candidates(self) -> None:
        """A request for an order of candidates is explained like one for all items."""
        candidates = np.array([[4, 5, BLOCK, BLOCK + 1]], dtype=np.int32)
        among = msgspec.structs.replace(cold_start_users([0, 1, 2]), candidates=candidates)
        reasons = self.fitted().explain(among, 0, 4).reasons
        assert [bool(one.text) for one in reasons] == [bool(one.facts) for one in reasons]
        assert len(reasons) == 1

    def test_explaining_changes_no_score(self) -> None:
        """A list stays what it was when somebody asks why."""
        recommender, requests = self.fitted(), cold_start_users([0, 1, 2])
        before = recommender.score(requests)
        recommender.explain(requests, 0, 4)
        np.testing.assert_array_equal(recommender.score(requests), before)

    def test_tells_how_far_it_is(self) -> None:
        """Progress never passes its end."""
        told: list[tuple[int, int]] = []
        self.make().fit(two_blocks(), 0, lambda what, done, total: told.append((done, total)))
        assert all(0 <= done <= total for done, total in told)


def make_interactions(rows: Sequence[tuple[float, ...]], users: int, items: int) -> Interactions:
    """Return interactions made of (user, item), maybe with stars and day, in any order."""
    whole = [(*row, *(np.nan, 0)[len(row) - 2 :]) for row in rows]
    whole.sort(key=lambda row: (row[0], row[3]))
    user, item, stars, day = zip(*whole, strict=True)
    return Interactions(
        user=np.array(user, dtype=np.int32),
        item=np.array(item, dtype=np.int32),
        stars=np.array(stars, dtype=np.float32),
        at=np.datetime64("2020-01-01", "s") + np.array(day) * np.timedelta64(1, "D"),
        users=users,
        items=items,
    )


def two_blocks() -> Interactions:
    """Return users who had all but three items of their own block and one of the other."""
    rows: list[tuple[float, ...]] = []
    for user in range(USERS):
        own, other = (0, BLOCK) if user < BLOCK else (BLOCK, 0)
        missed = {(user + step) % BLOCK for step in (0, 3, 7)}
        rows += [(user, own + item, 5.0, item) for item in range(BLOCK) if item not in missed]
        rows.append((user, other + user % BLOCK, 5.0, BLOCK))
    return make_interactions(rows, USERS, ITEMS)


def cold_start_users(*histories: Sequence[int]) -> ScoreRequests:
    """Return requests of users who are not in the training data."""
    return ScoreRequests(
        user=np.full(len(histories), -1, dtype=np.int32),
        histories=tuple(np.array(history, dtype=np.int32) for history in histories),
    )


def known_users(train: Interactions, *users: int) -> ScoreRequests:
    """Return requests of users of the training data, with their histories from there."""
    return ScoreRequests(
        user=np.array(users, dtype=np.int32),
        histories=tuple(train.item[train.rows_of(user)] for user in users),
    )
