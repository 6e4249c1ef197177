"""A table of no known format: a mapping made from its header and values."""

from __future__ import annotations

import re

import msgspec

from localrec.data.rows import Event
from localrec.data.series_parts import is_part_number, numbers_parts
from localrec.foundation.toml_text import toml_text
from localrec.sources.catalogues.column_profiles import ColumnProfile, is_yes, profile_columns
from localrec.sources.catalogues.header_words import CREATORS, header_words
from localrec.sources.catalogues.number_columns import zero_is_missing
from localrec.sources.catalogues.records import RecordTable
from localrec.sources.day_order import DayOrder
from localrec.sources.event_words import known_events
from localrec.sources.list_cells import is_missing
from localrec.sources.table_history import rating_value
from localrec.sources.table_mapping import (
    ColumnMapping,
    RatingScale,
    TableMapping,
    TimestampFormat,
)

_TOPS = (5.0, 10.0, 20.0, 100.0)
_ON_SCALE = 0.98  # of the ratings must lie on a scale; the others are errors in the file
_SHARED_TIMES = 1.15  # rows for each user on average above which a column tells users apart
_OF_TIME = frozenset("time utc at unix stamp".split())
_FIRST_SECOND, _LAST_SECOND = 600_000_000, 4_200_000_000  # 1989 to 2103
_MOST_EVENTS = 15  # different words for what happened
_MOSTLY = 0.8  # of a column's cells
_OUT_OF = re.compile(r"(?:/|out of)\s*(\d{1,3})$")
_OF_HEADER = re.compile(r"(?:/|out of|[01]\s*[-–]|[01] to|max\.?)\s*(\d{1,3})\b", re.IGNORECASE)
_LIKED = frozenset("liked like loved enjoyed thumb recommend recommended".split())
_WORDED = (  # days with the month in letters, as strptime has them
    ("%d %b %Y", r"\d{1,2} [A-Z][a-z]{2} \d{4}"),
    ("%d %B %Y", r"\d{1,2} [A-Z][a-z]{3,8} \d{4}"),
    ("%b %d, %Y", r"[A-Z][a-z]{2} \d{1,2}, \d{4}"),
    ("%B %d, %Y", r"[A-Z][a-z]{3,8} \d{1,2}, \d{4}"),
)
# Numbers of what was done, not of what it was done with.
_OF_DEEDS = frozenset(
    "checkin check rating review row entry order log play event watch vote record comment line "
    "transaction history listen scrobble visit".split()
)
_NOTES = frozenset("review comment note remark thought opinion".split())


def propose_mapping(table: RecordTable, user: str | None) -> TableMapping | None:
    """A mapping for a table of what users did; None where it tells of items alone.

    Args:
        table: The records.
        user: Whose all rows are, where somebody was named.
    """
    profiles = profile_columns(table)
    who = None if user else _user_column(profiles)
    rating = _without_strays(_of(profiles, "rating"), table) or _written_rating(profiles, table)
    when = _time_column(profiles)
    event = _event_column(profiles)
    liked = None if event or rating else _liked_column(profiles)
    event = event or liked
    if who is None and (user is None or not (rating or when or event)):
        return None
    left = [one for one in profiles if one not in (who, rating, when, event)]
    note = next((one for one in left if _is_note(one)), None)
    title = _of([one for one in left if one is not note], "name")
    creator = next((one for one in left if one.meaning in CREATORS), None)
    year = _of(left, "year")
    title = title or _likeliest_name([one for one in left if one not in (note, creator, year)])
    item = next((one for one in left if _is_key(one)), title)
    if item is None:
        return None
    columns = {
        "item": item, "user": who, "title": title, "rating": rating, "timestamp": when,
        "event": event, "note": note, "year": year, "creator": creator,
    }  # fmt: skip
    named = {field: one.name for field, one in columns.items() if one}
    parts = [one.name for one in left if item is title and _numbers_volumes(one)]
    return TableMapping(
        columns=ColumnMapping(**named, parts=tuple(parts)),
        data=table.path.name,
        rating=_scale(rating),
        timestamp=_moments(when, table),
        events=_verdicts(liked) if liked else {},
    )


