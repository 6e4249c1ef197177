"""Rerank candidates by memory: by vectors, or by a model that reads the memories."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Indexes, Scores
from localrec.data.domains import Domain
from localrec.data.evidence import Fact
from localrec.data.query import Query
from localrec.data.reasons import Reasons, template_reasons
from localrec.data.token_usage import TokenUsage
from localrec.data.trajectory import Trajectory
from localrec.foundation.errors import ModelCancelledError, ModelError
from localrec.graph.user_profile import UserProfile
from localrec.llm.chat_model import ChatModel
from localrec.llm.usage_tracker import UsageTracker
from localrec.memory.collaborative_memory import CollaborativeMemory, MemoryContext
from localrec.memory.configs import MemRecModelConfig, MemRecVectorConfig
from localrec.memory.memory_texts import MemoryTexts
from localrec.memory.memrec import VectorMemRec
from localrec.memory.model_memrec import ModelMemRec
from localrec.memory.synthesis import Synthesis

WriteReasons = Callable[
    [ChatModel, Sequence[Sequence[Fact]], Sequence[str], Sequence[str]], Reasons
]
_LEAST_SHARE = 1e-6  # of a fused score, whose logarithm stands in for a chance's


class RerankRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Candidates and the history to rank them for.

    Args:
        user_profile: The user's whole history, disliked items too.
        candidates: Items, (c,).
        user: The user's key; "" for a cold-start user.
        instruction: The user's request in words; "" without one.
        intent: The query of the instruction, where it was read already.
        seed: Seed of every random choice of a reranker; not negative.
        days: Day of each item of the profile, where the store does not know it; (m,).
        default: The learnt default's scores of the candidates, (c,); None where nothing was learnt.
    """

    user_profile: UserProfile
    candidates: Sequence[int]
    user: str = ""
    instruction: str = ""
    intent: Query | None = None
    seed: int = 0
    days: NDArray[np.float64] | None = None
    default: Scores | None = None

    @property
    def items(self) -> Indexes:
        """The items that the user likes, oldest first, each once, (h,)."""
        return self.user_profile.items[self.user_profile.strengths > 0]

    @property
    def weights(self) -> Scores:
        """The weight of each liked item, (h,)."""
        return self.user_profile.strengths[self.user_profile.strengths > 0]


class RerankResult(msgspec.Struct, frozen=True, kw_only=True):
    """The scores that a reranker gives to candidates.

    Args:
        scores: Higher is better, (c,).
        answered_by: Stage -> the component that answered.
        memory_context: The context of the neighbourhood; None where no other user was looked at.
        synthesis: Facets that were told instead of the counted ones; None: those.
        known: Lines for a model that writes reasons; None: the template writes them.
        spent: Stage -> the tokens of its model.
        notes: Deviations from the request, as sentences.
        trajectory: The steps of an agent.
        failure: The model's failure, where a fallback ordered the candidates.
    """

    scores: Scores
    answered_by: dict[str, str]
    memory_context: MemoryContext | None
    synthesis: Synthesis | None = None
    known: tuple[str, ...] | None = None
    spent: dict[str, TokenUsage] = {}
    notes: tuple[str, ...] = ()
    trajectory: Trajectory | None = None
    failure: ModelError | None = None


class Reranker(Protocol):
    """Score candidates, and explain their places.

    Attributes:
        collaborative_memory: The domain's shared memory.
        serves_cold_start: Whether it can go by an instruction alone, without anything they like.
    """

    collaborative_memory: CollaborativeMemory
    serves_cold_start: bool

    def rerank(self, request: RerankRequest) -> RerankResult:
        """Score each candidate, in the given order."""
        ...

    def reasons(
        self, facts: Sequence[Sequence[Fact]], names: Sequence[str], known: Sequence[str]
    ) -> Reasons:
        """Write reasons for some candidates from the facts about each."""
        ...


