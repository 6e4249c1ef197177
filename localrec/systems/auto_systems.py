"""Register the default recommender, its counted evidence and their ablations by name."""

from __future__ import annotations

from localrec.systems.auto import EvidenceRecommender, evidence_config, evidence_parts
from localrec.systems.item_recommender import ItemRecommender
from localrec.systems.learned import learned_recommender
from localrec.systems.system import RecommenderSystem, SystemOptions
from localrec.workspace.domain_context import DomainContext


class _Auto(RecommenderSystem):
    def recommender(self, context: DomainContext, options: SystemOptions) -> ItemRecommender:
        name = options.name
        counted = EvidenceRecommender(*evidence_parts(context, evidence_config(name)))
        found = learned_recommender(context, counted) if name == "auto" else counted
        found.name = name
        return found


SYSTEM = _Auto()
