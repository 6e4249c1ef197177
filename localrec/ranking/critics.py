"""Critics: four scores of 0 to 100 for a candidate set, as MARC's reflection prompt names them.

relevance: the constraints are met and the texts are similar; diversity: the items differ;
completeness: all places are filled and all constraints are covered; coherence: the items form one
set. The measured critic computes the four, the model critic asks a local model; the loop in
`reflection.py` takes either, and the answer names it. A model that was trained for the role chooses
between two sets instead (`pair_critic.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Protocol

import msgspec
import numpy as np

from localrec.data.arrays import Indexes
from localrec.data.chat_message import Message
from localrec.data.domains import Domain
from localrec.graph.catalogue import Catalogue
from localrec.llm.structured_output import object_grammar, parse_object
from localrec.retrieval.candidates import CandidateSet
from localrec.retrieval.search_query import RankedItems, SearchQuery

if TYPE_CHECKING:
    from localrec.llm.chat_model import ChatModel

_SCALE = (0, 100)
_NEAR = 0.45  # cosine of a question to a text that says just that, for MiniLM
_TOLD = 8  # candidates and components shown to the model


class Assessment(msgspec.Struct, frozen=True):
    """Four scores of one candidate set, each 0 to 100."""

    relevance: float
    diversity: float
    completeness: float
    coherence: float

    @property
    def overall(self) -> float:
        """The mean of the four (paper, Listing 1)."""
        return (self.relevance + self.diversity + self.completeness + self.coherence) / 4

    def as_dict(self) -> dict[str, float]:
        """Return the scores and their mean, rounded for a report."""
        scores = {name: round(getattr(self, name), 1) for name in self.__struct_fields__}
        return {**scores, "overall": round(self.overall, 1)}


class ScoredList(msgspec.Struct, frozen=True):
    """A proposed list with its scores."""

    found: RankedItems
    assessment: Assessment


class Critic(Protocol):
    """Assess and compare candidate sets; `answered_by` names the critic in the answer."""

    answered_by: str
    tokens: int

    def assess(self, query: SearchQuery, pool: CandidateSet, items: Indexes, k: int) -> Assessment:
        """Assess one candidate set for a question that wanted k items."""
        ...

    def prefers(self, query: SearchQuery, challenger: ScoredList, champion: ScoredList) -> bool:
        """Whether a set is better than the best one so far."""
        ...


class ScoringCritic:
    """Compare candidate sets by the mean of their scores; of equals the first stays."""

    def prefers(self, query: SearchQuery, challenger: ScoredList, champion: ScoredList) -> bool:
        """Whether a set has the higher mean."""
        return challenger.assessment.overall > champion.assessment.overall


class MeasuredCritic(ScoringCritic):
    """Compute the scores from the graph and the vectors; equal sets get equal scores."""

    answered_by = "measured"
    tokens = 0

    def assess(self, query: SearchQuery, pool: CandidateSet, items: Indexes, k: int) -> Assessment:
        """Score one candidate set."""
        if not len(items):
            return Assessment(0.0, 0.0, 0.0, 0.0)
        near = np.clip(query.similarity(items) / _NEAR, 0.0, 1.0)
        relevance = 0.75 * share_of_constraints_met(pool, items) + 0.25 * float(near.mean())
        return measured_assessment(query.catalogue, pool, items, k, relevance)


def measured_assessment(
    catalogue: Catalogue, pool: CandidateSet, items: Indexes, k: int, relevance: float
) -> Assessment:
    """Compute the assessment of a candidate set that is not empty.

    Args:
        catalogue: Catalogue of the items.
        pool: The candidates that meet the constraints.
        items: The set.
        k: The number of items wanted.
        relevance: The measured relevance, 0 to 1.
    """
    components = [frozenset(map(int, catalogue.components_of(i))) for i in items]
    families = [catalogue.families_of(int(i)) for i in items]
    wanted = min(k, int(pool.items.sum()))
    filled = min(1.0, len(items) / max(1, wanted))
    covered = np.mean([d.mask[items].any() for d in pool.demands]) if pool.demands else 1.0
    return Assessment(
        relevance=100.0 * relevance,
        diversity=100.0 * (1.0 - _mean_overlap(components)) if len(items) > 1 else 100.0,
        completeness=100.0 * float(filled * covered),
        coherence=100.0 * min(1.0, 0.5 + _mean_overlap(families)) if len(items) > 1 else 100.0,
    )


class ModelCritic(ScoringCritic):
    """Let a local model give the scores, under a grammar of four integers.

    Candidates are shown as numbered lines of facts; the model writes nothing but the scores.
    """

    answered_by = "model"

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.tokens = 0

    def assess(self, query: SearchQuery, pool: CandidateSet, items: Indexes, k: int) -> Assessment:
        """Score one candidate set.

        Raises:
            ModelError: the model failed or wrote something else.
        """
        messages = critic_prompt(query.text, query.catalogue, items, k)
        generation = self._model.generate(
            messages, grammar=scores_grammar(), max_tokens=64, fixed=len(messages) - 1
        )
        self.tokens += generation.usage.prompt + generation.usage.generated
        scores = parse_object(generation.text, _FIELDS)
        return Assessment(**{name: float(score) for name, score in scores.items()})


_FIELDS = dict.fromkeys(Assessment.__struct_fields__, _SCALE)


def scores_grammar() -> str:
    """Write the grammar of a critic's answer."""
    return object_grammar(_FIELDS)


