"""Who the person is, in words."""

from __future__ import annotations

import re

from localrec.agent.desk import Desk
from localrec.agent.findings import texts
from localrec.agent.registry import Observation, tool
from localrec.agent.wording import LONGEST_LINE, bare, best_of

_LONGEST = 480  # characters of a memory
_WORD = re.compile(r'"[^"]*"\S*|\S+')  # a title is one word: no line is broken within


@tool
def get_user_profile(desk: Desk) -> Observation:
    """Tell what is remembered of the person, and which candidates read like what they had."""
    told = bare(desk.profile, _LONGEST) or desk.reference.portraits.of_person(desk.history)
    scores = texts(desk)
    return Observation(
        [
            *(_lines(told) or ["Nothing is remembered of this person yet."]),
            *best_of("Candidates whose texts are nearest to those of their history", scores),
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
