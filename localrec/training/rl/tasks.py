"""What an agent in training is asked, told and rewarded for; the loop knows nothing of it.

A request is a desk with the number of the candidate that was chosen. A task is many of them by
number, so that a training draws by lot and builds a desk only when it is its turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from localrec.agent.tool_context import ToolContext
from localrec.data.chat_message import Message
from localrec.data.trajectory import Trajectory
from localrec.training.rl.rewards import Reward, list_reward


class TrainingRequest(Protocol):
    """One question, and what an answer to it is worth."""

    @property
    def tool_context(self) -> ToolContext:
        """What lies before the agent."""
        ...

    @property
    def k(self) -> int:
        """Numbers in the ranking that is asked for."""
        ...

    def shown(self, messages: Sequence[Message]) -> tuple[Message, ...]:
        """The messages of the loop as the model gets to see them."""
        ...

    def score(self, trajectory: Trajectory) -> Reward:
        """What a trajectory earned."""
        ...


class TrainingTask(Protocol):
    """Many requests by number."""

    @property
    def fingerprint(self) -> str:
        """Changes with any request."""
        ...

    def __len__(self) -> int:
        """How many there are."""
        ...

    def request(self, number: int) -> TrainingRequest:
        """One of them, from 0."""
        ...


class ListRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Rank what the person chooses next (AgenticRec, section 4.3).

    Args:
        tool_context: What lies before the agent.
        target: The number of the candidate that was chosen, from 1.
        k: Numbers in the ranking.
    """

    tool_context: ToolContext
    target: int
    k: int

    def shown(self, messages: Sequence[Message]) -> tuple[Message, ...]:
        """Word for word as the agent asks when it serves."""
        return tuple(messages)

    def score(self, trajectory: Trajectory) -> Reward:
        """NDCG@K, or a penalty."""
        return list_reward(trajectory, self.target, self.k)