def critic_prompt(text: str, catalogue: Catalogue, items: Indexes, k: int) -> list[Message]:
    """Write the prompt about a candidate set, for a model without an adapter for the role.

    Args:
        text: The question.
        catalogue: Catalogue of the items.
        items: The set.
        k: The number of items wanted.
    """
    domain = catalogue.domain
    system = (
        f"You check lists of {domain.plural} that were found for a question. Give four "
        "whole numbers from 0 (bad) to 100 (perfect). relevance: does the list fit what "
        "was asked, with everything that was demanded? diversity: do the entries differ "
        "from one another? completeness: is anything missing that the person would want? "
        "coherence: do the entries make sense together?"
    )
    listed = [_attribute_names(catalogue, int(item)) for item in items[:_TOLD]]
    shots = [message for shot in _WORKED for message in _worked_example(domain, *shot)]
    prompt = _question_prompt(text[:400], k, listed)
    return [Message("system", system), *shots, Message("user", prompt)]


def _verdict(scores: Mapping[str, int]) -> str:
    """Write four scores in the model's format."""
    fields = ", ".join(f'"{name}": {scores[name]}' for name in Assessment.__struct_fields__)
    return f"{{{fields}}}"


# What a fitting and an unfitting list get: without an example of each, a small model gives every
# list the same few points.
_WORKED: tuple[tuple[bool, tuple[int, int, int, int]], ...] = (
    (True, (95, 80, 90, 90)),
    (False, (10, 40, 20, 30)),
)


def _worked_example(
    domain: Domain, fits: bool, scores: tuple[int, int, int, int]
) -> tuple[Message, Message]:
    names = list(domain.taxonomy.get(domain.kind_of("component") or "", {}))[:6]
    wanted = names[0] if names else "this"
    listed = [", ".join([wanted, other] if fits else [other]) for other in names[1:4]]
    reply = _verdict(dict(zip(Assessment.__struct_fields__, scores, strict=True)))
    prompt = _question_prompt(f"something with {wanted}", 3, listed)
    return Message("user", prompt), Message("assistant", reply)


def _question_prompt(question: str, k: int, listed: Sequence[str]) -> str:
    found = "\n".join(f"{number}. {line}" for number, line in enumerate(listed, 1))
    return f"Question: {question}\nWanted: {k}\nFound:\n{found}\nScores:"


def _attribute_names(catalogue: Catalogue, item: int) -> str:
    names = [catalogue.attributes[i].name for i in catalogue.attributes_of(item)]
    return ", ".join(names[:_TOLD])


def share_of_constraints_met(pool: CandidateSet, items: Indexes) -> float:
    """Average over constraints the share of items that meet each; 1 without constraints."""
    if not pool.demands:
        return 1.0
    return float(np.mean([demand.mask[items].mean() for demand in pool.demands]))


def _mean_overlap(sets: Sequence[frozenset[int]]) -> float:
    """Average the Jaccard overlap of all pairs; 0 for fewer than two sets."""
    overlaps = [len(a & b) / max(1, len(a | b)) for a, b in combinations(sets, 2)]
    return float(np.mean(overlaps)) if overlaps else 0.0
