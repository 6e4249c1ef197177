"""Forgetting in a whole workspace: every file, a search that does find, and death at each step."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from localrec.foundation.errors import BusyError, UsageError, WorkspaceError
from localrec.graph.history_ingest import ingest_history
from localrec.graph.journal import finish_forgetting, open_settled
from localrec.graph.store import Store
from localrec.privacy.erasure_plan import ForgetScope
from localrec.privacy.forget import ForgetReceipt, forget
from tests.graph.test_erasure_plan import ANNABELLE, BOB, HER_NOTE, ONLY_HERS, SHARED, history
from tests.planted import BAR, planted_store

HERS = ForgetScope(user=ANNABELLE)
ANSWERS = [{"id": "1", "user": ANNABELLE}, {"id": "2", "user": BOB}, {"id": "3", "note": HER_NOTE}]


@pytest.fixture
def folder(workspace_path: Path) -> Path:
    """A workspace with two people, caches, runs, logs, a spill and a log of the store."""
    with planted_store(workspace_path) as store:
        for user, own, shelf in ((ANNABELLE, ONLY_HERS, "balcony"), (BOB, "pier-sour", "harbour")):
            told = history(
                user, own, SHARED, note=HER_NOTE if user == ANNABELLE else "", shelf=shelf
            )
            ingest_history(store, BAR, told, by=user)
    for name, content in {
        "indexes/drinks.vectors.npy": ONLY_HERS,
        "logs/model.log": ANNABELLE,
        "spill/duckdb_temp_0.tmp": "x",
        "import.part": "x",
        "runs/may/answers.jsonl": "".join(json.dumps(one) + "\n" for one in ANSWERS),
        "runs/may/report.json": json.dumps({"users": [ANNABELLE]}),
        "runs/may/figures.json": json.dumps({"users": 2}),
        "runs/annabelle.k.md": "a report",
        "questions.jsonl": json.dumps({"id": "q", "query": "gin"}) + "\n",
        "settings.toml": "threads = 2\n",
        "adapters/taste/card.json": json.dumps({"trained_on": ["cocktails"]}),
        "adapters/films/card.json": json.dumps({"trained_on": ["movies"]}),
    }.items():
        path = workspace_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return workspace_path


def run(folder: Path, scope: ForgetScope = HERS, *, dry_run: bool = False) -> ForgetReceipt:
    return forget(folder, scope, dry_run=dry_run, progress=lambda *_: None)


def state_of(folder: Path) -> dict[str, tuple[int, int, str]]:
    """Every file's mode, time of change and content."""
    return {
        path.relative_to(folder).as_posix(): (
            path.lstat().st_mode,
            path.lstat().st_mtime_ns,
            sha256(path.read_bytes()).hexdigest() if path.is_file() else "",
        )
        for path in folder.rglob("*")
    }


def users(folder: Path) -> list[str]:
    with open_settled(folder, read_only=True) as store:
        rows = store.rows("SELECT key FROM node WHERE kind = 'user' ORDER BY 1")
    return [key for (key,) in rows]


class TestEveryFile:
    def test_that_is_a_cache_or_a_log_goes(self, folder):
        receipt = run(folder)
        gone = {fate.path for fate in receipt.files if fate.action == "removed"}
        assert gone == {
            "indexes/drinks.vectors.npy",
            "logs/model.log",
            "spill/duckdb_temp_0.tmp",
            "import.part",
            "runs/may/report.json",
            "runs/annabelle.k.md",
        }
        assert not [name for name in gone if (folder / name).exists()]

    def test_of_lines_loses_only_those_that_mention_them(self, folder):
        receipt = run(folder)
        (rewritten,) = [fate for fate in receipt.files if fate.action == "rewritten"]
        assert (rewritten.path, rewritten.lines) == ("runs/may/answers.jsonl", 2)
        left = (folder / rewritten.path).read_text(encoding="utf-8")
        assert left == json.dumps(ANSWERS[1]) + "\n"

    def test_that_says_nothing_of_them_stays_as_it_is(self, folder):
        kept = ("runs/may/figures.json", "questions.jsonl", "settings.toml")
        before = state_of(folder)
        run(folder)
        after = state_of(folder)
        assert [after[name] for name in kept] == [before[name] for name in kept]

    def test_that_was_only_prepared_is_gone(self, folder):
        run(folder)
        assert not [name for name in state_of(folder) if "forgetting" in name or ".wal" in name]

    def test_of_the_new_state_is_for_its_owner_alone(self, folder):
        run(folder)
        for name in ("store.duckdb", "runs/may/answers.jsonl"):
            assert (folder / name).stat().st_mode & 0o777 == 0o600


