"""The backend over a workspace folder.

Quick reads (people, a page, an item) open the store for themselves, and leave it open for a second
for the next one. Questions are answered one at a time from a workspace that stays warm in memory;
its store is let go a second after the last of them, so that an import in another terminal, which
waits for three, gets its turn. A question that a model thinks about keeps it meanwhile, and the
import is told who holds it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, Timer
from typing import TYPE_CHECKING, TypeVar

import msgspec

from localrec.types import ModelCall, Recommendations, SourceTable
from localrec_tui.backend.base import (
    Answered,
    Asked,
    Corrected,
    DomainFound,
    Heard,
    ItemFound,
    Progress,
    Request,
    TakenBack,
    Word,
)
from localrec_tui.backend.catalogues import LocalCatalogues
from localrec_tui.backend.evaluations import LocalEvaluations
from localrec_tui.backend.gate import Gate
from localrec_tui.backend.lingering import Lingering
from localrec_tui.backend.memories import LocalMemories
from localrec_tui.backend.models import LocalModels
from localrec_tui.backend.trainings import LocalTrainings

if TYPE_CHECKING:
    from localrec.graph.people import Said
    from localrec.graph.store import Store
    from localrec.llm.base import ChatModel
    from localrec.systems.marc import Marc
    from localrec.types import Intent
    from localrec_tui.backend.lent import LentWorkspace, Mark

_STORE = "store.duckdb"  # erasure.journal says so too, but brings NumPy to the first paint
_LINGER_S = 1.0
_CANCEL_AGAIN_S = 0.45  # a call that began in the very moment of the first cancel missed it
_STOP_S = 3.0  # more is not waited for something that asks no model
_DRINKS = "cocktails"

_Made = TypeVar("_Made")


class LocalBackend:
    """Serves the app from one workspace folder; making one opens nothing.

    Args:
        folder: The workspace.
        linger_s: How long the store is held after a question.
    """

    def __init__(self, folder: Path, linger_s: float = _LINGER_S) -> None:
        self._folder = folder
        self._linger_s = linger_s
        self._gate = Gate()
        self._lingering = Lingering(folder, linger_s)
        self._turn = Lock()  # one question at a time; guards the warm workspace
        self._warm: LentWorkspace | None = None
        self._mark: Mark | None = None
        self._models: dict[str, ChatModel] = {}
        self._served: Request | None = None
        self._timer: Timer | None = None
        self.browse = LocalCatalogues(folder, self._read, self._writing, self._serving)
        self.models = LocalModels(folder, self._models)
        self.memory = LocalMemories(folder, self._gate, self._read, self._writing)
        self.evaluations = LocalEvaluations(folder, self._names)
        self.training = LocalTrainings(folder)

    @property
    def is_empty(self) -> bool:
        """True where the workspace has no store yet."""
        return not (self._folder / _STORE).is_file()

    def domains(self) -> tuple[DomainFound, ...]:
        """The domains that have items, largest first; none where there is no store yet."""
        from localrec_tui.backend.facts import domains_in

        return () if self.is_empty else self._read(domains_in)

    def people(self, like: str = "", limit: int = 50) -> tuple[str, ...]:
        """Keys of people that contain `like`."""
        from localrec_tui.backend.facts import people_in

        return self._read(lambda store: people_in(store, like, limit))

    def item(self, domain: str, key: str, user: str | None = None) -> ItemFound:
        """All that is stored about an item, as a person sees it."""
        from localrec_tui.backend.facts import item_in

        return self._read(lambda store: item_in(store, domain, key, user))

    def ask(self, asked: Asked, request: Request, heard: Heard) -> Answered:
        """Answer a question."""
        return self._answer(asked, None, request, heard)

    def ask_intent(
        self, asked: Asked, corrected: Corrected, request: Request, heard: Heard
    ) -> Answered:
        """Answer a question again after a person mended how it was read."""
        unaided = msgspec.structs.replace(asked, without_model=True)
        return self._answer(unaided, corrected, request, heard)

    def recommend(self, user: str, domain: str | None, k: int, request: Request) -> Recommendations:
        """A list for a person who asks for nothing in particular."""
        with self._serving(request, user) as workspace:
            chosen = workspace.choose_person_domain(user, domain)
            taste = workspace.taste(chosen, user)
            return workspace.personal(chosen).recommend(user, taste, k)

    def give_feedback(self, word: Word) -> Said:
        """Store what a person says, with the job that works it into memories."""
        from localrec.memory.feedback import take_word
        from localrec.workspace import Workspace

        with self._writing(), Workspace(self._folder, writable=True) as opened:
            domain, item_id, _ = opened.find_item(word.item, word.domain, word.user)
            return take_word(
                opened.store, domain, word.user, item_id, word.event, reason=word.reason
            )

    def undo(self, user: str) -> TakenBack | None:
        """Take back a person's newest word; None where there is none."""
        from localrec.memory.feedback import take_back
        from localrec.workspace import Workspace
        from localrec_tui.backend.facts import newest_word

        with self._writing(), Workspace(self._folder, writable=True) as opened:
            domain = opened.choose_undo_domain(user)
            said = take_back(opened.store, domain, user)
            if said is None:
                return None
            holds = newest_word(opened.store, domain, said.user, said.item)
            return TakenBack(said=said, domain=domain, holds=holds)

    def load_drinks(self, progress: Progress) -> int:
        """Put the bundled drinks into the workspace, without a network; how many they are."""
        from localrec.datasets import find_dataset
        from localrec.domains import load_domain
        from localrec.paths import shipped
        from localrec.sources import read_export
        from localrec.workspace import Workspace

        progress("reading the drinks", 0, 0)
        dataset = find_dataset(_DRINKS)
        domain = load_domain(dataset.domain)
        # Found by hand: `fetch_dataset` also knows the way to a network.
        assert dataset.bundled is not None
        table = read_export(dataset.kind, shipped("datasets") / dataset.bundled, domain)
        assert isinstance(table, SourceTable)
        with self._writing(), Workspace(self._folder, writable=True) as opened:
            opened.take_in(table, domain, progress)
        return len(table.items)

    def stop(self, request: Request) -> None:
        """Stop a request; returns when it is over."""
        from localrec_tui.backend.stopping import cancel

        request.stopped.set()
        last = time.monotonic() + _STOP_S
        while not request.over.is_set() and time.monotonic() < last:
            if self._served is request:
                for model in list(self._models.values()):
                    cancel(model)
            request.over.wait(_CANCEL_AGAIN_S)

    def close(self) -> None:
        """Stop what runs, let go of the store and end the models."""
        self.models.close()
        self._lingering.let_go()
        self.memory.close()
        self.evaluations.close()
        self.training.close()
        if (served := self._served) is not None:
            self.stop(served)
        # Where something goes on that asks no model, the models end with this process.
        if self._turn.acquire(timeout=_STOP_S):
            self._let_go()
            for model in self._models.values():
                model.close()
            self._models.clear()
            self._turn.release()

    # --- questions ---

    def _answer(
        self, asked: Asked, corrected: Corrected | None, request: Request, heard: Heard
    ) -> Answered:
        from localrec.systems.marc import Marc

        with self._serving(request, asked.user) as workspace:
            pictured = asked.image is not None
            domain = workspace.choose_domain(asked.text, asked.domain, pictured=pictured)
            calls: list[ModelCall] = []
            system = workspace.system(
                asked.system, domain, without_model=asked.without_model, calls=calls
            )
            assert isinstance(system, Marc), asked.system
            return _answered(workspace, system, asked, corrected, domain, calls, heard)

    @contextmanager
    def _serving(self, request: Request, user: str | None) -> Iterator[LentWorkspace]:
        """The warm workspace as a person sees it, for one request, at its turn.

        A request that was stopped is refused.

        Raises:
            ModelCancelledError: the request was stopped, before or during the block.
        """
        from localrec_tui.backend.stopping import check

        try:
            with self._turn, self._gate.reading():
                self._stay()
                check(request)
                self._served = request
                try:
                    workspace = self._as_it_is_now().seen_by(user)
                    workspace.request = request
                    yield workspace
                    # A stage may have taken the stop for a failure of its model, and gone on.
                    check(request)
                finally:
                    self._served = None
                    self._linger()
        finally:
            request.over.set()

    def _as_it_is_now(self) -> LentWorkspace:
        """The warm workspace; a new one where store or settings changed since it was read."""
        from localrec_tui.backend.lent import LentStore, LentWorkspace, mark_of

        before = self._warm
        store = LentStore(self._folder) if before is None else before.store
        assert isinstance(store, LentStore)
        store.take()  # from here on nobody can change it
        mark = mark_of(self._folder)
        if before is None or mark != self._mark:
            self._warm = LentWorkspace(self._folder, store, self._models, before)
            self._mark = mark
        assert self._warm is not None
        return self._warm

    # --- holding the store, and letting it go ---

    def _names(self, domain: str, keys: Iterable[str]) -> dict[str, str]:
        """Names of items by key; of none where there is no store."""
        from localrec_tui.backend.facts import names_in

        return {} if self.is_empty else self._read(lambda store: names_in(store, domain, keys))

    def _read(self, query: Callable[[Store], _Made]) -> _Made:
        """Ask the store something quick, beside a question that may be running."""
        with self._gate.reading(), self._lingering.open_() as store:
            return query(store)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Nobody else of this process has the store."""
        with self._turn:
            self._let_go()
            with self._gate.writing():
                self._lingering.let_go()
                yield

    def _stay(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _linger(self) -> None:
        """Let the store go in a moment, unless another question comes first."""
        timer = Timer(self._linger_s, lambda: self._time_is_up(timer))
        timer.daemon = True  # the end of the app waits for nothing
        self._timer = timer
        timer.start()

    def _time_is_up(self, timer: Timer) -> None:
        with self._turn:
            if self._timer is timer:
                self._let_go()

    def _let_go(self) -> None:
        self._stay()
        if self._warm is not None:
            self._warm.store.close()


def _answered(
    workspace: LentWorkspace,
    marc: Marc,
    asked: Asked,
    corrected: Corrected | None,
    domain: str,
    calls: list[ModelCall],
    heard: Heard,
) -> Answered:
    from localrec.sources.text import clean_text
    from localrec.systems.marc import Question
    from localrec.understanding.intent import LONGEST_QUESTION
    from localrec_tui.backend.standing import standings_of, with_more

    # One character more than is read, so that the intent still knows it was cut.
    text = clean_text(asked.text, LONGEST_QUESTION + 1)
    question = Question(query=text, user=asked.user, image=asked.image)
    intent: Intent
    if corrected is None:
        intent, task = marc.understand(question), None
    else:
        intent, task = corrected.intent, corrected.task
        if corrected.more:
            intent = with_more(intent, corrected.more, workspace.stages(domain).vocabulary)
    answer = marc.answer_intent(question, intent, asked.k, task=task, heard=heard)
    answer = msgspec.structs.replace(answer, model_saw=tuple(calls))
    return Answered(
        asked=asked,
        answer=answer,
        intent=intent,
        domain=domain,
        standings=standings_of((*answer.items, *answer.near), intent, workspace.catalogue(domain)),
    )
