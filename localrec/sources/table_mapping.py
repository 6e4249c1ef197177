"""What a mapping file says: which column of a table is what.

All of `TableMapping` may stand in one, nothing else:

    data = "reading.csv"

    [columns]
    user = "reader"
    item = "isbn"
    title = "Title"
    rating = "Score"
    timestamp = "When"

    [rating]
    scale = [0, 10]
"""

from __future__ import annotations

from typing import Literal

import msgspec

from localrec.data.domains import Domain
from localrec.data.rows import Event
from localrec.data.series_parts import numbers_episodes

_SHOWS = ("series", "anime")
OLD_NAMES = {"no_deed": "ignored_events", "no_event": "ignored_events"}  # of `TableMapping`


class ColumnMapping(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The data's own names for what localrec knows.

    Args:
        item: Column that tells items apart; their key. The title may serve.
        user: Column of the users; left out where all rows are one user's.
        title: The item's name; its key where there is none.
        rating: A number on the scale of `rating.scale`.
        timestamp: Column of the times, in the notation of `timestamp`.
        event: Column of the events, in the words of `events`.
        note: The person's own words.
        year: Column of the items' years.
        creator: Its author, director or artist.
        times: Column of the number of times that it was heard or played, a whole number.
        parts: Column that numbers the volumes or episodes of one title, each an item; part of its
            key. A show is one item of series and anime, however many of its episodes were seen.
    """

    item: str
    user: str | None = None
    title: str | None = None
    rating: str | None = None
    timestamp: str | None = None
    event: str | None = None
    note: str | None = None
    year: str | None = None
    creator: str | None = None
    times: str | None = None
    parts: tuple[str, ...] = ()

    @property
    def says_what_was_done(self) -> bool:
        """Whether a column tells more of what was done than with which item."""
        return any((self.rating, self.timestamp, self.event, self.times))

    def parts_for(self, domain: Domain) -> tuple[str, ...]:
        """The columns that tell items of one title apart in a domain."""
        is_show = domain.name in _SHOWS
        return tuple(one for one in self.parts if not (is_show and numbers_episodes(one)))


class RatingScale(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The lowest and highest rating that can be given, and the number that means "not rated"."""

    scale: tuple[float, float] = (0, 5)
    unrated: float | None = None

    def __post_init__(self) -> None:
        low, high = self.scale
        if not -1e6 < low < high < 1e6:
            raise ValueError(f"rating.scale goes from {low:g} to {high:g}")


class TimestampFormat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The notation of moments: seconds or milliseconds since 1970, ISO 8601, or a format.

    `format` is that of strptime, such as "%d/%m/%Y".
    """

    unit: Literal["since 1970", "iso"] = "iso"
    format: str | None = None


class AttributeColumn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A column of names that become links: the domain's `kind`, parted by `separator`."""

    column: str
    kind: str
    separator: str | None = None


class TableMapping(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of a mapping file.

    Args:
        columns: The columns by their meaning.
        data: The file, in the mapping's own folder.
        delimiter: Between the cells of a CSV file; else the likeliest of comma, tab, ; and |.
        rating: The scale.
        timestamp: The notation of moments.
        events: Value of the event column, in lower case -> rated, liked, seen, wanted ...
        attributes: Columns that become links.
        properties: Further columns to keep with the item, under their own names.
        ignored_events: Values of the event column, in lower case, for no interaction, beside the
            usual ones, such as "unread"; such a row is left apart, unless it has a rating or the
            day on which it was done.
        left_out: Columns that stay behind where `import auto` takes all others along, since they
            tell nothing of the items or may be somebody's own words.
    """

    columns: ColumnMapping
    data: str | None = None
    delimiter: str | None = None
    rating: RatingScale = RatingScale()
    timestamp: TimestampFormat = TimestampFormat()
    events: dict[str, Event] = {}
    attributes: tuple[AttributeColumn, ...] = ()
    properties: tuple[str, ...] = ()
    ignored_events: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
