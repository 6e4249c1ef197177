"""Rank the candidates of one request by an agent with tools (AgenticRec 2026, section 4).

    agenticrec              a frozen model thinks, calls tools and ranks
    agenticrec-reasoning    the same model without tools
    agenticrec-scripted     a script calls the same tools for every request, then the model ranks
    agenticrec-fused        the weighted scores of the tools, without a model

The model ranks its first K candidates; the others follow in the order of the fused scores. An
invalid trajectory leaves all candidates to the fused scores, and its fault is recorded.
"""

from __future__ import annotations

import msgspec
import numpy as np

from localrec.agent.configs import AgenticRecConfig
from localrec.agent.loop import run_agent, run_scripted
from localrec.agent.tool_context import ToolContext
from localrec.agent.tool_fusion import ToolFusion
from localrec.agent.tools import TOOLS
from localrec.data.arrays import Scores
from localrec.data.trajectory import ToolCall, Trajectory
from localrec.foundation.errors import UsageError
from localrec.llm.chat_model import ChatModel

# Each compares all candidates at once, so that one call each is enough.
SCRIPT: tuple[ToolCall, ...] = tuple(
    ToolCall(tool=name)
    for name in ("get_user_profile", "get_session_behaviour", "likely_next", "shared_taste")
)


class AgentRanking(msgspec.Struct, frozen=True, kw_only=True):
    """The ranking of an agent, and how it was made.

    Args:
        order: Places of all candidates, from 0, best first.
        ranked: The number of candidates that the agent itself ranked first; the rest is fused.
        scores: Fused scores of the candidates, (c,); None where a model ranked.
        trajectory: The agent's steps.
    """

    order: tuple[int, ...]
    ranked: int
    scores: Scores | None
    trajectory: Trajectory


class AgenticRec:
    """Ranks candidates by an agent.

    Args:
        name: Name of the composition, for the record.
        config: The agent's mode and limits.
        model: A chat model that the caller opens and closes; None where no model is asked.

    Raises:
        UsageError: there is no model where one is to act.
    """

    def __init__(self, name: str, config: AgenticRecConfig, model: ChatModel | None = None) -> None:
        if config.asks_model and model is None:
            raise UsageError(f"{name} needs a model.")
        self._name = name
        self._config = config
        self._model = model
        self._fused = ToolFusion()

    def rank(self, tool_context: ToolContext, seed: int = 0) -> AgentRanking:
        """Rank every candidate once, best first.

        Args:
            tool_context: The request.
            seed: Seed of every random choice; not negative.

        Raises:
            UsageError: there are no candidates.
            ModelError: the model cannot be used, or was stopped.
        """
        trajectory, scores = self._fused.run(tool_context, seed)
        if self._model is not None and self._config.asks_model:
            trajectory = self._act(self._model, tool_context, seed)
        by_model = trajectory.is_valid and bool(trajectory.model)
        first = tuple(number - 1 for number in trajectory.ranking or ())
        ahead = set(first)
        rest = (one for one in np.argsort(-scores, kind="stable").tolist() if one not in ahead)
        return AgentRanking(
            order=(*first, *rest),
            ranked=len(first),
            scores=None if by_model else scores,
            trajectory=trajectory,
        )

    def _act(self, model: ChatModel, tool_context: ToolContext, seed: int) -> Trajectory:
        config, name = self._config, self._name
        if config.mode == "scripted":
            return run_scripted(model, tool_context, TOOLS, SCRIPT, config, seed, name=name)
        tools = () if config.mode == "reasoning" else TOOLS
        return run_agent(model, tool_context, tools, config, seed, name=name)
