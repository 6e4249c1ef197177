"""Calibre, LibraryThing, Trakt, goodbooks-10k and Book-Crossing: what becomes of what they say."""

from __future__ import annotations

import json
import sqlite3
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from localrec.data.rows import BulkHistory, Event, HistoryRows
from localrec.foundation.errors import InputError
from localrec.graph.domain_files import load_domain
from localrec.sources import detect_kind, read_export
from tests.sources.exports_of_every_kind import write_bookcrossing, write_goodbooks
from tests.sources.selected import selected

sys.path.append(str(Path(__file__).resolve().parents[2] / "scripts" / "studies"))

from calibre_library import Book, write_library


def history(kind: str, path: Path, domain: str = "books") -> HistoryRows:
    found = read_export(kind, path, load_domain(domain), "anna")
    assert isinstance(found, HistoryRows)
    return found


def interactions(found: HistoryRows) -> dict[str, tuple[Event, float | None]]:
    names = {item.key: item.name for item in found.items}
    return {names[one.item]: (one.event, one.rating) for one in found.interactions}


def genres(found: HistoryRows, name: str) -> list[str]:
    (item,) = (item for item in found.items if item.name == name)
    return [link.name for link in item.links if link.kind == "genre"]


def test_calibres_ratings_of_ten_are_stars_of_five_and_owning_is_no_verdict(tmp_path: Path) -> None:
    books = [Book("Dune", ("Herbert| Frank",), rating=9), Book("Emma", rating=0), Book("Ulysses")]
    found = history("calibre", write_library(tmp_path / "metadata.db", books))
    assert interactions(found) == {"Dune": (Event.RATED, 4.5)}
    assert [item.name for item in found.items] == ["Dune", "Emma", "Ulysses"]
    assert found.items[0].properties["creator"] == "Herbert, Frank"
    assert found.items[0].properties["year"] == 1965


def test_own_columns_of_calibre_are_understood_by_name_and_type(tmp_path: Path) -> None:
    own = {
        "read": ("Read", "bool"),
        "dnf": ("Did not finish", "bool"),
        "wish": ("Wishlist", "bool"),
        "status": ("Reading status", "enumeration"),
        "readdate": ("Date read", "datetime"),
        "mine": ("My rating", "rating"),
        "genre": ("Genre", "text"),
        "shelfmark": ("Shelf mark", "int"),
    }
    told: list[tuple[str, dict[str, Any]]] = [
        ("A", {"read": 1, "readdate": "2022-05-01 00:00:00+00:00"}),
        ("B", {"dnf": 1}),
        ("C", {"wish": 1, "genre": "Fantasy"}),
        ("D", {"status": "Currently reading"}),
        ("E", {"status": "To Read"}),
        ("F", {"mine": 10}),
        ("G", {"read": 0, "shelfmark": 7}),
    ]
    books = [Book(title, rating=4 if title == "F" else None, own=cells) for title, cells in told]
    found = history("calibre", write_library(tmp_path / "metadata.db", books, own))
    assert interactions(found) == {
        "A": (Event.SEEN, None),
        "B": (Event.ABANDONED, None),
        "C": (Event.WANTED, None),
        "D": (Event.SEEN, None),
        "E": (Event.WANTED, None),
        "F": (Event.RATED, 5.0),
    }
    assert found.interactions[0].at == datetime(2022, 5, 1)
    assert genres(found, "C") == ["fantasy"]


def test_only_an_own_column_of_the_readers_rating_is_the_rating(tmp_path: Path) -> None:
    own = {
        "gr_avg": ("Goodreads Rating", "rating"),
        "mine": ("My Rating", "rating"),
        "stars": ("Stars", "rating"),
        "mystery": ("Mystery", "rating"),
    }
    told: list[tuple[str, dict[str, Any]]] = [
        ("Average", {"gr_avg": 9}),
        ("Mine", {"mine": 8, "stars": 2, "gr_avg": 9, "mystery": 3}),
        ("Plain", {"stars": 6, "gr_avg": 9}),
    ]
    books = [Book(title, rating=4 if title == "Mine" else None, own=cells) for title, cells in told]
    found = history("calibre", write_library(tmp_path / "metadata.db", books, own))
    assert interactions(found) == {"Mine": (Event.RATED, 4.0), "Plain": (Event.RATED, 3.0)}
    left = [note for note in found.report.notes if "left out" in note]
    assert [note.split("'")[1] for note in left] == ["Goodreads Rating", "Mystery"]


