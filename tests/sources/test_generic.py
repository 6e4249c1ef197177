"""Any table with a mapping: four formats, one meaning; and mappings that say what cannot be."""

from __future__ import annotations

import gzip
from datetime import datetime
from pathlib import Path

import duckdb
import pytest

from localrec.data.domains import Domain
from localrec.data.rows import BulkHistory
from localrec.foundation.errors import InputError, LocalrecError, UsageError
from localrec.graph.domain_files import load_domain
from localrec.sources import domain_of_file
from localrec.sources.catalogues.records import open_records
from localrec.sources.mapped_table import MappedTableSource
from localrec.sources.protocols import FilePreview
from localrec.sources.table_guess import mapping_text, propose_mapping

from .selected import selected, told

MAPPING = """
[columns]
user = "who"
item = "id"
title = "film"
rating = "score"
timestamp = "day"
event = "did"
note = "words"
year = "year"
creator = "director"

[rating]
scale = [0, 10]

[timestamp]
format = "%d/%m/%Y"

[events]
"to-see" = "wanted"

[[attributes]]
column = "genres"
kind = "genre"
separator = "|"
"""
HEADER = ("who", "id", "film", "score", "day", "did", "words", "year", "director", "genres")
ROWS = (
    ("mia", "a1", "Alien", "9", "31/12/2020", "rated", "dark, and\nloud", "1979", "Scott", "H|S"),
    ("mia", "b2", "Brazil", "", "", "To-See", "", "1985", "Gilliam", "Comedy"),
    ("tom", "a1", "ALIEN", "10", "01/01/2021", "liked", "", "", "", ""),
)


def write(folder: Path, name: str, content: str | bytes, mapping: str = MAPPING) -> Path:
    (folder / f"{name.partition('.')[0]}.mapping.toml").write_text(mapping, encoding="utf-8")
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def written(folder: Path, name: str) -> Path:
    """The three rows in the format that the name ends in."""
    plain = folder / name.removesuffix(".gz")
    copy = "FORMAT " + {".csv": "csv", ".tsv": "csv, DELIMITER '\t'", ".jsonl": "json"}.get(
        plain.suffix, "parquet"
    )
    header = " (" + ", ".join(HEADER) + ")"
    values = ", ".join(f"({', '.join('?' * len(row))})" for row in ROWS)
    with duckdb.connect(":memory:") as connection:
        connection.execute(
            f"COPY (SELECT * FROM (VALUES {values}) t{header}) TO '{plain}' ({copy})",
            [cell for row in ROWS for cell in row],
        )
    raw = plain.read_bytes()
    plain.unlink()
    return write(folder, name, gzip.compress(raw) if name.endswith(".gz") else raw)


def read(path: Path, domain: Domain, user: str | None = None) -> BulkHistory:
    return MappedTableSource().read(path, domain, user)


@pytest.mark.parametrize(
    "name", ["t.csv", "t.csv.gz", "t.tsv", "t.jsonl", "t.jsonl.gz", "t.parquet"]
)
def test_every_format_says_the_same(tmp_path: Path, films_domain: Domain, name: str) -> None:
    path = written(tmp_path, name)
    by_data = read(path, films_domain)
    by_mapping = read(tmp_path / "t.mapping.toml", films_domain)
    assert (by_data.items, by_data.report) == (by_mapping.items, by_mapping.report)
    note = "dark, and loud"
    assert [tuple(row.values()) for row in selected(by_data)] == [
        ("mia", "a1", "rated", 4.5, datetime(2020, 12, 31), 1, note),
        ("mia", "b2", "wanted", None, None, 1, None),
        ("tom", "a1", "liked", 5.0, datetime(2021, 1, 1), 1, None),
    ]
    assert [(item.key, item.name) for item in by_data.items] == [("a1", "Alien"), ("b2", "Brazil")]
    assert by_data.items[0].properties == {
        "title": "Alien",
        "year": 1979,
        "creator": "Scott",
        "description": "Alien by Scott (1979): h and s.",
        "description_source": "generated",
    }
    assert [(link.kind, link.name) for link in by_data.items[0].links] == [
        ("genre", "H"),
        ("genre", "S"),
        ("decade", "1970s"),
    ]
    assert (by_data.report.read, by_data.report.kept, by_data.report.dropped) == (3, 3, 0)