def mapping_text(mapping: TableMapping) -> str:
    """A mapping as the TOML that `table` reads."""
    columns = {
        field: list(told) if isinstance(told, tuple) else told
        for field, told in msgspec.structs.asdict(mapping.columns).items()
        if told
    }
    told: dict[str, object] = {"data": mapping.data, "columns": columns}
    if mapping.columns.rating:
        scale = {"scale": list(mapping.rating.scale), "unrated": mapping.rating.unrated}
        told["rating"] = scale
    if mapping.columns.timestamp:
        told["timestamp"] = {
            "unit": mapping.timestamp.unit,
            "format": mapping.timestamp.format,
        }
    if mapping.events:
        told["events"] = {word: event.value for word, event in mapping.events.items()}
    return toml_text(told)


def _of(profiles: list[ColumnProfile], meaning: str) -> ColumnProfile | None:
    told = [one for one in profiles if one.meaning == meaning and one.holds != "nothing"]
    if meaning in ("rating", "year"):
        told = [one for one in told if one.holds == "number"]
    return max(told, key=lambda one: one.certainty, default=None)


def _without_strays(rating: ColumnProfile | None, table: RecordTable) -> ColumnProfile | None:
    """Ratings without the few that lie off their scale, such as the 55 of one that meant 5.5."""
    if rating is None:
        return None
    cells = [str(cell) for cell in table.column(rating.name) if cell]
    told = [value for cell in cells if (value := rating.format.value(cell)) is not None]
    for top in _TOPS:
        on_scale = [value for value in told if 0 <= value <= top]
        if len(on_scale) >= _ON_SCALE * len(told):
            _tell_range(rating, on_scale)
            return rating
    return rating


def _tell_range(rating: ColumnProfile, told: list[float]) -> None:
    """The ends of a column of ratings, and how often they are given."""
    rating.low, rating.high = min(told), max(told)
    rating.zeros = told.count(0.0) / len(told)
    rating.lowest = min((value for value in told if value > 0), default=0.0)
    rating.lowest_share = told.count(rating.lowest) / len(told)


def _written_rating(profiles: list[ColumnProfile], table: RecordTable) -> ColumnProfile | None:
    """A column of ratings such as "8/10" or "★★★½", profiled as the numbers that they are."""
    for one in profiles:
        if one.meaning != "rating" or one.holds not in ("name", "list", "date"):
            continue
        cells = [str(cell).strip() for cell in table.column(one.name) if not is_missing(cell)]
        told = [value for cell in cells if (value := rating_value(cell)) is not None]
        if len(told) < _MOSTLY * len(cells):
            continue
        tops = [float(found[1]) for cell in cells if (found := _OUT_OF.search(cell))]
        _tell_range(one, told)
        one.high = max([one.high, *tops, 5.0])
        return one
    return None


def _user_column(profiles: list[ColumnProfile]) -> ColumnProfile | None:
    told = [one for one in profiles if one.meaning == "user" and one.certainty >= 0.5]
    told = [one for one in told if one.total >= one.distinct * _SHARED_TIMES or one.total < 20]
    return max(told, key=lambda one: one.certainty, default=None)


def _time_column(profiles: list[ColumnProfile]) -> ColumnProfile | None:
    """The column that says when something was done, and not when its item came out."""
    told = [one for one in profiles if one.holds == "date" and one.meaning != "year"]
    told += [one for one in profiles if one.holds in ("number", "id") and _counts_seconds(one)]
    told += [one for one in profiles if one.holds == "number" and one.meaning == "date"]
    return told[0] if told else None


def _counts_seconds(one: ColumnProfile) -> bool:
    """Whether a column of times has seconds since 1970, or thousandths of them."""
    is_of_time = one.meaning in ("date", "minutes") or bool(_OF_TIME & set(header_words(one.name)))
    spans = ((_FIRST_SECOND * times, _LAST_SECOND * times) for times in (1, 1000))
    return is_of_time and any(low <= one.low and one.high <= high for low, high in spans)


