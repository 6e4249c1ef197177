"""Lists and rankings whose candidates are judged: by a model, or by their memories as vectors.

Given candidates are all judged. For a list the measured evidence of `Personal` proposes the
candidates, as retrieval does in MemRec, and the judge puts them in order; what it holds equal stays
in the order of the evidence. A model that fails on the way leaves the candidates to the fused
evidence of the shared memory, and a note says so. One that is not here at all is no judge: whoever
opens it is told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Protocol

import msgspec
import numpy as np

from localrec.agent.trajectory import Trajectory
from localrec.domains import Domain
from localrec.errors import ModelCancelledError, ModelError
from localrec.explanation.evidence import Fact
from localrec.explanation.personal import Because, Company
from localrec.explanation.rationales import ask_reasons
from localrec.explanation.reasons import Reasons, counted_reasons
from localrec.graph.catalogue import Catalogue, Indexes, Mask
from localrec.index.audience import Audience
from localrec.index.build import EmbeddedField
from localrec.llm.base import ChatModel
from localrec.llm.metered import Metered, Spent
from localrec.memory.synthesis import Synthesis
from localrec.retrieval.base import Scores
from localrec.retrieval.collaboration import Collective, Portraits, Remembered
from localrec.retrieval.taste import Taste
from localrec.sources.text import clean_name
from localrec.systems.memrec import AgentConfig, MemRecAgent, VectorConfig, VectorMemRec
from localrec.systems.personal import Fit, Personal, PersonalConfig, RankRequest
from localrec.systems.remembering import view_of
from localrec.types import Intent
from localrec.understanding.vocabulary import Vocabulary

CANDIDATES = 20  # proposed for a list, as by the paper's retrieval; k where that is more


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """Candidates, and for whom.

    Args:
        taste: The person's whole history, disliked items too.
        candidates: Items, (c,).
        user: The person's key; "" for a stranger.
        instruction: What they ask for, in words; "" where they do not.
        intent: The same, where it was understood already.
    """

    taste: Taste
    candidates: Sequence[int]
    user: str = ""
    instruction: str = ""
    intent: Intent | None = None

    @property
    def items(self) -> Indexes:
        """What the person likes, oldest first, each once, (h,)."""
        return self.taste.items[self.taste.strengths > 0]

    @property
    def weights(self) -> Scores:
        """How much, (h,)."""
        return self.taste.strengths[self.taste.strengths > 0]


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """What a judge says of candidates.

    Args:
        scores: Higher is better, (c,).
        spoke: Stage -> who played it.
        remembered: What the neighbourhood says; None where nobody else was looked at.
        synthesis: Facets that were told instead of the counted ones; None: those.
        known: What a model that writes reasons is told, in lines; None: the template writes them.
        spent: Stage -> what a model was asked for it.
        notes: What went otherwise than was asked for, as sentences.
        trajectory: What an agent did.
    """

    scores: Scores
    spoke: dict[str, str]
    remembered: Remembered | None
    synthesis: Synthesis | None = None
    known: tuple[str, ...] | None = None
    spent: dict[str, Spent] = {}
    notes: tuple[str, ...] = ()
    trajectory: Trajectory | None = None


class Judge(Protocol):
    """Scores candidates, and says why they stand where they do.

    Attributes:
        collective: The domain's shared memory.
        serves_strangers: Whether it can go by an instruction alone, without anything they like.
    """

    collective: Collective
    serves_strangers: bool

    def judge(self, asked: Asked) -> Judgement:
        """A score for each candidate, in their order."""
        ...

    def reasons(
        self, facts: Sequence[Sequence[Fact]], names: Sequence[str], known: Sequence[str]
    ) -> Reasons:
        """Reasons for some candidates, from the facts about each."""
        ...


class VectorJudge:
    """Compares memories as vectors.

    Args:
        collective: The domain's shared memory, with vectors of texts.
        config: How they are compared.
        person_of: A person's key -> their number in the graph, -1 for a stranger.
    """

    serves_strangers = False

    def __init__(
        self, collective: Collective, config: VectorConfig, person_of: Callable[[str], int]
    ) -> None:
        self.collective = collective
        self._person_of = person_of
        self._system = VectorMemRec(collective, config)

    def judge(self, asked: Asked) -> Judgement:
        """How near each candidate's memory lies to the person's and to the facets, 0 to 1."""
        person = self._person_of(asked.user)
        remembered = self._system.remember(asked.items, asked.weights, person)
        scores = self._system.scores(asked.items, asked.weights, person, remembered)
        return Judgement(
            scores=scores[list(asked.candidates)],
            spoke={"memory": "measured", "facets": "measured", "rerank": "vector"},
            remembered=remembered,
        )

    def reasons(
        self, facts: Sequence[Sequence[Fact]], names: Sequence[str], known: Sequence[str]
    ) -> Reasons:
        """By the template."""
        return counted_reasons(facts)


class AgentJudge:
    """Has a model judge candidates one by one, and say why the first stand where they do.

    Args:
        model: Judges; opened, and closed, by somebody else.
        writer: Writes facets and reasons; opened and closed likewise, and often the same.
        collective: The domain's shared memory.
        portraits: Of the same graph.
        domain: For its nouns.
        config: What the model is told.
        person_of: A person's key -> their number in the graph, -1 for a stranger.
        stand_in: Scores of the candidates without a model, for when it fails.
        open_vocabulary: Names of the catalogue, which reasons are checked by.
    """

    serves_strangers = False

    def __init__(
        self,
        model: ChatModel,
        writer: ChatModel,
        collective: Collective,
        portraits: Portraits,
        domain: Domain,
        config: AgentConfig,
        *,
        person_of: Callable[[str], int],
        stand_in: Callable[[Asked], Scores],
        open_vocabulary: Callable[[], Vocabulary],
    ) -> None:
        self.collective = collective
        self._model = Metered(model)
        self._writer = Metered(writer)
        self._agent = MemRecAgent(self._model, self._writer, collective, portraits, domain, config)
        self._person_of = person_of
        self._stand_in = stand_in
        self._open_vocabulary = open_vocabulary

    def judge(self, asked: Asked) -> Judgement:
        """How likely the model holds each candidate; the fused evidence where it fails."""
        self._spent()  # what was spent on reasons is told with them
        remembered = self._agent.remember(asked.items, asked.weights, self._person_of(asked.user))
        try:
            known = self._agent.know(asked.items, remembered, asked.instruction)
            reranked = self._agent.judge(known, asked.candidates)
        except ModelCancelledError:
            raise
        except ModelError as error:
            note = f"The model failed: {error.message} The fused evidence orders the candidates."
            return Judgement(
                scores=self._stand_in(asked),
                spoke={**_heard(remembered, "measured"), "rerank": "fused"},
                remembered=remembered,
                spent=self._spent(),
                notes=(note,),
            )
        return Judgement(
            scores=reranked.scores.astype(np.float32),
            spoke={**_heard(remembered, known.synthesis.spoke), "rerank": "model"},
            remembered=remembered,
            synthesis=known.synthesis,
            known=tuple(known.context.lines),
            spent=self._spent(),
            notes=known.notes,
        )

    def reasons(
        self, facts: Sequence[Sequence[Fact]], names: Sequence[str], known: Sequence[str]
    ) -> Reasons:
        """In the model's words for the first few, as far as the facts carry them."""
        return ask_reasons(self._writer, facts, names, self._vocabulary, known=known)

    def _spent(self) -> dict[str, Spent]:
        """What each stage took since this was last called."""
        return {"facets": self._writer.taken(), "rerank": self._model.taken()}

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return self._open_vocabulary()


