"""Records that the stages of one answer exchange, and the preparation of the first."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from localrec.data.answers import ReflectionRecord
from localrec.data.arrays import Mask
from localrec.data.query import Query, RoutedTask
from localrec.data.questions import Question
from localrec.foundation.run_trace import RunTrace
from localrec.graph.user_profile import UserProfile
from localrec.retrieval.candidates import CandidateSet, build_candidates
from localrec.retrieval.personalize import exclude_disliked, state_mask
from localrec.retrieval.search_query import RankedItems, SearchQuery
from localrec.systems.scored_items import ScoredItems
from localrec.understanding.query_parser import LONGEST_QUESTION
from localrec.workspace.domain_context import DomainContext

if TYPE_CHECKING:
    from localrec.llm.chat_model import ChatModel

LIST = 10  # items that are chosen together, however few of them are asked for


class AnswerRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One question with everything that retrieval needs.

    Args:
        question: The question as it was asked.
        search: Its query, with the vectors that retrieval compares.
        pool: The candidates.
        task: Its task.
        k: The number of items wanted.
        fit: Score of each item for the user; None: no user is named, or nothing is known of them.
        trace: Timings, tokens and provenance of the answer.
    """

    question: Question
    search: SearchQuery
    pool: CandidateSet
    task: RoutedTask
    k: int
    fit: ScoredItems | None
    trace: RunTrace

    @property
    def profile(self) -> UserProfile | None:
        """The profile of the user who asks; None: nobody is named or nothing is known."""
        return None if self.fit is None else self.fit.user_profile


class ChosenItems(msgspec.Struct, frozen=True, kw_only=True):
    """The items of an answer, best first, and how they were chosen.

    Args:
        found: The items.
        reflection: The rounds of reflection.
        notes: Sentences for the message of the answer.
        trajectory: The steps of an agent, as fields.
    """

    found: RankedItems
    reflection: ReflectionRecord
    notes: tuple[str, ...] = ()
    trajectory: dict[str, Any] | None = None


def prepare(
    context: DomainContext,
    question: Question,
    query: Query,
    task: RoutedTask,
    k: int,
    trace: RunTrace,
    *,
    personal: bool,
) -> AnswerRequest:
    """Embed a question and build its candidates; `personal` counts the history of its user."""
    search = context.search_query(question.query[:LONGEST_QUESTION], query)
    with trace.timed("embedding"):
        _ = search.vector
    fit = _fit(context, question.user, trace) if question.user and personal else None
    with trace.timed("retrieval"):
        pool = build_candidates(
            query, context.catalogue, task.kind, _asked_state(context, question, query)
        )
        if fit is not None:
            kept = exclude_disliked(fit.user_profile, pool.items)
            pool = msgspec.structs.replace(pool, items=kept)
    return AnswerRequest(
        question=question, search=search, pool=pool, task=task, k=k, fit=fit, trace=trace
    )


def _asked_state(context: DomainContext, question: Question, query: Query) -> Mask | None:
    """Return the items in the state that the question asks for; None without a user or a state."""
    if question.user is None or (query.met is None and query.on_list is None):
        return None
    return state_mask(context.user_profile(question.user), query)


def _fit(context: DomainContext, user: str, trace: RunTrace) -> ScoredItems | None:
    """Score all items for a user; None where nothing is known about the user."""
    from localrec.systems.question_scores import question_scores  # a question without a user

    with trace.timed("memory"):
        fit = question_scores(context, user)
    trace.answered_by["history"] = "measured" if len(fit.user_profile) else "silent"
    trace.answered_by["memory"] = "silent" if fit.memory is None else "measured"
    return fit if len(fit.user_profile) or fit.user_profile.hidden.any() else None


def model_opener(context: DomainContext, role: str, player: str) -> Callable[[], ChatModel] | None:
    """Return the function that opens the model of a role; None where no model has the role."""
    return partial(context.models.open, role) if player in ("model", "adapter") else None
