"""Lists and rankings in which the shared memory of other people takes part.

The fused evidence of MemRec decides from so many liked items on, of lists and of the order of
given candidates apart; `systems/catalog.py` says from how many in each named system, and why. What
the memory does not decide is left to the evidence of `Personal`; histories, pools, dislikes and
"not now" mean the same to both. The memory is opened when it is first needed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import msgspec
import numpy as np

from localrec.explanation.personal import Because, Company
from localrec.graph.catalogue import Catalogue
from localrec.index.audience import Audience
from localrec.index.build import EmbeddedField
from localrec.memory.synthesis import Synthesis
from localrec.reasoning.fusion import FusionWeights
from localrec.retrieval.base import Scores
from localrec.retrieval.collaboration import Collective, Remembered, evidence
from localrec.retrieval.taste import Taste
from localrec.sources.text import clean_name
from localrec.systems.memrec import MemRec, MemRecConfig
from localrec.systems.personal import Fit, Personal, PersonalConfig
from localrec.types import MemoryFacet, MemoryView


class SharedMemory(msgspec.Struct, frozen=True):
    """What rankers read of other people.

    Args:
        collective: The domain's shared memory.
        config: Which of MemRec's parts count.
        weights: Of the kinds of evidence.
        person_of: A person's key -> their number in the graph, -1 for a stranger.
    """

    collective: Collective
    config: MemRecConfig
    weights: FusionWeights
    person_of: Callable[[str], int]


class Remembering(Personal):
    """Recommends and ranks by the shared memory where it is the better judge.

    Args:
        catalogue: Items and attributes.
        audience: Who liked what.
        field: Vectors of the text that describes items; None where there are none.
        config: The kinds of evidence that count where the memory does not.
        open_memory: Opens the domain's.
        lists_from: Liked items from which on lists follow the memory; None: never.
        ranks_from: The same for the order of given candidates.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        audience: Audience,
        field: EmbeddedField | None,
        config: PersonalConfig,
        open_memory: Callable[[], SharedMemory],
        *,
        lists_from: int | None = 0,
        ranks_from: int = 0,
    ) -> None:
        super().__init__(catalogue, audience, field, config)
        self._open_memory = open_memory
        self._lists_from, self._ranks_from = lists_from, ranks_from

    def fit(self, user: str, taste: Taste) -> Fit:
        """Scores of all items for a taste, higher is better, (n,)."""
        if self._lists_from is not None and _liked(taste) >= self._lists_from:
            return self._by_memory(user, taste)
        return self._without_memory(user, taste)

    def fit_to_rank(self, user: str, taste: Taste) -> Fit:
        """The same for the order of given candidates."""
        if _liked(taste) >= self._ranks_from:
            return self._by_memory(user, taste)
        return self._without_memory(user, taste)

    @cached_property
    def _memory(self) -> SharedMemory:
        return self._open_memory()

    @cached_property
    def _system(self) -> MemRec:
        memory = self._memory
        return MemRec(memory.collective, memory.config, memory.weights)

    def _without_memory(self, user: str, taste: Taste) -> Fit:
        fit = super().fit(user, taste)
        return msgspec.structs.replace(fit, spoke={**fit.spoke, "memory": "silent"})

    def _by_memory(self, user: str, taste: Taste) -> Fit:
        collective = self._memory.collective
        person = self._memory.person_of(user) if user else -1
        remembered = self._system.remember(taste.items, taste.liked, person)
        evidence_of_all = evidence(collective, taste.items, taste.strengths, remembered)
        found = {kind: evidence_of_all[kind] for kind in self._memory.config.kinds}
        scores = self._memory.weights.fuse(found).astype(np.float32)
        company = None if remembered is None else Company(collective, remembered)
        return Fit(
            scores=scores,
            taste=taste,
            because=Because(clean_name(user), taste, self._catalogue, self._audience, company),
            spoke={kind: _spoke(values) for kind, values in found.items()}
            | {"memory": "measured" if remembered is not None else "silent"},
            memory=None if remembered is None else view_of(remembered),
        )


def view_of(remembered: Remembered, told: Synthesis | None = None) -> MemoryView:
    """What was remembered, without a word that names anybody.

    Args:
        remembered: Of one history.
        told: Facets that a model was told instead of the counted ones; None: those.
    """
    people = int(remembered.curated.neighbours.is_person.sum())
    return MemoryView(
        neighbours={"people": people, "items": len(remembered.curated) - people},
        facets=tuple(
            MemoryFacet(text=facet.text, confidence=facet.confidence, supporters=facet.supporters)
            for facet in (told or remembered.synthesis).facets
        ),
    )


def _liked(taste: Taste) -> int:
    return int((taste.strengths > 0).sum())


def _spoke(values: Scores) -> str:
    known = values[np.isfinite(values)]
    return "measured" if len(known) and float(np.ptp(known)) > 0 else "silent"
