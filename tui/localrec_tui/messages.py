"""What threads tell the screens, and what widgets ask of the app."""

from __future__ import annotations

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


class WorkFailed(Message):
    """Something could not be done: a sentence, and its remedy; `request`: the question it was."""

    def __init__(
        self, what: str, error: str, remedy: str, request: RequestHandle | None = None
    ) -> None:
        super().__init__()
        self.what = what
        self.error = error
        self.remedy = remedy
        self.request = request


class WorkStopped(Message):
    """A request ended because it was stopped."""

    def __init__(self, request: RequestHandle) -> None:
        super().__init__()
        self.request = request


class ItemsArrived(Message):
    """Items of an answer that is being made, as far as they are known by now."""

    def __init__(self, request: RequestHandle, items: tuple[RecommendedItem, ...]) -> None:
        super().__init__()
        self.request = request
        self.items = items


class AnswerReady(Message):
    """The answer to a question."""

    def __init__(self, request: RequestHandle, answered: AnsweredQuestion) -> None:
        super().__init__()
        self.request = request
        self.answered = answered


class ListReady(Message):
    """A list for a person who asked for nothing in particular."""

    def __init__(self, request: RequestHandle, found: Recommendations) -> None:
        super().__init__()
        self.request = request
        self.found = found


class DomainsLoaded(Message):
    """What the workspace has."""

    def __init__(self, domains: tuple[DomainSummary, ...]) -> None:
        super().__init__()
        self.domains = domains


class UsersLoaded(Message):
    """Who is called like what was typed."""

    def __init__(self, like: str, people: tuple[str, ...]) -> None:
        super().__init__()
        self.like = like
        self.people = people


class ItemLoaded(Message):
    """All that is stored about an item."""

    def __init__(self, found: ItemDetails) -> None:
        super().__init__()
        self.found = found


class ProgressReported(Message):
    """How far the loading of the drinks is; of 0: nobody knows of how many."""

    def __init__(self, what: str, done: int, total: int) -> None:
        super().__init__()
        self.what = what
        self.done = done
        self.total = total


class BundledDataLoaded(Message):
    """The bundled drinks are in the workspace."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.count = count


class FeedbackGiven(Message):
    """A person wants to say something about an item; bubbles up to the app."""

    def __init__(self, item: RecommendedItem, domain: str, event: Event, *, reason: bool) -> None:
        super().__init__()
        self.item = item
        self.domain = domain
        self.event = event
        self.reason = reason  # ask for one first


class UndoRequested(Message):
    """A person wants to take back what they said last; bubbles up to the app."""


class FeedbackStored(Message, bubble=False):
    """What a person said is stored, or taken back.

    Args:
        user: The person, as the app knows them.
        said: What they said; None where there was nothing to take back.
        domain: What the item belongs to.
        holds: What the store says now that they think of the item; None: nothing.
        undone: It was taken back.
    """

    def __init__(
        self,
        user: str,
        said: FeedbackRecord | None,
        domain: str,
        holds: Event | None,
        *,
        undone: bool,
    ) -> None:
        super().__init__()
        self.user = user
        self.said = said
        self.domain = domain
        self.holds = holds
        self.undone = undone
