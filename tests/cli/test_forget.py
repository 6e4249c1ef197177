"""`localrec forget`: asks before it does, says what it did, and how a script reads it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from localrec.graph.erasure_rules import TABLE_ERASURE_RULES
from localrec.graph.history_ingest import ingest_history
from localrec.graph.store import Store
from tests.graph.test_erasure_plan import ANNABELLE, BOB, HER_NOTE, ONLY_HERS, history
from tests.graph.test_store import VERSION_1, made_by_hand
from tests.planted import BAR, planted_store
from tests.privacy.test_forget import state_of

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
    is_here = forget("--user", ANNABELLE, "--dry-run").code == 0
    assert is_here is (code != 0)


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


class TestSomebodyNobodyKnows:
    @pytest.fixture
    def untouched(self, folder, forget):
        """Runs a refused `forget`; what it said, when every file is as it was."""
        (folder / "indexes").mkdir()
        (folder / "indexes" / "drinks.vectors.npy").write_bytes(b"dear to make")

        def run(*arguments):
            before = state_of(folder)
            code, out, err = forget(*arguments)
            assert (code, out) == (2, "")
            assert state_of(folder) == before
            return err

        return run

    @pytest.mark.parametrize("how", ["--yes", "--dry-run"])
    def test_is_told_apart_from_who_is_near_and_no_byte_changes(self, untouched, how):
        err = untouched("--user", "anabelle.k", how)
        assert "Nobody called 'anabelle.k' is known here." in err
        assert f"Did you mean {ANNABELLE}?" in err

    def test_is_refused_before_anything_is_asked(self, untouched, monkeypatch):
        monkeypatch.setattr("localrec.cli.forget._is_watched", lambda: True)
        assert "Nobody called 'Bob'" in untouched("--user", "Bob")

    def test_is_refused_for_a_span_of_time_too(self, untouched):
        assert "Nobody called 'x'" in untouched("--user", "x", "--since", "2024-01-01", "--yes")

    def test_in_one_domain_is_told_where_they_are(self, untouched):
        err = untouched("--user", BOB, "--domain", "movies", "--yes")
        assert f"Nobody called '{BOB}' is known in movies." in err
        assert "somebody of that name in cocktails" in err

    @pytest.mark.parametrize("how", ["--yes", "--dry-run"])
    def test_goes_for_items_as_well(self, untouched, how):
        err = untouched("--item", "negrony", how)
        assert "No item has the key 'negrony' here." in err
        assert "Did you mean negroni" in err
        assert "Give the key of an item." in untouched("--item", "9876543210", how)
        assert "No item" in untouched("--item", "negroni", "--domain", "movies", how)
        assert "No item" in untouched("--item", "gin", how)  # an ingredient

    def test_is_forgotten_all_the_same_where_a_batch_names_them(self, forget, folder):
        questions = folder / "questions.jsonl"
        lines = [json.dumps({"id": "q", "user": user}) + "\n" for user in ("a-stranger", BOB)]
        questions.write_text("".join(lines), encoding="utf-8")
        assert forget("--user", "a-stranger", "--yes").code == 0
        assert questions.read_text(encoding="utf-8") == lines[1]
        assert forget("--user", "a-stranger", "--yes").code == 2

    def test_is_somebody_where_only_a_receipt_bears_their_key(self, forget, folder):
        with Store.open_(folder / "store.duckdb") as store:
            store.execute("DELETE FROM node WHERE key = ?", [BOB])
            store.execute("DELETE FROM edge WHERE properties->>'$.by' = ?", [BOB])
        receipt = json.loads(forget("--user", BOB, "--yes", "--json").out)
        assert receipt["rows"]["import_receipt"] == 1


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


@pytest.fixture
def grown(cli, workspace_path, tmp_path):
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
def all_ids(workspace_path):
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


class TestOneAfterAnother:
    """What is forgotten again and again leaves a store that takes in new things."""

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


def _without_a_start(store):
    """Writes sequences anew as versions did that forgot where an untouched one had begun."""
    for name, last in store.rows(
        "SELECT sequence_name, coalesce(last_value, 0) FROM duckdb_sequences() "
        "WHERE database_name = current_database()"
    ):
        store.execute(f"CREATE OR REPLACE SEQUENCE fresh.{name} START {int(last) + 1}")


class TestAStoreThatGivesNumbersTwice:
    @pytest.fixture
    def bricked(self, grown, monkeypatch):
        """Runs commands where earlier versions forgot two people, and nothing new went in."""
        with monkeypatch.context() as earlier:
            earlier.setattr("localrec.privacy.store_rewrite._copy_sequences", _without_a_start)
            for user in ("anna", "bea"):
                grown("forget", "--user", user, "--yes")
        return grown

    @pytest.fixture
    def rows(self, workspace_path):
        """All rows of all tables."""

        def read():
            with Store.open_(workspace_path / "store.duckdb", read_only=True) as store:
                return {
                    table: store.rows(f"SELECT * FROM {table}") for table in TABLE_ERASURE_RULES
                }

        return read

    def test_is_noticed_and_the_remedy_named(self, bricked, rows):
        before = rows()
        told = json.loads(bricked("doctor", "--json", code=1).out)
        found = {one["what"]: one for one in told if one["what"].startswith("sequence ")}
        assert set(found) == {"sequence import_ids", "sequence job_ids", "sequence node_ids"}
        for one in found.values():
            assert (one["state"], one["remedy"]) == ("broken", "localrec doctor --repair")
            assert "would give 1" in one["detail"]
        assert "localrec doctor --repair" in bricked("doctor", code=1).out
        assert rows() == before

    def test_is_mended_with_nothing_lost(self, bricked, rows, all_ids):
        before, known = rows(), all_ids()
        told = json.loads(bricked("doctor", "--repair", "--json").out)
        mended = {one["what"]: one["detail"] for one in told if one["state"] == "mended"}
        assert set(mended) == {"sequence import_ids", "sequence job_ids", "sequence node_ids"}
        assert f"goes on at {max(known[0]) + 1:,}" in mended["sequence node_ids"]
        assert rows() == before
        bricked("feedback", "--user", "emma", "--item", "Negroni", "--like")
        assert min(all_ids()[0] - known[0]) == max(known[0]) + 1
        assert "sequences: no number can be given twice" in bricked("doctor").out

    def test_is_mended_in_words_and_only_once(self, bricked):
        assert "mended   sequence node_ids: goes on at" in bricked("doctor", "--repair").out
        assert "mended" not in bricked("doctor", "--repair").out

    def test_cannot_be_mended_while_somebody_reads_it_and_says_so(self, bricked, workspace_path):
        code = (
            "import sys; from pathlib import Path; from localrec.graph.store import Store\n"
            "with Store.open_(Path(sys.argv[1]), read_only=True):\n"
            "    print('open', flush=True); sys.stdin.read()\n"
        )
        with subprocess.Popen(
            [sys.executable, "-c", code, workspace_path / "store.duckdb"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as reader:
            assert reader.stdout is not None
            assert reader.stdout.readline() == b"open\n"
            told = json.loads(bricked("doctor", "--repair", "--json", code=1).out)
        (found,) = [one for one in told if one["what"] == "sequences"]
        assert found["state"] == "broken"
        assert str(reader.pid) in found["detail"]


def test_a_look_at_privacy_repairs_nothing(cli, folder):
    outcome = cli("--workspace", folder, "doctor", "--privacy", "--repair")
    assert (outcome.code, outcome.out) == (2, "")
    assert "only looks" in outcome.err
