"""The best items of a recommender for some histories, without what the histories hold."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import largest_places
from localrec.ranking.recommender import Recommender, ScoreRequests


class ListsItems(ABC):
    """A fitted recommender that finds its best items without scoring all others.

    A base class and no protocol, since asking an object for a protocol's methods takes as long as
    a sixth of a list.
    """

    @abstractmethod
    def best_items(self, history: NDArray[np.int32], k: int) -> NDArray[np.int32]:
        """Return the k best items outside a history, best first; equal ones by index."""


def top_items(recommender: Recommender, requests: ScoreRequests, k: int) -> list[NDArray[np.int32]]:
    """Return the k best items of each request, best first; equal ones by index.

    Items of the history and items that the recommender cannot rank are left out, so that there may
    be fewer than k.
    """
    if isinstance(recommender, ListsItems):
        return [recommender.best_items(history, k) for history in requests.histories]
    found = []
    for scores, history in zip(recommender.score(requests), requests.histories, strict=True):
        scores[history] = -np.inf
        best = largest_places(scores, k)
        found.append(best[scores[best] > -np.inf].astype(np.int32))
    return found
