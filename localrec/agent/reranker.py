"""Rerank candidates by an agent, for `recommend`, `rank` and `ask`.

The constraints of an instruction are parsed like those of a question and checked in the graph, both
for the agent's tool and for the fused order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from localrec.agent.agenticrec import AgenticRec, AgentRanking
from localrec.agent.configs import AgenticRecConfig
from localrec.agent.context import build_tool_context
from localrec.agent.request_constraints import request_constraints
from localrec.agent.tool_context import DomainKnowledge, RequestConstraint, ToolContext
from localrec.data.arrays import Indexes, Scores
from localrec.data.evidence import Fact
from localrec.data.query import Query
from localrec.data.reasons import Reasons, template_reasons
from localrec.data.trajectory import FAULTS
from localrec.foundation.errors import ModelCancelledError, ModelError
from localrec.foundation.text import clean_text
from localrec.graph.catalogue import Catalogue
from localrec.llm.chat_model import ChatModel
from localrec.llm.usage_tracker import UsageTracker
from localrec.memory.rerankers import RerankRequest, RerankResult
from localrec.understanding.query_parser import LONGEST_QUESTION

_STAND_IN = "The fused evidence of its tools orders the candidates."


def model_failed_note(error: ModelError) -> str:
    """Write the note for a user whose agent's model failed or is missing."""
    return f"The model failed: {error.message} {_STAND_IN}"


class AgentReranker:
    """Rerank candidates by an agent; where the agent fails, by the fused scores of its tools.

    Args:
        name: Name of the composition, for the record.
        config: The agent's mode and limits.
        model: A chat model that the caller opens and closes; None where no model is asked.
        reference: The domain's data, numbered as the catalogue.
        catalogue: The catalogue that constraints are checked in.
        user_index: A user's key -> their number in the graph, -1 for a cold-start user.
        profile_of: A user's key -> the text of their memory, "" for none.
        read: A cleaned instruction -> its query.
    """

    serves_cold_start = True

    def __init__(
        self,
        name: str,
        config: AgenticRecConfig,
        model: ChatModel | None,
        reference: DomainKnowledge,
        catalogue: Catalogue,
        *,
        user_index: Callable[[str], int],
        profile_of: Callable[[str], str],
        read: Callable[[str], Query],
    ) -> None:
        self.collaborative_memory = reference.collaborative_memory
        self._reference = reference
        self._catalogue = catalogue
        self._user_index, self._profile_of = user_index, profile_of
        self._read = read
        self._model = None if model is None else UsageTracker(model)
        self._agent = AgenticRec(name, config, self._model)
        self._fused = AgenticRec(name, AgenticRecConfig(mode="fused"))

    def rerank(self, request: RerankRequest) -> RerankResult:
        """Score each candidate; where a model ranked, the scores tell only the order."""
        if self._model is not None:
            self._model.taken()  # what an interrupted request spent
        tool_context = self.tool_context(request)
        notes: tuple[str, ...] = ()
        failure: ModelError | None = None
        try:
            found = self._agent.rank(tool_context, request.seed)
        except ModelCancelledError:
            raise
        except ModelError as error:
            found = self._fused.rank(tool_context, request.seed)
            notes, failure = (model_failed_note(error),), error
        fault = found.trajectory.fault
        if fault is not None:
            notes = (f"The agent gave no ranking. {FAULTS[fault]} {_STAND_IN}",)
        return RerankResult(
            scores=_scores(found),
            answered_by={"rerank": "fused" if found.scores is not None else "agent"},
            memory_context=None,
            spent={} if self._model is None else {"rerank": self._model.taken()},
            notes=notes,
            trajectory=found.trajectory,
            failure=failure,
        )

    def reasons(
        self, facts: Sequence[Sequence[Fact]], names: Sequence[str], known: Sequence[str]
    ) -> Reasons:
        """Write the reasons by the template."""
        return template_reasons(facts)

    def tool_context(self, request: RerankRequest) -> ToolContext:
        """Build the tool context of a request."""
        user = self._user_index(request.user)
        user_profile = request.user_profile
        days = request.days
        if days is None:
            days = self._days_of(user, user_profile.items)
        candidates = np.asarray(request.candidates, dtype=np.int32)
        return build_tool_context(
            self._reference,
            user_profile.items,
            candidates,
            stars=user_profile.stars,
            strengths=user_profile.strengths,
            days=days,
            now=np.nan if np.isnan(days).all() else self.collaborative_memory.graph.now_day,
            user=user,
            profile=self._profile_of(request.user),
            instruction=request.instruction,
            demands=self._demands(request, candidates),
        )

    def _demands(
        self, request: RerankRequest, candidates: Indexes
    ) -> tuple[RequestConstraint, ...]:
        intent = request.intent
        if intent is None:
            if not request.instruction:
                return ()
            intent = self._read(clean_text(request.instruction, LONGEST_QUESTION))
        return request_constraints(candidates, intent, self._catalogue)

    def _days_of(self, user: int, items: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the day of each liked item; NaN for disliked items and unknown days."""
        days = np.full(len(items), np.nan)
        if user >= 0:
            graph = self.collaborative_memory.graph
            rows = graph.matrix.rows_of(user)
            _, here, there = np.intersect1d(items, graph.matrix.items[rows], return_indices=True)
            days[here] = graph.matrix.days[rows][there]
        return days


def _scores(found: AgentRanking) -> Scores:
    """Return the fused scores, or 1 to 1 / c by the place where a model ranked."""
    if found.scores is not None:
        return found.scores
    scores = np.zeros(len(found.order), dtype=np.float32)
    scores[list(found.order)] = 1.0 - np.arange(len(found.order)) / len(found.order)
    return scores
