"""Which kind a file, archive or folder is: exactly one, or none with a word why."""

from __future__ import annotations

import gzip
import os
import pickle
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from localrec.foundation.errors import InputError
from localrec.graph.domain_files import load_domain
from localrec.sources import detect_kind, open_source, read_export, source_kinds
from tests.sources.book_exports import GOODREADS_COLUMNS, STORYGRAPH_COLUMNS
from tests.sources.exports_of_every_kind import WRITERS
from tests.sources.zips import packed

BOM = b"\xef\xbb\xbf"
LETTERBOXD = {"watched.csv": "Date,Name\n", "ratings.csv": "Date,Name,Year,Letterboxd URI,Rating\n"}
RATINGS = "userId,movieId,rating,timestamp\n1,1,4.0,1600000000\n"
REVIEW = b'{"rating": 5.0, "asin": "B1", "parent_asin": "B1", "user_id": "A1", "timestamp": 1}\n'
TASTED = b'{"review_id": "K", "user_id": "m", "business_id": "X", "stars": 3.0, "date": ""}\n'
PLAYS = b"Weezer,Weezer,Say It Ain't So,26 Nov 2023 18:05\n"
STREAMS = b'[{"endTime": "", "artistName": "Air", "trackName": "Run", "msPlayed": 9}]'
LISTEN = '{"listened_at": 1, "track_metadata": {"artist_name": "Air", "track_name": "Run"}}\n'
DRINK = b'{"name": "Fizz", "category": "c", "glass": "g", "ingredients": [], "look": {}}\n'
BAR_DRINK = (
    b'{"name": "Fizz", "garnish": null, "method": "Shake", "ingredients": '
    b'[{"name": "Gin", "amount": 30, "units": "ml"}]}'
)
IBA_DRINK = b'[{"name": "Fizz", "glass": "g", "ingredients": [], "preparation": "Shake."}]'
TRAKT = b'[{"rated_at": "", "rating": 9, "movie": {"title": "Heat", "ids": {"trakt": 1}}}]'
THING = b'{"1": {"books_id": "1", "title": "Dune", "primaryauthor": "Herbert, Frank"}}'
THING_HEADER = ["Book Id", "Title", "Primary Author", "Rating", "Tags", "Collections"]
TITLES = b"tconst\ttitleType\tprimaryTitle\toriginalTitle\tisAdult\tstartYear\tendYear\n"
WORK = b'/type/work\t/works/OL1W\t1\t2021-01-01T00:00:00\t{"title": "Dune"}\n'
GROUP = b'{"title": "Moon Safari", "artist-credit": [], "primary-type": "Album", "id": "b"}\n'
BX = b'"User-ID";"ISBN";"Book-Rating"\n"1";"2";"0"\n'
INTER = b"user_id:token\titem_id:token\trating:float\n1\t2\t3\n"
MAPPING = b'[columns]\nitem = "id"\n'
INSTRUCTED = b'{"u1": "Slow books, please."}'

# Kind -> path below the test's folder -> what lies there; several paths make a folder, and a
# path that ends in "/" names it.
Content = bytes | dict[str, bytes]


def header(columns: list[str], delimiter: str = ",") -> bytes:
    return (delimiter.join(columns) + "\r\n").encode()


