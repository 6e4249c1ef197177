"""Answers right after an import: by spelling, until the model has made its vectors."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from localrec.foundation import jobs
from localrec.graph.domain_files import load_domain
from localrec.graph.journal import open_settled
from localrec.index.embedder_names import EARLIER
from localrec.index.embedders import HashingEmbedder
from localrec.index.pending_vectors import (
    QUICK,
    embed_in_steps,
    made_elsewhere,
    read_pending,
    tell_pending,
)
from localrec.workspace import OpenWorkspace, import_service
from localrec.workspace.model_pool import ModelPool

from .conftest import WINES, import_wines


@pytest.fixture
def started(monkeypatch):
    """What would have been started in the background."""
    calls = []
    monkeypatch.setattr(jobs, "start_in_background", lambda folder, told: calls.append(told) or 0)
    monkeypatch.setattr(import_service, "_AT_ONCE", 2)
    return calls


@pytest.fixture
def cellar(workspace_path, cli, table, started):
    """A workspace with the default embedder, of which no model file is ever opened here."""
    return import_wines(workspace_path, cli, table)


def test_an_import_of_many_texts_leaves_their_vectors_to_the_background(cellar, cli, started):
    assert started == [["index", "--domain", "wines"]]
    pending = read_pending(cellar / "indexes", "wines")
    assert pending is not None and pending.total > 2
    outcome = cli("--workspace", str(cellar), "index", "--status")
    assert "being made in the background (0% of" in outcome.err


def test_questions_are_answered_meanwhile_and_it_is_told_by_what(cellar, cli):
    question = "a white wine from Portugal under 20 dollars"
    outcome = cli("--workspace", str(cellar), "--json", "ask", "--no-model", question)
    assert outcome.code == 0, outcome.err
    names = {one["name"] for one in json.loads(outcome.out)["items"]}
    assert names == {"Estate 10 2010 Blend", "Estate 15 2015 Blend"}
    assert "compared by spelling" in outcome.err


def test_the_store_is_free_between_batches_and_quick_vectors_go_at_the_end(cellar):
    model = HashingEmbedder(size=16, seed=3)
    told = []

    def progress(done: int, total: int) -> None:
        with open_settled(cellar, read_only=True, wait_s=0.1):
            told.append((done, total))

    count = embed_in_steps(
        lambda: open_settled(cellar, read_only=False),
        cellar / "indexes",
        load_domain("wines"),
        model,
        progress,
    )
    assert told == [(0, count)]
    assert read_pending(cellar / "indexes", "wines") is None
    with open_settled(cellar, read_only=True) as store:
        models = {name for (name,) in store.rows("SELECT DISTINCT model FROM embedding")}
    assert models == {model.name} and model.name != QUICK.name


def test_work_that_was_cut_short_goes_on_where_it_was(cellar, monkeypatch):
    monkeypatch.setattr("localrec.index.pending_vectors.AT_ONCE", 3)
    model = HashingEmbedder(size=16, seed=3)
    folder = cellar / "indexes"

    def stop(done: int, total: int) -> None:
        if done >= 6:
            raise KeyboardInterrupt

    def run(progress) -> int:
        return embed_in_steps(
            lambda: open_settled(cellar, read_only=False),
            folder,
            load_domain("wines"),
            model,
            progress,
        )

    with pytest.raises(KeyboardInterrupt):
        run(stop)
    total = read_pending(folder, "wines").total
    assert read_pending(folder, "wines").done == 6
    assert run(lambda done, total: None) == total - 6


@pytest.fixture
def busy(cellar, started):
    """The cellar while another process makes its vectors."""
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    tell_pending(cellar / "indexes", "wines", 1, 9, other.pid)
    started.clear()
    yield cellar
    other.communicate()


def test_a_second_import_leaves_its_texts_to_the_process_that_runs(busy, cli, tmp_path, started):
    table = tmp_path / "more.csv"
    table.write_text(WINES.replace("Estate", "Castle"), encoding="utf-8")
    command = ("import", "auto", str(table), "--domain", "wines")
    assert cli("--workspace", str(busy), *command).code == 0
    assert started == []
    assert read_pending(busy / "indexes", "wines").process


def test_vectors_are_made_by_one_process_at_a_time(busy, cli, monkeypatch):
    looks = []

    def look(_seconds):
        """The third time, the other process has made all."""
        looks.append(made_elsewhere(busy / "indexes", "wines"))
        if len(looks) == 3:
            for told in (busy / "indexes").glob("pending-*.json"):
                told.unlink()

    monkeypatch.setattr("localrec.workspace.vector_work.sleep", look)
    monkeypatch.setattr(
        import_service.ImportService, "embed_texts", lambda *_: looks.append("ours") or 0
    )
    outcome = cli("--workspace", str(busy), "index", "--domain", "wines")
    assert outcome.code == 0
    assert "being made in the background (11% of 9 texts). Waiting for them." in outcome.err
    assert [one and getattr(one, "done", one) for one in looks] == [1, 1, 1, "ours"]


def test_where_that_process_dies_the_vectors_are_made_all_the_same(busy, cli, monkeypatch):
    made = []

    def die(_seconds):
        tell_pending(busy / "indexes", "wines", 1, 9, 2**22 + 1)  # a number that no process has

    work = "localrec.workspace.vector_work"
    monkeypatch.setattr(f"{work}.sleep", die)
    monkeypatch.setattr(f"{work}.embed_pending", lambda *_: made.append(1) or 0)
    monkeypatch.setattr(import_service.ImportService, "embed_texts", lambda *_: 0)
    assert cli("--workspace", str(busy), "index", "--domain", "wines").code == 0
    assert made == [1]


def test_a_process_that_says_nothing_for_long_is_another_one_of_its_number(busy, monkeypatch):
    assert made_elsewhere(busy / "indexes", "wines") is not None
    later = time.time() + 3600
    monkeypatch.setattr("localrec.index.pending_vectors.time.time", lambda: later)
    assert made_elsewhere(busy / "indexes", "wines") is None


# Runs a command and kills itself where the rows are stored and their vectors would be next.
KILLED_BEHIND_THE_ROWS = """
import os, signal, sys
from localrec.cli.app import run
from localrec.index import embedded_fields
embedded_fields.update_embeddings = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
run(sys.argv[1:])
"""


def test_after_an_import_that_was_killed_behind_its_rows_questions_are_answered(
    workspace_path, cli, tmp_path, run_killed
):
    table = tmp_path / "winemag.csv"
    table.write_text(WINES, encoding="utf-8")
    here = ("--workspace", str(workspace_path))
    made = cli(*here, "domains", "new", "wines", "--from", str(table), "--yes")
    assert made.code == 0, made.err
    assert run_killed(*here, "import", "auto", str(table), "--domain", "wines") == -signal.SIGKILL
    assert read_pending(workspace_path / "indexes", "wines") is None
    question = "a white wine from Portugal under 20 dollars"
    outcome = cli(*here, "--json", "ask", "--no-model", question)
    assert outcome.code == 0, outcome.err
    names = {one["name"] for one in json.loads(outcome.out)["items"]}
    assert names == {"Estate 10 2010 Blend", "Estate 15 2015 Blend"}
    assert "have no vectors" in outcome.err and "localrec index makes them" in outcome.err
    assert "compared by spelling" in outcome.err


@pytest.fixture
def run_killed():
    """Runs a command in a process that kills itself behind the rows; returns its exit code."""

    def call(*arguments: str) -> int:
        command = [sys.executable, "-c", KILLED_BEHIND_THE_ROWS, *arguments]
        return subprocess.run(command, capture_output=True, check=False).returncode

    return call


@pytest.fixture
def doctor(cli, monkeypatch):
    """What doctor says of a workspace whose embedder needs no model file, and its exit code."""
    monkeypatch.setattr(ModelPool, "embedder", property(lambda _: QUICK))

    def look(folder):
        outcome = cli("--workspace", str(folder), "--json", "doctor")
        return outcome.code, {one["what"]: one for one in json.loads(outcome.out)}

    return look


def test_doctor_finds_a_workspace_sound_whose_vectors_are_being_made(cellar, doctor):
    code, found = doctor(cellar)
    assert code == 0
    assert found["catalogue wines"]["detail"] == "6 items, searchable"
    assert found["vectors wines"]["state"] == "ok"
    assert "are being made in the background (0% of" in found["vectors wines"]["detail"]


def test_doctor_tells_how_vectors_go_on_that_nobody_makes(cellar, doctor):
    indexes = cellar / "indexes"
    tell_pending(indexes, "wines", 3, 12, process=ended_process())
    code, found = doctor(cellar)
    assert code == 0
    vectors = found["vectors wines"]
    assert (vectors["state"], vectors["remedy"]) == ("missing", "localrec index")
    assert "not complete (25% of 12 texts)" in vectors["detail"]


def test_doctor_names_vectors_that_were_never_begun(cellar, doctor):
    indexes = cellar / "indexes"
    with open_settled(cellar, read_only=False) as store:
        store.execute("DELETE FROM embedding")
    end_pending_file(indexes)
    code, found = doctor(cellar)
    assert (code, found["vectors wines"]["state"]) == (0, "missing")


def ended_process() -> int:
    """The number of a process that is over."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def end_pending_file(indexes) -> None:
    for path in indexes.glob("pending-*.json"):
        path.unlink()


