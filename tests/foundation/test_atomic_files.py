"""A cache file is the old one or the new one, whatever happens in between."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import numpy as np
import pytest

from localrec.foundation.atomic_files import (
    atomic_file,
    atomic_folder,
    file_checksum,
    short_digest,
    sync,
    write_atomically,
)
from localrec.index.cached_arrays import save_array


@pytest.fixture
def path(tmp_path):
    kept = tmp_path / "kept.npy"
    kept.write_bytes(b"old")
    return kept


def test_a_file_is_replaced_and_its_checksum_told(path):
    numbers = np.arange(10, dtype=np.int32)
    checksum = write_atomically(path, lambda beside: save_array(beside, numbers))
    assert checksum == file_checksum(path)
    assert np.load(path).tolist() == numbers.tolist()
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_what_is_cut_off_leaves_the_old_file_alone(path, error):
    def save_half(beside):
        beside.write_bytes(b"ne")
        raise error

    with pytest.raises(BaseException) as raised:  # Ctrl+C is no Exception
        write_atomically(path, save_half)
    assert raised.type in (KeyboardInterrupt, OSError)
    assert path.read_bytes() == b"old"
    assert list(path.parent.iterdir()) == [path]


def test_the_disk_has_it_before_it_takes_the_old_ones_place(path, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(path.read_bytes()))
    write_atomically(path, lambda beside: beside.write_bytes(b"new"))
    assert synced == [b"old"]
    assert path.read_bytes() == b"new"


def test_only_its_owner_may_read_it(path):
    write_atomically(path, lambda beside: beside.write_bytes(b"new"))
    assert path.stat().st_mode & 0o777 == 0o600


def test_one_changed_byte_is_another_checksum(path):
    before = file_checksum(path)
    path.write_bytes(b"olf")
    assert file_checksum(path) != before


def test_marks_of_texts_do_not_run_into_each_other():
    assert short_digest("ab", "c") != short_digest("a", "bc")
    assert short_digest("ab") == short_digest("ab")


def test_what_is_for_all_to_read_follows_the_umask(path):
    path.unlink()
    before = os.umask(0o027)
    try:
        write_atomically(path, b"new", private=False)
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o640


GONE = 2**22 + 1  # a number that Linux gives to no process


def test_writing_a_file_removes_no_folder_of_somebody_s(path):
    theirs = path.parent / f"{path.name}.{GONE}-0123abcd.tmp"
    theirs.mkdir()
    write_atomically(path, b"new")
    assert theirs.is_dir()


def test_writing_a_file_removes_its_own_leftovers_and_no_other_file_s(path):
    own, other = (
        path.parent / f"{name}.{GONE}-0123abcd.tmp" for name in (path.name, f"{path.name}.bak")
    )
    for one in (own, other):
        one.write_bytes(b"half")
    write_atomically(path, b"new")
    assert (own.exists(), other.exists()) == (False, True)


def test_what_is_no_loss_is_not_waited_for(path, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", synced.append)
    write_atomically(path, b"new", is_synced=False)
    assert (path.read_bytes(), synced) == (b"new", [])


def test_a_file_is_old_until_the_block_ends(path):
    with atomic_file(path) as part:
        part.write_bytes(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert list(path.parent.iterdir()) == [path]


def test_a_temporary_file_of_another_process_is_refused_and_stays(path):
    theirs = path.with_name("theirs.tmp")
    theirs.write_bytes(b"half")
    with pytest.raises(FileExistsError):
        write_atomically(path, b"new", beside=theirs)
    assert (theirs.read_bytes(), path.read_bytes()) == (b"half", b"old")


@pytest.fixture
def folder(tmp_path):
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "old").touch()
    return kept


def names_in(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_a_folder_is_old_until_the_block_ends_and_then_its_owners_alone(folder):
    with atomic_folder(folder) as ready:
        (ready / "new").touch()
        assert names_in(folder) == ["old"]
    assert names_in(folder.parent) == ["kept", "kept/new"]
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_may_not_be_replaced_stays_and_the_new_one_goes(folder):
    with pytest.raises(OSError, match="not empty"), atomic_folder(folder, can_replace=False):
        pass
    assert names_in(folder.parent) == ["kept", "kept/old"]


@pytest.mark.skipif(os.name != "posix", reason="Windows replaces no folder")
def test_an_empty_folder_is_replaced_whether_or_not_that_was_allowed(folder):
    (folder / "old").unlink()
    with atomic_folder(folder, can_replace=False) as ready:
        (ready / "new").touch()
    assert names_in(folder) == ["new"]


def test_a_folder_that_is_cut_off_leaves_the_old_one_alone(folder):
    with pytest.raises(KeyboardInterrupt), atomic_folder(folder) as ready:
        (ready / "half").touch()
        raise KeyboardInterrupt
    assert names_in(folder.parent) == ["kept", "kept/old"]


def test_the_names_in_a_folder_are_waited_for(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", synced.append)
    sync(tmp_path)
    assert len(synced) == 1


def renamings(text):
    """Calls of a module that rename a file: `replace` of one argument, `rename` and `move`."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            whole = ast.unparse(node.func)
            bare = whole.rpartition(".")[2]
            one = len(node.args) == 1 and not node.keywords
            if bare == "rename" or (bare == "replace" and one) or whole.startswith("shutil.move"):
                yield ast.unparse(node)


def test_nothing_else_writes_beside_a_file_and_renames():
    """docs/design.md, "What a library does", says why the other three rename what was written."""
    checkout = Path(__file__).resolve().parents[2]
    found = {}
    for path in sorted([*checkout.glob("localrec/**/*.py"), *checkout.glob("tui/**/*.py")]):
        if some := list(renamings(path.read_text("utf-8"))):
            found[path.name] = len(some)
    assert found == {"atomic_files.py": 3, "journal.py": 1, "transfers.py": 2}
