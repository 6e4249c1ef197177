"""Questions whose answers an agent puts in order: `ask --system agenticrec` and its compositions.

MARC understands the question, holds its hard constraints and proposes candidates; an agent with
tools orders them for the person, and MARC explains the first. The agent sees nothing that lies
outside the question's pool, so that whatever it writes the constraints hold. Where it gives no
ranking, or its model is not here, the fused evidence of its tools orders, and the answer says so.

What the question only leans to, such as "lighter", decides who is proposed and no more.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np

from localrec.agent.reranker import model_failed_note
from localrec.foundation.errors import ModelCancelledError, ModelError
from localrec.foundation.run_trace import RunTrace
from localrec.foundation.text import clean_name
from localrec.graph.user_profile import profile_from_keys
from localrec.memory.rerankers import Reranker, RerankRequest, RerankResult
from localrec.retrieval.search_query import RankedItems
from localrec.systems.answer_request import AnswerRequest, ChosenItems
from localrec.systems.configs import FALLBACK_AGENT, AgenticAskConfig
from localrec.systems.marc import Marc
from localrec.systems.reranking import DEFAULT_CANDIDATES
from localrec.workspace.domain_context import DomainContext


class AgenticAnswerer(Marc):
    """Answers questions about one domain, in an agent's order.

    Args:
        context: The domain, as for MARC.
        config: Names the agent.
        open_reranker: Name of an agent -> its reranker; raises ModelError where its model is not
            here, never for the fused one.
    """

    def __init__(
        self,
        context: DomainContext,
        config: AgenticAskConfig,
        open_reranker: Callable[[str], Reranker],
    ) -> None:
        super().__init__(context, config)
        self._agent = config.agent
        self._open_reranker = open_reranker

    def _choose(self, request: AnswerRequest) -> ChosenItems:
        """Let the agent order what is proposed, and keep the first k."""
        query, fit, trace = request.search, request.fit, request.trace
        proposing = max(request.k, min(DEFAULT_CANDIDATES, int(request.pool.items.sum())))
        reflected = self._reflect(request, proposing)
        proposed = reflected.chosen.items
        if not len(proposed):
            trace.spoke["rerank"] = "silent"
            return ChosenItems(found=reflected.chosen, reflection=reflected.record)
        asked = RerankRequest(
            user_profile=profile_from_keys((), query.catalogue)
            if fit is None
            else fit.user_profile,
            candidates=proposed.tolist(),
            user=clean_name(request.question.user or ""),
            instruction=query.text,
            intent=query.intent,
        )
        with trace.timed("agent"):
            judged = self._reranked(asked)
        _put_on_record(judged, trace)
        order = np.argsort(-judged.scores, kind="stable")[: request.k]
        return ChosenItems(
            found=RankedItems(proposed[order], judged.scores[order]),
            reflection=reflected.record,
            notes=judged.notes,
            trajectory=msgspec.to_builtins(judged.trajectory),
        )

    def _reranked(self, asked: RerankRequest) -> RerankResult:
        try:
            judge = self._open_reranker(self._agent)
        except ModelCancelledError:
            raise
        except ModelError as error:
            judged = self._open_reranker(FALLBACK_AGENT).judge(asked)
            return msgspec.structs.replace(judged, notes=(model_failed_note(error),))
        return judge.judge(asked)


def _put_on_record(judged: RerankResult, work: RunTrace) -> None:
    """Who ordered, why that was not the agent, and what it cost."""
    work.spoke |= judged.spoke
    if judged.notes:
        work.spoke["rerank_failed"] = " ".join(judged.notes)
    tokens = sum(spent.tokens for spent in judged.spent.values())
    if tokens:
        work.tokens["agent"] = tokens
