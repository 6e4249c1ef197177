"""Random order: the lower bound for every recommender.

Each request has its own generator, seeded by the seed, the user and the history, so that scores do
not depend on batches or on where a run was resumed.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.interactions import Interactions
from localrec.data.reasons import Reasons
from localrec.foundation.progress import Progress
from localrec.ranking.history_reasons import no_reason
from localrec.ranking.recommender import ScoreRequests, SettingValue


class RandomOrderConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Has no settings."""


class RandomOrder:
    """Draw scores evenly from 0..1."""

    name = "random"

    def __init__(self, config: RandomOrderConfig) -> None:
        self.settings: dict[str, SettingValue] = msgspec.to_builtins(config)

    def fit(self, train: Interactions, seed: int, progress: Progress) -> None:
        """Keep the seed and the number of items."""
        self._seed, self._items = seed, train.items

    def score(self, requests: ScoreRequests) -> NDArray[np.float32]:
        """Draw scores that depend on seed and request alone, (b, items)."""
        scores = np.empty((len(requests), self._items), dtype=np.float32)
        for row, history in enumerate(requests.histories):
            user = int(requests.user[row]) + 1  # seeds are not negative
            generator = np.random.default_rng([self._seed, user, *history.tolist()])
            scores[row] = generator.random(self._items, dtype=np.float32)
        return scores

    def explain(self, requests: ScoreRequests, row: int, item: int) -> Reasons:
        """Say that chance decides."""
        return no_reason("The order is drawn by chance.")
