"""The messages that threads post to screens, and widgets to the app."""

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
    Verdict,
)

if TYPE_CHECKING:
    from localrec.graph.interactions import FeedbackRecord
    from localrec.ranking.learned.progress_file import LearningProgress


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
    """A list for a user who asked no question."""

    request: RequestHandle
    found: Recommendations


@dataclass
class DomainsLoaded(Message):
    """The domains of the workspace were read."""

    domains: tuple[DomainSummary, ...]


@dataclass
class UsersLoaded(Message):
    """The users whose names contain the typed text were read."""

    like: str
    users: tuple[str, ...]


@dataclass
class ItemLoaded(Message):
    """All that is stored about an item."""

    found: ItemDetails


@dataclass
class FactsLoaded(Message):
    """Items of a domain were read for a list, as a user sees them; some without what takes long.

    Args:
        generation: How often the reader had dropped what it knew when it asked.
    """

    domain: str
    user: str | None
    found: tuple[ItemDetails, ...]
    generation: int


@dataclass
class AnswerSaved(Message):
    """An answer was written to a file."""

    path: str


@dataclass
class AnswerUnsaved(Message):
    """An answer could not be written to the file that was named: the path, its text, and why."""

    path: str
    text: str
    fault: str


@dataclass
class VerdictsLoaded(Message):
    """What a user said of some items of a domain."""

    user: str
    domain: str
    verdicts: dict[str, Verdict]


@dataclass
class ProgressReported(Message):
    """The progress of loading the drinks; a total of 0 is unknown."""

    what: str
    done: int
    total: int


@dataclass
class BundledDataLoaded(Message):
    """The bundled drinks are in the workspace."""

    count: int


@dataclass
class LearningSeen(Message):
    """The fits of rankings that run in the workspace were looked up, whoever began them."""

    running: tuple[LearningProgress, ...]


@dataclass
class RankingLearnt(Message):
    """The ranking that was asked for is learnt; for each domain, from what."""

    texts: dict[str, str]


@dataclass
class LearningStopped(Message):
    """So many fits were asked to stop."""

    count: int


@dataclass
class FeedbackGiven(Message):
    """The user rates an item; bubbles up to the app."""

    item: RecommendedItem
    domain: str
    event: Event
    reason: bool  # ask for one first
    stars: float | None = None  # with a rating


class UndoRequested(Message):
    """The user takes back their last feedback; bubbles up to the app."""


@dataclass
class FeedbackStored(Message, bubble=False):
    """Feedback of a user is stored, or taken back.

    Args:
        user: The user, as the app knows them.
        feedback: The feedback; None where there was none to take back.
        domain: The item's domain.
        holds: The user's feedback on the item that holds now; None for none.
        undone: It was taken back.
    """

    user: str
    feedback: FeedbackRecord | None
    domain: str
    holds: Event | None
    undone: bool
