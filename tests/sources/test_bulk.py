"""Bulk reading: cells as SQL, rows judged and numbered, files kept apart from all others."""

import gzip
import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from localrec.foundation.errors import InputError
from localrec.foundation.sql import sql_literal
from localrec.foundation.text import clean_name, clean_text
from localrec.sources import sql_cells
from localrec.sources.bulk_tables import BulkReader, BulkTable, RowCheck, RowFault, latest_moment
from localrec.sources.import_log import ImportLog
from localrec.sources.sql_tables import (
    FlatFile,
    delimited_table,
    json_lines,
    split_lines,
    typed_cells,
)

hostile = st.one_of(
    st.text(alphabet="ab<>|[]/INST_ \t\n\x00\x1b;:m,31é\u200b\u202e\x9b\u3000가", max_size=40),
    st.text(st.characters(codec="utf-8", exclude_categories=["Cn"], max_codepoint=0x2FFF)),
)
memory = duckdb.connect(":memory:")


def computed(sql: str, text: str) -> Any:
    """What `sql` makes of a cell that holds `text`."""
    return memory.execute(
        f"SELECT {sql} FROM (SELECT CAST(? AS VARCHAR) AS cell)", [text]
    ).fetchall()[0][0]


@settings(max_examples=25, deadline=None)
@given(hostile)
@example("a<<s>b[INST]\x1b[31mred\x1b]0;title\x07 \ufe0f")
@example("x" * 250)
def test_a_cell_is_cleaned_in_sql_as_in_python(text: str) -> None:
    assert computed(sql_cells.clean_text_of("cell"), text) == clean_text(text)
    assert computed(sql_cells.clean_name_of("cell"), text) == clean_name(text)


@settings(max_examples=25, deadline=None)
@given(hostile)
@example("1e400")
@example("99999999999999999999")
@example("9000000000000000000")
@example("9999999-01-01T00:00:00+02:00")
@example("nan")
def test_no_cell_makes_the_query_fail(text: str) -> None:
    for sql in (
        sql_cells.key_number("cell"),
        sql_cells.moment_since_1970("cell"),
        sql_cells.moment_of("cell"),
        sql_cells.stars("cell", 0, 10),
        sql_cells.stars("cell", -10, 10),
        sql_cells.rating_fault("rating", "cell", 0, 5).condition,
    ):
        computed(sql, text)


@pytest.mark.parametrize(
    ("low", "high", "cell", "stars"),
    [(0, 5, "3.5", 3.5), (0, 10, "7", 3.5), (0, 1, "1", 5), (0, 5, "0", 0.5), (-10, 10, "10", 5)],
)
def test_any_scale_becomes_stars(low: float, high: float, cell: str, stars: float) -> None:
    assert computed(sql_cells.stars("cell", low, high), cell) == pytest.approx(stars)


@pytest.mark.parametrize("cell", ["881250949", "881250949.0", "881250949000"])
def test_seconds_and_milliseconds_are_told_apart(cell: str) -> None:
    moment = computed(sql_cells.moment_since_1970("cell"), cell)
    assert moment == datetime(1997, 12, 4, 15, 55, 49)


@pytest.mark.parametrize(
    ("cell", "is_bad"), [("", False), (" ", False), ("5", False), ("nan", True), ("x", True)]
)
def test_an_empty_rating_is_none_and_any_other_must_be_one(cell: str, is_bad: bool) -> None:
    assert computed(sql_cells.rating_fault("rating", "cell", 0, 5).condition, cell) is is_bad


def table_of(flat: FlatFile) -> BulkTable:
    return BulkTable(
        read=flat.read,
        columns={"user_key": flat.cells["u"], "item_key": flat.cells["i"]},
        files=(flat.path,),
        first_row=flat.first_row,
        faults=(*flat.faults, RowFault("i", "item_key = 'bad'", "{value} is bad", flat.cells["i"])),
        blank=flat.blank,
        numbers=flat.numbers,
    )


