"""A table that somebody kept by hand: columns are guessed, cells mended, rows counted."""

from __future__ import annotations

import csv
import io
import json
import time
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from localrec.data.rows import HistoryRows
from localrec.foundation.bounded_files import sniff_binary_kind
from localrec.graph.domain_files import load_domain
from localrec.sources.catalogues.records import open_records
from localrec.sources.rating_values import rating_value
from localrec.sources.table_guess import propose_mapping
from localrec.sources.table_history import read_history


def read(
    path: Path,
    text: str,
    domain: str = "movies",
    user: str | None = "anna",
    encoding: str = "utf-8",
) -> HistoryRows:
    path.write_text(text, encoding=encoding)
    table = open_records(path)
    mapping = propose_mapping(table, user)
    assert mapping is not None
    return read_history(table, mapping, load_domain(domain), user)


def interactions(history: HistoryRows) -> list[tuple[str, str, float | None, int]]:
    names = {item.key: item.name for item in history.items}
    return [
        (names[one.item], str(one.event), one.rating, one.times) for one in history.interactions
    ]


@pytest.mark.parametrize(
    ("told", "value"),
    [
        ("8", 8),
        ("8,5", 8.5),
        ("8/10", 8),
        ("4 stars", 4),
        ("★★★½", 3.5),
        ("★★☆☆☆", 2),
        ("♥♥♥", 3),
        ("good", None),
    ],
)
def test_ratings_are_numbers_however_they_are_written(told: str, value: float | None) -> None:
    assert rating_value(told) == value


@pytest.mark.parametrize(
    "cells", [("8/10", "5/10", "10/10"), ("★★★★", "★★½", "★★★★★"), ("4", "2,5", "5")]
)
def test_ratings_out_of_ten_and_in_stars_are_ratings(
    tmp_path: Path, cells: tuple[str, str, str]
) -> None:
    rows = "".join(f"Film {n};{cell};2023-01-0{n + 1}\n" for n, cell in enumerate(cells))
    history = read(tmp_path / "films.csv", f"Title;Rating;Watched\n{rows}")
    assert [one.rating for one in history.interactions] == [4.0, 2.5, 5.0]


def test_films_of_one_title_and_two_years_stay_two(tmp_path: Path) -> None:
    history = read(
        tmp_path / "films.csv",
        "Film,Year,Rating,Date watched\nHome,1990,8,01/02/2023\nHome,2009,3,14/02/2023\n",
    )
    assert interactions(history) == [("Home", "rated", 4.0, 1), ("Home", "rated", 1.5, 1)]
    assert [one.at for one in history.interactions] == [datetime(2023, 2, 1), datetime(2023, 2, 14)]


def test_words_for_what_happened_are_understood(tmp_path: Path) -> None:
    history = read(
        tmp_path / "books.csv",
        "Title,Author,Status\nEmma,Jane Austen,Read\nDune,Frank Herbert,to-read\n"
        "Ulysses,James Joyce,DNF\nPersuasion,Jane Austen,reading\n",
        "books",
    )
    assert [event for _, event, _, _ in interactions(history)][:2] == ["seen", "wanted"]
    authors = [link.name for item in history.items for link in item.links if link.kind == "author"]
    assert authors == ["Jane Austen", "Frank Herbert", "James Joyce", "Jane Austen"]


def test_what_cannot_be_is_left_out_and_told_and_the_row_stays(tmp_path: Path) -> None:
    rows = "".join(f"Film {n},{n % 5 + 1},2023-01-{n + 1:02}\n" for n in range(20))
    history = read(
        tmp_path / "films.csv",
        f"Title,Rating,Date\n{rows}Heat,eleven,2023-01-05\nUp,3,2023-02-30\n,4,2023-01-01\n",
        encoding="utf-16",
    )
    told = [(one.row, one.column, one.action) for one in history.report.problems]
    assert told == [(22, "Rating", "repaired"), (23, "Date", "repaired"), (24, "Title", "dropped")]
    assert (history.report.read, history.report.kept) == (23, 22)


