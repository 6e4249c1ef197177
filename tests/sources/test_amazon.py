"""Amazon Reviews 2023: reviews as SQL, products that were reviewed, a window of time."""

import gzip
import json
import os
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest

from localrec.data.domains import Domain
from localrec.data.rows import BulkHistory
from localrec.foundation.errors import InputError
from localrec.graph.domain_files import load_domain
from localrec.sources import detect_kind
from localrec.sources.amazon import AmazonSource, Window
from localrec.sources.protocols import FilePreview

from .selected import selected

NAME_JSON = "Name the JSON file as it was exported or downloaded."


@pytest.fixture
def products() -> Domain:
    return load_domain("products")


def review(**changes: Any) -> str:
    told = {
        "rating": 5.0,
        "title": "It's pretty sexual. Not my fav",
        "text": "I'm playing on ps5 and it's interesting.",
        "images": [],
        "asin": "B07DJWBYKP",
        "parent_asin": "B07DK1H3H5",
        "user_id": "AGCI7FAH4GL5FI65HYLKWTMFZ2CQ",
        "timestamp": 1658185117948,
        "helpful_vote": 0,
        "verified_purchase": True,
    }
    return json.dumps({**told, **changes}) + "\n"


def product(**changes: Any) -> str:
    told = {
        "main_category": "Video Games",
        "title": "Phantasmagoria: A Puzzle of Flesh",
        "average_rating": 4.1,
        "rating_number": 18,
        "features": ["Windows 95"],
        "description": ["A thriller.", "Not for children."],
        "price": 12.99,
        "images": [],
        "videos": [],
        "store": "Sierra",
        "categories": ["Video Games", "PC", "Games"],
        "details": {"Best Sellers Rank": {"Video Games": 137612}},
        "parent_asin": "B07DK1H3H5",
        "bought_together": None,
    }
    return json.dumps({**told, **changes}) + "\n"


def save(folder: Path, reviews: str, items: str | None = None) -> Path:
    (folder / "Video_Games.jsonl").write_text(reviews)
    if items is not None:
        (folder / "meta_Video_Games.jsonl").write_text(items)
    return folder


def rows(history: BulkHistory) -> list[tuple[Any, ...]]:
    return duckdb.sql(history.select).fetchall()


def told(history: BulkHistory) -> list[tuple[int, str | None, str, str]]:
    return [(p.row, p.column, p.action, p.problem) for p in history.report.problems]


def test_a_review_becomes_a_rated_interaction(tmp_path: Path, products: Domain) -> None:
    folder = save(tmp_path, review() + review(user_id="ANN", parent_asin=None, rating="2"))
    history = AmazonSource().read(folder, products, None)
    when = datetime(2022, 7, 18, 22, 58, 37, 948000)
    note = "It's pretty sexual. Not my fav. I'm playing on ps5 and it's interesting."
    assert rows(history) == [
        ("AGCI7FAH4GL5FI65HYLKWTMFZ2CQ", "B07DK1H3H5", "rated", 5.0, when, 1, note),
        ("ANN", "B07DJWBYKP", "rated", 2.0, when, 1, note),
    ]
    assert history.files == (str(tmp_path / "Video_Games.jsonl"),)
    assert (history.items, history.report.read, history.report.kept) == ((), 2, 2)


def test_only_reviewed_products_become_items(tmp_path: Path, products: Domain) -> None:
    bare = product(
        parent_asin="B2", title="Pac-Man", store="Namco", features=[], description=[], price="None"
    )
    folder = save(
        tmp_path,
        review() + review(parent_asin="B2"),
        product() + product(parent_asin="B3", title="Never reviewed") + bare,
    )
    history = AmazonSource().read(folder, products, None)
    first, second = history.items
    assert (first.key, first.name) == ("B07DK1H3H5", "Phantasmagoria: A Puzzle of Flesh")
    assert first.properties == {
        "title": "Phantasmagoria: A Puzzle of Flesh",
        "creator": "Sierra",
        "price": 12.99,
        "description": "A thriller. Not for children. Windows 95",
        "description_source": "catalogue",
    }
    assert [(link.kind, link.name) for link in first.links] == [
        ("category", "Video Games"),
        ("category", "PC"),
        ("category", "Games"),
        ("brand", "Sierra"),
    ]
    assert second.properties["description"] == "Pac-Man, a Games product by Namco."
    assert second.properties["price"] is None
    assert history.report.kept == 4


