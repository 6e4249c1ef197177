"""The default list: the learnt ranker, or counted evidence until it is learnt.

Learning runs in the background (`localrec learn`). Its result is a cache beside the store; a
history is always read fresh, so a new rating counts in the next list.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from localrec.data.interaction_matrix import InteractionMatrix
from localrec.data.interactions import Interactions
from localrec.explanation.deciding_reasons import DecidingReasonBuilder
from localrec.foundation.progress import Progress
from localrec.foundation.settings import learning_is_on
from localrec.foundation.text import clean_name
from localrec.graph.catalogue import Catalogue
from localrec.graph.user_profile import UserProfile
from localrec.index.embedded_fields import EmbeddedField
from localrec.ranking.configs import RANKERS, EvidenceConfig
from localrec.ranking.learned.stored import (
    FEWEST_ROWS,
    LearnedRanking,
    learn_from_log,
    open_ranking,
)
from localrec.ranking.recommender import ScoreRequests
from localrec.systems.auto import EvidenceRecommender, evidence_parts
from localrec.systems.scored_items import ScoredItems
from localrec.workspace.domain_context import DomainContext

_LIKED, _ABANDONED, _DISLIKED = 5.0, 1.5, 0.5  # stars of a word without stars
_CERTAIN = 0.5  # strength from which something is liked or disliked, not only met


class LearnedRecommender(EvidenceRecommender):
    """Recommend and rank by the learnt ranker of a domain.

    Args:
        catalogue: The items and attributes.
        interactions: The likes of all users.
        field: The vectors of descriptions; None where there are none.
        config: The kinds of evidence that count until something is learnt.
        counted: Ranks until something is learnt, and users who met nothing yet.
        open_ranking: Opens the learnt ranker; None where there is none.
        user_node: The node id of a user; None for a cold-start user.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        interactions: InteractionMatrix,
        field: EmbeddedField | None,
        config: EvidenceConfig,
        *,
        counted: EvidenceRecommender,
        open_ranking: Callable[[], LearnedRanking | None],
        user_node: Callable[[str], int | None],
    ) -> None:
        super().__init__(catalogue, interactions, field, config)
        self._counted = counted
        self._open_ranking, self._user_node = open_ranking, user_node

    def fit(self, train: Interactions, seed: int, progress: Progress) -> None:
        """Learn from a log, where it has enough rows and learning is not switched off."""
        super().fit(train, seed, progress)
        self._counted.fit(train, seed, progress)
        ranking = None
        if learning_is_on() and len(train) >= FEWEST_ROWS:
            from localrec.memory.user_summaries import build_item_features  # a list needs none

            progress("learning what counts", 0, 0)
            rows = self.in_catalogue(train)
            features = build_item_features(self._catalogue, self._field)
            ranking = learn_from_log(rows, self._catalogue, features, seed, progress)
            self.settings["kinds"] = ", ".join(ranking.ranker.used_kinds)
        self._ranking = ranking
        self._open_ranking, self._user_node = lambda: ranking, int

    def score_items(self, user: str, user_profile: UserProfile) -> ScoredItems:
        """Score all items for a list, higher is better."""
        return self._scored(user, user_profile) or self._counted.score_items(user, user_profile)

    def score_to_rank(self, user: str, user_profile: UserProfile) -> ScoredItems:
        """Score all items for the order of given candidates."""
        return self._scored(user, user_profile) or self._counted.score_to_rank(user, user_profile)

    def score_request(self, requests: ScoreRequests, row: int) -> ScoredItems:
        """Score the items of the catalogue for one request."""
        user = "" if requests.user[row] < 0 else str(requests.user[row])
        return self.score_items(user, self._profile_of(requests, row))

    def _scored(self, user: str, user_profile: UserProfile) -> ScoredItems | None:
        """Score by the learnt ranker; None without one, or without a history."""
        met = user_profile.known[user_profile.items] if len(user_profile) else np.zeros(0, bool)
        if not met.any() or self._ranking is None:
            return None
        account = self._ranking.account(
            self._user_node(user) if user else None,
            user_profile.items[met],
            _stars(user_profile)[met],
            _days(user_profile)[met],
        )
        used = self._ranking.ranker.used_kinds
        builder = DecidingReasonBuilder(
            clean_name(user), user_profile, self._catalogue, self._interactions, account
        )
        answered_by = {"ranking": "learned", **dict.fromkeys(used, "measured")}
        return ScoredItems(account.scores, user_profile, builder, answered_by)

    @cached_property
    def _ranking(self) -> LearnedRanking | None:
        return self._open_ranking()


def learned_recommender(context: DomainContext, counted: EvidenceRecommender) -> LearnedRecommender:
    """Combine the learnt ranker of a domain with counted evidence as its fallback."""
    return LearnedRecommender(
        *evidence_parts(context, RANKERS["auto"]),
        counted=counted,
        open_ranking=lambda: open_ranking(context.indexes.folder, context.catalogue),
        user_node=context.user_id,
    )


def _stars(profile: UserProfile) -> NDArray[np.float32]:
    """Return the rating of each item, with feedback as a rating too, (m,)."""
    said = np.select(
        [
            profile.strengths >= _CERTAIN,
            profile.strengths < -_CERTAIN,
            profile.strengths == -_CERTAIN,
        ],
        [_LIKED, _DISLIKED, _ABANDONED],
        np.nan,
    )
    return np.where(np.isnan(profile.stars), said, profile.stars).astype(np.float32)


def _days(profile: UserProfile) -> NDArray[np.float64]:
    """Return the day of each item in days since 1970; NaN where unknown, (m,)."""
    return np.full(len(profile), np.nan) if profile.days is None else profile.days
