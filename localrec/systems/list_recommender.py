"""Lists for a user, and rankings of given candidates, from the scores of a system."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from localrec.data.arrays import Mask, Scores
from localrec.data.evidence import evidence_of
from localrec.data.interaction_matrix import InteractionMatrix
from localrec.data.questions import RankRequest
from localrec.data.reasons import Reason, Reasons, template_reasons
from localrec.data.recommendations import Ranking, Recommendations, RecommendedItem
from localrec.foundation.text import clean_name
from localrec.graph.catalogue import Catalogue
from localrec.graph.user_profile import UserProfile, merge_profiles, profile_from_keys
from localrec.systems.scored_items import (
    ScoredItems,
    components_of,
    model_calls,
    model_tokens,
    reason_writers,
    trajectory_fields,
)

_EXPLAINED = 3  # candidates of a ranking that get a rationale


class ListRecommender(ABC):
    """Makes lists and orders candidates by the scores that a subclass gives items.

    Args:
        catalogue: The items and attributes.
        interactions: The users' likes.
    """

    def __init__(self, catalogue: Catalogue, interactions: InteractionMatrix) -> None:
        self._catalogue = catalogue
        self._interactions = interactions

    def recommend(
        self, user: str, user_profile: UserProfile, k: int, pool: Mask | None = None
    ) -> Recommendations:
        """The k items that fit a person best among those they have not met.

        Args:
            user: The person's key.
            taste: Their history; an empty one gives what most people like.
            k: Length of the list.
            pool: Items that may be on it, (n,); all by default.
        """
        started = time.perf_counter()
        user = clean_name(user)
        fresh = ~user_profile.known if pool is None else pool & ~user_profile.known
        fit = self.fit_to_list(user, user_profile, fresh, k)
        best = _best(fit.scores, fresh, k)
        ranked_ms = 1000 * (time.perf_counter() - started)
        reasons = self.reasons(fit, best)
        told = tuple(
            self._tell(fit, rank, item, reason)
            for rank, (item, reason) in enumerate(zip(best, reasons.said, strict=True), 1)
        )
        explained_ms = 1000 * (time.perf_counter() - started) - ranked_ms
        return Recommendations(
            user=user,
            domain=self._catalogue.domain.name,
            items=told,
            history=len(user_profile),
            message=self._message(user, user_profile, told),
            spoke=fit.spoke | reason_writers(fit, reasons),
            timings_ms={
                "ranking": round(ranked_ms, 3),
                "explanation": round(explained_ms, 3),
            },
            memory=fit.memory,
            tokens=model_tokens(fit, reasons),
            calls=model_calls(fit, reasons),
            notes=(*fit.notes, *reasons.notes),
            trajectory=trajectory_fields(fit.trajectory),
        )

    def rank(self, request: RankRequest, stored: UserProfile | None = None) -> Ranking:
        """Order the request's candidates; those the catalogue has not come last, as given."""
        user_profile = profile_from_keys(request.history, self._catalogue, request.ratings)
        if stored is not None:
            user_profile = merge_profiles(stored, user_profile)
        places = [self._catalogue.item_index(key) for key in request.candidates]
        fit = self.fit_to_request(request, user_profile, [one for one in places if one is not None])
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
                for item, reason in zip(first, reasons.said, strict=True)
                if reason.text
            },
            spoke=components_of(fit) | reason_writers(fit, reasons),
            tokens=model_tokens(fit, reasons),
            calls=model_calls(fit, reasons),
            notes=(*fit.notes, *reasons.notes),
            trajectory=trajectory_fields(fit.trajectory),
        )

    @abstractmethod
    def fit(self, user: str, user_profile: UserProfile) -> ScoredItems:
        """Score all items for a user, higher is better, (n,)."""

    def fit_to_rank(self, user: str, user_profile: UserProfile) -> ScoredItems:
        """The same for the order of given candidates."""
        return self.fit(user, user_profile)

    def fit_to_list(self, user: str, user_profile: UserProfile, fresh: Mask, k: int) -> ScoredItems:
        """The same for the k best of some items; others may get -inf.

        Args:
            user: The person's key.
            taste: Their history.
            fresh: Items that may be on the list, (n,).
            k: Its length.
        """
        return self.fit(user, user_profile)

    def fit_to_request(
        self, request: RankRequest, user_profile: UserProfile, items: Sequence[int]
    ) -> ScoredItems:
        """The same for the candidates of a request; other items may get -inf.

        Args:
            request: Who asks, and for what.
            taste: The whole history.
            items: Those of the candidates that the catalogue knows.
        """
        return self.fit_to_rank(request.user or "", user_profile)

    def reasons(self, fit: ScoredItems, items: Sequence[int]) -> Reasons:
        """Why some items stand where they do, in their order."""
        return template_reasons(map(fit.reason_builder.facts, items))

    def _tell(self, fit: ScoredItems, rank: int, item: int, reason: Reason) -> RecommendedItem:
        return RecommendedItem(
            rank=rank,
            key=self._catalogue.keys[item],
            name=self._catalogue.names[item],
            score=round(float(fit.scores[item]), 4),
            satisfies=True,
            evidence=evidence_of(reason.facts),
            reason=reason.text,
        )

    def _message(
        self, user: str, user_profile: UserProfile, items: Sequence[RecommendedItem]
    ) -> str:
        domain = self._catalogue.domain
        if not items:
            return (
                f"You have met every {domain.singular} that is here ({len(self._catalogue):,}). "
                "Bring in a catalogue: localrec import --help, or localrec datasets list"
            )
        if not (user_profile.strengths != 0).any():
            known = (
                "what most people like"
                if self._interactions.user_count
                else "the catalogue's own order"
            )
            return (
                f"Nothing is known of the taste of {user} in {domain.plural} yet, so this is "
                f'{known}. Rate a few: localrec feedback --user {user} --item "NAME" --like'
            )
        return ""


def _best(scores: Scores, fresh: Mask, k: int) -> list[int]:
    items = np.flatnonzero(fresh)
    best: list[int] = items[np.argsort(-scores[items], kind="stable")[:k]].tolist()
    return best