class TestTheReceipt:
    def test_counts_what_was_removed_and_found_nothing(self, folder):
        receipt = run(folder)
        assert receipt.rows["interaction"] == 2
        assert receipt.rows["import_receipt"] == 1
        assert (receipt.found, receipt.namesakes) == ((), ())
        assert receipt.searched is not None
        assert receipt.searched.keys == 1
        assert receipt.searched.files == len([p for p in folder.rglob("*") if p.is_file()])

    def test_names_adapters_that_learnt_from_it(self, folder):
        assert run(folder).adapters == ("taste",)

    def test_names_links_nobody_looked_behind(self, folder, tmp_path):
        (folder / "elsewhere").symlink_to(tmp_path)
        receipt = run(folder)
        assert receipt.searched is not None
        assert receipt.searched.unread == ("elsewhere",)

    def test_of_a_dry_run_foretells_the_real_one_and_changes_no_byte(self, folder):
        before = state_of(folder)
        foretold = run(folder, dry_run=True)
        assert state_of(folder) == before
        done = run(folder)
        assert (foretold.rows, foretold.files) == (done.rows, done.files)

    def test_is_not_given_a_second_time_since_nobody_is_called_so(self, folder):
        run(folder)
        before = state_of(folder)
        with pytest.raises(UsageError, match=f"Nobody called '{ANNABELLE}'"):
            run(folder)
        assert state_of(folder) == before


_SCRIBBLES = """
import os, sys
from pathlib import Path
from localrec.graph.store import Store

store = Store.open_(Path(sys.argv[1]))
store.execute("INSERT INTO interaction SELECT u.node_id, i.node_id, 'liked', NULL, NULL, 1, "
              "'feedback', ? FROM node u, node i WHERE u.key = ? AND i.key = 'negroni'",
              sys.argv[2:])
os.kill(os.getpid(), 9)
"""


class TestThePlantedTrace:
    """Without these an empty list of traces would prove nothing."""

    @pytest.mark.parametrize(
        "content",
        [
            f"dear diary, {ANNABELLE} was here".encode(),
            f"user;{ANNABELLE}".encode("utf-16"),
            json.dumps({"said": HER_NOTE}).encode(),
            b"\xff" * 5_000_000 + ANNABELLE.encode() + b"\xff" * 5_000_000,
        ],
    )
    def test_in_a_file_is_found(self, folder, content):
        (folder / "diary.txt").write_bytes(content)
        assert [trace.place for trace in run(folder).found] == ["diary.txt"]
        assert (folder / "diary.txt").read_bytes() == content

    def test_in_the_name_of_a_file_is_found(self, folder):
        (folder / f"{ANNABELLE}.txt").touch()
        assert [trace.what for trace in run(folder).found] == ["key"]

    def test_in_rows_is_found_though_hardly_a_byte_of_the_file_shows_it(self, folder):
        with Store.open_(folder / "store.duckdb") as store:
            store.execute(
                "INSERT INTO meta SELECT 'k' || i, 'day ' || i || ': with ' || ? || ' at the bar' "
                "FROM range(100000) r(i)",
                [ANNABELLE],
            )
        found = {trace.place: trace.count for trace in run(folder).found}
        assert found["meta.value"] == 100_000
        assert found.get("store.duckdb", 0) < 10_000  # compressed: bytes alone are no proof

    def test_in_the_log_of_a_store_that_was_killed_goes_with_it(self, folder):
        note = "Scribbled before the lights went out"
        killed = subprocess.run(
            [sys.executable, "-c", _SCRIBBLES, folder / "store.duckdb", note, ANNABELLE],
            check=False,
        )
        assert killed.returncode == -signal.SIGKILL
        log = folder / "store.duckdb.wal"
        assert note.encode() in log.read_bytes()
        assert log.stat().st_mode & 0o777 == 0o600
        receipt = run(folder)
        assert receipt.rows["interaction"] == 3
        assert not log.exists()
        assert not [p for p in folder.rglob("*") if p.is_file() and note.encode() in p.read_bytes()]

    def test_left_in_the_file_by_a_deletion_goes(self, folder):
        with Store.open_(folder / "store.duckdb") as store:
            store.execute("DELETE FROM interaction WHERE note = ?", [HER_NOTE])
            store.execute("CHECKPOINT")
        assert HER_NOTE.encode() in (folder / "store.duckdb").read_bytes()
        run(folder)
        assert HER_NOTE.encode() not in (folder / "store.duckdb").read_bytes()