LOOKS: dict[str, dict[str, Content]] = {
    "cocktails": {
        "all_drinks.csv": b"idDrink,strDrink,strIngredient1\n1,Fizz,Gin\n",
        "semicolons.csv": b"id;name;ingredients;ingredientMeasures\n",
        "bom.csv": BOM + b"id,name,ingredients,ingredientMeasures\n",
        "search.json": b'{"drinks": [{"strDrink": "Fizz"}]}',
    },
    "imdbtitles": {
        "title.basics.tsv": TITLES,
        "title.basics.tsv.gz": gzip.compress(TITLES),
        "renamed.txt": BOM + TITLES,
    },
    "openlibrary": {
        "ol_dump_works_latest.txt": WORK,
        "ol_dump_works_latest.txt.gz": gzip.compress(WORK),
        "works.txt": WORK * 3,
    },
    "musicbrainz": {
        "release-group": GROUP,
        "release-group.gz": gzip.compress(GROUP),
        "groups.jsonl": GROUP * 3,
    },
    "trakt": {
        "ratings-movies.json": TRAKT,
        "backup.json": b'{"ratings": ' + TRAKT + b"}",
        "trakt/": {"watched/watched-movies.json": b"[]", "ratings/ratings-movies.json": b"[]"},
        "trakt.zip": packed({"anna-history_movies.json": "[]", "anna-ratings_shows.json": "[]"}),
    },
    "calibre": {
        "metadata.db": b"SQLite format 3\x00" + b"\x00" * 84,
        "copy.db": b"SQLite format 3\x00" + b"\x00" * 84 + b"TABLE books_authors_link",
        "Books/": {"metadata.db": b"SQLite format 3\x00", "Austen/Emma/cover.jpg": b"\xff\xd8"},
    },
    "librarything": {
        "librarything_anna.tsv": header(THING_HEADER, "\t"),
        "utf16.tsv": header(THING_HEADER, "\t").decode().encode("utf-16"),
        "librarything_anna.json": THING,
    },
    "goodbooks": {
        "ratings.csv": b"user_id,book_id,rating\n1,2,3\n",
        "goodbooks-10k/": {"ratings.csv": b"", "books.csv": b"", "to_read.csv": b""},
        "untagged/": {"ratings.csv": b"", "books.csv": b""},
        "tagged/": {"ratings.csv": b"", "books.csv": b"", "tags.csv": b"", "book_tags.csv": b""},
    },
    "bookcrossing": {
        "BX-Book-Ratings.csv": BX,
        "bx/": {"BX-Book-Ratings.csv": BX, "BX-Books.csv": b"", "BX-Users.csv": b""},
        "kaggle/": {"Ratings.csv": b"", "Books.csv": b"", "Users.csv": b""},
    },
    "barassistant": {
        "pack/": {"base_glasses.json": b"[]", "cocktails/zombie/data.json": BAR_DRINK},
        "bar-assistant-datapack.zip": packed(
            {"cocktails/zombie/data.json": "{}", "ingredients/gin/data.json": "{}"}
        ),
        "zombie.json": BAR_DRINK,
        "exported.json": b'{"$schema": "https://barassistant.app/cocktail-02.schema.json", '
        b'"recipe": {"name": "Fizz"}, "ingredients": []}',
    },
    "iba": {
        "recipes.json": IBA_DRINK,
        "recipes.json.gz": gzip.compress(IBA_DRINK),
        "bom.json": BOM + IBA_DRINK,
    },
    "mrboston": {
        "boston_cocktails.csv": b"name,category,row_id,ingredient_number,ingredient,measure\n",
        "semicolons.csv": b"name;category;row_id;ingredient_number;ingredient;measure\n",
        "flat.csv": b"name,category,measure-1,ingredient-1,instructions,glass,glass-size\n",
    },
    "drinks": {
        "own.jsonl": DRINK,
        "own.jsonl.gz": gzip.compress(DRINK),
        "bar/": {"rum.jsonl": DRINK, "gin.jsonl": DRINK},
    },
    "goodreads": {
        "goodreads_library_export.csv": header(GOODREADS_COLUMNS),
        "renamed.txt": BOM + header(GOODREADS_COLUMNS),
        "excel.csv": header(GOODREADS_COLUMNS, ";"),
        "packed.csv.gz": gzip.compress(header(GOODREADS_COLUMNS)),
    },
    "storygraph": {
        "1234567890.csv": header(STORYGRAPH_COLUMNS),
        "bom.csv": BOM + header(STORYGRAPH_COLUMNS),
        "excel.csv": header(STORYGRAPH_COLUMNS, ";"),
        "ratings.csv": header(STORYGRAPH_COLUMNS),
    },
    "letterboxd": {
        "letterboxd-anna-2024.zip": packed(LETTERBOXD),
        "renamed.bin": packed(LETTERBOXD),
        "repacked.zip": packed({f"export/{name}": text for name, text in LETTERBOXD.items()}),
        "export/": {name: text.encode() for name, text in LETTERBOXD.items()},
        "unrated.zip": packed({"watched.csv": "Date,Name\n", "profile.csv": ""}),
        "reviewed.zip": packed({"diary.csv": "Date,Name\n", "reviews.csv": "Date,Name\n"}),
    },
    "listenbrainz": {
        "listenbrainz_anna.zip": packed({"user.json": "{}", "listens/2023/12.jsonl": LISTEN}),
        "repacked.zip": packed({"anna/listens/2024/1.jsonl": LISTEN}),
        "anna/": {"listens/2024/1.jsonl": LISTEN.encode(), "feedback.jsonl": b""},
    },
    "lastfm": {
        "anna.csv": PLAYS,
        "bom.csv": BOM + PLAYS,
        "headed.csv": b"uts,utc_time,artist,artist_mbid,album,album_mbid,track,track_mbid\n",
        "packed.csv.gz": gzip.compress(PLAYS),
    },
    "spotify": {
        "StreamingHistory0.json": STREAMS,
        "endsong_0.json": b'[{"ts": "", "ms_played": 1, "master_metadata_track_name": "x"}]',
        "my_spotify_data.zip": packed({"MyData/StreamingHistory0.json": "[]"}),
        "Spotify Extended Streaming History/": {
            "Streaming_History_Audio_2018-2020_0.json": b"[]",
            "Streaming_History_Video_2018-2020.json": b"[]",
        },
    },
    "imdb": {
        "ratings.csv": b"Const,Your Rating,Date Rated,Title,URL,Title Type,IMDb Rating,Year\n",
        "WATCHLIST.csv": b"Position,Const,Created,Modified,Description,Title,URL,Title Type\n",
        "old.csv": b'"position","const","created","Title","Title type","You rated","Year"\n',
        "excel.csv": b"Const;Your Rating;Date Rated;Title;URL;Title Type;Year\n",
    },
    "netflix": {
        "NetflixViewingHistory.csv": b"Title,Date\n",
        "ViewingActivity.csv": b"Profile Name,Start Time,Duration,Attributes,Title,Country\n",
        "netflix-report.zip": packed({"CONTENT_INTERACTION/ViewingActivity.csv": "Title\n"}),
    },
    "boardgamegeek": {
        "collection.csv": b"objectname,objectid,rating,numplays,weight,own\n",
        "excel.csv": b"objectname;objectid;rating;numplays;weight;own\n",
        "collection.xml": b'<items><item objecttype="thing" collid="3"></item></items>',
    },
    "myanimelist": {
        "animelist.xml": b"<?xml version='1.0'?>\n<myanimelist>\n<myinfo></myinfo></myanimelist>",
        "animelist.xml.gz": gzip.compress(b"<myanimelist></myanimelist>"),
        "mangalist.xml": b"<!-- MyAnimeList.net --><myanimelist><manga></manga></myanimelist>",
    },
    "movielens": {
        "ml-100k/": {"u.data": b"1\t1\t3\t1\n", "u.item": b"1|Heat\n", "u1.base": b""},
        "ml-1m/": {"ratings.dat": b"1::1::3::1\n", "movies.dat": b"", "users.dat": b""},
        "ml-25m/": {"ratings.csv": RATINGS.encode(), "movies.csv": b"movieId,title,genres\n"},
        "ml-latest-small.zip": packed({"ml/ratings.csv": RATINGS, "ml/movies.csv": "movieId\n"}),
        "ratings.csv": RATINGS.encode(),
    },
    "amazon": {
        "Video_Games.jsonl": REVIEW,
        "renamed.txt": REVIEW,
        "Video_Games.jsonl.gz": gzip.compress(REVIEW),
        "games/": {"Video_Games.jsonl": REVIEW, "meta_Video_Games.jsonl": b"{}\n"},
    },
    "recbole": {
        "ml.inter": INTER,
        "ml.item": b"item_id:token\ttitle:token_seq\n",
        "atomic/": {"a.inter": INTER, "a.item": b"item_id:token\n", "a.user": b"user_id:token\n"},
    },
    "instructrec": {
        "books.pkl": pickle.dumps({}),
        "instructions.json": INSTRUCTED,
        "books/": {"user_sequences.pkl": pickle.dumps({}), "user_instructions.json": INSTRUCTED},
    },
    "yelp": {
        "yelp_academic_dataset_review.json": TASTED,
        "renamed.jsonl": TASTED,
        "packed.json.gz": gzip.compress(TASTED),
        "yelp/": {"yelp_academic_dataset_review.json": TASTED},
    },
    "table": {
        "films.mapping.toml": MAPPING,
        "FILMS.MAPPING.TOML": MAPPING,
        "bom.mapping.toml": BOM + MAPPING,
    },
}
FOREIGN: dict[str, Content] = {
    "bank.csv": b"Date;Payee;Account;Amount\n2024-01-02;Rent;DE00;-900,00\n",
    "empty/": {},
    "photos/": {"DCIM/IMG_0001.jpg": b"\xff\xd8\xff\xe0"},
    "photo.jpg": b"\xff\xd8\xff\xe0" + bytes(range(256)) * 20,
    "letter.txt": b"Dear Anna,\nI read Dune, and rated it 5.\n",
    "other.zip": packed({"readme.txt": "nothing to import"}),
    "other.json": b'{"name": "package", "version": "1.0"}',
    "u.item": b"1|Heat (1995)|01-Jan-1995\n",
    "ratings.csv": b"Date,Name,Stars\n2024-01-02,Heat,4\n",
    "damaged.gz": b"\x1f\x8b" + b"\x00" * 40,
}


