"""The Yelp academic dataset: businesses and their reviews, as lines of JSON.

Only the files of businesses and of reviews are read; tips, check-ins and the page about users are
passed over. Attributes stand in the file as Python wrote them (`"u'free'"`, `"{'romantic': True}"`)
and are matched as text, never evaluated. Businesses that nobody reviewed are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from localrec.data.domains import Domain
from localrec.data.rows import AttributeLink, BulkHistory, ItemRow, Scalar
from localrec.foundation.errors import InputError
from localrec.foundation.prose import as_sentence, join_words
from localrec.foundation.text import clean_name
from localrec.sources.bulk_tables import BulkTable
from localrec.sources.import_log import ImportLog
from localrec.sources.json_lines import (
    MAX_NOTE,
    ItemLines,
    first_object,
    id_fault,
    no_object_fault,
    read_objects,
)
from localrec.sources.protocols import Field, FilePreview
from localrec.sources.sql_cells import clean_text_of, missing, moment_faults, number, rating_fault

_REVIEW = ("user_id", "business_id", "stars", "text", "date")
_PLACE = ("name", "address", "city", "state", "is_open", "attributes", "categories")
_PRICES = {"1": "cheap", "2": "moderate", "3": "expensive", "4": "luxury"}
# (attribute, what it says) -> the feature's name in the domain's taxonomy.
_FEATURES = {
    ("OutdoorSeating", "true"): "outdoor seating",
    ("GoodForKids", "true"): "good for kids",
    ("RestaurantsGoodForGroups", "true"): "good for groups",
    ("DogsAllowed", "true"): "dogs allowed",
    ("WheelchairAccessible", "true"): "wheelchair accessible",
    ("RestaurantsDelivery", "true"): "delivery",
    ("RestaurantsTakeOut", "true"): "take-out",
    ("RestaurantsReservations", "true"): "reservations",
    ("HappyHour", "true"): "happy hour",
    ("DriveThru", "true"): "drive-through",
    ("Caters", "true"): "catering",
    ("WiFi", "free"): "free wi-fi",
    ("Alcohol", "full_bar"): "full bar",
    ("Alcohol", "beer_and_wine"): "beer and wine",
}
_NOISE = {"quiet": "quiet", "loud": "loud", "very_loud": "loud"}
_TRUE_ENTRY = re.compile(r"'([a-z_]{2,30})': True")


class YelpSource:
    """Reads a folder with both files, or the file of reviews alone."""

    kind = "yelp"
    domain = "places"
    personal = False
    fields: tuple[Field, ...] = (
        Field("user_id", "the person's key"),
        Field("business_id", "the item's key"),
        Field("stars (review)", "stars from 1 to 5"),
        Field("date", "when, taken as UTC"),
        Field("text", "the note, at most 1,000 characters"),
        Field("useful, funny, cool, review_id", "left out"),
        Field("name", "the item's name"),
        Field("city", "link to the city; property `city`"),
        Field("address, state, is_open", "properties"),
        Field("categories", "links to categories"),
        Field("attributes.RestaurantsPriceRange2", "properties `price_range` (1 to 4) and `price`"),
        Field("attributes.Ambience, .NoiseLevel", "links to ambiences"),
        Field("attributes (others)", f"links to features: {join_words([*_FEATURES.values()])}"),
        Field("postal_code, latitude, longitude, stars, review_count, hours", "left out"),
        Field("tip, checkin and user files", "left out"),
    )

    def recognises(self, preview: FilePreview) -> bool:
        """A review in the first line, or a folder with the file of reviews."""
        if preview.members:
            return any(_is_file_of(name.rpartition("/")[2], "review") for name in preview.members)
        return all(f'"{name}"' in preview.head for name in ("review_id", "business_id", "stars"))

    def read(self, path: Path, domain: Domain, user: str | None = None) -> BulkHistory:
        """Check every review and read the businesses that were reviewed.

        Raises:
            InputError: no such files, another file of the dataset, a damaged one, or one of which
                no row can be kept.
        """
        reviews, places = _find_files(path)
        _check_reviews(reviews)
        table = _as_table(reviews)
        import_log = ImportLog(self.kind, path, domain.name)
        items = list(_read_places(places, table, import_log)) if places else []
        return table.history(import_log, items=items, more_kept=len(items))


def _find_files(path: Path) -> tuple[Path, Path | None]:
    """The file of reviews and, in a folder, that of the businesses."""
    if not path.is_dir():
        return path.absolute(), None
    names = sorted(path.iterdir())
    reviews, places = (
        [file.absolute() for file in names if _is_file_of(file.name, part)]
        for part in ("review", "business")
    )
    if len(reviews) != 1 or len(places) > 1:
        raise InputError(
            f"{path} holds {len(reviews)} files of reviews and {len(places)} of businesses; "
            "one of each is read.",
            "They are called yelp_academic_dataset_review.json and "
            "yelp_academic_dataset_business.json.",
        )
    return reviews[0], places[0] if places else None


def _is_file_of(name: str, part: str) -> bool:
    return re.fullmatch(rf"yelp_.*{part}\.jsonl?(\.gz)?", name.lower()) is not None


def _check_reviews(path: Path) -> None:
    first = first_object(path)
    if lacking := set(_REVIEW) - first.keys():
        is_place = {"business_id", "categories"} <= first.keys()
        looks = "it holds businesses" if is_place else f"it has {', '.join(map(clean_name, first))}"
        raise InputError(
            f"{path}, line 1: a review lacks {', '.join(sorted(lacking))}; {looks}.",
            "Name yelp_academic_dataset_review.json, or the folder with both files.",
        )


def _as_table(path: Path) -> BulkTable:
    names = "reviewer", "place", "given", "words", "day"
    renamed = ", ".join(f'"{old}" AS {new}' for old, new in zip(_REVIEW, names, strict=True))
    return BulkTable(
        read=f"(SELECT {renamed} FROM {read_objects(path, _REVIEW)})",
        columns={
            "user_key": "reviewer",
            "item_key": "place",
            "rating": number("given"),
            "at": "try_strptime(day, ['%Y-%m-%d %H:%M:%S', '%Y-%m-%d'])",
            "note": f"nullif({clean_text_of('words', MAX_NOTE)}, '')",
        },
        files=(path,),
        first_row=1,
        faults=(
            no_object_fault(("reviewer", "place", "given", "day")),
            id_fault("user_id", "reviewer"),
            id_fault("business_id", "place"),
            rating_fault("stars", "given", 1, 5),
            missing("date", '"at"', "day", "date"),
            *moment_faults("date", "day"),
        ),
    )


def _read_places(path: Path, table: BulkTable, import_log: ImportLog) -> Iterator[ItemRow]:
    first_object(path)
    for line, key, *cells in ItemLines(path, "business_id", _PLACE).read(table, import_log):
        told = dict(zip(_PLACE, cells, strict=True))
        name = clean_name(told["name"])
        if not name:
            import_log.repair(line, "name", f"of {path.name} is empty; the place is called {key}")
        yield _as_item(key, name or key, told)


def _as_item(key: str, name: str, told: dict[str, str | None]) -> ItemRow:
    city, state = clean_name(told["city"]), clean_name(told["state"])
    categories = list(dict.fromkeys(map(clean_name, (told["categories"] or "").split(", "))))
    categories = [category for category in categories if category]
    attributes = _attributes(told["attributes"])
    level = attributes.get("RestaurantsPriceRange2", "")
    properties: dict[str, Scalar] = {
        "title": name,
        "address": clean_name(told["address"]) or None,
        "city": city or None,
        "state": state or None,
        "is_open": told["is_open"] in ("1", "true"),
        "price_range": int(level) if level in _PRICES else None,
        "price": _PRICES.get(level),
        "description": _describe(categories, city, state),
        "description_source": "generated",
    }
    links = [AttributeLink(kind="category", name=category) for category in categories]
    links += [AttributeLink(kind="city", name=city)] * bool(city)
    return ItemRow(
        key=key, name=name, properties=properties, links=(*links, *_links_of(attributes))
    )


def _attributes(cell: str | None) -> dict[str, str]:
    """Attribute -> what it says, without the quotes that Python put around it."""
    try:
        told: Any = msgspec.json.decode((cell or "{}").encode())
    except (msgspec.DecodeError, RecursionError):
        return {}
    told = told if isinstance(told, dict) else {}
    return {name: _bare(value) for name, value in told.items() if isinstance(value, str)}


def _bare(value: str) -> str:
    return re.sub(r"^u?(['\"])(.*)\1$", r"\2", value.strip())


def _links_of(attributes: dict[str, str]) -> Iterator[AttributeLink]:
    for (attribute, said), feature in _FEATURES.items():
        if attributes.get(attribute, "").lower() == said:
            yield AttributeLink(kind="feature", name=feature)
    moods = _TRUE_ENTRY.findall(attributes.get("Ambience", ""))
    noise = _NOISE.get(attributes.get("NoiseLevel", ""))
    for mood in dict.fromkeys([*moods, *([noise] if noise else [])]):
        yield AttributeLink(kind="ambience", name=mood)


def _describe(categories: list[str], city: str, state: str) -> str:
    kinds = join_words(categories[:4]) or "A place"
    where = ", ".join(filter(None, (city, state)))
    return as_sentence(f"{kinds} in {where}" if where else kinds)
