"""From a task to its algorithm."""

from __future__ import annotations

from collections.abc import Callable

from localrec.graph.catalogue import Mask
from localrec.retrieval.attributes import retrieve_by_looks
from localrec.retrieval.base import Query, Ranked, Setting
from localrec.retrieval.containers import retrieve_by_container
from localrec.retrieval.expansion import retrieve_by_expansion
from localrec.retrieval.similarity import retrieve_by_likeness
from localrec.types import TaskKind

Retriever = Callable[[Query, Mask, Setting], Ranked]

RETRIEVERS: dict[TaskKind, Retriever] = {
    TaskKind.C1: retrieve_by_looks,
    TaskKind.C2: retrieve_by_container,
    TaskKind.C3: retrieve_by_expansion,
    TaskKind.C4: retrieve_by_likeness,
}
