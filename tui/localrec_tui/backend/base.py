"""What the app asks of whatever works behind it, and the records that travel between the two.

Every call may take long and is made in a thread. Calls may overlap; questions wait for each other.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Event as Flag
from typing import TYPE_CHECKING, Protocol

import msgspec

from localrec.types import (
    Answer,
    Event,
    Intent,
    Recommendations,
    RecommendedItem,
    Scalar,
    TaskKind,
)

if TYPE_CHECKING:
    from localrec.graph.people import Said
    from localrec_tui.backend.browsing import Browsing
    from localrec_tui.backend.modelling import Modelling
    from localrec_tui.backend.remembering import Remembering
    from localrec_tui.backend.running import Evaluating
    from localrec_tui.backend.training import Training

Heard = Callable[[tuple[RecommendedItem, ...]], None]  # items as far as they are known by now
Progress = Callable[[str, int, int], None]  # what is done, so many, of so many (0: unknown)

MEASURED = "marc"  # each role by whoever was measured to be better, or as the settings say
BY_MODEL = "marc-model"  # every role by a local model
BY_TOOLS = "agenticrec-fused"  # the order by an agent's tools, weighed without a model
BY_AGENT = "agenticrec"  # the order by a local model that asks those tools


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A question as the app asks it.

    Args:
        text: In the person's words.
        user: The person's key; None for nobody in particular.
        domain: What it is about; None for whatever its words fit best.
        k: At most so many items.
        system: `MEASURED`, `BY_MODEL`, `BY_TOOLS` or `BY_AGENT`.
        without_model: Every role by its deterministic counterpart.
        image: Path of a picture that the question is about; None for none.
    """

    text: str
    user: str | None = None
    domain: str | None = None
    k: int = 10
    system: str = MEASURED
    without_model: bool = False
    image: str | None = None


class Corrected(msgspec.Struct, frozen=True, kw_only=True):
    """What a person mended in how a question was read.

    Args:
        intent: What it means now.
        more: Further wishes in words, such as "no cream"; "" for none.
        task: What it is a question of; None leaves that to the router.
    """

    intent: Intent
    more: str = ""
    task: TaskKind | None = None


class TakenBack(msgspec.Struct, frozen=True, kw_only=True):
    """A word that was taken back.

    Args:
        said: The word.
        domain: What its item belongs to.
        holds: The person's next newest word about the same item, which holds again; None for none.
    """

    said: Said
    domain: str
    holds: Event | None


class Wish(msgspec.Struct, frozen=True):
    """One thing asked for, and whether an item has it (what is barred: whether it is absent)."""

    label: str
    holds: bool


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """How one item stands to the question: its wishes, and its components that are at hand."""

    wishes: tuple[Wish, ...]
    have: tuple[str, ...] = ()


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """An answer, with what the next correction of it starts from.

    Args:
        asked: The question.
        answer: The answer to it.
        intent: What it was understood to mean.
        domain: What it was taken to be about.
        standings: Item key -> how the item stands to the question.
    """

    asked: Asked
    answer: Answer
    intent: Intent
    domain: str
    standings: dict[str, Standing] = {}


class Word(msgspec.Struct, frozen=True, kw_only=True):
    """What a person says about an item; `reason` in words of their own."""

    user: str
    domain: str
    item: str
    event: Event
    reason: str | None = None


class DomainFound(msgspec.Struct, frozen=True, kw_only=True):
    """A domain that has items here; `examples` are questions it understands."""

    name: str
    plural: str
    items: int
    examples: tuple[str, ...] = ()


class Link(msgspec.Struct, frozen=True):
    """One edge of an item as its catalogue writes it."""

    relation: str
    target: str
    value: str | None


HalfCell = tuple[str, str]  # the colours of a cell's upper and lower half, such as "#c1121f"


class ItemFound(msgspec.Struct, frozen=True, kw_only=True):
    """All that the store says about one item.

    Args:
        domain: What it belongs to.
        key: Of the item.
        name: For people.
        properties: As its catalogue has them.
        links: Its edges; of what people told themselves, only the viewer's own.
        picture: Its picture in lines of half cells; () where it has none.
    """

    domain: str
    key: str
    name: str
    properties: dict[str, Scalar]
    links: tuple[Link, ...]
    picture: tuple[tuple[HalfCell, ...], ...] = ()


class Request:
    """A handle on one question: from another thread it can be stopped, and seen to be over."""

    def __init__(self) -> None:
        self.stopped = Flag()
        self.over = Flag()


class Backend(Protocol):
    """One workspace.

    Every call raises a `LocalrecError` where it cannot be done; `BusyError` names the process
    that holds the store, after three seconds at most.
    """

    @property
    def is_empty(self) -> bool:
        """True where the workspace has no store yet; costs one look at the folder."""
        ...

    @property
    def browse(self) -> Browsing:
        """The catalogue, page by page, for the Browse room."""
        ...

    @property
    def models(self) -> Modelling:
        """The models of this machine, for the Models room."""
        ...

    @property
    def memory(self) -> Remembering:
        """What is remembered, for the Memory room."""
        ...

    @property
    def evaluations(self) -> Evaluating:
        """Past runs and new ones, for the Runs room."""
        ...

    @property
    def training(self) -> Training:
        """Trainings as they go, and new ones, for the Training room."""
        ...

    def domains(self) -> tuple[DomainFound, ...]:
        """The domains that have items, largest first."""
        ...

    def people(self, like: str = "", limit: int = 50) -> tuple[str, ...]:
        """Keys of people that contain `like`, whatever its case, in alphabetical order."""
        ...

    def ask(self, asked: Asked, request: Request, heard: Heard) -> Answered:
        """Answer a question; `heard` is told items as they come (`Marc.answer_intent`).

        Raises:
            ModelCancelledError: the request was stopped.
        """
        ...

    def ask_intent(
        self, asked: Asked, corrected: Corrected, request: Request, heard: Heard
    ) -> Answered:
        """Answer a question again after a person mended how it was read; no model reads it.

        Raises:
            UsageError: a further wish names nothing that the catalogue knows.
            ModelCancelledError: the request was stopped.
        """
        ...

    def recommend(self, user: str, domain: str | None, k: int, request: Request) -> Recommendations:
        """A list for a person who asks for nothing in particular.

        Raises:
            ModelCancelledError: the request was stopped.
        """
        ...

    def item(self, domain: str, key: str, user: str | None = None) -> ItemFound:
        """All that is stored about an item, as a person sees it."""
        ...

    def give_feedback(self, word: Word) -> Said:
        """Store what a person says; it counts in the very next list."""
        ...

    def undo(self, user: str) -> TakenBack | None:
        """Take back a person's newest word; None where there is none."""
        ...

    def load_drinks(self, progress: Progress) -> int:
        """Put the bundled drinks into the workspace, without a network; how many they are."""
        ...

    def stop(self, request: Request) -> None:
        """Stop a request; returns when it is over, within half a second where a model works."""
        ...

    def close(self) -> None:
        """Let go of the store and end the models."""
        ...
