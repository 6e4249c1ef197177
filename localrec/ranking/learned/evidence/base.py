"""The protocol of a kind of evidence: fitted to a log once, then scoring all items.

A fitted kind is a frozen record of arrays, so that saving it needs no code of its own: every array
field goes into the artefact, every number and text beside it. One kind may give several signals,
which are readings of the same fitted arrays, such as a history with and without fading.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, Protocol, runtime_checkable

import msgspec
import numpy as np

from localrec.data.interactions import Interactions, liked_rows
from localrec.data.item_features import ItemFeatures
from localrec.foundation.errors import LocalrecError
from localrec.foundation.progress import Progress
from localrec.ranking.learned.interactions import Floats, Histories
from localrec.ranking.learned.sparse import SparseRows


class FitStoppedError(LocalrecError):
    """A fit ended early on request; its finished parts are kept for the next one."""

    def __init__(self) -> None:
        super().__init__(
            "Learning was stopped before it was done.",
            "Start it again: it goes on behind the last part that was finished.",
        )


ShouldStop = Callable[[], bool]
Signals = dict[str, Floats]

FADES = {"recent": 0.8, "long": 1.0}


class FitContext(msgspec.Struct, frozen=True, kw_only=True):
    """The inputs of a fit.

    Args:
        log: The interactions that may be learnt from.
        side: Attributes and texts of the items.
        seed: Seed of every random choice.
        memory_limit: Most bytes that may be held at once.
        threads: Threads for the training of networks.
        seconds: CPU seconds that a kind should take; a network gives up steps where they run out.
        progress: Called with the progress of a long fit.
        should_stop: Called now and then; a kind raises `FitStoppedError` once it says yes.
        previous: The same kind as it was fitted before on older rows, to continue from.
        checkpoint: Folder that a long training keeps its state in; None keeps nothing.
        mark: Mark of all inputs of the fit; a checkpoint with another mark is not used.
    """

    log: Interactions
    side: ItemFeatures
    seed: int
    memory_limit: int
    threads: int
    progress: Progress
    should_stop: ShouldStop
    previous: FittedEvidence | None = None
    seconds: float = math.inf
    checkpoint: Path | None = None
    mark: str = ""


@runtime_checkable
class FittedEvidence(Protocol):
    """A fitted kind of evidence."""

    kind: ClassVar[str]

    def signals(self, histories: Histories) -> Signals:
        """Compute named signals, scores of all items where higher is better, (b, items) each.

        A history that the kind can say nothing about gets one score for all items.
        """
        ...


FitEvidence = Callable[[FitContext], FittedEvidence | None]


def history_weights(histories: Histories, fade: float, mean_rating: float) -> Floats:
    """Compute the weight of each history item, (m,).

    Each older item counts `fade` times the next newer one. Where the order is not known nothing
    fades: a list of five favourites has no end that is newer. What was rated below the store's
    mean counts half, since it was taken up all the same.
    """
    fading = np.where(histories.ordered[histories.request], fade, 1.0)
    weights = fading**histories.age
    disliked = ~liked_rows(histories.rating, mean_rating)
    return np.where(disliked, 0.5 * weights, weights).astype(np.float32)


def add_rows(rows: SparseRows, histories: Histories, weights: Floats) -> Floats:
    """Sum the rows of each history's items, (b, columns)."""
    scores = np.empty((len(histories), rows.columns), dtype=np.float32)
    bounds = histories.first.tolist()
    for number in range(len(histories)):
        part = slice(bounds[number], bounds[number + 1])
        scores[number] = rows.combine(histories.item[part], weights[part])
    return scores


def check_stop(context: FitContext) -> None:
    """End the fit here if a stop was requested.

    Raises:
        FitStoppedError: the stop flag is up.
    """
    check_stop_flag(context.should_stop)


def check_stop_flag(should_stop: ShouldStop) -> None:
    """End the fit if a stop flag is set, as `check_stop` without a context.

    Raises:
        FitStoppedError: the stop flag is up.
    """
    if should_stop():
        raise FitStoppedError
