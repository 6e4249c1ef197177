"""A judge behind the default list, with the share that its verdict was found to be worth."""

from __future__ import annotations

from localrec.memory.rerankers import Reranker
from localrec.ranking.configs import RANKERS
from localrec.ranking.learned.verdicts import read_share
from localrec.systems.auto import EvidenceRecommender, evidence_parts
from localrec.systems.learned import learned_recommender
from localrec.systems.reranking import RerankingRecommender
from localrec.workspace.domain_context import DomainContext


def judged_recommender(context: DomainContext, judge: Reranker, name: str) -> RerankingRecommender:
    """Put a judge behind the default of a domain.

    Args:
        context: The domain.
        judge: Judges candidates.
        name: Of the system and its model; "" for a judge without one, whose verdict alone decides.
    """
    catalogue, interactions, field, config = evidence_parts(context, RANKERS["auto"])
    counted = EvidenceRecommender(catalogue, interactions, field, config)
    share = read_share(context.indexes.folder, context.domain.name, name) if name else None
    default = learned_recommender(context, counted)
    return RerankingRecommender(catalogue, interactions, field, default, judge, share)