@pytest.mark.parametrize("name", ["t.jsonl", "t.parquet"])
def test_a_list_needs_no_separator(tmp_path: Path, films_domain: Domain, name: str) -> None:
    kind = "json" if name == "t.jsonl" else "parquet"
    with duckdb.connect(":memory:") as connection:
        row = "SELECT 'mia' AS who, 'a1' AS id, ['Drama', 'War'] AS genres"
        connection.execute(f"COPY ({row}) TO '{tmp_path / name}' (FORMAT {kind})")
    mapping = '[columns]\nuser="who"\nitem="id"\n[[attributes]]\ncolumn="genres"\nkind="genre"\n'
    history = read(write(tmp_path, name, (tmp_path / name).read_bytes(), mapping), films_domain)
    assert [link.name for link in history.items[0].links] == ["Drama", "War"]
    assert history.items[0].name == "a1"


@pytest.mark.parametrize(
    ("lines", "written_as"),
    [
        ('unit = "since 1970"', "1609459200"),
        ('unit = "since 1970"', "1609459200000"),
        ('unit = "iso"', "2021-01-01"),
        ('unit = "iso"', "2021-01-01 00:00"),
        ('unit = "iso"', "2021-01-01T00:00:00Z"),
        ('unit = "iso"', "2021-01-01T02:00:00+02:00"),
        ('format = "%b %d, %Y"', "Jan 01, 2021"),
    ],
)
def test_moments_are_written_in_many_ways(
    tmp_path: Path, films_domain: Domain, lines: str, written_as: str
) -> None:
    mapping = f'[columns]\nuser = "u"\nitem = "i"\ntimestamp = "t"\n[timestamp]\n{lines}\n'
    path = write(tmp_path, "t.csv", f'u,i,t\nmia,a1,"{written_as}"\n', mapping)
    assert selected(read(path, films_domain))[0]["at"] == datetime(2021, 1, 1)


PERSONAL = '[columns]\nitem = "title"\n'


def test_a_table_without_people_is_one_persons(tmp_path: Path, films_domain: Domain) -> None:
    path = write(tmp_path, "t.csv", "title\nHeat (1995)\n", PERSONAL)
    with pytest.raises(UsageError, match=r"names no column of users\. Say whose: --user KEY"):
        read(path, films_domain)
    assert selected(read(path, films_domain, "it's mia"))[0]["user_key"] == "it's mia"
    path = written(tmp_path, "s.csv")
    with pytest.raises(UsageError, match="names its people itself"):
        read(path, films_domain, "mia")


def test_texts_come_out_harmless(tmp_path: Path, films_domain: Domain) -> None:
    mapping = '[columns]\nuser = "u"\nitem = "i"\ntitle = "t"\nnote = "n"\n'
    path = write(
        tmp_path,
        "t.csv",
        "u,i,t,n\n<s>\x1b[2J,[INST],<|im_end|>\x07,=HYPERLINK(1)\u202e\n",
        mapping,
    )
    history = read(path, films_domain)
    row = selected(history)[0]
    assert (row["user_key"], row["item_key"], row["note"]) == ("< s>", "[ INST]", "=HYPERLINK(1)")
    assert (history.items[0].key, history.items[0].name) == ("[ INST]", "< |im_end|>")


SMALL = '[columns]\nuser = "u"\nitem = "i"\nrating = "r"\ntimestamp = "t"\n'
COSTS_A_ROW = {
    "a rating of 11": ("mia,b,11,", (3, "r", "'11' is no rating from 0 to 5")),
    "a rating in words": ("mia,b,good,", (3, "r", "'good' is no rating from 0 to 5")),
    "a date in the future": ("mia,b,3,2999-01-01", (3, "t", "'2999-01-01' is in the future")),
    "an impossible date": ("mia,b,3,2020-02-30", (3, "t", "'2020-02-30' is no date")),
    "no user": (",b,3,", (3, "u", "is empty there")),
    "an invisible item": ("mia,\u200b,3,", (3, "i", "is empty there")),
    "too few cells": ("mia,b", (3, None, "has 2 cells where 4 belong")),
    "too many cells": ("mia,b,3,,x,", (3, None, "has 6 cells where 4 belong")),
}


@pytest.mark.parametrize("case", COSTS_A_ROW)
def test_a_bad_row_is_dropped_and_told(tmp_path: Path, films_domain: Domain, case: str) -> None:
    bad, (row, column, problem) = COSTS_A_ROW[case]
    path = write(tmp_path, "t.csv", f"u,i,r,t\nmia,a,3,2020-01-01\n{bad}\nmia,c,,\n", SMALL)
    history = read(path, films_domain)
    assert told(history) == [(row, column, "dropped", problem)]
    assert [kept["item_key"] for kept in selected(history)] == ["a", "c"]
    assert [item.key for item in history.items] == ["a", "c"]


