"""Drinks of Bar Assistant, of the IBA and of Mr. Boston, made up and as they are published."""

from __future__ import annotations

import csv
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from localrec.data.domains import Domain
from localrec.data.rows import ItemRow
from localrec.foundation.errors import InputError
from localrec.packs.cocktails.bar_assistant import BarAssistantSource
from localrec.packs.cocktails.iba_recipes import IbaSource
from localrec.packs.cocktails.mr_boston import MrBostonSource

PUBLIC = Path(__file__).resolve().parents[4] / "shared" / "data" / "catalogues"
ZOMBIE = {
    "_id": "zombie",
    "name": "Zombie",
    "instructions": "Blend.",
    "description": "Strong.",
    "garnish": "Mint leaves",
    "abv": 23.5,
    "tags": ["Tiki", "IBA Cocktail"],
    "glass": "Hurricane",
    "method": "Blend",
    "ingredients": [
        {"_id": "rum", "name": "Dark rum", "amount": 45, "units": "ml"},
        {"_id": "lime", "name": "Lime juice", "amount": 20, "amount_max": 30, "units": "ml"},
        {"_id": "mint", "name": "Mint", "amount": 1, "units": "sprig", "optional": True},
        {"_id": "soda", "name": "Soda water", "amount": 1, "units": "Topup"},
    ],
}


def ingredients(item: ItemRow) -> list[tuple[str, str | None]]:
    return [(link.name, link.value) for link in item.links if link.kind == "ingredient"]


def names(item: ItemRow, kind: str) -> list[str]:
    return [link.name for link in item.links if link.kind == kind]


def public(name: str) -> Path:
    if not (PUBLIC / name).exists():
        pytest.skip(f"{name} is not here")
    return PUBLIC / name


def save(path: Path, told: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(told), encoding="utf-8")
    return path


def test_a_data_pack_keeps_measures_tags_strength_and_garnish(
    tmp_path: Path, drinks_domain: Domain
) -> None:
    save(tmp_path / "pack" / "cocktails" / "zombie" / "data.json", ZOMBIE)
    save(tmp_path / "pack" / "base_glasses.json", [{"name": "Coupe"}])
    (item,) = BarAssistantSource().read(tmp_path / "pack", drinks_domain).items
    assert ingredients(item) == [
        ("Dark rum", "45 ml"),
        ("Lime juice", "20-30 ml"),
        ("Mint", "1 sprig (optional)"),
        ("Soda water", "top up"),
    ]
    assert names(item, "category") == ["Tiki", "IBA Cocktail"]
    assert names(item, "glass") == ["Hurricane"]
    told = item.properties
    assert (told["strength"], told["method"], told["description"]) == (23.5, "Blend", "Strong.")
    assert told["instructions"] == "Blend. Garnish: Mint leaves."


def test_a_folder_an_archive_a_list_and_a_drink_by_itself_say_the_same(
    tmp_path: Path, drinks_domain: Domain
) -> None:
    folder = tmp_path / "pack"
    file = save(folder / "cocktails" / "zombie" / "data.json", ZOMBIE)
    archive = tmp_path / "pack.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.write(file, "cocktails/zombie/data.json")
        packed.writestr("ingredients/rum/data.json", json.dumps({"name": "Dark rum"}))
    listed = save(tmp_path / "list.json", [ZOMBIE])
    told = [
        BarAssistantSource().read(path, drinks_domain).items
        for path in (folder, archive, listed, file)
    ]
    assert told[0] == told[1] == told[2] == told[3]


def test_an_exported_drink_names_its_ingredients_apart(
    tmp_path: Path, drinks_domain: Domain
) -> None:
    recipe = {**ZOMBIE, "ingredients": [{"_id": "rum", "amount": 45.5, "units": "ml"}]}
    told = {"recipe": recipe, "ingredients": [{"_id": "rum", "name": "Dark rum"}]}
    path = save(tmp_path / "zombie.json", told)
    (item,) = BarAssistantSource().read(path, drinks_domain).items
    assert ingredients(item) == [("Dark rum", "45.5 ml")]


