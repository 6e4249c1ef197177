"""Every catalogue beside the checkout: all rows and values as csv and json find them."""

from __future__ import annotations

import csv
import json
import re
import unicodedata
from collections import defaultdict
from difflib import SequenceMatcher
from pathlib import Path

import pytest

from localrec.data.rows import CatalogueRows, ItemRow
from localrec.graph.domain_files import load_domain
from localrec.sources import open_source
from localrec.sources.catalogues.catalogue_source import CatalogueSource
from localrec.sources.catalogues.proposal import propose_domain
from localrec.sources.catalogues.records import open_records

FOLDER = Path(__file__).resolve().parents[4] / "shared" / "data" / "catalogues"


def read(file: str, name: str) -> CatalogueRows:
    """Reads a file into the domain that is proposed for it."""
    path = FOLDER / file
    if not path.is_file():
        pytest.skip(f"{path} is not here")
    return CatalogueSource().read(path, propose_domain(name, open_records(path)).domain)


def rows_of(file: str) -> list[dict[str, str]]:
    with (FOLDER / file).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def links(item: ItemRow, kind: str) -> list[str]:
    return [link.name for link in item.links if link.kind == kind]


def seen(text: str) -> str:
    """A text with single spaces, letters in one piece and nothing hidden, as it is seen."""
    shown = unicodedata.normalize("NFC", text.translate({0xAD: None, 0x200C: None}))
    return " ".join(shown.split())


def plain(text: str) -> str:
    """A text without the spaces and signs around it that cleaning takes away."""
    return seen(text).strip(" ,;:")


def split(cell: str) -> list[str]:
    parts = re.split(r", (?!(?:Jr\.|III|IV)(?:,|$))", cell)  # "D. Brad Talton, Jr." is one designer
    return [plain(part) for part in parts if plain(part)]


def test_wines():
    found = read("winemag_5k.csv", "wines")
    report = found.report
    assert (report.read, report.dropped) == (5811, 1)
    told = {tuple(list(row.values())[1:]) for row in rows_of("winemag_5k.csv") if row["title"]}
    assert report.kept == len(found.items) == len(told)
    by_text = defaultdict(list)
    for item in found.items:
        by_text[item.name, item.properties["description"]].append(item)
    for row in rows_of("winemag_5k.csv"):
        if not row["title"]:
            continue
        text = seen(row["description"])
        fitting = [
            item
            for item in by_text[plain(row["title"]), text]
            if item.properties.get("price") == (float(row["price"]) if row["price"] else None)
            and item.properties["points"] == float(row["points"])
            and links(item, "winery") == [plain(row["winery"])]
            and links(item, "variety") == [plain(row["variety"])]
            and item.properties.get("designation", "") == " ".join(row["designation"].split())
        ]
        assert fitting, row
        places = [row[one] for one in ("country", "province", "region_1", "region_2") if row[one]]
        assert any(links(item, "place") == [plain(one) for one in places] for item in fitting)


def test_beers():
    found = read("beers.csv", "beers")
    rows = rows_of("beers.csv")
    assert (found.report.read, found.report.kept) == (2410, 2410)
    assert len({item.key for item in found.items}) == 2410
    for row, item in zip(rows, found.items, strict=True):
        told = item.properties
        assert item.name == plain(row["name"])
        assert told["id"] == row["id"] and told["brewery_id"] == row["brewery_id"]
        assert told.get("abv") == (pytest.approx(100 * float(row["abv"])) if row["abv"] else None)
        assert told.get("ibu") == (float(row["ibu"]) if row["ibu"] else None)
        assert told["ounces"] == float(row["ounces"])
        assert links(item, "style") == [plain(row["style"])] * bool(row["style"])


def test_board_games():
    found = read("bgg_db_1806.csv", "board-games")
    rows = rows_of("bgg_db_1806.csv")
    assert (found.report.read, found.report.kept) == (4998, 4998)
    for row, item in zip(rows, found.items, strict=True):
        assert item.properties["game_id"] == row["game_id"]
        for number in ("rank", "min_players", "num_votes", "avg_rating", "geek_rating"):
            assert item.properties[number] == float(row[number])
        for number in ("max_players", "avg_time", "min_time", "max_time", "age", "weight"):
            assert item.properties.get(number, 0) == float(row[number])  # a 0 is not known
        assert item.properties.get("year", 0) == int(row["year"])
        for kind in ("mechanic", "category", "designer"):
            missing = row[kind].strip().casefold() in ("none", "")
            assert links(item, kind) == ([] if missing else split(row[kind])), row["names"]


def test_books():
    found = read("goodbooks10k_books.csv", "novels")
    rows = rows_of("goodbooks10k_books.csv")
    assert (found.report.read, found.report.kept) == (10_000, 10_000)
    for row, item in zip(rows, found.items, strict=True):
        told = item.properties
        assert told.get("title", item.name) == plain(row["title"])
        assert links(item, "author") == split(row["authors"])
        year = row["original_publication_year"]
        assert told.get("year") == (int(float(year)) if year and float(year) else None)
        assert told["ratings_count"] == int(row["ratings_count"])
        assert told["average_rating"] == float(row["average_rating"])
        for column in ("isbn", "isbn13", "ratings_5", "image_url", "work_id"):
            assert told.get(column, "") == seen(row[column])


