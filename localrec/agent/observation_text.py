"""Format observations: untrusted text that cannot leave its line, within a length limit.

Titles, attribute names and descriptions come from files that anybody may have written. A title is
quoted, without quotation marks inside, and never cut. An attribute name is not quoted, so it loses
quotation marks and brackets; only candidate numbers have brackets here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from localrec.agent.prompts import DOUBLE_QUOTES, quoted
from localrec.data.arrays import Scores
from localrec.foundation.text import clean_text

LONGEST_LINE = 190  # characters; an observation cuts lines that are longer than 200
BEST = 5  # candidates that a line names where tools compare them

_LONGEST_TITLE = 60
_LONGEST_NAME = 40
_TAIL = len(" and 9999 more")
_BARE = str.maketrans(
    {
        **dict.fromkeys(DOUBLE_QUOTES, "'"),
        **dict.fromkeys("[［【", "("),
        **dict.fromkeys("]］】", ")"),
    }
)
_HOUR = 1 / 24
_SPANS = ((730.0, 365.25, "years"), (60.0, 30.44, "months"), (2.0, 1.0, "days"))


def title_text(title: str) -> str:
    """Quote a title so that it cannot close its quotation marks."""
    return quoted(title, _LONGEST_TITLE)


def unquoted(name: str, longest: int = _LONGEST_NAME) -> str:
    """Remove quotation marks and brackets from an untrusted name."""
    return clean_text(name, longest).translate(_BARE).rstrip("< ")


def candidate_numbers(candidates: Iterable[int]) -> str:
    """Write candidate places, from 0, as the numbers that the agent sees: "[1], [4]"."""
    return ", ".join(f"[{place + 1}]" for place in candidates)


def fit_lines(lead: str, parts: Sequence[str]) -> str:
    """Write as many parts as fit on a line, and the number of those left out."""
    line, room = lead, LONGEST_LINE - _TAIL
    for count, part in enumerate(parts):
        joint = ", " if count else " "
        if len(line) + len(joint) + len(part) > room:
            return f"{line} and {len(parts) - count} more"
        line += joint + part
    return line


def wrapped(lead: str, parts: Sequence[str]) -> list[str]:
    """Write short parts on as many lines as needed, without breaking any part."""
    lines = [lead]
    for count, part in enumerate(parts):
        joint = ", " if count else " "
        if len(lines[-1]) + len(joint) + len(part) > LONGEST_LINE:
            lines.append(part)
        else:
            lines[-1] += joint + part
    return lines


def best_candidates(lead: str, scores: Scores | None) -> list[str]:
    """Write the best-scored candidates on a line; nothing where all scores are equal."""
    told = best_places(scores)
    return [f"{lead}: {candidate_numbers(told)}"] if told else []


def best_places(scores: Scores | None) -> list[int]:
    """Return the places of the candidates that `best_of` names, from 0, best first."""
    if scores is None or not len(scores):
        return []
    order = np.argsort(-scores, kind="stable")[:BEST]
    return [place for place in order.tolist() if scores[place] > scores.min()]


def time_ago(days: float) -> str:
    """Say how long ago a moment was."""
    if days < 2 * _HOUR:
        return "within the last two hours"
    for least, length, unit in _SPANS:
        if days >= least:
            return f"{round(days / length)} {unit} ago"
    return f"{round(days / _HOUR)} hours ago"