def test_a_column_that_says_not_read_means_it(tmp_path: Path) -> None:
    own = {"notread": ("Not Read", "bool"), "status": ("Reading Status", "enumeration")}
    told: list[tuple[str, dict[str, Any]]] = [
        ("A", {"notread": 1}),
        ("B", {"notread": 0}),
        ("C", {"status": "Unread"}),
        ("D", {"status": "Finished"}),
    ]
    books = [Book(title, own=cells) for title, cells in told]
    found = history("calibre", write_library(tmp_path / "metadata.db", books, own))
    assert interactions(found) == {"B": (Event.SEEN, None), "D": (Event.SEEN, None)}
    assert [genres(found, title) for title in "CD"] == [[], []]


def test_a_catalogue_of_calibre_says_when_a_book_was_added(tmp_path: Path) -> None:
    path = tmp_path / "catalogue.csv"
    path.write_text(
        "author_sort,authors,id,isbn,pubdate,rating,series,series_index,tags,timestamp,title,#own\n"
        '"Herbert, Frank",Frank Herbert & Ann Lee,1,9780441013593,1965-08-01T02:00:00+02:00,5,'
        "Dune Chronicles,1.0,Sci-Fi,2020-01-03T10:00:00+02:00,Dune,x\n"
        '"Low, Ben",Ben Low,2,,0101-01-01T00:00:00+00:00,,,,,2020-01-04T10:00:00+02:00,Emma,\n',
        encoding="utf-8-sig",
    )
    assert detect_kind(path) == "calibre"
    found = history("calibre", path)
    assert interactions(found) == {"Dune": (Event.RATED, 5.0)}
    assert found.interactions[0].at == datetime(2020, 1, 3)
    dune, emma = found.items
    assert (dune.properties["year"], dune.properties["series_number"]) == (1965, "1")
    assert [link.name for link in dune.links][:2] == ["Frank Herbert", "Ann Lee"]
    assert "year" not in emma.properties
    assert any("#own" in note for note in found.report.notes)


def test_volumes_of_a_series_stay_two_books_and_comments_are_descriptions(tmp_path: Path) -> None:
    books = [
        Book(
            "Berserk",
            ("Kentaro Miura",),
            series="Berserk",
            series_index=n,
            comments=f"<p>{n:g}",
        )
        for n in (1.0, 2.0)
    ]
    found = history("calibre", write_library(tmp_path / "metadata.db", books))
    assert [item.properties["series_number"] for item in found.items] == ["1", "2"]
    assert len({item.key for item in found.items}) == 2
    assert [item.properties["description"] for item in found.items] == ["1", "2"]
    assert {item.properties["description_source"] for item in found.items} == {"source"}


def a_view(connection: sqlite3.Connection) -> None:
    connection.executescript(
        "DROP TABLE books; CREATE VIEW books AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL "
        "SELECT id + 1 FROM n) SELECT id, 'x' title, '' timestamp, '' pubdate, "
        "1 series_index FROM n"
    )


def another_schema(connection: sqlite3.Connection) -> None:
    connection.executescript("ALTER TABLE books RENAME COLUMN title TO name")


def a_computed_column(connection: sqlite3.Connection) -> None:
    connection.executescript(
        "DROP TABLE books; CREATE TABLE books (id, timestamp, pubdate, series_index, "
        "title AS (hex(zeroblob(200000000)))); INSERT INTO books (id) VALUES (1)"
    )


@pytest.mark.parametrize("spoil", [a_view, another_schema, a_computed_column])
def test_a_hostile_database_is_refused_in_a_sentence(tmp_path: Path, spoil: Any) -> None:
    path = write_library(tmp_path / "metadata.db", [Book("Dune", ("Frank Herbert",))])
    connection = sqlite3.connect(path)
    spoil(connection)
    connection.commit()
    connection.close()
    with pytest.raises(InputError, match="Calibre"):
        history("calibre", path)