def test_drinks_of_mr_boston():
    found = read("boston_cocktails.csv", "drinks")
    rows = rows_of("boston_cocktails.csv")
    report = found.report
    assert (report.read, report.kept, report.merged, report.dropped) == (3643, 989, 2654, 0)
    told = defaultdict(list)
    for row in rows:
        told[row["name"]].append((plain(row["ingredient"]), " ".join(row["measure"].split())))
    kept = {item.name: item for item in found.items}
    assert len(kept) == 989
    for name, pairs in told.items():
        item = kept[plain(name)]
        mine = [(one.name, one.value) for one in item.links if one.kind == "ingredient"]
        assert {one for one, _ in mine} == {one for one, _ in pairs}
        assert set(mine) <= {(one, measure or None) for one, measure in pairs}


def test_drinks_of_the_iba():
    found = read("iba_recipes.json", "drinks")
    recipes = json.loads((FOLDER / "iba_recipes.json").read_text(encoding="utf-8"))
    assert (found.report.read, found.report.kept) == (77, 77)
    for recipe, item in zip(recipes, found.items, strict=True):
        assert item.name == plain(recipe["name"])
        assert links(item, "category") == ([recipe["category"]] if "category" in recipe else [])
        assert links(item, "glass") == [recipe["glass"]]
        mine = [link for link in item.links if link.kind == "ingredient"]
        assert len(mine) == len(recipe["ingredients"])
        for link, part in zip(mine, recipe["ingredients"], strict=True):
            if "ingredient" in part:
                assert link.name == plain(part["ingredient"])
                assert link.value == f"{part['amount']:g} {part['unit']}"
            else:
                assert link.name in part["special"]


def drinks_of(kind: str, file: str) -> CatalogueRows:
    """Reads drinks by the kind of their publisher."""
    path = FOLDER / file
    if not path.exists():
        pytest.skip(f"{path} is not here")
    found = open_source(kind).read(path, load_domain("cocktails"))
    assert isinstance(found, CatalogueRows)
    return found


def ingredients(item: ItemRow) -> list[tuple[str, str | None]]:
    return [(one.name, one.value) for one in item.links if one.kind == "ingredient"]


def test_drinks_of_bar_assistant_by_their_own_kind():
    found = drinks_of("barassistant", "bar-assistant")
    files = sorted((FOLDER / "bar-assistant" / "cocktails").glob("*/data.json"))
    told = {data["name"]: data for data in (json.loads(one.read_bytes()) for one in files)}
    assert found.report.read == found.report.kept == len(found.items) == len(files) == len(told)
    by_name = {item.name: item for item in found.items}
    for name, data in told.items():
        item = by_name[plain(name)]
        assert [one for one, _ in ingredients(item)] == [
            plain(part["name"]) for part in data["ingredients"]
        ]
        for (_, value), part in zip(ingredients(item), data["ingredients"], strict=True):
            assert value is not None
            if part["units"].casefold() == "topup":
                assert "top up" in value, name
            else:
                assert f"{part['amount']:g}" in value and part["units"] in value, name
            assert ("optional" in value) is bool(part["optional"]), name
        assert links(item, "glass") == [plain(data["glass"])] * bool(data.get("glass"))
        assert item.properties["method"] == data["method"]


def test_drinks_of_the_iba_by_their_own_kind():
    found = drinks_of("iba", "iba_recipes.json")
    recipes = json.loads((FOLDER / "iba_recipes.json").read_text(encoding="utf-8"))
    assert found.report.read == found.report.kept == len(found.items) == 77
    by_name = {item.name: item for item in found.items}
    for recipe in recipes:
        item = by_name[plain(recipe["name"])]
        assert links(item, "glass") == [recipe["glass"].replace("-", " ")]
        mine = ingredients(item)
        for part in recipe["ingredients"]:
            if "ingredient" in part:
                told = plain(part.get("label") or part["ingredient"])
                told_values = {value for name, value in mine if name in (told, part["ingredient"])}
                assert f"{part['amount']:g} {part['unit']}" in told_values, recipe["name"]


def is_the_same(mine: tuple[str, str], told: tuple[str, str]) -> bool:
    """The same amount of the same thing, as the drinks of one book share its spelling."""
    alike = SequenceMatcher(None, mine[0].casefold(), told[0].casefold()).ratio()
    return mine[1] == told[1] and alike > 0.9


def test_drinks_of_mr_boston_by_their_own_kind():
    found = drinks_of("mrboston", "boston_cocktails.csv")
    told = defaultdict(list)
    for row in rows_of("boston_cocktails.csv"):
        told[row["name"]].append((plain(row["ingredient"]), seen(row["measure"])))
    by_name = {item.name: item for item in found.items}
    merged = len(told) - len(found.items)
    lost = [name for name in told if plain(name) not in by_name]
    assert len(lost) == merged == 2  # the same drink with other full stops, told as merged
    assert sum(one.action == "merged" for one in found.report.problems) >= merged
    for name, pairs in told.items():
        if name not in lost:
            mine = [
                (one, amount)
                for one, value in ingredients(by_name[plain(name)])
                for amount in (value or "").split(" + ")  # named twice in one drink
            ]
            assert all(any(is_the_same(one, two) for one in mine) for two in pairs), name
            assert all(any(is_the_same(one, two) for two in pairs) for one in mine), name