def lay(folder: Path, name: str, content: Content) -> Path:
    path = folder / name.rstrip("/")
    if isinstance(content, bytes):
        path.write_bytes(content)
        return path
    path.mkdir()
    for inside, raw in content.items():
        (path / inside).parent.mkdir(parents=True, exist_ok=True)
        (path / inside).write_bytes(raw)
    return path


# Any table at all is a catalogue: that alone tells nothing.
TELLABLE = [kind for kind in source_kinds() if kind != "catalogue"]


def test_every_kind_is_looked_at_in_three_guises_or_more() -> None:
    assert LOOKS.keys() == {*TELLABLE}
    assert min(map(len, LOOKS.values())) >= 3


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, looks in LOOKS.items() for name in looks]
)
def test_a_file_is_recognised_by_its_own_kind_alone(tmp_path: Path, kind: str, name: str) -> None:
    assert detect_kind(lay(tmp_path, name, LOOKS[kind][name])) == kind


@pytest.mark.parametrize("kind", TELLABLE)
def test_a_whole_export_is_recognised_by_its_own_kind_alone(tmp_path: Path, kind: str) -> None:
    assert detect_kind(WRITERS[kind](tmp_path)) == kind


@pytest.mark.parametrize("name", FOREIGN)
def test_what_is_no_export_is_recognised_by_no_kind(tmp_path: Path, name: str) -> None:
    path = lay(tmp_path, name, FOREIGN[name])
    with pytest.raises(InputError, match="does not look like any export") as caught:
        detect_kind(path)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("name", "content", "what", "remedy"),
    [
        ("photo.csv", b"\x89PNG\r\n\x1a\n", "it is a picture", "--image"),
        ("list.pdf", b"%PDF-1.7\n", "it is a document", "save its table as CSV"),
        ("prog.csv", b"\x7fELF\x02\x01" + bytes(90), "it is a program", "Name the export itself"),
        ("noise.csv", bytes(range(128, 256)) * 9, "it holds no text", "Name the export itself"),
        ("one.zip", packed({"my films.csv": "a,b\n1,2\n"}), "an archive", "my films.csv"),
        (
            "book.xlsx",
            packed({"xl/workbook.xml": "<a/>"}),
            "a spreadsheet",
            "save its table as CSV",
        ),
        ("letter.txt", b"Dear Anna,\n", "any export.", "Name the kind yourself"),
    ],
)
def test_what_is_no_export_is_named_with_what_can_be_done(
    tmp_path: Path, name: str, content: bytes, what: str, remedy: str
) -> None:
    with pytest.raises(InputError) as caught:
        detect_kind(lay(tmp_path, name, content))
    assert what in str(caught.value)
    assert remedy in caught.value.hint


