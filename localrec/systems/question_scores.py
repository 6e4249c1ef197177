"""Score items for the user who asks a question."""

from __future__ import annotations

import msgspec
import numpy as np

from localrec.data.arrays import Scores
from localrec.graph.user_profile import UserProfile
from localrec.systems.item_recommender import ItemRecommender
from localrec.systems.learned import learned_recommender
from localrec.systems.memory_plans import PLANS, memory_recommender
from localrec.systems.scored_items import ScoredItems
from localrec.workspace.domain_context import DomainContext

# The candidates of a question are given ones too: asked for "a GENRE film from the DECADE" of 300
# validation items, the memory puts them at a mean reciprocal rank of .13, `auto` of .11; an answer
# to no user in particular has .08.
QUESTION_PLAN = msgspec.structs.replace(PLANS["auto-memory"], lists_from=1)


def question_scores(context: DomainContext, user: str) -> ScoredItems:
    """Score all items for the user who asks, met ones too."""
    ranker = context.once(
        "question scores",
        lambda: learned_recommender(context, memory_recommender(context, QUESTION_PLAN)),
    )
    return score_for_question(ranker, user, context.user_profile(user))


def score_for_question(
    ranker: ItemRecommender, user: str, user_profile: UserProfile
) -> ScoredItems:
    """Score items for an answer, which may bring back what the user has met.

    The shared memory only knows that such an item is no news; there the user's own verdict decides.

    Args:
        ranker: With or without a shared memory.
        user: The key of the user.
        user_profile: Their history.
    """
    fit = ranker.score_items(user, user_profile)
    if fit.memory is None:
        return fit
    return msgspec.structs.replace(fit, scores=_with_verdicts(fit.scores, user_profile))


def _with_verdicts(scores: Scores, user_profile: UserProfile) -> Scores:
    """Give each history item a score that fits the user's rating, among all others, (n,).

    The best loved stands with the best of them, what cannot be stood with the worst.
    """
    unmet = np.delete(scores, user_profile.items)
    if not len(unmet):
        return scores
    judged = scores.copy()
    judged[user_profile.items] = np.quantile(unmet, (1.0 + user_profile.strengths) / 2)
    return judged
