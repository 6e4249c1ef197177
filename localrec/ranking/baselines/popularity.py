"""Popularity: the number of users of each item, for every request alike.

With a half-life old interactions count less, measured from the newest interaction of the training
data: the popularity of "now", which is the stronger baseline where fashions change (Ji et al., "A
Re-visit of the Popularity Baseline in Recommender Systems", SIGIR 2020).
"""

from __future__ import annotations

from typing import Annotated

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.evidence import Fact
from localrec.data.interactions import Interactions
from localrec.data.reasons import Reasons, template_reasons
from localrec.foundation.progress import Progress
from localrec.foundation.prose import count_of
from localrec.ranking.history_reasons import no_reason
from localrec.ranking.recommender import ScoreRequests, SettingValue

_DAY = np.timedelta64(1, "D")


class PopularityConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Configure the count.

    Args:
        half_life_days: After so many days an interaction counts half; 0: all count the same.
    """

    half_life_days: Annotated[float, msgspec.Meta(ge=0.0)] = 0.0


class Popularity:
    """Score items by the number of their users, weighted by recency.

    Example:
        `Popularity(PopularityConfig(half_life_days=90.0)).fit(train, 7, no_progress)`
    """

    name = "popularity"

    def __init__(self, config: PopularityConfig) -> None:
        self.settings: dict[str, SettingValue] = msgspec.to_builtins(config)
        self._config = config

    def fit(self, train: Interactions, seed: int, progress: Progress) -> None:
        """Count the users; of a user's interactions with one item the newest counts."""
        pairs = train.user.astype(np.int64) * max(train.items, 1) + train.item
        # The rows of a user stand in order of time, so the last of a pair is its newest.
        newest = len(pairs) - 1 - np.unique(pairs[::-1], return_index=True)[1]
        weights = _weights(train.at[newest], self._config.half_life_days)
        counts = np.bincount(train.item[newest], weights, minlength=train.items)
        self._scores = counts.astype(np.float32)
        self._users = np.bincount(train.item[newest], minlength=train.items)

    def score(self, requests: ScoreRequests) -> NDArray[np.float32]:
        """Repeat the counts for each request, (b, items)."""
        return np.tile(self._scores, (len(requests), 1))

    def explain(self, requests: ScoreRequests, row: int, item: int) -> Reasons:
        """Count the users of the item."""
        count = int(self._users[item])
        if not count:
            return no_reason(f"Nobody of the training data has item {item}.")
        aged = ", and the newer ones count more" if self._config.half_life_days else ""
        return template_reasons([[Fact(f"was taken by {count_of(count, 'user')}{aged}", ())]])


def _weights(at: NDArray[np.datetime64], half_life_days: float) -> NDArray[np.float64]:
    """Compute 2 ** (-age / half-life) of each moment; an unknown one counts as the oldest."""
    dated = ~np.isnat(at)
    if half_life_days == 0.0 or not dated.any():
        return np.ones(len(at))
    ages = np.full(len(at), (at[dated].max() - at[dated].min()) / _DAY)
    ages[dated] = (at[dated].max() - at[dated]) / _DAY
    return np.exp2(-ages / half_life_days)
