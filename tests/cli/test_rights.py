"""All that the program writes is its owner's alone, whatever the umask says."""

from __future__ import annotations

import json
import os
import stat

import pytest


@pytest.fixture
def open_to_all():
    before = os.umask(0o000)
    yield
    os.umask(before)


def others_may(folder):
    return [path for path in folder.rglob("*") if stat.S_IMODE(path.lstat().st_mode) & 0o077]


def test_also_beside_the_workspace(open_to_all, own_workspace, run_localrec, tmp_path):
    out = tmp_path / "out"
    out.mkdir(mode=0o700)
    (tmp_path / "q.jsonl").write_text(json.dumps({"id": "1", "query": "a sour"}) + "\n")
    request = {"id": "1", "candidates": ["negroni", "gimlet"], "history": ["daiquiri"]}
    (tmp_path / "r.jsonl").write_text(json.dumps(request) + "\n")
    (own_workspace / "settings.toml").chmod(0o600)  # a test wrote it
    ours = ("--workspace", own_workspace)
    for line in (
        ("feedback", "--user", "anna", "--item", "Negroni", "--like"),
        ("ask", "--batch", tmp_path / "q.jsonl", "--out", out / "answers.jsonl", "--no-model"),
        ("rank", "--batch", tmp_path / "r.jsonl", "--out", out / "ranked.jsonl"),
        ("export", "--user", "anna", "--out", out / "history.csv"),
        ("backup", out / "b.zip"),
    ):
        told = run_localrec(*line, *ours)
        assert told.returncode == 0, told.stderr
    assert len(list(out.iterdir())) >= 5
    assert not others_may(out) and not others_may(own_workspace)
