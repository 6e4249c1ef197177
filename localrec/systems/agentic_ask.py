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

from localrec.errors import ModelCancelledError, ModelError
from localrec.retrieval.base import Query, Ranked
from localrec.retrieval.constraints import Pool
from localrec.retrieval.taste import taste_of_keys
from localrec.sources.text import clean_name
from localrec.systems.agentic_judge import without_its_model
from localrec.systems.composition import FUSED, AgenticAskConfig
from localrec.systems.marc import Chosen, Marc, Question
from localrec.systems.personal import Fit
from localrec.systems.reranking import CANDIDATES, Asked, Judge, Judgement
from localrec.systems.stages import Stages
from localrec.systems.work import Work
from localrec.types import Task


class AgenticAsk(Marc):
    """Answers questions about one domain, in an agent's order.

    Args:
        stages: As of MARC.
        config: Names the agent.
        open_judge: Name of an agent -> the judge that it is; raises ModelError where its model is
            not here, never for the fused one.
    """

    def __init__(
        self, stages: Stages, config: AgenticAskConfig, open_judge: Callable[[str], Judge]
    ) -> None:
        super().__init__(stages, config)
        self._agent = config.agent
        self._open_judge = open_judge

    def _choose(
        self,
        question: Question,
        query: Query,
        pool: Pool,
        task: Task,
        k: int,
        fit: Fit | None,
        work: Work,
    ) -> Chosen:
        """The first k of what is proposed, by the agent."""
        proposing = max(k, min(CANDIDATES, int(pool.items.sum())))
        reflected = self._reflect(query, pool, task, proposing, fit, work)
        proposed = reflected.chosen.items
        if not len(proposed):
            work.spoke["rerank"] = "silent"
            return Chosen(found=reflected.chosen, reflection=reflected.record)
        asked = Asked(
            taste=taste_of_keys((), query.catalogue) if fit is None else fit.taste,
            candidates=proposed.tolist(),
            user=clean_name(question.user or ""),
            instruction=query.text,
            intent=query.intent,
        )
        with work.timed("agent"):
            judged = self._judged(asked)
        _put_on_record(judged, work)
        order = np.argsort(-judged.scores, kind="stable")[:k]
        return Chosen(
            found=Ranked(proposed[order], judged.scores[order]),
            reflection=reflected.record,
            notes=judged.notes,
            trajectory=msgspec.to_builtins(judged.trajectory),
        )

    def _judged(self, asked: Asked) -> Judgement:
        try:
            judge = self._open_judge(self._agent)
        except ModelCancelledError:
            raise
        except ModelError as error:
            judged = self._open_judge(FUSED).judge(asked)
            return msgspec.structs.replace(judged, notes=(without_its_model(error),))
        return judge.judge(asked)


def _put_on_record(judged: Judgement, work: Work) -> None:
    """Who ordered, why that was not the agent, and what it cost."""
    work.spoke |= judged.spoke
    if judged.notes:
        work.spoke["rerank_failed"] = " ".join(judged.notes)
    tokens = sum(spent.tokens for spent in judged.spent.values())
    if tokens:
        work.tokens["agent"] = tokens