def judge(flat: FlatFile) -> tuple[int, list[tuple[int, str | None, str]]]:
    receipt = ImportLog("test", flat.path, "movies")
    kept = table_of(flat).check(receipt).good
    problems = receipt.report(kept).problems
    return kept, [(line.row, line.column, line.problem) for line in problems]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_rows_keep_their_numbers_past_empty_and_ragged_ones(tmp_path: Path, end: str) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(end.join(["u,i", "1,2", "", "3", "4,5,6", "7,bad", "8,9", ""]).encode())
    assert judge(split_lines(path, ["u", "i"], ",")) == (
        2,
        [
            (4, None, "has 1 cells where 2 belong"),
            (5, None, "has 3 cells where 2 belong"),
            (6, "i", "'bad' is bad"),
        ],
    )


@pytest.mark.parametrize("text", ["u,i\n1,2,, \t\n", 'u,i\n1,"2",, \t\n'], ids=["plain", "quoted"])
def test_empty_cells_beyond_the_last_column_cost_no_row(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text)
    assert judge(delimited_table(path)) == (1, [])


def test_quoted_cells_hold_delimiters_and_line_breaks(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('u,i\n"a, b","one\ntwo"\n3\n"4",5,6\n7,bad\n8,""\n')
    flat = delimited_table(path)
    assert judge(flat) == (
        2,
        [
            (3, None, "has 1 cells where the header has 2"),
            (4, None, "has 3 cells where the header has 2"),
            (5, "i", "'bad' is bad"),
        ],
    )
    with BulkReader([path]) as reader:
        rows = reader.rows(f"SELECT user_key, item_key FROM ({table_of(flat).select()})")
    assert rows == [("a, b", "one\ntwo"), ("8", "")]


def test_a_broken_quote_is_named_by_row_and_column(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('u,i\n1,2\n3,"bad"4\n')
    with pytest.raises(InputError, match=r"row 3, column 'i': the quotes are broken"):
        delimited_table(path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
def test_western_encodings_are_read(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a.csv"
    word = "Amélie"
    path.write_bytes(f"u,i\n1,{word}\n".encode(encoding))
    for flat in (delimited_table(path), split_lines(path, ["u", "i"], ",")):
        with BulkReader([path]) as reader:
            assert reader.rows(f"SELECT item_key FROM ({table_of(flat).select()})") == [(word,)]


@pytest.mark.parametrize(("word", "encoding"), [("기생충", "cp949"), ("Amélie’s", "cp1252")])
def test_an_encoding_that_duckdb_does_not_read_is_refused(
    tmp_path: Path, word: str, encoding: str
) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(f"u,i\n1,{word}\n".encode(encoding))
    with pytest.raises(InputError, match=r"a\.csv (is text in|cannot be read: .* encoded)") as told:
        judge(split_lines(path, ["u", "i"], ","))
    assert told.value.hint == "Save it in UTF-8."


def test_json_lines_keep_their_numbers(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    lines = ['{"u": 1, "i": "x"}', "", "[1]", "no json", '{"u": "2", "i": "bad"}', '{"i": ["p"]}']
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    kept, problems = judge(json_lines(path, ["u", "i"]))
    assert (kept, problems) == (
        2,
        [
            (3, None, "is no JSON object: '[1]'"),
            (4, None, "is no JSON object: 'no json'"),
            (5, "i", "'bad' is bad"),
        ],
    )


def test_rows_below_blank_lines_keep_their_numbers_where_cells_stand_in_quotes(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.csv"
    path.write_text('u,i\n"1",x\n\n"2","two\nlines"\n\n\n"3",bad\n')
    assert judge(delimited_table(path)) == (2, [(7, "i", "'bad' is bad")])


@pytest.mark.parametrize("cell", ["1.5", "2.04", "-0.5"])
def test_half_a_number_is_nobodys_key(tmp_path: Path, cell: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"u,r,t\n{cell},4,881250949\n2.0,4,881250949\n")
    types = {"u": "DOUBLE", "r": "FLOAT", "t": "BIGINT"}
    typed = numbers_of(typed_cells(path, types, ","), sql_cells.key_of_double)
    assert typed.check_sound() is None
    receipt = ImportLog("test", path, "movies")
    found = numbers_of(split_lines(path, list(types), ",")).check(receipt)
    assert [row[0] for row in kept_rows(found)] == [2]
    assert [one.problem for one in receipt.report(1).problems] == [f"'{cell}' is no number"]


def test_a_field_with_a_slash_in_its_name_is_found(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"a/b~c": "x"}\n')
    flat = json_lines(path, ["a/b~c"])
    with BulkReader([path]) as reader:
        assert reader.rows(f"SELECT {flat.cells['a/b~c']} FROM {flat.read}") == [("x",)]


def test_a_hundred_bad_rows_are_named_and_all_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("u,i\n" + "1,bad\n" * 250 + "1,good\n")
    receipt = ImportLog("test", path, "movies")
    kept = table_of(split_lines(path, ["u", "i"], ",")).check(receipt).good
    report = receipt.report(kept)
    assert (report.read, report.kept, report.dropped, len(report.problems)) == (251, 1, 250, 100)
    assert [line.row for line in report.problems] == list(range(2, 102))


def test_the_reader_sees_its_files_and_nothing_else(tmp_path: Path) -> None:
    mine, other = tmp_path / "it's mine.csv", tmp_path / "other.csv"
    for path in (mine, other):
        path.write_text("u,i\n1,2\n")
    with BulkReader([mine]) as reader:
        assert reader.rows(f"SELECT count(*) FROM read_csv({sql_literal(mine)})") == [(1,)]
        for sql in (
            f"SELECT * FROM read_csv({sql_literal(other)})",
            f"COPY (SELECT 1) TO {sql_literal(tmp_path / 'new.csv')}",
            "SET enable_external_access = true",
            "INSTALL httpfs",
        ):
            with pytest.raises(InputError, match=re.escape(f"{mine} cannot be read: ")):
                reader.rows(sql)
    assert not (tmp_path / "new.csv").exists()


def test_moments_up_to_a_day_ahead_are_taken() -> None:
    assert 0 < (latest_moment() - datetime.now()).total_seconds() < 3 * 86_400


def numbers_of(flat: FlatFile, as_key: Callable[[str], str] = sql_cells.key_number) -> BulkTable:
    rating = flat.cells["r"]
    return BulkTable(
        read=flat.read,
        columns={
            "user_key": as_key(flat.cells["u"]),
            "rating": sql_cells.number(rating),
            "at": sql_cells.moment_since_1970(flat.cells["t"]),
        },
        files=(flat.path,),
        faults=(
            *flat.faults,
            sql_cells.missing("u", "user_key", flat.cells["u"]),
            sql_cells.rating_fault("r", rating, 0.5, 5),
            *sql_cells.moment_faults("t", flat.cells["t"]),
        ),
        blank=flat.blank,
    )


def kept_rows(check: RowCheck) -> list[tuple[Any, ...]]:
    return memory.execute(check.select.replace('"item_key", ', "")).fetchall()


cells = st.sampled_from(
    ["", " ", "1", "1.5", "2.0", " 2 ", "03", "4.5", "5", "nan", "1e0", "x", '"1"', "9" * 12]
)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(cells, min_size=2, max_size=4).map(",".join), max_size=4))
@example(["1,4.5,881250949", "", "2,,"])
@example(["1,4.5,881250949.0"])
@example(["1,,,"])
@example(["1.5,4.5,881250949"])
def test_typed_cells_give_what_texts_give_or_nothing(lines: list[str]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.csv"
        path.write_text("\n".join(["u,r,t", *lines, ""]))
        types = {"u": "DOUBLE", "r": "FLOAT", "t": "BIGINT"}
        sound = numbers_of(typed_cells(path, types, ","), sql_cells.key_of_double).check_sound()
        receipt = ImportLog("test", path, "movies")
        texts = numbers_of(split_lines(path, list(types), ",")).check(receipt)
        if sound is not None:
            assert kept_rows(sound) == kept_rows(texts)
            assert not receipt.report(texts.good).problems


def test_a_file_without_fault_is_read_by_its_types(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("u,r,t\n1,4.5,881250949\n2,,\n")
    flat = typed_cells(path, {"u": "DOUBLE", "r": "FLOAT", "t": "BIGINT"}, ",")
    sound = numbers_of(flat, sql_cells.key_of_double).check_sound()
    assert sound is not None
    assert sound.good == 2
    assert [row[1:3] for row in kept_rows(sound)] == [("rated", 4.5), ("seen", None)]