@pytest.mark.parametrize(
    ("content", "what", "remedy"),
    [
        (b"", "is empty", "Export it again"),
        (b"\n\n   \n\n", "holds only blank lines", "again"),
        (b"\xef\xbb\xbf\r\n", "holds only blank lines", "again"),
        (b"title,price,winery\n", "has a header and no rows", "right file"),
        (b"\n\nuser;item;score\n\n", "has a header and no rows", "right file"),
        (b"[ ]\n", "is JSON that holds no records", "again"),
        (b"{}", "is JSON that holds no records", "again"),
        (b"<!DOCTYPE html>\n<html><form>Log in, you</form></html>", "is a web page", "Log in and"),
        (
            gzip.compress(b"\n<html>\n<body>", mtime=0),
            "is a web page",
            "download the export itself",
        ),
    ],
)
def test_a_file_without_rows_is_told_in_one_sentence(
    tmp_path: Path, content: bytes, what: str, remedy: str
) -> None:
    with pytest.raises(InputError) as caught:
        detect_kind(lay(tmp_path, "table.csv", content))
    assert what in caught.value.message
    assert remedy in caught.value.hint
    assert "musicbrainz" not in str(caught.value)


def a_pipe(folder: Path) -> Path:
    os.mkfifo(folder / "pipe.csv")
    return folder / "pipe.csv"


