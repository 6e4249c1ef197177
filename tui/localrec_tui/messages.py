"""What threads tell the screens, and what widgets ask of the app."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

from localrec.data.recommendations import Recommendations, RecommendedItem
from localrec.data.rows import Event
from localrec_tui.services.records import (
    AnsweredQuestion,
    DomainSummary,
    ItemDetails,
    RequestHandle,
)

if TYPE_CHECKING:
    from localrec.graph.interactions import FeedbackRecord


@dataclass
class WorkFailed(Message):
    """Something could not be done: a sentence, and its remedy; `request`: the question it was."""

    what: str
    error: str
    remedy: str
    request: RequestHandle | None = None

    @property
    def sentences(self) -> str:
        """The error, then its remedy."""
        return f"{self.error} {self.remedy}".strip()


@dataclass
class WorkStopped(Message):
    """A request ended because it was stopped."""

    request: RequestHandle


@dataclass
class ItemsArrived(Message):
    """Items of an answer that is being made, as far as they are known by now."""

    request: RequestHandle
    items: tuple[RecommendedItem, ...]


@dataclass
class AnswerReady(Message):
    """The answer to a question."""

    request: RequestHandle
    answered: AnsweredQuestion


@dataclass
class ListReady(Message):
    """A list for a person who asked for nothing in particular."""

    request: RequestHandle
    found: Recommendations


@dataclass
class DomainsLoaded(Message):
    """What the workspace has."""

    domains: tuple[DomainSummary, ...]


@dataclass
class UsersLoaded(Message):
    """Who is called like what was typed."""

    like: str
    people: tuple[str, ...]


@dataclass
class ItemLoaded(Message):
    """All that is stored about an item."""

    found: ItemDetails


@dataclass
class ProgressReported(Message):
    """How far the loading of the drinks is; of 0: nobody knows of how many."""

    what: str
    done: int
    total: int


@dataclass
class BundledDataLoaded(Message):
    """The bundled drinks are in the workspace."""

    count: int


@dataclass
class FeedbackGiven(Message):
    """A person wants to say something about an item; bubbles up to the app."""

    item: RecommendedItem
    domain: str
    event: Event
    reason: bool  # ask for one first


class UndoRequested(Message):
    """A person wants to take back what they said last; bubbles up to the app."""


@dataclass
class FeedbackStored(Message, bubble=False):
    """What a person said is stored, or taken back.

    Args:
        user: The person, as the app knows them.
        said: What they said; None where there was nothing to take back.
        domain: What the item belongs to.
        holds: What the store says now that they think of the item; None: nothing.
        undone: It was taken back.
    """

    user: str
    said: FeedbackRecord | None
    domain: str
    holds: Event | None
    undone: bool
