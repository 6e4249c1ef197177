"""What every baseline is: fitted on interactions once, then scoring all items for many histories.

Full ranking, a few candidates and strangers all read the same scores, so a baseline has one
implementation whatever the protocol asks.
"""

from __future__ import annotations

from typing import Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.interactions import Interactions
from localrec.foundation.progress import Progress

SettingValue = bool | float | int | str


class ScoreRequests(msgspec.Struct, frozen=True):
    """Whom to score all items for.

    Args:
        user: Index in the training data, -1 for a cold-start user, (b,) int32.
        histories: Items of each, oldest first.
    """

    user: NDArray[np.int32]
    histories: tuple[NDArray[np.int32], ...]

    def __len__(self) -> int:
        return len(self.user)


class Recommender(Protocol):
    """A recommender that is fitted once; `settings` are what it was fitted with."""

    name: str
    settings: dict[str, SettingValue]

    def fit(self, train: Interactions, seed: int, progress: Progress) -> None:
        """Learn from interactions; the same seed gives the same scores."""
        ...

    def score(self, requests: ScoreRequests) -> NDArray[np.float32]:
        """Scores of all items, higher is better, (b, items); -inf for what it cannot rank."""
        ...