def test_damaged_databases_are_read_or_refused_and_never_change(tmp_path: Path) -> None:
    import random

    drawn = random.Random(3)
    books = [Book(f"Tale {n}", (f"Writer {n}",), rating=8) for n in range(200)]
    sound = write_library(tmp_path / "sound.db", books).read_bytes()
    for number in range(60):
        broken = bytearray(sound)
        for _ in range(drawn.randint(1, 30)):
            broken[drawn.randrange(100, len(broken))] = drawn.randrange(256)
        path = tmp_path / "metadata.db"
        path.write_bytes(bytes(broken) if number % 4 else bytes(broken[: len(broken) // 2]))
        before = path.read_bytes()
        try:
            report = history("calibre", path).report
            assert report.read == report.kept + report.merged + report.dropped
        except InputError:
            pass
        assert path.read_bytes() == before


LIBRARY = (
    "Book Id\tTitle\tPrimary Author\tDate\tRating\tTags\tCollections\tISBN\n"
    '1\tThe "Dune"\tHerbert, Frank\tc1965\t4.5\tscience fiction\tYour library\t[0441172717]\n'
    "2\tEmma\tAusten, Jane\t1815\t\t\tTo read\t[]\n"
    "3\tUlysses\tJoyce, James\t1922\t\tdnf\tYour library\t[]\n"
    "4\tOrlando\tWoolf, Virginia\t1928\t\t\tYour library\t[]\n"
)


def test_librarything_says_what_was_done_by_collections_and_tags(tmp_path: Path) -> None:
    path = tmp_path / "library.tsv"
    path.write_text(LIBRARY, encoding="utf-16")
    found = history("librarything", path)
    assert interactions(found) == {
        'The "Dune"': (Event.RATED, 4.5),
        "Emma": (Event.WANTED, None),
        "Ulysses": (Event.ABANDONED, None),
    }
    told = found.items[0].properties
    assert (told["creator"], told["year"], told["isbn13"]) == (
        "Frank Herbert",
        1965,
        "9780441172719",
    )
    assert genres(found, 'The "Dune"') == ["science fiction"]


def test_days_of_librarything_stand_in_brackets(tmp_path: Path) -> None:
    path = tmp_path / "library.tsv"
    path.write_text(
        "Book Id\tTitle\tPrimary Author\tRating\tCollections\tDate Read\tEntry Date\n"
        "1\tDune\tHerbert, Frank\t4\tYour library\t[2007-05-08]\t[2007-05-01]\n"
        "2\tEmma\tAusten, Jane\t3\tYour library\t\t[2008-01-02]\n",
        encoding="utf-8",
    )
    found = history("librarything", path)
    assert [str(one.at) for one in found.interactions] == [
        "2007-05-08 00:00:00",
        "2008-01-02 00:00:00",
    ]
    assert found.report.problems == ()


def test_the_json_of_librarything_says_the_same_as_its_table(tmp_path: Path) -> None:
    table, other = tmp_path / "library.tsv", tmp_path / "library.json"
    table.write_text(LIBRARY, encoding="utf-8")
    header, *rows = (line.split("\t") for line in LIBRARY.splitlines())
    entries = {}
    for row in rows:
        told = dict(zip(header, row, strict=True))
        entries[told["Book Id"]] = {
            "books_id": told["Book Id"],
            "title": told["Title"],
            "primaryauthor": told["Primary Author"],
            "date": told["Date"],
            "rating": float(told["Rating"]) if told["Rating"] else None,
            "tags": [told["Tags"]] if told["Tags"] else [],
            "collections": [told["Collections"]],
            "isbn": {"0": told["ISBN"].strip("[]")},
        }
    other.write_text(json.dumps(entries), encoding="utf-8")
    one, two = history("librarything", table), history("librarything", other)
    assert (one.items, one.interactions) == (two.items, two.interactions)


def test_a_review_of_librarything_loses_its_markup(tmp_path: Path) -> None:
    path = tmp_path / "library.json"
    review = "fine<br>ok<br /><br />really <i>good</i> &amp; I <3 it"
    entry = {"books_id": "5", "title": "Odyssey", "rating": 3, "review": review}
    path.write_text(json.dumps({"5": entry}))
    [row] = history("librarything", path).interactions
    assert row.note == "fine ok really good & I <3 it"


@pytest.mark.parametrize(("encoding", "name"), [("latin-1", "Windows-1252"), ("utf-16", "UTF-16")])
def test_the_encoding_of_a_librarything_table_is_told(
    tmp_path: Path, encoding: str, name: str
) -> None:
    path = tmp_path / "library.tsv"
    path.write_text(LIBRARY.replace("Emma", "Wünsche"), encoding=encoding)
    found = history("librarything", path)
    assert interactions(found)["Wünsche"] == (Event.WANTED, None)
    assert any(name in note for note in found.report.notes)


@pytest.mark.parametrize(
    ("kind", "header", "row"),
    [
        (
            "goodreads",
            "Title,Author,ISBN13,My Rating,Date Read,Exclusive Shelf",
            "Dune,A B,,4,,read",
        ),
        ("storygraph", "Title,Authors,ISBN/UID,Read Status,Star Rating", "Dune,A B,,read,4"),
        ("librarything", "Book Id,Title,Primary Author,Rating,Collections", "1,Dune,A B,4,Yours"),
        ("letterboxd", "Date,Name,Year,Letterboxd URI,Rating", ",Dune,2021,https://boxd.it/a,4"),
    ],
)
@pytest.mark.parametrize("change", [str.lower, str.upper, str])
def test_the_case_of_the_columns_makes_no_difference(
    tmp_path: Path, kind: str, header: str, row: str, change: Any
) -> None:
    path = tmp_path / "export.csv"
    path.write_text(f"{change(header)}\n{row}\n")
    assert detect_kind(path) == kind
    found = history(kind, path, "movies" if kind == "letterboxd" else "books")
    assert interactions(found) == {"Dune": (Event.RATED, 4.0)}
    assert not any("not known" in note for note in found.report.notes)


FILM = {"title": "Heat", "year": 1995, "ids": {"trakt": 9, "imdb": "tt0113277"}}
SHOW = {"title": "Dark", "year": 2017, "ids": {"trakt": 8}}
BACKUP = {
    "ratings-movies": [{"rated_at": "2021-03-09T20:00:00.000Z", "rating": 9, "movie": FILM}],
    "ratings-episodes": [
        {
            "rated_at": "2021-03-09T20:00:00.000Z",
            "rating": 2,
            "show": SHOW,
            "episode": {"season": 1, "number": 2},
        }
    ],
    "watched-movies": [{"plays": 3, "last_watched_at": "2021-03-08T20:00:00.000Z", "movie": FILM}],
    "lists-watchlist": [{"listed_at": "2021-03-01T20:00:00.000Z", "movie": {"title": "Alien"}}],
    "lists-best": [{"listed_at": "2021-03-01T20:00:00.000Z", "movie": {"title": "Up"}}],
    "hidden-dropped": [{"hidden_at": "2021-03-01T20:00:00.000Z", "show": {"title": "Lost"}}],
    "collection-movies": [{"collected_at": "2021-03-01T20:00:00.000Z", "movie": {"title": "Ran"}}],
}


@pytest.mark.parametrize("as_one_file", [False, True])
def test_a_backup_of_trakt_is_read_by_what_its_entries_say(
    tmp_path: Path, as_one_file: bool
) -> None:
    path = tmp_path / "trakt"
    if as_one_file:
        path = tmp_path / "trakt.json"
        path.write_text(json.dumps(BACKUP))
    else:
        path.mkdir()
        for name, entries in BACKUP.items():
            (path / f"{name}.json").write_text(json.dumps(entries))
    found = history("trakt", path, "movies")
    assert interactions(found) == {"Heat": (Event.RATED, 4.5), "Alien": (Event.WANTED, None)}
    assert max(one.times for one in found.interactions) == 3
    assert {item.name for item in found.items} == {"Heat", "Alien", "Ran"}
    ((domain, series),) = found.beside
    assert domain == "series"
    assert interactions(series) == {"Dark": (Event.SEEN, None), "Lost": (Event.ABANDONED, None)}
    assert found.report.apart == 1
    assert found.report.read == 7


def test_a_table_of_trakt_keeps_episodes_apart_from_their_series(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(
        "rated_at,type,title,year,trakt_rating,trakt_id,imdb_id,season_number,episode_number,"
        "genres,rating\n"
        "2020-01-01T10:00:00Z,movie,Heat,1995,8.2,11,tt0113277,,,crime,9\n"
        "2020-01-01T10:00:00Z,show,Dark,2017,8.6,1,tt5753856,,,drama,8\n"
        "2020-01-02T10:00:00Z,episode,Dark,2017,8.6,1,tt5753856,1,1,drama,3\n"
        "2020-01-02T10:00:00Z,season,Dark,2017,8.6,1,tt5753856,1,,drama,2\n"
        "2020-01-02T10:00:00Z,person,Ann Lee,,,7,,,,,2\n"
    )
    assert detect_kind(path) == "trakt"
    found = history("trakt", path, "movies")
    assert interactions(found) == {"Heat": (Event.RATED, 4.5)}
    ((_, series),) = found.beside
    assert interactions(series) == {"Dark": (Event.RATED, 4.0)}
    assert (found.report.kept, found.report.apart) == (4, 1)


def test_a_list_of_trakt_that_may_be_anything_asks_for_its_name(tmp_path: Path) -> None:
    entries = json.dumps(BACKUP["lists-best"])
    (tmp_path / "movies.json").write_text(entries)
    (tmp_path / "watchlist-movies.json").write_text(entries)
    with pytest.raises(InputError, match="whether its titles are wanted") as refused:
        history("trakt", tmp_path / "movies.json", "movies")
    assert "watchlist" in refused.value.hint
    found = history("trakt", tmp_path / "watchlist-movies.json", "movies")
    assert interactions(found) == {"Up": (Event.WANTED, None)}


def bulk(kind: str, path: Path) -> BulkHistory:
    found = read_export(kind, path, load_domain("books"))
    assert isinstance(found, BulkHistory)
    return found


def test_goodbooks_gives_ratings_wishes_and_the_genres_among_its_tags(tmp_path: Path) -> None:
    found = bulk("goodbooks", write_goodbooks(tmp_path))
    rows = {(one["user_key"], one["item_key"], one["event"]) for one in selected(found)}
    assert rows == {(1, 1, "rated"), (1, 2, "rated"), (2, 2, "rated"), (2, 1, "wanted")}
    dune = found.items[0]
    assert (dune.properties["series"], dune.properties["series_number"]) == ("Dune", "1")
    assert [link.name for link in dune.links if link.kind == "genre"] == ["science fiction"]
    assert (found.report.read, found.report.kept) == (6, 6)


def test_the_first_version_of_goodbooks_numbers_its_books_by_id(tmp_path: Path) -> None:
    (tmp_path / "ratings.csv").write_text("book_id,user_id,rating\n1,7,5\n2,7,3\n")
    (tmp_path / "books.csv").write_text(
        "id,book_id,best_book_id,authors,title\n1,2,2,Ann Lee,Dune\n2,44,44,Ben Low,Emma\n"
    )
    assert detect_kind(tmp_path) == detect_kind(tmp_path / "ratings.csv") == "goodbooks"
    found = bulk("goodbooks", tmp_path)
    assert {(item.key, item.name, item.properties["goodreads"]) for item in found.items} == {
        ("1", "Dune", 2),
        ("2", "Emma", 44),
    }
    rows = {(one["user_key"], one["item_key"], one["rating"]) for one in selected(found)}
    assert rows == {(7, 1, 5.0), (7, 2, 3.0)}


def test_a_zero_of_book_crossing_is_no_rating(tmp_path: Path) -> None:
    home = write_bookcrossing(tmp_path, 'The \\"Great\\" Dune; Part 1')
    with (home / "BX-Book-Ratings.csv").open("a") as stream:
        stream.write('"3";"2";"11"\n')
    found = bulk("bookcrossing", home)
    rows = {
        (one["user_key"], one["item_key"]): (one["event"], one["rating"]) for one in selected(found)
    }
    assert rows == {
        (1, "0441172717"): ("rated", 4.5),
        (1, "2"): ("seen", None),
        (2, "2"): ("rated", 5.0),
    }
    assert found.items[0].name == 'The "Great" Dune; Part 1'
    assert (found.report.read, found.report.dropped) == (6, 1)


def crossing(folder: Path, books: str, name: str = "Books.csv") -> BulkHistory:
    ratings = {"Books.csv": "Ratings.csv", "BX-Books.csv": "BX-Book-Ratings.csv"}[name]
    sign = "," if name == "Books.csv" else ";"
    (folder / "Users.csv").write_text("User-ID,Location,Age\n")
    (folder / ratings).write_text(f"User-ID{sign}ISBN{sign}Book-Rating\n1{sign}2{sign}8\n")
    header = ("ISBN", "Book-Title", "Book-Author", "Year-Of-Publication", "Publisher")
    (folder / name).write_text(f"{sign.join(header)}\n{books}")
    return bulk("bookcrossing", folder)


def test_a_title_of_book_crossing_may_have_a_line_break_in_csv(tmp_path: Path) -> None:
    found = crossing(
        tmp_path, '2,"Two\nLines, ""really""",Ann Lee,1999,House\n3,Emma,Jane,1815,H\n'
    )
    assert [item.name for item in found.items] == ['Two Lines, "really"', "Emma"]
    assert found.report.problems == ()


def test_an_open_quote_of_book_crossing_costs_its_own_line_alone(tmp_path: Path) -> None:
    rows = "".join(f"{n},Book {n},Ann Lee,1999,House\n" for n in range(3, 60))
    found = crossing(tmp_path, f'2,"Open,Ann Lee,1999,House\n{rows}')
    assert len(found.items) >= 57
    assert found.report.read == 1 + 58


def test_years_and_cells_too_many_of_book_crossing_are_told(tmp_path: Path) -> None:
    rows = (
        '"2";"Dune";"Herbert";"House";"x"\n"3";"Emma";"Jane";"0";"H"\n"4";"A";"B";"1";"H";"more"\n'
    )
    found = crossing(tmp_path, rows, "BX-Books.csv")
    assert [(one.row, one.column, one.action) for one in found.report.problems] == [
        (2, "Year-Of-Publication", "repaired"),
        (4, "BX-Books.csv", "dropped"),
    ]
    assert ["year" in item.properties for item in found.items] == [False, False]
