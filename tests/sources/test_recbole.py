"""RecBole's interactions and people (its items: test_atomic_items)."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from localrec.data.domains import Domain
from localrec.data.rows import BulkHistory, HistoryRows, UserRow
from localrec.foundation.errors import InputError, UsageError
from localrec.sources import domain_of_file
from localrec.sources.protocols import FilePreview
from localrec.sources.recbole import RecBoleSource

from .selected import selected, told

HEADER = "user_id:token\titem_id:token\trating:float\ttimestamp:float\n"


def read(folder: Path, domain: Domain, inter: str | bytes) -> BulkHistory:
    path = folder / "a.inter"
    path.write_bytes(inter.encode() if isinstance(inter, str) else inter)
    history = RecBoleSource().read(path, domain)
    assert isinstance(history, BulkHistory)
    return history


def test_a_folder_brings_items_people_and_what_they_did(
    tmp_path: Path, films_domain: Domain
) -> None:
    (tmp_path / "a.item").write_text("item_id:token\ttitle:token_seq\nb<7>\tHeat (1995)\n")
    (tmp_path / "a.user").write_text(
        "user_id:token\tage:float\toccupation:token\tzip_code:token\nMia, \t24\twriter\t85711\n"
    )
    (tmp_path / "a.inter").write_text(HEADER + "Mia, \tb<7>\t4\t881250949.0\n")
    history = RecBoleSource().read(tmp_path, films_domain)
    assert selected(history) == [
        {"user_key": "Mia", "item_key": "b<7>", "event": "rated", "rating": 4.0}
        | {"at": datetime(1997, 12, 4, 15, 55, 49), "times": 1, "note": None}
    ]
    assert history.users == (UserRow(key="Mia", properties={"age": 24.0, "occupation": "writer"}),)
    assert [item.key for item in history.items] == ["b<7>"]
    assert history.report.kept == 3


def test_items_alone_are_a_history_without_interactions(
    tmp_path: Path, films_domain: Domain
) -> None:
    (tmp_path / "a.item").write_text("item_id:token\ttitle:token_seq\n1\tHeat (1995)\n")
    history = RecBoleSource().read(tmp_path, films_domain)
    assert isinstance(history, HistoryRows)
    assert (len(history.items), history.interactions) == (1, ())


@pytest.mark.parametrize(
    ("item", "inter", "event", "times"),
    [
        ("artist_id:token\tname:token_seq", "artist_id:token\tweight:float", "played", 40),
        ("id:token\ttitle:token_seq", "product_id:token\tplay_hours:float", "seen", 1),
    ],
)
def test_the_item_may_be_named_after_what_it_is(
    tmp_path: Path, films_domain: Domain, item: str, inter: str, event: str, times: int
) -> None:
    (tmp_path / "a.item").write_text(f"{item}\n51\tDuran Duran\n")
    (tmp_path / "a.inter").write_text(f"user_id:token\t{inter}\n2\t51\t40.0\n")
    history = RecBoleSource().read(tmp_path, films_domain)
    assert [(one.key, one.name) for one in history.items] == [("51", "Duran Duran")]
    [row] = selected(history)
    assert (row["user_key"], row["item_key"], row["event"], row["times"]) == (2, 51, event, times)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [(("7", "8"), [7, 8]), (("07", "8"), ["07", "8"]), (("u7", "8"), ["u7", "8"])],
)
def test_keys_are_numbers_only_where_all_of_them_are(
    tmp_path: Path, films_domain: Domain, keys: tuple[str, str], expected: list[object]
) -> None:
    lines = "".join(f"{key}\t1\t4\t5\n" for key in keys)
    rows = selected(read(tmp_path, films_domain, HEADER + lines))
    assert [row["user_key"] for row in rows] == expected


@pytest.mark.parametrize(
    ("ratings", "stars", "said"),
    [
        (("1", "4.5", "5"), [1, 4.5, 5], []),
        (("1", "7", "10"), [0.5, 3.5, 5], ["goes up to 10; the top became five stars"]),
        (("0", "1", "1"), [0.5, 5, 5], ["goes up to 1; the top became five stars"]),
        (("0", "80", "100"), [0.5, 4, 5], ["goes up to 100; the top became five stars"]),
        (
            ("1", "1", "1"),
            [None] * 3,
            ["is the same everywhere, so it is no verdict: items were seen"],
        ),
    ],
)
def test_the_scale_is_told_from_the_ratings(
    tmp_path: Path,
    films_domain: Domain,
    ratings: tuple[str, ...],
    stars: list[float | None],
    said: list[str],
) -> None:
    lines = "".join(f"1\t{place}\t{rating}\t5\n" for place, rating in enumerate(ratings))
    history = read(tmp_path, films_domain, HEADER + lines)
    rows = selected(history)
    assert [row["rating"] for row in rows] == stars
    assert {row["event"] for row in rows} == {"seen" if stars[0] is None else "rated"}
    assert [problem for _, _, _, problem in told(history)] == said


def test_without_ratings_and_times_items_were_seen(tmp_path: Path, films_domain: Domain) -> None:
    history = read(tmp_path, films_domain, "item_id:token\tuser_id:token\nb\tmia\n")
    row = selected(history)[0]
    assert (row["user_key"], row["item_key"], row["event"], row["at"]) == ("mia", "b", "seen", None)


GOOD = "".join(f"1\t{item}\t{item % 5 + 1}\t881250949\n" for item in range(40))
COSTS_A_ROW = {
    "a rating of 11": ("1\t9\t11\t5\n", "rating", "'11' is no rating from 0 to 5"),
    "a rating in words": ("1\t9\tgood\t5\n", "rating", "'good' is no rating from 0 to 5"),
    "a date in the future": (
        "1\t9\t4\t4102444800\n",
        "timestamp",
        "'4102444800' is in the future",
    ),
    "an impossible date": ("1\t9\t4\t-1\n", "timestamp", "'-1' is no date"),
    "no user": ("\t9\t4\t5\n", "user_id", "is empty there"),
    "no item": ("1\t\t4\t5\n", "item_id", "is empty there"),
    "a row too short": ("1\t9\n", None, "has 2 cells where 4 belong"),
    "a row too long": ("1\t9\t4\t5\t6\n", None, "has 5 cells where 4 belong"),
    "a huge rating": (
        f"1\t9\t{'9' * 9000}\t5\n",
        "rating",
        f"'{'9' * 60}' is no rating from 0 to 5",
    ),
}


@pytest.mark.parametrize("case", COSTS_A_ROW)
def test_a_bad_row_is_dropped_and_told(tmp_path: Path, films_domain: Domain, case: str) -> None:
    bad, column, problem = COSTS_A_ROW[case]
    history = read(tmp_path, films_domain, HEADER + GOOD + bad)
    assert told(history) == [(42, column, "dropped", problem)]
    assert len(selected(history)) == history.report.kept == 40


REFUSED: dict[str, tuple[str | bytes, str]] = {
    "no item": (
        "user_id:token\trating:float\n1\t4\n",
        "{path} lacks the field item_id; it has user_id, rating. "
        "An .inter file needs user_id and item_id.",
    ),
    "a wrong header": (
        "user,item\n1,2\n",
        "{path}, row 1: the header field 'user,item' is not written as name:type, with a type of "
        "token, token_seq, float, float_seq. Atomic files of RecBole have such a header.",
    ),
    "no scale": (
        HEADER + "1\t2\t70000\t5\n1\t3\t2\t5\n",
        "{path}: the field rating goes from 2 to 70000, which is no scale of ratings. "
        "Leave the field out, or import the file as kind table.",
    ),
    "no rows": (
        HEADER,
        "{path} holds no row that can be kept: it holds no rows. "
        "Each row needs a user and an item.",
    ),
    "an empty file": (b"", "{path} is empty. Export it again."),
    "a pickle": (
        b"\x80\x05\x95cos\nsystem\n",
        "{path} is a Python pickle, not a table. "
        "Save it as a plain CSV file in UTF-8 and import that.",
    ),
    "a NUL byte in the header": (
        HEADER.replace("rating", "ra\0ting"),
        "{path}, row 1, column 3: there is a NUL byte. Remove it.",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_bad_file_is_refused_with_its_message(
    tmp_path: Path, films_domain: Domain, case: str
) -> None:
    content, message = REFUSED[case]
    with pytest.raises(InputError) as refused:
        read(tmp_path, films_domain, content)
    assert str(refused.value) == message.format(path=tmp_path / "a.inter")


def test_texts_come_out_harmless(tmp_path: Path, films_domain: Domain) -> None:
    history = read(tmp_path, films_domain, HEADER + "<s>\x1b[2J\t[INST]\x07\t4\t5\n")
    row = selected(history)[0]
    assert (row["user_key"], row["item_key"]) == ("< s>", "[ INST]")


def test_two_files_of_one_ending_and_a_foreign_one_are_refused(
    tmp_path: Path, films_domain: Domain
) -> None:
    for name in ("a.inter", "b.inter", "c.csv"):
        (tmp_path / name).write_text(HEADER)
    with pytest.raises(InputError, match=r"holds 2 files that end in \.inter; one is needed"):
        RecBoleSource().read(tmp_path, films_domain)
    with pytest.raises(InputError, match=r"c\.csv ends in neither \.item nor \.inter"):
        RecBoleSource().read(tmp_path / "c.csv", films_domain)
    with pytest.raises(UsageError, match="names its people itself"):
        RecBoleSource().read(tmp_path, films_domain, "mia")


def test_atomic_files_are_recognised() -> None:
    assert RecBoleSource().recognises(FilePreview("a.inter"))
    assert RecBoleSource().recognises(FilePreview("ml-100k", ("ml-100k.item", "ml-100k.kg")))
    assert not RecBoleSource().recognises(FilePreview("a.zip", ("a.inter",)))


@pytest.mark.real
def test_movielens_is_read_with_its_people_and_ratings(
    movielens: Path, films_domain: Domain
) -> None:
    if not movielens.with_suffix(".inter").is_file():
        pytest.skip("the ratings of ml-100k are not here; `localrec datasets pull ml-100k`")
    history = RecBoleSource().read(movielens.parent, films_domain)
    rows = selected(history)
    assert (len(history.items), len(history.users), len(rows)) == (1682, 943, 100_000)
    assert history.report.dropped == 0
    assert {row["rating"] for row in rows} == {1, 2, 3, 4, 5}
    assert {str(row["item_key"]) for row in rows} == {item.key for item in history.items}
    assert {str(row["user_key"]) for row in rows} == {user.key for user in history.users}


@pytest.mark.parametrize(
    ("fields", "domain"),
    [
        ("item_id:token\tmovie_title:token_seq\tclass:token_seq", "movies"),
        ("item_id:token\tbook_title:token_seq\tbook_author:token", "books"),
        ("item_id:token\tname:token_seq\tartist:token", "music"),
        ("item_id:token\ttitle:token_seq\tcategories:token_seq", "products"),
    ],
)
def test_the_domain_of_the_items_is_told_by_their_fields(tmp_path, fields, domain):
    (tmp_path / "things.item").write_text(f"{fields}\n", encoding="utf-8")
    assert domain_of_file("recbole", tmp_path) == domain
