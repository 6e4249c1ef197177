"""Recommenders that score one user profile at a time, from the store or from a log.

Opened over a workspace, such a recommender knows the store's users. `fit` replaces them by an
interaction log, so that an evaluation measures the recommender that makes lists, and not a copy.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Indexes, Mask, Scores
from localrec.data.interaction_matrix import InteractionMatrix
from localrec.data.interactions import Interactions, days_of
from localrec.data.questions import RankRequest
from localrec.data.reasons import Reasons, template_reasons
from localrec.foundation.progress import Progress
from localrec.graph.catalogue import Catalogue
from localrec.graph.user_profile import UserProfile
from localrec.index.interaction_cache import LIKED_FROM
from localrec.ranking.recommender import ScoreRequests, SettingValue
from localrec.systems.scored_items import ScoredItems


class LogRequests:
    """Convert the rows and requests of an interaction log to a catalogue's numbers.

    Args:
        catalogue: The items.

    Attributes:
        places: The catalogue's number of each item of the log, (items,).
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self.places = np.arange(len(catalogue), dtype=np.int32)

    def number(self, train: Interactions) -> None:
        """Find a log's items by node id; a log without node ids has the catalogue's numbers."""
        if len(train.item_nodes):
            self.places = self._catalogue.indexes_of(train.item_nodes)

    def in_catalogue(self, train: Interactions) -> Interactions:
        """Return the same rows with the catalogue's item numbers."""
        items = len(self._catalogue)
        nodes = self._catalogue.node_ids
        return msgspec.structs.replace(
            train, item=self.places[train.item], items=items, item_nodes=nodes
        )

    def profile_of(
        self,
        history: Indexes,
        stars: Scores | None = None,
        days: NDArray[np.float64] | None = None,
    ) -> UserProfile:
        """Return the user profile of a log's history."""
        return UserProfile.from_history(self.places[history], len(self._catalogue), stars, days)


class ProfileRecommender(LogRequests, ABC):
    """A `Recommender` by the scores that a subclass gives the items for a user profile.

    Args:
        catalogue: The items and attributes.
        interactions: The users' likes.
    """

    name = ""
    settings: dict[str, SettingValue]

    def __init__(self, catalogue: Catalogue, interactions: InteractionMatrix) -> None:
        super().__init__(catalogue)
        self._interactions = interactions
        self.settings = {}

    @property
    def interactions(self) -> InteractionMatrix:
        """The likes in use."""
        return self._interactions

    def fit(self, train: Interactions, seed: int, progress: Progress) -> None:
        """Count the likes of a log, and drop the store's users."""
        self.number(train)
        self._interactions = InteractionMatrix.from_likes(self.in_catalogue(train), LIKED_FROM)

    def score(self, requests: ScoreRequests) -> NDArray[np.float32]:
        """Score all items of the log; in a history without ratings every item counts as liked."""
        scores = np.empty((len(requests), len(self.places)), dtype=np.float32)
        for row in range(len(requests)):
            scores[row] = self.score_request(requests, row).scores[self.places]
        return scores

    def explain(self, requests: ScoreRequests, row: int, item: int) -> Reasons:
        """Explain an item's place for one of the requests, by the reasons that a list has."""
        return self.reasons(self.score_request(requests, row), [int(self.places[item])])

    @abstractmethod
    def score_items(self, user: str, user_profile: UserProfile) -> ScoredItems:
        """Score all items for a user, higher is better, (n,)."""

    def score_to_rank(self, user: str, user_profile: UserProfile) -> ScoredItems:
        """Score all items for the order of given candidates."""
        return self.score_items(user, user_profile)

    def score_for_list(
        self, user: str, user_profile: UserProfile, fresh: Mask, k: int
    ) -> ScoredItems:
        """Score the items that may be on a list of k; others may get -inf."""
        return self.score_items(user, user_profile)

    def score_for_request(
        self, request: RankRequest, user_profile: UserProfile, items: Sequence[int]
    ) -> ScoredItems:
        """Score the candidates of a request that the catalogue knows; others may get -inf."""
        return self.score_to_rank(request.user or "", user_profile)

    def reasons(self, fit: ScoredItems, items: Sequence[int]) -> Reasons:
        """Explain the places of some items, in order."""
        return template_reasons(map(fit.reason_builder.facts, items))

    def score_request(self, requests: ScoreRequests, row: int) -> ScoredItems:
        """Score the items of the catalogue for one request."""
        profile = self._profile_of(requests, row)
        if requests.candidates is None:
            return self.score_items("", profile)
        return self.score_to_rank("", profile)

    def _profile_of(self, requests: ScoreRequests, row: int) -> UserProfile:
        """The history of one request, in the catalogue's numbers."""
        return self.profile_of(
            requests.histories[row],
            requests.stars[row] if requests.stars else None,
            days_of(requests.at[row]) if requests.at else None,
        )
