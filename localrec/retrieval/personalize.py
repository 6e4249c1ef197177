"""A question asked by somebody with a history: the same retrieval, inclined towards their taste.

The question stays in charge. Of the items it retrieved, those that fit the person move up; what
the person cannot stand, or does not want now, is left out as long as something else is left.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Mask, Scores
from localrec.graph.user_profile import UserProfile
from localrec.retrieval.retrievers import Retriever
from localrec.retrieval.search_query import RankedItems, SearchParams, SearchQuery

_WIDER = 4  # candidates looked at, per candidate wanted
_PULL = 0.35  # share of the person in the order; the rest is the question's
DISLIKED_BELOW = -0.3  # a strength from which an item is left out (two stars and fewer)


def personalize(retriever: Retriever, scores: Scores) -> Retriever:
    """The same retriever, its best candidates reordered by how well they fit a person, (n,)."""

    def retrieve(query: SearchQuery, pool: Mask, setting: SearchParams) -> RankedItems:
        found = retriever(query, pool, setting)
        count = min(len(found.items), _WIDER * setting.k)
        if count < 2:
            return found
        items = found.items[:count]
        asked = np.linspace(1.0, 0.0, count)
        merit = (1 - _PULL) * asked + _PULL * _standing(scores[items])
        order = np.argsort(-merit, kind="stable")
        rest = slice(count, None)
        return RankedItems(
            np.concatenate([items[order], found.items[rest]]),
            np.concatenate([found.scores[:count][order], found.scores[rest]]),
        )

    return retrieve


def exclude_disliked(user_profile: UserProfile, pool: Mask) -> Mask:
    """The pool without what the person dislikes or put off; the pool itself where that is all."""
    kept = pool & ~disliked_mask(user_profile)
    return kept if kept.any() else pool


def disliked_mask(user_profile: UserProfile) -> Mask:
    """What the person dislikes or put off a short while ago, (n,)."""
    left_out = user_profile.hidden.copy()
    left_out[user_profile.items[user_profile.strengths <= DISLIKED_BELOW]] = True
    return left_out


def _standing(scores: Scores) -> NDArray[np.float64]:
    """Scores as places from 0 (fits least) to 1 (fits best); equal scores share a place."""
    _, place = np.unique(scores, return_inverse=True)
    return place / max(1, int(place.max()))
