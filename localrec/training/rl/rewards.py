"""The rewards of trajectories (AgenticRec, equations 1 and 2; section 4.4 for pairs).

The ranking's part is the metric itself, the function that evaluations call. Whether a group has a
gradient depends on the outcomes without the bonus: otherwise a trajectory that merely called one
more tool would look like a better answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from localrec.data.trajectory import Trajectory
from localrec.evaluation.ranking.metrics import hits_of, ndcg

INVALID = -1.0
MISSED = -0.5
TOOL_BONUS = 0.1


class Reward(msgspec.Struct, frozen=True):
    """The reward of one trajectory.

    Args:
        outcome: For its answer.
        bonus: For how it came to it.
    """

    outcome: float
    bonus: float = 0.0

    @property
    def total(self) -> float:
        """Return the reward of the policy."""
        return self.outcome + self.bonus


def list_reward(trajectory: Trajectory, target: int, k: int) -> Reward:
    """Return NDCG@K of a ranking with the target, -0.5 of one without, -1 of none.

    A target in first place earns 0.1 more where a tool was asked.

    Args:
        trajectory: Ended with a ranking of k candidates, or with a fault.
        target: The number of the one that was chosen, from 1.
        k: Length of the ranking.
    """
    if trajectory.ranking is None:
        return Reward(INVALID)
    hits = hits_of(trajectory.ranking, (target,))
    if not hits[:k].any():
        return Reward(MISSED)
    bonus = TOOL_BONUS if hits[0] and trajectory.tool_calls else 0.0
    return Reward(ndcg(hits, 1, k), bonus)


def gain_reward(ranking: Sequence[int], default: Sequence[int], target: int, k: int) -> Reward:
    """Return the NDCG@K of a ranking less that of the default's order.

    Within the group of one request the default's part is a constant, which the group's mean takes
    away again: it decides which groups hold a success, and by how much a list beat the default.

    Args:
        ranking: Numbers, best first.
        default: The same numbers in the default's order.
        target: The number of the one that was chosen.
        k: Length that the metric looks at.
    """
    before, after = (ndcg(hits_of(one, (target,)), 1, k) for one in (default, ranking))
    return Reward(after - before)


@cache
def answer_gains(choice: int, shown: int) -> tuple[float, ...]:
    """Compute the gain in NDCG of each answer: to keep the order, or to put another first.

    Args:
        choice: Place of the chosen candidate in the default's order, from 0.
        shown: Number of shown candidates.
    """
    default = range(shown)
    moved = [[place, *(one for one in default if one != place)] for place in default]
    return tuple(gain_reward(ranking, default, choice, shown).outcome for ranking in moved)


def pair_reward(trajectory: Trajectory, target: int) -> Reward:
    """Return 1 for the right candidate of a pair, else 0 (AgenticRec, section 4.4)."""
    return Reward(float(trajectory.ranking == (target,)))


def advantages(rewards: ArrayLike) -> NDArray[np.float64]:
    """Compute the advantage of each member of a group: its reward less their mean.

    Nothing is divided by the spread: that would weigh groups in which all did nearly alike most.
    Groups are the rows, (groups, members) or (members,).
    """
    earned = np.asarray(rewards, dtype=np.float64)
    better: NDArray[np.float64] = earned - earned.mean(axis=-1, keepdims=True)
    return better


def has_signal(group: Sequence[Reward]) -> bool:
    """Whether a group has a gradient: a success, and different rewards.

    The paper drops groups whose members are all negative; those whose outcomes are all equal have
    no better and no worse, as in DAPO.
    """
    outcomes = {one.outcome for one in group}
    return len(outcomes) > 1 and max(outcomes) > 0
