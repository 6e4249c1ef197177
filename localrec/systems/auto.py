"""Lists for a person, and rankings of given candidates, from a history alone.

Four kinds of evidence are added up (`ranking/preference_features.py`), each of which can be left
out: that
gives the baselines and ablations. A history counts from its first item on, and whether it lies in
the store or came with the request makes no difference.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from localrec.data.arrays import Mask, Scores
from localrec.data.evidence import evidence_of
from localrec.data.interaction_matrix import InteractionMatrix
from localrec.data.questions import RankRequest
from localrec.data.reasons import Reason, Reasons, template_reasons
from localrec.data.recommendations import MemorySummary, Ranking, Recommendations, RecommendedItem
from localrec.data.token_usage import TokenUsage
from localrec.explanation.reason_builder import ReasonBuilder
from localrec.foundation.text import clean_name
from localrec.graph.catalogue import Catalogue
from localrec.index.embedded_fields import EmbeddedField
from localrec.ranking import preference_features
from localrec.ranking.configs import EvidenceConfig
from localrec.retrieval.user_profile import UserProfile, merge_profiles, profile_from_keys

if TYPE_CHECKING:  # whoever asks no agent loads none of it
    from localrec.data.trajectory import Trajectory

_EXPLAINED = 3  # candidates of a ranking that get a rationale


class ScoredItems(msgspec.Struct, frozen=True):
    """How well all items fit one person, and what that rests on.

    Args:
        scores: Higher is better, (n,).
        taste: The person's.
        because: States reasons.
        spoke: Kind of evidence -> "measured", or "silent" where it had nothing to say; where
            candidates were judged, "rerank" -> by whom.
        memory: What the shared memory said, where it took part.
        spent: Stage -> what a model was asked for it.
        notes: What went otherwise than was asked for, as sentences.
        known: What a model that writes reasons is told of the person, in lines; None: the
            template writes them.
        trajectory: What an agent did, where one ranked.
    """

    scores: Scores
    user_profile: UserProfile
    reason_builder: ReasonBuilder
    spoke: dict[str, str] = {}
    memory: MemorySummary | None = None
    spent: dict[str, TokenUsage] = {}
    notes: tuple[str, ...] = ()
    known: tuple[str, ...] | None = None
    trajectory: Trajectory | None = None


class EvidenceRecommender:
    """Recommends and ranks for people of one domain.

    Args:
        catalogue: Items and attributes.
        audience: Who liked what.
        field: Vectors of the text that describes items; None where there are none.
        config: The kinds of evidence that count.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        audience: InteractionMatrix,
        field: EmbeddedField | None,
        config: EvidenceConfig,
    ) -> None:
        self._catalogue = catalogue
        self._audience = audience
        self._field = field
        self._config = config

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
            spoke=fit.spoke | _reason_writers(fit, reasons),
            timings_ms={
                "ranking": round(ranked_ms, 3),
                "explanation": round(explained_ms, 3),
            },
            memory=fit.memory,
            tokens=_tokens(fit, reasons),
            calls=_calls(fit, reasons),
            notes=(*fit.notes, *reasons.notes),
            trajectory=_as_fields(fit.trajectory),
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
            spoke=_components_of(fit) | _reason_writers(fit, reasons),
            tokens=_tokens(fit, reasons),
            calls=_calls(fit, reasons),
            notes=(*fit.notes, *reasons.notes),
            trajectory=_as_fields(fit.trajectory),
        )

    def fit(self, user: str, user_profile: UserProfile) -> ScoredItems:
        """Scores of all items for a taste, higher is better, (n,)."""
        scores = np.zeros(len(self._catalogue), dtype=np.float32)
        if self._config.popularity:
            scores += self._popularity
        if self._config.neighbours:
            scores += preference_features.cooccurrence_scores(user_profile, self._audience)
        if self._config.attributes:
            scores += preference_features.attribute_scores(user_profile, self._catalogue)
        if self._config.nearness and self._field is not None:
            scores += preference_features.content_similarity(
                user_profile, self._catalogue, self._field
            )
        reason_builder = ReasonBuilder(
            clean_name(user), user_profile, self._catalogue, self._audience
        )
        return ScoredItems(scores, user_profile, reason_builder, self._spoke(user_profile))

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

    @cached_property
    def _popularity(self) -> Scores:
        return preference_features.popularity_scores(self._audience)

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
                if self._audience.user_count
                else "the catalogue's own order"
            )
            return (
                f"Nothing is known of the taste of {user} in {domain.plural} yet, so this is "
                f'{known}. Rate a few: localrec feedback --user {user} --item "NAME" --like'
            )
        return ""

    def _spoke(self, user_profile: UserProfile) -> dict[str, str]:
        """Which kinds of evidence had anything to say."""
        has_taste = bool((user_profile.strengths != 0).any())
        heard = {
            "popularity": self._config.popularity and self._audience.user_count > 0,
            "neighbours": self._config.neighbours and has_taste and self._audience.user_count > 0,
            "attributes": self._config.attributes and has_taste,
            "nearness": self._config.nearness and has_taste and self._field is not None,
        }
        return {kind: "measured" if spoke else "silent" for kind, spoke in heard.items()}


def _best(scores: Scores, fresh: Mask, k: int) -> list[int]:
    items = np.flatnonzero(fresh)
    best: list[int] = items[np.argsort(-scores[items], kind="stable")[:k]].tolist()
    return best


def _components_of(fit: ScoredItems) -> dict[str, str]:
    """Of a judge everything; of evidence only whether the memory is part of it."""
    if fit.spoke.get("rerank", "silent") != "silent":
        return fit.spoke
    return {} if fit.memory is None else {"memory": fit.spoke["memory"]}


def _reason_writers(fit: ScoredItems, reasons: Reasons) -> dict[str, str]:
    """Who wrote how many reasons, where that may be a model."""
    judged = fit.spoke.get("rerank", "silent") != "silent"
    return {"rationales": reasons.spoke} if judged else {}


def _tokens(fit: ScoredItems, reasons: Reasons) -> dict[str, int]:
    spent = fit.spent | {"rationales": reasons.spent}
    return {stage: one.tokens for stage, one in spent.items() if one.calls}


def _as_fields(trajectory: Trajectory | None) -> dict[str, Any] | None:
    return None if trajectory is None else msgspec.to_builtins(trajectory)


def _calls(fit: ScoredItems, reasons: Reasons) -> int:
    return sum(one.calls for one in fit.spent.values()) + reasons.spent.calls
