"""MemRec's curation: keep the few neighbours that the rules score highest.

The rules score every neighbour and the best k are kept, with room for both kinds: users show which
items go together, items show alternatives, and one kind's scores may exceed all of the other's.
Without rules the edge weight alone decides, which is the baseline.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Floats
from localrec.foundation.errors import UsageError
from localrec.memory.rules import DROPPED, RuleSet
from localrec.memory.user_item_graph import Neighbours

K = 16  # the paper's number of neighbours
FLOOR = 4  # of each kind, as far as there are so many


class CuratedNeighbours(msgspec.Struct, frozen=True):
    """The chosen neighbours, best first.

    Args:
        neighbours: At most k rows.
        scores: Score of each, falling, (k,) float32.
    """

    neighbours: Neighbours
    scores: Floats

    def __len__(self) -> int:
        return len(self.scores)


def curate(
    neighbours: Neighbours,
    rules: RuleSet | None,
    k: int = K,
    floor_users: int = FLOOR,
    floor_items: int = FLOOR,
) -> CuratedNeighbours:
    """Choose the best k neighbours, with at least some of each kind.

    Whom a rule drops is never chosen, not even to fill a floor: fewer than k may be left. Equal
    scores go by place: users before items, then by index.

    Args:
        neighbours: As `TasteGraph.neighbours_of` gives them.
        rules: Rules that score them; None scores by `edge_weight`.
        k: The number of neighbours to choose.
        floor_users: The fewest users, if there are so many.
        floor_items: The fewest items, if there are so many.

    Raises:
        UsageError: the floors do not fit into k, or a number is below 0.
    """
    if min(k, floor_users, floor_items) < 0 or floor_users + floor_items > k:
        raise UsageError(
            f"At least {floor_users} people and {floor_items} items do not fit into {k} "
            "neighbours.",
            "Ask for more neighbours, or lower the floors.",
        )
    scores = neighbours.edge_weight if rules is None else rules.scores(neighbours)
    ranked = np.argsort(-scores, kind="stable")
    if rules is not None:
        ranked = ranked[scores[ranked] != DROPPED]
    chosen = ranked[_best_with_floors(neighbours.is_user[ranked], k, floor_users, floor_items)]
    return CuratedNeighbours(neighbours.rows(chosen), scores[chosen])


def _best_with_floors(
    is_user: NDArray[np.bool_], k: int, floor_users: int, floor_items: int
) -> NDArray[np.int64]:
    """Return ascending places of a ranking: the minimum of each kind, then the best others."""
    held = np.zeros(len(is_user), dtype=bool)
    held[np.flatnonzero(is_user)[:floor_users]] = True
    held[np.flatnonzero(~is_user)[:floor_items]] = True
    others = np.flatnonzero(~held)[: k - int(held.sum())]
    held[others] = True
    return np.flatnonzero(held)