def test_drinks_without_name_or_ingredient_and_impossible_strengths_are_told(
    tmp_path: Path, drinks_domain: Domain
) -> None:
    told = [{**ZOMBIE, "abv": 400}, {**ZOMBIE, "name": "\x1b[2J"}, {**ZOMBIE, "ingredients": 3}]
    path = save(tmp_path / "list.json", told)
    report = BarAssistantSource().read(path, drinks_domain).report
    assert (report.read, report.kept, report.dropped) == (3, 1, 2)
    assert [(one.row, one.column, one.action) for one in report.problems] == [
        (1, "abv", "repaired"),
        (2, "name", "dropped"),
        (3, "ingredients", "dropped"),
    ]


def test_entities_in_names_are_letters_and_bring_no_control_character(
    tmp_path: Path, drinks_domain: Domain
) -> None:
    drink = ZOMBIE | {"name": "Dark &#039;n&#27;[31m Stormy", "instructions": "Lime &amp; ginger."}
    [item] = BarAssistantSource().read(save(tmp_path / "one.json", drink), drinks_domain).items
    assert item.name == "Dark 'n[31m Stormy"
    assert item.key == "dark-n-31m-stormy"
    assert item.properties["instructions"].startswith("Lime & ginger.")


def test_a_drink_of_a_pack_that_cannot_be_read_costs_no_other(
    tmp_path: Path, drinks_domain: Domain
) -> None:
    for place, text in enumerate((json.dumps(ZOMBIE), json.dumps(ZOMBIE)[:-9], "null", "[3]")):
        file = tmp_path / "pack" / "cocktails" / f"{place}-drink" / "data.json"
        file.parent.mkdir(parents=True)
        file.write_text(text)
    found = BarAssistantSource().read(tmp_path / "pack", drinks_domain)
    assert [item.name for item in found.items] == ["Zombie"]
    assert [(one.row, one.action) for one in found.report.problems] == [
        (2, "dropped"),
        (3, "dropped"),
        (4, "dropped"),
    ]
    assert "cut off" in found.report.problems[0].problem


def test_one_file_that_is_cut_off_is_refused(tmp_path: Path, drinks_domain: Domain) -> None:
    path = tmp_path / "zombie.json"
    path.write_text(json.dumps(ZOMBIE)[:-9])
    with pytest.raises(InputError, match="cut off"):
        BarAssistantSource().read(path, drinks_domain)


def test_an_ingredient_without_a_name_is_told(tmp_path: Path, drinks_domain: Domain) -> None:
    gin = {"name": "Gin", "amount": 45, "units": "ml"}
    told = [ZOMBIE | {"ingredients": [gin, {"amount": 2, "units": "ml"}]}]
    mixed = [{"name": "Gimlet", "glass": "coupe", "preparation": "Stir.", "ingredients": [
        {"ingredient": "Gin", "amount": 45, "unit": "ml"}, {"amount": 2, "unit": "ml"},
    ]}]  # fmt: skip
    bar = BarAssistantSource().read(save(tmp_path / "bar.json", told), drinks_domain)
    iba = IbaSource().read(save(tmp_path / "iba.json", mixed), drinks_domain)
    for found in (bar, iba):
        assert ingredients(found.items[0]) == [("Gin", "45 ml")]
        assert [(one.action, one.problem) for one in found.report.problems] == [
            ("repaired", "1 ingredient without a name left out")
        ]


def test_the_public_data_pack_comes_in_whole(drinks_domain: Domain) -> None:
    folder = public("bar-assistant")
    items = {item.name: item for item in BarAssistantSource().read(folder, drinks_domain).items}
    files = sorted(folder.glob("cocktails/*/data.json"))
    assert len(items) == len(files) > 100
    for file in files:
        told = json.loads(file.read_bytes())
        item = items[" ".join(told["name"].split())]
        assert {name.casefold() for name, _ in ingredients(item)} == {
            one["name"].casefold() for one in told["ingredients"]
        }
        for one in told["ingredients"]:
            if one["units"] == "ml" and not one["amount_max"]:
                values = [value for name, value in ingredients(item) if value]
                assert any(f"{one['amount']:g} ml" in value for value in values)
        assert {*map(str.casefold, names(item, "category"))} == {*map(str.casefold, told["tags"])}
        assert item.properties["strength"] == told["abv"]


