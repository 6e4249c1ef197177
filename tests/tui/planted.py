"""A backend that knows three drinks by heart, and can be told to be slow, busy or broken."""

from __future__ import annotations

import threading
from datetime import datetime
from pathlib import Path

import msgspec

from localrec.errors import LocalrecError, ModelCancelledError
from localrec.graph.people import Said
from localrec.types import (
    Answer,
    Constraint,
    Evidence,
    Intent,
    IntentView,
    ModelCall,
    Recommendations,
    RecommendedItem,
    ReflectionRecord,
    Relaxation,
    Seen,
    Task,
    TaskKind,
    Turn,
)
from localrec_tui.backend.base import (
    Answered,
    Asked,
    Corrected,
    DomainFound,
    Heard,
    ItemFound,
    Link,
    Progress,
    Request,
    Standing,
    TakenBack,
    Wish,
    Word,
)

from .planted_catalogue import PlantedCatalogue
from .planted_memory import PlantedMemories
from .planted_models import PlantedModels
from .planted_runs import PlantedEvaluations
from .planted_training import PlantedTrainings

INTENT = Intent(
    constraints=(
        Constraint(kind="ingredient", any_of=("gin",)),
        Constraint(kind="ingredient", any_of=("cream",), barred=True),
        Constraint(kind="glass", any_of=("coupe glass",)),
    ),
    have=("gin",),
)
_NO_VIEW = IntentView(
    include=("gin",),
    include_any=(),
    exclude=("cream",),
    glass=("coupe glass",),
    category=(),
    creator=(),
    colour=(),
    look=(),
    garnish=(),
    flags={},
    ranges=(),
    target=None,
    exclude_items=(),
    have=("gin",),
    order={},
    soft=(),
    corrected={"gni": "gin"},
    unknown=("blorp",),
)


def drink(rank: int, name: str, score: float, **more: object) -> RecommendedItem:
    """One item of an answer."""
    fields = {
        "evidence": (
            Evidence(source=name, relation="HAS_INGREDIENT", target="Gin", value="3 cl"),
            Evidence(source="gin", relation="IS_A", target="spirit"),
        ),
        "reason": f"{name} has gin.",
        "satisfies": True,
        **more,
    }
    return RecommendedItem(rank=rank, key=name.casefold(), name=name, score=score, **fields)


GIMLET = drink(1, "Gimlet", 0.9)
NEGRONI = drink(2, "Negroni", 0.8, satisfies=False, missing=("campari", "sweet vermouth"))
BRAMBLE = drink(3, "Bramble", 0.7, missing=("blackberry",))