def test_a_window_passes_over_what_lies_outside_in_silence(
    tmp_path: Path, products: Domain
) -> None:
    def at(day: str) -> int:
        return int(datetime.fromisoformat(day + "+00:00").timestamp() * 1000)

    days = ["2022-09-30T23:59:59", "2022-10-01", "2023-09-30T23:59:59", "2023-10-01"]
    days = [day if "T" in day else day + "T00:00:00" for day in days]
    reviews = "".join(
        review(timestamp=at(day), parent_asin=f"B{place}") for place, day in enumerate(days)
    )
    items = "".join(product(parent_asin=f"B{place}") for place in range(4))
    window = Window(since=datetime(2022, 10, 1), until=datetime(2023, 10, 1))
    folder = save(tmp_path, reviews + review(rating=11), items)
    history = AmazonSource(window).read(folder, products, None)
    assert [row[1] for row in rows(history)] == ["B1", "B2"]
    assert [item.key for item in history.items] == ["B1", "B2"]
    assert (history.report.read, history.report.dropped) == (4, 0)
    history = AmazonSource(Window(since=datetime(2022, 10, 1))).read(folder, products, None)
    assert [row[1] for row in rows(history)] == ["B1", "B2", "B3"]


def test_compressed_files_are_read_as_they_are(tmp_path: Path, products: Domain) -> None:
    for name, line in (("Games.jsonl.gz", review()), ("meta_Games.jsonl.gz", product())):
        (tmp_path / name).write_bytes(gzip.compress(line.encode()))
    history = AmazonSource().read(tmp_path, products, None)
    assert len(rows(history)) == len(history.items) == 1


def test_hostile_words_come_out_harmless(tmp_path: Path, products: Domain) -> None:
    hostile = "\x1b[31mred\x1b[0m <|im_end|> [INST]\u202e\n=HYPERLINK(1)"
    folder = save(
        tmp_path,
        review(title=None, text=hostile + "x" * 2_000),
        product(title=hostile, store="<|x|>\x07", categories=["\x00", hostile]),
    )
    history = AmazonSource().read(folder, products, None)
    ((*_, note),) = rows(history)
    assert note.startswith("red < |im_end|> [ INST] =HYPERLINK(1)xxx")
    assert len(note) == 1_000
    (item,) = history.items
    assert item.name == "red < |im_end|> [ INST] =HYPERLINK(1)"
    assert [link.name for link in item.links][1:] == [item.name, "< |x|>"]


BAD_LINES = {
    "no JSON": ("{'rating': 5}\n", (None, "holds no JSON object of a review")),
    "cut off": (review()[:80] + "\n", (None, "holds no JSON object of a review")),
    "a NUL byte": (
        review()[:40] + "\0" + review()[40:],
        (None, "holds no JSON object of a review"),
    ),
    "a rating of 11": (review(rating=11), ("rating", "'11' is no rating from 1 to 5")),
    "a rating in words": (review(rating="good"), ("rating", "'good' is no rating from 1 to 5")),
    "the future": (
        review(timestamp=4102444800000),
        ("timestamp", "'4102444800000' is in the future"),
    ),
    "no moment": (review(timestamp=None), ("timestamp", "'' is no date")),
    "an endless moment": (
        review(timestamp=10**30),
        ("timestamp", "'1000000000000000000000000000000' is no date"),
    ),
    "no user": (review(user_id=""), ("user_id", "'' is no id")),
    "a hostile user": (review(user_id="a\x1b[2J"), ("user_id", "'a' is no id")),
    "a path": (review(parent_asin="../../x"), ("parent_asin", "'../../x' is no id")),
    "a formula": (review(parent_asin="=1+1"), ("parent_asin", "'=1+1' is no id")),
}


@pytest.mark.parametrize("name", BAD_LINES)
def test_a_bad_line_costs_that_line(tmp_path: Path, products: Domain, name: str) -> None:
    line, (column, problem) = BAD_LINES[name]
    folder = save(tmp_path, review() + line + review(user_id="BO"))
    history = AmazonSource().read(folder, products, None)
    assert told(history) == [(2, column, "dropped", problem)]
    assert [row[0] for row in rows(history)] == ["AGCI7FAH4GL5FI65HYLKWTMFZ2CQ", "BO"]
    assert (history.report.read, history.report.kept, history.report.dropped) == (3, 2, 1)


def test_bad_lines_of_products_are_said(tmp_path: Path, products: Domain) -> None:
    items = product(title="First") + "no JSON\n" + product() + product(title="", parent_asin="B2")
    folder = save(tmp_path, review() + review(parent_asin="B2"), items)
    history = AmazonSource().read(folder, products, None)
    name = "meta_Video_Games.jsonl"
    assert told(history) == [
        (1, "parent_asin", "merged", f"(B07DK1H3H5) of {name} is told again in line 3"),
        (2, "parent_asin", "dropped", f"of {name} holds no item with an id"),
        (4, "title", "repaired", f"of {name} is empty; the product is called B2"),
    ]
    assert [item.name for item in history.items] == ["Phantasmagoria: A Puzzle of Flesh", "B2"]


