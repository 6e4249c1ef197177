"""An agent as what puts candidates in order, for `recommend`, `rank` and `ask`.

What an instruction demands is read as a question's is and checked in the graph, for the agent's
tool and for the fused order alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from localrec.agent.desk import Demand, Desk, Reference
from localrec.agent.setting_out import desk_of
from localrec.agent.trajectory import FAULTS
from localrec.errors import ModelCancelledError, ModelError
from localrec.explanation.evidence import Fact
from localrec.explanation.reasons import Reasons, counted_reasons
from localrec.graph.catalogue import Catalogue, Indexes, Mask
from localrec.llm.base import ChatModel
from localrec.llm.metered import Metered
from localrec.retrieval.base import Scores
from localrec.retrieval.constraints import allowed_items, demands_of
from localrec.retrieval.shelf import survey
from localrec.sources.text import clean_text
from localrec.systems.agenticrec import AgenticRec, AgentRanking
from localrec.systems.agents import AgenticConfig
from localrec.systems.reranking import Asked, Judgement
from localrec.types import Constraint, Intent
from localrec.understanding.intent import LONGEST_QUESTION

_STAND_IN = "The fused evidence of its tools orders the candidates."


def without_its_model(error: ModelError) -> str:
    """What the person is told where an agent's model failed, or is not here."""
    return f"The model failed: {error.message} {_STAND_IN}"


class AgenticJudge:
    """Has an agent put candidates in order; where it fails, what its tools say does.

    Args:
        name: Of the composition, for the record.
        config: Who acts, within which bounds.
        model: Opened, and closed, by somebody else; None where nobody is asked.
        reference: What is known of the domain, numbered as the catalogue.
        catalogue: What demands are checked in.
        person_of: A person's key -> their number in the graph, -1 for a stranger.
        profile_of: A person's key -> what is remembered of them, "" for nothing.
        read: An instruction, cleaned -> what it asks for.
    """

    serves_strangers = True

    def __init__(
        self,
        name: str,
        config: AgenticConfig,
        model: ChatModel | None,
        reference: Reference,
        catalogue: Catalogue,
        *,
        person_of: Callable[[str], int],
        profile_of: Callable[[str], str],
        read: Callable[[str], Intent],
    ) -> None:
        self.collective = reference.collective
        self._reference = reference
        self._catalogue = catalogue
        self._person_of, self._profile_of = person_of, profile_of
        self._read = read
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
            notes = (without_its_model(error),)
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
        candidates = np.asarray(asked.candidates, dtype=np.int32)
        return desk_of(
            self._reference,
            taste.items,
            candidates,
            stars=taste.stars,
            strengths=taste.strengths,
            days=days,
            now=np.nan if np.isnan(days).all() else self.collective.graph.now_day,
            person=person,
            profile=self._profile_of(asked.user),
            instruction=asked.instruction,
            demands=self._demands(asked, candidates),
        )

    def _demands(self, asked: Asked, candidates: Indexes) -> tuple[Demand, ...]:
        intent = asked.intent
        if intent is None:
            if not asked.instruction:
                return ()
            intent = self._read(clean_text(asked.instruction, LONGEST_QUESTION))
        return demands_on(candidates, intent, self._catalogue)

    def _days_of(self, person: int, items: NDArray[np.int32]) -> NDArray[np.float64]:
        """When a person took to each item; nan of what they did not like, or nobody knows."""
        days = np.full(len(items), np.nan)
        if person >= 0:
            graph = self.collective.graph
            rows = slice(*graph.first_item[person : person + 2].tolist())
            _, here, there = np.intersect1d(items, graph.items[rows], return_indices=True)
            days[here] = graph.days[rows][there]
        return days


def demands_on(candidates: Indexes, intent: Intent, catalogue: Catalogue) -> tuple[Demand, ...]:
    """What an intent demands, point by point, and which candidates hold it.

    All points but one together are what lies in the intent's pool before anything is relaxed; the
    one is that what is at hand makes it, which a pool does not insist on.

    Args:
        candidates: Catalogue indexes, (c,).
        intent: Of a question or an instruction.
        catalogue: Which it was read for.
    """
    points = [
        (_stated(one.constraint, catalogue) if one.constraint else one.value, one.mask)
        for one in demands_of(intent, catalogue)
    ]
    points += [(text, allowed_items(bar, catalogue)) for text, bar in _bars(intent, catalogue)]
    if intent.have:
        points.append((f"needs nothing but {', '.join(intent.have)}", _made_of(intent, catalogue)))
    return tuple(Demand(text, mask[candidates]) for text, mask in points)


def _bars(intent: Intent, catalogue: Catalogue) -> list[tuple[str, Intent]]:
    """Each thing that rules items out, in words, and as an intent that asks for nothing else."""
    bars = [
        (f"none that {_stated(one, catalogue)}", Intent(constraints=(one,)))
        for one in intent.constraints
        if one.barred and not one.soft
    ]
    bars += [(f"is {value}", Intent(flags={flag: value})) for flag, value in intent.flags.items()]
    bars += [
        (f"other than {_named(key, catalogue)}", Intent(exclude_items=(key,)))
        for key in intent.exclude_items
    ]
    if intent.target is not None:
        target = Intent(target=intent.target)
        bars.append((f"other than {_named(intent.target, catalogue)} itself", target))
    return bars


def _stated(constraint: Constraint, catalogue: Catalogue) -> str:
    says = catalogue.domain.attributes[constraint.kind].says
    return says.format(name=" or ".join(constraint.any_of))


def _named(key: str, catalogue: Catalogue) -> str:
    place = catalogue.item_index(key)
    return key if place is None else catalogue.names[place]


def _made_of(intent: Intent, catalogue: Catalogue) -> Mask:
    """Items whose components are all at hand, (n,)."""
    kind = catalogue.domain.kind_of("component") or ""
    found = (catalogue.attribute_index(kind, key) for key in intent.have)
    makeable = catalogue.none()
    makeable[survey(catalogue, [one for one in found if one is not None]).makeable] = True
    return makeable


def _scores(found: AgentRanking) -> Scores:
    """The fused evidence; where a model ranked, 1 of the first down to 1 / c of the last."""
    if found.scores is not None:
        return found.scores
    scores = np.zeros(len(found.order), dtype=np.float32)
    scores[list(found.order)] = 1.0 - np.arange(len(found.order)) / len(found.order)
    return scores
