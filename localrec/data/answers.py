"""The answer to a question, as the command line prints it."""

from __future__ import annotations

from typing import Any, Protocol

import msgspec

from localrec.data.model_calls import ModelCall
from localrec.data.query import NumberRange, QueryImage, RoutedTask
from localrec.data.questions import Question
from localrec.data.recommendations import ItemListRecord, MemorySummary, RecommendedItem

# Tells what words are there for, where a question says more than names: `answered_by`, "roles".
SHIPPED_NETWORK = "the shipped network"


class QueryView(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A query as the answer's JSON shows it; `glass` is the container in any domain.

    `met` and `on_list` are there where the question speaks of what its user had or put on a list.
    """

    include: tuple[str, ...]
    include_any: tuple[tuple[str, ...], ...]
    exclude: tuple[str, ...]
    glass: tuple[str, ...]
    category: tuple[str, ...]
    creator: tuple[str, ...]
    colour: tuple[str, ...]
    look: tuple[str, ...]
    garnish: tuple[str, ...]
    flags: dict[str, str]
    ranges: tuple[NumberRange, ...]
    target: str | None
    exclude_items: tuple[str, ...]
    have: tuple[str, ...]
    order: dict[str, int]
    soft: tuple[str, ...]
    corrected: dict[str, str]
    unknown: tuple[str, ...]
    met: bool | None = None
    on_list: bool | None = None


class UnusedPhrase(msgspec.Struct, frozen=True, kw_only=True):
    """Words of a question that had no effect on the answer, and the nearest known names."""

    words: str
    nearest: tuple[str, ...] = ()


class Relaxation(msgspec.Struct, frozen=True, kw_only=True):
    """A wish that was relaxed because no item met all wishes."""

    constraint: str
    value: str
    reason: str


class ReflectionRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The record of a reflection: its rounds, the four scores of each, and the best round."""

    rounds: int
    scores: tuple[dict[str, float], ...]
    chosen: int


class Answer(msgspec.Struct, ItemListRecord, frozen=True, kw_only=True, omit_defaults=True):
    """The answer to one question, as `ask --json` prints it.

    `near_misses` (`near` in JSON) lists items that miss one demand. They are apart, so that every
    entry of `items` meets all demands but those that `relaxed` names. `answered_by` (`spoke` in
    JSON) maps each role to the component that played it, such as "rules" or "model". `memory`
    summarizes the shared memory, where it took part. `model_saw` lists the calls of a model where
    an explanation was asked for; it is empty where no model was called. `trajectory` is the run of
    an agent that ordered the items: the fields of `Trajectory`, whose numbers count the candidates.
    `seen` holds the attributes of the question's picture, where it had one.
    """

    id: str
    query: str
    task: RoutedTask
    intent: QueryView
    items: tuple[RecommendedItem, ...]
    near_misses: tuple[RecommendedItem, ...] = msgspec.field(name="near")
    relaxed: tuple[Relaxation, ...]
    message: str
    reflection: ReflectionRecord
    answered_by: dict[str, str] = msgspec.field(name="spoke")
    timings_ms: dict[str, float]
    tokens: dict[str, int]
    memory: MemorySummary | None = None
    model_saw: tuple[ModelCall, ...] | None = None
    trajectory: dict[str, Any] | None = None
    seen: QueryImage | None = None
    unused: tuple[UnusedPhrase, ...] = ()
    topic: str = ""
    language: str = ""

    @property
    def near(self) -> tuple[RecommendedItem, ...]:
        """The old name of `near_misses`."""
        return self.near_misses

    @property
    def spoke(self) -> dict[str, str]:
        """The old name of `answered_by`."""
        return self.answered_by

    @property
    def listed(self) -> tuple[RecommendedItem, ...]:
        """The items that meet the question."""
        return self.items


class QuestionAnswerer(Protocol):
    """Answer questions about one domain."""

    def answer(self, question: Question, k: int) -> Answer:
        """Answer one question with at most k items; no text of a question makes it fail."""
        ...
