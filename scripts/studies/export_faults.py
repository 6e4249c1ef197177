"""Faults as real exports have them, planted in rows whose meaning is known.

A fault takes a good row and gives the rows that are written in its place, each with what should
be kept of it and what the receipt should tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, Protocol

import msgspec

Expected = tuple[Any, ...]
Shape = Literal["whole", "long", "short", "blank", "null"]


class Row(msgspec.Struct, kw_only=True):
    """A row as it is written.

    Args:
        cells: Name of a column -> cell.
        expected: What should be kept, the title first (of an export: title, event, rating, moment,
            times); None for nothing.
        told: What the receipt should say of it.
        apart: Whether it is of a sort that is left apart.
        shape: Whether it has as many cells as the header; `null` stands in the place of an object.
        fault: The fault's name.
    """

    cells: dict[str, Any]
    expected: Expected | None
    told: tuple[str, ...] = ()
    apart: bool = False
    shape: Shape = "whole"
    fault: str = ""


class Planting(Protocol):
    """What faults need to know of a layout."""

    title: str
    rating: str
    date: str
    year: str
    unrated: str | None
    is_table: bool
    is_xml: bool
    counts_days: bool
    last_counts: bool
    apart: Mapping[str, Any]
    undated: datetime | None
    encoding: str
    delimiter: str
    is_plain: bool
    every: int

    @property
    def planted(self) -> Mapping[str, Fault]:
        """The faults that can be planted in it, by name."""
        ...

    def good(self, number: int) -> Row:
        """A sound row."""
        ...

    def write_date(self, at: datetime) -> Any:
        """A moment as the service writes it."""
        ...


Fault = Callable[[Row, Planting], list[Row] | None]
FAULTS: dict[str, Fault] = {}


def faulty_rows(layout: Planting, count: int) -> Iterator[Row]:
    """`count` good rows, some (every fourth) with a fault in their place, each kind in turn."""
    faults, every = layout.planted, layout.every
    fitting = [
        name for name, fault in faults.items() if _fits(fault(layout.good(0), layout), layout)
    ]
    for number in range(count):
        row = layout.good(number)
        if number % every != every - 1:
            yield row
            continue
        name = fitting[(number // every) % len(fitting)]
        rows = faults[name](row, layout)
        assert rows is not None
        for one in rows:
            one.fault = name
        yield from rows


def _fits(rows: list[Row] | None, layout: Planting) -> bool:
    """Whether a layout can bear a fault: its letters must be in the encoding."""
    if rows is None:
        return False
    cells = [str(cell) for row in rows for cell in row.cells.values()]
    try:
        "".join(cells).encode(layout.encoding)
    except UnicodeEncodeError:
        return False
    return not (layout.is_plain and any(layout.delimiter in cell for cell in cells))


def _plant(fault: Fault) -> Fault:
    FAULTS[fault.__name__.removeprefix("_").replace("_", " ")] = fault
    return fault


def dropped(row: Row) -> list[Row]:
    """A row that should be left out."""
    row.expected, row.told = None, ("dropped",)
    return [row]


@_plant
def _no_title(row: Row, layout: Planting) -> list[Row]:
    row.cells[layout.title] = ""
    return dropped(row)


@_plant
def _blank_title(row: Row, layout: Planting) -> list[Row]:
    row.cells[layout.title] = "  \u200b "
    return dropped(row)


@_plant
def _title_of_control_characters(row: Row, layout: Planting) -> list[Row] | None:
    row.cells[layout.title] = "\x07\x1b[2J"
    return None if layout.is_xml else dropped(row)


@_plant
def _too_many_cells(row: Row, layout: Planting) -> list[Row] | None:
    row.shape = "long"
    return dropped(row) if layout.is_table else None


@_plant
def _too_few_cells(row: Row, layout: Planting) -> list[Row] | None:
    row.shape = "short"
    return dropped(row) if layout.is_table else None


@_plant
def _blank_line(row: Row, layout: Planting) -> list[Row] | None:
    row.shape, row.expected = "blank", None
    return [row] if layout.is_table else None


def _bad_rating(row: Row, layout: Planting, cell: str) -> list[Row] | None:
    if not layout.rating:
        return None
    row.cells[layout.rating] = cell
    if layout.unrated is None:  # without a rating the row says nothing
        return dropped(row)
    assert row.expected is not None
    name, _, _, at, times = row.expected
    row.expected, row.told = (name, layout.unrated, None, at, times), ("repaired",)
    return [row]


@_plant
def _rating_above_the_scale(row: Row, layout: Planting) -> list[Row] | None:
    return _bad_rating(row, layout, "11")


@_plant
def _negative_rating(row: Row, layout: Planting) -> list[Row] | None:
    return _bad_rating(row, layout, "-3")


@_plant
def _rating_in_words(row: Row, layout: Planting) -> list[Row] | None:
    return _bad_rating(row, layout, "great")


@_plant
def _rating_like_a_formula(row: Row, layout: Planting) -> list[Row] | None:
    return _bad_rating(row, layout, "=1+8")


def _bad_date(row: Row, layout: Planting, cell: Any) -> list[Row] | None:
    if not layout.date:
        return None
    row.cells[layout.date] = cell
    assert row.expected is not None
    name, event, rating, _, times = row.expected
    row.expected, row.told = (name, event, rating, layout.undated, times), ("repaired",)
    return [row]


@_plant
def _day_that_is_none(row: Row, layout: Planting) -> list[Row] | None:
    return _bad_date(row, layout, "2021-02-30")


@_plant
def _date_in_words(row: Row, layout: Planting) -> list[Row] | None:
    return _bad_date(row, layout, "last summer")


@_plant
def _date_in_the_future(row: Row, layout: Planting) -> list[Row] | None:
    ahead = datetime.now(UTC).replace(tzinfo=None) + timedelta(days=400)
    return _bad_date(row, layout, layout.write_date(ahead))


@_plant
def _date_before_all(row: Row, layout: Planting) -> list[Row] | None:
    return _bad_date(row, layout, layout.write_date(datetime(1801, 3, 4, 5, 6)))


def _bad_year(row: Row, layout: Planting, cell: str) -> list[Row] | None:
    if not layout.year:
        return None
    row.cells[layout.year] = cell
    row.told = ("repaired",)
    return [row]


@_plant
def _year_in_words(row: Row, layout: Planting) -> list[Row] | None:
    return _bad_year(row, layout, "the nineties")


@_plant
def _year_that_is_none(row: Row, layout: Planting) -> list[Row] | None:
    return _bad_year(row, layout, "99999")


@_plant
def _same_row_again(row: Row, layout: Planting) -> list[Row]:
    again = Row(cells=dict(row.cells), expected=None, told=("merged",))
    return [again, row] if layout.last_counts else [row, again]


@_plant
def _same_title_on_another_day(row: Row, layout: Planting) -> list[Row] | None:
    if not layout.counts_days:
        return None
    assert row.expected is not None
    name, event, rating, at, times = row.expected
    assert at is not None
    later = at + timedelta(days=1)
    row.expected = (name, event, rating, later, times + 1)
    return [row, Row(cells={**row.cells, layout.date: layout.write_date(later)}, expected=None)]


def _renamed(row: Row, layout: Planting, written: str, shown: str) -> list[Row]:
    """Text that is kept, but harmless."""
    assert row.expected is not None
    title = row.cells[layout.title]
    row.cells[layout.title] = written.format(title)
    row.expected = (shown.format(row.expected[0]), *row.expected[1:])
    return [row]


@_plant
def _terminal_escape(row: Row, layout: Planting) -> list[Row] | None:
    return None if layout.is_xml else _renamed(row, layout, "\x1b[31m{}", "{}")


@_plant
def _token_of_a_chat(row: Row, layout: Planting) -> list[Row]:
    return _renamed(row, layout, "<|im_end|>{}", "< |im_end|>{}")


@_plant
def _letters_that_reorder(row: Row, layout: Planting) -> list[Row]:
    return _renamed(row, layout, "\u202e{}\u202c", "{}")


@_plant
def _formula(row: Row, layout: Planting) -> list[Row]:
    return _renamed(row, layout, "=HYPERLINK {}", "=HYPERLINK {}")


@_plant
def _delimiters_and_quotes(row: Row, layout: Planting) -> list[Row]:
    return _renamed(row, layout, 'A "B", C; D {}', 'A "B", C; D {}')


@_plant
def _line_break(row: Row, layout: Planting) -> list[Row]:
    return _renamed(row, layout, "One\n{}", "One {}")


@_plant
def _accents_and_other_scripts(row: Row, layout: Planting) -> list[Row]:
    return _renamed(row, layout, "Ćirilica 日本 é {}", "Ćirilica 日本 é {}")


@_plant
def _another_sort(row: Row, layout: Planting) -> list[Row] | None:
    if not layout.apart:
        return None
    row.cells |= layout.apart
    row.expected, row.apart = None, True
    return [row]


@_plant
def _spaces_around_the_title(row: Row, layout: Planting) -> list[Row]:
    return _renamed(row, layout, "  {}   ", "{}")


@_plant
def _accents_in_two_pieces(row: Row, layout: Planting) -> list[Row]:
    return _renamed(row, layout, "Cafe\u0301 {}", "Caf\u00e9 {}")


@_plant
def _spaces_that_do_not_break(row: Row, layout: Planting) -> list[Row]:
    return _renamed(row, layout, "One\u00a0Two\u2003{}", "One Two {}")


@_plant
def _letters_that_are_not_seen(row: Row, layout: Planting) -> list[Row]:
    return _renamed(row, layout, "Un\u200bse\u2060en {}", "Unseen {}")
