"""Our own rankers as systems under test, fed with the training interactions and nothing else.

`localrec rank` counts who liked what from the store, where the held-out rows lie; here the same
ranker counts from the training rows. Items, their attributes and the vectors of their texts do
come from the store: `guards` looks whether the held-out people left a trace there.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.interaction_matrix import InteractionMatrix
from localrec.data.interactions import Interactions
from localrec.foundation.progress import Progress
from localrec.graph.catalogue import Catalogue
from localrec.graph.user_profile import UserProfile
from localrec.index.embedded_fields import EmbeddedField
from localrec.index.interaction_cache import LIKED_FROM
from localrec.ranking.configs import EvidenceConfig
from localrec.ranking.recommender import ScoreRequests, SettingValue
from localrec.systems.auto import EvidenceRecommender


class PersonalSystem:
    """A ranker of `systems/auto.py` behind the interface of a baseline.

    Args:
        name: Its name in `RANKERS`.
        config: The kinds of evidence that count.
        catalogue: The domain's snapshot.
        field: Vectors of the texts that describe items; None where there are none.
        item_nodes: The store's id of each evaluated item, (items,).
    """

    settings: dict[str, SettingValue]

    def __init__(
        self,
        name: str,
        config: EvidenceConfig,
        catalogue: Catalogue,
        field: EmbeddedField | None,
        item_nodes: NDArray[np.int64],
    ) -> None:
        self.name = name
        self.settings = {}
        self._config = config
        self._catalogue = catalogue
        self._field = field
        self.place = np.searchsorted(catalogue.node_ids, item_nodes).astype(np.int32)

    def fit(self, train: Interactions, seed: int, progress: Progress) -> None:
        """Count who liked what."""
        self.audience = interaction_matrix_of(train, self.place, len(self._catalogue))
        self._personal = EvidenceRecommender(
            self._catalogue, self.audience, self._field, self._config
        )

    def score(self, requests: ScoreRequests) -> NDArray[np.float32]:
        """How well each item fits; without stars every item of a history was liked, (b, items)."""
        scores = np.empty((len(requests), len(self.place)), dtype=np.float32)
        for row, history in enumerate(requests.histories):
            stars = requests.stars[row] if requests.stars else None
            profile = UserProfile.from_history(self.place[history], len(self._catalogue), stars)
            scores[row] = self._personal.fit("", profile).scores[self.place]
        return scores


def interaction_matrix_of(
    train: Interactions, place: NDArray[np.int32], size: int
) -> InteractionMatrix:
    """Who liked what, counted from interactions.

    Args:
        train: Each person and item once.
        place: Catalogue index of each item, (items,).
        size: Items in the catalogue.
    """
    rows = msgspec.structs.replace(train, item=place[train.item], items=size)
    return InteractionMatrix.from_likes(rows, LIKED_FROM)
