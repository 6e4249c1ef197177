"""What the person did: lately, and by the stars they gave."""

from __future__ import annotations

import numpy as np

from localrec.agent.desk import Desk
from localrec.agent.findings import companions, standing
from localrec.agent.registry import Observation, tool
from localrec.agent.suite.items import counted
from localrec.agent.wording import ago, bare, best_of, fitted, titled
from localrec.graph.catalogue import Indexes, Mask
from localrec.retrieval.collaboration import attribute_match

_GAP = 6 / 24  # days without a deed that part two sessions
_SESSIONS = 3
_NEWEST = 10  # items that stand for a session where no days are known
_NAMED = 3  # attributes of a session
_HIGH, _LOW = 4.0, 3.0  # stars


@tool
def get_session_behaviour(desk: Desk) -> Observation:
    """Tell the latest sessions, oldest first, and which candidates go with the newest items."""
    if not len(desk.history):
        return Observation(["They have no history."])
    scores = companions(desk)
    newest = [titled(desk.reference.titles[item]) for item in desk.history[::-1][:_SESSIONS]]
    return Observation(
        [
            *(
                _sessions(desk)
                or [_told(desk, "No times are known. Lately", desk.history[-_NEWEST:])]
            ),
            fitted("The newest are", newest),
            *best_of("Most often taken up together with the newest", scores),
        ],
        scores,
    )


@tool
def get_rating_behaviour(desk: Desk) -> Observation:
    """Tell what they rated high, middling and low, and which candidates are like the high ones."""
    if not len(desk.history):
        return Observation(["They have no history."])
    matches = attribute_match(desk.history, desk.strengths, desk.reference.collective.graph)
    scores = standing(desk, matches)
    best = best_of("Most like what they rated high and unlike the low", scores)
    stars = desk.stars
    bare_word, disliked = np.isnan(stars), desk.strengths < 0
    groups = {
        "High, 4 stars and more": stars >= _HIGH,
        "Middling": (stars >= _LOW) & (stars < _HIGH),
        "Low, less than 3 stars": stars < _LOW,
        "Without stars, disliked": bare_word & disliked,
        "Without stars, taken as liked": bare_word & ~disliked,
    }
    lines = [_rated(desk, lead, group) for lead, group in groups.items() if group.any()]
    return Observation([*best, *lines], scores)


def _sessions(desk: Desk) -> list[str]:
    """A line for each of the latest sessions; none where no days are known."""
    dated = np.flatnonzero(~np.isnan(desk.days))
    days = desk.days[dated]
    begins = np.flatnonzero(np.append(True, np.diff(days) > _GAP)[: len(days)])
    parts = np.split(dated, begins[1:])[-_SESSIONS:] if len(dated) else []
    now = float(np.nanmax(days)) if len(days) and np.isnan(desk.now) else desk.now
    return [
        _told(desk, f"{_capital(ago(max(0.0, now - desk.days[part[-1]])))}", desk.history[part])
        for part in parts
    ]


def _told(desk: Desk, when: str, items: Indexes) -> str:
    """How many items, and what most of them are."""
    reference = desk.reference
    groups = counted(reference, items)
    chosen = sorted(groups, key=lambda one: (-len(groups[one]), one))[:_NAMED]
    names = [f"{bare(reference.attributes[one].name)} {len(groups[one])}" for one in chosen]
    many = "1 item" if len(items) == 1 else f"{len(items)} items"
    return fitted(f"{when}, {many}:", names or ["of no known kind"])


def _rated(desk: Desk, lead: str, group: Mask) -> str:
    """The titles of one group, newest first."""
    titles = desk.reference.titles
    return fitted(f"{lead}:", [titled(titles[item]) for item in desk.history[group][::-1]])


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