class Reranking(Personal):
    """Recommends and ranks by a judge.

    Args:
        catalogue: Items and attributes.
        audience: Who liked what.
        field: Vectors of the text that describes items; None where there are none.
        config: The kinds of evidence that propose candidates.
        judge: Puts them in order.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        audience: Audience,
        field: EmbeddedField | None,
        config: PersonalConfig,
        judge: Judge,
    ) -> None:
        super().__init__(catalogue, audience, field, config)
        self._judge = judge

    def fit_to_list(self, user: str, taste: Taste, fresh: Mask, k: int) -> Fit:
        """Scores of the candidates for a list, -inf for all else, (n,)."""
        fit = self.fit(user, taste)
        items = np.flatnonzero(fresh)
        best = np.argsort(-fit.scores[items], kind="stable")[: max(k, CANDIDATES)]
        return self._judged(fit, user, taste, items[best].tolist())

    def fit_to_request(self, request: RankRequest, taste: Taste, items: Sequence[int]) -> Fit:
        """Scores of a request's candidates, -inf for all else, (n,)."""
        user = clean_name(request.user or "")
        return self._judged(self.fit(user, taste), user, taste, items, request.instruction or "")

    def reasons(self, fit: Fit, items: Sequence[int]) -> Reasons:
        """What the memory says for some items, as far as it was asked."""
        if fit.spoke["rerank"] == "silent":
            return super().reasons(fit, items)
        alone = fit.memory is None
        told = fit.because.from_attributes if alone else fit.because.from_memory
        facts = [told(item) for item in items]
        if fit.known is None:
            return counted_reasons(facts)
        names = [self._catalogue.names[item] for item in items]
        return self._judge.reasons(facts, names, fit.known)

    def _judged(
        self, fit: Fit, user: str, taste: Taste, candidates: Sequence[int], instruction: str = ""
    ) -> Fit:
        likes = bool((taste.strengths > 0).any())
        knows = likes or (bool(instruction) and self._judge.serves_strangers)
        if not knows or not len(candidates):
            note = "Nothing is known that they like, so that no candidate was judged."
            spoke = {**fit.spoke, "rerank": "silent"}
            return msgspec.structs.replace(fit, spoke=spoke, notes=() if knows else (note,))
        found = self._judge.judge(
            Asked(taste=taste, candidates=candidates, user=user, instruction=instruction)
        )
        scores = np.full(len(self._catalogue), -np.inf, dtype=np.float32)
        scores[list(candidates)] = _in_one_order(found.scores, fit.scores[list(candidates)])
        remembered = found.remembered
        company = None if remembered is None else Company(self._judge.collective, remembered)
        return Fit(
            scores=scores,
            taste=taste,
            because=Because(user, taste, self._catalogue, self._audience, company),
            spoke=found.spoke,
            memory=None if remembered is None else view_of(remembered, found.synthesis),
            spent=found.spent,
            notes=found.notes,
            known=found.known,
            trajectory=found.trajectory,
        )


def _heard(remembered: Remembered | None, facets: str) -> dict[str, str]:
    return {} if remembered is None else {"memory": "measured", "facets": facets}


def _in_one_order(scores: Scores, before: Scores) -> Scores:
    """Scores of which no two are equal: the one that was higher before stays a hair above."""
    order = np.lexsort((-before, -scores))
    apart = scores.astype(np.float32)
    for above, below in zip(order[:-1].tolist(), order[1:].tolist(), strict=True):
        apart[below] = min(apart[below], np.nextafter(apart[above], np.float32(-np.inf)))
    return apart
