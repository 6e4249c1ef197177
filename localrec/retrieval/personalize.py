"""Personalize the retrieval of a question for a user with a history.

The question still decides which items are retrieved. Items that fit the user move up; disliked
and postponed items are left out as long as other candidates remain.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Mask, Scores
from localrec.data.query import Query
from localrec.graph.user_profile import UserProfile
from localrec.retrieval.retrievers import Retriever
from localrec.retrieval.search_query import RankedItems, SearchParams, SearchQuery

_WIDER = 4  # candidates looked at, per candidate wanted
_PULL = 0.35  # share of the user's scores in the order; the rest is the question's
DISLIKED_BELOW = -0.3  # a strength from which an item is left out (two stars and fewer)


def personalize(retriever: Retriever, scores: Scores) -> Retriever:
    """Return a retriever that reorders its best candidates by the user's scores, (n,)."""

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
    """Return the pool without disliked and postponed items, or the pool itself if none is left."""
    kept = pool & ~disliked_mask(user_profile)
    return kept if kept.any() else pool


def disliked_mask(user_profile: UserProfile) -> Mask:
    """Mark the items that the user dislikes or postponed a short while ago, (n,)."""
    left_out = user_profile.hidden.copy()
    left_out[user_profile.items[user_profile.strengths <= DISLIKED_BELOW]] = True
    return left_out


def state_mask(user_profile: UserProfile, query: Query) -> Mask:
    """Mark the items whose state is the one that a question asks for, (n,).

    Met is what the user had, rated or put off; on the list is what they want to have later.
    """
    mask = np.ones_like(user_profile.known)
    if query.met is not None:
        mask &= user_profile.known == query.met
    if query.on_list is not None:
        wanted = user_profile.wanted
        listed = np.zeros_like(mask) if wanted is None else wanted
        mask &= listed == query.on_list
    return mask


def _standing(scores: Scores) -> NDArray[np.float64]:
    """Scores as places from 0 (fits least) to 1 (fits best); equal scores share a place."""
    _, place = np.unique(scores, return_inverse=True)
    return place / max(1, int(place.max()))
