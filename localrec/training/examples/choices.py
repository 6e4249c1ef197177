"""Lists out of what people chose next, for a reranker to learn from.

    rows that no protocol holds out     known 8/10              | chosen 2/10

Memories are counted from the rows that are known, as when a reranker is judged; of a person are
shown those before the choice. The candidates beside it are drawn as an evaluation draws them, and
stand in the order of what speaks where no model judges. An adapter may be measured by any of the
three protocols: what that one holds out taught it nothing (`taught_rows.py`).

Every fourth person is asked about in the validation half alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from typing import NamedTuple

import numpy as np

from localrec.domains import load_domain
from localrec.errors import InputError, UsageError
from localrec.evaluation.cases import Cases, Protocol, part
from localrec.evaluation.dataset import read_interactions
from localrec.evaluation.guards import check_parted, check_store
from localrec.evaluation.memories import Knowledge, count_collective, once
from localrec.evaluation.systems import Workbench
from localrec.progress import Progress
from localrec.retrieval.base import Scores
from localrec.retrieval.collaboration import Collective, Portraits
from localrec.systems.catalog import ranker_plan
from localrec.systems.memrec import (
    NO_FACETS,
    AgentConfig,
    MemRec,
    told_of_items,
    told_of_person,
)
from localrec.training.episodes import joined
from localrec.training.examples.base import Half, wordings_of
from localrec.training.examples.reranker import LISTED, RightList
from localrec.training.taught_rows import taught_rows
from localrec.workspace import Workspace

_SYSTEMS = ("memrec-model-counted", "isolated-agent")  # told of others, and told of nobody else
_FEWEST_PEOPLE = 4  # fewer cannot be parted


class _Way(NamedTuple):
    """How candidates are judged: what the model is told, and what speaks in its place."""

    told: AgentConfig
    stand_in: MemRec


class Choices:
    """The right lists of a domain's people.

    Args:
        cases: What was chosen when, each time among `LISTED` candidates.
        knowledge: About the items.
        collective: What was known before any of the choices.
        seed: Of the order in which they come.
    """

    def __init__(
        self, cases: Cases, knowledge: Knowledge, collective: Collective, seed: int
    ) -> None:
        self._cases = cases
        self._singular = knowledge.domain.singular
        self._seed = seed
        self._portraits = Portraits(
            collective.graph, knowledge.attributes, knowledge.titles, knowledge.barred
        )
        self._ways = [_way(name, collective) for name in _SYSTEMS]

    def lists(self, half: Half) -> Iterator[RightList]:
        """All lists of one half, in an order drawn by lot, judged in every way by turns."""
        people = wordings_of(np.unique(self._cases.person).tolist(), half)
        theirs = np.flatnonzero(np.isin(self._cases.person, people))
        order = np.random.default_rng(self._seed).permutation(theirs).tolist()
        return map(self._list, order, cycle(self._ways))

    def _list(self, case: int, way: _Way) -> RightList:
        items, weights = once(self._cases.histories[case])
        asked_as = int(self._cases.asked_as[case])
        remembered = way.stand_in.remember(items, weights, asked_as)
        synthesis = NO_FACETS if remembered is None else remembered.synthesis
        scores = way.stand_in.scores(items, weights, asked_as)
        ranked = self._ranked(case, scores)
        return RightList(
            context=told_of_person(self._portraits, items, synthesis),
            candidates=told_of_items(self._portraits, ranked, way.told),
            singular=self._singular,
            wording=(f"person {self._cases.person[case]}",),
        )

    def _ranked(self, case: int, scores: Scores) -> list[int]:
        """The choice, and behind it the others as the stand-in has them."""
        assert self._cases.candidates is not None  # the protocol asks for some
        choice = int(self._cases.positives[case][0])
        others = [one for one in self._cases.candidates[case].tolist() if one != choice]
        return [choice, *sorted(others, key=lambda one: -scores[one])]


def open_choices(
    workspace: Workspace, domain_name: str, seed: int, progress: Progress
) -> Choices | None:
    """What the people of a domain chose next; None where they did too little to part it.

    Args:
        workspace: Open for reading; it may be closed again behind this.
        domain_name: One that has items.
        seed: Of the candidates, and of the order.
        progress: Hears what is being counted.

    Raises:
        LeakError: the store tells by itself what somebody chose.
    """
    domain = load_domain(domain_name)
    try:
        keyed = read_interactions(workspace.store, domain)
        parted = part(taught_rows(keyed.interactions), _protocol(seed))
    except (InputError, UsageError):
        return None
    chosen = joined(parted.validation, parted.test)
    if len(np.unique(chosen.person)) < _FEWEST_PEOPLE:
        return None
    check_parted(parted)
    check_store(workspace.store, chosen, keyed)
    progress("counting who likes what", 0, 0)
    knowledge = Workbench(workspace, domain, keyed, parted).knowledge
    collective = count_collective(parted.train, knowledge, write=True)
    return Choices(chosen, knowledge, collective, seed)


def _protocol(seed: int) -> Protocol:
    return Protocol(split="by-time", candidates=LISTED, seed=seed)


def _way(name: str, collective: Collective) -> _Way:
    plan = ranker_plan(name)
    assert isinstance(plan.judge, AgentConfig) and plan.memory is not None
    return _Way(plan.judge, MemRec(collective, plan.memory))
