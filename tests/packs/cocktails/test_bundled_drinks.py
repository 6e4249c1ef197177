"""The catalogue that ships with localrec, and its format."""

import json
from pathlib import Path

import pytest

from localrec.data.domains import Domain
from localrec.data.rows import ItemRow
from localrec.foundation.errors import InputError
from localrec.foundation.paths import shipped
from localrec.sources import open_source

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


def line(**changes: object) -> bytes:
    return (json.dumps({**NEGRONI, **changes}) + "\n").encode()


NAME_JSON = "Name the JSON file as it was exported or downloaded."
REFUSED = {
    "an empty file": (b"", "{path} is empty. Export it again."),
    "no JSON": (
        b"Negroni\n",
        "{path}, line 1: this is no drink: JSON is malformed: invalid character (byte 0). "
        "Mend the line.",
    ),
    "a list": (
        b"[1]\n",
        "{path}, line 1: this is no drink: Expected `object`, got `array`. Mend the line.",
    ),
    "a truncated line": (
        line() + line()[:40],
        "{path}, line 2: this is no drink: Input data was truncated. Mend the line.",
    ),
    "a field too many, with an escape in its name": (
        line(**{"\x1b[31mrating": 11}),
        "{path}, line 1: this is no drink: Object contains unknown field `rating`. Mend the line.",
    ),
    "a field too few": (
        b'{"name": "Negroni"}\n',
        "{path}, line 1: this is no drink: Object missing required field `category`. "
        "Mend the line.",
    ),
    "a number for a list": (
        line(garnish=3),
        "{path}, line 1: this is no drink: Expected `array`, got `int` - at `$.garnish`. "
        "Mend the line.",
    ),
    "an unknown strength": (
        line(alcoholic="maybe"),
        "{path}, line 1: this is no drink: Invalid enum value 'maybe' - at `$.alcoholic`. "
        "Mend the line.",
    ),
    "NUL inside": (
        line()[:20] + b"\0" + line()[20:],
        "{path}, line 1: this is no drink: JSON is malformed: object keys must be strings "
        "(byte 20). Mend the line.",
    ),
    "a zip archive": (
        b"PK\x03\x04\x14\0",
        f"{{path}} is a zip archive, not lines of JSON. {NAME_JSON}",
    ),
    "a pickle": (b"\x80\x04\x95a", f"{{path}} is a Python pickle, not lines of JSON. {NAME_JSON}"),
    "a web page": (b"<!DOCTYPE html>", f"{{path}} is a web page, not lines of JSON. {NAME_JSON}"),
    "nothing but a drink without a name": (
        line(name="\x1b[2J"),
        "{path} holds no drinks that can be kept: row 1 has no name. "
        "Name a folder with *.jsonl files; each drink needs a name.",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_bad_file_of_drinks_is_refused_with_its_message(
    tmp_path: Path, drinks_domain: Domain, case: str
) -> None:
    content, message = REFUSED[case]
    path = tmp_path / "own.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError) as refused:
        open_source("drinks").read(path, drinks_domain)
    assert str(refused.value) == message.format(path=path)


COSTS_A_ROW = {
    "no name": (line(name=" "), ["2 name dropped: has no name"]),
    "the same drink": (line(), ["2 name merged: (Negroni) is already there"]),
    "the same drink with an escape": (
        line(name="Negroni\x1b[31m\u202e"),
        ["2 name merged: (Negroni) is already there"],
    ),
    "a formula": (line(name="=1+1"), []),
}


@pytest.mark.parametrize("case", COSTS_A_ROW)
def test_a_bad_drink_costs_its_own_line(tmp_path: Path, drinks_domain: Domain, case: str) -> None:
    bad, expected = COSTS_A_ROW[case]
    path = tmp_path / "own.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + line() + bad)
    report = open_source("drinks").read(path, drinks_domain).report
    told = [f"{one.row} {one.column} {one.action}: {one.problem}" for one in report.problems]
    assert told == expected
    assert report.read == report.kept + report.merged + report.dropped == 2
