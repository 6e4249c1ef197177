"""What every baseline is: fitted on interactions once, then scoring all items for many histories.

Full ranking, a few candidates and strangers all read the same scores, so a baseline has one
implementation whatever the protocol asks.
"""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.progress import Progress

Setting = bool | float | int | str


class Interactions(msgspec.Struct, frozen=True, dict=True):
    """Who did what when, ordered by person, then time, then the order of the data.

    Args:
        person: 0..people - 1, ascending, (m,) int32.
        item: 0..items - 1, (m,) int32.
        stars: Rating, NaN where none was given, (m,) float32.
        at: When, (m,) datetime64[s].
        people: How many there are, those without a row too.
        items: How many there are, those without a row too.
    """

    person: NDArray[np.int32]
    item: NDArray[np.int32]
    stars: NDArray[np.float32]
    at: NDArray[np.datetime64]
    people: int
    items: int

    def __len__(self) -> int:
        return len(self.person)

    @cached_property
    def first_row(self) -> NDArray[np.int64]:
        """Where each person's rows begin, and the end, (people + 1,)."""
        return np.searchsorted(self.person, np.arange(self.people + 1)).astype(np.int64)

    def rows_of(self, person: int) -> slice:
        """The rows of one person, oldest first."""
        return slice(int(self.first_row[person]), int(self.first_row[person + 1]))


class Requests(msgspec.Struct, frozen=True):
    """Whom to score all items for.

    Args:
        person: Index in the training data, -1 for a stranger, (b,) int32.
        histories: Items of each, oldest first.
    """

    person: NDArray[np.int32]
    histories: tuple[NDArray[np.int32], ...]

    def __len__(self) -> int:
        return len(self.person)


class Baseline(Protocol):
    """A recommender that is fitted once; `settings` are what it was fitted with."""

    name: str
    settings: dict[str, Setting]

    def fit(self, train: Interactions, seed: int, progress: Progress) -> None:
        """Learn from interactions; the same seed gives the same scores."""
        ...

    def score(self, requests: Requests) -> NDArray[np.float32]:
        """Scores of all items, higher is better, (b, items); -inf for what it cannot rank."""
        ...
