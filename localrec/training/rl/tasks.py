"""The tasks of an agent's training: requests and rewards, unknown to the loop.

A request is a tool context with the number of the chosen candidate. A task holds many requests by
number, so that a training draws numbers and builds a tool context only when it is used.
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
    """One request with its reward."""

    @property
    def tool_context(self) -> ToolContext:
        """The tool context of the request."""
        ...

    @property
    def k(self) -> int:
        """The length of the requested ranking."""
        ...

    def shown(self, messages: Sequence[Message]) -> tuple[Message, ...]:
        """Return the loop's messages as the model sees them."""
        ...

    def score(self, trajectory: Trajectory) -> Reward:
        """Compute the reward of a trajectory."""
        ...


class TrainingTask(Protocol):
    """Requests by number."""

    @property
    def fingerprint(self) -> str:
        """Hash the requests."""
        ...

    def __len__(self) -> int:
        """The number of requests."""
        ...

    def request(self, number: int) -> TrainingRequest:
        """Return a request by its number, from 0."""
        ...


class ListRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Rank the user's next item (AgenticRec, section 4.3).

    Args:
        tool_context: The request that the agent gets.
        target: The number of the candidate that was chosen, from 1.
        k: Numbers in the ranking.
    """

    tool_context: ToolContext
    target: int
    k: int

    def shown(self, messages: Sequence[Message]) -> tuple[Message, ...]:
        """Return the messages word for word as in serving."""
        return tuple(messages)

    def score(self, trajectory: Trajectory) -> Reward:
        """Return NDCG@K, or a penalty."""
        return list_reward(trajectory, self.target, self.k)
