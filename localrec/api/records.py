"""What the API returns of items and histories."""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypeVar

import msgspec

from localrec.data.records import Record, TableRows

_Record = TypeVar("_Record", bound=Record)


class RecordList(list[_Record], TableRows):
    """A list of records that is a table as well.

    Example:
        `workspace.search("negroni").to_pandas()` is a table of the items that were found.
    """

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one dictionary a record."""
        return [one.to_dict() for one in self]


class ItemRecord(msgspec.Struct, Record, frozen=True, kw_only=True):
    """An item of a catalogue.

    Example:
        `workspace.item("Negroni").attributes["ingredient"]` lists campari, gin and sweet vermouth.

    Args:
        key: The item's key in its domain.
        name: The item's name.
        domain: The domain.
        properties: The properties of its catalogue: descriptions, numbers, dates.
        attributes: Kind of attribute -> the names of those that it has.
    """

    key: str
    name: str
    domain: str
    properties: dict[str, Any] = {}
    attributes: dict[str, list[str]] = {}


class HistoryEntry(msgspec.Struct, Record, frozen=True, kw_only=True):
    """One thing that a user did with an item.

    Example:
        `[entry.event for entry in workspace.history("anna")]` is `["rated", "liked"]`.

    Args:
        domain: The domain of the item.
        item: The item's key.
        name: The item's name.
        event: "rated", "liked", "disliked", "seen", "wanted" and so on.
        stars: 0.5 to 5; None where none were given.
        at: Time of the event, in UTC; None where unknown.
        source: The kind of export that brought it, or "feedback".
        note: The user's own words; "" for none.
    """

    domain: str
    item: str
    name: str
    event: str
    stars: float | None
    at: datetime | None
    source: str
    note: str = ""
