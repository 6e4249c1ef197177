"""A shared memory that is built from an interaction log, in the log's numbers."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.evidence import Fact
from localrec.data.interactions import Interactions
from localrec.data.reasons import Reasons, template_reasons
from localrec.explanation.reason_builder import MemoryEvidence, ReasonBuilder
from localrec.foundation.progress import Progress
from localrec.graph.user_profile import UserProfile
from localrec.memory.collaborative_memory import CollaborativeMemory, MemoryContext
from localrec.memory.configs import MemRecConfig, MemRecVectorConfig
from localrec.memory.default_rules import default_rules
from localrec.memory.from_log import (
    ItemSet,
    build_collaborative_memory,
    deduplicated_history,
    fit_weights_to_log,
)
from localrec.memory.fusion import FusionWeights
from localrec.memory.memrec import MemRec, VectorMemRec
from localrec.ranking.recommender import ScoreRequests, SettingValue


class LogMemory(msgspec.Struct, frozen=True):
    """The memory of a log with the ranking by it; every history item counts as liked.

    Args:
        items: The items of the log.
        memory: The shared memory of its users.
        ranking: The scorer of all items for a history.
        config: The parts that it has.
        weights: Weight of each kind of evidence; None where none are fused.
    """

    items: ItemSet
    memory: CollaborativeMemory
    ranking: MemRec | VectorMemRec
    config: MemRecConfig | MemRecVectorConfig
    weights: FusionWeights | None = None

    @classmethod
    def fitted(
        cls,
        log: Interactions,
        items: ItemSet,
        config: MemRecConfig | MemRecVectorConfig,
        seed: int,
        progress: Progress,
    ) -> LogMemory:
        """Fit the weights, if there are any, and build the memory of all rows."""
        if isinstance(config, MemRecVectorConfig):
            progress("counting who likes what", 0, 0)
            memory = build_collaborative_memory(log, items, write=config.write)
            return cls(items, memory, VectorMemRec(memory, config), config)
        weights = fit_weights_to_log(log, items, config, seed, progress)
        progress("counting who likes what", 0, 0)
        memory = build_collaborative_memory(log, items, write=config.write)
        return cls(items, memory, MemRec(memory, config, weights), config, weights)

    @property
    def settings(self) -> dict[str, SettingValue]:
        """The parts in use, and the fitted weights."""
        rules = default_rules(self.items.domain.name).name
        weights = {} if self.weights is None else self.weights.weights
        fitted = {f"weight of {kind}": one for kind, one in weights.items()}
        return {**msgspec.structs.asdict(self.config), "rule_set": rules, **fitted}

    def score(self, requests: ScoreRequests) -> NDArray[np.float32]:
        """Score all items of the log, (b, items)."""
        scores = np.empty((len(requests), len(self.items.places)), dtype=np.float32)
        for row, history in enumerate(requests.histories):
            user = int(requests.user[row])
            scores[row] = self.ranking.scores(*deduplicated_history(history), user)
        return scores

    def explain(self, requests: ScoreRequests, row: int, item: int) -> Reasons:
        """Explain an item's place for one of the requests."""
        history = requests.histories[row]
        found = self.ranking.retrieve_memory(
            *deduplicated_history(history), int(requests.user[row])
        )
        return template_reasons([memory_facts(item, history, found, self.memory, self.items)])


def memory_facts(
    item: int,
    history: NDArray[np.int32],
    memory_context: MemoryContext | None,
    memory: CollaborativeMemory,
    items: ItemSet,
) -> list[Fact]:
    """Return the facts for an item in the memory of a log; [] without any.

    Args:
        item: Its number in the log.
        history: Oldest first; all of it counts as liked.
        memory_context: The context of the neighbourhood; None: no other user may be looked at.
        memory: The shared memory of the log's users.
        items: The items of the log.
    """
    profile = UserProfile.from_history(deduplicated_history(history)[0], len(items.places))
    evidence = None if memory_context is None else MemoryEvidence(memory, memory_context)
    builder = ReasonBuilder("", profile, items, memory.graph.matrix, evidence)
    return builder.from_attributes(item) if evidence is None else builder.from_memory(item)
