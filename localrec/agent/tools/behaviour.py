"""Tools that report the user's behaviour: recent sessions and ratings."""

from __future__ import annotations

import numpy as np

from localrec.agent.features import cooccurrence, standardized_among_items
from localrec.agent.observation_text import (
    best_candidates,
    fit_lines,
    time_ago,
    title_text,
    unquoted,
)
from localrec.agent.tool_context import ToolContext
from localrec.agent.tool_registry import Observation, tool
from localrec.agent.tools.items import count_attributes
from localrec.data.arrays import Indexes, Mask
from localrec.memory.collaborative_memory import attribute_evidence

_GAP = 6 / 24  # days without an interaction that part two sessions
_SESSIONS = 3
_NEWEST = 10  # items that stand for a session where no days are known
_NAMED = 3  # attributes of a session
_HIGH, _LOW = 4.0, 3.0  # stars


@tool
def get_session_behaviour(tool_context: ToolContext) -> Observation:
    """Tell the latest sessions, oldest first, and which candidates go with the newest items."""
    if not len(tool_context.history):
        return Observation(["They have no history."])
    scores = cooccurrence(tool_context)
    newest = [
        title_text(tool_context.reference.titles[item])
        for item in tool_context.history[::-1][:_SESSIONS]
    ]
    return Observation(
        [
            *(
                _sessions(tool_context)
                or [
                    _attribute_summary(
                        tool_context, "No times are known. Lately", tool_context.history[-_NEWEST:]
                    )
                ]
            ),
            fit_lines("The newest are", newest),
            *best_candidates("Most often taken up together with the newest", scores),
        ],
        scores,
    )


@tool
def get_rating_behaviour(tool_context: ToolContext) -> Observation:
    """Tell what they rated high, middling and low, and which candidates are like the high ones."""
    if not len(tool_context.history):
        return Observation(["They have no history."])
    matches = attribute_evidence(
        tool_context.history,
        tool_context.strengths,
        tool_context.reference.collaborative_memory.graph,
    )
    scores = standardized_among_items(tool_context, matches)
    best = best_candidates("Most like what they rated high and unlike the low", scores)
    stars = tool_context.stars
    bare_word, disliked = np.isnan(stars), tool_context.strengths < 0
    groups = {
        "High, 4 stars and more": stars >= _HIGH,
        "Middling": (stars >= _LOW) & (stars < _HIGH),
        "Low, less than 3 stars": stars < _LOW,
        "Without stars, disliked": bare_word & disliked,
        "Without stars, taken as liked": bare_word & ~disliked,
    }
    lines = [_rated(tool_context, lead, group) for lead, group in groups.items() if group.any()]
    return Observation([*best, *lines], scores)


def _sessions(tool_context: ToolContext) -> list[str]:
    """Write a line for each recent session; none where no day is known."""
    dated = np.flatnonzero(~np.isnan(tool_context.days))
    days = tool_context.days[dated]
    begins = np.flatnonzero(np.append(True, np.diff(days) > _GAP)[: len(days)])
    parts = np.split(dated, begins[1:])[-_SESSIONS:] if len(dated) else []
    now = float(np.nanmax(days)) if len(days) and np.isnan(tool_context.now) else tool_context.now
    return [
        _attribute_summary(
            tool_context,
            f"{_capital(time_ago(max(0.0, now - tool_context.days[part[-1]])))}",
            tool_context.history[part],
        )
        for part in parts
    ]


def _attribute_summary(tool_context: ToolContext, when: str, items: Indexes) -> str:
    """Write the number of items, and the attribute that most of them share."""
    reference = tool_context.reference
    groups = count_attributes(reference, items)
    chosen = sorted(groups, key=lambda one: (-len(groups[one]), one))[:_NAMED]
    names = [f"{unquoted(reference.attributes[one].name)} {len(groups[one])}" for one in chosen]
    many = "1 item" if len(items) == 1 else f"{len(items)} items"
    return fit_lines(f"{when}, {many}:", names or ["of no known kind"])


def _rated(tool_context: ToolContext, lead: str, group: Mask) -> str:
    """Write the titles of one group, newest first."""
    titles = tool_context.reference.titles
    return fit_lines(
        f"{lead}:", [title_text(titles[item]) for item in tool_context.history[group][::-1]]
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
