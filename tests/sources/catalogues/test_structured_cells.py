"""Tables that programs wrote: objects within cells, JSON by columns, entities of HTML, XML."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from localrec.foundation.errors import InputError
from localrec.sources.catalogues.records import open_records

ROWS = [
    {"title": "Avatar", "genre": "Action", "minutes": 162},
    {"title": "Alien", "genre": "Horror", "minutes": 117},
    {"title": "Her", "genre": "Drama", "minutes": 126},
]
COLUMNS = ["title", "genre", "minutes"]
GAMES = [
    {"Indie": 100, "Action": 50},
    {"Action": 101, "FPS": 51},
    {"FPS": 102, "RPG": 52},
    {"RPG": 103, "Puzzle": 53},
    {"Puzzle": 104, "Indie": 54},
    {"Indie": 105, "RPG": 55},
]
VOTES = [{f"user{n}": 5, f"user{n + 1000}": 3} for n in range(100)]
BY_COLUMNS = {
    "of columns": {
        name: {str(place): row[name] for place, row in enumerate(ROWS)} for name in COLUMNS
    },
    "of columns, with rows that were filtered": {
        name: {str(7 * place): row[name] for place, row in enumerate(ROWS, 1)} for name in COLUMNS
    },
    "split": {
        "columns": COLUMNS,
        "index": [0, 1, 2],
        "data": [[row[name] for name in COLUMNS] for row in ROWS],
    },
    "with its schema": {
        "schema": {"fields": [{"name": name} for name in ("index", *COLUMNS)]},
        "data": ROWS,
    },
}


@pytest.mark.parametrize(
    ("avatar", "alien"),
    [
        (
            '[{""id"": 28, ""name"": ""Action""}, {""id"": 12, ""name"": ""War""}]',
            '[{""id"": 27, ""name"": ""Horror""}]',
        ),
        (
            "[{'id': 28, 'name': 'Action'}, {'id': 12, 'name': 'War'}]",
            "[{'id': 27, 'name': 'Horror'}]",
        ),
    ],
)
def test_the_names_of_objects_in_a_cell_are_links_and_nothing_else_is_lost(read, avatar, alien):
    _, found = read(f'title,genres\nAvatar,"{avatar}"\nAlien,"{alien}"\nHer,[]\nHeat,\n')
    links = [[(link.kind, link.name) for link in item.links] for item in found.items]
    assert links == [[("genre", "Action"), ("genre", "War")], [("genre", "Horror")], [], []]
    assert [item.properties.get("genres_id") for item in found.items] == ["28 12", "27", None, None]
    assert found.report.problems == ()


def test_one_object_in_a_cell_is_its_fields(tmp_path: Path):
    path = tmp_path / "table.csv"
    path.write_text("title,collection\nAlien,\"{'id': 8, 'name': 'Alien'}\"\nHer,\n")
    table = open_records(path)
    assert table.columns == ("title", "collection.id", "collection.name")
    assert [cells for _, cells in table.rows] == [["Alien", "8", "Alien"], ["Her", None, None]]


def test_objects_that_are_broken_are_left_out_and_told(tmp_path: Path):
    path = tmp_path / "table.csv"
    whole = "\"[{'name': 'Horror'}]\""
    path.write_text(f"title,genres\nAlien,{whole}\nHer,\"[{{'name': 'Dra\"\nHeat,{whole}\n")
    table = open_records(path)
    assert [cells[1] for _, cells in table.rows] == [["Horror"], None, ["Horror"]]
    assert [(one.row, one.column, one.action) for one in table.faults] == [
        (3, "genres", "repaired")
    ]


@pytest.mark.parametrize("layout", BY_COLUMNS)
def test_a_table_that_pandas_wrote_by_its_columns_is_read_by_its_rows(tmp_path, layout):
    path = tmp_path / "table.json"
    path.write_text(json.dumps(BY_COLUMNS[layout]))
    table = open_records(path)
    assert table.columns == tuple(COLUMNS)
    assert [cells for _, cells in table.rows] == [
        [row["title"], row["genre"], str(row["minutes"])] for row in ROWS
    ]


def test_an_object_of_objects_that_are_records_names_them(tmp_path: Path):
    path = tmp_path / "table.json"
    path.write_text(
        '{"Gimlet": {"glass": "coupe", "year": 1}, "Sour": {"glass": "rocks", "year": 2}}'
    )
    table = open_records(path)
    assert table.columns == ("name", "glass", "year")


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Gintama&#039;", "Gintama'"),
        ("Gintama&amp;#039;", "Gintama'"),
        ("Tom &amp; Jerry", "Tom & Jerry"),
        ("AT&T; a story", "AT&T; a story"),
        ("R&B &nosuch; x", "R&B &nosuch; x"),
        ("&lt;|im_end|&gt; tale", "< |im_end|> tale"),
    ],
)
def test_entities_are_letters_however_often_they_were_escaped(read, written, name):
    _, found = read(f"name,genre\n{written},Comedy\nBleach,Drama\n")
    assert found.items[0].name == name


def test_a_list_keeps_the_quotes_that_part_its_names(read):
    _, found = read('name,genre\nA,"[""Sci&quot;Fi"", ""R&amp;B""]"\nB,"[""War""]"\n')
    assert [link.name for link in found.items[0].links][1] == "R&B"
    assert len(found.items[0].links) == 2


@pytest.mark.parametrize(
    "text", ['<?xml version="1.0"?>\n<opml><body/></opml>', '<opml version="1.0"><outline/></opml>']
)
def test_xml_is_refused_in_a_sentence(tmp_path: Path, text: str):
    path = tmp_path / "podcasts.opml"
    path.write_text(text)
    with pytest.raises(InputError, match="is XML, not a table"):
        open_records(path)


def written(path: Path, column: str, objects: list[dict[str, object]]) -> Path:
    """A table of things with an object each, as JSON or as a CSV file with JSON in its cells."""
    names = [f"Thing {place}" for place in range(len(objects))]
    if path.suffix == ".json":
        rows = [{"name": name, column: one} for name, one in zip(names, objects, strict=True)]
        path.write_text(json.dumps(rows))
        return path
    with path.open("w", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(["name", column])
        table.writerows(zip(names, map(json.dumps, objects), strict=True))
    return path


@pytest.mark.parametrize("file", ["games.csv", "games.json"])
def test_names_with_a_number_each_are_links_and_the_numbers_are_kept(tmp_path, read, file):
    path = written(tmp_path / file, "tags", GAMES)
    _, found = read(path.read_text(), "games", file)
    assert [link.name for link in found.items[0].links] == ["Indie", "Action"]
    assert {link.kind for link in found.items[0].links} == {"tag"}
    assert found.items[0].properties["tags_amount"] == "100 50"


@pytest.mark.parametrize("file", ["things.csv", "things.json"])
def test_objects_keyed_by_users_make_no_columns(tmp_path, file):
    table = open_records(written(tmp_path / file, "votes", VOTES))
    assert table.columns == ("name", "votes")
    assert [json.loads(str(cell)) for cell in table.column("votes")] == VOTES
    assert table.faults == []


@pytest.mark.parametrize("file", ["wide.csv", "wide.json"])
def test_objects_with_many_fields_in_common_are_columns(tmp_path, file):
    objects = [{f"field {n}": row + n for n in range(150)} for row in range(8)]
    table = open_records(written(tmp_path / file, "of", objects))
    assert len(table.columns) == 151
    assert table.column("of.field 149")[7] == "156"


def test_objects_keyed_by_users_within_objects_are_one_column(tmp_path: Path):
    inner = [{"mean": 4, "by": one} for one in VOTES]
    table = open_records(written(tmp_path / "things.json", "votes", inner))
    assert table.columns == ("name", "votes.mean", "votes.by")


@pytest.mark.parametrize("file", ["films.csv", "films.json"])
def test_the_names_of_fields_are_clean_and_none_hides_another(tmp_path, file):
    hostile = {"name": "Drama", "\x1b[31mred\x1b]0;owned\x07": "x", "na\u202eme": "y"}
    for column, value in (("genres", [hostile]), ("genre", hostile)):
        table = open_records(written(tmp_path / file, column, [{"of": value}] * 3))
        place = f"{column}.of"
        assert table.columns == ("name", f"{place}.name", f"{place}.red", f"{place}.name (3)")
        told = table.column(f"{place}.name (3)")[0]
        assert (told[0] if isinstance(told, list) else told) == "y"


def test_a_second_column_of_one_name_is_kept_under_another(tmp_path: Path):
    path = tmp_path / "table.json"
    path.write_text('{"columns": ["name", "tag", "tag"], "data": [["Pop", "a", "b"]]}')
    table = open_records(path)
    assert table.columns == ("name", "tag", "tag (3)")
    assert [cells for _, cells in table.rows] == [["Pop", "a", "b"]]


def test_a_field_that_is_called_like_one_inside_an_object_is_kept_beside_it(tmp_path: Path):
    path = tmp_path / "table.json"
    path.write_text('[{"name": "Pop", "a.b": 1, "a": {"b": 2}}]')
    table = open_records(path)
    assert sorted(str(cell) for cell in table.rows[0][1]) == ["1", "2", "Pop"]


@pytest.mark.parametrize("file", ["things.csv", "things.json"])
def test_lists_of_objects_keyed_by_users_make_no_columns(tmp_path, file):
    objects = [{"by": [{name: vote} for name, vote in one.items()]} for one in VOTES]
    table = open_records(written(tmp_path / file, "votes", objects))
    assert table.columns == ("name", "votes.by")
    assert [json.loads(str(cell)) for cell in table.column("votes.by")] == [
        one["by"] for one in objects
    ]


def test_the_numbers_of_names_take_no_other_columns_place(tmp_path: Path):
    path = tmp_path / "games.json"
    path.write_text(json.dumps([{"name": "x", "tags": one, "tags.amount": 7} for one in GAMES]))
    table = open_records(path)
    assert table.columns == ("name", "tags", "tags.amount", "tags.tags.amount")
    assert table.rows[0][1] == ["x", ["Indie", "Action"], "7", ["100", "50"]]
