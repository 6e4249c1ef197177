"""Answer questions with the items in an agent's order: `ask --system agenticrec`.

MARC reads the question, holds its hard constraints and proposes candidates. An agent with tools
orders them for the user, and MARC explains the first. The agent sees only candidates, so the
constraints hold whatever it writes. Without a ranking from it, or without its model, the fused
evidence of its tools orders them, and the answer says so.

Soft wishes such as "lighter" decide which candidates are proposed, not their order.
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
from localrec.systems.configs import AgenticAskConfig
from localrec.systems.marc import Marc
from localrec.systems.reranking import DEFAULT_CANDIDATES
from localrec.systems.shipped_systems import AGENTICREC_FUSED
from localrec.workspace.domain_context import DomainContext


class AgenticAnswerer(Marc):
    """Answer questions about one domain, with an agent that orders the items.

    Args:
        context: The domain that is asked about.
        config: The composition, with the name of the agent.
        open_reranker: Opens the reranker of an agent; raises ModelError where its model is
            not here, never for the fused one.
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
        """Let the agent order the candidates, and keep the first k."""
        query, fit, trace = request.search, request.fit, request.trace
        proposing = max(request.k, min(DEFAULT_CANDIDATES, int(request.pool.items.sum())))
        reflected = self._reflect(request, proposing)
        proposed = reflected.chosen.items
        if not len(proposed):
            trace.answered_by["rerank"] = "silent"
            return ChosenItems(found=reflected.chosen, reflection=reflected.record)
        reranking = RerankRequest(
            user_profile=profile_from_keys((), query.catalogue)
            if fit is None
            else fit.user_profile,
            candidates=proposed.tolist(),
            user=clean_name(request.question.user or ""),
            instruction=query.text,
            intent=query.intent,
        )
        with trace.timed("agent"):
            reranked = self._reranked(reranking)
        _put_on_record(reranked, trace)
        order = np.argsort(-reranked.scores, kind="stable")[: request.k]
        return ChosenItems(
            found=RankedItems(proposed[order], reranked.scores[order]),
            reflection=reflected.record,
            notes=reranked.notes,
            trajectory=msgspec.to_builtins(reranked.trajectory),
        )

    def _reranked(self, request: RerankRequest) -> RerankResult:
        try:
            reranker = self._open_reranker(self._agent)
        except ModelCancelledError:
            raise
        except ModelError as error:
            reranked = self._open_reranker(AGENTICREC_FUSED).rerank(request)
            return msgspec.structs.replace(reranked, notes=(model_failed_note(error),))
        return reranker.rerank(request)


def _put_on_record(reranked: RerankResult, trace: RunTrace) -> None:
    """Record who ordered the items, why it was not the agent, and the tokens."""
    trace.answered_by |= reranked.answered_by
    if reranked.notes:
        trace.answered_by["rerank_failed"] = " ".join(reranked.notes)
    tokens = sum(spent.tokens for spent in reranked.spent.values())
    if tokens:
        trace.tokens["agent"] = tokens
