"""The services of the app over a workspace folder.

Quick reads (people, a page, an item) open the store for themselves, and leave it open for a second
for the next one. Questions are answered one at a time from a workspace that stays warm in memory;
its store is let go a second after the last of them, so that an import in another terminal, which
waits for three, gets its turn. A question that a model thinks about keeps it meanwhile, and the
import is told who holds it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from localrec.data.model_calls import ModelCall
from localrec.data.recommendations import Recommendations
from localrec.data.rows import CatalogueRows
from localrec.foundation.progress import Progress
from localrec.systems.shipped_systems import MARC
from localrec.workspace.warm_workspace import HOLD_S, WarmWorkspace
from localrec_tui.services.catalogue import CatalogueService
from localrec_tui.services.feedback import FeedbackService
from localrec_tui.services.learning import LearningService
from localrec_tui.services.memory import MemoryService
from localrec_tui.services.models import ModelService
from localrec_tui.services.records import (
    AnsweredQuestion,
    DomainSummary,
    IntentCorrection,
    ItemDetails,
    NewFeedback,
    OnItems,
    QuestionRequest,
    RequestHandle,
    UndoneFeedback,
)
from localrec_tui.services.runs import RunService
from localrec_tui.services.store_access import ReadWriteLock, StorePool
from localrec_tui.services.trainings import TrainingService
from localrec_tui.services.transfers import TransferService

if TYPE_CHECKING:
    from localrec.data.answers import QuestionAnswerer
    from localrec.data.query import Query
    from localrec.graph.catalogue import Catalogue
    from localrec.graph.interactions import FeedbackRecord
    from localrec.graph.store import Store
    from localrec.systems.marc import Marc
    from localrec.workspace import OpenWorkspace
    from localrec.workspace.domain_context import DomainContext
    from localrec.workspace.model_pool import ModelPool
    from localrec_tui.services.cancellation import StoppableModels

_STORE = "store.duckdb"  # erasure.journal says so too, but brings NumPy to the first paint
_CANCEL_AGAIN_S = 0.45  # a call that began in the very moment of the first cancel missed it
_STOP_S = 3.0  # more is not waited for something that asks no model
_DRINKS = "cocktails"

_Made = TypeVar("_Made")


class AppServices:
    """Serves the app from one workspace folder; making one opens nothing.

    Args:
        folder: The workspace.
        hold_s: How long the store stays open after a question.
    """

    def __init__(self, folder: Path, hold_s: float = HOLD_S) -> None:
        self._folder = folder
        self._lock = ReadWriteLock()
        self._store_pool = StorePool(folder, hold_s)
        self._models: StoppableModels | None = None
        self._warm = WarmWorkspace(folder, hold_s, self._stoppable)
        self._current_request: RequestHandle | None = None
        self.catalogue = CatalogueService(folder, self._read, self._writing, self._leased_workspace)
        self.feedback = FeedbackService(folder, self._read, self._writing)
        self.transfers = TransferService(folder, self._read, self._writing)
        self.models = ModelService(folder, self._warm.started_models)
        self.memory = MemoryService(folder, self._lock, self._read, self._writing)
        self.learning = LearningService(folder)
        self.runs = RunService(folder, self._names, self.feedback.verdicts)
        self.trainings = TrainingService(folder)

    @property
    def is_empty(self) -> bool:
        """True where the workspace has no store yet."""
        return not (self._folder / _STORE).is_file()

    def domains(self) -> tuple[DomainSummary, ...]:
        """The domains that have items, largest first; none where there is no store yet."""
        from localrec_tui.services.store_queries import domain_summaries

        return () if self.is_empty else self._read(domain_summaries)

    def plugin_systems(self) -> tuple[str, ...]:
        """Return the names of the systems of other packages that answer questions."""
        from localrec.systems.registry import SYSTEM_REGISTRY

        return tuple(SYSTEM_REGISTRY.plugin_names("answerer"))

    def users(self, like: str = "", limit: int = 50) -> tuple[str, ...]:
        """Return the keys of users that contain `like`; of none, those that are spelt nearly so."""
        from localrec.graph.item_lookup import misspelt_users, users_like

        def found(store: Store) -> tuple[str, ...]:
            return users_like(store, like, limit) or tuple(misspelt_users(store, like))

        return self._read(found)

    def item(self, domain: str, key: str, user: str | None = None) -> ItemDetails:
        """Return all that is stored about an item, as a user sees it."""
        from localrec_tui.services.store_queries import item_details

        return self._read(lambda store: item_details(store, domain, key, user))

    def item_facts(
        self, domain: str, keys: Sequence[str], user: str | None = None
    ) -> tuple[ItemDetails, ...]:
        """Return what is quickly read of several items; unknown ones are left out."""
        from localrec_tui.services.store_queries import item_facts

        return self._read(lambda store: item_facts(store, domain, keys, user))

    def ask(
        self, question: QuestionRequest, request: RequestHandle, on_items: OnItems
    ) -> AnsweredQuestion:
        """Answer a question."""
        return self._answer(question, None, request, on_items)

    def ask_intent(
        self,
        question: QuestionRequest,
        corrected: IntentCorrection,
        request: RequestHandle,
        on_items: OnItems,
    ) -> AnsweredQuestion:
        """Answer a question again, read as the user corrected it."""
        unaided = msgspec.structs.replace(question, without_model=True)
        return self._answer(unaided, corrected, request, on_items)

    def recommend(
        self, user: str, domain: str | None, k: int, request: RequestHandle
    ) -> Recommendations:
        """Recommend a list to a user who asks no question."""
        from localrec.systems.registry import SYSTEM_REGISTRY
        from localrec.workspace.domain_choice import domain_of_user

        with self._leased_workspace(request) as workspace:
            context = workspace.context(domain_of_user(workspace, user, domain), user)
            ranker = SYSTEM_REGISTRY.recommender(context)
            return ranker.recommend(user, context.user_profile(user), k)

    def give_feedback(self, word: NewFeedback) -> FeedbackRecord:
        """Store feedback, with the job that updates memories from it."""
        return self.feedback.give_feedback(word)

    def undo(self, user: str) -> UndoneFeedback | None:
        """Take back a user's newest feedback; None where there is none."""
        from localrec.memory.feedback import retract_feedback
        from localrec.workspace import OpenWorkspace
        from localrec.workspace.domain_choice import domain_of_last_feedback
        from localrec_tui.services.store_queries import latest_feedback

        with self._writing(), OpenWorkspace(self._folder, writable=True) as opened:
            domain = domain_of_last_feedback(opened, user)
            said = retract_feedback(opened.store, domain, user)
            if said is None:
                return None
            holds = latest_feedback(opened.store, domain, said.user, said.item)
            return UndoneFeedback(feedback=said, domain=domain, holds=holds)

    def load_bundled_data(self, progress: Progress) -> int:
        """Put the bundled drinks into the workspace, without a network; how many they are."""
        from localrec.foundation.paths import shipped
        from localrec.graph.domain_files import load_domain
        from localrec.sources import read_export
        from localrec.sources.dataset_catalog import find_dataset
        from localrec.workspace import OpenWorkspace

        progress("reading the drinks", 0, 0)
        dataset = find_dataset(_DRINKS)
        domain = load_domain(dataset.domain)
        # Found by hand: `fetch_dataset` also knows the way to a network.
        assert dataset.bundled is not None
        table = read_export(dataset.kind, shipped("datasets") / dataset.bundled, domain)
        assert isinstance(table, CatalogueRows)
        with self._writing(), OpenWorkspace(self._folder, writable=True) as opened:
            opened.imports.import_items(table, domain, progress)
        return len(table.items)

    def stop(self, request: RequestHandle) -> None:
        """Stop a request; returns when it is over."""
        request.stopped.set()
        last = time.monotonic() + _STOP_S
        while not request.over.is_set() and time.monotonic() < last:
            if self._current_request is request:
                for model in self._warm.started_models():
                    model.cancel()
            request.over.wait(_CANCEL_AGAIN_S)

    def close(self) -> None:
        """Stop what runs, let go of the store and end the models."""
        self.models.close()
        self._store_pool.close()
        self.memory.close()
        self.learning.close()
        self.runs.close()
        self.transfers.close()
        self.trainings.close()
        if (served := self._current_request) is not None:
            self.stop(served)
        self._warm.close(_STOP_S)

    # --- questions ---

    def _answer(
        self,
        question: QuestionRequest,
        corrected: IntentCorrection | None,
        request: RequestHandle,
        on_items: OnItems,
    ) -> AnsweredQuestion:
        from localrec.systems.marc import Marc
        from localrec.systems.registry import SYSTEM_REGISTRY
        from localrec.workspace.domain_choice import domain_of_question

        with self._leased_workspace(request) as workspace:
            domain = domain_of_question(
                workspace,
                question.text,
                question.domain,
                user=question.user,
                with_image=question.image is not None,
            )
            context = workspace.context(domain, question.user)
            calls: list[ModelCall] = []
            system = SYSTEM_REGISTRY.answerer(
                context, question.system, without_model=question.without_model, calls=calls
            )
            if isinstance(system, Marc):
                return _answered(context, system, question, corrected, calls, on_items)
            marc = SYSTEM_REGISTRY.answerer(context, MARC, without_model=True)
            assert isinstance(marc, Marc)
            if corrected is not None:  # a plug-in takes questions, not readings of them
                return _answered(context, marc, question, corrected, calls, on_items)
            return _answered_by_plugin(context, system, marc, question, calls)

    @contextmanager
    def _leased_workspace(self, request: RequestHandle) -> Iterator[OpenWorkspace]:
        """Open the warm workspace for one request at a time.

        A request that was stopped is refused.

        Raises:
            ModelCancelledError: the request was stopped, before or during the block.
        """
        from localrec_tui.services.cancellation import raise_if_stopped

        try:
            with self._warm.lease() as workspace, self._lock.reading():
                self._current_request = request
                assert self._models is not None
                self._models.request = request
                try:
                    raise_if_stopped(request)
                    yield workspace
                    # A stage may have taken the stop for a failure of its model, and gone on.
                    raise_if_stopped(request)
                finally:
                    self._current_request = None
        finally:
            request.over.set()

    def _stoppable(self, pool: ModelPool) -> StoppableModels:
        """Wrap the models, so that they answer a request no more that was stopped."""
        from localrec_tui.services.cancellation import StoppableModels

        self._models = StoppableModels(pool)
        return self._models

    # --- holding the store, and letting it go ---

    def _names(self, domain: str, keys: Iterable[str]) -> dict[str, str]:
        """Names of items by key; of none where there is no store."""
        from localrec_tui.services.store_queries import item_names

        return {} if self.is_empty else self._read(lambda store: item_names(store, domain, keys))

    def _read(self, query: Callable[[Store], _Made]) -> _Made:
        """Ask the store something quick, beside a question that may be running."""
        with self._lock.reading(), self._store_pool.open_reader() as store:
            return query(store)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Keep the store for one writer of this process."""
        with self._warm.released(), self._lock.writing():
            self._store_pool.close()
            yield


def _answered_by_plugin(
    context: DomainContext,
    system: QuestionAnswerer,
    marc: Marc,
    request: QuestionRequest,
    calls: list[ModelCall],
) -> AnsweredQuestion:
    """Let a system of another package answer; how the question was read is told by our rules."""
    from localrec.data.questions import Question
    from localrec_tui.services.constraint_checks import item_matches

    question = Question(query=request.text, user=request.user, image=request.image)
    answer = system.answer(question, request.k)
    intent = marc.understand(question)
    return AnsweredQuestion(
        question=request,
        answer=msgspec.structs.replace(answer, model_saw=tuple(calls)),
        intent=intent,
        domain=context.domain.name,
        item_matches_by_key=item_matches(
            (*answer.items, *answer.near_misses), intent, context.catalogue
        ),
    )


def _answered(
    context: DomainContext,
    marc: Marc,
    request: QuestionRequest,
    corrected: IntentCorrection | None,
    calls: list[ModelCall],
    on_items: OnItems,
) -> AnsweredQuestion:
    from localrec.data.questions import Question
    from localrec.foundation.run_trace import RunTrace
    from localrec.foundation.settings import RULES
    from localrec.foundation.text import clean_text
    from localrec.understanding.query_parser import LONGEST_QUESTION
    from localrec.understanding.refinement import add_constraints
    from localrec_tui.services.constraint_checks import item_matches

    # One character more than is read, so that the intent still knows it was cut.
    text = clean_text(request.text, LONGEST_QUESTION + 1)
    question = Question(query=text, user=request.user, image=request.image)
    intent: Query
    trace = RunTrace(understanding=RULES)
    if corrected is None:
        intent, task = marc.understand(question, trace), None
    else:
        intent, task = corrected.intent, corrected.task
        if corrected.more:
            intent = add_constraints(intent, corrected.more, context.vocabulary)
    answer = marc.answer_query(question, intent, request.k, trace, task=task, on_items=on_items)
    answer = msgspec.structs.replace(answer, model_saw=tuple(calls))
    return AnsweredQuestion(
        question=request,
        answer=answer,
        intent=intent,
        domain=context.domain.name,
        item_matches_by_key=item_matches(
            (*answer.items, *answer.near_misses), intent, context.catalogue
        ),
        item_names=_item_names(intent, context.catalogue),
    )


def _item_names(intent: Query, catalogue: Catalogue) -> dict[str, str]:
    told = (*intent.exclude_items, *(key for key in (intent.target,) if key))
    places = ((key, catalogue.item_index(key)) for key in told)
    return {key: catalogue.names[place] for key, place in places if place is not None}