class TestAShortName:
    @pytest.fixture
    def folder_of_a(self, workspace_path: Path) -> Path:
        """A workspace with somebody called "a", and a picture whose bytes spell it by chance."""
        with planted_store(workspace_path) as store:
            for user, shelf in (("a", "balcony"), (BOB, "a")):
                ingest_history(store, BAR, history(user, SHARED, note="", shelf=shelf), by=user)
        (workspace_path / "photo.png").write_bytes(b'\x89PNG\xf3"a"\x9c\x11"a"\xe0')
        return workspace_path

    def test_is_forgotten_without_a_false_alarm(self, folder_of_a):
        receipt = run(folder_of_a, ForgetScope(user="a"))
        assert receipt.found == ()
        assert "edge.properties" in {trace.place for trace in receipt.namesakes}

    def test_is_found_where_a_program_wrote_it(self, folder_of_a):
        (folder_of_a / "diary.json").write_text(json.dumps({"met": ["a"]}), encoding="utf-8")
        found = run(folder_of_a, ForgetScope(user="a")).found
        assert [(trace.place, trace.what) for trace in found] == [("diary.json", "key")]


# Runs a forgetting whose process is killed, for good, at the Nth call of a step.
_DIES = """
import os, signal, sys
from pathlib import Path
from localrec.foundation import atomic_files
from localrec.graph import journal
from localrec.privacy import forget, store_rewrite, sweep
from localrec.privacy.erasure_plan import ForgetScope

folder, place, calls = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
module, name = place.rsplit(".", 1)
owner = {"forget": forget, "journal": journal, "sweep": sweep,
         "store_rewrite": store_rewrite, "atomic_files": atomic_files, "Path": Path}[module]
real, left = getattr(owner, name), calls

def mortal(*arguments, **named):
    global left
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*arguments, **named)

setattr(owner, name, mortal)
forget.forget(folder, ForgetScope(user=sys.argv[4]), dry_run=False, progress=lambda *_: None)
"""
_BEFORE = [
    ("forget.copy_remaining_rows", 1),
    ("store_rewrite._mend_receipts", 1),
    ("store_rewrite._copy_sequences", 1),
    ("store_rewrite.sync", 1),
    ("forget.prepare_rewritten", 1),
    ("sweep.sync", 1),
    ("forget.commit", 1),
    ("atomic_files.sync", 1),
    ("Path.replace", 1),
]
_BEHIND = [
    ("journal.sync", 1),
    ("forget.finish_forgetting", 1),
    *(("Path.replace", count) for count in (2, 3)),
    *(("journal.sync", count) for count in (2, 3)),
    ("forget._look_again", 1),
]


