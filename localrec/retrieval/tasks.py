"""From a task to its algorithm, and what every algorithm's ranking owes the softer wishes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from localrec.graph.catalogue import Indexes, Mask
from localrec.retrieval.attributes import retrieve_by_looks
from localrec.retrieval.base import Query, Ranked, Setting
from localrec.retrieval.constraints import mask_of
from localrec.retrieval.containers import retrieve_by_container
from localrec.retrieval.expansion import retrieve_by_expansion
from localrec.retrieval.pictured import agreement, by_picture, retrieve_by_picture
from localrec.retrieval.similarity import retrieve_by_likeness
from localrec.types import TaskKind

Retriever = Callable[[Query, Mask, Setting], Ranked]

_ALGORITHMS: dict[TaskKind, Retriever] = {
    TaskKind.C1: retrieve_by_looks,
    TaskKind.C2: retrieve_by_container,
    TaskKind.C3: retrieve_by_expansion,
    TaskKind.C4: retrieve_by_likeness,
}


def retriever_of(task: TaskKind) -> Retriever:
    """The task's algorithm, followed by the softer wishes."""

    def retrieve(query: Query, pool: Mask, setting: Setting) -> Ranked:
        algorithm = retrieve_by_picture if by_picture(query, task) else _ALGORITHMS[task]
        return _prefer(query, algorithm(query, pool, setting))

    return retrieve


def _prefer(query: Query, found: Ranked) -> Ranked:
    """Move items that meet more soft demands forward, the order otherwise kept."""
    met = _soft_demands_met(query, found.items)
    if not met.any():
        return found
    order = np.argsort(-met, kind="stable")
    return Ranked(found.items[order], found.scores[order])


def _soft_demands_met(query: Query, items: Indexes) -> NDArray[np.float32]:
    met = agreement(query, items)
    for constraint in query.intent.constraints:
        if constraint.soft:
            met += mask_of(constraint, query.catalogue)[items] != constraint.barred
    if query.intent.target is None:
        for number, direction in query.intent.order.items():
            values = query.catalogue.numbers[number]
            above = (values[items] - np.nanmedian(values)) * direction
            met += np.nan_to_num(above, nan=-1.0) > 0
    return met