def test_several_rows_of_one_thing_count_how_often(tmp_path: Path) -> None:
    history = read(
        tmp_path / "films.csv",
        "Title,Rating,Date\nHeat,3,2023-01-05\nHeat,5,2023-03-05\nHeat,5,2023-03-05\nUp,4,2023-01-01\n",
    )
    assert interactions(history) == [("Heat", "rated", 5.0, 2), ("Up", "rated", 4.0, 1)]
    assert (history.report.read, history.report.kept, history.report.merged) == (4, 3, 1)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.text(st.characters(codec="utf-8", exclude_characters="\x00\r"), max_size=8),
            st.sampled_from(["1", "5", "", "0", "4,5", "x", "★★"]),
            st.sampled_from(["2023-01-05", "5.1.2023", "", "tomorrow", "1672531200"]),
        ),
        min_size=1,
        max_size=20,
    )
)
def test_every_row_is_kept_merged_or_dropped(
    tmp_path: Path, rows: list[tuple[str, str, str]]
) -> None:
    out = io.StringIO()
    csv.writer(out).writerows([("Title", "Rating", "Date"), ("Heat", "3", "2023-01-05"), *rows])
    path = tmp_path / "films.csv"
    path.write_text(out.getvalue(), encoding="utf-8", newline="")
    # Names that are nearly all control characters make no table: such a file is refused as binary.
    assume(sniff_binary_kind(path.read_bytes()[:1024]) is None)
    table = open_records(path)
    mapping = propose_mapping(table, "anna")
    if mapping is None:
        return
    report = read_history(table, mapping, load_domain("movies"), "anna").report
    assert report.read == report.kept + report.merged + report.dropped
    assert report.read == len(table.rows) + table.dropped


def test_a_few_ratings_off_the_scale_do_not_stretch_it(tmp_path: Path) -> None:
    rows = "".join(f"Film {n},{n % 10 + 1},2023-01-05\n" for n in range(98))
    history = read(
        tmp_path / "films.csv", f"Title,Rating,Date\n{rows}Heat,55,2023-01-05\nUp,-1,2023-01-05\n"
    )
    assert interactions(history)[9] == ("Film 9", "rated", 5.0, 1)
    assert [one.problem for one in history.report.problems] == [
        "'55' is no rating from 1 to 10; left out",
        "'-1' is no rating from 1 to 10; left out",
    ]


def test_a_scale_of_a_hundred_stays_one(tmp_path: Path) -> None:
    rows = "".join(f"Film {n},{n},2023-01-05\n" for n in range(1, 101))
    history = read(tmp_path / "films.csv", f"Title,Rating,Date\n{rows}")
    assert interactions(history)[99] == ("Film 100", "rated", 5.0, 1)
    assert history.report.problems == ()


def test_to_be_met_again_takes_no_rating_away(tmp_path):
    rows = "".join(
        f"film {number},4,2024-01-{number:02}\nfilm {number},,2024-03-{number:02}\n"
        for number in range(1, 19)
    )
    history = read(tmp_path / "films.csv", f"film,rating,date\n{rows}")
    assert [interaction[1:] for interaction in interactions(history)] == [("rated", 4.0, 2)] * 18


def test_volumes_of_one_title_are_rated_one_by_one(tmp_path):
    rows = "".join(
        f"anna,Saga {name},{volume},{volume}\n" for name in "ABCDEF" for volume in (1, 2, 3)
    )
    history = read(tmp_path / "comics.csv", f"user,title,volume,rating\n{rows}", "books", None)
    assert len(history.items) == len(history.interactions) == 18


def test_editions_without_a_number_and_shares_of_alcohol_number_no_parts(tmp_path):
    history = read(
        tmp_path / "log.csv",
        "user,title,edition,alcohol by volume,rating\nanna,Emma,Kindle,5,4\nbo,Emma,Print,4,2\n",
        "books",
        None,
    )
    assert [item.key for item in history.items] == ["emma"]


def test_a_show_is_one_item_and_episodes_of_things_of_ones_own_are_several(tmp_path):
    text = "show,season,episode,rating\n" + "".join(f"Dark,1,{n},{n}\n" for n in range(1, 6))
    assert len(read(tmp_path / "log.csv", text, "series").items) == 1
    assert len(read(tmp_path / "log.csv", text, "products").items) == 5


@pytest.mark.parametrize("column", ["at", "when", "ts", "watched_at", "unix"])
@pytest.mark.parametrize(("times", "more"), [(1, 0), (1000, 0), (1, 0.5)])
def test_seconds_since_1970_in_json_are_moments_whatever_they_are_called(
    tmp_path, column, times, more
):
    rows = [
        {
            "title": f"Film {n}",
            "rating": n % 5 + 1,
            "released": "1995-01-01",
            column: (1704067200 + n * 86400) * times + more,
        }
        for n in range(8)
    ]
    history = read(tmp_path / "log.json", json.dumps(rows))
    moments = [one.at for one in history.interactions]
    assert moments == [datetime(2024, 1, n + 1) + timedelta(seconds=more) for n in range(8)]


def test_seconds_count_from_greenwich_wherever_the_machine_stands(tmp_path, monkeypatch):
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        history = read(tmp_path / "log.json", '[{"title": "Up", "rating": 4, "at": 1704067200}]')
    finally:
        monkeypatch.undo()
        time.tzset()
    assert history.interactions[0].at == datetime(2024, 1, 1)


def test_numbers_of_json_keep_their_digits(tmp_path):
    path = tmp_path / "log.json"
    path.write_text('[{"name": "A", "price": 1234567.5}, {"name": "B", "price": 0.1}]')
    assert open_records(path).column("price") == ["1234567.5", "0.1"]
