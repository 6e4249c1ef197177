"""An agent as what puts candidates in order for `recommend` and `rank`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from localrec.agent.desk import Desk, Reference
from localrec.agent.setting_out import desk_of
from localrec.agent.trajectory import FAULTS
from localrec.errors import ModelCancelledError, ModelError
from localrec.explanation.evidence import Fact
from localrec.explanation.reasons import Reasons, counted_reasons
from localrec.llm.base import ChatModel
from localrec.llm.metered import Metered
from localrec.retrieval.base import Scores
from localrec.systems.agenticrec import AgenticRec, AgentRanking
from localrec.systems.agents import AgenticConfig
from localrec.systems.reranking import Asked, Judgement

_STAND_IN = "The fused evidence of its tools orders the candidates."


class AgenticJudge:
    """Has an agent put candidates in order; where it fails, what its tools say does.

    Args:
        name: Of the composition, for the record.
        config: Who acts, within which bounds.
        model: Opened, and closed, by somebody else; None where nobody is asked.
        reference: What is known of the domain, numbered as the catalogue.
        person_of: A person's key -> their number in the graph, -1 for a stranger.
        profile_of: A person's key -> what is remembered of them, "" for nothing.
    """

    def __init__(
        self,
        name: str,
        config: AgenticConfig,
        model: ChatModel | None,
        reference: Reference,
        person_of: Callable[[str], int],
        profile_of: Callable[[str], str],
    ) -> None:
        self.collective = reference.collective
        self._reference = reference
        self._person_of, self._profile_of = person_of, profile_of
        self._model = None if model is None else Metered(model)
        self._agent = AgenticRec(name, config, self._model)
        self._fused = AgenticRec(name, AgenticConfig(mode="fused"))

    def judge(self, asked: Asked) -> Judgement:
        """A score for each candidate; where a model ranked, nothing but their order tells."""
        if self._model is not None:
            self._model.taken()  # what an interrupted request spent
        desk = self._desk(asked)
        notes: tuple[str, ...] = ()
        try:
            found = self._agent.rank(desk)
        except ModelCancelledError:
            raise
        except ModelError as error:
            found = self._fused.rank(desk)
            notes = (f"The model failed: {error.message} {_STAND_IN}",)
        fault = found.trajectory.fault
        if fault is not None:
            notes = (f"The agent gave no ranking. {FAULTS[fault]} {_STAND_IN}",)
        return Judgement(
            scores=_scores(found),
            spoke={"rerank": "fused" if found.scores is not None else "agent"},
            remembered=None,
            spent={} if self._model is None else {"rerank": self._model.taken()},
            notes=notes,
            trajectory=found.trajectory,
        )

    def reasons(
        self, facts: Sequence[Sequence[Fact]], names: Sequence[str], known: Sequence[str]
    ) -> Reasons:
        """By the template."""
        return counted_reasons(facts)

    def _desk(self, asked: Asked) -> Desk:
        person = self._person_of(asked.user)
        taste = asked.taste
        days = self._days_of(person, taste.items)
        return desk_of(
            self._reference,
            taste.items,
            np.asarray(asked.candidates, dtype=np.int32),
            stars=taste.stars,
            strengths=taste.strengths,
            days=days,
            now=np.nan if np.isnan(days).all() else self.collective.graph.now_day,
            person=person,
            profile=self._profile_of(asked.user),
            instruction=asked.instruction,
        )

    def _days_of(self, person: int, items: NDArray[np.int32]) -> NDArray[np.float64]:
        """When a person took to each item; nan of what they did not like, or nobody knows."""
        days = np.full(len(items), np.nan)
        if person >= 0:
            graph = self.collective.graph
            rows = slice(*graph.first_item[person : person + 2].tolist())
            _, here, there = np.intersect1d(items, graph.items[rows], return_indices=True)
            days[here] = graph.days[rows][there]
        return days


def _scores(found: AgentRanking) -> Scores:
    """The fused evidence; where a model ranked, 1 of the first down to 1 / c of the last."""
    if found.scores is not None:
        return found.scores
    scores = np.zeros(len(found.order), dtype=np.float32)
    scores[list(found.order)] = 1.0 - np.arange(len(found.order)) / len(found.order)
    return scores
