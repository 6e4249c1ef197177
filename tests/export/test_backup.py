"""Backup and restore: all of it and checked, or nothing changed."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from localrec.export import restore as restoring
from localrec.export.backup import back_up, check_backup, table_counts
from localrec.export.restore import restore_backup
from localrec.foundation.errors import InputError, LocalrecError, UsageError, WorkspaceError
from localrec.graph.journal import STORE, open_settled
from localrec.graph.kept_copies import kept_copies
from tests.planted import planted_store


@pytest.fixture
def folder(workspace_path: Path) -> Path:
    """A workspace with a store, settings, a run, a cache and a log."""
    planted_store(workspace_path).close()
    for name in ("settings.toml", "runs/may/cases.jsonl", "indexes/x.npy", "logs/model.log"):
        path = workspace_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {name}\n")
    return workspace_path


@pytest.fixture
def backup(folder: Path, tmp_path: Path) -> Path:
    back_up(folder, tmp_path / "b.zip")
    return tmp_path / "b.zip"


def state_of(folder: Path) -> dict[str, str]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {
        path.relative_to(folder).as_posix(): sha256(path.read_bytes()).hexdigest() for path in files
    }


def rewritten(backup: Path, change: Callable[[str, bytes], bytes], **more: bytes) -> Path:
    """The same archive with other contents, its checksums right as an archive."""
    with zipfile.ZipFile(backup) as old:
        contents = {name: change(name, old.read(name)) for name in old.namelist()}
    with zipfile.ZipFile(backup, "w") as new:
        for name, content in {**contents, **more}.items():
            new.writestr(name, content)
    return backup


def in_manifest(change: Callable[[dict], None]) -> Callable[[str, bytes], bytes]:
    def changed(name: str, content: bytes) -> bytes:
        if name != "manifest.json":
            return content
        manifest = json.loads(content)
        change(manifest)
        return json.dumps(manifest).encode()

    return changed


class TestABackup:
    def test_holds_what_belongs_to_the_user_and_no_cache(self, folder, backup):
        files = {file.path for file in check_backup(backup).files}
        assert files == {STORE, "settings.toml", "runs/may/cases.jsonl"}

    def test_is_for_its_owner_alone_and_counts_the_rows_of_the_store(self, folder, backup):
        assert backup.stat().st_mode & 0o777 == 0o600
        with open_settled(folder, read_only=True) as store:
            assert check_backup(backup).rows == table_counts(store)

    def test_of_unchanged_files_leaves_the_workspace_as_it_was(self, folder, tmp_path):
        back_up(folder, tmp_path / "a.zip")
        before = state_of(folder)
        back_up(folder, tmp_path / "b.zip")
        assert state_of(folder) == before

    def test_never_lies_in_the_workspace_and_replaces_nothing_unasked(self, folder, backup):
        with pytest.raises(UsageError, match="inside the workspace"):
            back_up(folder, folder / "b.zip")
        with pytest.raises(UsageError, match="already"):
            back_up(folder, backup)
        with pytest.raises(UsageError, match="is a file"):
            back_up(folder, backup.parent / "no such folder" / "b.zip")
        assert back_up(folder, backup, force=True).files == 3

    def test_keeps_its_lock_until_it_is_done(self, folder, tmp_path, localrec_command):
        import subprocess

        def busy(what: str, done: int, _: int) -> None:
            if what == "checking the backup" and not codes:
                done_ = subprocess.run(
                    [*localrec_command, "--workspace", str(folder), "memory", "jobs", "--pause"],
                    capture_output=True, check=False,
                )  # fmt: skip
                codes.append(done_.returncode)

        codes: list[int] = []
        back_up(folder, tmp_path / "b.zip", progress=busy)
        assert codes == [3]

    def test_of_nothing_is_refused(self, tmp_path):
        with pytest.raises(WorkspaceError, match="nothing in the workspace"):
            back_up(tmp_path, tmp_path / "b.zip")


class TestARestore:
    def test_brings_back_every_byte_and_drops_what_came_since(self, folder, backup):
        before = state_of(folder)
        (folder / "runs/june").mkdir()
        (folder / "runs/june/cases.jsonl").write_text("later")
        (folder / "settings.toml").write_text("changed = true")
        with open_settled(folder, read_only=False) as store:
            store.execute("DELETE FROM edge")
        restore_backup(folder, backup)
        after = state_of(folder)
        assert not {"runs/june/cases.jsonl", "indexes/x.npy"} & set(after)
        for name in (STORE, "settings.toml", "runs/may/cases.jsonl", "logs/model.log"):
            assert after[name] == before[name]

    def test_works_into_a_folder_that_is_not_there(self, folder, backup, tmp_path):
        restore_backup(tmp_path / "new", backup)
        assert state_of(tmp_path / "new")[STORE] == state_of(folder)[STORE]
        modes = {path.stat().st_mode & 0o077 for path in (tmp_path / "new").rglob("*")}
        assert modes == {0}

    def test_keeps_the_store_of_just_now(self, folder, backup):
        with open_settled(folder, read_only=False) as store:
            store.execute("INSERT INTO meta VALUES ('mark', 'mine')")
        restore_backup(folder, backup)
        assert [copy.before for copy in kept_copies(folder)] == ["a restore"]
        restoring.go_back(folder)
        with open_settled(folder, read_only=True) as store:
            assert store.rows("SELECT value FROM meta WHERE key = 'mark'") == [("mine",)]

    def test_that_only_checks_changes_nothing(self, folder, backup):
        before = state_of(folder)
        assert restore_backup(folder, backup, dry_run=True).files == 3
        assert state_of(folder) == before

    @pytest.mark.parametrize(
        "damage",
        [
            lambda name, content: content[:-1] if name == "settings.toml" else content,
            lambda name, content: content + b"x" if name == STORE else content,
            lambda name, content: content[::-1] if name == "manifest.json" else content,
            in_manifest(lambda manifest: manifest["files"].pop()),
            in_manifest(lambda manifest: manifest["files"][1].update(path="../outside")),
            in_manifest(lambda manifest: manifest["files"][1].update(sha256="0" * 64)),
        ],
    )
    def test_of_a_changed_backup_is_refused_and_changes_nothing(self, folder, backup, damage):
        before = state_of(folder)
        with pytest.raises(InputError):
            restore_backup(folder, rewritten(backup, damage))
        assert state_of(folder) == before

    @pytest.mark.parametrize(
        "path", ["../x", "/x", "a/../../x", "a\\x", "C:x", "forgetting.json", "indexes/x", "a//b"]
    )
    def test_writes_no_file_outside_the_workspace(self, folder, backup, path):
        def rename(manifest: dict) -> None:
            manifest["files"].append({"path": path, "bytes": 1, "sha256": sha256(b"x").hexdigest()})

        before = state_of(folder)
        with pytest.raises(InputError):
            restore_backup(folder, rewritten(backup, in_manifest(rename), **{path: b"x"}))
        assert state_of(folder) == before

    def test_of_a_newer_localrec_is_refused_in_a_sentence(self, folder, backup):
        newer = rewritten(backup, in_manifest(lambda manifest: manifest.update(schema=99)))
        with pytest.raises(InputError, match="schema 99") as told:
            restore_backup(folder, newer)
        assert "Upgrade" in told.value.hint

    @pytest.mark.parametrize("content", [b"", b"text", b"PK\x03\x04 cut"])
    def test_of_another_file_is_refused(self, folder, tmp_path, content):
        (tmp_path / "x.zip").write_bytes(content)
        with pytest.raises(InputError, match="no backup"):
            restore_backup(folder, tmp_path / "x.zip")
        with pytest.raises(InputError, match="no file"):
            restore_backup(folder, tmp_path / "missing.zip")

    @pytest.mark.parametrize("written", range(3))
    def test_that_fails_half_way_leaves_the_workspace(self, folder, backup, monkeypatch, written):
        calls = iter(range(written))

        def full(path: Path) -> None:
            if next(calls, None) is None:
                raise OSError(28, "No space left on device", str(path))

        before = state_of(folder)
        monkeypatch.setattr(restoring, "sync", full)
        with pytest.raises(LocalrecError, match="no room"):
            restore_backup(folder, backup)
        left = {name: mark for name, mark in state_of(folder).items() if "backups" not in name}
        assert left == before