@pytest.fixture
def upgraded(own_workspace, monkeypatch):
    """A workspace whose vectors were made before the embedder's name changed."""
    with OpenWorkspace(own_workspace, writable=True) as opened:
        name = opened.models.embedder_name
        opened.store.execute("UPDATE embedding SET model = 'before'")
    monkeypatch.setitem(EARLIER, name, "before")
    return str(own_workspace)


def test_vectors_of_an_earlier_version_answer_until_new_ones_are_made(upgraded, cli):
    ask = ("--workspace", upgraded, "--json", "ask", "--no-model", "gin, no campari")
    before = cli(*ask)
    assert "come from an older embedder" in before.err
    assert cli("--workspace", upgraded, "index").code == 0
    after = cli(*ask)
    assert (before.code, after.code, after.err) == (0, 0, "")
    names = [[one["name"] for one in json.loads(one.out)["items"]] for one in (before, after)]
    assert names[0] == names[1] != []


def test_the_older_vectors_serve_while_new_ones_are_made_and_when_that_is_stopped(
    upgraded, cli, monkeypatch
):
    monkeypatch.setattr("localrec.index.embedded_fields._TEXTS_AT_ONCE", 4)

    def stop(step: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with OpenWorkspace(Path(upgraded)) as opened:
        whole = len(opened.context("cocktails").indexes.fields["name"])
    with OpenWorkspace(Path(upgraded), writable=True) as opened, pytest.raises(KeyboardInterrupt):
        opened.imports.embed_texts(load_domain("cocktails"), stop)
    with OpenWorkspace(Path(upgraded)) as opened:
        embedder, fields = opened.context("cocktails").indexes.compared_by
        assert embedder.name == opened.models.embedder_name
        assert len(fields["name"]) == whole
    ask = ("--workspace", upgraded, "ask", "--no-model", "gin, no campari")
    assert "come from an older embedder" in cli(*ask).err
    assert cli("--workspace", upgraded, "index").code == 0
    assert cli(*ask).err == ""
    with OpenWorkspace(Path(upgraded)) as opened:
        assert len(opened.context("cocktails").indexes.fields["name"]) == whole
