"""MovieLens in its three layouts, and what becomes of damaged releases."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from localrec.data.domains import Domain
from localrec.data.rows import BulkHistory, UserRow
from localrec.foundation.errors import InputError, UsageError
from localrec.graph.history_ingest import ingest_bulk
from localrec.graph.store import Store
from localrec.sources.movielens import MovieLensSource
from localrec.sources.protocols import FilePreview

from .selected import selected, told

TOY_STORY = "Toy Story (1995)"
RATINGS = "userId,movieId,rating,timestamp\n"


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        raw = content.encode("latin-1") if isinstance(content, str) else content
        (folder / name).write_bytes(raw)
    return folder


def line_100k(key: int, title: str, *genres: int) -> str:
    flags = ["1" if place in genres else "0" for place in range(19)]
    return "|".join([str(key), title, "01-Jan-1995", "", "http://us.imdb.com/", *flags]) + "\n"


LAYOUTS: dict[str, dict[str, str | bytes]] = {
    "100k": {
        "u.data": "196\t1\t3\t881250949\n186\t2\t5\t891717742\n",
        "u.item": line_100k(1, TOY_STORY, 3, 4, 5) + line_100k(2, "Misérables, Les (1995)", 8),
        "u.user": "196|24|M|technician|85711\n186|53|F|other|94043\n",
    },
    "1m": {
        "ratings.dat": "196::1::3::881250949\n186::2::5::891717742\n",
        "movies.dat": f"1::{TOY_STORY}::Animation|Children's|Comedy\n"
        "2::Misérables, Les (1995)::Drama\n",
        "users.dat": "196::M::25::17::85711\n186::F::56::0::94043\n",
    },
    "25m": {
        "ratings.csv": RATINGS + "196,1,3.0,881250949\n186,2,5.0,891717742\n",
        "movies.csv": f"movieId,title,genres\n1,{TOY_STORY},Animation|Children's|Comedy\n"
        '2,"Misérables, Les (1995)",Drama\n',
        "links.csv": "movieId,imdbId,tmdbId\n1,0114709,862\n2,0113828,\n",
        "tags.csv": "userId,movieId,tag,timestamp\n196,1,pixar,1139045764\n",
    },
}


def read(folder: Path, domain: Domain, files: dict[str, str | bytes]) -> BulkHistory:
    return MovieLensSource().read(write(folder, files), domain)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_ratings_are_the_same_in_every_layout(
    tmp_path: Path, films_domain: Domain, layout: str
) -> None:
    rows = selected(read(tmp_path, films_domain, LAYOUTS[layout]))
    assert rows == [
        {"user_key": 196, "item_key": 1, "event": "rated", "rating": 3.0}
        | {"at": datetime(1997, 12, 4, 15, 55, 49), "times": 1, "note": None},
        {"user_key": 186, "item_key": 2, "event": "rated", "rating": 5.0}
        | {"at": datetime(1998, 4, 4, 19, 22, 22), "times": 1, "note": None},
    ]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_films_are_the_same_in_every_layout(
    tmp_path: Path, films_domain: Domain, layout: str
) -> None:
    films = read(tmp_path, films_domain, LAYOUTS[layout]).items
    assert [(film.key, film.name) for film in films] == [
        ("1", "Toy Story"),
        ("2", "Les Misérables"),
    ]
    assert [(link.kind, link.name) for link in films[0].links] == [
        ("genre", "Animation"),
        ("genre", "Children's"),
        ("genre", "Comedy"),
        ("decade", "1990s"),
    ]
    expected = {
        "title": TOY_STORY,
        "year": 1995,
        "description": "Toy Story (1995): animation, children's and comedy.",
        "description_source": "generated",
    }
    ids = {"imdb": "tt0114709", "tmdb": "862"} if layout == "25m" else {}
    assert films[0].properties == expected | ids


def test_people_bring_age_gender_and_occupation_but_no_post_code(
    tmp_path: Path, films_domain: Domain
) -> None:
    for layout, properties in (
        ("100k", {"gender": "M", "occupation": "technician", "age": 24}),
        ("1m", {"gender": "M", "occupation": "technician or engineer", "age_group": "25-34"}),
    ):
        folder = tmp_path / layout
        folder.mkdir()
        history = read(folder, films_domain, LAYOUTS[layout])
        assert history.users[0] == UserRow(key="196", properties=properties)
        assert history.report.kept == 6


def test_the_file_of_ratings_may_be_named_instead(tmp_path: Path, films_domain: Domain) -> None:
    folder = write(tmp_path, LAYOUTS["25m"])
    history = MovieLensSource().read(folder / "ratings.csv", films_domain)
    assert len(history.items) == 2


def test_no_genres_listed_is_no_genre(tmp_path: Path, films_domain: Domain) -> None:
    films = f"movieId,title,genres\n1,{TOY_STORY},(no genres listed)\n"
    history = read(tmp_path, films_domain, LAYOUTS["25m"] | {"movies.csv": films})
    assert [link.kind for link in history.items[0].links] == ["decade"]


def test_people_are_named_by_the_data_alone(tmp_path: Path, films_domain: Domain) -> None:
    with pytest.raises(UsageError, match="names its people itself"):
        MovieLensSource().read(tmp_path, films_domain, "mia")


@pytest.mark.parametrize(
    ("preview", "is_movielens"),
    [
        (FilePreview("u.data"), True),
        (FilePreview("ratings.csv", head="userId,movieId,rating,timestamp\n"), True),
        (FilePreview("ratings.csv", head="Date,Name,Year,Letterboxd URI,Rating\n"), False),
        (FilePreview("ml-25m", ("ratings.csv", "movies.csv", "tags.csv")), True),
        (FilePreview("ml-25m.zip", ("ml-25m/ratings.csv", "ml-25m/movies.csv")), True),
        (FilePreview("letterboxd", ("ratings.csv", "diary.csv")), False),
    ],
)
def test_a_release_is_recognised(preview: FilePreview, is_movielens: bool) -> None:
    assert MovieLensSource().recognises(preview) is is_movielens


GOOD = "1,1,4.0,881250949\n"
COSTS_A_ROW = {
    "a rating of 11": ("1,2,11,881250949\n", (3, "rating", "'11' is no rating from 0.5 to 5")),
    "no rating": ("1,2,,881250949\n", (3, "rating", "'' is no rating from 0.5 to 5")),
    "not a number": ("1,2,nan,881250949\n", (3, "rating", "'nan' is no rating from 0.5 to 5")),
    "a date in the future": (
        "1,2,4,4102444800\n",
        (3, "timestamp", "'4102444800' is in the future"),
    ),
    "an impossible date": ("1,2,4,-5\n", (3, "timestamp", "'-5' is no date")),
    "no user": (",2,4,881250949\n", (3, "userId", "'' is no number")),
    "no film": ("1,x,4,881250949\n", (3, "movieId", "'x' is no number")),
    "a key too large": ("1,3000000000,4,1\n", (3, "movieId", "'3000000000' is no number")),
    "a formula": ("=cmd|'/c calc'!A1,2,4,1\n", (3, "userId", "\"=cmd|'/c calc'!A1\" is no number")),
    "a NUL byte": ("1,2\0,4,1\n", (3, "movieId", "'2' is no number")),
    "an escape": ("1,\x1b[2J<|im_end|>,4,1\n", (3, "movieId", "'< |im_end|>' is no number")),
    "a row too short": ("1,2,4\n", (3, None, "has 3 cells where 4 belong")),
    "a row too long": ("1,2,4,881250949,9\n", (3, None, "has 5 cells where 4 belong")),
    "a huge field": (
        f"1,{'9' * 100_000},4,1\n",
        (3, "movieId", f"'{'9' * 60}' is no number"),
    ),
    "mixed encodings": ("é,2,4,1\n".encode() + b"\xe9,2,4,1\n", (3, "userId", "'Ã©' is no number")),
}


@pytest.mark.parametrize("case", COSTS_A_ROW)
def test_a_bad_row_is_dropped_and_told(tmp_path: Path, films_domain: Domain, case: str) -> None:
    bad, line = COSTS_A_ROW[case]
    raw = bad.encode("latin-1") if isinstance(bad, str) else bad
    ratings = (RATINGS + GOOD).encode() + raw + GOOD.encode()
    history = read(tmp_path, films_domain, LAYOUTS["25m"] | {"ratings.csv": ratings})
    row, column, problem = line
    assert told(history)[0] == (row, column, "dropped", problem)
    assert [kept["item_key"] for kept in selected(history)] == [1, 1]


REFUSED: dict[str, tuple[dict[str, str | bytes], str]] = {
    "an empty file": ({"ratings.csv": b""}, "{path}/ratings.csv is empty. Export it again."),
    "a wrong header": (
        {"ratings.csv": "Date,Name,Year\n1,2,3\n"},
        "{path}/ratings.csv, row 1: the columns are Date, Name, Year, not userId, movieId, rating, "
        "timestamp. Take the file as MovieLens hands it out, or import it as kind table.",
    ),
    "a missing column": (
        {"ratings.csv": "userId,movieId,rating\n1,2,3\n"},
        "{path}/ratings.csv, row 1: the columns are userId, movieId, rating, not userId, movieId, "
        "rating, timestamp. Take the file as MovieLens hands it out, or import it as kind table.",
    ),
    "only a header": (
        {"ratings.csv": RATINGS},
        "{path}/ratings.csv holds no row that can be kept: it holds no rows. "
        "Each row needs a user and an item.",
    ),
    "no good row": (
        {"ratings.csv": RATINGS + "1,2,11,5\n"},
        "{path}/ratings.csv holds no row that can be kept: row 2 '11' is no rating from 0.5 to 5. "
        "Each row needs a user and an item.",
    ),
    "a pickle": (
        {"ratings.csv": b"\x80\x04\x95cos\nsystem\n"},
        "{path}/ratings.csv is a Python pickle, not a table. "
        "Save it as a plain CSV file in UTF-8 and import that.",
    ),
    "a binary file": (
        {"u.data": bytes(range(1, 9)) * 40},
        "{path}/u.data is a binary file, not a table. "
        "Save it as a plain CSV file in UTF-8 and import that.",
    ),
    "a zip under the name of a table": (
        {"ratings.dat": b"PK\x03\x04\x14\0"},
        "{path}/ratings.dat is a zip archive, not a table. "
        "Save it as a plain CSV file in UTF-8 and import that.",
    ),
    "films without titles": (
        {"ratings.csv": RATINGS + GOOD, "movies.csv": "movieId,genres\n1,Drama\n"},
        "{path}/movies.csv lacks the column title; it has movieId, genres. "
        "Take the file as MovieLens hands it out.",
    ),
    "a broken quote among films": (
        {"ratings.csv": RATINGS + GOOD, "movies.csv": 'movieId,title,genres\n1,"Heat,Drama\n'},
        "{path}/movies.csv, row 2, column 'title': the quote is never closed. "
        "Close the quote, or double the quotes inside the cell.",
    ),
    "another folder": (
        {"diary.csv": "Date,Name\n"},
        "{path} is no folder of MovieLens. It should hold u.data, ratings.dat or ratings.csv.",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_bad_release_is_refused_with_its_message(
    tmp_path: Path, films_domain: Domain, case: str
) -> None:
    files, message = REFUSED[case]
    with pytest.raises(InputError) as refused:
        read(tmp_path, films_domain, files)
    assert str(refused.value) == message.format(path=tmp_path)


def test_a_zip_is_refused(tmp_path: Path, films_domain: Domain) -> None:
    with pytest.raises(InputError, match=r"ml-25m\.zip is packed\. Unpack it and name the folder"):
        MovieLensSource().read(tmp_path / "ml-25m.zip", films_domain)


def test_bad_rows_beside_the_ratings_name_their_file(tmp_path: Path, films_domain: Domain) -> None:
    films = "1::A (1990)::Drama\n1::B (1991)::Drama\n3::::Drama\n4::C\n5::\x1b[31mD<s>::Drama\n"
    users = "1::M::25::17\n2::F::x::99::1\n"
    history = read(
        tmp_path,
        films_domain,
        {"ratings.dat": "1::1::4::5\n", "movies.dat": films, "users.dat": users},
    )
    assert told(history) == [
        (1, "users.dat", "dropped", "has 4 cells where 5 belong"),
        (2, "movies.dat: movieId", "merged", "(1) is there twice"),
        (3, "movies.dat: title", "dropped", "is empty there"),
        (4, "movies.dat", "dropped", "has 2 cells where 3 belong"),
    ]
    assert [film.name for film in history.items] == ["A", "D< s>"]
    assert history.users == (UserRow(key="2", properties={"gender": "F"}),)


def test_cells_in_quotes_say_what_bare_ones_say(tmp_path: Path, films_domain: Domain) -> None:
    bare = read(tmp_path, films_domain, LAYOUTS["25m"])
    quoted: dict[str, str | bytes] = {
        "ratings.csv": '"userId","movieId","rating","timestamp"\n"196","1","3.0","881250949"\n'
        '"186","2","5.0","891717742"\n',
        "movies.csv": f'"movieId","title","genres"\n"1","{TOY_STORY}","Comedy"\n',
    }
    assert selected(read(tmp_path, films_domain, quoted)) == selected(bare)


def test_a_bad_row_among_cells_in_quotes_is_told(tmp_path: Path, films_domain: Domain) -> None:
    quoted: dict[str, str | bytes] = {
        "ratings.csv": '"userId","movieId","rating","timestamp"\n"196","1","nine","881250949"\n'
        '"186","2","5.0","891717742"\n',
    }
    found = read(tmp_path, films_domain, quoted)
    assert [row["user_key"] for row in selected(found)] == [186]
    assert told(found) == [(2, "rating", "dropped", "'nine' is no rating from 0.5 to 5")]


def test_ratings_of_one_moment_stay_in_the_files_order(
    tmp_path: Path, films_domain: Domain
) -> None:
    # Three blocks of the copy, the last one short: parts of a file that could change places.
    pairs = [(user, film) for user in range(1, 2502) for film in range(99, 0, -1)] + [(1, 100)] * 2
    lines = "".join(f"{user},{film},4,881250949\n" for user, film in pairs)
    history = read(tmp_path, films_domain, {"ratings.csv": RATINGS + lines})
    with Store.open_(tmp_path / "store.duckdb", may_read=history.files) as store:
        report = ingest_bulk(store, films_domain, history)
        stored = store.rows(
            "SELECT u.key::INTEGER, i.key::INTEGER FROM interaction x JOIN node u "
            "ON u.node_id = x.user_id JOIN node i ON i.node_id = x.item_id ORDER BY x.rowid"
        )
    assert (report.kept, report.merged) == (len(pairs) - 1, 1)
    assert stored == pairs[:-1]