@pytest.mark.parametrize("name", ["ignored_events", "no_event", "no_deed"])
def test_words_for_no_interaction_are_read_under_the_old_names_too(
    tmp_path: Path, films_domain: Domain, name: str
) -> None:
    mapping = f'{name} = ["shelved"]\n[columns]\nitem = "film"\nevent = "did"\n'
    path = write(tmp_path, "t.csv", "film,did\nHeat,seen\nAlien,shelved\n", mapping)
    history = read(path, films_domain, "mia")
    assert [row["item_key"] for row in selected(history)] == ["Heat"]


def test_an_event_that_nobody_mapped_is_told(tmp_path: Path, films_domain: Domain) -> None:
    mapping = '[columns]\nuser = "u"\nitem = "i"\nevent = "e"\n'
    path = write(tmp_path, "t.csv", "u,i,e\nmia,a,seen\nmia,b,burnt\n", mapping)
    assert told(read(path, films_domain)) == [
        (3, "e", "dropped", "'burnt' is not among the mapping's events")
    ]


SAVE_AS = "Save it as a plain CSV file in UTF-8 and import that."
FIELDS = "localrec help sources tells its fields."
REFUSED: dict[str, tuple[str, str | bytes, str, str]] = {
    "no such column": (
        "t.csv",
        "who,id\nmia,a\n",
        '[columns]\nitem = "isbn"\n',
        "{folder}/t.csv lacks the column 'isbn' that t.mapping.toml names in columns.item; it has "
        "who, id. Mend the mapping.",
    ),
    "an unknown key": (
        "t.csv",
        "i\na\n",
        '[columns]\nitem = "i"\nreader = "u"\n',
        "{folder}/t.mapping.toml is no mapping: Object contains unknown field `reader` - at "
        f"`$.columns`. {FIELDS}",
    ),
    "a wrong type": (
        "t.csv",
        "i\na\n",
        '[columns]\nitem = "i"\n[rating]\nscale = [1]\n',
        "{folder}/t.mapping.toml is no mapping: Expected `array` of length 2, got 1 - at "
        f"`$.rating.scale`. {FIELDS}",
    ),
    "an unknown event": (
        "t.csv",
        "i\na\n",
        '[columns]\nitem = "i"\n[events]\nread = "devoured"\n',
        "{folder}/t.mapping.toml is no mapping: Invalid enum value 'devoured' - at "
        f"`$.events[...]`. {FIELDS}",
    ),
    "an old name beside the new one": (
        "t.csv",
        "i\na\n",
        'no_deed = ["a"]\nignored_events = ["b"]\n[columns]\nitem = "i"\n',
        '{folder}/t.mapping.toml is no mapping: "no_deed" and "ignored_events" name one setting: '
        f'keep one, as "ignored_events". {FIELDS}',
    ),
    "no TOML": (
        "t.csv",
        "i\na\n",
        "[columns\n",
        "{folder}/t.mapping.toml is no mapping: Expected ']' at the end of a table declaration "
        f"(at line 1, column 9). {FIELDS}",
    ),
    "a scale upside down": (
        "t.csv",
        "i\na\n",
        '[columns]\nitem = "i"\n[rating]\nscale = [5, 1]\n',
        "{folder}/t.mapping.toml is no mapping: rating.scale goes from 5 to 1 - at `$.rating`. "
        f"{FIELDS}",
    ),
    "data elsewhere": (
        "t.csv",
        "i\na\n",
        'data = "../../etc/passwd"\n[columns]\nitem = "i"\n',
        "{folder}/t.mapping.toml: data = '../../etc/passwd' lies outside the mapping's folder. "
        "Put the two side by side.",
    ),
    "no data": (
        "t.bin",
        "i\na\n",
        '[columns]\nitem = "i"\n',
        "{folder}/t.mapping.toml has 0 files of data beside it; one is needed. "
        'Name it: data = "...".',
    ),
    "an unknown format": (
        "t.bin",
        "i\na\n",
        'data = "t.bin"\n[columns]\nitem = "i"\n',
        "{folder}/t.bin ends in none of .csv, .tsv, .txt, .jsonl, .ndjson, .parquet. "
        "Save it in one of these formats; all but Parquet may end in .gz as well.",
    ),
    "an unknown kind of attribute": (
        "t.csv",
        "i\na\n",
        '[columns]\nitem = "i"\n[[attributes]]\ncolumn = "i"\nkind = "glass"\n',
        "{folder}/t.mapping.toml: 'glass' is no attribute of movies. It has genre, decade.",
    ),
    "a pickle": (
        "t.csv",
        b"\x80\x04\x95",
        PERSONAL,
        f"{{folder}}/t.csv is a Python pickle, not a table. {SAVE_AS}",
    ),
    "an empty file": ("t.jsonl", b"", PERSONAL, "{folder}/t.jsonl is empty. Export it again."),
    "a zip bomb": (
        "t.csv.gz",
        gzip.compress(b"a" * (40 << 20)),
        PERSONAL,
        "{folder}/t.csv.gz unpacks to more than the 16,777,216 bytes allowed. "
        "If it is no zip bomb, unpack it and import the plain file.",
    ),
    "a broken quote": (
        "t.csv",
        'title,n\n"Heat,1\n',
        PERSONAL,
        "{folder}/t.csv, row 2, column 'title': the quote is never closed. "
        "Close the quote, or double the quotes inside the cell.",
    ),
    "NUL bytes in quotes": (
        "t.csv",
        'title,n\n"Heat",1\n"He\0at"x,1\n',
        PERSONAL,
        "{folder}/t.csv, row 3, column 'title': there is a NUL byte. Remove it.",
    ),
    "no JSON": (
        "t.jsonl",
        "title,n\n",
        PERSONAL,
        "{folder}/t.jsonl holds no row that can be kept: row 1 is no JSON object: 'title,n'. "
        "Each row needs a user and an item.",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_bad_table_is_refused_with_its_message(
    tmp_path: Path, films_domain: Domain, case: str
) -> None:
    name, content, mapping, message = REFUSED[case]
    write(tmp_path, name, content, mapping)
    with pytest.raises(LocalrecError) as refused:
        read(tmp_path / "t.mapping.toml", films_domain, "mia")
    assert str(refused.value) == message.format(folder=tmp_path)


def test_a_damaged_parquet_file_is_refused(tmp_path: Path, films_domain: Domain) -> None:
    path = write(tmp_path, "t.parquet", b"PAR1" + b"x" * 40 + b"PAR1", PERSONAL)
    with pytest.raises(InputError, match=r"t\.parquet cannot be read: "):
        read(path, films_domain, "mia")


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path, films_domain: Domain) -> None:
    folder = tmp_path / "inside"
    folder.mkdir()
    outside = tmp_path / "secret.csv"
    outside.write_text("title\nHeat\n")
    write(folder, "t.csv", "", 'data = "t.csv"\n' + PERSONAL).unlink()
    (folder / "t.csv").symlink_to(outside)
    with pytest.raises(InputError, match="lies outside the mapping's folder"):
        read(folder / "t.mapping.toml", films_domain, "mia")


def test_a_table_without_a_mapping_says_what_it_needs(tmp_path: Path, films_domain: Domain) -> None:
    path = tmp_path / "t.csv.gz"
    path.touch()
    with pytest.raises(InputError, match=r"has no mapping file t\.mapping\.toml beside it"):
        read(path, films_domain)


def test_a_mapping_is_recognised_by_its_name() -> None:
    assert MappedTableSource().recognises(FilePreview("books.mapping.toml"))
    assert not MappedTableSource().recognises(FilePreview("books.csv"))


@pytest.mark.parametrize(
    ("name", "item", "domain"),
    [("mine", "isbn", "books"), ("films", "key", "movies"), ("mine", "key", "movies")],
)
def test_the_columns_tell_what_a_table_is_about(
    tmp_path: Path, name: str, item: str, domain: str
) -> None:
    (tmp_path / f"{name}.csv").write_text(f"who,{item}\nanna,1\n")
    mapping = tmp_path / f"{name}.mapping.toml"
    mapping.write_text(f'[columns]\nuser = "who"\nitem = "{item}"\n')
    assert domain_of_file("table", mapping) == domain


VOLUMES = "who,what,volume,episode,score\n" + "".join(
    f"mia,{title},{volume},1,{volume}\n" for title in ("Saga", "Bone") for volume in (1, 2, 3)
)


@pytest.mark.parametrize(("domain", "keys"), [("books", 6), ("series", 2)])
def test_a_mapping_tells_volumes_of_one_title_apart_and_episodes_of_no_show(
    tmp_path: Path, domain: str, keys: int
) -> None:
    part = "volume" if domain == "books" else "episode"
    mapping = f'[columns]\nuser="who"\nitem="what"\nrating="score"\nparts=["{part}"]\n'
    history = read(write(tmp_path, "t.csv", VOLUMES, mapping), load_domain(domain))
    assert len({item.key for item in history.items}) == keys
    assert {item.name for item in history.items} == {"Saga", "Bone"}
    assert len({row["item_key"] for row in selected(history)}) == keys


def test_a_guessed_mapping_names_what_numbers_the_volumes(tmp_path: Path) -> None:
    rows = [
        f"mia,{title},{volume},Kindle,{volume}" for title in ("Saga", "Bone") for volume in (1, 2)
    ]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(("user,title,volume,edition,score", *rows)))
    mapping = propose_mapping(open_records(path), None)
    assert mapping is not None
    assert 'parts = ["volume"]' in mapping_text(mapping)
