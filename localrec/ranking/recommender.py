"""The protocol of recommenders: fit to interactions once, score all items, explain a place.

Full ranking, sampled candidates and unknown users all use the same scores, so a recommender has one
implementation for every protocol.
"""

from __future__ import annotations

from typing import Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.interactions import Interactions
from localrec.data.reasons import Reasons
from localrec.foundation.progress import Progress

SettingValue = bool | float | int | str


class ScoreRequests(msgspec.Struct, frozen=True):
    """The users and histories to score all items for.

    Example:
        `ScoreRequests(np.array([-1], np.int32), (np.array([0, 4], np.int32),))` asks for a
        cold-start user who had the items 0 and 4.

    Args:
        user: Index in the training data, -1 for a cold-start user, (b,) int32.
        histories: Items of each, oldest first.
        stars: The stars of each history, NaN where none were given; empty where none are known.
        at: Time of each item of a history, NaT where unknown; empty where nothing is dated.
        candidates: The items to rank for each, (b, c) int32; None: all items.
    """

    user: NDArray[np.int32]
    histories: tuple[NDArray[np.int32], ...]
    stars: tuple[NDArray[np.float32], ...] = ()
    at: tuple[NDArray[np.datetime64], ...] = ()
    candidates: NDArray[np.int32] | None = None

    def __len__(self) -> int:
        return len(self.user)


class Recommender(Protocol):
    """A recommender that is fitted once; `settings` are those of its fit.

    The lists of the product and the baselines are both one, so an evaluation needs no adapter.
    `ranking/history_reasons` has an `explain` for those that know nothing but interactions.

    Example:
        After `ease = make_baseline("ease")` and `ease.fit(train, 7, no_progress)`,
        `ease.score(requests)` has a row of scores for each request.
    """

    name: str
    settings: dict[str, SettingValue]

    def fit(self, train: Interactions, seed: int, progress: Progress) -> None:
        """Fit to interactions; the same seed gives the same scores."""
        ...

    def score(self, requests: ScoreRequests) -> NDArray[np.float32]:
        """Score all items, higher is better, (b, items); -inf for items that it cannot rank."""
        ...

    def explain(self, requests: ScoreRequests, row: int, item: int) -> Reasons:
        """Give one reason for an item's place in one of the requests.

        Where nothing speaks for the item the reason's text is empty. An evaluation keeps the
        reasons of systems with a shared memory and of a user's own recommenders; `Baseline.explain`
        returns those of a baseline. A list has its reasons from `ProfileRecommender.reasons`.

        Args:
            requests: The requests that were scored.
            row: Number of the request.
            item: The item's index.
        """
        ...
