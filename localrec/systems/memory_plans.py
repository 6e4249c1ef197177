"""Register MemRec, its ablations and auto-memory by name: `recommend --system memrec`."""

from __future__ import annotations

import msgspec

from localrec.memory.configs import MEMREC, MemoryPlan
from localrec.ranking.configs import RANKERS
from localrec.systems.auto import EvidenceRecommender, evidence_parts
from localrec.systems.item_recommender import ItemRecommender
from localrec.systems.memrec import MemoryRecommender
from localrec.systems.system import RecommenderSystem, SystemOptions
from localrec.workspace.domain_context import DomainContext

# Measured on development users of MovieLens 100K, strangers to the store: the memory puts the very
# next liking first among 20 more often than `auto`, from one rating shown to 80, but not a liking
# drawn from all later ones, and the first ten it puts of all films are liked less often. So `auto`
# does without it; `auto-memory` has it rank given candidates and leaves lists as they are.
PLANS = {name: MemoryPlan(one) for name, one in MEMREC.items()} | {
    "auto-memory": MemoryPlan(MEMREC["memrec"], min_users=50, lists_from=None, ranks_from=1)
}


def memory_recommender(context: DomainContext, plan: MemoryPlan) -> EvidenceRecommender:
    """Make a recommender with the shared memory, or without it where users are too few."""
    parts = evidence_parts(context, RANKERS["auto"])
    if context.has_users and context.interactions.user_count < plan.min_users:
        return EvidenceRecommender(*parts)
    return MemoryRecommender(*parts, lambda: context.shared_memory(plan.memory), plan)


class _MemRec(RecommenderSystem):
    def recommender(self, context: DomainContext, options: SystemOptions) -> ItemRecommender:
        plan = PLANS[options.name]
        plan = msgspec.structs.replace(plan, memory=options.configured(plan.memory))
        made = memory_recommender(context, plan)
        made.name = options.name
        return made


SYSTEM = _MemRec()
