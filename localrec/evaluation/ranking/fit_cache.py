"""What several systems of a run learn alike from the training rows: learnt once, then handed on.

Whoever takes over what was learnt before is told how long that took, so that nobody's fit looks as
if it cost nothing.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

import msgspec
import numpy as np

from localrec.agent.tool_context import SequenceEncoder
from localrec.data.interactions import Interactions
from localrec.foundation.progress import Progress
from localrec.index.sequential import build_sequential_model
from localrec.memory.collaborative_memory import CollaborativeMemory
from localrec.memory.from_log import ItemSet, build_collaborative_memory
from localrec.ranking.baselines.neural import make_sasrec
from localrec.ranking.baselines.neural.configs import SASRecConfig

Found = TypeVar("Found")


class FittedModel(msgspec.Struct, Generic[Found], frozen=True):
    """What was learnt from training rows.

    Args:
        found: It.
        seconds: That learning it took.
        is_new: Whether it was learnt now, or had been before.
    """

    found: Found
    seconds: float
    is_new: bool

    @property
    def spared_s(self) -> float:
        """Seconds that whoever takes it need not spend."""
        return 0.0 if self.is_new else self.seconds


class FitCache:
    """Learns from the same rows with the same seed once, for all who ask.

    The last fit of each kind is kept, as all systems of a run learn from the same rows.

    Args:
        knowledge: About the items.
    """

    def __init__(self, knowledge: ItemSet) -> None:
        self._knowledge = knowledge
        self._kept: dict[str, tuple[Hashable, FittedModel[Any]]] = {}

    def __reduce__(self) -> tuple[type[FitCache], tuple[ItemSet]]:
        # Another process gets a system that is fitted, and needs no more than that one holds.
        return FitCache, (self._knowledge,)

    def collaborative_memory(
        self, train: Interactions, progress: Progress
    ) -> FittedModel[CollaborativeMemory]:
        """The shared memory that the rows make."""

        def count() -> CollaborativeMemory:
            progress("counting who likes what", 0, 0)
            return build_collaborative_memory(train, self._knowledge)

        return self._once("collective", _mark(train), count)

    def sequential(
        self, train: Interactions, seed: int, progress: Progress
    ) -> FittedModel[SequenceEncoder]:
        """A sequential model of the rows.

        Raises:
            UsageError: torch is not installed.
        """
        key = (_mark(train), seed)
        return self._once("sequential", key, lambda: _trained(train, seed, progress))

    def _once(self, kind: str, key: Hashable, learn: Callable[[], Found]) -> FittedModel[Found]:
        known, kept = self._kept.get(kind, (None, None))
        if kept is not None and known == key:
            return msgspec.structs.replace(kept, is_new=False)
        started = time.perf_counter()
        fit = FittedModel(learn(), time.perf_counter() - started, is_new=True)
        self._kept[kind] = (key, fit)
        return fit


def _trained(train: Interactions, seed: int, progress: Progress) -> SequenceEncoder:
    """SASRec of the training rows as the catalogue of baselines has it; people as numbered there.

    Raises:
        UsageError: torch is not installed.
    """
    network = make_sasrec(SASRecConfig())
    network.fit(train, seed, progress)
    histories = [train.item[train.rows_of(person)] for person in range(train.users)]
    return build_sequential_model(network.export(), histories)


def _mark(train: Interactions) -> Hashable:
    """Changes with any row: arrays may have been written to since, so that identity says little."""
    digest = hashlib.blake2b(digest_size=16)
    for column in (train.user, train.item, train.stars, train.at):
        digest.update(np.ascontiguousarray(column).tobytes())
    return digest.digest(), train.users, train.items
