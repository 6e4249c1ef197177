"""`localrec import`: what comes from a foreign file is shown as text and nothing else."""

import json

import pytest

from localrec.workspace import OpenWorkspace

from .conftest import drink, write_rows
from .test_ask import UNPRINTABLE

HOSTILE = {
    "colour": "\x1b[31mRed\x1b[0m Fizz",
    "title": "\x1b]0;owned\x07Title Fizz",
    "unfinished": "Fizz \x1b]8;;http://192.0.2.1",
    "one-byte-csi": "Fizz \x9b2J",
    "backspaces": "Fizz\x08\x08\x08\x08Nothing",
    "right-to-left": "\u202eFizz\u202c",
    "zero-width": "Fi\u200bzz",
    "markup": "[bold]Fizz[/bold] [red]",
    "chat-tokens": "<|im_start|>Fizz<|im_end|>",
}


@pytest.fixture
def imported(cli, empty_workspace, tmp_path):
    """Imports rows; gives what the program came to."""

    def take_in(*rows, options=()):
        table = write_rows(tmp_path / "table.csv", *rows)
        return cli("--workspace", empty_workspace, "import", "cocktails", table, *options)

    return take_in


class TestHostileNames:
    @pytest.fixture
    def hostile(self, empty_workspace, imported):
        """Each name in each place where a foreign file has one."""
        rows = [
            drink(
                f"{name} {text}",
                category=text,
                glassType=text,
                ingredients=str([text, "Gin"]),
                ingredientMeasures=str([text, "4 cl"]),
                **dict.fromkeys(("desciription", "imageDescription", "instructions"), text),
            )
            for name, text in HOSTILE.items()
        ]
        code, out, _ = imported(*rows)
        assert (code, f"{len(rows)} kept" in out) == (0, True)
        assert not UNPRINTABLE.search(out)
        return empty_workspace

    @pytest.mark.parametrize("question", ["gin", "like a colour red fizz", "fizz and backspaces"])
    def test_never_reach_the_terminal(self, cli, hostile, question):
        code, out, err = cli("--workspace", hostile, "ask", question, "-k", 20, "--explain")
        assert (code, err) == (0, "")
        assert "—has→ " in out
        assert not UNPRINTABLE.search(out)
        assert "<|" not in out

    def test_are_harmless_in_json_and_in_the_store(self, cli, hostile):
        out = cli("--workspace", hostile, "ask", "gin", "-k", 20, "--json").out
        assert len(json.loads(out)["items"]) == len(HOSTILE)
        with OpenWorkspace(hostile) as opened:
            rows = opened.store.rows("SELECT name, properties::VARCHAR FROM node")
            rows += opened.store.rows("SELECT kind, properties::VARCHAR FROM edge")
        for told in (out, *(str(part) for row in rows for part in row)):
            assert not UNPRINTABLE.search(told.removesuffix("\n"))
            assert "\\u00" not in told
            assert "<|" not in told

    def test_show_markup_as_the_letters_it_is(self, cli, hostile):
        out = cli("--workspace", hostile, "ask", "like a markup", "-k", 20).out
        assert "[bold]Fizz" in out

    def test_with_a_nul_byte_are_refused_with_their_place(self, imported, empty_workspace):
        code, out, err = imported(drink("Fair"), drink("Fi\x00zz"))
        assert (code, out) == (1, "")
        assert "row 3, column 'name'" in err
        assert not (empty_workspace / "store.duckdb").exists()


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


def test_a_dry_run_changes_nothing(imported, empty_workspace):
    before = sorted(empty_workspace.rglob("*"))
    code, out, _ = imported(drink("One"), options=("--dry-run",))
    assert code == 0
    assert "1 would be kept" in out
    assert sorted(empty_workspace.rglob("*")) == before


def test_done_twice_the_workspace_is_the_same(imported, empty_workspace):
    counts = []
    for times in (1, 2):
        assert imported(drink("One"), drink("Two")).code == 0
        with OpenWorkspace(empty_workspace) as opened:
            ask_store = opened.store.rows
            assert ask_store("SELECT count(*) FROM import_receipt") == [(times,)]
            counts.append(
                [
                    ask_store(f"SELECT count(*) FROM {name}")
                    for name in ("node", "edge", "embedding")
                ]
            )
    assert counts[0] == counts[1]


def test_an_unknown_kind_is_refused_with_those_that_are_known(cli, empty_workspace, tmp_path):
    table = write_rows(tmp_path / "table.csv", drink("One"))
    code, out, err = cli("--workspace", empty_workspace, "import", "spreadsheet", table)
    assert code in (1, 2)
    assert out == ""
    assert "cocktails" in err
    assert not (empty_workspace / "store.duckdb").exists()


def test_index_brings_vectors_up_to_date(cli, own_workspace):
    code, out, err = cli("--workspace", own_workspace, "index", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == {"cocktails": 0}
    with OpenWorkspace(own_workspace, writable=True) as opened:
        opened.store.execute("DELETE FROM embedding")
    assert json.loads(cli("--workspace", own_workspace, "index", "--json").out)["cocktails"] > 0
    assert cli("--workspace", own_workspace, "ask", "gin").code == 0


def test_an_export_for_nearly_somebody_s_name_is_refused_unless_somebody_new_is_meant(
    cli, empty_workspace, tmp_path
):
    ratings = tmp_path / "ratings.csv"
    ratings.write_text(
        "Date,Name,Year,Letterboxd URI,Rating\n2024-01-02,Heat,1995,https://boxd.it/2aa,4\n",
        encoding="utf-8",
    )

    def told(user, *more):
        place = ("--workspace", empty_workspace, "import", "letterboxd", ratings)
        return cli(*place, "--user", user, "--index-later", *more)

    assert "'anna' is new here." in told("anna").err
    code, _, err = told("ana")
    assert code == 2 and "Did you mean anna? For somebody new, add --new-user." in err
    people = ("sql", 'select distinct "user" as who from interactions')
    assert told("ana", "--dry-run").code == 2
    assert cli(*people, "--workspace", empty_workspace).out.split() == ["who", "anna"]
    assert "'ana' is new here." in told("ana", "--new-user").err
    assert "new here" not in told("ana").err
    assert told("zorg").code == 0


def test_a_receipt_counts_drinks_that_went_into_stored_ones_as_merged(
    empty_workspace, cli, tmp_path
):
    workspace = ("--workspace", str(empty_workspace), "--json")
    ours = write_rows(tmp_path / "ours.csv", drink("Gimlet"), drink("Sunrise"))
    theirs = write_rows(
        tmp_path / "theirs.csv",
        drink("Gimlet"),
        drink("Sunrise", ingredients=str(["Tequila", "Grenadine"])),
        drink("Own"),
    )
    assert cli(*workspace, "import", "cocktails", str(ours)).code == 0
    report = json.loads(cli(*workspace, "import", "cocktails", str(theirs)).out)
    assert (report["read"], report["kept"], report["merged"], report["dropped"]) == (3, 2, 1, 0)
    listed = cli(*workspace, "sql", "select name, count(*) as n from items group by 1 order by 1")
    assert {row["name"]: row["n"] for row in json.loads(listed.out)} == {
        "Gimlet": 1, "Own": 1, "Sunrise": 2,
    }  # fmt: skip
