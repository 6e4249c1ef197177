"""Near misses: allowed items that fail exactly one constraint, for an answer that is too short."""

from __future__ import annotations

import numpy as np

from localrec.graph.user_profile import UserProfile
from localrec.retrieval.candidates import CandidateSet
from localrec.retrieval.personalize import disliked_mask
from localrec.retrieval.search_query import RankedItems, SearchQuery


def near_misses(
    query: SearchQuery, pool: CandidateSet, wanted: int, user_profile: UserProfile | None = None
) -> RankedItems:
    """Return the nearest `wanted` items that fail exactly one constraint.

    Items with an excluded attribute and items that the user dislikes never count as near misses.
    """
    close = np.zeros_like(pool.items)
    if wanted > 0 and pool.demands:
        missed = np.sum([~demand.mask for demand in pool.demands], axis=0)
        close = pool.allowed & (missed == 1) & ~pool.items
    if user_profile is not None:
        close &= ~disliked_mask(user_profile)
    items = np.flatnonzero(close).astype(np.int32)
    scores = query.similarity(items)
    best = np.argsort(-scores, kind="stable")[: max(wanted, 0)]
    return RankedItems(items[best], scores[best])