class TestDeath:
    @pytest.fixture
    def dies_at(self, folder: Path) -> Callable[[str, int], None]:
        """Kills a forgetting with SIGKILL at a step of its own process."""

        def die(place: str, calls: int) -> None:
            arguments = [folder, place, str(calls), ANNABELLE]
            killed = subprocess.run([sys.executable, "-c", _DIES, *arguments], check=False)
            assert killed.returncode == -signal.SIGKILL, "it ran past the step"

        return die

    @pytest.mark.parametrize(("place", "calls"), _BEFORE)
    def test_before_the_journal_leaves_the_old_state(self, folder, dies_at, place, calls):
        kept = [p for p in folder.rglob("*") if p.is_file() and p.name != "store.duckdb"]
        before = {path: path.read_bytes() for path in kept}
        dies_at(place, calls)
        assert users(folder) == [ANNABELLE, BOB]
        assert {path: path.read_bytes() for path in kept} == before
        assert not list(folder.rglob("*forgetting*"))
        assert run(folder).found == ()

    @pytest.mark.parametrize(("place", "calls"), _BEHIND)
    def test_behind_the_journal_leaves_the_new_state(self, folder, dies_at, place, calls):
        dies_at(place, calls)
        assert users(folder) == [BOB]
        assert not list(folder.rglob("*forgetting*"))
        assert not (folder / "runs" / "annabelle.k.md").exists()
        with pytest.raises(UsageError):
            run(folder)
        hers = (ANNABELLE.encode(), HER_NOTE.encode())
        left = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
        assert not [content for content in left for one in hers if one in content]

    def test_leaves_no_key_in_the_journal(self, folder, dies_at):
        dies_at("forget.finish_forgetting", 1)
        journal = (folder / "forgetting.json").read_bytes()
        assert journal
        assert ANNABELLE.encode() not in journal

    def test_of_the_one_who_tidies_up_is_survived_too(self, folder, dies_at, monkeypatch):
        dies_at("forget.finish_forgetting", 1)
        monkeypatch.setattr("localrec.graph.journal.sync", _raise)
        with pytest.raises(KeyboardInterrupt):
            finish_forgetting(folder)
        monkeypatch.undo()
        assert users(folder) == [BOB]

    def test_by_ctrl_c_tidies_up_at_once(self, folder, monkeypatch):
        monkeypatch.setattr("localrec.privacy.forget.prepare_rewritten", _raise)
        with pytest.raises(KeyboardInterrupt):
            run(folder)
        assert not list(folder.rglob("*forgetting*"))
        assert users(folder) == [ANNABELLE, BOB]


def _raise(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


class TestOthers:
    def test_who_have_the_store_open_are_named(self, folder, monkeypatch):
        code = (
            "import sys; from pathlib import Path; from localrec.graph.store import Store\n"
            "with Store.open_(Path(sys.argv[1]), read_only=True):\n"
            "    print('open', flush=True); sys.stdin.read()\n"
        )
        with subprocess.Popen(
            [sys.executable, "-c", code, folder / "store.duckdb"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as reader:
            assert reader.stdout is not None
            assert reader.stdout.readline() == b"open\n"
            before = state_of(folder)
            with pytest.raises(BusyError, match=str(reader.pid)):
                run(folder)
            assert state_of(folder) == before
            assert run(folder, dry_run=True).rows

    def test_who_waited_for_the_old_file_get_the_new_one(self, folder, monkeypatch):
        opened = Store.open_.__func__
        swaps = iter([True])

        def open_while_somebody_forgets(path: Path, **options: object) -> Store:
            store = opened(Store, path, **options)
            if next(swaps, False):
                (folder / "beside").write_bytes(path.read_bytes())
                (folder / "beside").replace(path)
            return store

        monkeypatch.setattr(Store, "open_", open_while_somebody_forgets)
        before = (folder / "store.duckdb").stat().st_ino
        with open_settled(folder, read_only=True) as store:
            assert store.rows("SELECT count(*) > 0 FROM node") == [(True,)]
        assert next(swaps, "asked twice") == "asked twice"
        assert (folder / "store.duckdb").stat().st_ino != before

    def test_are_told_when_the_disk_is_too_full(self, folder, monkeypatch):
        monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 10})())
        with pytest.raises(WorkspaceError, match="has 10 left"):
            run(folder)
        assert users(folder) == [ANNABELLE, BOB]

    def test_are_told_when_there_is_no_store(self, tmp_path):
        with pytest.raises(WorkspaceError, match="nothing in the workspace"):
            run(tmp_path)
