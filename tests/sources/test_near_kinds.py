"""Which known formats a table is said to resemble, and what it is said to lack of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from localrec.sources import open_source, source_kinds
from localrec.sources.catalogues.records import open_records
from localrec.sources.near_kinds import nearest_kinds


def near(folder: Path, header: str) -> dict[str, str]:
    """The formats that a table of such columns is near to, each with its sentence."""
    path = folder / "table.csv"
    row = ",".join("x" for _ in header.split(","))
    path.write_text(f"{header}\n{row}\n{row}y\n", encoding="utf-8")
    return {one.kind: one.as_sentence() for one in nearest_kinds(open_records(path))}


@pytest.mark.parametrize(
    "header",
    [
        "title,country,variety,winery,price",
        "id,title,country,description,points,price,province",
        "name,abv,ibu,style,brewery",
        "Name,Year,Maker,Rating",
        "name,key,texts,links,numbers,flags",
    ],
)
def test_a_table_that_shares_everybodys_columns_is_near_to_no_format(tmp_path, header):
    assert near(tmp_path, header) == {}


@pytest.mark.parametrize(
    ("header", "kind"),
    [
        ("Title,Author,ISBN13,Bookshelves,pages", "goodreads"),
        ("userId,movieId,stars", "movielens"),
        ("Title,Year,Const,My stars,Genres", "imdb"),
        ("trackName,artistName,when", "spotify"),
        ("name,category,row_id,ingredient_number,ingredient,measure", "mrboston"),
    ],
)
def test_a_table_with_a_formats_own_columns_is_near_to_it_alone(tmp_path, header, kind):
    assert list(near(tmp_path, header)) == [kind]


def test_one_of_several_names_for_a_column_is_enough(tmp_path):
    told = near(tmp_path, "Title,Author,ISBN,Bookshelves,Book Id,Date Added")["goodreads"]
    lacking = told.partition("lacks")[2]
    assert "My Rating" in lacking
    assert not any(name in lacking for name in ("ISBN13", "Date Read"))


def test_columns_of_other_files_of_a_format_are_not_missed(tmp_path):
    header = "book_id,title,authors,original_publication_year,language_code,average_rating"
    assert "lacks" not in near(tmp_path, header)["goodbooks"]


def test_nothing_is_missed_that_is_no_column(tmp_path):
    for kind in source_kinds():
        names = [name for field in open_source(kind).fields for name in field.name.split(", ")]
        for one in nearest_kinds(open_records(_table(tmp_path, names[:6]))):
            missing = [*one.shared, *one.missing]
            assert not any(name.endswith(("/", ".csv", ".json", "...")) for name in missing)
            assert not any(name.startswith(("own ", "other ", "no ")) for name in missing)


def _table(folder: Path, names: list[str]) -> Path:
    path = folder / "fields.csv"
    header = ",".join(f'"{name}"' for name in names)
    path.write_text(f"{header}\n{','.join('x' for _ in names)}\n", encoding="utf-8")
    return path
