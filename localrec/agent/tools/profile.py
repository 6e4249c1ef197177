"""The tool that describes the user in words."""

from __future__ import annotations

import re

from localrec.agent.features import text_similarity
from localrec.agent.observation_text import LONGEST_LINE, best_candidates, unquoted
from localrec.agent.tool_context import ToolContext
from localrec.agent.tool_registry import Observation, tool

_LONGEST = 480  # characters of a memory
_WORD = re.compile(r'"[^"]*"\S*|\S+')  # a title is one word: no line is broken within


@tool
def get_user_profile(tool_context: ToolContext) -> Observation:
    """Tell what is remembered of the person, and which candidates read like what they had."""
    told = unquoted(tool_context.profile, _LONGEST) or tool_context.reference.memory_texts.of_user(
        tool_context.history
    )
    scores = text_similarity(tool_context)
    return Observation(
        [
            *(_lines(told) or ["Nothing is remembered of this person yet."]),
            *best_candidates(
                "Candidates whose texts are nearest to those of their history", scores
            ),
        ],
        scores,
    )


def _lines(text: str) -> list[str]:
    lines: list[str] = []
    for word in _WORD.findall(text):
        if lines and len(lines[-1]) + 1 + len(word) <= LONGEST_LINE:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines
