"""What the Memory room asks: what is remembered of a person, from whom, by which rules, and jobs.

Records here are made of what a screen shows; nothing of NumPy or DuckDB is loaded with them.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Protocol

import msgspec

from localrec_tui.backend.base import Progress, Request

if TYPE_CHECKING:
    from localrec.memory.queue import JobRow, State
    from localrec.memory.worker import WorkReport


class FacetTold(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a memory says, how sure that is (0 to 1), and the names that support it."""

    text: str
    confidence: float
    supporters: tuple[str, ...] = ()


class Version(msgspec.Struct, frozen=True, kw_only=True):
    """One version of a memory.

    Args:
        number: From 1.
        text: Its words.
        facets: What it says, one by one.
        source: How it came about, in words.
        by: What wrote it: "counts", a model's name, or "" for the person.
        pinned: Nothing but the person changes it.
        at: When, UTC without a zone.
        people: Names of those whose data is in it, without the person's own.
        strangers: How many more of them have no name that anybody here knows.
        items: Names of the items that it speaks of.
    """

    number: int
    text: str
    facets: tuple[FacetTold, ...]
    source: str
    by: str
    pinned: bool
    at: datetime
    people: tuple[str, ...] = ()
    strangers: int = 0
    items: tuple[str, ...] = ()


class Remembered(msgspec.Struct, frozen=True, kw_only=True):
    """What is remembered of a person in one domain.

    Args:
        user: Their key.
        domain: What it is about; "" where the person did nothing anywhere.
        domains: All that they did something in, the most first.
        versions: The newest first; none where nothing is remembered.
    """

    user: str
    domain: str
    domains: tuple[str, ...]
    versions: tuple[Version, ...]


class Neighbour(msgspec.Struct, frozen=True, kw_only=True):
    """A person or an item near somebody's taste, as the rules chose it.

    Args:
        name: Of the item or the person; a person whom nobody here knows has a number.
        is_person: Which of the two it is.
        score: What the rules make of the figures that follow.
        edge_weight: As all figures below of `memory/neighbourhood.py`.
        shared: Liked by both, or how many of the people found like the item.
        overlap: Of attributes, 0 to 1.
        similarity: Of texts, 0 to 1.
        days: Since the newest of it.
    """

    name: str
    is_person: bool
    score: float
    edge_weight: float
    shared: int
    overlap: float
    similarity: float
    days: float


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of a domain as a text; version 0 is the shipped set."""

    domain: str
    version: int
    source: str
    text: str


class Jobs(msgspec.Struct, frozen=True, kw_only=True):
    """The queue.

    Args:
        mark: The state of the workspace that it was read from.
        counts: State -> how many.
        paused: Nothing is worked until they are let go on.
        rows: The newest, what is still to be done first.
    """

    mark: object
    counts: dict[State, int]
    paused: bool
    rows: tuple[JobRow, ...]


class Remembering(Protocol):
    """Memories of one workspace; every call raises a `LocalrecError` where it cannot be done."""

    def remembered(self, user: str, domain: str | None) -> Remembered:
        """What is remembered of a person; of the domain they did most in unless one is named."""
        ...

    def neighbours(self, user: str, domain: str) -> tuple[Neighbour, ...]:
        """Who and what is near a person's taste, best first; reads the whole domain once."""
        ...

    def rules(self, domain: str) -> Rules:
        """The rules that hold in a domain."""
        ...

    def edit(self, user: str, domain: str, text: str) -> None:
        """Replace a memory by a person's own words, which are pinned."""
        ...

    def pin(self, user: str, domain: str, pinned: bool) -> None:
        """Keep a memory as it is, or let it change again."""
        ...

    def foresee(self, user: str, since: str, domain: str | None) -> tuple[str, ...]:
        """What would go if a person were forgotten, line by line; changes nothing.

        Args:
            user: Their key.
            since: Only what they did from this day on; "" for everything.
            domain: Only there; None for everywhere.
        """
        ...

    def forget(
        self, user: str, since: str, domain: str | None, progress: Progress
    ) -> tuple[str, ...]:
        """Forget a person for good, and give a receipt; arguments as of `foresee`."""
        ...

    def jobs(self, seen: object = None) -> Jobs | None:
        """The queue now; None where nothing changed since the mark `seen`."""
        ...

    def set_paused(self, paused: bool) -> None:
        """Let jobs wait, or be worked again."""
        ...

    def retry(self) -> int:
        """Let failed jobs wait again; how many."""
        ...

    def work(self, request: Request, progress: Progress) -> WorkReport:
        """Work off what waits, until it is done or the request is stopped.

        Raises:
            BusyError: another worker is at it.
            InputError: jobs are paused.
        """
        ...

    def stop(self, request: Request) -> None:
        """Stop such work; what is under way waits for the next time."""
        ...
