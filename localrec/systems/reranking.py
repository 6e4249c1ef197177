"""Lists and rankings whose candidates are judged: by a model, or by their memories as vectors.

Given candidates are all judged. For a list the measured evidence of `Personal` proposes the
candidates, as retrieval does in MemRec, and the judge puts them in order; what it holds equal stays
in the order of the evidence. A model that fails on the way leaves the candidates to the fused
evidence of the shared memory, and a note says so. One that is not here at all is no judge: whoever
opens it is told.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from localrec.data.arrays import Mask, Scores
from localrec.data.interaction_matrix import InteractionMatrix
from localrec.data.questions import RankRequest
from localrec.data.reasons import Reasons, template_reasons
from localrec.explanation.reason_builder import MemoryEvidence, ReasonBuilder
from localrec.foundation.text import clean_name
from localrec.graph.catalogue import Catalogue
from localrec.graph.user_profile import UserProfile
from localrec.index.embedded_fields import EmbeddedField
from localrec.memory.collaborative_memory import memory_summary
from localrec.memory.rerankers import Reranker, RerankRequest
from localrec.ranking.configs import EvidenceConfig
from localrec.systems.auto import EvidenceRecommender
from localrec.systems.scored_items import ScoredItems

DEFAULT_CANDIDATES = 20  # proposed for a list, as by the paper's retrieval; k where that is more


class RerankingRecommender(EvidenceRecommender):
    """Recommends and ranks by a judge.

    Args:
        catalogue: Items and attributes.
        audience: Who liked what.
        field: Vectors of the text that describes items; None where there are none.
        config: The kinds of evidence that propose candidates.
        judge: Puts them in order.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        audience: InteractionMatrix,
        field: EmbeddedField | None,
        config: EvidenceConfig,
        judge: Reranker,
    ) -> None:
        super().__init__(catalogue, audience, field, config)
        self._reranker = judge

    def score_for_list(
        self, user: str, user_profile: UserProfile, fresh: Mask, k: int
    ) -> ScoredItems:
        """Scores of the candidates for a list, -inf for all else, (n,)."""
        fit = self.score_items(user, user_profile)
        items = np.flatnonzero(fresh)
        best = np.argsort(-fit.scores[items], kind="stable")[: max(k, DEFAULT_CANDIDATES)]
        return self._reranked(fit, user, user_profile, items[best].tolist())

    def score_for_request(
        self, request: RankRequest, user_profile: UserProfile, items: Sequence[int]
    ) -> ScoredItems:
        """Scores of a request's candidates, -inf for all else, (n,)."""
        user = clean_name(request.user or "")
        return self._reranked(
            self.score_items(user, user_profile),
            user,
            user_profile,
            items,
            request.instruction or "",
        )

    def reasons(self, fit: ScoredItems, items: Sequence[int]) -> Reasons:
        """What the memory says for some items, as far as it was asked."""
        if fit.spoke["rerank"] == "silent":
            return super().reasons(fit, items)
        alone = fit.memory is None
        told = fit.reason_builder.from_attributes if alone else fit.reason_builder.from_memory
        facts = [told(item) for item in items]
        if fit.known is None:
            return template_reasons(facts)
        names = [self._catalogue.names[item] for item in items]
        return self._reranker.reasons(facts, names, fit.known)

    def _reranked(
        self,
        fit: ScoredItems,
        user: str,
        user_profile: UserProfile,
        candidates: Sequence[int],
        instruction: str = "",
    ) -> ScoredItems:
        likes = bool((user_profile.strengths > 0).any())
        knows = likes or (bool(instruction) and self._reranker.serves_cold_start)
        if not knows or not len(candidates):
            note = "Nothing is known that they like, so that no candidate was judged."
            spoke = {**fit.spoke, "rerank": "silent"}
            return msgspec.structs.replace(fit, spoke=spoke, notes=() if knows else (note,))
        found = self._reranker.rerank(
            RerankRequest(
                user_profile=user_profile, candidates=candidates, user=user, instruction=instruction
            )
        )
        scores = np.full(len(self._catalogue), -np.inf, dtype=np.float32)
        scores[list(candidates)] = _in_one_order(found.scores, fit.scores[list(candidates)])
        memory_context = found.memory_context
        memory_evidence = (
            None
            if memory_context is None
            else MemoryEvidence(self._reranker.collaborative_memory, memory_context)
        )
        return ScoredItems(
            scores=scores,
            user_profile=user_profile,
            reason_builder=ReasonBuilder(
                user, user_profile, self._catalogue, self._interactions, memory_evidence
            ),
            spoke=found.spoke,
            memory=None
            if memory_context is None
            else memory_summary(memory_context, found.synthesis),
            spent=found.spent,
            notes=found.notes,
            known=found.known,
            trajectory=found.trajectory,
        )


def _in_one_order(scores: Scores, before: Scores) -> Scores:
    """Scores of which no two are equal: the one that was higher before stays a hair above."""
    order = np.lexsort((-before, -scores))
    apart = scores.astype(np.float32)
    for above, below in zip(order[:-1].tolist(), order[1:].tolist(), strict=True):
        apart[below] = min(apart[below], np.nextafter(apart[above], np.float32(-np.inf)))
    return apart
