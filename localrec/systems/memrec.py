"""Lists and rankings that use the shared memory of other users.

MemRec's fused evidence decides from a minimum number of liked items on, one for lists and one for
given candidates; `memory_plans.py` has the numbers of each named system, and why. Below it the
evidence of `EvidenceRecommender` decides. Histories, candidates, dislikes and "not now" mean the
same to both. The memory is opened at its first use.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import msgspec
import numpy as np

from localrec.data.arrays import Scores
from localrec.data.interaction_matrix import InteractionMatrix
from localrec.explanation.reason_builder import MemoryEvidence, ReasonBuilder
from localrec.foundation.text import clean_name
from localrec.graph.catalogue import Catalogue
from localrec.graph.user_profile import UserProfile
from localrec.index.embedded_fields import EmbeddedField
from localrec.memory.collaborative_memory import evidence_scores, memory_summary
from localrec.memory.configs import MemoryPlan
from localrec.memory.loader import SharedMemory
from localrec.memory.memrec import MemRec
from localrec.ranking.configs import EvidenceConfig
from localrec.ranking.recommender import ScoreRequests
from localrec.systems.auto import EvidenceRecommender
from localrec.systems.log_memory_recommender import LogMemoryRecommender
from localrec.systems.scored_items import ScoredItems


class MemoryRecommender(LogMemoryRecommender, EvidenceRecommender):
    """Recommend and rank by the shared memory where it measured better.

    Args:
        catalogue: Items and attributes.
        interactions: The likes of all users.
        field: Vectors of the text that describes items; None where there are none.
        config: The kinds of evidence that count where the memory does not.
        open_memory: Opens the domain's.
        plan: The cases in which the memory takes part.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        interactions: InteractionMatrix,
        field: EmbeddedField | None,
        config: EvidenceConfig,
        open_memory: Callable[[], SharedMemory],
        plan: MemoryPlan,
    ) -> None:
        EvidenceRecommender.__init__(self, catalogue, interactions, field, config)
        self._open_memory = open_memory
        self._plan, self.memory_config = plan, plan.memory

    def score_request(self, requests: ScoreRequests, row: int) -> ScoredItems:
        """Score the items of the catalogue for one request by counted evidence."""
        return EvidenceRecommender.score_items(self, "", self._profile_of(requests, row))

    def _takes_part(self, requests: ScoreRequests, row: int) -> bool:
        plan = self._plan
        least = plan.lists_from if requests.candidates is None else plan.ranks_from
        enough = least is not None and len(requests.histories[row]) >= least
        return enough and self._interactions.user_count >= plan.min_users

    def score_items(self, user: str, user_profile: UserProfile) -> ScoredItems:
        """Score all items for a user profile, higher is better, (n,)."""
        least = self._plan.lists_from
        if least is not None and _liked(user_profile) >= least:
            return self._by_memory(user, user_profile)
        return self._without_memory(user, user_profile)

    def score_to_rank(self, user: str, user_profile: UserProfile) -> ScoredItems:
        """Score all items for the order of given candidates."""
        if _liked(user_profile) >= self._plan.ranks_from:
            return self._by_memory(user, user_profile)
        return self._without_memory(user, user_profile)

    @cached_property
    def _memory(self) -> SharedMemory:
        return self._open_memory()

    @cached_property
    def _system(self) -> MemRec:
        memory = self._memory
        return MemRec(memory.collaborative_memory, memory.config, memory.weights)

    def _without_memory(self, user: str, user_profile: UserProfile) -> ScoredItems:
        fit = super().score_items(user, user_profile)
        return msgspec.structs.replace(fit, answered_by={**fit.answered_by, "memory": "silent"})

    def _by_memory(self, user: str, user_profile: UserProfile) -> ScoredItems:
        collaborative_memory = self._memory.collaborative_memory
        index = self._memory.user_index(user) if user else -1
        memory_context = self._system.retrieve_memory(user_profile.items, user_profile.liked, index)
        evidence_of_all = evidence_scores(
            collaborative_memory, user_profile.items, user_profile.strengths, memory_context
        )
        found = {kind: evidence_of_all[kind] for kind in self._memory.config.kinds}
        scores = self._memory.weights.fuse(found).astype(np.float32)
        memory_evidence = (
            None if memory_context is None else MemoryEvidence(collaborative_memory, memory_context)
        )
        return ScoredItems(
            scores=scores,
            user_profile=user_profile,
            reason_builder=ReasonBuilder(
                clean_name(user), user_profile, self._catalogue, self._interactions, memory_evidence
            ),
            answered_by={kind: _answered_by(values) for kind, values in found.items()}
            | {"memory": "measured" if memory_context is not None else "silent"},
            memory=None if memory_context is None else memory_summary(memory_context),
        )


def _liked(user_profile: UserProfile) -> int:
    return int((user_profile.strengths > 0).sum())


def _answered_by(values: Scores) -> str:
    known = values[np.isfinite(values)]
    return "measured" if len(known) and float(np.ptp(known)) > 0 else "silent"