class VectorReranker:
    """Compare memories as vectors.

    Args:
        collaborative_memory: The domain's shared memory, with vectors of texts.
        config: The settings of the comparison.
        user_index: A person's key -> their number in the graph, -1 for a stranger.
    """

    serves_cold_start = False

    def __init__(
        self,
        collaborative_memory: CollaborativeMemory,
        config: MemRecVectorConfig,
        user_index: Callable[[str], int],
    ) -> None:
        self.collaborative_memory = collaborative_memory
        self._user_index = user_index
        self._system = VectorMemRec(collaborative_memory, config)

    def rerank(self, request: RerankRequest) -> RerankResult:
        """Compute the similarity of each candidate's memory to user and facets, 0 to 1."""
        user = self._user_index(request.user)
        memory_context = self._system.retrieve_memory(request.items, request.weights, user)
        scores = self._system.scores(request.items, request.weights, user, memory_context)
        return RerankResult(
            scores=scores[list(request.candidates)],
            answered_by={"memory": "measured", "facets": "measured", "rerank": "vector"},
            memory_context=memory_context,
        )

    def reasons(
        self, facts: Sequence[Sequence[Fact]], names: Sequence[str], known: Sequence[str]
    ) -> Reasons:
        """Write the reasons by the template."""
        return template_reasons(facts)


class ModelReranker:
    """Score candidates with a model, and let it write the first reasons.

    A bare model scores them one by one. One with an adapter for the role starts from the default's
    order, or from the fused evidence where there is none, and tells which of the first to put
    first.

    Args:
        model: The model that scores; the caller opens and closes it.
        writer: The model that writes facets and reasons; opened likewise, and often the same.
        collaborative_memory: The domain's shared memory.
        memory_texts: Memories in words, of the same graph.
        domain: The domain, for its nouns.
        config: The settings of the model's prompts.
        user_index: A user's key -> their number in the graph, -1 for a cold-start user.
        fallback: Scores of the candidates without a model, for when it fails.
        trained: The model has an adapter for the role.
        write_reasons: Has a model word facts; takes the model, the facts, the names and the
            prompt's texts.
    """

    serves_cold_start = False

    def __init__(
        self,
        model: ChatModel,
        writer: ChatModel,
        collaborative_memory: CollaborativeMemory,
        memory_texts: MemoryTexts,
        domain: Domain,
        config: MemRecModelConfig,
        *,
        user_index: Callable[[str], int],
        fallback: Callable[[RerankRequest], Scores],
        trained: bool,
        write_reasons: WriteReasons,
    ) -> None:
        self.collaborative_memory = collaborative_memory
        self._model = UsageTracker(model)
        self._writer = UsageTracker(writer)
        self._agent = ModelMemRec(
            self._model, self._writer, collaborative_memory, memory_texts, domain, config
        )
        self._user_index = user_index
        self._fallback = fallback
        self._trained = trained
        self._write_reasons = write_reasons

    def rerank(self, request: RerankRequest) -> RerankResult:
        """Estimate the probability of each candidate; the fused scores if the model fails."""
        self._spent()  # what was spent on reasons is told with them
        memory_context = self._agent.retrieve_memory(
            request.items, request.weights, self._user_index(request.user)
        )
        try:
            # What other users like is in the scores already that a trained model starts from.
            facets_of = None if self._trained else memory_context
            known = self._agent.know(request.items, facets_of, request.instruction)
            reranked = self._agent.rerank(known, request.candidates, self._order_of(request))
        except ModelCancelledError:
            raise
        except ModelError as error:
            note = f"The model failed: {error.message} The fused evidence orders the candidates."
            return RerankResult(
                scores=self._fallback(request),
                answered_by={**_answered_by(memory_context, "measured"), "rerank": "fused"},
                memory_context=memory_context,
                spent=self._spent(),
                notes=(note,),
                failure=error,
            )
        return RerankResult(
            scores=reranked.scores.astype(np.float32),
            answered_by={
                **_answered_by(memory_context, known.synthesis.answered_by),
                "rerank": "model",
            },
            memory_context=memory_context,
            synthesis=known.synthesis,
            known=tuple(known.context.lines),
            spent=self._spent(),
            notes=known.notes,
        )

    def reasons(
        self, facts: Sequence[Sequence[Fact]], names: Sequence[str], known: Sequence[str]
    ) -> Reasons:
        """Let the model write the first reasons, as far as the facts support them."""
        return self._write_reasons(self._writer, facts, names, known)

    def _order_of(self, request: RerankRequest) -> Scores | None:
        """Return the logarithms that a trained model starts from; None for a bare one."""
        if not self._trained:
            return None
        if request.default is not None:
            return request.default
        return np.log(np.maximum(self._fallback(request), _LEAST_SHARE)).astype(np.float32)

    def _spent(self) -> dict[str, TokenUsage]:
        """Return the cost of each stage since the last call."""
        return {"facets": self._writer.taken(), "rerank": self._model.taken()}


def _answered_by(memory_context: MemoryContext | None, facets: str) -> dict[str, str]:
    return {} if memory_context is None else {"memory": "measured", "facets": facets}