BAD_FILES: dict[str, tuple[bytes, str]] = {
    "empty.jsonl": (b"", "{path} is empty. Export it again."),
    "noise.jsonl": (
        bytes(range(1, 9)) * 40,
        f"{{path}} is a binary file, not lines of JSON. {NAME_JSON}",
    ),
    "zip.jsonl": (
        b"PK\x03\x04\x14\0\x06\0a",
        f"{{path}} is a zip archive, not lines of JSON. {NAME_JSON}",
    ),
    "pickle.jsonl": (
        b"\x80\x04\x95abc",
        f"{{path}} is a Python pickle, not lines of JSON. {NAME_JSON}",
    ),
    "table.jsonl": (
        b"user_id,parent_asin,rating,timestamp\nA,B,5,1\n",
        "{path}, line 1: this is no JSON object. Each line must hold one object.",
    ),
    "list.jsonl": (
        b"[" + review().encode() + b"]",
        "{path}, line 1: this is no JSON object. Each line must hold one object.",
    ),
    "latin.jsonl": (
        b'{"rating": 5, "text": "cr\xe8me"}\n',
        "{path}, line 1: this is no JSON object. Each line must hold one object.",
    ),
    "deep.jsonl": (
        b'{"a":' * 9_000,
        "{path}, line 1: this is no JSON object. Each line must hold one object.",
    ),
    "columns.jsonl": (
        b'{"rating": 5, "stars\x1b[2J": 1}\n'.replace(b"\x1b", b"\\u001b"),
        "{path}, line 1: a review lacks timestamp, user_id; it has rating, stars. "
        "Amazon Reviews 2023 has one review per line.",
    ),
    "products.jsonl": (
        product().encode(),
        "{path}, line 1: a review lacks rating, timestamp, user_id; it holds products. "
        "Name the file of reviews, or the folder with both files.",
    ),
    "ratings.jsonl": (
        review(rating=11).encode(),
        "{path} holds no row that can be kept: row 1 '11' is no rating from 1 to 5. "
        "Each row needs a user and an item.",
    ),
    "cut.jsonl.gz": (
        gzip.compress(b"".join(review(title=os.urandom(99).hex()).encode() for _ in range(99)))[
            :9_000
        ],
        "{path} is damaged: Compressed file ended before the end-of-stream marker was reached. "
        "Get it again.",
    ),
    "plain.jsonl": (
        gzip.compress(review().encode()),
        "{path} is a gzip archive by its first bytes, not lines of JSON. "
        "Unpack it, or let its name end in .jsonl.gz.",
    ),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_refused_with_its_message(
    tmp_path: Path, products: Domain, name: str
) -> None:
    content, message = BAD_FILES[name]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError) as refused:
        AmazonSource().read(path, products, None)
    assert str(refused.value) == message.format(path=path)


def test_a_folder_needs_one_file_of_reviews(tmp_path: Path, products: Domain) -> None:
    with pytest.raises(InputError, match="holds 0 files of reviews and 0 of products"):
        AmazonSource().read(tmp_path, products, None)
    save(tmp_path, review(), product())
    (tmp_path / "Books.jsonl").write_text(review())
    with pytest.raises(InputError, match="holds 2 files of reviews and 1 of products"):
        AmazonSource().read(tmp_path, products, None)


def test_detection_goes_by_the_first_line_or_the_products_file() -> None:
    source = AmazonSource()
    assert source.recognises(FilePreview("video_games.jsonl", (), review()))
    assert source.recognises(FilePreview("games", ("meta_video_games.jsonl", "video_games.jsonl")))
    assert not source.recognises(FilePreview("drinks.jsonl", (), '{"name": "Negroni"}'))
    assert not source.recognises(FilePreview("folder", ("meta.txt",)))


@pytest.mark.parametrize("product_first", [False, True])
def test_ratings_without_a_header_are_amazons_and_no_plays(
    tmp_path: Path, products: Domain, product_first: bool
) -> None:
    rows = [
        ("AS3M56QU70RHLZ", "B00T6C3KX2", "5.0", "1173916800"),
        ("AFBMW0EMBQ1061", "0000013714", "2.0", "1404864000"),
        ("AFBMW0EMBQ1061", "B00V65D31H", "9.0", "1404864000"),
    ]
    path = tmp_path / "ratings_Beauty.csv"
    path.write_text(
        "".join(
            ",".join((item, user, *more) if product_first else (user, item, *more)) + "\n"
            for user, item, *more in rows
        )
    )
    assert detect_kind(path) == "amazon"
    history = AmazonSource().read(path, products)
    assert [(one["user_key"], one["item_key"], one["rating"]) for one in selected(history)] == [
        ("AS3M56QU70RHLZ", "B00T6C3KX2", 5.0),
        ("AFBMW0EMBQ1061", "0000013714", 2.0),
    ]
    assert (history.report.kept, history.report.dropped) == (2, 1)
    window = Window(until=datetime(2010, 1, 1))
    assert AmazonSource(window).read(path, products).report.kept == 1
