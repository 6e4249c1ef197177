"""Dumps of everything, read for what a store holds: found by id, title and year, or album."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from localrec.data.knowledge import rough_title, rough_title_sql
from localrec.data.rows import HistoryRows, ItemRow
from localrec.graph.domain_files import load_domain
from localrec.graph.history_ingest import ingest_history
from localrec.graph.item_ingest import ingest_items
from localrec.graph.knowledge_join import join_knowledge, read_known_items, wanted_of
from localrec.graph.store import Store
from localrec.sources import open_source, read_export
from tests.planted import a_report

TITLES = (
    "tconst\ttitleType\tprimaryTitle\toriginalTitle\tisAdult\tstartYear\tendYear\t"
    "runtimeMinutes\tgenres"
)
SPACE = "2001: A Space Odyssey"
BROUGHT = (
    "SELECT count(*) FROM brought WHERE node_id IN (SELECT node_id FROM node WHERE kind = 'movie')"
)
FILMS = (
    (
        "tt0062622",
        "movie",
        "2001: A Space Odyssey",
        "2001: A Space Odyssey",
        "1968",
        "149",
        "Sci-Fi",
    ),
    ("tt0000001", "movie", "Solaris", "Solyaris", "1972", "167", "Drama,Sci-Fi"),
    ("tt0000002", "movie", "Heat", "Heat", "1995", "170", "Crime"),
    ("tt0000003", "short", "Heat", "Heat", "1995", "9", "Comedy"),
    ("tt0000004", "movie", "Heat", "Heat", "1972", "102", "Romance"),
    ("tt0000005", "videoGame", "Heat", "Heat", "1995", "\\N", "Action"),
)


def titles(folder: Path) -> Path:
    lines = [TITLES]
    for key, sort, name, original, year, minutes, genres in FILMS:
        lines.append("\t".join((key, sort, name, original, "0", year, "\\N", minutes, genres)))
    path = folder / "title.basics.tsv.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    votes = "tconst\taverageRating\tnumVotes\ntt0000002\t8.3\t700000\ntt0000003\t5.0\t10\n"
    (folder / "title.ratings.tsv.gz").write_bytes(gzip.compress(votes.encode()))
    return path


@pytest.fixture
def store(tmp_path: Path):
    with Store.open_(tmp_path / "store.duckdb") as opened:
        yield opened


def bring(store: Store, kind: str, path: Path, domain: str) -> None:
    found = read_export(kind, path, load_domain(domain), "anna")
    assert isinstance(found, HistoryRows)
    ingest_history(store, load_domain(domain), found, by="anna")


def learn(store: Store, kind: str, path: Path, domain: str, *, keep_all: bool = False):
    about = load_domain(domain)
    wanted = None if keep_all else wanted_of(read_known_items(store, about))
    dump = open_source(kind).read(path, about, wanted)
    return join_knowledge(store, about, dump, keep_all=keep_all)


def linked(store: Store, edge: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for item, name in store.rows(
        "SELECT s.name, t.name FROM edge e JOIN node s ON s.node_id = e.source_id "
        "JOIN node t ON t.node_id = e.target_id WHERE e.kind = ? ORDER BY s.name, t.name",
        [edge],
    ):
        found.setdefault(item, []).append(name.casefold())
    return found


def letterboxd(folder: Path) -> Path:
    path = folder / "watched.csv"
    rows = "".join(
        f"2021-03-09,{name},{year},https://boxd.it/{number:04}\n"
        for number, (name, year) in enumerate(
            [("2001: A Space Odyssey", 1968), ("Solaris", 1972), ("Heat", 1995), ("Unknown", 1999)]
        )
    )
    path.write_text(f"Date,Name,Year,Letterboxd URI\n{rows}")
    return path


def test_films_of_an_export_get_their_genres_from_imdb(tmp_path: Path, store: Store) -> None:
    bring(store, "letterboxd", letterboxd(tmp_path), "movies")
    assert linked(store, "HAS_GENRE") == {}
    report = learn(store, "imdbtitles", titles(tmp_path), "movies")
    genres = linked(store, "HAS_GENRE")
    assert genres["Heat"] == ["crime"]  # not the short: it has fewer votes
    assert "Unknown" not in genres
    assert any("sci" in one for one in genres["2001: A Space Odyssey"])
    assert report.notes[0].startswith("3 of 4 films were found: 0 by their identifier, 3 by title")
    [[count]] = store.rows("SELECT count(*) FROM node WHERE kind = 'movie'")
    assert count == 4
    [[told]] = store.rows("SELECT properties FROM node WHERE name = 'Heat'")
    heat = json.loads(told)
    assert (heat["imdb"], heat["minutes"], heat["imdb_votes"]) == ("tt0000002", 170, 700_000)
    assert heat["letterboxd"] == "https://boxd.it/0002"


def test_what_a_dump_says_of_an_item_goes_with_the_person_who_brought_it(
    tmp_path: Path, store: Store
) -> None:
    bring(store, "letterboxd", letterboxd(tmp_path), "movies")
    before = store.rows(BROUGHT)
    learn(store, "imdbtitles", titles(tmp_path), "movies")
    assert before == store.rows(BROUGHT)


def test_an_identifier_counts_more_than_a_title(tmp_path: Path, store: Store) -> None:
    path = tmp_path / "ratings.csv"
    header = "Const,Your Rating,Date Rated,Title,Title Type,Year"
    path.write_text(f"{header}\ntt0000004,8,2021-03-09,Heat,Movie,1995\n")
    bring(store, "imdb", path, "movies")
    report = learn(store, "imdbtitles", titles(tmp_path), "movies")
    assert linked(store, "HAS_GENRE")["Heat"] == ["romance"]
    assert "1 by their identifier" in report.notes[0]


def test_all_keeps_what_is_not_here_yet(tmp_path: Path, store: Store) -> None:
    bring(store, "letterboxd", letterboxd(tmp_path), "movies")
    learn(store, "imdbtitles", titles(tmp_path), "movies", keep_all=True)
    [[count]] = store.rows("SELECT count(*) FROM node WHERE kind = 'movie'")
    assert count == 5  # the Heat of 1972 too; the short of 1995 may be the one that is here


def stored_films(store: Store, *films: dict[str, object]) -> None:
    rows = [
        ItemRow(key=str(number), name=str(film["name"]), properties=dict(film))  # type: ignore[arg-type]
        for number, film in enumerate(films, 1)
    ]
    ingest_items(store, load_domain("movies"), rows, a_report(len(rows)))


def joined_to(store: Store) -> dict[str, str | None]:
    return dict(store.rows("SELECT key, properties->>'$.imdb' FROM node WHERE kind = 'movie'"))


def test_two_films_of_one_title_and_year_get_no_identifier_and_the_receipt_says_so(
    tmp_path: Path, store: Store
) -> None:
    stored_films(
        store,
        {"name": "Heat", "year": 1995},
        {"name": "Heat", "year": 1995},
        {"name": "Solaris", "year": 1972},
    )
    report = learn(store, "imdbtitles", titles(tmp_path), "movies")
    assert joined_to(store) == {"1": None, "2": None, "3": "tt0000001"}
    assert (
        "2 films may be the same title of the dump as another one here, and got nothing: "
        "Heat (1995)." in report.notes
    )
    assert report.read == report.kept + report.merged + report.dropped + report.apart
    again = learn(store, "imdbtitles", titles(tmp_path), "movies", keep_all=True)
    told = joined_to(store)
    assert (told["1"], told["2"], len(told)) == (None, None, 5)
    assert again.notes[0].startswith("1 of 3 films were found: 1 by their identifier")


def test_of_two_films_the_one_of_the_very_year_or_identifier_is_joined(
    tmp_path: Path, store: Store
) -> None:
    stored_films(
        store,
        {"name": "Heat", "year": 1996},
        {"name": "Heat", "year": 1995},
        {"name": "Solaris", "year": 1972, "imdb": "tt0000001"},
        {"name": "Solaris", "year": 1972},
        {"name": "2001: A Space Odyssey", "year": 1968, "imdb": "tt0999999"},
    )
    report = learn(store, "imdbtitles", titles(tmp_path), "movies")
    assert joined_to(store) == {
        "1": None, "2": "tt0000002", "3": "tt0000001", "4": None, "5": "tt0999999",
    }  # fmt: skip
    assert "Heat (1996) and Solaris (1972)." in report.notes[1]
    assert "2001" not in " ".join(linked(store, "HAS_GENRE"))


def test_books_are_found_by_isbn_and_by_title_and_author(tmp_path: Path, store: Store) -> None:
    library = tmp_path / "library.csv"
    library.write_text(
        "Book Id,Title,Author,My Rating,Exclusive Shelf,ISBN13\n"
        "1,Duna,Frank Herbert,5,read,9780441172719\n2,Emma,Jane Austen,4,read,\n"
        "3,Emma,Another Writer,4,read,\n"
    )
    bring(store, "goodreads", library, "books")
    works = {
        "OL1W": {
            "title": "Dune",
            "authors": [{"author": {"key": "/authors/OL1A"}}],
            "subjects": ["Science fiction"],
            "first_publish_date": "August 1965",
        },
        "OL2W": {
            "title": "Emma",
            "authors": [{"author": {"key": "/authors/OL2A"}}],
            "subjects": ["Romance"],
            "description": {"type": "/type/text", "value": "A matchmaker."},
        },
    }

    def line(sort: str, key: str, told: object) -> str:
        return f"/type/{sort}\t/{sort}s/{key}\t1\t2021-01-01T00:00:00\t{json.dumps(told)}\n"

    (tmp_path / "ol_dump_works_latest.txt").write_text(
        "".join(line("work", key, told) for key, told in works.items())
    )
    (tmp_path / "ol_dump_editions_latest.txt").write_text(
        line("edition", "OL1M", {"works": [{"key": "/works/OL1W"}], "isbn_13": ["9780441172719"]})
    )
    (tmp_path / "ol_dump_authors_latest.txt").write_text(
        line("author", "OL1A", {"name": "Frank Herbert"})
        + line("author", "OL2A", {"name": "Jane Austen"})
    )
    report = learn(store, "openlibrary", tmp_path / "ol_dump_works_latest.txt", "books")
    genres = linked(store, "HAS_GENRE")
    assert genres["Duna"] == ["science fiction"]
    assert genres["Emma"] == ["romance"]
    assert report.notes[0].startswith("2 of 3 books were found: 1 by their identifier, 1 by title")


def test_a_work_that_is_no_json_is_dropped_and_told(tmp_path: Path) -> None:
    dump = tmp_path / "ol_dump_works_latest.txt"
    line = "/type/work\t/works/OL%dW\t1\t2021-01-01T00:00:00\t{%s}\n"
    dump.write_text(line % (1, '"title": "Dune",') + line % (2, '"title": "Emma"'))
    found = open_source("openlibrary").read(dump, load_domain("books"))
    assert [item.name for item in found.items] == ["Emma"]
    assert found.report.dropped == 1
    assert "no JSON" in found.report.problems[0].problem


def test_tracks_get_tags_and_years_of_their_album(tmp_path: Path, store: Store) -> None:
    plays = tmp_path / "plays.csv"
    plays.write_text(
        "Air,Moon Safari,Sexy Boy,26 Nov 2023 18:05\nBlur,Blur,Song 2,26 Nov 2023 18:09\n"
    )
    bring(store, "lastfm", plays, "music")
    group = {
        "id": "g1",
        "title": "Moon Safari",
        "primary-type": "Album",
        "artist-credit": [{"name": "AIR"}],
        "first-release-date": "1998-01-16",
        "tags": [{"name": "downtempo", "count": 9}, {"name": "seen live", "count": 0}],
    }
    other = {**group, "id": "g2", "artist-credit": [{"name": "Somebody Else"}], "tags": []}
    (tmp_path / "release-group").write_text(f"{json.dumps(other)}\n{json.dumps(group)}\n")
    learn(store, "musicbrainz", tmp_path / "release-group", "music")
    assert linked(store, "HAS_TAG") == {"Sexy Boy": ["downtempo"]}
    [[told]] = store.rows("SELECT properties FROM node WHERE name = 'Sexy Boy'")
    assert json.loads(told)["year"] == 1998


@pytest.mark.parametrize("title", ["Amélie", "2001: A Space Odyssey", "千と千尋", " L'été ", "ÉTÉ"])
def test_sql_makes_the_same_rough_title(title: str) -> None:
    import duckdb

    [[made]] = duckdb.execute(f"SELECT {rough_title_sql('?')}", [title, title]).fetchall()
    assert made == rough_title(title)
