"""What trajectories are worth, and the two propositions of AgenticRec, counted out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.data.trajectory import AgentStep, ToolCall, Trajectory
from localrec.training.rl.rewards import Reward, advantages, has_signal, list_reward, pair_reward


def ended(ranking, calls=0):
    steps = tuple(AgentStep(call=ToolCall(tool="ask")) for _ in range(calls))
    return Trajectory(
        agent="a",
        model="m",
        dialect="plain",
        seed=0,
        initial_prompt=(),
        steps=steps,
        ranking=ranking,
    )


def test_a_target_in_first_place_earns_all_of_it():
    assert list_reward(ended((4, 2, 1)), 4, 3) == Reward(1.0)


def test_a_target_further_down_earns_its_discount():
    assert list_reward(ended((4, 2, 1)), 1, 3).total == pytest.approx(1 / np.log2(4))


def test_a_ranking_without_the_target_is_punished_less_than_none():
    assert list_reward(ended((4, 2, 1)), 3, 3).total == -0.5
    assert list_reward(ended(None, calls=2), 3, 3).total == -1.0


def test_asking_a_tool_earns_a_bonus_in_first_place_alone():
    assert list_reward(ended((4, 2), calls=1), 4, 2).total == pytest.approx(1.1)
    assert list_reward(ended((4, 2), calls=1), 2, 2).bonus == 0.0
    assert list_reward(ended((4, 2)), 4, 2).bonus == 0.0


def test_of_a_pair_the_right_one_earns_one_and_all_else_nothing():
    assert [pair_reward(ended(one), 2).total for one in ((2,), (1,), None)] == [1.0, 0.0, 0.0]


def test_advantages_are_rewards_less_their_groups_mean_and_nothing_more():
    assert advantages([[1.0, 0.0], [-0.5, -1.0]]).tolist() == [[0.5, -0.5], [0.25, -0.25]]


@pytest.mark.parametrize(
    ("outcomes", "found"),
    [([-1.0, -0.5], False), ([1.0, 1.0], False), ([-1.0, 0.3], True), ([0.0, 1.0], True)],
)
def test_a_group_teaches_where_some_succeed_and_not_all_alike(outcomes, found):
    assert has_signal([Reward(one) for one in outcomes]) is found


def test_a_bonus_alone_is_no_signal():
    assert not has_signal([Reward(1.0, 0.1), Reward(1.0)])


class TestTheGroupsGradient:
    """Proposition 4.1, over a policy of which every group can be counted out.

    The baseline holds each member's own reward, so what is expected is the exact gradient times
    (G - 1) / G: the same direction, which the paper's proof takes for the same length.
    """

    REWARDS = np.array([1.1, 0.63, 0.5, -0.5, -1.0])

    @pytest.mark.parametrize("size", [2, 3, 4])
    def test_is_expected_to_point_where_the_exact_one_points(self, size):
        scores = np.array([0.3, -0.4, 0.1, 0.8, -1.2])
        chances = np.exp(scores) / np.exp(scores).sum()
        # d log p(a) / d score: one for the action, less each action's chance.
        slopes = np.eye(len(scores)) - chances
        exact = (chances * self.REWARDS) @ slopes
        expected = np.zeros_like(scores)
        for group in itertools.product(range(len(scores)), repeat=size):
            actions = np.array(group)
            better = advantages(self.REWARDS[actions])
            expected += np.prod(chances[actions]) * (better @ slopes[actions]) / size
        assert expected == pytest.approx(exact * (size - 1) / size)

    def test_of_a_group_divided_by_its_spread_does_not(self):
        scores = np.array([2.0, 0.0, -1.0])
        rewards = np.array([1.0, 0.9, -1.0])
        chances = np.exp(scores) / np.exp(scores).sum()
        slopes = np.eye(3) - chances
        exact = (chances * rewards) @ slopes
        scaled = np.zeros(3)
        for group in itertools.product(range(3), repeat=3):
            actions = np.array(group)
            spread = rewards[actions].std() or 1.0
            scaled += (
                np.prod(chances[actions])
                * ((advantages(rewards[actions]) / spread) @ slopes[actions])
                / 3
            )
        cosine = exact @ scaled / np.linalg.norm(exact) / np.linalg.norm(scaled)
        assert cosine < 0.99


class TestTheLossOfBothQuestions:
    """Proposition 4.2: 2 log(1 + exp(-margin)), the sum over the two questions."""

    @staticmethod
    def loss(margin):
        likelier = 1 / (1 + np.exp(-margin))
        return -np.log(likelier) - np.log(likelier)

    @given(st.floats(min_value=-50, max_value=50))
    def test_is_nowhere_below_the_error_it_bounds(self, margin):
        assert self.loss(margin) >= 2 * np.log(2) * (margin < 0)

    @given(st.floats(min_value=-20, max_value=20), st.floats(min_value=-20, max_value=20))
    def test_is_convex_so_that_no_error_is_a_resting_place(self, one, other):
        middle = self.loss((one + other) / 2)
        assert middle <= (self.loss(one) + self.loss(other)) / 2 + 1e-9

    def test_pulls_hardest_where_a_pair_is_most_confused(self):
        slopes = [
            (self.loss(margin + 1e-6) - self.loss(margin)) / 1e-6 for margin in (-4, -1, 0, 2)
        ]
        assert slopes == sorted(slopes)
        assert slopes[0] == pytest.approx(-2.0, abs=0.05)
