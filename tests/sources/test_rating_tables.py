"""A table of what many people did: who, with what, how often; counts and names are none of it."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest

from localrec.data.rows import Event, HistoryRows
from localrec.graph.domain_files import load_domain
from localrec.sources.catalogues.records import open_records
from localrec.sources.mapped_table import MappedTableSource
from localrec.sources.table_guess import mapping_text, propose_mapping
from localrec.sources.table_history import read_history
from localrec.sources.table_mapping import TableMapping

from .selected import selected

PEOPLE, THINGS = ("anna", "ben", "cleo"), ("Go", "Hive", "Azul", "Root")


def rows(*more: str) -> str:
    """A row for each person and thing, with the same cells behind, of which `{n}` is a number."""
    told = []
    for n, (one, thing) in enumerate((one, thing) for one in PEOPLE for thing in THINGS):
        told.append(",".join((one, thing, *(cell.format(n=n % 5 + 1) for cell in more))))
    return "\n".join(told) + "\n"


def guess(path: Path, text: str) -> TableMapping | None:
    path.write_text(text, encoding="utf-8")
    return propose_mapping(open_records(path), None)


def read(path: Path, text: str, domain: str = "boardgames") -> HistoryRows:
    mapping = guess(path, text)
    assert mapping is not None
    return read_history(open_records(path), mapping, load_domain(domain), None)


@pytest.mark.parametrize(
    "header",
    [
        *("uid", "player", "member_id", "person_id", "judge", "subject", "visitorid", "email"),
        *("Spieler", "review_profilename", "customer_id", "reviewerID", "usuario"),
    ],
)
def test_who_rated_is_found_by_its_header(tmp_path, header):
    mapping = guess(tmp_path / "t.csv", f"{header},game,rating\n" + rows("{n}"))
    assert mapping is not None
    assert (mapping.columns.user, mapping.columns.item) == (header, "game")


@pytest.mark.parametrize(
    "header",
    [
        *("item", "iid", "movie", "book", "product", "artist", "recipe", "url", "asin", "Spiel"),
        *("movie_id", "title", "business_id"),
    ],
)
@pytest.mark.parametrize("numbers", [False, True])
def test_what_was_rated_is_found_by_its_header(tmp_path, header, numbers):
    text = f"user,{header},rating\n" + rows("{n}")
    for number, thing in enumerate(THINGS if numbers else ()):
        text = text.replace(thing, str(100 + number))
    history = read(tmp_path / "t.csv", text)
    assert len(history.interactions) == 12
    assert len(history.items) == 4


@pytest.mark.parametrize("header", ["members", "Owned Users", "Users Rated", "num_users"])
def test_counts_of_people_are_nobody(tmp_path, header):
    text = f"name,rating,{header}\n" + "".join(f"Game {n},{n % 5},{n % 3}00\n" for n in range(30))
    assert guess(tmp_path / "t.csv", text) is None


def test_a_catalogue_with_subjects_is_no_table_of_ratings(tmp_path):
    text = "title,subject,rating\n" + "".join(f"Book {n},s{n % 3},{n % 5}\n" for n in range(30))
    assert guess(tmp_path / "t.csv", text) is None


def test_what_a_reviewer_is_called_is_no_name_of_an_item_and_stays_behind(tmp_path):
    told = [
        {
            "reviewerID": f"A{n % 3}",
            "asin": f"B00000000{n % 4}",
            "reviewerName": f"Jane Doe {n % 3}",
            "reviewText": f"I liked it, my dear friends, {n} times",
            "overall": n % 5 + 1.0,
            "unixReviewTime": 1393545600 + n,
        }
        for n in range(12)
    ]
    history = read(tmp_path / "t.json", "\n".join(map(json.dumps, told)), "products")
    assert [one.rating for one in history.interactions[:3]] == [1, 2, 3]
    assert "Jane" not in str(history.items)
    assert history.interactions[0].note == "I liked it, my dear friends, 0 times"
    assert any("reviewerName" in note for note in history.report.notes)


def test_columns_that_differ_among_the_rows_of_an_item_are_no_facts_of_it(tmp_path):
    history = read(
        tmp_path / "t.csv",
        "user,game,rating,mood,country\n" + rows("{n}", "felt {n}", "Japan"),
    )
    assert all("felt" not in str(item) for item in history.items)
    assert all("Japan" in str(item) for item in history.items)
    assert any("mood" in note for note in history.report.notes)


def test_parts_of_a_review_are_no_facts_of_the_beer(tmp_path):
    history = read(
        tmp_path / "t.csv",
        "review_profilename,beer_name,review_overall,review_taste,beer_beerid,beer_style,beer_abv\n"
        + rows("{n}", "{n}", "7", "IPA", "5"),
        "products",
    )
    # All rows are of the one number 7: each person's last rating counts.
    assert [one.rating for one in history.interactions] == [4, 3, 2]
    assert [item.name for item in history.items] == ["Go"]
    assert "taste" not in str(history.items)


def test_minus_one_beside_ratings_means_met_and_not_rated(tmp_path):
    text = "user_id,anime_id,rating\n" + "".join(
        f"{n % 3},{n},{(-1, 6, 10, 8)[n % 4]}\n" for n in range(40)
    )
    history = read(tmp_path / "t.csv", text, "anime")
    assert [(one.event, one.rating) for one in history.interactions[:3]] == [
        (Event.SEEN, None),
        (Event.RATED, 3.0),
        (Event.RATED, 5.0),
    ]


def test_half_stars_stay_where_zero_means_not_rated(tmp_path):
    cells = ["0", "0", "0", "5", "4", "3", "0.5", "0", "2.5", "4.5", "1", "0"]
    text = "user,game,rating\n" + "".join(f"u{n % 3},g{n},{cell}\n" for n, cell in enumerate(cells))
    history = read(tmp_path / "t.csv", text)
    assert history.report.problems == ()
    assert 0.5 in {one.rating for one in history.interactions}


@pytest.mark.parametrize("header", ["plays", "weight", "play_count", "Listens"])
def test_plays_are_counted(tmp_path, header):
    history = read(tmp_path / "t.csv", f"user,artist,{header}\n" + rows("{n}7"), "music")
    assert [(one.event, one.times) for one in history.interactions[:2]] == [
        (Event.PLAYED, 17),
        (Event.PLAYED, 27),
    ]


def test_a_large_table_counts_plays_passes_over_what_was_not_met_and_tells_what_stays(tmp_path):
    path = tmp_path / "plays.csv"
    mapping = guess(path, "user,artist,plays,hair\n" + rows("{n}7", "red"))
    assert mapping is not None
    found = MappedTableSource().read_by(mapping, path, path, load_domain("music"))
    told = [(row["event"], row["times"]) for row in selected(found)]
    assert sorted(told)[:2] == [("played", 17), ("played", 17)]
    assert any("hair" in note for note in found.report.notes)
    path = tmp_path / "read.csv"
    mapping = guess(path, "user_id,book_id,is_read,rating\n0,1,1,5\n0,2,0,0\n1,1,0,4\n1,3,1,0\n")
    assert mapping is not None
    found = MappedTableSource().read_by(mapping, path, path, load_domain("books"))
    assert (found.rows, len(list(selected(found)))) == (3, 3)
    assert any("1 row" in note for note in found.report.notes)


@pytest.mark.parametrize("verdict", ["verdict", "opinion", "x"])
def test_likes_and_dislikes_are_known_below_any_header(tmp_path, verdict):
    text = f"user,game,{verdict}\nanna,Go,like\nanna,Hive,dislike\nben,Go,dislike\nben,Azul,like\n"
    history = read(tmp_path / "t.csv", text)
    assert [one.event.value for one in history.interactions] == [
        *("liked", "disliked", "disliked", "liked"),
    ]


def test_rows_without_a_header_are_users_items_ratings_and_seconds(tmp_path):
    text = "".join(f"u{n % 3},i{n % 7},{n % 5 + 1}.0,{1393545600 + n}\n" for n in range(30))
    history = read(tmp_path / "t.csv", text, "products")
    first = history.interactions[0]
    assert (first.user, first.item, first.rating) == ("u0", "i0", 2.0)
    assert len(history.interactions) == 21


def test_thousandths_of_seconds_are_no_day_of_the_seventeenth_century(tmp_path):
    history = read(
        tmp_path / "t.csv", "ts,uid,iid,r\n1617021000000,anna,Go,2\n1615293000000,anna,Hive,5\n"
    )
    assert [one.at for one in history.interactions] == [
        datetime(2021, 3, 29, 12, 30),
        datetime(2021, 3, 9, 12, 30),
    ]


def test_a_guess_says_what_it_leaves_out_and_which_words_say_that_nothing_was_done(tmp_path):
    mapping = guess(
        tmp_path / "t.csv",
        "user,game,status,private\nanna,Go,played,x1\nanna,Hive,owned,x2\nben,Go,wishlist,x3\n",
    )
    assert mapping is not None
    assert mapping.left_out == ("private",)
    assert mapping.ignored_events == ("owned",)
    assert 'left_out = ["private"]' in mapping_text(mapping)
    assert 'ignored_events = ["owned"]' in mapping_text(mapping)


@pytest.mark.parametrize("header", ["brewery_id", "city_id", "store id"])
def test_keys_of_something_else_tell_no_items_apart(tmp_path, header):
    history = read(tmp_path / "t.csv", f"user,game,{header},rating\n" + rows("17", "{n}"))
    assert len(history.items) == 4


def test_words_are_left_out_where_no_item_has_rows_that_could_tell(tmp_path):
    text = "user,game,rating,mood,genre\n" + "".join(
        f"u{n % 3},Game {n},{n % 5 + 1},felt {n},{('Crime', 'War')[n % 2]}\n" for n in range(12)
    )
    history = read(tmp_path / "t.csv", text, "movies")
    assert "felt" not in str(history.items)
    assert {link.name for item in history.items for link in item.links} == {"Crime", "War"}


@pytest.mark.parametrize(
    ("header", "cells"), [("State", ("OK", "ME", "DE")), ("Ownership", ("own", "own", "borrowed"))]
)
def test_states_and_ownership_are_no_words_for_what_happened(tmp_path, header, cells):
    text = f"user,game,{header},rating\n" + "".join(
        f"u{n % 4},g{n % 3},{cells[n % 3]},{n % 4 or ''}\n" for n in range(12)
    )
    history = read(tmp_path / "t.csv", text)
    assert len(history.interactions) == 12
    assert {one.event for one in history.interactions} == {Event.RATED, Event.SEEN}


@pytest.mark.parametrize("header", ["Diary", "Why", "Story", "Occasion", "Stimmung", "Detail"])
def test_words_of_one_of_many_users_are_no_facts_of_the_item_however_seldom_they_write(
    tmp_path, header
):
    text = f"user,movie,rating,{header}\n" + "".join(
        f"{user},Film {n},{n % 5 + 1},{'walked out with mother' if n + len(user) == 4 else ''}\n"
        for n in range(12)
        for user in ("anna", "ben")
    )
    history = read(tmp_path / "t.csv", text, "movies")
    assert len(history.interactions) == 24
    assert "mother" not in str(history.items)


def test_words_of_no_event_are_known_to_the_reader_and_not_only_in_the_sample(tmp_path):
    path = tmp_path / "t.csv"
    mapping = guess(path, "user,book,status\nu1,Dune,read\nu2,Dune,read\nu1,Emma,to-read\n")
    assert mapping is not None
    assert mapping.ignored_events == ()
    path.write_text("user,book,status\nu1,Dune,read\nu1,Emma,unread\n")
    by_row = read_history(open_records(path), mapping, load_domain("books"), None)
    assert [one.item for one in by_row.interactions] == ["dune"]
    assert by_row.report.apart == 1
    bulk = MappedTableSource().read_by(mapping, path, path, load_domain("books"))
    assert [row["item_key"] for row in selected(bulk)] == ["Dune"]


@pytest.mark.parametrize(("header", "kept"), [("date", 1), ("date_finished", 2)])
def test_only_the_day_of_the_interaction_says_more_than_unread_by_row_and_in_bulk(
    tmp_path, header, kept
):
    path = tmp_path / "t.csv"
    rows = "u1,Dune,5,read,2020-01-05\nu1,Emma,,unread,2020-01-06\nu1,Ran,,unread,\n"
    text = f"user,book,rating,status,{header}\n{rows}"
    mapping = guess(path, text)
    assert mapping is not None
    by_row = read_history(open_records(path), mapping, load_domain("books"), None)
    bulk = MappedTableSource().read_by(mapping, path, path, load_domain("books"))
    assert [one.event.value for one in by_row.interactions] == ["rated", "seen"][:kept]
    assert sorted(row["item_key"] for row in selected(bulk)) == ["Dune", "Emma"][:kept]


def test_a_large_table_tells_cells_that_are_no_number_of_times(tmp_path):
    path = tmp_path / "plays.csv"
    mapping = guess(path, "user,artist,plays\n" + rows("{n}7"))
    assert mapping is not None
    path.write_text("user,artist,plays\nu1,Go,17\nu1,Hive,2.5\nu2,Go,often\nu2,Hive,\n")
    found = MappedTableSource().read_by(mapping, path, path, load_domain("music"))
    assert sorted(row["times"] for row in selected(found)) == [1, 1, 1, 17]
    assert any("plays" in note and "2 rows" in note for note in found.report.notes)


def test_a_column_is_never_the_name_of_an_item_and_the_number_of_its_volume(tmp_path):
    mapping = guess(
        tmp_path / "t.csv",
        "user,book,rating\n" + "".join(f"u{n % 3},{n % 9},{n % 5 + 1}\n" for n in range(30)),
    )
    text = "user,book,rating\n" + "".join(f"u{n % 3},B{n % 9},{n % 5 + 1}\n" for n in range(30))
    named = guess(tmp_path / "named.csv", text)
    assert mapping is not None
    assert named is not None
    assert (named.columns.title, named.columns.parts) == ("book", ())
    assert mapping.columns.parts == ()
