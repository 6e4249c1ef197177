"""Tools that check constraints and find paths in the graph of items and attributes."""

from __future__ import annotations

import numpy as np

from localrec.agent.observation_text import title_text, unquoted
from localrec.agent.tool_context import ToolContext
from localrec.agent.tool_registry import Candidate, Observation, tool
from localrec.agent.tools.items import attributes_of

_LONGEST_DEMAND = 120


@tool
def check_demands(tool_context: ToolContext, candidate: Candidate) -> Observation:
    """Check whether a candidate is what the person asks for, point by point."""
    if not tool_context.demands:
        return Observation(["Nothing that they ask can be checked."])
    return Observation(
        [
            f"[{candidate}] {'is' if one.holds[candidate - 1] else 'is not'} as asked: "
            f"{unquoted(one.text, _LONGEST_DEMAND)}"
            for one in tool_context.demands
        ]
    )


@tool
def path_between(tool_context: ToolContext, candidate: Candidate) -> Observation:
    """Tell what joins a candidate to the item of their history that is nearest to it."""
    item = int(tool_context.candidates[candidate - 1])
    titles = tool_context.reference.titles
    lead = f"[{candidate}] {title_text(titles[item])}"
    if not len(tool_context.history):
        return Observation([f"{lead} has no history to be compared with."])
    nearest = _nearest(tool_context, item)
    path = tool_context.reference.path(item, nearest)
    if not path:
        return Observation([f"{lead} shares nothing with their history."])
    return Observation([f"{lead} and, of their history, {title_text(titles[nearest])}", path])


def _nearest(tool_context: ToolContext, item: int) -> int:
    """Find the history item with the most shared attributes by rarity; the newest of equals."""
    item_features = tool_context.reference.item_features
    worth = np.zeros(item_features.attributes, dtype=np.float32)
    own = attributes_of(tool_context.reference, item)
    worth[own] = 1.0 + item_features.rarity[own]
    newest_first = tool_context.history[::-1]
    return int(newest_first[np.argmax(item_features.over_items(worth)[newest_first])])