@pytest.mark.parametrize(
    ("told", "name", "measure"),
    [
        ({"unit": "cl", "amount": 1.5, "ingredient": "Vodka"}, "Vodka", "1.5 cl"),
        (
            {"unit": "cl", "amount": 3, "ingredient": "Gin", "label": "Old Tom Gin"},
            "Old Tom Gin",
            "3 cl",
        ),
        (
            {"special": "2 to 3 dashes of Worcestershire Sauce"},
            "Worcestershire Sauce",
            "2 to 3 dashes",
        ),
        ({"special": "3 dashes Orange Bitters"}, "Orange Bitters", "3 dashes"),
        ({"special": "Top with Prosecco"}, "Prosecco", "Top with"),
        ({"special": "1 raw egg white (small egg)"}, "raw egg white", "1 (small egg)"),
        ({"special": "Celery salt"}, "Celery salt", None),
        ({"special": "half fresh lime cut into 4 wedges"}, "fresh lime", "half"),
    ],
)
def test_an_ingredient_of_the_iba_is_parted_into_name_and_measure(
    tmp_path: Path, drinks_domain: Domain, told: dict[str, Any], name: str, measure: str | None
) -> None:
    drink = {"name": "Fizz", "glass": "martini", "ingredients": [told], "preparation": "Shake."}
    (item,) = IbaSource().read(save(tmp_path / "a.json", [drink]), drinks_domain).items
    assert ingredients(item) == [(name, measure)]


def test_the_public_recipes_of_the_iba_come_in_whole(drinks_domain: Domain) -> None:
    path = public("iba_recipes.json")
    found = IbaSource().read(path, drinks_domain)
    told = json.loads(path.read_bytes())
    assert [item.name for item in found.items] == [one["name"] for one in told]
    for item, one in zip(found.items, told, strict=True):
        assert len(ingredients(item)) == len(one["ingredients"])
        assert str(item.properties["instructions"]).startswith(
            " ".join(one.get("preparation", "").split())
        )


def test_rows_of_mr_boston_gather_in_the_order_of_their_numbers(
    tmp_path: Path, drinks_domain: Domain
) -> None:
    rows = "X,Gin,1,2,Lime,1 oz\nX,Gin,1,1,Gin,2 oz\n,Gin,2,1,Gin,1 oz\nY,Gin,3,1,,1 oz\n"
    path = tmp_path / "a.csv"
    path.write_text(f"name,category,row_id,ingredient_number,ingredient,measure\n{rows}")
    found = MrBostonSource().read(path, drinks_domain)
    assert ingredients(found.items[0]) == [("Gin", "2 oz"), ("Lime", "1 oz")]
    report = found.report
    assert (report.read, report.kept, report.merged, report.dropped) == (4, 1, 1, 2)


def test_the_wide_layout_of_mr_boston_says_the_same_as_the_long_one(
    tmp_path: Path, drinks_domain: Domain
) -> None:
    wide, long = tmp_path / "wide.csv", tmp_path / "long.csv"
    wide.write_text(
        "name,category,measure-1,ingredient-1,measure-2,ingredient-2,instructions,glass\n"
        "X,Gin,2 oz,Gin,1 oz,Lime,Shake it.,Coupe\n"
    )
    long.write_text(
        "name,category,row_id,ingredient_number,ingredient,measure\n"
        "X,Gin,1,1,Gin,2 oz\nX,Gin,1,2,Lime,1 oz\n"
    )
    (flat,), (gathered,) = (MrBostonSource().read(one, drinks_domain).items for one in (wide, long))
    assert ingredients(flat) == ingredients(gathered)
    assert names(flat, "glass") == ["Coupe"]
    assert flat.properties["instructions"] == "Shake it."


def test_the_public_drinks_of_mr_boston_come_in_whole(drinks_domain: Domain) -> None:
    path = public("boston_cocktails.csv")
    found = MrBostonSource().read(path, drinks_domain)
    told: dict[str, list[tuple[str, str]]] = {}
    with path.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            told.setdefault(row["row_id"], []).append((row["name"], row["ingredient"]))
    apart = {
        (rows[0][0].casefold(), tuple(sorted(name for _, name in rows))) for rows in told.values()
    }
    assert found.report.read == sum(map(len, told.values()))
    assert found.report.kept + found.report.merged == found.report.read
    assert len(found.items) >= len(apart) - 4  # "X.Y.Z. Cocktail" is "X. Y. Z. Cocktail"
