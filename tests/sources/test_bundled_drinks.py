"""The catalogue that ships with localrec, and its format."""

import json
from pathlib import Path

from localrec.domains import Domain
from localrec.paths import shipped
from localrec.sources import open_source
from localrec.types import ItemRow

NEGRONI = {
    "name": "Negroni",
    "category": "aperitif",
    "glass": "old fashioned glass",
    "alcoholic": "alcoholic",
    "ingredients": [
        {"name": "gin", "measure": "30 ml"},
        {"name": "campari", "measure": "30 ml"},
        {"name": "sweet vermouth", "measure": "30 ml"},
    ],
    "garnish": ["orange peel"],
    "instructions": "Stir over ice.",
    "description": "Bitter and round.",
    "look": {"colours": ["red", "amber"], "clarity": "clear", "layers": 2, "foam": "light"},
    "image_description": "A red drink over ice.",
}


def names_of(item: ItemRow, kind: str) -> list[str]:
    return [link.name for link in item.links if link.kind == kind]


def test_a_bundled_drink_links_to_its_looks_and_garnish(
    tmp_path: Path, drinks_domain: Domain
) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps(NEGRONI) + "\n")
    item = open_source("drinks").read(tmp_path, drinks_domain).items[0]
    assert names_of(item, "ingredient") == ["gin", "campari", "sweet vermouth"]
    assert names_of(item, "glass") == ["old fashioned glass"]
    assert names_of(item, "category") == ["aperitif"]
    assert names_of(item, "colour") == ["red", "amber"]
    assert names_of(item, "look") == ["clear", "layered", "foamy"]
    assert names_of(item, "garnish") == ["orange peel"]
    assert item.properties["strength"] == 22.5
    assert item.properties["ingredient_count"] == 3
    assert item.properties["description_source"] == "source"


def test_a_still_drink_without_layers_is_neither_foamy_nor_layered(
    tmp_path: Path, drinks_domain: Domain
) -> None:
    look = NEGRONI["look"] | {"layers": 1, "foam": "none", "clarity": "opaque"}
    (tmp_path / "a.jsonl").write_text(json.dumps(NEGRONI | {"look": look}))
    item = open_source("drinks").read(tmp_path, drinks_domain).items[0]
    assert names_of(item, "look") == ["opaque"]


def test_a_drink_in_two_files_keeps_its_first_recipe(tmp_path: Path, drinks_domain: Domain) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps(NEGRONI))
    (tmp_path / "b.jsonl").write_text(json.dumps(NEGRONI | {"glass": "mug"}))
    table = open_source("drinks").read(tmp_path, drinks_domain)
    assert names_of(table.items[0], "glass") == ["old fashioned glass"]
    assert (table.report.read, table.report.kept, table.report.merged) == (2, 1, 1)


def test_the_shipped_catalogue_is_read_whole(drinks_domain: Domain) -> None:
    folder = shipped("datasets") / "cocktails" / "drinks"
    table = open_source("drinks").read(folder, drinks_domain)
    lines = sum(len(file.read_text("utf-8").splitlines()) for file in folder.glob("*.jsonl"))
    assert table.report.read == lines > 0
    assert table.report.dropped == 0
    assert all(names_of(item, "colour") and names_of(item, "glass") for item in table.items)
