"""Make lists and rankings from the scores of a system."""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np

from localrec.data.arrays import Mask
from localrec.data.questions import RankRequest
from localrec.data.recommendations import Ranking, Recommendations
from localrec.foundation.text import clean_name
from localrec.graph.user_profile import UserProfile, merge_profiles, profile_from_keys
from localrec.index.embedded_fields import EmbeddedField
from localrec.systems.chosen_list import ListParts, chosen_list, list_record
from localrec.systems.list_choice import ListOptions, best_items
from localrec.systems.profile_recommender import ProfileRecommender
from localrec.systems.scored_items import (
    components_of,
    model_calls,
    model_tokens,
    reason_writers,
    trajectory_fields,
)

_EXPLAINED = 3  # candidates of a ranking that get a rationale


class ItemRecommender(ProfileRecommender):
    """Make lists and order candidates by the item scores of a subclass."""

    _field: EmbeddedField | None = None  # vectors of descriptions, which variety looks at

    def recommend(
        self, user: str, user_profile: UserProfile, k: int, pool: Mask | None = None
    ) -> Recommendations:
        """Recommend the k items with the best scores among those the user has not met.

        Args:
            user: The key of the user.
            user_profile: Their history; an empty one gives what most people like.
            k: Length of the list.
            pool: Items that may be on it, (n,); all by default.
        """
        started = time.perf_counter()
        user = clean_name(user)
        fresh = ~user_profile.known if pool is None else pool & ~user_profile.known
        fit = self.score_for_list(user, user_profile, fresh, k)
        best = best_items(fit.scores, fresh, k)
        ranked = time.perf_counter()
        reasons = self.reasons(fit, best)
        parts = ListParts(self._catalogue, self._interactions, self._field)
        return list_record(parts, {user: user_profile}, fit, best, reasons, (started, ranked))

    def recommend_chosen(
        self, users: Mapping[str, UserProfile], k: int, options: ListOptions
    ) -> Recommendations:
        """Recommend k items that none of the users has met or excluded.

        Args:
            users: The key of each user -> their history.
            k: Length of the list.
            options: Options for the choice of the list from the scores.
        """
        parts = ListParts(self._catalogue, self._interactions, self._field)
        return chosen_list(self, parts, users, k, options)

    def rank(self, request: RankRequest, stored: UserProfile | None = None) -> Ranking:
        """Order the request's candidates; unknown ones come last, as given."""
        user_profile = profile_from_keys(request.history, self._catalogue, request.ratings)
        if stored is not None:
            user_profile = merge_profiles(stored, user_profile)
        places = [self._catalogue.item_index(key) for key in request.candidates]
        fit = self.score_for_request(
            request, user_profile, [one for one in places if one is not None]
        )
        scores = [-np.inf if place is None else float(fit.scores[place]) for place in places]
        order = np.argsort(-np.array(scores, dtype=np.float64), kind="stable").tolist()
        first = [item for place in order[:_EXPLAINED] if (item := places[place]) is not None]
        reasons = self.reasons(fit, first)
        return Ranking(
            id=str(request.id),
            ranking=tuple(request.candidates[place] for place in order),
            scores={
                request.candidates[place]: round(scores[place], 4)
                for place in order
                if places[place] is not None
            },
            rationales={
                self._catalogue.keys[item]: reason.text
                for item, reason in zip(first, reasons.reasons, strict=True)
                if reason.text
            },
            answered_by=components_of(fit) | reason_writers(fit, reasons),
            tokens=model_tokens(fit, reasons),
            calls=model_calls(fit, reasons),
            notes=(*fit.notes, *reasons.notes),
            trajectory=trajectory_fields(fit.trajectory),
        )
