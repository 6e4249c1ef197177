"""Lists for a person, and rankings of given candidates, from a history alone.

Four kinds of evidence are added up (`retrieval/personal.py`), each of which can be left out: that
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

from localrec.explanation.evidence import evidence_of
from localrec.explanation.personal import Because
from localrec.explanation.reasons import Reason, Reasons, counted_reasons
from localrec.graph.catalogue import Catalogue, Mask
from localrec.index.audience import Audience
from localrec.index.build import EmbeddedField
from localrec.llm.metered import Spent
from localrec.retrieval import personal
from localrec.retrieval.base import Scores
from localrec.retrieval.taste import Taste, joined, taste_of_keys
from localrec.sources.text import clean_name
from localrec.types import MemoryView, Ranking, Recommendations, RecommendedItem

if TYPE_CHECKING:  # whoever asks no agent loads none of it
    from localrec.agent.trajectory import Trajectory

_EXPLAINED = 3  # candidates of a ranking that get a rationale


class PersonalConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Which kinds of evidence count; without any, the catalogue's own order stands.

    Neighbours say how odds change, so they need the odds that popularity gives to start from.
    """

    popularity: bool = True
    neighbours: bool = True
    attributes: bool = True
    nearness: bool = True


_NOTHING = PersonalConfig(popularity=False, neighbours=False, attributes=False, nearness=False)

RANKERS: dict[str, PersonalConfig] = {
    "auto": PersonalConfig(),
    "popularity": msgspec.structs.replace(_NOTHING, popularity=True),
    "neighbours": msgspec.structs.replace(_NOTHING, popularity=True, neighbours=True),
    "attributes": msgspec.structs.replace(_NOTHING, attributes=True),
    "nearness": msgspec.structs.replace(_NOTHING, nearness=True),
    "auto-no-popularity": PersonalConfig(popularity=False),
    "auto-no-neighbours": PersonalConfig(neighbours=False),
    "auto-no-attributes": PersonalConfig(attributes=False),
    "auto-no-nearness": PersonalConfig(nearness=False),
}


class RankRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A line of `rank --batch`: candidates, and the history to rank them for.

    Args:
        id: Comes back with the ranking.
        candidates: Item keys, each once.
        history: Item keys, oldest first; it counts without being imported.
        ratings: Stars for each item of the history; without them all were liked.
        user: A stored person, whose own history counts too.
        instruction: What the person asks for, in words; for systems that read it.
    """

    id: str | int
    candidates: tuple[str, ...]
    history: tuple[str, ...] = ()
    ratings: tuple[float, ...] | None = None
    user: str | None = None
    instruction: str | None = None


class Fit(msgspec.Struct, frozen=True):
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
    taste: Taste
    because: Because
    spoke: dict[str, str] = {}
    memory: MemoryView | None = None
    spent: dict[str, Spent] = {}
    notes: tuple[str, ...] = ()
    known: tuple[str, ...] | None = None
    trajectory: Trajectory | None = None


class Personal:
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
        audience: Audience,
        field: EmbeddedField | None,
        config: PersonalConfig,
    ) -> None:
        self._catalogue = catalogue
        self._audience = audience
        self._field = field
        self._config = config

    def recommend(
        self, user: str, taste: Taste, k: int, pool: Mask | None = None
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
        fresh = ~taste.known if pool is None else pool & ~taste.known
        fit = self.fit_to_list(user, taste, fresh, k)
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
            history=len(taste),
            message=self._message(user, taste, told),
            spoke=fit.spoke | _who_reasoned(fit, reasons),
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

    def rank(self, request: RankRequest, stored: Taste | None = None) -> Ranking:
        """Order the request's candidates; those the catalogue has not come last, as given."""
        taste = taste_of_keys(request.history, self._catalogue, request.ratings)
        if stored is not None:
            taste = joined(stored, taste)
        places = [self._catalogue.item_index(key) for key in request.candidates]
        fit = self.fit_to_request(request, taste, [one for one in places if one is not None])
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
            spoke=_who_took_part(fit) | _who_reasoned(fit, reasons),
            tokens=_tokens(fit, reasons),
            calls=_calls(fit, reasons),
            notes=(*fit.notes, *reasons.notes),
            trajectory=_as_fields(fit.trajectory),
        )

    def fit(self, user: str, taste: Taste) -> Fit:
        """Scores of all items for a taste, higher is better, (n,)."""
        scores = np.zeros(len(self._catalogue), dtype=np.float32)
        if self._config.popularity:
            scores += self._popularity
        if self._config.neighbours:
            scores += personal.neighbours(taste, self._audience)
        if self._config.attributes:
            scores += personal.attributes(taste, self._catalogue)
        if self._config.nearness and self._field is not None:
            scores += personal.nearness(taste, self._catalogue, self._field)
        because = Because(clean_name(user), taste, self._catalogue, self._audience)
        return Fit(scores, taste, because, self._spoke(taste))

    def fit_to_rank(self, user: str, taste: Taste) -> Fit:
        """The same for the order of given candidates."""
        return self.fit(user, taste)

    def fit_to_list(self, user: str, taste: Taste, fresh: Mask, k: int) -> Fit:
        """The same for the k best of some items; others may get -inf.

        Args:
            user: The person's key.
            taste: Their history.
            fresh: Items that may be on the list, (n,).
            k: Its length.
        """
        return self.fit(user, taste)

    def fit_to_request(self, request: RankRequest, taste: Taste, items: Sequence[int]) -> Fit:
        """The same for the candidates of a request; other items may get -inf.

        Args:
            request: Who asks, and for what.
            taste: The whole history.
            items: Those of the candidates that the catalogue knows.
        """
        return self.fit_to_rank(request.user or "", taste)

    def reasons(self, fit: Fit, items: Sequence[int]) -> Reasons:
        """Why some items stand where they do, in their order."""
        return counted_reasons(map(fit.because.facts, items))

    @cached_property
    def _popularity(self) -> Scores:
        return personal.popularity(self._audience)

    def _tell(self, fit: Fit, rank: int, item: int, reason: Reason) -> RecommendedItem:
        return RecommendedItem(
            rank=rank,
            key=self._catalogue.keys[item],
            name=self._catalogue.names[item],
            score=round(float(fit.scores[item]), 4),
            satisfies=True,
            evidence=evidence_of(reason.facts),
            reason=reason.text,
        )

    def _message(self, user: str, taste: Taste, items: Sequence[RecommendedItem]) -> str:
        domain = self._catalogue.domain
        if not items:
            return (
                f"You have met every {domain.singular} that is here ({len(self._catalogue):,}). "
                "Bring in a catalogue: localrec import --help, or localrec datasets list"
            )
        if not (taste.strengths != 0).any():
            known = "what most people like" if self._audience.size else "the catalogue's own order"
            return (
                f"Nothing is known of the taste of {user} in {domain.plural} yet, so this is "
                f'{known}. Rate a few: localrec feedback --user {user} --item "NAME" --like'
            )
        return ""

    def _spoke(self, taste: Taste) -> dict[str, str]:
        """Which kinds of evidence had anything to say."""
        has_taste = bool((taste.strengths != 0).any())
        heard = {
            "popularity": self._config.popularity and self._audience.size > 0,
            "neighbours": self._config.neighbours and has_taste and self._audience.size > 0,
            "attributes": self._config.attributes and has_taste,
            "nearness": self._config.nearness and has_taste and self._field is not None,
        }
        return {kind: "measured" if spoke else "silent" for kind, spoke in heard.items()}


def _best(scores: Scores, fresh: Mask, k: int) -> list[int]:
    items = np.flatnonzero(fresh)
    best: list[int] = items[np.argsort(-scores[items], kind="stable")[:k]].tolist()
    return best


def _who_took_part(fit: Fit) -> dict[str, str]:
    """Of a judge everything; of evidence only whether the memory is part of it."""
    if fit.spoke.get("rerank", "silent") != "silent":
        return fit.spoke
    return {} if fit.memory is None else {"memory": fit.spoke["memory"]}


def _who_reasoned(fit: Fit, reasons: Reasons) -> dict[str, str]:
    """Who wrote how many reasons, where that may be a model."""
    judged = fit.spoke.get("rerank", "silent") != "silent"
    return {"rationales": reasons.spoke} if judged else {}


def _tokens(fit: Fit, reasons: Reasons) -> dict[str, int]:
    spent = fit.spent | {"rationales": reasons.spent}
    return {stage: one.tokens for stage, one in spent.items() if one.calls}


def _as_fields(trajectory: Trajectory | None) -> dict[str, Any] | None:
    return None if trajectory is None else msgspec.to_builtins(trajectory)


def _calls(fit: Fit, reasons: Reasons) -> int:
    return sum(one.calls for one in fit.spent.values()) + reasons.spent.calls
