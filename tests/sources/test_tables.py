"""Delimited text: encodings, delimiters, gzip, and rows told by number."""

import csv
import gzip
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.foundation.bounded_files import FileLimits
from localrec.foundation.errors import InputError
from localrec.sources.delimited_tables import DelimitedTable


def written(folder: Path, content: bytes, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def cells_of(path: Path) -> list[dict[str, str]]:
    return [cells for _, cells in DelimitedTable(path).rows()]


@pytest.mark.parametrize(
    ("text", "encoding", "detected"),
    [
        ("Crème, ½ oz", "utf-8", "utf-8"),
        ("Crème, ½ oz", "utf-8-sig", "utf-8-sig"),
        ("모히토, 라임 주스", "cp949", "cp949"),
        ("Cr?me, ½ oz", "cp949", "cp949"),
        ("Crème brûlée, piña", "cp1252", "cp1252"),
        ("the bartender’s café – don’t", "cp1252", "cp1252"),
        ("don’t, it’s", "cp1252", "cp1252"),
        ("Ärger Öl Übung ÄÖ", "cp1252", "cp1252"),
        ("Crème \x81", "latin-1", "latin-1"),
        ("plain", "ascii", "utf-8"),
    ],
)
def test_the_encoding_is_told_from_the_bytes(
    tmp_path: Path, text: str, encoding: str, detected: str
) -> None:
    path = written(tmp_path, f'name\n"{text}"\n'.encode(encoding))
    table = DelimitedTable(path)
    assert table.encoding == detected
    assert [cells["name"] for _, cells in table.rows()] == [text]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_told_from_the_header(tmp_path: Path, delimiter: str) -> None:
    path = written(tmp_path, f"a{delimiter}b\n1{delimiter}2\n".encode())
    assert cells_of(path) == [{"a": "1", "b": "2"}]


def test_ragged_rows_are_left_out_and_reported_by_number(tmp_path: Path) -> None:
    path = written(tmp_path, b'a,b\n1,2\n3\n\n"4\n4",5\n6,7,8\n9,9\n')
    table = DelimitedTable(path)
    assert [(row, cells["a"]) for row, cells in table.rows()] == [(2, "1"), (5, "4\n4"), (7, "9")]
    assert table.ragged == [
        (3, "has 1 cells where the header has 2"),
        (6, "has 3 cells where the header has 2"),
    ]


def test_a_gzip_table_reads_like_the_plain_one(tmp_path: Path) -> None:
    path = written(tmp_path, gzip.compress(b"a,b\n1,2\n"), "t.csv.gz")
    assert cells_of(path) == [{"a": "1", "b": "2"}]


def test_quotes_are_plain_characters_where_a_format_has_none(tmp_path: Path) -> None:
    path = written(tmp_path, b'a\tb\n"x\ty\n')
    assert [cells for _, cells in DelimitedTable(path, delimiter="\t", quoted=False).rows()] == [
        {"a": '"x', "b": "y"}
    ]


def test_an_unnamed_index_column_gets_its_number(tmp_path: Path) -> None:
    assert cells_of(written(tmp_path, b",a\n0,x\n")) == [{"column 1": "0", "a": "x"}]


def test_a_table_without_a_header_begins_with_data(tmp_path: Path) -> None:
    table = DelimitedTable(written(tmp_path, b"x,x\n1\n"), delimiter=",", header=("a", "b"))
    assert table.first_record() == ["x", "x"]
    assert list(table.rows()) == [(1, {"a": "x", "b": "x"})]
    assert table.ragged == [(2, "has 1 cells where the header has 2")]


def test_more_rows_than_allowed_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, b"a\n1\n2\n3\n")
    with pytest.raises(InputError, match="more than 3 rows"):
        list(DelimitedTable(path, FileLimits(rows=3)).rows())


plain_cells = st.text(
    st.characters(exclude_categories=("Cs", "Cc")) | st.sampled_from('\n\r\t,;"'),
    min_size=1,
    max_size=12,
)


@given(st.lists(st.tuples(plain_cells, plain_cells), max_size=8))
def test_what_python_writes_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([("a", "b"), *rows])
    path = written(tmp_path_factory.mktemp("csv"), text.getvalue().encode("utf-8"))
    table = DelimitedTable(path, delimiter=",")
    assert [(cells["a"], cells["b"]) for _, cells in table.rows()] == rows


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_cells_and_numbers_hold_across_the_blocks_of_a_long_file(tmp_path: Path, end: str) -> None:
    rows = [(str(row), f'a "quote"{end}and, more ' * (row % 7)) for row in range(20_000)]
    text = io.StringIO()
    csv.writer(text, lineterminator=end).writerows([("a", "b"), *rows])
    path = written(tmp_path, text.getvalue().encode())
    numbered = list(DelimitedTable(path).rows())
    assert [(cells["a"], cells["b"]) for _, cells in numbered] == rows
    assert [row for row, _ in numbered] == list(range(2, len(rows) + 2))


@pytest.mark.parametrize(
    ("odd", "told"),
    [
        ('x,"never closed\n', "row 30002, column 'b': the quote is never closed"),
        ("x,\0\n", "row 30002, column 'b': there is a NUL byte"),
        (f"x,{'y' * 5_000}\n", "row 30002, column 'b': the cell holds 5,000 characters"),
    ],
)
def test_what_is_odd_behind_many_sound_rows_is_told_by_its_place(
    tmp_path: Path, odd: str, told: str
) -> None:
    path = written(tmp_path, ("a,b\n" + "1,two words\n" * 30_000 + odd + "1,2\n").encode())
    with pytest.raises(InputError, match=told):
        list(DelimitedTable(path, FileLimits(cell_chars=4_000)).rows())


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused_with_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = written(tmp_path_factory.mktemp("bytes"), content)
    try:
        list(DelimitedTable(path).rows())
    except InputError as error:
        assert str(path) in error.message