def _event_column(profiles: list[ColumnProfile]) -> ColumnProfile | None:
    """The column whose words say what happened: read, to-read, dropped ..."""
    known = known_events()
    return next(
        (
            one
            for one in profiles
            if one.holds == "name"
            and one.distinct <= _MOST_EVENTS
            and all(word.strip().lower() in known for word in one.common)
        ),
        None,
    )


def _liked_column(profiles: list[ColumnProfile]) -> ColumnProfile | None:
    """A column of yes and no that says whether the user liked the item."""
    told = [one for one in profiles if one.holds == "flag"]
    return next((one for one in told if _LIKED & set(header_words(one.name))), None)


def _verdicts(liked: ColumnProfile) -> dict[str, Event]:
    """Each word of such a column -> what it says; no love is no dislike."""
    no = Event.SEEN if "loved" in header_words(liked.name) else Event.DISLIKED
    return {word.strip().lower(): Event.LIKED if is_yes(word) else no for word in liked.common}


def _numbers_volumes(one: ColumnProfile) -> bool:
    """Whether a column numbers the volumes or episodes of one title."""
    numbers = sum(is_part_number(cell.removesuffix(".0")) for cell in one.common)
    return numbers_parts(one.name) and numbers > _MOSTLY * len(one.common) > 0


def _likeliest_name(profiles: list[ColumnProfile]) -> ColumnProfile | None:
    """The column with most different names, where no header says that it has the items'."""
    told = [one for one in profiles if one.holds in ("name", "text") and one.filled > 0.9]
    return max(told, key=lambda one: one.distinct, default=None)


def _is_note(one: ColumnProfile) -> bool:
    """Whether a column holds what a user said of an item."""
    told = set(header_words(one.name))
    return one.holds in ("text", "name") and bool(told & _NOTES) and one.meaning != "rating"


def _is_key(one: ColumnProfile) -> bool:
    words = header_words(one.name)
    is_id = words[-1:] in (("id",), ("isbn",), ("isbn13",), ("asin",), ("key",))
    is_told = is_id or one.meaning == "id"
    return is_told and one.meaning != "user" and one.filled > 0.9 and not _OF_DEEDS & set(words)


def _scale(rating: ColumnProfile | None) -> RatingScale:
    if rating is None:
        return RatingScale()
    said = _OF_HEADER.search(rating.name)
    high = max(rating.high, float(said[1])) if said else rating.high
    top = next((top for top in _TOPS if high <= top), high)
    unrated = zero_is_missing(rating, "rating")
    low = 1.0 if unrated or rating.low >= 1 else min(rating.low, 0.5 if rating.low else 0.0)
    return RatingScale(scale=(low, top), unrated=0.0 if unrated else None)


def _moments(when: ColumnProfile | None, table: RecordTable) -> TimestampFormat:
    if when is None:
        return TimestampFormat()
    if when.holds == "number":
        return TimestampFormat(unit="since 1970")
    cells = [str(cell).strip() for cell in table.column(when.name) if cell]
    for form, pattern in _WORDED:
        if re.match(pattern, cells[0]):
            return TimestampFormat(format=form + _clock_of(cells[0]))
    order = DayOrder(cells)
    if not order.example:
        return TimestampFormat()
    sign = next(char for char in order.example if not char.isdigit())
    parts = ["%m", "%d"] if order.month_first else ["%d", "%m"]
    year = "%Y" if re.search(r"\d{4}", order.example) else "%y"
    return TimestampFormat(format=sign.join([*parts, year]) + _clock_of(order.example))


def _clock_of(cell: str) -> str:
    """The end of a format for the time of day behind a day; "" where there is none."""
    found = re.search(r"(,?[ T])\d{1,2}:\d\d(:\d\d)?$", cell)
    return f"{found[1]}%H:%M{':%S' if found[2] else ''}" if found else ""
