"""What a receipt says of the form of a table: cells cut, letters taken out, encoding, commas."""

from __future__ import annotations

import pytest

from localrec.data.rows import ImportReport
from localrec.graph.domain_files import load_domain
from localrec.sources import read_export
from localrec.sources.catalogues.proposal import propose_domain
from localrec.sources.catalogues.records import open_records
from localrec.sources.goodreads import GoodreadsSource

HEADER = "title,country,variety,description\n"
ROWS = "".join(
    f'Estate {number},{country},{variety},"crisp and fresh with citrus, number {number}"\n'
    for number, (country, variety) in enumerate(
        (("Italy", "Malbec"), ("Spain", "Malbec"), ("Italy", "Nebbiolo"), ("Spain", "Nebbiolo"))
    )
)
BOOKS = "Title,Author,My Rating,Exclusive Shelf,My Review"


@pytest.fixture
def receipt(tmp_path):
    """Reads a table of wines by the columns of a sound one."""
    sound = tmp_path / "sound.csv"
    sound.write_text(HEADER + ROWS, encoding="utf-8")
    wines = propose_domain("wines", open_records(sound)).domain

    def read(content: str | bytes) -> ImportReport:
        path = tmp_path / "wines.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return read_export("catalogue", path, wines).report

    return read


def lines(report: ImportReport) -> list[str]:
    return [one.as_line() for one in report.problems]


def test_a_sound_table_is_told_nothing_of(receipt):
    report = receipt(HEADER + ROWS)
    assert (report.problems, report.notes) == ((), ())


def test_a_cell_that_is_cut_is_told_with_its_row_and_lengths(receipt):
    long, name = "word " * 2000, "N" * 5000
    report = receipt(f'{HEADER}{ROWS}Big,Italy,Malbec,"{long}"\n{name},Italy,Malbec,fresh\n')
    assert lines(report) == [
        "row 6, description: repaired: has 9,999 letters, cut to 8,000",
        "row 7, title: repaired: has 5,000 letters, cut to 200",
    ]


def test_several_cut_cells_of_a_column_are_counted(receipt):
    long = "word " * 2000
    report = receipt(HEADER + ROWS + "".join(f'Big {n},Italy,Malbec,"{long}"\n' for n in range(3)))
    assert "3 cells of column description were cut to 8,000 letters." in report.notes


def test_blanks_that_are_joined_are_no_cut(receipt):
    report = receipt(f'{HEADER}{ROWS}Big,Italy,Malbec,"{"a b" + " " * 9000}"\n')
    assert report.problems == ()


def test_a_long_list_of_short_names_is_no_cut(tmp_path):
    path = tmp_path / "dishes.csv"
    names = ["salt", "rice", "fish", "leek", "soy sauce", "dill"]
    rows = "".join(f'Dish {n},"{", ".join(names[n % 3 :] * 9)}"\n' for n in range(9))
    path.write_text(f"name,ingredients\n{rows}", encoding="utf-8")
    dishes = propose_domain("dishes", open_records(path)).domain
    assert read_export("catalogue", path, dishes).report.problems == ()


@pytest.mark.parametrize("sign", ["\x1b[31m", "\x1b]0;title\x07", "\x07", "\x9b2J", "\u202e"])
def test_terminal_escapes_are_told_as_repaired(receipt, sign):
    report = receipt(f"{HEADER}{ROWS}Red {sign}Wine,Italy,Malbec,fresh\n")
    assert lines(report) == [
        "row 6, title: repaired: had terminal escapes or control characters, which were taken out"
    ]


def test_a_line_break_and_an_accent_are_no_control_characters(receipt):
    report = receipt(f'{HEADER}{ROWS}Rosé\xa0Wine,Italy,Malbec,"fresh\r\n\tand soft\xad"\n')
    assert report.problems == ()


def test_nul_characters_are_told(receipt):
    report = receipt(f"{HEADER}{ROWS}Nul\0 Wi\0ne,Italy,Malbec,fresh\n")
    assert lines(report) == [
        "row 6: repaired: has the first of 2 NUL characters; all taken out",
    ]


def test_trailing_commas_are_told_in_a_line(receipt):
    in_rows = HEADER + ROWS.replace('"\n', '",,\n')
    told = ("4 rows end in trailing commas, which were passed over.",)
    assert receipt(in_rows).notes == told
    everywhere = in_rows.replace("description\n", "description,,\n")
    assert receipt(everywhere).notes == told


def test_columns_that_the_domain_does_not_know_are_told_in_a_line(receipt):
    text = (HEADER + ROWS).replace("description\n", "description,cork,shelf\n")
    report = receipt(text.replace('"\n', '",yes,b7\n'))
    assert report.notes == ("Columns that are not known here were left out: cork, shelf.",)


@pytest.mark.parametrize(
    ("encoding", "name"), [("cp1252", "Windows-1252"), ("utf-16", "UTF-16"), ("cp949", "Korean")]
)
def test_an_encoding_that_was_recognised_is_told_in_a_line(receipt, encoding, name):
    letter = "와인" if encoding == "cp949" else "ü"
    (told,) = receipt((HEADER + ROWS + f"W{letter},Italy,Malbec,fresh\n").encode(encoding)).notes
    assert told.startswith("The file is not in UTF-8; it was read as ") and name in told


def test_an_export_tells_the_same_of_its_form(tmp_path):
    path = tmp_path / "books.csv"
    rows = f"Em\x1b[1mma,Austen,5,read,{'nice ' * 2000},blue,,\nDune,Herbert,4,read,schön,,\n"
    path.write_bytes(f"{BOOKS},Mood\n{rows}".encode("cp1252"))
    report = GoodreadsSource().read(path, load_domain("books"), "anna").report
    assert lines(report) == ["row 2, My Review: repaired: has 9,999 letters, cut to 8,000"]
    assert report.notes[:4] == (
        "The file is not in UTF-8; it was read as Windows-1252.",
        "2 rows end in trailing commas, which were passed over.",
        "A column that is not known here was left out: Mood.",
        "1 cell had terminal escapes or control characters, which were taken out; the first is in "
        "row 2, column Title.",
    )
