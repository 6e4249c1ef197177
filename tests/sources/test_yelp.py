"""The Yelp dataset: reviews as SQL, businesses with the features that Python wrote."""

import gzip
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest

from localrec.data.domains import Domain
from localrec.data.rows import BulkHistory
from localrec.foundation.errors import InputError
from localrec.graph.domain_files import load_domain
from localrec.sources.protocols import FilePreview
from localrec.sources.yelp import YelpSource

NAME_JSON = "Name the JSON file as it was exported or downloaded."
NO_OBJECT = "{path}, line 1: this is no JSON object. Each line must hold one object."
REVIEWS = "yelp_academic_dataset_review.json"
PLACES = "yelp_academic_dataset_business.json"


@pytest.fixture
def places() -> Domain:
    return load_domain("places")


def review(**changes: Any) -> str:
    told = {
        "review_id": "KU_O5udG6zpxOg-VcAEodg",
        "user_id": "mh_-eMZ6K5RLWhZyISBhwA",
        "business_id": "XQfwVwDr-v0ZS3_CbbE5Xw",
        "stars": 3.0,
        "useful": 0,
        "funny": 0,
        "cool": 0,
        "text": "If you decide to eat here,\n\njust be aware.",
        "date": "2018-07-07 22:09:11",
    }
    return json.dumps({**told, **changes}) + "\n"


def place(**changes: Any) -> str:
    told = {
        "business_id": "XQfwVwDr-v0ZS3_CbbE5Xw",
        "name": "Turning Point of North Wales",
        "address": "1460 Bethlehem Pike",
        "city": "North Wales",
        "state": "PA",
        "postal_code": "19454",
        "latitude": 40.2101961875,
        "longitude": -75.2236385919,
        "stars": 3.0,
        "review_count": 169,
        "is_open": 1,
        "attributes": {
            "NoiseLevel": "u'average'",
            "RestaurantsPriceRange2": "2",
            "OutdoorSeating": "False",
            "GoodForKids": "True",
            "WiFi": "u'free'",
            "Alcohol": "'full_bar'",
            "Ambience": "{'romantic': False, 'casual': True, u'classy': True}",
        },
        "categories": "Restaurants, Breakfast & Brunch, Food",
        "hours": None,
    }
    return json.dumps({**told, **changes}) + "\n"


def save(folder: Path, reviews: str, businesses: str | None = None) -> Path:
    (folder / REVIEWS).write_text(reviews)
    if businesses is not None:
        (folder / PLACES).write_text(businesses)
    return folder


def rows(history: BulkHistory) -> list[tuple[Any, ...]]:
    return duckdb.sql(history.select).fetchall()


def told(history: BulkHistory) -> list[tuple[int, str | None, str, str]]:
    return [(p.row, p.column, p.action, p.problem) for p in history.report.problems]


def test_a_review_becomes_a_rated_interaction(tmp_path: Path, places: Domain) -> None:
    history = YelpSource().read(save(tmp_path, review()), places, None)
    assert rows(history) == [
        (
            "mh_-eMZ6K5RLWhZyISBhwA",
            "XQfwVwDr-v0ZS3_CbbE5Xw",
            "rated",
            3.0,
            datetime(2018, 7, 7, 22, 9, 11),
            1,
            "If you decide to eat here, just be aware.",
        )
    ]


def test_a_business_becomes_a_place_with_its_features(tmp_path: Path, places: Domain) -> None:
    folder = save(tmp_path, review(), place() + place(business_id="unreviewed"))
    (folder / "yelp_academic_dataset_tip.json").write_text("passed over")
    history = YelpSource().read(folder, places, None)
    (item,) = history.items
    assert (item.key, item.name) == ("XQfwVwDr-v0ZS3_CbbE5Xw", "Turning Point of North Wales")
    assert item.properties == {
        "title": "Turning Point of North Wales",
        "address": "1460 Bethlehem Pike",
        "city": "North Wales",
        "state": "PA",
        "is_open": True,
        "price_range": 2,
        "price": "moderate",
        "description": "Restaurants, Breakfast & Brunch and Food in North Wales, PA.",
        "description_source": "generated",
    }
    assert [(link.kind, link.name) for link in item.links] == [
        ("category", "Restaurants"),
        ("category", "Breakfast & Brunch"),
        ("category", "Food"),
        ("city", "North Wales"),
        ("feature", "good for kids"),
        ("feature", "free wi-fi"),
        ("feature", "full bar"),
        ("ambience", "casual"),
        ("ambience", "classy"),
    ]


def test_every_link_and_price_of_a_place_is_known_to_its_domain(
    tmp_path: Path, places: Domain
) -> None:
    told_of = place(attributes={"NoiseLevel": "u'very_loud'", "RestaurantsPriceRange2": "4"})
    (item,) = YelpSource().read(save(tmp_path, review(), told_of), places, None).items
    assert {link.kind for link in item.links} <= set(places.attributes)
    assert item.links[-1].name in places.taxonomy["ambience"]
    assert item.properties["price"] in places.flags["price"].values


