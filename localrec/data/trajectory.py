"""The record of an agent's run for one request, step by step.

A trajectory holds every turn word for word, with its author: training puts gradients on the model's
own turns alone (AgenticRec, section 4.2). Every error is a fault with a name, so that invalid
trajectories can be counted by kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from localrec.data.token_usage import TokenUsage

Argument = int | str
TrajectoryFault = Literal["budget", "form", "unfinished", "refused"]

FAULTS: Mapping[TrajectoryFault, str] = {
    "budget": "It asked for more tools than it may.",
    "form": "It wrote something that is neither a call of a tool nor a ranking.",
    "unfinished": "It did not come to an end within its words.",
    "refused": "The conversation grew beyond the model's context.",
}


class ToolCall(msgspec.Struct, frozen=True, kw_only=True):
    """A tool call with checked arguments."""

    tool: str
    arguments: dict[str, Argument] = {}


class AgentTurn(msgspec.Struct, frozen=True, kw_only=True):
    """A segment of the conversation.

    Args:
        text: Word for word.
        own: Whether the model wrote it; an observation is context.
    """

    text: str
    own: bool


class AgentStep(msgspec.Struct, frozen=True, kw_only=True):
    """One thought, and the action after it.

    Args:
        thought: In the model's words; "" where a script acted.
        call: The tool that was called; None where the step ended with a ranking or a fault.
        observation: The tool's answer.
        tool_ms: Time that the tool took.
    """

    thought: str = ""
    call: ToolCall | None = None
    observation: str = ""
    tool_ms: float = 0.0


class Trajectory(msgspec.Struct, frozen=True, kw_only=True):
    """A whole run of an agent.

    Args:
        agent: Name of the composition that acted.
        model: Name of the model that wrote; "" where none was asked.
        dialect: The format that turns were written in.
        seed: Seed of every random choice.
        initial_prompt: The messages before the first turn, as (role, text); `opening` in JSON.
        steps: In order.
        turns: The model's turns and the observations, in order.
        ranking: Numbers of candidates, from 1, best first; None of an invalid trajectory.
        fault: Reason why it is invalid; None for a valid one.
        cost: The model's calls and tokens.
        ms: Milliseconds of the whole run.
    """

    agent: str
    model: str
    dialect: str
    seed: int
    initial_prompt: tuple[tuple[str, str], ...] = msgspec.field(name="opening")
    steps: tuple[AgentStep, ...]
    turns: tuple[AgentTurn, ...] = ()
    ranking: tuple[int, ...] | None
    fault: TrajectoryFault | None = None
    cost: TokenUsage = TokenUsage()
    ms: float = 0.0

    @property
    def is_valid(self) -> bool:
        """Whether the run ended with a ranking, within its limits."""
        return self.ranking is not None

    @property
    def tool_calls(self) -> int:
        """The number of tool calls."""
        return sum(step.call is not None for step in self.steps)
