"""`localrec forget`: asks before it does, says what it did, and how a script reads it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from localrec.graph.histories import ingest_history
from localrec.graph.store import Store
from tests.graph.test_forget import ANNABELLE, BOB, HER_NOTE, ONLY_HERS, history
from tests.graph.test_store import VERSION_1, made_by_hand
from tests.planted import BAR, planted_store

from .conftest import DRINKS, by_spelling, drink, write_rows


@pytest.fixture
def folder(workspace_path: Path) -> Path:
    """A workspace with two people and nothing else."""
    with planted_store(workspace_path) as store:
        for user, own in ((ANNABELLE, ONLY_HERS), (BOB, "pier-sour")):
            note = HER_NOTE if user == ANNABELLE else ""
            ingest_history(store, BAR, history(user, own, note=note, shelf=f"of {own}"), by=user)
    return workspace_path


@pytest.fixture
def forget(cli, folder):
    """Runs `localrec forget` in that workspace."""
    return lambda *arguments: cli("--workspace", folder, "forget", *arguments)


def test_says_what_was_removed_and_searched(forget):
    code, out, _ = forget("--user", ANNABELLE, "--yes")
    assert code == 0
    assert "interaction: 1 row removed" in out
    assert "No trace was found." in out


def test_repeats_no_key_in_its_receipt(forget):
    outcome = forget("--user", ANNABELLE, "--yes", "--json")
    assert ANNABELLE not in outcome.out + outcome.err
    assert HER_NOTE not in outcome.out + outcome.err


def test_gives_scripts_one_document(forget):
    receipt = json.loads(forget("--user", ANNABELLE, "--yes", "--json").out)
    assert receipt["rows"]["interaction"] == 1
    assert receipt["found"] == []
    assert receipt["searched"]["keys"] == 1


def test_only_tells_on_a_dry_run(forget, folder):
    before = (folder / "store.duckdb").read_bytes()
    code, out, _ = forget("--user", ANNABELLE, "--dry-run")
    assert code == 0
    assert "interaction: 1 row would be removed" in out
    assert "No trace" not in out
    assert (folder / "store.duckdb").read_bytes() == before


def test_refuses_where_nobody_can_be_asked(forget, folder):
    before = (folder / "store.duckdb").read_bytes()
    code, out, err = forget("--user", ANNABELLE)
    assert (code, out) == (2, "")
    assert "--yes" in err
    assert (folder / "store.duckdb").read_bytes() == before


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 2), ("\n", 2)])
def test_asks_at_a_terminal(forget, monkeypatch, answer, code):
    monkeypatch.setattr("localrec.cli.forget._is_watched", lambda: True)
    monkeypatch.setattr("typer.confirm", lambda *_, **__: answer == "y\n")
    assert forget("--user", ANNABELLE).code == code
    left = json.loads(forget("--user", ANNABELLE, "--dry-run", "--json").out)["rows"]
    assert bool(left) is (code != 0)


def test_exits_with_1_where_a_trace_is_left_and_says_where(forget, folder):
    (folder / "diary.txt").write_text(f"with {ANNABELLE}", encoding="utf-8")
    code, out, _ = forget("--user", ANNABELLE, "--yes")
    assert code == 1
    assert "STILL THERE: a key in diary.txt" in out
    assert "No trace was found" not in out


def test_reads_a_date_with_or_without_a_zone(forget):
    for since in ("2024-06-01", "2024-06-01T12:00:00+02:00"):
        rows = json.loads(forget("--since", since, "--dry-run", "--json").out)["rows"]
        assert rows["interaction"] == 2
    assert (
        "interaction"
        not in json.loads(forget("--since", "2025-06-01", "--dry-run", "--json").out)["rows"]
    )


def test_says_when_there_was_nobody(forget):
    code, out, _ = forget("--user", "nobody-here", "--yes")
    assert code == 0
    assert "There was nothing to forget" in out


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--domain", "cocktails"),
        ("--user", " ,"),
        ("--item", "negroni", "--user", BOB),
        ("--item", "negroni", "--since", "2025-01-01"),
        ("--since", "yesterday"),
    ],
)
def test_refuses_a_wish_that_makes_no_sense(forget, folder, arguments):
    before = (folder / "store.duckdb").read_bytes()
    code, out, err = forget(*arguments, "--yes")
    assert (code, out) == (2, "")
    assert err.startswith("localrec: ")
    assert (folder / "store.duckdb").read_bytes() == before


def test_needs_a_workspace(cli, workspace_path):
    code, _, err = cli("--workspace", workspace_path, "forget", "--user", BOB, "--yes")
    assert code == 1
    assert "nothing in the workspace" in err
    assert not workspace_path.exists()


class TestOneAfterAnother:
    """What is forgotten again and again leaves a store that takes in new things."""

    @pytest.fixture
    def grown(self, cli, workspace_path, tmp_path):
        """Runs commands in a workspace whose store an early version began."""
        folder = by_spelling(workspace_path)
        made_by_hand(folder / "store.duckdb", VERSION_1)
        table = write_rows(tmp_path / "table.csv", *(drink(name) for name, *_ in DRINKS))

        def run(*arguments, code=0):
            outcome = cli("--workspace", folder, *arguments)
            assert outcome.code == code, outcome.err
            return outcome

        run("import", "cocktails", table)
        for user in ("anna", "bea", "cleo", "dora"):
            run("feedback", "--user", user, "--item", "Negroni", "--like")
        return run

    @pytest.fixture
    def all_ids(self, workspace_path):
        """Every number of a node, an import and a job that stands in the store."""

        def read():
            with Store.open_(workspace_path / "store.duckdb", read_only=True) as store:
                return [
                    {number for (number,) in store.rows(f"SELECT {column} FROM {table}")}
                    for table, column in (
                        ("node", "node_id"),
                        ("import_receipt", "import_id"),
                        ("job", "job_id"),
                    )
                ]

        return read

    @pytest.mark.parametrize("users", [("anna", "bea"), ("anna", "bea", "cleo")])
    def test_and_then_an_import_feedback_and_the_next(self, grown, all_ids, tmp_path, users):
        before = all_ids()
        for user in users:
            grown("forget", "--user", user, "--yes")
        left = all_ids()
        more = write_rows(tmp_path / "more.csv", drink("Sidecar", ingredients="['Cognac']"))
        grown("import", "cocktails", more)
        grown("feedback", "--user", "emma", "--item", "Sidecar", "--rating", "4")
        after = all_ids()
        for known, kept, now in zip(before, left, after, strict=True):
            new = now - kept
            assert kept < now
            assert not new & known  # not even a number of somebody who has left
        grown("forget", "--user", "emma", "--yes")
        grown("feedback", "--user", "fay", "--item", "Sidecar", "--like")

    def test_gives_no_number_twice_where_the_last_one_had_it(self, grown, all_ids):
        last = [max(numbers) for numbers in all_ids()]
        grown("forget", "--user", "dora", "--yes")  # the newest of all
        grown("forget", "--user", "cleo", "--yes")
        grown("feedback", "--user", "emma", "--item", "Negroni", "--like")
        nodes, _, jobs = all_ids()
        assert max(nodes) > last[0]
        assert max(jobs) > last[2]
