"""Faults as data sets of many people have them, planted in rows that say who rated what.

A bad cell costs a data set's row; a table that is read leniently loses the cell alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from export_faults import Fault, Planting, Row, dropped
from export_layouts import Layout

INTERACTION_FAULTS: dict[str, Fault] = {}
_Keep = Callable[[Any], Any]


class InteractionLayout(Layout, kw_only=True):
    """One layout of what many people did; `title` is the column of the items.

    Args:
        user: The column of the users.
        users_are_numbers, items_are_numbers: Whether they have numbers alone.
        keyed: The number of an item -> its key.
        is_lenient: Whether a bad cell is mended and a short row filled up.
        needs_rating: Whether a row without a rating is bad.
        unrated_cell: What stands for "not rated", beside an empty cell.
        is_quoted: Whether cells may stand in quotes.
        seconds: Whether moments are seconds since 1970.
    """

    user: str = ""
    users_are_numbers: bool = True
    items_are_numbers: bool = True
    keyed: Callable[[int], str] = str
    is_lenient: bool = False
    needs_rating: bool = False
    unrated_cell: str = ""
    is_quoted: bool = False
    seconds: bool = True
    every: int = 12
    names_doubles: bool = False

    def good(self, number: int) -> Row:
        """One user's rating of one item; nobody has an item twice."""
        row = super().good(number)
        place = number * 7 % 1000
        user, item = str(1 + number % 50), self.keyed(place + 1)
        user = user if self.users_are_numbers else f"reader-{user}"
        row.cells |= {self.user: user, self.title: item, **self.more(place)}
        assert row.expected is not None
        _, _, stars, at, _ = row.expected
        row.expected = (user, item, "rated", stars, at)
        return row

    @property
    def planted(self) -> Mapping[str, Fault]:
        """The faults of data sets."""
        return {**INTERACTION_FAULTS, **self.own_faults}


def _plant(fault: Callable[[Row, InteractionLayout], list[Row] | None]) -> Fault:
    def plant(row: Row, layout: Planting) -> list[Row] | None:
        assert isinstance(layout, InteractionLayout)
        return fault(row, layout)

    INTERACTION_FAULTS[fault.__name__.removeprefix("_").replace("_", " ")] = plant
    return plant


def _changed(row: Row, **told: Any) -> list[Row]:
    """Other than a good row in some of: user, item, event, stars, at."""
    assert row.expected is not None
    names = ("user", "item", "event", "stars", "at")
    row.expected = tuple({**dict(zip(names, row.expected, strict=True)), **told}.values())
    return [row]


@_plant
def _no_user(row: Row, layout: InteractionLayout) -> list[Row]:
    row.cells[layout.user] = ""
    return dropped(row)


@_plant
def _no_item(row: Row, layout: InteractionLayout) -> list[Row]:
    row.cells[layout.title] = ""
    return dropped(row)


@_plant
def _blank_user(row: Row, layout: InteractionLayout) -> list[Row]:
    row.cells[layout.user] = "   "
    return dropped(row)


@_plant
def _user_that_is_not_seen(row: Row, layout: InteractionLayout) -> list[Row]:
    row.cells[layout.user] = "\u200b"
    return dropped(row)


@_plant
def _user_in_words(row: Row, layout: InteractionLayout) -> list[Row] | None:
    row.cells[layout.user] = "anna"
    return dropped(row) if layout.users_are_numbers else None


@_plant
def _half_a_user(row: Row, layout: InteractionLayout) -> list[Row] | None:
    row.cells[layout.user] = "1.5"
    return dropped(row) if layout.users_are_numbers else None


@_plant
def _item_beyond_all_numbers(row: Row, layout: InteractionLayout) -> list[Row] | None:
    row.cells[layout.title] = "9" * 24
    return dropped(row) if layout.items_are_numbers else None


@_plant
def _user_with_an_escape(row: Row, layout: InteractionLayout) -> list[Row] | None:
    row.cells[layout.user] = f"\x1b[31m{row.cells[layout.user]}"
    return None if layout.users_are_numbers else [row]


@_plant
def _user_in_other_letters(row: Row, layout: InteractionLayout) -> list[Row] | None:
    row.cells[layout.user] = "Žofia 日本"
    return None if layout.users_are_numbers else _changed(row, user="Žofia 日本")


@_plant
def _spaces_around_the_keys(row: Row, layout: InteractionLayout) -> list[Row] | None:
    for column in (layout.user, layout.title):
        row.cells[column] = f"  {row.cells[column]} "
    return [row]


def _bad_rating(row: Row, layout: InteractionLayout, cell: str) -> list[Row] | None:
    if not layout.rating:
        return None
    row.cells[layout.rating] = cell
    if not layout.is_lenient:
        return dropped(row)
    row.told = ("repaired",)
    return _changed(row, event="seen", stars=None)


@_plant
def _rating_above_the_scale(row: Row, layout: InteractionLayout) -> list[Row] | None:
    return _bad_rating(row, layout, "11")


@_plant
def _negative_rating(row: Row, layout: InteractionLayout) -> list[Row] | None:
    return _bad_rating(row, layout, "-3")


