"""Collect groups of trajectories with their rewards for each step of the policy.

A group without signal has no gradient, so another request takes its place, a limited number of
times; remaining groups without signal stay in the step, and out of its baselines (AgenticRec,
section 4.3, after DAPO). All random draws follow from the training's seed and the step, so that a
step can be repeated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec
import numpy as np

from localrec.data.trajectory import FAULTS
from localrec.training.base_model.loading import Base
from localrec.training.base_model.tokenized_rollout import TokenizedRollout, tokenize_rollout
from localrec.training.rl.policy_config import PolicyConfig
from localrec.training.rl.rewards import Reward, has_signal
from localrec.training.rl.rollout_workers import Rollout, RolloutRequest, RolloutWorkers
from localrec.training.rl.tasks import TrainingTask

Figures = dict[str, float | None]

_ORDER, _REDRAW, _MEMBER, _JUDGED = range(4)  # what a seed is for


class RolloutGroup(msgspec.Struct, frozen=True):
    """Trajectories of one request.

    Args:
        number: Number of the request.
        members: The trajectories.
        rewards: Reward of each.
        rollouts: The tokens of each.
    """

    number: int
    members: Sequence[Rollout]
    rewards: Sequence[Reward]
    rollouts: Sequence[TokenizedRollout]

    @property
    def has_signal(self) -> bool:
        """Whether the group has a gradient."""
        return has_signal(self.rewards)


class RolloutBatch(msgspec.Struct, frozen=True):
    """The groups of one step, in the order of the requests.

    Args:
        groups: The groups that stayed.
        drawn: The number of groups that were written.
        dropped: The number of written groups that were replaced.
        k: The number of items in a ranking.
    """

    groups: Sequence[RolloutGroup]
    drawn: int
    dropped: int
    k: int

    def figures(self) -> Figures:
        """Return the figures of the batch for the log."""
        without = sum(not one.has_signal for one in self.groups)
        return {
            **figures_of(self.groups, self.k),
            "groups_dropped": float(self.dropped),
            "share_without_signal": (self.dropped + without) / self.drawn,
        }


class RolloutCollector:
    """Collect groups of rollouts, and compute their rewards.

    Args:
        task: The requests.
        rollout_workers: Write; with the newest adapter, which is the caller's matter.
        base: Its tokeniser and template.
        config: Bounds, sizes and seeds.
        k: Numbers in a ranking of this task.
    """

    def __init__(
        self,
        task: TrainingTask,
        rollout_workers: RolloutWorkers,
        base: Base,
        config: PolicyConfig,
        k: int,
    ) -> None:
        self._task = task
        self._rollout_workers = rollout_workers
        self._base = base
        self._config = config
        self._k = k

    def numbers(self, step: int) -> list[int]:
        """Return the request numbers of a step, from 1; each comes once before any repeats."""
        size, many = self._config.groups, len(self._task)
        places = range((step - 1) * size, step * size)
        return [int(self._order(place // many)[place % many]) for place in places]

    def gather(self, step: int, places: Sequence[int]) -> RolloutBatch:
        """Collect a group for each request of a step, or for others in their place.

        Args:
            step: Number of the training step, from 1.
            places: Places of the requests within the step, from 0.

        Raises:
            ModelError: the model cannot be used.
        """
        numbers = self.numbers(step)
        current = {place: numbers[place] for place in places}
        found: dict[int, RolloutGroup] = {}
        drawn = dropped = 0
        for attempt in range(1 + self._config.redraws):
            open_slots = [slot for slot in current if slot not in found]
            groups = self._write(step, attempt, [(slot, current[slot]) for slot in open_slots])
            drawn += len(groups)
            last = attempt == self._config.redraws
            for slot, group in zip(open_slots, groups, strict=True):
                if group.has_signal or last:
                    found[slot] = group
                else:
                    dropped += 1
                    current[slot] = self._another(step, slot, attempt)
            if len(found) == len(current):
                break
        groups = [found[slot] for slot in current]
        return RolloutBatch(groups, drawn, dropped, self._k)

    def validate(self, most: int) -> Figures:
        """Validate on the likeliest trajectory of each of the first requests."""
        bounds = self._config.limits(self._k, 0.0)
        numbers = range(min(most, len(self._task)) if most else len(self._task))
        rollouts = [
            RolloutRequest(self._task.request(number), [self._seed(_JUDGED, number)], bounds)
            for number in numbers
        ]
        groups = self._scored(numbers, rollouts)
        return {f"validation_{name}": value for name, value in figures_of(groups, self._k).items()}

    def _write(
        self, step: int, attempt: int, slots: Sequence[tuple[int, int]]
    ) -> list[RolloutGroup]:
        bounds = self._config.limits(self._k, self._config.temperature)
        members = range(self._config.group_size)
        rollouts = [
            RolloutRequest(
                self._task.request(number),
                [self._seed(_MEMBER, step, slot, attempt, member) for member in members],
                bounds,
            )
            for slot, number in slots
        ]
        return self._scored([number for _, number in slots], rollouts)

    def _scored(
        self, numbers: Sequence[int], rollouts: Sequence[RolloutRequest]
    ) -> list[RolloutGroup]:
        return [
            RolloutGroup(
                number=number,
                members=members,
                rewards=[writing.request.score(one.trajectory) for one in members],
                rollouts=[
                    tokenize_rollout(self._base, one.messages, one.trajectory.turns)
                    for one in members
                ],
            )
            for number, writing, members in zip(
                numbers, rollouts, self._rollout_workers.write(rollouts), strict=True
            )
        ]

    def _order(self, epoch: int) -> np.ndarray:
        return np.random.default_rng(self._seed(_ORDER, epoch)).permutation(len(self._task))

    def _another(self, step: int, slot: int, attempt: int) -> int:
        generator = np.random.default_rng(self._seed(_REDRAW, step, slot, attempt))
        return int(generator.integers(len(self._task)))

    def _seed(self, *of: int) -> int:
        return int(np.random.SeedSequence([self._config.seed, *of]).generate_state(1)[0])


def figures_of(groups: Sequence[RolloutGroup], k: int) -> Figures:
    """Average over all members: rewards, behaviour, faults.

    `score` is what a list or a choice is worth when nothing is punished: NDCG@K, or 1 where the
    right one of a pair was named. `hit1` and `hitK` are the shares in which the right one stands
    first, and in the list at all.

    Args:
        groups: At least one.
        k: Numbers in a ranking.
    """
    written = [one.trajectory for group in groups for one in group.members]
    rewards = [one for group in groups for one in group.rewards]
    rollouts = [one for group in groups for one in group.rollouts]
    sampled = sum(one.cost.new_tokens for one in written)
    own = sum(sum(one.loss_mask) for one in rollouts)
    faults = Counter(one.fault for one in written)
    return {
        "reward": _mean([one.total for one in rewards]),
        "score": _mean([max(0.0, one.outcome) for one in rewards]),
        f"hit{k}": _mean([one.outcome > 0 for one in rewards]),
        "hit1": _mean([one.outcome == 1 for one in rewards]),  # any other place earns less
        "valid": _mean([one.is_valid for one in written]),
        "tool_calls": _mean([one.tool_calls for one in written]),
        "tool_rate": _mean([one.tool_calls > 0 for one in written]),
        "tokens": _mean([len(one) for one in rollouts]),
        "tokens_written": own / len(rollouts),
        # Sampled in other pieces than the finished text is cut into, as far as their number tells.
        "recut": abs(sampled - own) / max(1, sampled),
        **{f"fault_{fault}": faults[fault] / len(written) for fault in FAULTS},
    }


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))
