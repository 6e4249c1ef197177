"""MemRec (Chen et al.): rule-curated neighbours, facets of their preferences, fused scores.

A history finds its neighbours in the graph of users and items; rules curate a few of them; facets
summarize what these share; fitted weights combine all kinds of evidence. Each stage can be left
out, which gives the ablations of the paper's Table 4; without all stages an isolated memory
remains.

Three rankings exist: `MemRec` fuses evidence, `VectorMemRec` compares memories as vectors, and
`ModelMemRec` (`model_memrec.py`) asks a model about each candidate.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from localrec.data.arrays import Indexes, Scores
from localrec.memory.collaborative_memory import (
    CollaborativeMemory,
    EvidenceKind,
    MemoryContext,
    evidence_scores,
    facet_vectors,
    memory_vectors,
    retrieve_memory,
)
from localrec.memory.configs import MemRecConfig, MemRecModelConfig, MemRecVectorConfig
from localrec.memory.fusion import FusionWeights, fit_weights, standardized
from localrec.memory.rerank_stage import (
    rerank_by_vectors,
)
from localrec.memory.synthesis import Synthesis

NEGATIVES = 49  # drawn beside each item that weights are fitted to find
FEWEST_CASES = 50  # to fit weights on
NO_FACETS = Synthesis(
    facets=(), edges=(), answered_by="measured"
)  # of whoever looks at nobody else


# Where a workspace knows too few users to fit its own. Rounded from a fit on held-out training
# items of MovieLens 100K; facets, which that fit gave a little less than nothing, keep a little.
DEFAULT_WEIGHTS = FusionWeights(
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
    """Score all items for a history.

    Args:
        collaborative_memory: The domain's shared memory.
        config: The parts that it has.
        weights: Weight of each kind of evidence.
    """

    def __init__(
        self,
        collaborative_memory: CollaborativeMemory,
        config: MemRecConfig,
        weights: FusionWeights = DEFAULT_WEIGHTS,
    ) -> None:
        self._collaborative_memory = _ruled(collaborative_memory, config.rules)
        self._config = config
        self._weights = weights

    def retrieve_memory(
        self, items: Indexes, weights: Scores, user: int = -1
    ) -> MemoryContext | None:
        """Retrieve the memory of a history; None where the system uses no neighbours."""
        if not self._config.read:
            return None
        return _memory_context(self._collaborative_memory, self._config, items, weights, user)

    def evidence(
        self, items: Indexes, weights: Scores, user: int = -1
    ) -> dict[EvidenceKind, Scores]:
        """Compute the configured kinds of evidence, each over all items, (n,)."""
        memory_context = self.retrieve_memory(items, weights, user)
        found = evidence_scores(self._collaborative_memory, items, weights, memory_context)
        return {kind: found[kind] for kind in self._config.kinds}

    def scores(self, items: Indexes, weights: Scores, user: int = -1) -> Scores:
        """Score all items, (n,).

        Args:
            items: The history, oldest first, each once, (h,).
            weights: Strength of each like, (h,).
            user: The user's number in the graph; -1 for a cold-start user.
        """
        return self._weights.fuse(self.evidence(items, weights, user)).astype(np.float32)

    def fit(
        self,
        histories: Sequence[Indexes],
        taken: Indexes,
        users: Indexes,
        seed: int,
    ) -> FusionWeights:
        """Fit the weights to rank each next item above evenly drawn others, and keep them.

        Args:
            histories: Histories, oldest item first, without the next items; the shared memory must
                not have these.
            taken: The next item of each history, (b,).
            users: Number in the graph of each history's user, (b,).
            seed: Seed of the draw of other items.
        """
        if len(taken) < FEWEST_CASES:
            return self._weights
        generator = np.random.default_rng(seed)
        lines = []
        for history, item, user in zip(histories, taken.tolist(), users.tolist(), strict=True):
            found = self.evidence(history, np.ones(len(history), dtype=np.float32), user)
            values = np.stack([standardized(found[kind].astype(np.float64)) for kind in found])
            others = _others(history, item, values.shape[1], generator)
            lines.append(values[:, [item, *others]].T)
        self._weights = fit_weights(self._config.kinds, np.stack(lines), np.zeros(len(lines)))
        return self._weights


class VectorMemRec:
    """Score all items by the similarity of their memories to the user's; nothing is fitted.

    Args:
        collaborative_memory: The domain's shared memory; without vectors of texts all items score
        alike. config: How they are compared.
    """

    def __init__(
        self, collaborative_memory: CollaborativeMemory, config: MemRecVectorConfig
    ) -> None:
        self._collaborative_memory = _ruled(collaborative_memory, config.rules)
        self._config = config
        self._memories = memory_vectors(collaborative_memory.graph, config.moved)

    def retrieve_memory(self, items: Indexes, weights: Scores, user: int = -1) -> MemoryContext:
        """Retrieve the memory of a history, in which older items count less."""
        faded = self._faded(weights)
        return _memory_context(self._collaborative_memory, self._config, items, faded, user)

    def scores(
        self,
        items: Indexes,
        weights: Scores,
        user: int = -1,
        memory_context: MemoryContext | None = None,
    ) -> Scores:
        """Score all items, 0 to 1, (n,).

        Args:
            items: The history, oldest first, each once, (h,).
            weights: Strength of each like, (h,).
            user: The user's number in the graph; -1 for a cold-start user.
            memory_context: From `remember`, where that was asked before.
        """
        if memory_context is None:
            memory_context = self.retrieve_memory(items, weights, user)
        facets = facet_vectors(memory_context, self._collaborative_memory.graph, self._memories)
        wanted = np.vstack([self._faded(weights) @ self._memories[items], facets])
        worth = self._config.facets_worth
        worths = [worth * one.confidence for one in memory_context.synthesis.facets]
        found = rerank_by_vectors(wanted, [1.0, *worths], self._memories)
        return found.scores.astype(np.float32)

    def _faded(self, weights: Scores) -> Scores:
        ages = np.arange(len(weights) - 1, -1, -1)
        return (weights * np.float32(self._config.fading) ** ages).astype(np.float32)


def _memory_context(
    collaborative_memory: CollaborativeMemory,
    config: MemRecConfig | MemRecVectorConfig | MemRecModelConfig,
    items: Indexes,
    weights: Scores,
    user: int,
) -> MemoryContext:
    """Retrieve the memory of a history, with the limits of a system."""
    return retrieve_memory(
        collaborative_memory,
        items,
        weights,
        user=user,
        k=config.neighbours,
        facets=config.facets,
    )


def _ruled(collaborative_memory: CollaborativeMemory, rules: bool) -> CollaborativeMemory:
    return (
        collaborative_memory if rules else msgspec.structs.replace(collaborative_memory, rules=None)
    )


def _others(history: Indexes, item: int, size: int, generator: np.random.Generator) -> list[int]:
    """Draw items outside history and targets; where items are few, some repeat."""
    free = np.ones(size, dtype=bool)
    free[history] = False
    free[item] = False
    pool = np.flatnonzero(free)
    if not len(pool):
        return [item] * NEGATIVES
    drawn: list[int] = generator.choice(pool, NEGATIVES, replace=len(pool) < NEGATIVES).tolist()
    return drawn