@_plant
def _rating_in_words(row: Row, layout: InteractionLayout) -> list[Row] | None:
    return _bad_rating(row, layout, "great")


@_plant
def _rating_like_a_formula(row: Row, layout: InteractionLayout) -> list[Row] | None:
    return _bad_rating(row, layout, "=1+3")


@_plant
def _rating_without_bounds(row: Row, layout: InteractionLayout) -> list[Row] | None:
    return _bad_rating(row, layout, "inf")


@_plant
def _no_rating(row: Row, layout: InteractionLayout) -> list[Row] | None:
    if not layout.rating:
        return None
    row.cells[layout.rating] = ""
    return dropped(row) if layout.needs_rating else _changed(row, event="seen", stars=None)


@_plant
def _rating_that_means_none(row: Row, layout: InteractionLayout) -> list[Row] | None:
    if not layout.unrated_cell:
        return None
    row.cells[layout.rating] = layout.unrated_cell
    return _changed(row, event="seen", stars=None)


@_plant
def _rating_with_a_point(row: Row, layout: InteractionLayout) -> list[Row] | None:
    if not layout.rating:
        return None
    row.cells[layout.rating] = f"{float(row.cells[layout.rating]):.1f}"
    return [row]


@_plant
def _spaces_around_the_rating(row: Row, layout: InteractionLayout) -> list[Row] | None:
    if not layout.rating:
        return None
    row.cells[layout.rating] = f" {row.cells[layout.rating]} "
    return [row]


def _bad_date(row: Row, layout: InteractionLayout, cell: Any) -> list[Row] | None:
    if not layout.date:
        return None
    row.cells[layout.date] = cell
    if not layout.is_lenient:
        return dropped(row)
    row.told = ("repaired",)
    return _changed(row, at=None)


@_plant
def _date_in_words(row: Row, layout: InteractionLayout) -> list[Row] | None:
    return _bad_date(row, layout, "last summer")


@_plant
def _day_that_is_none(row: Row, layout: InteractionLayout) -> list[Row] | None:
    return _bad_date(row, layout, "2021-02-30")


@_plant
def _date_in_the_future(row: Row, layout: InteractionLayout) -> list[Row] | None:
    ahead = datetime.now(UTC).replace(tzinfo=None) + timedelta(days=400)
    return _bad_date(row, layout, layout.write_date(ahead))


@_plant
def _seconds_before_1970(row: Row, layout: InteractionLayout) -> list[Row] | None:
    return _bad_date(row, layout, "-5") if layout.seconds else None


@_plant
def _no_date(row: Row, layout: InteractionLayout) -> list[Row] | None:
    if not layout.date:
        return None
    row.cells[layout.date] = ""
    return _changed(row, at=None)


@_plant
def _milliseconds(row: Row, layout: InteractionLayout) -> list[Row] | None:
    if not layout.date or not layout.seconds:
        return None
    row.cells[layout.date] += "000"
    return [row]


@_plant
def _too_many_cells(row: Row, layout: InteractionLayout) -> list[Row]:
    row.shape = "long"
    return dropped(row)


@_plant
def _too_few_cells(row: Row, layout: InteractionLayout) -> list[Row] | None:
    row.shape = "short"
    return None if layout.is_lenient else dropped(row)


@_plant
def _blank_line(row: Row, layout: InteractionLayout) -> list[Row]:
    row.shape, row.expected = "blank", None
    return [row]


@_plant
def _same_row_again(row: Row, layout: InteractionLayout) -> list[Row]:
    return [row, Row(cells=dict(row.cells), expected=None, told=("merged",))]


@_plant
def _other_rating_later(row: Row, layout: InteractionLayout) -> list[Row] | None:
    if not layout.rating:
        return None
    first = Row(cells=dict(row.cells), expected=None)
    first.cells[layout.rating] = f"{layout.scale[0]:g}"
    if layout.is_lenient and layout.date:
        return None  # a second day there counts as one more time
    if layout.is_lenient:
        row.told = ("merged",)
    else:
        first.told = ("merged",)
    return [first, row]


@_plant
def _item_that_is_not_in_the_list(row: Row, layout: InteractionLayout) -> list[Row] | None:
    assert row.expected is not None
    number = int("".join(filter(str.isdigit, row.expected[1])))
    unknown = layout.keyed(900_000 + number)
    row.cells[layout.title] = unknown
    return _changed(row, item=unknown)


@_plant
def _line_break_in_the_user(row: Row, layout: InteractionLayout) -> list[Row] | None:
    row.cells[layout.user] = "Anna\nLee"
    usable = layout.is_quoted and not layout.users_are_numbers
    return _changed(row, user="Anna Lee") if usable else None


@_plant
def _delimiters_and_quotes_in_the_user(row: Row, layout: InteractionLayout) -> list[Row] | None:
    row.cells[layout.user] = 'Anna "the, first"; Lee'
    usable = layout.is_quoted and not layout.users_are_numbers
    return _changed(row, user='Anna "the, first"; Lee') if usable else None
