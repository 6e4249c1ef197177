"""Share what several systems of a run learn from the same training rows.

A system that reuses earlier work is told how long that took, so that no fit looks free.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

import msgspec
import numpy as np

from localrec.data.interactions import Interactions
from localrec.foundation.progress import Progress
from localrec.graph.catalogue import Catalogue
from localrec.index.sequential import SequentialModel, build_sequential_model
from localrec.ranking.baselines.neural import make_sasrec
from localrec.ranking.baselines.neural.configs import SASRecConfig
from localrec.workspace.domain_context import SharedIndexes
from localrec.workspace.log_context import LogContext
from localrec.workspace.model_pool import Models

Made = TypeVar("Made")


class OpenedLog(msgspec.Struct, frozen=True):
    """A log as a domain of a workspace, and the seconds of earlier work on it."""

    context: LogContext
    spared_s: float


class LogContexts:
    """Open training rows for one system after the other; the last of each kind are kept.

    Args:
        indexes: The items of the domain.
        catalogue: Their snapshot, without anybody's own links.
    """

    def __init__(self, indexes: SharedIndexes, catalogue: Catalogue) -> None:
        self._indexes = indexes
        self.catalogue = catalogue
        self._counted: _Kept[LogContext] = _Kept()
        self._trained: _Kept[SequentialModel] = _Kept()

    def __reduce__(self) -> tuple[type[LogContexts], tuple[SharedIndexes, Catalogue]]:
        # Another process gets a system that is fitted, and needs no more than that one holds.
        return LogContexts, (self._indexes, self.catalogue)

    def open(
        self,
        log: Interactions,
        seed: int,
        models: Models,
        progress: Progress,
        *,
        sequential: bool = False,
    ) -> OpenedLog:
        """Open rows with their shared counts, made once.

        Args:
            log: The rows, in the numbers of the catalogue.
            seed: Seed of the sequential model.
            models: The opened models of the system.
            progress: Called with the step, how much of it is done, and of how much.
            sequential: Whether a sequential model is trained on the rows.

        Raises:
            UsageError: torch is not installed.
        """
        mark, model, spared_s = _mark(log), None, 0.0

        def count() -> LogContext:
            progress("counting who likes what", 0, 0)
            context = LogContext(self._indexes, log, catalogue=self.catalogue)
            assert context.collaborative_memory is not None
            return context

        if sequential:
            model, spared_s = self._trained.once(
                (mark, seed), lambda: _train_sequential(log, seed, progress)
            )
        counted, also_spared_s = self._counted.once(mark, count)
        return OpenedLog(counted.shared_with(models, model), spared_s + also_spared_s)


class _Kept(Generic[Made]):
    """The last value, and the seconds it took."""

    def __init__(self) -> None:
        self._last: tuple[Hashable, Made, float] | None = None

    def once(self, key: Hashable, make: Callable[[], Made]) -> tuple[Made, float]:
        """Return the value of a key, and the seconds that the cache saved."""
        if self._last is not None and self._last[0] == key:
            return self._last[1:]
        started = time.perf_counter()
        made = make()
        self._last = (key, made, time.perf_counter() - started)
        return made, 0.0


def _train_sequential(log: Interactions, seed: int, progress: Progress) -> SequentialModel:
    """Train the catalogue's SASRec on the rows; users keep their numbers.

    Raises:
        UsageError: torch is not installed.
    """
    network = make_sasrec(SASRecConfig())
    network.fit(log, seed, progress)
    histories = [log.item[log.rows_of(user)] for user in range(log.users)]
    return build_sequential_model(network.export(), histories)


def _mark(log: Interactions) -> Hashable:
    """Hash the rows, since their arrays may be written to."""
    digest = hashlib.blake2b(digest_size=16)
    for column in (log.user, log.item, log.stars, log.at):
        digest.update(np.ascontiguousarray(column).tobytes())
    return digest.digest(), log.users, log.items
