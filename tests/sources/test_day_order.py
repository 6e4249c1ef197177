"""Days that a spreadsheet or a country wrote its own way mean what they meant."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.data.rows import HistoryRows
from localrec.graph.domain_files import load_domain
from localrec.sources import open_source
from localrec.sources.day_order import DayOrder

FORMS = ("%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d.%m.%y", "%d-%m-%Y", "%m/%d/%y", "%Y-%m-%d")


def read(kind: str, path: Path, text: str) -> HistoryRows:
    path.write_text(text, encoding="utf-8")
    source = open_source(kind)
    history = source.read(path, load_domain(source.domain), "anna")
    assert isinstance(history, HistoryRows)
    return history


def days(history: HistoryRows) -> list[datetime | None]:
    return [row.at for row in history.interactions]


@given(
    start=st.dates(date(2001, 1, 1), date(2024, 12, 31)),
    steps=st.lists(st.integers(0, 40), min_size=40, max_size=60),
    form=st.sampled_from(FORMS),
)
def test_the_whole_column_tells_which_number_is_the_month(
    start: date, steps: list[int], form: str
) -> None:
    told = [start - timedelta(days=sum(steps[:place])) for place in range(len(steps))]
    told.append(date(start.year - 1, 1, 13))  # one day that can only be read one way
    cells = [one.strftime(form) for one in told]
    order = DayOrder(cells)
    assert [order.as_iso(cell) for cell in cells] == [one.isoformat() for one in told]


@given(st.text(max_size=20))
def test_any_other_cell_stays_as_it_is(cell: str) -> None:
    if not any(char.isdigit() for char in cell):
        assert DayOrder([cell]).as_iso(cell) == cell


def test_a_clock_behind_the_day_stays() -> None:
    order = DayOrder(["14.11.2023 9:05"])
    assert order.as_iso("14.11.2023 9:05") == "2023-11-14 09:05"


def test_a_british_spreadsheet_does_not_turn_january_into_may(tmp_path: Path) -> None:
    history = read(
        "imdb",
        tmp_path / "ratings.csv",
        "Const,Your Rating,Date Rated,Title,Title Type,Year\n"
        "tt0000001,9,26/01/2023,Alien,Movie,1979\ntt0000002,9,05/01/2023,Heat,Movie,1995\n",
    )
    assert days(history) == [datetime(2023, 1, 26), datetime(2023, 1, 5)]
    assert history.report.problems == ()


def test_a_german_spreadsheet_keeps_stars_and_days_of_letterboxd(tmp_path: Path) -> None:
    history = read(
        "letterboxd",
        tmp_path / "ratings.csv",
        "Date;Name;Year;Letterboxd URI;Rating\n"
        "26.01.2023;Alien;1979;https://boxd.it/2a;4,5\n02.01.2023;Up;2009;https://boxd.it/2b;3\n",
    )
    assert [row.rating for row in history.interactions] == [4.5, 3.0]
    assert days(history) == [datetime(2023, 1, 26), datetime(2023, 1, 2)]


@pytest.mark.parametrize("kind", ["goodreads", "storygraph"])
def test_days_of_a_library_may_be_those_of_a_spreadsheet(tmp_path: Path, kind: str) -> None:
    headers = {
        "goodreads": "Book Id,Title,Author,My Rating,Exclusive Shelf,Bookshelves,Date Read",
        "storygraph": "x,Title,Authors,Star Rating,Read Status,y,Last Date Read",
    }
    rows = "1,Dune,Frank Herbert,4,read,,1/26/2023\n2,Emma,Jane Austen,5,read,,2/3/2023\n"
    history = read(kind, tmp_path / "library.csv", f"{headers[kind]}\n{rows}")
    assert days(history) == [datetime(2023, 1, 26), datetime(2023, 2, 3)]


def test_days_that_can_be_read_two_ways_are_told(tmp_path: Path) -> None:
    history = read(
        "letterboxd",
        tmp_path / "watched.csv",
        "Date,Name,Year,Letterboxd URI\n1/2/2023,Alien,1979,https://boxd.it/2a\n",
    )
    assert days(history) == [datetime(2023, 1, 2)]
    assert history.report.notes == (
        "Days such as 1/2/2023 in column Date do not say which number is the month; the first was "
        "taken for it.",
    )


def test_a_time_that_a_spreadsheet_spoilt_is_taken_from_the_other_column(tmp_path: Path) -> None:
    history = read(
        "lastfm",
        tmp_path / "plays.csv",
        "uts;utc_time;artist;track\n1,7E+09;14.11.2023 22:13;ABBA;SOS\n",
    )
    assert days(history) == [datetime(2023, 11, 14, 22, 13)]


@pytest.mark.parametrize(
    ("cells", "days"),
    [
        (("2020/05/18", "2020/4/5"), ("2020-05-18", "2020-04-05")),
        (("2020. 5. 18.", "20. 4. 3."), ("2020-05-18", "2020-04-03")),
        (("2020年5月18日",), ("2020-05-18",)),
        (("2021/03/04 9:30",), ("2021-03-04 09:30",)),
        (("Mar 3, 2021, 10:11 PM", "3/3/2021 12:05 AM"), ("2021-03-03 22:11", "2021-03-03 00:05")),
        (("5 March 2021", "13. Jan. 2020"), ("2021-03-05", "2020-01-13")),
        (("Wed May 09 09:33:44 -0700 2007",), ("2007-05-09 16:33:44",)),
        (("2020/02/30", "30 Feb 2020"), ("2020/02/30", "30 Feb 2020")),
    ],
)
def test_days_with_the_year_first_or_the_month_in_letters_are_turned(
    cells: tuple[str, ...], days: tuple[str, ...]
) -> None:
    order = DayOrder(cells)
    assert tuple(order.as_iso(cell) for cell in cells) == days


@given(st.datetimes(datetime(1971, 1, 1), datetime(2024, 1, 1)))
def test_iso_8601_stays_as_it_is(at: datetime) -> None:
    for cell in (at.isoformat(), at.date().isoformat(), f"{at.isoformat()}Z"):
        assert DayOrder([cell]).as_iso(cell) == cell


def test_viewings_of_a_spreadsheet_with_the_year_first_have_their_days(tmp_path: Path) -> None:
    history = read(
        "netflix",
        tmp_path / "NetflixViewingHistory.csv",
        'Title,Date\n"Roma","2020. 5. 18."\n"Heat","2020. 4. 5."\n"Up","20. 4. 3."\n',
    )
    assert days(history) == [datetime(2020, 5, 18), datetime(2020, 4, 5), datetime(2020, 4, 3)]
    assert history.report.problems == ()
