"""Typed rows that sources deliver and the store imports."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec

from localrec.data.records import Record

Scalar = str | int | float | bool | None
_BY_WEIGHT = ("dropped", "repaired", "merged")  # what was done to a row, the gravest first


class AttributeLink(msgspec.Struct, frozen=True, kw_only=True):
    """An edge from an item to an attribute, before it has a node.

    Args:
        kind: Attribute kind of the domain, such as `ingredient` or `glass`.
        name: The attribute as the source writes it, cleaned of control characters.
        value: The edge's detail, such as the measure `30 ml`.
        personal: The user who brought the item says so (a shelf of their own), not a catalogue;
            the edge goes when that user is forgotten.
    """

    kind: str
    name: str
    value: str | None = None
    personal: bool = False


class ItemRow(msgspec.Struct, frozen=True, kw_only=True):
    """One item as a source delivers it: identity, plain properties, links to attributes.

    `key` is unique within the domain. `properties` holds the searchable texts too, under the
    names that the domain's `texts` table gives.
    """

    key: str
    name: str
    properties: dict[str, Scalar] = {}
    links: tuple[AttributeLink, ...] = ()


class Event(StrEnum):
    """The kinds of interactions with an item."""

    RATED = "rated"
    LIKED = "liked"
    DISLIKED = "disliked"
    ABANDONED = "abandoned"  # begun and given up: half a dislike
    SEEN = "seen"  # watched, read, drunk: without a verdict
    PLAYED = "played"  # heard; `times` says how often
    WANTED = "wanted"  # on a list for later
    LATER = "later"  # "not now": not shown for a while, no verdict on taste


class InteractionRow(msgspec.Struct, frozen=True, kw_only=True):
    """One interaction of a user with an item, as a source delivers it.

    Args:
        user: The user's key, cleaned (`clean_name`).
        item: The item's key: of a row of the same import, or of an item that is there already.
        event: The event.
        rating: Stars, 0.5 to 5, whatever scale the source has; only where a verdict was given.
        at: Time, in UTC without a zone.
        times: The number of times, where the source counts.
        note: The user's own words (a review, a reason), cleaned (`clean_text`).
    """

    user: str
    item: str
    event: Event
    rating: float | None = None
    at: datetime | None = None
    times: int = 1
    note: str | None = None


class UserRow(msgspec.Struct, frozen=True, kw_only=True):
    """A source's facts about a user, such as age group and occupation."""

    key: str
    properties: dict[str, Scalar] = {}


class RowProblem(msgspec.Struct, frozen=True, kw_only=True):
    """A row of an imported file that was corrected or dropped, and why."""

    row: int
    column: str | None
    action: str  # "dropped", "merged" or "repaired"
    problem: str

    def as_line(self) -> str:
        """Write the row, the column, the action and the problem: "row 3, price: dropped: ..."."""
        place = f"row {self.row:,}" + (f", {self.column}" if self.column else "")
        return f"{place}: {self.action}: {self.problem}"


class ImportReport(msgspec.Struct, Record, frozen=True, kw_only=True):
    """The receipt of an import: counts of rows, and each row that was corrected or dropped.

    `found_again` counts items of an export that a catalogue had already, under another key. `notes`
    are sentences about the whole file that matter to the user. `apart` counts rows of another
    sort, which the format holds beside those that are read (podcasts among songs).
    """

    source: str
    path: str
    domain: str
    read: int
    kept: int
    merged: int
    dropped: int
    problems: tuple[RowProblem, ...] = ()
    dry_run: bool = False
    found_again: int = 0
    notes: tuple[str, ...] = ()
    apart: int = 0

    def gravest_problems(self) -> list[RowProblem]:
        """The problems with those in front that cost a row: dropped, repaired, then merged."""
        return sorted(self.problems, key=lambda one: (_BY_WEIGHT.index(one.action), one.row))


class CatalogueRows(msgspec.Struct, frozen=True, kw_only=True):
    """The rows that a source read from a catalogue file, and the report about them."""

    items: tuple[ItemRow, ...]
    report: ImportReport


class HistoryRows(msgspec.Struct, frozen=True, kw_only=True):
    """The items and interactions that a source read from one export.

    Each item's `properties` may hold `year` (int) and `creator` (author, director, artist): with
    the name they let the graph find the item in a catalogue that is already there.

    `beside` holds what the same export says of items of other domains (series among films), each
    with the name of its domain; the report counts their rows too.

    `is_part` marks one of several files of an export (ratings.csv without watched.csv): it says
    nothing of what stands in the others, so their rows stay where they say more.
    """

    items: tuple[ItemRow, ...]
    interactions: tuple[InteractionRow, ...]
    report: ImportReport
    users: tuple[UserRow, ...] = ()
    beside: tuple[tuple[str, HistoryRows], ...] = ()
    is_part: bool = False

    def as_part(self, is_part: bool = True) -> HistoryRows:
        """The same rows, those of other domains too, as one of several files of an export."""
        beside = tuple((name, rows.as_part(is_part)) for name, rows in self.beside)
        return msgspec.structs.replace(self, is_part=is_part, beside=beside)


class BulkHistory(msgspec.Struct, frozen=True, kw_only=True):
    """A history too large for Python: the store reads its files by one query.

    Args:
        items: Items that go with it; interactions with other keys make bare items.
        select: SQL for the rows to keep: user_key and item_key (any type), event VARCHAR, rating
            FLOAT (0.5 to 5 or NULL), "at" TIMESTAMP, times INTEGER, note VARCHAR.
        files: The only files that `select` may read, absolute.
        report: The receipt; rows were counted and checked before.
        rows: The number of rows that `select` gives, by that count.
        users: The facts known about the users.
        scratch: Holder of `files` that are copies, so that they stay until nobody needs them.
        marks: Marks of `files` when they were checked: the store refuses others.
    """

    items: tuple[ItemRow, ...]
    select: str
    files: tuple[str, ...]
    report: ImportReport
    rows: int
    users: tuple[UserRow, ...] = ()
    scratch: tuple[Any, ...] = ()
    marks: dict[str, Any] = {}
