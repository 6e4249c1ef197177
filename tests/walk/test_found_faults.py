"""Each fault that a walk found, or that a walk must find, under its own name."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import duckdb
import msgspec
import numpy as np
import pytest

from localrec import Workspace
from localrec.data.rows import Event
from localrec.foundation.atomic_files import write_atomically
from localrec.foundation.errors import InputError, WorkspaceError
from localrec.graph import interactions
from localrec.graph.domain_files import load_domain
from localrec.graph.journal import open_settled
from localrec.graph.kept_copies import kept_copies
from localrec.graph.store import Store
from localrec.sources import read_export
from localrec.workspace import OpenWorkspace
from tests.planted import planted_store


@pytest.fixture
def folder(workspace_path):
    planted_store(workspace_path).close()
    return workspace_path


def test_a_clock_that_was_set_back_does_not_hide_what_was_said_last(folder, monkeypatch):
    class Clock(datetime):
        days = 0

        @classmethod
        def now(cls, tz=None):
            return datetime.now(UTC) + timedelta(days=cls.days)

    monkeypatch.setattr(interactions, "datetime", Clock)
    with open_settled(folder, read_only=False) as store:
        item = store.rows("SELECT node_id FROM node WHERE kind = 'cocktail' LIMIT 1")[0][0]
        said = []
        for Clock.days, event in ((0, Event.LIKED), (-400, Event.DISLIKED), (-800, Event.SEEN)):
            interactions.store_feedback(store, "cocktails", "anna", item, event)
        while found := interactions.undo_feedback(store, "cocktails", "anna"):
            said.append(found.event)
    assert said == [Event.SEEN, Event.DISLIKED, Event.LIKED]


def test_the_newest_copy_is_the_last_one_made_whatever_the_clock_says(folder, monkeypatch):
    from localrec.export.restore import go_back
    from localrec.graph import kept_copies as module

    class Clock(datetime):
        days = 0

        @classmethod
        def now(cls, tz=None):
            Clock.days -= 100
            return datetime.now(UTC) + timedelta(days=cls.days)

    open_settled(folder, read_only=False).close()
    msgspec.json.Decoder(module.StoreCopy)  # reads what its annotations mean before they change
    monkeypatch.setattr(module, "datetime", Clock)
    for number in range(5):
        with open_settled(folder, read_only=False) as store:
            store.execute("INSERT OR REPLACE INTO meta VALUES ('mark', ?)", [str(number)])
            store.execute("CHECKPOINT")
        with (folder / "store.duckdb").open("rb") as file:
            module.keep_copy(file, folder, f"number {number}", 6)
    assert [copy.before for copy in kept_copies(folder)] == ["number 4", "number 3", "number 2"]
    assert go_back(folder).before == "number 3"  # what the store is, is no way back


def test_a_way_back_that_is_refused_leaves_no_copy_to_go_back_to(folder):
    from localrec.export.restore import go_back

    for _ in range(2):
        with pytest.raises(WorkspaceError, match="no sound copy of an earlier store"):
            go_back(folder)
        with open_settled(folder, read_only=False) as store:
            store.execute("INSERT OR REPLACE INTO meta VALUES ('mark', 'later')")
    assert kept_copies(folder) == []


def test_rows_at_hand_hide_no_failure_of_the_disk(folder):
    with open_settled(folder, read_only=False) as store:

        class Broken:
            """A connection to a database whose disk failed."""

            def register(self, *_):
                """Take the rows."""

            def unregister(self, _):
                raise duckdb.FatalException("database has been invalidated")

        store, connection = Store(Broken(), store.path, False), store
        with (
            pytest.raises(WorkspaceError, match="disk failed"),
            store.staged(rows={"number": np.arange(3)}),
        ):
            raise WorkspaceError("The disk failed.")
        connection.close()


def test_what_a_killed_process_had_half_written_goes_with_the_next_writing(folder):
    program = (
        "import os, sys, pathlib\n"
        "from localrec.foundation.atomic_files import write_atomically\n"
        "write_atomically(pathlib.Path(sys.argv[1]), lambda path: os.kill(os.getpid(), 9))\n"
    )
    indexes = folder / "indexes"
    indexes.mkdir(mode=0o700, exist_ok=True)
    subprocess.run([sys.executable, "-c", program, indexes / "x.npy"], check=False)
    assert len(list(indexes.glob("x.npy.*.tmp"))) == 1
    mine = indexes / f"y.npy.{os.getpid()}-00000000.tmp"
    mine.write_bytes(b"half")
    with open_settled(folder, read_only=True):
        pass
    assert len(list(indexes.glob("*.tmp"))) == 2
    open_settled(folder, read_only=False).close()
    assert list(indexes.glob("*.tmp")) == [mine]  # its process lives


def test_what_an_export_left_goes_when_it_is_made_again(tmp_path):
    (tmp_path / "h.csv.4194305-0123abcd.tmp").write_bytes(b"no process has this number")
    (tmp_path / "h.csv.old.tmp").write_bytes(b"somebody's own")
    write_atomically(tmp_path / "h.csv", b"whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["h.csv", "h.csv.old.tmp"]


@pytest.fixture
def ratings(tmp_path):
    """A data set of many users, small."""
    folder = tmp_path / "ml"
    folder.mkdir()
    rows = "".join(f"{number % 50},1,4.0,{964982703 + number}\n" for number in range(1, 500))
    (folder / "ratings.csv").write_text(f"userId,movieId,rating,timestamp\n{rows}")
    (folder / "movies.csv").write_text("movieId,title,genres\n1,Alpha Dog (2006),Crime\n")
    return folder


def test_a_file_that_is_written_to_between_its_check_and_its_storing_is_refused(ratings, folder):
    movies = load_domain("movies")
    found = read_export("movielens", ratings, movies)
    os.utime(found.files[0], (1, 1))
    with (
        pytest.raises(InputError, match="changed while it was read"),
        OpenWorkspace(folder, writable=True, may_read=found.files) as opened,
    ):
        opened.imports.import_history(found, movies, None)
    with open_settled(folder, read_only=True) as store:
        assert store.rows("SELECT count(*) FROM users WHERE domain = 'movies'") == [(0,)]


def test_an_export_that_changes_while_it_is_read_is_refused(ratings, monkeypatch):
    from localrec.sources.movielens import MovieLensSource

    read = MovieLensSource.read

    def slow(self, path, *arguments):
        found = read(self, path, *arguments)
        with (ratings / "movies.csv").open("a") as file:
            file.write("2,Beta (2001),Drama\n")
        return found

    monkeypatch.setattr(MovieLensSource, "read", slow)
    with pytest.raises(InputError, match=r"movies\.csv changed while it was read"):
        read_export("movielens", ratings, load_domain("movies"))


def test_what_an_import_reports_is_what_the_store_holds(ratings, folder):
    movies = load_domain("movies")
    found = read_export("movielens", ratings, movies)
    with OpenWorkspace(folder, writable=True, may_read=found.files) as opened:
        report = opened.imports.import_history(found, movies, None)
    with open_settled(folder, read_only=True) as store:
        [[rows]] = store.rows("SELECT count(*) FROM interactions WHERE source = 'movielens'")
    assert report.kept == rows + 1  # and one film


def test_two_forgettings_in_a_row_leave_a_store_that_takes_new_rows(folder):
    from localrec.privacy.erasure_plan import ForgetScope
    from localrec.privacy.forget import forget

    for user in ("anna", "bob"):
        with open_settled(folder, read_only=False) as store:
            item = store.rows("SELECT node_id FROM node WHERE kind = 'cocktail' LIMIT 1")[0][0]
            interactions.store_feedback(store, "cocktails", user, item, Event.LIKED)
    for user in ("anna", "bob"):
        forget(folder, ForgetScope(user=user), dry_run=False, progress=lambda *_: None)
    with Store.open_(folder / "store.duckdb") as store:
        interactions.store_feedback(store, "cocktails", "carl", item, Event.LIKED)


def test_an_item_that_a_forgotten_user_brought_goes_with_the_last_who_held_it(tmp_path):
    export = tmp_path / "films"
    export.mkdir()
    (export / "ratings.csv").write_text(
        "Date,Name,Year,Letterboxd URI,Rating\n2024-05-01,Heat,1995,https://boxd.it/heat,4\n"
    )
    folder = tmp_path / "workspace"
    with Workspace(folder, hold_s=0.0) as workspace:
        workspace.import_file(export, "letterboxd", user="zoe")
        workspace.feedback("anna", "Heat", "not-now")
        workspace.forget(user="zoe")
        assert _items(folder) == ["Heat"]
        workspace.undo_feedback("anna")
        workspace.feedback("anna", "Heat", "seen")
        workspace.feedback("bob", "Heat", "like")
        workspace.forget(user="bob")
        assert _items(folder) == ["Heat"]  # anna has seen it
        workspace.undo_feedback("anna")
        workspace.forget(user="anna")
        assert _items(folder) == []


def test_a_user_with_the_number_of_a_forgotten_item_is_no_trace_of_it(ratings):
    folder = ratings.parent / "workspace"
    with Workspace(folder, hold_s=0.0) as workspace:
        workspace.import_file(ratings, "movielens")
        assert not workspace.forget(item="1").found
    assert _items(folder) == []


def test_a_new_user_and_their_shelf_come_together(folder, monkeypatch):
    from localrec.graph import shelf_store

    def dies(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(shelf_store, "add_to_shelf", dies)
    with Workspace(folder, hold_s=0.0) as workspace, pytest.raises(KeyboardInterrupt):
        workspace.shelf.add("zoe", "gin")
    with open_settled(folder, read_only=True) as store:
        assert store.rows("SELECT key FROM node WHERE key = 'zoe'") == []


def _items(folder):
    with open_settled(folder, read_only=True) as store:
        return [name for (name,) in store.rows("SELECT name FROM items")]
