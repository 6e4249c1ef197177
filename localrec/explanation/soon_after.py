"""How many of those who liked an item liked each other one within their next few likings."""

from __future__ import annotations

from functools import lru_cache

import msgspec
import numpy as np

from localrec.data.arrays import Offsets, csr_rows
from localrec.data.interaction_matrix import InteractionMatrix

WATCHED = 300  # users of an item whose order is looked at, evenly spread, the same ones each time
STEPS = {5: "five", 10: "ten", 30: "thirty"}  # widths of the look ahead, and their words


class SoonAfter(msgspec.Struct, frozen=True):
    """Counts for one item that came first.

    Args:
        counts: For each width in `STEPS` the users who liked each item so soon, (items,) each.
        watched: Users whose day of the first item is known.
    """

    counts: tuple[Offsets, ...]
    watched: int

    def told(self, item: int, least: int) -> tuple[int, str] | None:
        """Users who came to an item, and how soon in words; None where fewer than `least` did.

        The narrowest look ahead that half of all who came so far have come within is told.
        """
        found = [int(one[item]) for one in self.counts]
        enough = max(least, (found[-1] + 1) // 2)
        for users, word in zip(found, STEPS.values(), strict=True):
            if users >= enough:
                return users, word
        return None


class SoonAfterCounter:
    """Counts who came to what soon after an item, and remembers the items asked about.

    Args:
        audience: Who liked what, and when.
    """

    def __init__(self, audience: InteractionMatrix) -> None:
        self._audience = audience
        self.after = lru_cache(maxsize=16)(self._after)

    def _after(self, source: int) -> SoonAfter:
        audience = self._audience
        users = audience.users_of(source)
        if len(users) > WATCHED:
            users = users[np.linspace(0, len(users) - 1, WATCHED).astype(np.int64)]
        rows = csr_rows(audience.first_item, users)
        owner = np.repeat(np.arange(len(users)), audience.user_likes[users])
        items, days = audience.items[rows], audience.days[rows]
        began = np.full(len(users), np.nan, dtype=np.float32)
        first = items == source
        began[owner[first]] = days[first]
        later = days > began[owner]  # false where either day is unknown
        steps = _steps(owner[later], days[later])
        counts = tuple(
            np.bincount(items[later][steps <= width], minlength=audience.item_count)
            for width in STEPS
        )
        return SoonAfter(counts, int(np.count_nonzero(~np.isnan(began))))


def _steps(owner: Offsets, days: np.ndarray) -> Offsets:
    """How many rows of the same owner lie between the beginning and each row, itself included.

    Of several rows of one moment nobody knows the order, so all count as the last of them.
    """
    order = np.lexsort((days, owner))
    ends = np.ones(len(order), dtype=bool)
    ends[:-1] = np.diff(owner[order]) != 0
    last_of_moment = ends.copy()
    last_of_moment[:-1] |= np.diff(days[order]) != 0
    groups = np.flatnonzero(last_of_moment)
    place = groups[np.searchsorted(groups, np.arange(len(order)))]
    firsts = np.concatenate([[0], np.flatnonzero(ends)[:-1] + 1]) if len(order) else groups
    sizes = np.bincount(owner[order])
    begin = np.repeat(firsts, sizes[sizes > 0])
    steps = np.empty(len(order), dtype=np.int64)
    steps[order] = place - begin + 1
    return steps
