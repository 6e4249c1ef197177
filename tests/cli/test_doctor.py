"""`localrec doctor`: what it finds around the store, and what --repair mends."""

from __future__ import annotations

import json
import shutil
import stat
from collections import namedtuple

import pytest

from localrec.workspace import OpenWorkspace, doctor_folder

_Usage = namedtuple("_Usage", "total used free")


@pytest.fixture
def doctor(cli, own_workspace):
    """Runs doctor; gives its exit code and its findings by what they are about."""

    def look(*options):
        told = cli("--workspace", own_workspace, "doctor", *options, "--json")
        return told.code, {one["what"]: one for one in json.loads(told.out)}

    return look


def mode_of(path):
    return stat.S_IMODE(path.lstat().st_mode)


def test_a_sound_workspace_has_a_line_for_rights_room_caches_and_vectors(doctor):
    code, found = doctor()
    assert code == 0
    about = ("rights", "room", "caches", "vectors cocktails")
    assert [found[what]["state"] for what in about] == ["ok"] * 4


def test_rights_of_others_are_found_and_taken_back(doctor, own_workspace):
    run = own_workspace / "runs" / "night"
    run.mkdir(parents=True)
    (run / "cases.jsonl").write_text("{}")
    for path in (own_workspace, run, run / "cases.jsonl"):
        path.chmod(0o755)
    code, found = doctor()
    assert code == 1 and found["rights"]["state"] == "broken"
    assert "open to other users of this machine" in found["rights"]["detail"]
    assert found["rights"]["remedy"] == "localrec doctor --repair"
    code, found = doctor("--repair")
    assert code == 0 and found["rights"]["state"] == "mended"
    assert [mode_of(one) for one in (own_workspace, run, run / "cases.jsonl")] == [
        0o700,
        0o700,
        0o600,
    ]
    assert doctor()[1]["rights"]["state"] == "ok"


def test_an_open_file_in_a_shut_folder_is_told_and_is_no_fault(doctor, own_workspace):
    (own_workspace / "store.duckdb").chmod(0o644)
    code, found = doctor()
    assert (code, found["rights"]["state"]) == (0, "ok")
    assert "1 file or folder is open to others" in found["rights"]["detail"]


def test_settings_written_by_hand_in_a_folder_made_by_hand_are_no_fault(doctor, own_workspace):
    own_workspace.chmod(0o755)
    (own_workspace / "settings.toml").chmod(0o644)
    code, found = doctor("--repair")
    assert (code, found["rights"]["state"]) == (0, "ok")
    assert mode_of(own_workspace) == 0o755  # the folder of somebody else keeps its mode
    own_workspace.chmod(0o777)
    assert doctor()[1]["rights"]["state"] == "broken"  # others could put files in


def test_what_its_owner_may_not_use_is_found_and_mended(doctor, own_workspace):
    (own_workspace / "indexes").chmod(0)
    code, found = doctor()
    assert code == 1 and "closed to you, such as" in found["rights"]["detail"]
    assert doctor("--repair")[1]["rights"]["state"] == "mended"
    assert mode_of(own_workspace / "indexes") == 0o700


def test_a_folder_that_was_shut_is_entered_once_it_is_mended(
    own_workspace, run_localrec, bound_by_modes
):
    run_localrec("doctor", "--repair", "--workspace", own_workspace)
    own_workspace.chmod(0)
    line = ("doctor", "--repair", "--workspace", own_workspace)
    told = run_localrec(*line, wrapped_in=bound_by_modes)
    own_workspace.chmod(0o700)
    assert told.returncode == 0, told.stdout
    assert "1 file or folder is yours alone again" in told.stdout
    assert "each belongs to somebody" in told.stdout


def test_pulled_models_that_others_may_change_are_a_fault(doctor, monkeypatch, tmp_path):
    model = tmp_path / "cache" / "models" / "tiny" / "model.onnx"
    model.parent.mkdir(parents=True)
    model.write_bytes(b"weights")
    model.chmod(0o666)
    monkeypatch.setenv("LOCALREC_CACHE", str(tmp_path / "cache"))
    code, found = doctor()
    assert code == 1 and str(model) in found["pulled files"]["detail"]
    assert doctor("--repair")[1]["pulled files"]["state"] == "mended"
    assert mode_of(model) == 0o644 and "pulled files" not in doctor()[1]


def test_a_disk_on_which_the_store_cannot_be_written_once_more_is_told(doctor, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: _Usage(10**9, 10**9, 10**6))
    code, found = doctor()
    assert (code, found["room"]["state"]) == (0, "missing")
    assert found["room"]["detail"].startswith("1 MB are free; the store has ")


def test_a_damaged_cache_is_found_and_removed(doctor, own_workspace):
    sidecar = own_workspace / "indexes" / "audience-0.json"
    sidecar.write_text('{"checksums": ["00"]}')
    code, found = doctor()
    assert (code, found["caches"]["state"]) == (0, "missing")
    assert "damaged" in found["caches"]["detail"]
    assert doctor("--repair")[1]["caches"]["state"] == "mended"
    assert not sidecar.exists() and doctor()[1]["caches"]["state"] == "ok"


def test_texts_without_a_vector_are_counted(doctor, own_workspace):
    with OpenWorkspace(own_workspace, writable=True) as opened:
        opened.store.execute("DELETE FROM embedding WHERE field = 'description'")
    found = doctor()[1]["vectors cocktails"]
    assert (found["state"], found["remedy"]) == ("missing", "localrec index")
    assert "texts without one by" in found["detail"]


@pytest.mark.parametrize(
    ("lines", "role"),
    [
        ('chat_model = "gemma-3-270m"', "chat"),
        ('[roles]\nwriter = "/nowhere/else.gguf"', "writer"),
        ('[roles]\nwriter = "no-such-model"', "writer"),
    ],
)
def test_a_model_that_a_role_names_and_that_is_not_here_is_a_fault(
    doctor, own_workspace, monkeypatch, tmp_path, lines, role
):
    monkeypatch.setenv("LOCALREC_CACHE", str(tmp_path / "nothing pulled"))
    settings = own_workspace / "settings.toml"
    sound = settings.read_text()
    settings.write_text(f"{sound}{lines}\n")
    code, found = doctor()
    assert code == 1 and found[f"role {role}"]["state"] == "broken"
    assert found[f"role {role}"]["remedy"]
    settings.write_text(f'{sound}[roles]\nwriter = "rules"\n')
    assert not [what for what in doctor()[1] if what.startswith("role")]


def test_modes_are_walked_from_the_top_and_links_are_not_followed(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b").write_text("")
    (tmp_path / "c").symlink_to("/")
    walked = list(doctor_folder.folder_modes(tmp_path))
    assert [one.path.name for one in walked] == [tmp_path.name, "a", "c", "b"]
    assert [one.is_link for one in walked] == [False, False, True, False]