@pytest.mark.parametrize(
    "attributes",
    [None, [], "x", {"WiFi": None}, {"Ambience": "__import__('os').system('touch it-ran')"}],
)
def test_odd_attributes_say_nothing_and_run_nothing(
    tmp_path: Path, places: Domain, attributes: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    bare = place(attributes=attributes, categories=None, city="", state=None)
    (item,) = YelpSource().read(save(tmp_path, review(), bare), places, None).items
    assert item.links == ()
    assert item.properties["description"] == "A place."
    assert not (tmp_path / "it-ran").exists()


BAD_LINES = {
    "no JSON": ("nonsense\n", (None, "holds no JSON object of a review")),
    "cut off": (review()[:90] + "\n", (None, "holds no JSON object of a review")),
    "eleven stars": (review(stars=11), ("stars", "'11' is no rating from 1 to 5")),
    "no stars": (review(stars="many"), ("stars", "'many' is no rating from 1 to 5")),
    "the future": (
        review(date="2096-01-01 00:00:00"),
        ("date", "'2096-01-01 00:00:00' is in the future"),
    ),
    "no such day": (
        review(date="2019-02-30 00:00:00"),
        ("date", "'2019-02-30 00:00:00' is no date"),
    ),
    "no date": (review(date=None), ("date", "'' is no date")),
    "a formula": (review(user_id="=cmd|x"), ("user_id", "'=cmd|x' is no id")),
    "a token": (review(user_id="<|im_end|>"), ("user_id", "'< |im_end|>' is no id")),
    "a path": (review(business_id="../../x"), ("business_id", "'../../x' is no id")),
    "a huge id": (review(business_id="x" * 9_999), ("business_id", f"'{'x' * 60}' is no id")),
}


@pytest.mark.parametrize("name", BAD_LINES)
def test_a_bad_line_costs_that_line(tmp_path: Path, places: Domain, name: str) -> None:
    line, (column, problem) = BAD_LINES[name]
    history = YelpSource().read(save(tmp_path, review() + line + review()), places, None)
    assert told(history) == [(2, column, "dropped", problem)]
    assert len(rows(history)) == 2
    assert (history.report.read, history.report.kept, history.report.dropped) == (3, 2, 1)


def test_a_business_without_a_name_is_called_by_its_id(tmp_path: Path, places: Domain) -> None:
    folder = save(tmp_path, review(), place(name="\x1b[2J") + "?\n")
    history = YelpSource().read(folder, places, None)
    assert history.items[0].name == "XQfwVwDr-v0ZS3_CbbE5Xw"
    assert told(history) == [
        (
            1,
            "name",
            "repaired",
            f"of {PLACES} is empty; the place is called {history.items[0].key}",
        ),
        (2, "business_id", "dropped", f"of {PLACES} holds no item with an id"),
    ]


BAD_FILES: dict[str, tuple[bytes, str]] = {
    "empty.json": (b"", "{path} is empty. Export it again."),
    "noise.json": (
        bytes(range(1, 9)) * 40,
        f"{{path}} is a binary file, not lines of JSON. {NAME_JSON}",
    ),
    "zip.json": (
        b"PK\x03\x04\x14\0\x06\0a",
        f"{{path}} is a zip archive, not lines of JSON. {NAME_JSON}",
    ),
    "pickle.json": (
        b"\x80\x04\x95abc",
        f"{{path}} is a Python pickle, not lines of JSON. {NAME_JSON}",
    ),
    "page.json": (b"<!DOCTYPE html><p>", f"{{path}} is a web page, not lines of JSON. {NAME_JSON}"),
    "table.json": (b"user_id,business_id,stars\n", NO_OBJECT),
    "list.json": (b"[\n" + review().encode() + b"]", NO_OBJECT),
    "latin.json": (b'{"text": "cr\xe8me"}\n', NO_OBJECT),
    "nul.json": (b'{"text": "cr\0me"}\n', NO_OBJECT),
    "places.json": (
        place().encode(),
        "{path}, line 1: a review lacks date, text, user_id; it holds businesses. "
        "Name yelp_academic_dataset_review.json, or the folder with both files.",
    ),
    "tips.json": (
        b'{"user_id": "a", "business_id": "b", "text": "", "date": "", "compliment_count": 0}\n',
        "{path}, line 1: a review lacks stars; it has user_id, business_id, text, date, "
        "compliment_count. "
        "Name yelp_academic_dataset_review.json, or the folder with both files.",
    ),
    "bad.json": (
        review(date="soon").encode(),
        "{path} holds no row that can be kept: row 1 'soon' is no date. "
        "Each row needs a user and an item.",
    ),
    "bomb.json.gz": (
        gzip.compress(b"{" + b" " * (40 << 20)),
        NO_OBJECT,
    ),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_refused_with_its_message(tmp_path: Path, places: Domain, name: str) -> None:
    content, message = BAD_FILES[name]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError) as refused:
        YelpSource().read(path, places, None)
    assert str(refused.value) == message.format(path=path)


def test_a_folder_needs_one_file_of_reviews(tmp_path: Path, places: Domain) -> None:
    (tmp_path / PLACES).write_text(place())
    with pytest.raises(InputError, match="holds 0 files of reviews and 1 of businesses"):
        YelpSource().read(tmp_path, places, None)


def test_detection_goes_by_the_first_line_or_the_name() -> None:
    source = YelpSource()
    assert source.recognises(FilePreview("r.json", (), review()))
    assert source.recognises(FilePreview("yelp", (f"yelp/{REVIEWS}", f"yelp/{PLACES}")))
    assert not source.recognises(FilePreview("drinks.json", (), '{"drinks": []}'))
    assert not source.recognises(FilePreview("folder", ("review.txt",)))
