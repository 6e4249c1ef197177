"""`localrec import`: what comes from a foreign file is shown as text and nothing else."""

import json

import pytest

from localrec.workspace import Workspace

from .conftest import drink
from .test_ask import UNPRINTABLE

HOSTILE_NAMES = {
    "colour": "\x1b[31mRed\x1b[0m Fizz",
    "title": "\x1b]0;owned\x07Title Fizz",
    "unfinished": "Fizz \x1b]8;;http://192.0.2.1",
    "one-byte-csi": "Fizz \x9b2J",
    "backspaces": "Fizz\x08\x08\x08\x08Nothing",
    "right-to-left": "\u202eFizz\u202c",
    "zero-width": "Fi\u200bzz",
    "markup": "[bold]Fizz[/bold] [red]",
    "chat-tokens": "<|im_start|>Fizz<|im_end|>",
    "null": "Fi\x00zz",
}


@pytest.fixture
def imported(cli, by_spelling, write_table):
    """Imports rows; gives what the program came to."""

    def take_in(*rows, options=()):
        table = write_table(*rows)
        return cli("--workspace", by_spelling, "import", "cocktails", table, *options)

    return take_in


@pytest.mark.parametrize("column", ["name", "ingredients", "glassType", "category"])
@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_hostile_names_never_reach_the_terminal(cli, by_spelling, imported, name, column):
    text = HOSTILE_NAMES[name]
    value = str([text, "Gin"]) if column == "ingredients" else text
    fields = {"name": "Fizz", column: value}
    assert imported(drink(**fields)).code == 0
    for question in ("gin", "like a fizz", "a fizz with gin"):
        for arguments in ((), ("--explain",), ("--json",)):
            code, out, err = cli("--workspace", by_spelling, "ask", question, *arguments)
            assert (code, err) == (0, "")
            assert not UNPRINTABLE.search(out)
            assert "<|" not in out


@pytest.mark.parametrize("column", ["desciription", "imageDescription", "instructions"])
@pytest.mark.parametrize("name", ["colour", "title", "chat-tokens"])
def test_hostile_texts_are_stored_harmless(by_spelling, imported, name, column):
    assert imported(drink("Fizz", **{column: HOSTILE_NAMES[name] + " is a drink."})).code == 0
    with Workspace(by_spelling) as opened:
        ((told,),) = opened.store.rows("SELECT properties FROM node WHERE kind = 'cocktail'")
    assert "\\u001b" not in told
    assert "<|" not in told


def test_what_happened_to_each_row_is_shown_without_its_escapes(imported):
    bad = drink("\x1b[31mBad\x1b[0m", ingredients="\x1b[2J")
    code, out, err = imported(drink("Good"), bad, drink("Good"))
    assert (code, err) == (0, "")
    assert "3 rows read, 1 kept" in out
    assert not UNPRINTABLE.search(out)


def test_the_report_as_json_is_one_document(imported):
    code, out, err = imported(drink("One"), drink("Two"), options=("--json",))
    assert (code, err) == (0, "")
    report = json.loads(out)
    assert (report["read"], report["kept"], report["dry_run"]) == (2, 2, False)


def test_a_dry_run_changes_nothing(imported, by_spelling):
    before = sorted(by_spelling.rglob("*"))
    code, out, _ = imported(drink("One"), options=("--dry-run",))
    assert code == 0
    assert "1 would be kept" in out
    assert sorted(by_spelling.rglob("*")) == before


def test_done_twice_the_workspace_is_the_same(imported, by_spelling):
    counts = []
    for _ in range(2):
        assert imported(drink("One"), drink("Two")).code == 0
        with Workspace(by_spelling) as opened:
            counts.append(
                [
                    opened.store.rows(f"SELECT count(*) FROM {table}")
                    for table in ("node", "edge", "embedding")
                ]
            )
            assert len(opened.receipts()) == len(counts)
    assert counts[0] == counts[1]


def test_an_unknown_kind_is_refused_with_those_that_are_known(cli, by_spelling, write_table):
    arguments = ("import", "spreadsheet", write_table(drink("One")))
    code, out, err = cli("--workspace", by_spelling, *arguments)
    assert code in (1, 2)
    assert out == ""
    assert "cocktails" in err
    assert not (by_spelling / "store.duckdb").exists()


def test_index_brings_vectors_up_to_date(cli, workspace):
    code, out, err = cli("--workspace", workspace, "index", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == {"cocktails": 0}
    with Workspace(workspace, writable=True) as opened:
        opened.store.execute("DELETE FROM embedding")
    assert json.loads(cli("--workspace", workspace, "index", "--json").out)["cocktails"] > 0
    assert cli("--workspace", workspace, "ask", "gin").code == 0
