"""Fuse the scores of the agent's tools without a model: its deterministic counterpart.

Each call that compares candidates is a kind of evidence, named by how it is written: a tool with an
argument from a closed set gives one kind for each word. The scores share a unit (`features.py`), so
they are weighted without scaling. Constraints come first: a candidate that meets more of them
stands above all that meet fewer.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from localrec.agent.tool_context import ToolContext
from localrec.agent.tool_registry import Tool
from localrec.agent.tools import TOOLS
from localrec.data.arrays import Scores
from localrec.data.trajectory import AgentStep, ToolCall, Trajectory
from localrec.foundation.errors import UsageError
from localrec.memory.fusion import FusionWeights, fit_weights

# Rounded from fits on the validation items of MovieLens 100K, with a sequential model and without:
# what was fitted without one, and that model's weight besides, does as well as each fit by itself.
DEFAULT_TOOL_WEIGHTS = FusionWeights(
    weights={
        "get_user_profile()": 0.1,
        "get_session_behaviour()": 1.1,
        "get_rating_behaviour()": 0.05,
        "candidates_analyze(category)": 0.2,
        "candidates_analyze(year)": 0.1,
        "candidates_analyze(popularity)": 0.2,
        "likely_next()": 1.0,
        "get_similar_users()": 0.1,
        "shared_taste()": 0.45,
    }
)

_NAME = "agenticrec-fused"


class ToolFusion:
    """Rank candidates by the fused scores of tools, without a model.

    Args:
        tools: The tools that may be asked.
        weights: Weight of each kind of evidence; tools without a weight are not asked.
    """

    def __init__(
        self, tools: Sequence[Tool] = TOOLS, weights: FusionWeights = DEFAULT_TOOL_WEIGHTS
    ) -> None:
        self._weights = weights.weights
        self._evidence_calls = {
            kind: (tool, call)
            for kind, (tool, call) in evidence_calls(tools).items()
            if kind in self._weights
        }

    def run(self, tool_context: ToolContext, seed: int = 0) -> tuple[Trajectory, Scores]:
        """Rank all candidates; return the order, every tool call and the scores, (c,).

        Args:
            tool_context: The request.
            seed: Only put on record.

        Raises:
            UsageError: there are no candidates.
        """
        if not len(tool_context.candidates):
            raise UsageError("Without candidates there is nothing to rank.")
        begun = time.perf_counter()
        steps: list[AgentStep] = []
        found: dict[str, Scores | None] = {}
        for kind, (tool, call) in self._evidence_calls.items():
            asked = time.perf_counter()
            said = tool.observe(tool_context, call)
            found[kind] = said.scores
            tool_ms = 1000 * (time.perf_counter() - asked)
            steps.append(AgentStep(call=call, observation=said.text, tool_ms=tool_ms))
        scores = self._fuse(tool_context, found)
        order = np.argsort(-scores, kind="stable")
        trajectory = Trajectory(
            agent=_NAME,
            model="",
            dialect="",
            seed=seed,
            initial_prompt=(),
            steps=tuple(steps),
            ranking=tuple((order + 1).tolist()),
            ms=1000 * (time.perf_counter() - begun),
        )
        return trajectory, scores

    def _fuse(self, tool_context: ToolContext, found: dict[str, Scores | None]) -> Scores:
        total = np.zeros(len(tool_context.candidates))
        for kind, scores in found.items():
            if scores is not None:
                total += self._weights[kind] * scores
        if tool_context.demands and len(total):
            held = np.sum([one.holds for one in tool_context.demands], axis=0)
            total += held * (1.0 + np.ptp(total))
        return total.astype(np.float32)


def fit_tool_fusion(
    tool_contexts: Sequence[ToolContext], targets: Sequence[int], tools: Sequence[Tool] = TOOLS
) -> FusionWeights:
    """Fit the weights so that the chosen items rank high.

    Args:
        tool_contexts: Requests with equally many candidates each.
        targets: Number of the candidate that was taken, from 1, of each request.
        tools: The tools that may be asked.
    """
    kinds = evidence_calls(tools)
    lines = []
    for tool_context in tool_contexts:
        said = [tool.observe(tool_context, call).scores for tool, call in kinds.values()]
        silent = np.zeros(len(tool_context.candidates), dtype=np.float32)
        lines.append(np.stack([silent if one is None else one for one in said], axis=1))
    values = np.stack(lines) if lines else np.zeros((0, 0, len(kinds)))
    speaks = np.flatnonzero(values.any(axis=(0, 1)))
    names = [list(kinds)[place] for place in speaks.tolist()]
    return fit_weights(names, values[:, :, speaks], np.asarray(targets, dtype=np.int64) - 1)


def evidence_calls(tools: Sequence[Tool]) -> dict[str, tuple[Tool, ToolCall]]:
    """List the calls whose arguments come from closed sets, by how they are written."""
    return {_written(call): (tool, call) for tool in tools for call in _calls(tool)}


def _calls(tool: Tool) -> Iterator[ToolCall]:
    if all(one.kind == "word" for one in tool.parameters):
        for words in product(*(one.words for one in tool.parameters)):
            names = (one.name for one in tool.parameters)
            yield ToolCall(tool=tool.name, arguments=dict(zip(names, words, strict=True)))


def _written(call: ToolCall) -> str:
    return f"{call.tool}({', '.join(map(str, call.arguments.values()))})"
