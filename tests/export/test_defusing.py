"""No text of a CSV file is run by a spreadsheet, and what was done to it can be undone."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from localrec.graph.store import Store
from localrec.graph.table_writer import open_table_writer, write_table

FORMULAS = "=+-@＝＋－＠\t\r\n"
_SPACES = "\u00a0\u200b\u200c\u200d\u200e\u200f\u2060\u3000\ufeff"
LOOKED_PAST = "".join(map(chr, range(0x21))) + "\"'" + _SPACES

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
risky = st.builds(
    "".join,
    st.tuples(st.text(LOOKED_PAST, max_size=3), st.text(FORMULAS, max_size=2), texts),
)


@pytest.fixture(scope="module")
def write(tmp_path_factory):
    """Writes texts as one column; gives what went into the file."""
    folder = tmp_path_factory.mktemp("defusing")
    files = {form: folder / f"cells.{form}" for form in ("csv", "json")}
    for file in files.values():
        file.touch()
    Store.open_(folder / "store.duckdb").close()
    with (
        Store.open_(folder / "store.duckdb", read_only=True) as store,
        open_table_writer(store, list(files.values())) as writer,
    ):

        def call(cells, form="csv", name="text"):
            columns = {
                "place": np.arange(len(cells), dtype=np.int64),
                name: np.array(cells, dtype=object),
            }
            quoted = '"' + name.replace('"', '""') + '"'
            with writer.staged(staged=columns):
                query = f"SELECT {quoted}, place - 3 AS number FROM staged ORDER BY place"
                written = write_table(writer, query, files[form], form)
            return files[form], written

        yield call


def read(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.reader(stream))


def is_run(cell: str) -> bool:
    """Whether a spreadsheet may take the cell for a formula, looking past blanks and quotes."""
    bare = cell.lstrip(LOOKED_PAST.replace("'", "")) or cell[-1:]
    return bare[:1] in tuple(FORMULAS) or cell[:1] in tuple(FORMULAS)


def undone(cell: str) -> str:
    """The reader's side of the rule in the docs: one apostrophe goes where one was put."""
    bare = cell[1:].lstrip(LOOKED_PAST)
    starts_so = bare[:1] in tuple(FORMULAS) or any(
        letter in "\t\r\n" for letter in cell[1:][: len(cell[1:]) - len(bare)]
    )
    return cell[1:] if cell[:1] == "'" and starts_so else cell


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cells=st.lists(texts | risky, min_size=1, max_size=20))
def test_no_cell_of_any_text_begins_like_a_formula(write, cells):
    path, _ = write(cells)
    found = [row[0] for row in read(path)[1:]]
    assert len(found) == len(cells)
    assert not [cell for cell in found if cell and is_run(cell)]


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cells=st.lists(risky, min_size=1, max_size=20))
def test_taking_the_apostrophe_away_gives_every_text_back(write, cells):
    path, _ = write(cells)
    assert [undone(row[0]) for row in read(path)[1:]] == cells


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("-30-", "'-30-"),
        ("+1", "'+1"),
        ("@Home", "'@Home"),
        ('"=1"', '\'"=1"'),
        ("＝1", "'＝1"),
        ("  =1", "'  =1"),
        ("'=1", "''=1"),
        ("\tx", "'\tx"),
        ("'Salem's Lot", "'Salem's Lot"),
        ("2 + 2 = 4", "2 + 2 = 4"),
        ("Spider-Man", "Spider-Man"),
        ("", ""),
    ],
)
def test_what_becomes_of_a_text(write, text, cell):
    path, written = write([text])
    assert read(path)[1][0] == cell
    assert written.defused == (text != cell)


def test_numbers_stay_numbers_below_zero_too(write):
    path, _ = write(["a", "b"])
    assert [row[1] for row in read(path)[1:]] == ["-3", "-2"]


def test_a_column_named_like_a_formula_is_defused_in_the_header(write):
    path, _ = write(["a"], name='=cmd|"x"')
    assert read(path)[0][0] == '\'=cmd|"x"'


def test_json_holds_every_text_as_it_is(write):
    path, written = write(["=1", "-"], form="json")
    assert [row["text"] for row in json.loads(path.read_text(encoding="utf-8"))] == ["=1", "-"]
    assert written.defused == 0
