"""What the graph of items and attributes says: what is demanded, and what leads where."""

from __future__ import annotations

import numpy as np

from localrec.agent.desk import Desk
from localrec.agent.registry import Candidate, Observation, tool
from localrec.agent.suite.items import attributes_of
from localrec.agent.wording import bare, titled

_LONGEST_DEMAND = 120


@tool
def check_demands(desk: Desk, candidate: Candidate) -> Observation:
    """Check whether a candidate is what the person asks for, point by point."""
    if not desk.demands:
        return Observation(["Nothing that they ask can be checked."])
    return Observation(
        [
            f"[{candidate}] {'is' if one.holds[candidate - 1] else 'is not'} as asked: "
            f"{bare(one.text, _LONGEST_DEMAND)}"
            for one in desk.demands
        ]
    )


@tool
def path_between(desk: Desk, candidate: Candidate) -> Observation:
    """Tell what joins a candidate to the item of their history that is nearest to it."""
    item = int(desk.candidates[candidate - 1])
    titles = desk.reference.titles
    lead = f"[{candidate}] {titled(titles[item])}"
    if not len(desk.history):
        return Observation([f"{lead} has no history to be compared with."])
    nearest = _nearest(desk, item)
    path = desk.reference.path(item, nearest)
    if not path:
        return Observation([f"{lead} shares nothing with their history."])
    return Observation([f"{lead} and, of their history, {titled(titles[nearest])}", path])


def _nearest(desk: Desk, item: int) -> int:
    """The item of a history that shares most, rare things above all; the newest of equals."""
    traits = desk.reference.traits
    worth = np.zeros(traits.attributes, dtype=np.float32)
    own = attributes_of(desk.reference, item)
    worth[own] = 1.0 + traits.rarity[own]
    newest_first = desk.history[::-1]
    return int(newest_first[np.argmax(traits.over_items(worth)[newest_first])])
