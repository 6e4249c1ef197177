"""A table of no known format: a mapping made from its header and values."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from localrec.data.series_parts import is_part_number, numbers_parts
from localrec.foundation.toml_text import toml_text
from localrec.sources.catalogues.column_profiles import ColumnProfile, profile_columns
from localrec.sources.catalogues.records import RecordTable
from localrec.sources.day_order import DayOrder
from localrec.sources.event_columns import EventColumn, event_column
from localrec.sources.headerless_ratings import headerless_mapping
from localrec.sources.interaction_columns import (
    creator_column,
    key_column,
    lie_in_seconds,
    other_key_column,
    time_column,
    title_column,
    user_column,
    year_column,
)
from localrec.sources.interaction_headers import counts_times, is_private
from localrec.sources.item_facts import left_columns, note_column
from localrec.sources.list_cells import is_missing
from localrec.sources.rating_columns import RatingColumn, rating_column
from localrec.sources.table_mapping import (
    ColumnMapping,
    RatingScale,
    TableMapping,
    TimestampFormat,
)
from localrec.sources.table_sections import without_sections

_YEAR_FIRST = re.compile(r"\d{4}([./])\d{1,2}\1\d{1,2}(?!\d)", re.ASCII)
_MOSTLY = 0.8  # of a column's cells
_WORDED = (  # days with the month in letters, as strptime has them
    ("%d %b %Y", r"\d{1,2} [A-Z][a-z]{2} \d{4}"),
    ("%d %B %Y", r"\d{1,2} [A-Z][a-z]{3,8} \d{4}"),
    ("%b %d, %Y", r"[A-Z][a-z]{2} \d{1,2}, \d{4}"),
    ("%B %d, %Y", r"[A-Z][a-z]{3,8} \d{1,2}, \d{4}"),
)


def propose_mapping(
    table: RecordTable, user: str | None, domain: str | None = None
) -> TableMapping | None:
    """A mapping for a table of what users did; None where it tells of items alone.

    Args:
        table: The records.
        user: Key of the user whom all rows belong to, where one was named.
        domain: Name of the domain, where it was named; it decides between several items of a row.
    """
    table = without_sections(table)
    found = [one for one in profile_columns(table) if one.holds != "nothing"]
    private = [one.name for one in found if is_private(one.name)]
    profiles = [one for one in found if one.name not in private]
    who = None if user else user_column(profiles)
    if who is None and not user:
        return headerless_mapping(table, profiles)
    interaction = _interaction_columns(_without(profiles, who), table, is_personal=bool(user))
    left = _without(profiles, who, *interaction.profiles())
    key = key_column(left)
    year, note = year_column(_without(left, key)), note_column(left)
    named = _without(left, key, note, year)
    title = title_column(named, has_key=key is not None, domain=domain or "")
    item = key or title or other_key_column(left)
    if item is None:
        return None
    creator = creator_column(_without(left, item, title))
    others = _without(left, item, title, note, creator, year)
    parts = [one for one in others if key is None and _numbers_volumes(one)]
    others = _without(others, *parts)
    return _mapping(
        table,
        interaction,
        ColumnMapping(
            item=item.name,
            user=_name(who),
            title=_name(title),
            note=_name(note),
            year=_name(year),
            creator=_name(creator),
            parts=tuple(one.name for one in parts),
        ),
        [*private, *left_columns(others, table, item, is_personal=bool(user))],
    )


class _Interaction(msgspec.Struct, frozen=True):
    """The columns that say what was done with an item."""

    rating: RatingColumn | None
    when: ColumnProfile | None
    event: EventColumn | None
    times: ColumnProfile | None

    def profiles(self) -> list[ColumnProfile]:
        """All of them."""
        told = [self.when, self.times]
        told += [one.profile for one in (self.rating, self.event) if one is not None]
        return [one for one in told if one is not None]


def _interaction_columns(
    profiles: list[ColumnProfile], table: RecordTable, *, is_personal: bool
) -> _Interaction:
    rating = rating_column(profiles, table, is_personal=is_personal)
    event = rating.as_verdicts() if rating else None
    rating = None if event else rating
    told = [one.profile for one in (rating, event) if one is not None]
    left = _without(profiles, *told)
    when = time_column(left, table)
    left = _without(left, when)
    event = event or event_column(left, table, is_rated=rating is not None)
    counted = [one for one in left if one.holds in ("number", "id") and one.is_whole]
    times = next((one for one in counted if counts_times(one.name)), None)
    return _Interaction(rating, when, event, None if rating or event else times)


def _mapping(
    table: RecordTable, interaction: _Interaction, columns: ColumnMapping, left: Sequence[str]
) -> TableMapping:
    """The mapping of columns whose cells tell how ratings, times and events are written."""
    event = interaction.event
    return TableMapping(
        columns=msgspec.structs.replace(
            columns,
            rating=_name(interaction.rating.profile if interaction.rating else None),
            timestamp=_name(interaction.when),
            event=_name(event.profile if event else None),
            times=_name(interaction.times),
        ),
        data=table.path.name,
        rating=interaction.rating.scale() if interaction.rating else RatingScale(),
        timestamp=_moments(interaction.when, table),
        events=event.events if event else {},
        ignored_events=event.ignored_events if event else (),
        left_out=tuple(left),
    )


def mapping_text(mapping: TableMapping) -> str:
    """A mapping as the TOML that `table` reads."""
    columns = {
        field: list(told) if isinstance(told, tuple) else told
        for field, told in msgspec.structs.asdict(mapping.columns).items()
        if told
    }
    told: dict[str, object] = {"data": mapping.data}
    if mapping.left_out:
        told["left_out"] = list(mapping.left_out)
    if mapping.ignored_events:
        told["ignored_events"] = list(mapping.ignored_events)
    told["columns"] = columns
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


def _name(one: ColumnProfile | None) -> str | None:
    return None if one is None else one.name


def _without(
    profiles: Sequence[ColumnProfile], *taken: ColumnProfile | None
) -> list[ColumnProfile]:
    return [one for one in profiles if all(one is not other for other in taken)]


def _numbers_volumes(one: ColumnProfile) -> bool:
    """Whether a column numbers the volumes or episodes of one title."""
    numbers = sum(is_part_number(cell.removesuffix(".0")) for cell in one.common)
    return numbers_parts(one.name) and numbers > _MOSTLY * len(one.common) > 0


def _moments(when: ColumnProfile | None, table: RecordTable) -> TimestampFormat:
    if when is None:
        return TimestampFormat()
    if when.holds in ("number", "id", "rows"):
        return TimestampFormat(unit="since 1970" if lie_in_seconds(when) else "iso")
    cells = [str(cell).strip() for cell in table.column(when.name) if not is_missing(cell)]
    for form, pattern in _WORDED:
        if re.match(pattern, cells[0]):
            return TimestampFormat(format=form + _clock_of(cells[0]))
    order = DayOrder(cells)
    if found := _YEAR_FIRST.match(cells[0]):
        form = "%Y" + found[1] + "%m" + found[1] + "%d"
        return TimestampFormat(format=form + _clock_of(cells[0]))
    if not order.example:
        return TimestampFormat()
    sign = next(char for char in order.example if not char.isdigit())
    parts = ["%m", "%d"] if order.month_first else ["%d", "%m"]
    year = "%Y" if re.search(r"\d{4}", order.example) else "%y"
    return TimestampFormat(format=sign.join([*parts, year]) + _clock_of(order.example))


def _clock_of(cell: str) -> str:
    """The end of a format for the time of day behind a day; "" where there is none."""
    found = re.search(r"(,?[ T])\d{1,2}:\d\d(:\d\d)?( [AP]M)?$", cell)
    if found is None:
        return ""
    hour, half = ("%I", " %p") if found[3] else ("%H", "")
    return f"{found[1]}{hour}:%M{':%S' if found[2] else ''}{half}"
