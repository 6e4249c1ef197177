"""Lists and rankings whose candidates are reranked, by a model or by vectors of memories.

All given candidates are scored; for a list the default proposes them. A learnt default and the
reranker are added with the weight from held-out items; with weight 0 the default's order stands.
With an instruction, or without a learnt default, the reranker alone decides. Equal scores keep the
default's order. If a model fails, the shared memory's evidence scores instead, with a note.
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
from localrec.ranking.learned.reranker_share import (
    RerankerShare,
    in_one_order,
    with_reranker_scores,
)
from localrec.systems.item_recommender import ItemRecommender
from localrec.systems.learned import LearnedRecommender
from localrec.systems.scored_items import ScoredItems

DEFAULT_CANDIDATES = 20  # proposed for a list, as by the paper's retrieval; k where that is more


class RerankingRecommender(ItemRecommender):
    """Recommend and rank by a reranker.

    Args:
        catalogue: Items and attributes.
        interactions: The likes of all users.
        field: Vectors of the text that describes items; None where there are none.
        default: Proposes candidates, and scores them too.
        reranker: Scores the candidates.
        share: Its weight beside a learnt default; None: the reranker alone decides.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        interactions: InteractionMatrix,
        field: EmbeddedField | None,
        default: LearnedRecommender,
        reranker: Reranker,
        share: RerankerShare | None = None,
    ) -> None:
        super().__init__(catalogue, interactions)
        self._field = field
        self._default, self._reranker, self.share = default, reranker, share

    def score_items(self, user: str, user_profile: UserProfile) -> ScoredItems:
        """Score all items by the default, higher is better, (n,)."""
        return self._default.score_items(user, user_profile)

    def score_for_list(
        self, user: str, user_profile: UserProfile, fresh: Mask, k: int
    ) -> ScoredItems:
        """Score the candidates for a list, -inf for all other items, (n,)."""
        fit = self.score_items(user, user_profile)
        items = np.flatnonzero(fresh)
        best = np.argsort(-fit.scores[items], kind="stable")[: max(k, DEFAULT_CANDIDATES)]
        return self._reranked(fit, user, user_profile, items[best].tolist())

    def score_for_request(
        self, request: RankRequest, user_profile: UserProfile, items: Sequence[int]
    ) -> ScoredItems:
        """Score a request's candidates, -inf for all other items, (n,)."""
        user = clean_name(request.user or "")
        fit, told = self.score_items(user, user_profile), request.instruction or ""
        return self._reranked(fit, user, user_profile, items, told)

    def both_scores(
        self, user: str, user_profile: UserProfile, items: Sequence[int]
    ) -> tuple[Scores, Scores]:
        """Score some items by the default and by the reranker, (c,) each."""
        default = self.score_items(user, user_profile).scores[list(items)]
        asked = RerankRequest(
            user_profile=user_profile, candidates=items, user=user, default=default
        )
        return default, self._reranker.rerank(asked).scores

    def reasons(self, fit: ScoredItems, items: Sequence[int]) -> Reasons:
        """Explain the reranked items by the memory; where nobody reranked, the default explains."""
        if fit.answered_by.get("rerank", "silent") == "silent":
            return self._default.reasons(fit, items)
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
            silent = {**fit.answered_by, "rerank": "silent"}
            return msgspec.structs.replace(fit, answered_by=silent, notes=() if knows else (note,))
        before = fit.scores[list(candidates)]
        is_learned = fit.answered_by.get("ranking") == "learned"
        asked = RerankRequest(
            user_profile=user_profile, candidates=candidates, user=user, instruction=instruction
        )
        start = before if is_learned else None
        found = self._reranker.rerank(msgspec.structs.replace(asked, default=start))
        mixed, answered_by, notes = found.scores, found.answered_by, found.notes
        if self.share is not None and is_learned and not instruction:
            mixed = with_reranker_scores(before, mixed, self.share.share)
            answered_by = answered_by | {"share": f"{self.share.share:.2f}"}
            notes = (*notes, self.share.as_sentence())
        scores = np.full(len(self._catalogue), -np.inf, dtype=np.float32)
        scores[list(candidates)] = in_one_order(mixed, before)
        memory, evidence = found.memory_context, None
        if memory is not None:
            evidence = MemoryEvidence(self._reranker.collaborative_memory, memory)
        return ScoredItems(
            scores=scores,
            user_profile=user_profile,
            reason_builder=ReasonBuilder(
                user, user_profile, self._catalogue, self._interactions, evidence
            ),
            answered_by=answered_by,
            memory=None if memory is None else memory_summary(memory, found.synthesis),
            spent=found.spent,
            notes=notes,
            known=found.known,
            trajectory=found.trajectory,
        )
