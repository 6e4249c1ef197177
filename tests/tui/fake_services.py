"""A backend that knows three drinks by heart, and can be told to be slow, busy or broken."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from localrec.data.answers import Answer, QueryView, ReflectionRecord, Relaxation
from localrec.data.evidence import Evidence
from localrec.data.model_calls import ChatTurn, ModelCall
from localrec.data.query import Constraint, Query, QueryImage, RoutedTask, TaskKind
from localrec.data.recommendations import Recommendations, RecommendedItem
from localrec.foundation.progress import Progress
from localrec.graph.interactions import FeedbackRecord
from localrec_tui.services.records import (
    AnsweredQuestion,
    ConstraintCheck,
    DomainSummary,
    IntentCorrection,
    ItemDetails,
    ItemEdge,
    ItemMatch,
    NewFeedback,
    OnItems,
    QuestionRequest,
    RequestHandle,
    SimilarItem,
    UndoneFeedback,
)

from .fake_catalogue import FakeCatalogueService
from .fake_learning import FakeLearningService
from .fake_memory import FakeMemoryService
from .fake_models import FakeModelService
from .fake_people import FakeFeedbackService
from .fake_runs import FakeRunService
from .fake_trainings import FakeTrainingService
from .fake_transfers import FakeTransferService
from .recorder import Recorder

INTENT = Query(
    constraints=(
        Constraint(kind="ingredient", any_of=("gin",)),
        Constraint(kind="ingredient", any_of=("cream",), excluded=True),
        Constraint(kind="glass", any_of=("coupe glass",)),
    ),
    have=("gin",),
)
_NO_VIEW = QueryView(
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


class FakeServices(Recorder):
    """Answers everything with the same drinks.

    Attributes:
        empty: There is no store.
        words: What people said.
        added_systems: Names of systems of other packages.
    """

    def __init__(self) -> None:
        super().__init__()
        self.empty = False
        self.words: list[NewFeedback] = []
        self.added_systems: tuple[str, ...] = ()
        self.known = ["anna", "bert"]
        self.pictured: QueryImage | None = None
        self.answered_by = {"router": "rules"}
        self.picture: tuple[tuple[tuple[str, str], ...], ...] = ()
        self.thumbnail = b""
        self.catalogue = FakeCatalogueService()
        self.feedback = FakeFeedbackService()
        self.transfers = FakeTransferService()
        self.models = FakeModelService()
        self.learning = FakeLearningService()
        self.memory = FakeMemoryService()
        self.runs = FakeRunService(Path("nowhere"))
        self.trainings = FakeTrainingService(Path("nowhere"))
        self.calls: tuple[ModelCall, ...] = (
            ModelCall(
                role="writer",
                model="planted-model",
                saw=(ChatTurn("user", "Gimlet has gin."),),
                reply="A fine drink.",
            ),
        )

    @property
    def is_empty(self) -> bool:
        return self.empty

    def plugin_systems(self) -> tuple[str, ...]:
        return self.added_systems

    def domains(self) -> tuple[DomainSummary, ...]:
        self._note("domains", None)
        if self.empty:
            return ()
        examples = ("a smoky drink without whiskey",)
        drinks = DomainSummary(
            name="cocktails", plural="drinks", items=3, examples=examples, has_shelf=True
        )
        return (drinks,)

    def users(self, like: str = "", limit: int = 50) -> tuple[str, ...]:
        self._note("people", like)
        return tuple(key for key in self.known if like in key)[:limit]

    def ask(
        self, asked: QuestionRequest, request: RequestHandle, on_items: OnItems
    ) -> AnsweredQuestion:
        self._note("ask", asked)
        return self._answered(asked, INTENT, TaskKind.C3, request, on_items)

    def ask_intent(
        self,
        asked: QuestionRequest,
        corrected: IntentCorrection,
        request: RequestHandle,
        on_items: OnItems,
    ) -> AnsweredQuestion:
        self._note("ask_intent", corrected)
        task = corrected.task or TaskKind.C3
        return self._answered(asked, corrected.intent, task, request, on_items)

    def recommend(
        self, user: str, domain: str | None, k: int, request: RequestHandle
    ) -> Recommendations:
        self._note("recommend", user)
        request.over.set()
        return Recommendations(
            user=user,
            domain="cocktails",
            items=(BRAMBLE,),
            history=4,
            message="",
            answered_by={},
            timings_ms={},
        )

    def item_facts(
        self, domain: str, keys: Sequence[str], user: str | None = None
    ) -> tuple[ItemDetails, ...]:
        self._note("item_facts", tuple(keys))
        return tuple(
            msgspec.structs.replace(
                self._details(domain, key, user),
                picture=(),
                thumbnail=b"",
                similar=(),
                is_complete=False,
            )
            for key in keys
        )

    def item(self, domain: str, key: str, user: str | None = None) -> ItemDetails:
        self._note("item", key)
        return self._details(domain, key, user)

    def _details(self, domain: str, key: str, user: str | None) -> ItemDetails:
        said = self.feedback.verdicts(domain, user, [key, "gin-sour"])
        return ItemDetails(
            domain="cocktails",
            key=key,
            name=key.title(),
            properties={"instructions": "Shake with ice.", "description": None},
            links=(ItemEdge("HAS_INGREDIENT", "Gin", "3 cl"),),
            picture=self.picture,
            picture_lines=len(self.picture),
            thumbnail=self.thumbnail,
            similar=(SimilarItem("gin-sour", "Gin Sour", ("gin",), said.get("gin-sour")),),
            verdict=said.get(key),
        )

    def give_feedback(self, word: NewFeedback) -> FeedbackRecord:
        self._note("give_feedback", word)
        self.words.append(word)
        return _said(word)

    def undo(self, user: str) -> UndoneFeedback | None:
        self._note("undo", user)
        if not self.words:
            return None
        word = self.words.pop()
        before = [one.event for one in self.words if one.item == word.item]
        return UndoneFeedback(
            feedback=_said(word), domain=word.domain, holds=before[-1] if before else None
        )

    def load_bundled_data(self, progress: Progress) -> int:
        self._note("load_drinks", None)
        progress("embedding texts", 1, 3)
        self.empty = False
        return 3

    def stop(self, request: RequestHandle) -> None:
        super().stop(request)
        request.over.wait(5)

    def close(self) -> None:
        planted = (
            self.transfers,
            self.catalogue,
            self.learning,
            self.memory,
            self.models,
            self.runs,
        )
        for service in (self, *planted, self.trainings):
            service.goes_on.set()

    def _answered(
        self,
        asked: QuestionRequest,
        intent: Query,
        task: TaskKind,
        request: RequestHandle,
        on_items: OnItems,
    ) -> AnsweredQuestion:
        items = (GIMLET, NEGRONI)
        on_items(tuple(msgspec.structs.replace(item, reason="") for item in items))
        try:
            self._wait(request)
        finally:
            request.over.set()
        held = (ConstraintCheck("gin", True), ConstraintCheck("coupe glass", False))
        return AnsweredQuestion(
            question=asked,
            answer=Answer(
                id="1",
                query=asked.text,
                task=RoutedTask(kind=task, confidence=0.95, reason="names components: gin"),
                intent=_NO_VIEW,
                items=items,
                near_misses=(BRAMBLE,),
                relaxed=(Relaxation(constraint="container", value="coupe glass", reason="none"),),
                message="No drink has it all. Let go: coupe glass (none).",
                reflection=ReflectionRecord(rounds=1, scores=({"relevance": 0.5},), chosen=1),
                answered_by=self.answered_by,
                timings_ms={"retrieval": 1.0},
                tokens={},
                model_saw=self.calls,
                seen=self.pictured,
            ),
            intent=intent,
            domain="cocktails",
            item_matches_by_key={GIMLET.key: ItemMatch(checks=held, have=("gin",))},
        )


def _said(word: NewFeedback) -> FeedbackRecord:
    return FeedbackRecord(
        user=word.user,
        item=word.item,
        name=word.item.title(),
        event=word.event,
        rating=None,
        reason=word.reason,
        at=datetime(2026, 11, 1),
    )