class PlantedBackend:
    """Answers everything with the same drinks.

    Attributes:
        empty: There is no store.
        trouble: What the next call of any kind raises.
        goes_on: Cleared, a question waits until it is set, or the request stopped.
        told: What it was asked, in order: the name of the call and what it was given.
        words: What people said.
    """

    def __init__(self) -> None:
        self.empty = False
        self.trouble: LocalrecError | Exception | None = None
        self.goes_on = threading.Event()
        self.goes_on.set()
        self.told: list[tuple[str, object]] = []
        self.words: list[Word] = []
        self.known = ["anna", "bert"]
        self.pictured: Seen | None = None
        self.spoke = {"router": "rules"}
        self.picture: tuple[tuple[tuple[str, str], ...], ...] = ()
        self.browse = PlantedCatalogue()
        self.models = PlantedModels()
        self.memory = PlantedMemories()
        self.evaluations = PlantedEvaluations(Path("nowhere"))
        self.training = PlantedTrainings(Path("nowhere"))
        self.calls: tuple[ModelCall, ...] = (
            ModelCall(
                role="writer",
                model="planted-model",
                saw=(Turn("user", "Gimlet has gin."),),
                reply="A fine drink.",
            ),
        )

    @property
    def is_empty(self) -> bool:
        return self.empty

    def domains(self) -> tuple[DomainFound, ...]:
        self._note("domains", None)
        if self.empty:
            return ()
        examples = ("a smoky drink without whiskey",)
        return (DomainFound(name="cocktails", plural="drinks", items=3, examples=examples),)

    def people(self, like: str = "", limit: int = 50) -> tuple[str, ...]:
        self._note("people", like)
        return tuple(key for key in self.known if like in key)[:limit]

    def ask(self, asked: Asked, request: Request, heard: Heard) -> Answered:
        self._note("ask", asked)
        return self._answered(asked, INTENT, TaskKind.C3, request, heard)

    def ask_intent(
        self, asked: Asked, corrected: Corrected, request: Request, heard: Heard
    ) -> Answered:
        self._note("ask_intent", corrected)
        task = corrected.task or TaskKind.C3
        return self._answered(asked, corrected.intent, task, request, heard)

    def recommend(self, user: str, domain: str | None, k: int, request: Request) -> Recommendations:
        self._note("recommend", user)
        request.over.set()
        return Recommendations(
            user=user,
            domain="cocktails",
            items=(BRAMBLE,),
            history=4,
            message="",
            spoke={},
            timings_ms={},
        )

    def item(self, domain: str, key: str, user: str | None = None) -> ItemFound:
        self._note("item", key)
        return ItemFound(
            domain="cocktails",
            key=key,
            name=key.title(),
            properties={"instructions": "Shake with ice.", "description": None},
            links=(Link("HAS_INGREDIENT", "Gin", "3 cl"),),
            picture=self.picture,
        )

    def give_feedback(self, word: Word) -> Said:
        self._note("give_feedback", word)
        self.words.append(word)
        return _said(word)

    def undo(self, user: str) -> TakenBack | None:
        self._note("undo", user)
        if not self.words:
            return None
        word = self.words.pop()
        before = [one.event for one in self.words if one.item == word.item]
        return TakenBack(said=_said(word), domain=word.domain, holds=before[-1] if before else None)

    def load_drinks(self, progress: Progress) -> int:
        self._note("load_drinks", None)
        progress("embedding texts", 1, 3)
        self.empty = False
        return 3

    def stop(self, request: Request) -> None:
        request.stopped.set()
        self.goes_on.set()
        request.over.wait(5)

    def close(self) -> None:
        self.goes_on.set()
        self.memory.goes_on.set()
        self.evaluations.goes_on.set()
        self.training.goes_on.set()

    def _note(self, call: str, given: object) -> None:
        self.told.append((call, given))
        trouble, self.trouble = self.trouble, None
        if trouble is not None:
            raise trouble

    def _answered(
        self, asked: Asked, intent: Intent, task: TaskKind, request: Request, heard: Heard
    ) -> Answered:
        items = (GIMLET, NEGRONI)
        heard(tuple(msgspec.structs.replace(item, reason="") for item in items))
        try:
            self.goes_on.wait(10)
            if request.stopped.is_set():
                raise ModelCancelledError("Stopped.")
        finally:
            request.over.set()
        held = (Wish("gin", True), Wish("coupe glass", False))
        return Answered(
            asked=asked,
            answer=Answer(
                id="1",
                query=asked.text,
                task=Task(kind=task, confidence=0.95, reason="names components: gin"),
                intent=_NO_VIEW,
                items=items,
                near=(BRAMBLE,),
                relaxed=(Relaxation(constraint="container", value="coupe glass", reason="none"),),
                message="No drink has it all. Let go: coupe glass (none).",
                reflection=ReflectionRecord(rounds=1, scores=({"relevance": 0.5},), chosen=1),
                spoke=self.spoke,
                timings_ms={"retrieval": 1.0},
                tokens={},
                model_saw=self.calls,
                seen=self.pictured,
            ),
            intent=intent,
            domain="cocktails",
            standings={GIMLET.key: Standing(wishes=held, have=("gin",))},
        )


def _said(word: Word) -> Said:
    return Said(
        user=word.user,
        item=word.item,
        name=word.item.title(),
        event=word.event,
        rating=None,
        reason=word.reason,
        at=datetime(2026, 11, 1),
    )