def a_loop(folder: Path) -> Path:
    (folder / "loop.csv").symlink_to(folder / "loop.csv")
    return folder / "loop.csv"


@pytest.mark.parametrize("lay_trap", [a_pipe, a_loop, lambda folder: folder / "nothing.csv"])
def test_a_trap_is_refused_and_not_waited_for(
    tmp_path: Path, lay_trap: Callable[[Path], Path]
) -> None:
    with pytest.raises(InputError) as caught:
        detect_kind(lay_trap(tmp_path))
    assert caught.value.hint


WRONG_KINDS = [
    ("storygraph", "goodreads", "looks like a StoryGraph export, not like one of Goodreads"),
    ("goodreads", "storygraph", "looks like a Goodreads export, not like one of StoryGraph"),
    ("listenbrainz", "letterboxd", "looks like a ListenBrainz export"),
    ("letterboxd", "listenbrainz", "looks like a Letterboxd export"),
    ("letterboxd", "movielens", "the columns are Date, Name, Year, Letterboxd URI, Rating"),
    ("drinks", "amazon", "a review lacks rating, timestamp, user_id; it has name, category, glass"),
    ("goodreads", "lastfm", "it looks like a Goodreads export"),
    ("goodreads", "cocktails", "it has Book Id, Title, Author"),
    ("cocktails", "goodreads", "looks like a table of drinks"),
    ("recbole", "movielens", "is no folder of MovieLens"),
]


@pytest.mark.parametrize(("given", "named", "said"), WRONG_KINDS)
def test_reading_the_wrong_kind_says_what_it_looks_like(
    tmp_path: Path, given: str, named: str, said: str
) -> None:
    source = open_source(named)
    user = "anna" if getattr(source, "personal", False) else None
    with pytest.raises(InputError) as caught:
        read_export(named, WRITERS[given](tmp_path), load_domain(source.domain), user)
    assert said in str(caught.value)


@pytest.mark.parametrize("named", TELLABLE)
def test_no_kind_takes_an_export_of_another(tmp_path: Path, named: str) -> None:
    source = open_source(named)
    user = "anna" if getattr(source, "personal", False) else None
    for given in {*TELLABLE} - {named}:
        folder = tmp_path / given
        folder.mkdir()
        with pytest.raises(InputError) as caught:
            read_export(named, WRITERS[given](folder), load_domain(source.domain), user)
        assert caught.value.hint, f"{given} as {named}"


@pytest.mark.parametrize("seed", range(5))
def test_a_program_called_csv_is_refused_in_a_sentence(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "program.csv"
    path.write_bytes(b"\x7fELF,a\rb,c\r" + random.Random(seed).randbytes(20_000))
    with pytest.raises(InputError):
        detect_kind(path)
