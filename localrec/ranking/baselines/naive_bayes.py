"""localrec's own counted ranking where only interactions are known: popularity and neighbours.

The scores are those of `ranking/preference_features.py`, called and not copied, on an
`InteractionMatrix` of the training data; so the product's counted evidence is measured beside the
other baselines. Attributes and text similarity, which the product adds, do not belong in a
comparison on interactions alone. Histories have no ratings, so every history item counts as liked.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.interaction_matrix import InteractionMatrix
from localrec.data.interactions import Interactions
from localrec.foundation.progress import Progress
from localrec.graph.user_profile import UserProfile
from localrec.index.interaction_cache import LIKED_FROM
from localrec.ranking.history_reasons import ExplainedByHistory
from localrec.ranking.preference_features import cooccurrence_scores, popularity_scores
from localrec.ranking.recommender import ScoreRequests, SettingValue


class NaiveBayesConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Configure which ratings count as likes.

    Args:
        liked_from: Stars from which on a rating is a liking; what has none is one. The default is
            the product's own; 0.5 takes every rating.
    """

    liked_from: Annotated[float, msgspec.Meta(ge=0.5, le=5.0)] = LIKED_FROM


class NaiveBayes(ExplainedByHistory):
    """Score log P(j) plus, for each history item i, a damped log P(j | i) - log P(j)."""

    name = "naive-bayes"

    def __init__(self, config: NaiveBayesConfig) -> None:
        self.settings: dict[str, SettingValue] = msgspec.to_builtins(config)
        self._config = config

    def fit(self, train: Interactions, seed: int, progress: Progress) -> None:
        """Count the likes; the seed has no effect, since nothing is drawn."""
        self._interactions = InteractionMatrix.from_likes(train, self._config.liked_from)
        self._popularity = popularity_scores(self._interactions)

    def score(self, requests: ScoreRequests) -> NDArray[np.float32]:
        """Score all items, (b, items); by popularity for an empty history."""
        scores = np.empty((len(requests), len(self._popularity)), dtype=np.float32)
        for row, history in enumerate(requests.histories):
            each_once = np.array(list(dict.fromkeys(history.tolist())), dtype=np.int32)
            user_profile = UserProfile.from_history(each_once, len(self._popularity))
            scores[row] = self._popularity + cooccurrence_scores(user_profile, self._interactions)
        return scores
