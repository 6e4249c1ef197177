"""Files of records, however they are written, and what was mended in them."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from localrec.foundation.errors import InputError
from localrec.sources.catalogues.numbers import duration_minutes, number_format
from localrec.sources.catalogues.records import open_records
from localrec.sources.list_cells import read_list

ROWS = [["name", "city", "note"], ["Café", "Köln", 'say "hi" now'], ["Zoë", "Málaga", "two\nlines"]]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_a_table_is_read_in_any_usual_encoding_and_delimiter(tmp_path, encoding, delimiter):
    import csv

    path = tmp_path / "table.csv"
    with path.open("w", encoding=encoding, newline="") as stream:
        csv.writer(stream, delimiter=delimiter).writerows(ROWS)
    table = open_records(path)
    assert table.columns == ("name", "city", "note")
    assert [cells for _, cells in table.rows] == ROWS[1:]
    assert table.faults == []


def test_a_quote_that_is_never_closed_costs_its_line_alone(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text('a,b\n1,x\n2,"open\n3,y\n4,z\n')
    table = open_records(path)
    assert [cells for _, cells in table.rows] == [["1", "x"], ["3", "y"], ["4", "z"]]
    assert [(one.row, one.action) for one in table.faults] == [(3, "dropped")]


def test_blank_lines_count_in_the_numbers_of_rows(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text('a,b\n1,x\n\n"2","two\nlines"\n\n3,y\n4,y,z\n')
    table = open_records(path)
    assert [row for row, _ in table.rows] == [2, 4, 6]
    assert [(one.row, one.action) for one in table.faults] == [(7, "dropped")]


def test_short_rows_are_filled_and_long_ones_left_out(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b,c\n1,2,3\n4,5\n6,7,8,\n9,9,9,9\n")
    table = open_records(path)
    assert [cells for _, cells in table.rows] == [
        ["1", "2", "3"],
        ["4", "5", None],
        ["6", "7", "8"],
    ]
    assert [(one.row, one.action) for one in table.faults] == [(3, "repaired"), (5, "dropped")]


def test_records_are_found_in_json_of_any_usual_shape(tmp_path):
    path = tmp_path / "records.json"
    for text in (
        '[{"a": 1, "b": {"c": "x"}}, {"a": 2}]',
        '{"meta": 1, "items": [{"a": 1, "b": {"c": "x"}}, {"a": 2}]}',
        '{"a": 1, "b": {"c": "x"}}\n{"a": 2}\n',
    ):
        path.write_text(text)
        table = open_records(path)
        assert table.columns == ("a", "b.c")
        assert [cells for _, cells in table.rows] == [["1", "x"], ["2", None]]


@pytest.mark.parametrize("content", [b"", b"name\n", b"[1, 2]", b"PK\x03\x04zip", b"{"])
def test_what_holds_no_records_is_refused(tmp_path, content):
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with pytest.raises(InputError):
        open_records(path)


@given(st.binary(min_size=1, max_size=300))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
def test_any_bytes_are_read_or_refused_in_a_sentence(tmp_path: Path, content: bytes):
    path = tmp_path / "table.csv"
    path.write_bytes(b"name,b\n" + content)
    try:
        table = open_records(path)
    except InputError:
        return
    assert all(len(cells) == len(table.columns) for _, cells in table.rows)


@pytest.mark.parametrize(
    ("cell", "elements", "is_mended"),
    [
        ('["Gin", "Lime"]', ("Gin", "Lime"), False),
        ("['Gin', None, nan]", ("Gin", None, None), False),
        ('c("Gin", "Lime")', ("Gin", "Lime"), False),
        ("Gin, Lime", ("Gin", "Lime"), False),
        ("['Gin', none]", ("Gin", None), True),
        ('["Gin", NaN, N/A]', ("Gin", None, None), True),
        ("['Gin', null, \\N]", ("Gin", None, None), True),
        ('["Gin", "Lime",]', ("Gin", "Lime"), False),
        ("[Gin, Lime]", ("Gin", "Lime"), True),
        ("['Gin', 5]", ("Gin", "5"), True),
        ("", (), False),
        ("nan", (), False),
    ],
)
def test_a_list_is_read_as_it_was_meant(cell, elements, is_mended):
    found = read_list(cell)
    assert found.elements == elements
    assert bool(found.mended) == is_mended


@given(st.text(max_size=60))
def test_any_list_cell_is_read_or_refused(text):
    for cell in (text, f"[{text}]", f'["a", {text}]'):
        with contextlib.suppress(ValueError):
            assert all(one is None or isinstance(one, str) for one in read_list(cell).elements)


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["12,50", "3,99", "1.200,00"], [12.5, 3.99, 1200]),
        (["1,234", "56", "2,000,000"], [1234, 56, 2_000_000]),
        (["$15.00", "$1,200"], [15, 1200]),
        (["15 €", "20 €"], [15, 20]),
        (["5%", "6.5%"], [5, 6.5]),
        (["1 h 30 min", "45 min", "PT2H"], [90, 45, 120]),
    ],
)
def test_numbers_are_read_by_how_the_column_writes_them(cells, values):
    form, share = number_format(cells)
    assert share == 1
    assert [form.value(cell) for cell in cells] == pytest.approx(values)


def test_a_name_is_no_duration():
    assert duration_minutes("") is None
    assert duration_minutes("12 Angry Men") is None


@pytest.mark.parametrize(
    ("text", "columns", "first_row"),
    [
        ("name,price\nA,1\n", ("name", "price"), 2),
        ("\n,,\nname,price\nA,1\n", ("name", "price"), 4),
        ("My wines,\n\nname,price\nA,1\n", ("name", "price"), 4),
        ("sep=;\nname;price\nA;1\n", ("name", "price"), 3),
        (",name\n0,A\n1,B\n", ("column 1", "name"), 2),
        ('"name","price"\n"1","A",3\n"2","B",4\n', ("column 1", "name", "price"), 2),
        ("name\nA\nB\n", ("name",), 2),
        ("Wines\n\nname,price\nA,1\n", ("name", "price"), 4),
    ],
)
def test_the_header_is_found_below_titles_and_with_a_name_too_few(
    tmp_path, text, columns, first_row
):
    path = tmp_path / "table.csv"
    path.write_text(text)
    table = open_records(path)
    assert table.columns == columns
    assert table.rows[0][0] == first_row
