"""MemRec (Chen et al. 2026): neighbours curated by rules, their taste as facets, a fused ranking.

A history finds its neighbours in the graph of who likes what, rules choose the few that count,
facets say what those share, and every kind of evidence that this yields is weighed by weights that
were fitted on held-out items. Each stage can be left out, which gives the ablations of the paper's
Table 4; an isolated memory is what is left without the others.

Nothing here asks a model; `prompted` variants are composed from the same parts where one is bound.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from localrec.graph.catalogue import Indexes
from localrec.reasoning.fusion import FusionWeights, fit_weights, standardised
from localrec.retrieval.base import Scores
from localrec.retrieval.collaboration import (
    COLLABORATIVE,
    OWN,
    Collective,
    Kind,
    Remembered,
    evidence,
    remember,
)

NEGATIVES = 49  # drawn beside each item that weights are fitted to find
FEWEST_CASES = 50  # to fit weights on


class MemRecConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which of MemRec's parts a system has.

    Args:
        read: Look at neighbours at all; without, popularity and the person's own memory are left.
        popularity: Count how many like an item; an isolated memory does not.
        rules: Curate by the domain's rules; without, by the weight of the edges.
        write: Keep the shared memory up to date; without, it stays as it was half-way.
        neighbours: How many are kept (k of the paper).
        facets: How many at most (N_f of the paper).
    """

    read: bool = True
    popularity: bool = True
    rules: bool = True
    write: bool = True
    neighbours: int = 16
    facets: int = 7

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of evidence that count."""
        shared: tuple[Kind, ...] = ("popularity",) if self.popularity else ()
        return (*shared, *(COLLABORATIVE if self.read else ()), *OWN)


MEMREC: dict[str, MemRecConfig] = {
    "memrec": MemRecConfig(),
    "memrec-no-read": MemRecConfig(read=False),
    "memrec-no-rules": MemRecConfig(rules=False),
    "memrec-no-write": MemRecConfig(write=False),
    "isolated-memory": MemRecConfig(read=False, popularity=False),
}

# Fitted by `scripts/evaluate_memory.py --weights` on held-out training items of MovieLens 100K:
# where a workspace knows too few people to fit its own, these count.
USUAL_WEIGHTS = FusionWeights(
    weights={
        "popularity": 0.1,
        "companions": 1.1,
        "neighbours": 0.4,
        "votes": 0.1,
        "facets": 0.05,
        "attributes": 0.2,
        "texts": 0.1,
    }
)


class MemRec:
    """Scores all items for a history.

    Args:
        collective: The domain's shared memory.
        config: Which parts it has.
        weights: Of the kinds of evidence.
    """

    def __init__(
        self, collective: Collective, config: MemRecConfig, weights: FusionWeights = USUAL_WEIGHTS
    ) -> None:
        self._collective = (
            collective if config.rules else msgspec.structs.replace(collective, rules=None)
        )
        self._config = config
        self._weights = weights

    def remember(self, items: Indexes, weights: Scores, person: int = -1) -> Remembered | None:
        """What the neighbourhood of a history says; None where nobody is looked at."""
        if not self._config.read:
            return None
        config = self._config
        return remember(
            self._collective,
            items,
            weights,
            person=person,
            k=config.neighbours,
            facets=config.facets,
        )

    def evidence(self, items: Indexes, weights: Scores, person: int = -1) -> dict[Kind, Scores]:
        """The kinds of evidence that count, each over all items, (n,)."""
        remembered = self.remember(items, weights, person)
        found = evidence(self._collective, items, weights, remembered)
        return {kind: found[kind] for kind in self._config.kinds}

    def scores(self, items: Indexes, weights: Scores, person: int = -1) -> Scores:
        """How well each item fits, (n,).

        Args:
            items: The history, oldest first, each once, (h,).
            weights: How much each is liked, (h,).
            person: Whose history it is in the graph; -1 for a stranger.
        """
        return self._weights.fuse(self.evidence(items, weights, person)).astype(np.float32)

    def fit(
        self,
        histories: Sequence[Indexes],
        taken: Indexes,
        people: Indexes,
        seed: int,
    ) -> FusionWeights:
        """Fit the weights to find what was taken next, among evenly drawn others, and keep them.

        Args:
            histories: Oldest first, without what was taken; the shared memory must not have it.
            taken: What came next, (b,).
            people: Whose history each is in the graph, (b,).
            seed: Of the others.
        """
        if len(taken) < FEWEST_CASES:
            return self._weights
        generator = np.random.default_rng(seed)
        lines = []
        for history, item, person in zip(histories, taken.tolist(), people.tolist(), strict=True):
            found = self.evidence(history, np.ones(len(history), dtype=np.float32), person)
            values = np.stack([standardised(found[kind].astype(np.float64)) for kind in found])
            others = _others(history, item, values.shape[1], generator)
            lines.append(values[:, [item, *others]].T)
        self._weights = fit_weights(self._config.kinds, np.stack(lines), np.zeros(len(lines)))
        return self._weights


def _others(history: Indexes, item: int, size: int, generator: np.random.Generator) -> list[int]:
    """Items that were neither had nor taken; with few items some come twice."""
    free = np.ones(size, dtype=bool)
    free[history] = False
    free[item] = False
    pool = np.flatnonzero(free)
    if not len(pool):
        return [item] * NEGATIVES
    drawn: list[int] = generator.choice(pool, NEGATIVES, replace=len(pool) < NEGATIVES).tolist()
    return drawn
