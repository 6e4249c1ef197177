"""Lists and rankings from a history alone: `recommend --system auto` and its ablations.

Four kinds of evidence are added up (`ranking/preference_features.py`). Leaving some out gives the
baselines and ablations. A history counts from its first item on, whether it comes from the store or
with the request.
"""

from __future__ import annotations

import numpy as np

from localrec.data.interaction_matrix import InteractionMatrix
from localrec.explanation.reason_builder import ReasonBuilder
from localrec.foundation.errors import UsageError
from localrec.foundation.text import clean_name
from localrec.graph.catalogue import Catalogue
from localrec.graph.user_profile import UserProfile
from localrec.index.embedded_fields import EmbeddedField
from localrec.ranking import preference_features
from localrec.ranking.configs import RANKERS, EvidenceConfig
from localrec.systems.item_recommender import ItemRecommender
from localrec.systems.scored_items import ScoredItems
from localrec.workspace.domain_context import DomainContext


class EvidenceRecommender(ItemRecommender):
    """Recommend and rank for the users of one domain.

    Example:
        `SYSTEM_REGISTRY.recommender(context, "popularity").recommend(user, profile, 10)` makes a
        list of 10 items, where `profile` is `context.user_profile(user)`.

    Args:
        catalogue: Items and attributes.
        interactions: The likes of all users.
        field: Vectors of the text that describes items; None where there are none.
        config: The kinds of evidence that count.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        interactions: InteractionMatrix,
        field: EmbeddedField | None,
        config: EvidenceConfig,
    ) -> None:
        super().__init__(catalogue, interactions)
        self._field = field
        self._config = config

    def score_items(self, user: str, user_profile: UserProfile) -> ScoredItems:
        """Score all items for a user profile, higher is better, (n,)."""
        scores = np.zeros(len(self._catalogue), dtype=np.float32)
        if self._config.popularity:
            scores += preference_features.popularity_scores(self._interactions)
        if self._config.neighbours:
            scores += preference_features.cooccurrence_scores(user_profile, self._interactions)
        if self._config.attributes:
            scores += preference_features.attribute_scores(user_profile, self._catalogue)
        if self._config.content_similarity and self._field is not None:
            scores += preference_features.content_similarity(
                user_profile, self._catalogue, self._field
            )
        reason_builder = ReasonBuilder(
            clean_name(user), user_profile, self._catalogue, self._interactions
        )
        return ScoredItems(scores, user_profile, reason_builder, self._answered_by(user_profile))

    def _answered_by(self, user_profile: UserProfile) -> dict[str, str]:
        """List the kinds of evidence with different scores for different items."""
        has_taste = bool((user_profile.strengths != 0).any())
        used = {
            "popularity": self._config.popularity and self._interactions.user_count > 0,
            "neighbours": self._config.neighbours
            and has_taste
            and self._interactions.user_count > 0,
            "attributes": self._config.attributes and has_taste,
            "nearness": self._config.content_similarity and has_taste and self._field is not None,
        }
        return {kind: "measured" if differs else "silent" for kind, differs in used.items()}


EvidenceParts = tuple[Catalogue, InteractionMatrix, EmbeddedField | None, EvidenceConfig]


def evidence_parts(context: DomainContext, config: EvidenceConfig) -> EvidenceParts:
    """Open the parts of an `EvidenceRecommender`."""
    field = context.description_field if config.content_similarity else None
    return context.catalogue, context.interactions, field, config


def evidence_config(name: str) -> EvidenceConfig:
    """Return the configuration of a system that needs no shared memory.

    Raises:
        UsageError: there is no such system.
    """
    name = "auto" if name == "auto-counted" else name
    if name not in RANKERS:
        raise UsageError(
            f"There is no system {name!r} that ranks.", f"Systems: {', '.join(RANKERS)}."
        )
    return RANKERS[name]
