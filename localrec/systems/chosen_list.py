"""Choose a list from the scores of one or several users, and record it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec
import numpy as np

from localrec.data.arrays import Mask
from localrec.data.interaction_matrix import InteractionMatrix
from localrec.data.reasons import Reasons
from localrec.data.recommendations import Recommendations
from localrec.foundation.text import clean_name
from localrec.graph.catalogue import Catalogue
from localrec.graph.user_profile import UserProfile
from localrec.index.embedded_fields import EmbeddedField
from localrec.ranking.diversity import ItemSimilarity, diversify
from localrec.systems.list_choice import (
    SHORTLIST,
    ListOptions,
    best_items,
    combine_scores,
    wanted_items,
)
from localrec.systems.list_reasons import combine_fits, combine_reasons, mark_wanted
from localrec.systems.scored_items import (
    ScoredItems,
    list_message,
    model_calls,
    model_tokens,
    reason_writers,
    recommended_item,
    trajectory_fields,
)


class ListParts(msgspec.Struct, frozen=True):
    """The inputs of a list besides scores: items, likes, and text vectors."""

    catalogue: Catalogue
    interactions: InteractionMatrix
    field: EmbeddedField | None


class ItemScorer(Protocol):
    """Score the items of a catalogue for one user, and give reasons."""

    def score_items(self, user: str, user_profile: UserProfile) -> ScoredItems:
        """Score all items for a user, higher is better, (n,)."""
        ...

    def score_for_list(
        self, user: str, user_profile: UserProfile, fresh: Mask, k: int
    ) -> ScoredItems:
        """Score the items that may be on a list of k; others may get -inf."""
        ...

    def reasons(self, fit: ScoredItems, items: Sequence[int]) -> Reasons:
        """Explain the places of some items, in order."""
        ...


def chosen_list(
    scorer: ItemScorer,
    parts: ListParts,
    users: Mapping[str, UserProfile],
    k: int,
    options: ListOptions,
) -> Recommendations:
    """Recommend k items that none of the users has met or excluded."""
    started = time.perf_counter()
    users = {clean_name(user): profile for user, profile in users.items()}
    profiles = list(users.values())
    fresh = ~np.logical_or.reduce([one.known for one in profiles])
    wanted = wanted_items(profiles, fresh) if options.wanted else np.zeros_like(fresh)
    first_fits = [scorer.score_items(user, profile).scores for user, profile in users.items()]
    scores = combine_scores(first_fits, fresh, options.fair)
    short = best_items(scores, fresh, SHORTLIST * k, wanted)
    candidates = np.zeros_like(fresh)  # a reranker sees the same candidates for each user
    candidates[short] = True
    fits = [scorer.score_for_list(*one, candidates, len(short)) for one in users.items()]
    scores = combine_scores([fit.scores for fit in fits], fresh, options.fair)
    best = best_items(scores, candidates, len(short), wanted)
    if options.diverse:
        similarity = ItemSimilarity(parts.catalogue, parts.field, best)
        places = diversify(
            scores[best], similarity.similarities_to, k, options.diverse, wanted[best]
        )
        best = [best[place] for place in places]
    best = best[:k]
    ranked = time.perf_counter()
    reasons = combine_reasons(list(users), fits, [scorer.reasons(fit, best) for fit in fits], best)
    if options.wanted:
        reasons = mark_wanted(users, parts.catalogue, reasons, best)
    fit = combine_fits(fits, scores, options.fair)
    return list_record(parts, users, fit, best, reasons, (started, ranked))


def list_record(
    parts: ListParts,
    users: Mapping[str, UserProfile],
    fit: ScoredItems,
    best: Sequence[int],
    reasons: Reasons,
    moments: tuple[float, float],
) -> Recommendations:
    """Return the record of a list; the moments are those of its begin and its ranking."""
    told = tuple(
        recommended_item(parts.catalogue, fit, rank, item, reason)
        for rank, (item, reason) in enumerate(zip(best, reasons.reasons, strict=True), 1)
    )
    started, ranked = moments
    has_likes = parts.interactions.user_count > 0
    messages = [
        list_message(parts.catalogue, has_likes, user, profile, len(told))
        for user, profile in users.items()
    ]
    return Recommendations(
        user=next(iter(users)),
        users=tuple(users) if len(users) > 1 else (),
        domain=parts.catalogue.domain.name,
        items=told,
        history=sum(map(len, users.values())),
        message=" ".join(dict.fromkeys(filter(None, messages))),
        answered_by=fit.answered_by | reason_writers(fit, reasons),
        timings_ms={
            "ranking": round(1000 * (ranked - started), 3),
            "explanation": round(1000 * (time.perf_counter() - ranked), 3),
        },
        memory=fit.memory,
        tokens=model_tokens(fit, reasons),
        calls=model_calls(fit, reasons),
        notes=(*fit.notes, *reasons.notes),
        trajectory=trajectory_fields(fit.trajectory),
    )
