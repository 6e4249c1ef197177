"""Parts of files outside of the workspace go with the next command after a kill, and only they."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from localrec.foundation.atomic_files import temporary_path
from localrec.foundation.unfinished_parts import clear_unfinished, noted

WRITES = """
import os, sys, pathlib
from localrec.foundation.atomic_files import temporary_path
from localrec.foundation.unfinished_parts import noted
workspace, target = map(pathlib.Path, sys.argv[1:])
part = temporary_path(target)
with noted([part, target], workspace):
    part.write_bytes(b"what anna likes")
    os.kill(os.getpid(), 9)
"""


@pytest.fixture
def killed(tmp_path):
    """A workspace, and a folder with a part that a killed process left and a whole file."""
    workspace, out = tmp_path / "workspace", tmp_path / "out"
    workspace.mkdir()
    out.mkdir()
    (out / "history.csv").write_bytes(b"whole")
    subprocess.run(
        [sys.executable, "-c", WRITES, workspace, out / "history.csv"], check=False, timeout=60
    )
    assert len(list(out.iterdir())) == 2
    return workspace, out


def test_what_a_killed_process_left_goes_with_its_note(killed):
    workspace, out = killed
    clear_unfinished(workspace)
    assert [path.name for path in out.iterdir()] == ["history.csv"]  # though the note names it
    assert list(workspace.iterdir()) == []


def test_what_is_being_written_stays(tmp_path):
    part = tmp_path / "history.csv.1-00000000.tmp"
    part.write_bytes(b"half")
    with noted([part], tmp_path):
        clear_unfinished(tmp_path)
        assert part.exists()
        assert len(list(tmp_path.glob("unfinished.*"))) == 1
    assert list(tmp_path.glob("unfinished.*")) == []


def test_what_fails_takes_its_parts_along_and_nothing_else(tmp_path):
    """Ctrl+C can come after a part was made, and before its maker has promised to remove it."""
    part, whole = temporary_path(tmp_path / "history.csv"), tmp_path / "history.csv"
    whole.write_bytes(b"whole")
    with pytest.raises(KeyboardInterrupt), noted([part, whole], tmp_path):
        part.write_bytes(b"half")
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == [whole]


def test_half_a_note_goes_and_takes_nothing_with_it(killed):
    workspace, out = killed
    [note] = workspace.iterdir()
    note.write_bytes(note.read_bytes()[:10])
    clear_unfinished(workspace)
    assert list(workspace.iterdir()) == []
    assert len(list(out.iterdir())) == 2


def test_without_a_workspace_nothing_is_noted(tmp_path):
    with noted([tmp_path / "x"], tmp_path / "nowhere"):
        assert not (tmp_path / "nowhere").exists()


def test_a_workspace_that_may_only_be_read_hinders_nobody(killed, monkeypatch):
    workspace, out = killed

    def refuses(*_arguments, **_options):
        raise PermissionError(13, os.strerror(13))

    with monkeypatch.context() as patch:
        for name in ("write_bytes", "unlink"):
            patch.setattr(Path, name, refuses)
        clear_unfinished(workspace)
        with noted([out / "other.csv"], workspace):
            pass
    assert len(list(workspace.iterdir())) == 1  # the note of the killed one, for another time
