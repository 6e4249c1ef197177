"""The requests of the app to its services, and the records that the services return.

Every call may take long and is made in a thread. Calls may overlap; questions wait for each other.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Event as Flag
from typing import TYPE_CHECKING

import msgspec

from localrec.data.answers import Answer
from localrec.data.query import Query, TaskKind
from localrec.data.recommendations import RecommendedItem
from localrec.data.rows import Event, Scalar
from localrec.systems.shipped_systems import MARC

if TYPE_CHECKING:
    from localrec.graph.interactions import FeedbackRecord

OnItems = Callable[[tuple[RecommendedItem, ...]], None]  # items as far as they are known by now

WORKSPACE = "workspace"  # all of it goes out, as a backup


class QuestionRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A question as the app asks it.

    Args:
        text: The question in the user's words.
        user: The user's key; None for no user.
        domain: The domain to search; None for the domain that its words fit best.
        k: At most so many items.
        system: The name of a system that ships, or of one of another package.
        without_model: Every role by its deterministic counterpart.
        image: Path of a picture that the question is about; None for none.
    """

    text: str
    user: str | None = None
    domain: str | None = None
    k: int = 10
    system: str = MARC
    without_model: bool = False
    image: str | None = None


class IntentCorrection(msgspec.Struct, frozen=True, kw_only=True):
    """A user's correction of how a question was read.

    Args:
        intent: The corrected intent.
        more: Further wishes in words, such as "no cream"; "" for none.
        task: The corrected task; None leaves it to the router.
    """

    intent: Query
    more: str = ""
    task: TaskKind | None = None


class UndoneFeedback(msgspec.Struct, frozen=True, kw_only=True):
    """A word that was taken back.

    Args:
        feedback: The word.
        domain: What its item belongs to.
        holds: The user's earlier feedback on the same item, which holds again; None for none.
    """

    feedback: FeedbackRecord
    domain: str
    holds: Event | None


class ConstraintCheck(msgspec.Struct, frozen=True):
    """One thing asked for, and whether an item has it (what is barred: whether it is absent)."""

    label: str
    holds: bool


class ItemMatch(msgspec.Struct, frozen=True, kw_only=True):
    """How one item stands to the question: its wishes, and its components that are at hand."""

    checks: tuple[ConstraintCheck, ...]
    have: tuple[str, ...] = ()


class AnsweredQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """An answer, with what the next correction of it starts from.

    Args:
        question: The question.
        answer: The answer to it.
        intent: The intent as it was understood.
        domain: The domain that was searched.
        item_matches_by_key: Item key -> how the item stands to the question.
        item_names: Key -> name of the intent's example and of the items that it does not want.
    """

    question: QuestionRequest
    answer: Answer
    intent: Query
    domain: str
    item_matches_by_key: dict[str, ItemMatch] = {}
    item_names: dict[str, str] = {}


class NewFeedback(msgspec.Struct, frozen=True, kw_only=True):
    """Feedback of a user on an item; `reason` is in their own words, `stars` go with a rating."""

    user: str
    domain: str
    item: str
    event: Event
    reason: str | None = None
    stars: float | None = None


class DomainSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A domain that has items here.

    Args:
        name: Its name.
        plural: What its items are called.
        items: How many there are.
        examples: Questions it understands.
        has_shelf: Its items are made of what people have at hand.
        singular: What one of its items is called.
    """

    name: str
    plural: str
    items: int
    examples: tuple[str, ...] = ()
    has_shelf: bool = False
    singular: str = ""

    @property
    def counted(self) -> str:
        """How many there are, as they are called: "1 wine", "2,410 wines"."""
        return f"{self.items:,} {(self.items == 1 and self.singular) or self.plural}"


class ItemEdge(msgspec.Struct, frozen=True):
    """One edge of an item as its catalogue writes it."""

    relation: str
    target: str
    value: str | None


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What a user last said of an item, or did with it, here or in an export.

    Args:
        event: The verdict.
        stars: With `Event.RATED`; None for none.
        source: `feedback`, or the kind of the export that brought it.
    """

    event: Event
    stars: float | None = None
    source: str = ""


class HistoryRow(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a user's history.

    Args:
        domain: The item's domain.
        key: The item's key.
        name: The item's name.
        verdict: What was said or done.
        day: When, as YYYY-MM-DD; "" where it is not known.
        note: The reason in the user's words; "" for none.
        is_here: It was said to localrec itself, so it can be taken back.
    """

    domain: str
    key: str
    name: str
    verdict: Verdict
    day: str
    note: str
    is_here: bool


class HistoryView(msgspec.Struct, frozen=True, kw_only=True):
    """The lines of a history that fit a search, at most as many as were asked for; their count."""

    rows: tuple[HistoryRow, ...]
    total: int


class SimilarItem(msgspec.Struct, frozen=True):
    """An item that has attributes in common with another: its key, its name, and a few of them.

    `verdict` is the viewer's own newest word on it; None for none.
    """

    key: str
    name: str
    shared: tuple[str, ...]
    verdict: Verdict | None = None


HalfCell = tuple[str, str]  # the colours of a cell's upper and lower half, such as "#c1121f"


class ItemDetails(msgspec.Struct, frozen=True, kw_only=True):
    """All that the store says about one item.

    Args:
        domain: What it belongs to.
        key: The item's key.
        name: For people.
        properties: As its catalogue has them.
        links: Its edges; of what people told themselves, only the viewer's own.
        picture: Its picture in lines of half cells; () where it has none.
        picture_lines: How many lines its picture takes.
        thumbnail: Its picture as a file of WebP, for terminals that show pixels; b"" for none.
        similar: The items with the rarest attributes in common with it, the nearest first.
        verdict: The viewer's own newest word on it; None for none.
        is_complete: False where its picture and what is similar are still to be read.
    """

    domain: str
    key: str
    name: str
    properties: dict[str, Scalar]
    links: tuple[ItemEdge, ...]
    picture: tuple[tuple[HalfCell, ...], ...] = ()
    picture_lines: int = 0
    thumbnail: bytes = b""
    similar: tuple[SimilarItem, ...] = ()
    verdict: Verdict | None = None
    is_complete: bool = True


class RequestHandle:
    """A handle on one question: from another thread it can be stopped, and seen to be over."""

    def __init__(self) -> None:
        self.stopped = Flag()
        self.over = Flag()


class ImportRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A file that comes in.

    Args:
        path: The file.
        user: Whose it is; None for a catalogue, and for a file that names its users.
        domain: What a table of no known format is about, which may be new; None where it tells.
    """

    path: str
    user: str | None = None
    domain: str | None = None


class ExportRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What goes to which file: a user's history or profile, or the items of a domain.

    Args:
        what: The word of `localrec export --what`; "workspace" for all of it, "" where the format
            says it.
        out: The file.
        user: Whose it is; None for items.
        domain: Of what.
        form: The format, where the name of the file does not say it.
        replaces: A file of this name is replaced.
    """

    what: str
    out: str = ""
    user: str | None = None
    domain: str | None = None
    form: str | None = None
    replaces: bool = False


class ExportChoice(msgspec.Struct, frozen=True, kw_only=True):
    """Something that can go out: its name, its format, and the name of its file.

    `formats` are the suffixes of the files that it can be written as; () where there is no choice.
    """

    name: str
    form: str
    file: str
    request: ExportRequest
    formats: tuple[str, ...] = ()
