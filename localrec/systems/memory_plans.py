"""MemRec, its ablations and auto-memory by name: `recommend --system memrec`."""

from __future__ import annotations

import msgspec

from localrec.memory.configs import MEMREC, MemRecConfig
from localrec.ranking.configs import RANKERS
from localrec.systems.auto import EvidenceRecommender, evidence_parts
from localrec.systems.item_recommender import ItemRecommender
from localrec.systems.memrec import MemoryRecommender
from localrec.systems.system import RecommenderSystem, SystemOptions
from localrec.workspace.domain_context import DomainContext


class MemoryPlan(msgspec.Struct, frozen=True):
    """When the shared memory takes part.

    Args:
        memory: The parts of MemRec that count.
        min_users: The number of users with likes from which on a memory can teach anything.
        lists_from: Liked items from which on lists follow the memory; None: never.
        ranks_from: The same for the order of given candidates.
    """

    memory: MemRecConfig
    min_users: int = 0
    lists_from: int | None = 0
    ranks_from: int = 0


# Measured on development users of MovieLens 100K, strangers to the store: the memory puts the very
# next liking first among 20 more often than `auto`, from one rating shown to 80, but not a liking
# drawn from all later ones, and the first ten it puts of all films are liked less often. So `auto`
# does without it; `auto-memory` has it rank given candidates and leaves lists as they are.
PLANS = {name: MemoryPlan(one) for name, one in MEMREC.items()} | {
    "auto-memory": MemoryPlan(MEMREC["memrec"], min_users=50, lists_from=None, ranks_from=1)
}


def memory_recommender(context: DomainContext, plan: MemoryPlan) -> EvidenceRecommender:
    """Make a recommender with the shared memory, or without it where there are too few users."""
    parts = evidence_parts(context, RANKERS["auto"])
    if context.interactions.user_count < plan.min_users:
        return EvidenceRecommender(*parts)
    return MemoryRecommender(
        *parts,
        lambda: context.shared_memory(plan.memory),
        lists_from=plan.lists_from,
        ranks_from=plan.ranks_from,
    )


class _MemRec(RecommenderSystem):
    def recommender(self, context: DomainContext, options: SystemOptions) -> ItemRecommender:
        return memory_recommender(context, PLANS[options.name])


SYSTEM = _MemRec()
