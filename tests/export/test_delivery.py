"""Files are there whole or not at all, for the owner alone, and never in another's place."""

import os
from pathlib import Path

import pytest

from localrec.export.delivery import deliver
from localrec.foundation.errors import InputError, UsageError


@pytest.fixture
def home(tmp_path):
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def hand_over(tmp_path):
    """Delivers a text to each target."""

    def call(*targets, text="new", force=False, workspace=tmp_path / "workspace", fail=None):
        with deliver(targets, force=force, workspace=workspace) as parts:
            for part in parts:
                part.write_text(text, encoding="utf-8")
            if fail:
                raise fail

    return call


def test_a_file_is_for_its_owner_alone_whatever_the_umask(home, hand_over):
    before = os.umask(0)
    try:
        hand_over(home / "a.csv")
    finally:
        os.umask(before)
    assert (home / "a.csv").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("failure", [KeyboardInterrupt(), OSError("disk full")])
def test_whatever_cuts_it_off_leaves_what_was_there(home, hand_over, failure):
    (home / "a.csv").write_text("old", encoding="utf-8")
    with pytest.raises(type(failure)):
        hand_over(home / "a.csv", home / "b.csv", force=True, fail=failure)
    assert [(path.name, path.read_text()) for path in home.iterdir()] == [("a.csv", "old")]


def test_an_existing_file_is_replaced_with_force_only(home, hand_over):
    target = home / "a.csv"
    target.write_text("old", encoding="utf-8")
    target.chmod(0o644)
    with pytest.raises(UsageError, match="exists already"):
        hand_over(target)
    assert target.read_text() == "old"
    hand_over(target, force=True)
    assert (target.read_text(), target.stat().st_mode & 0o777) == ("new", 0o600)


def test_one_existing_file_of_several_stops_them_all(home, hand_over):
    (home / "b.csv").touch()
    with pytest.raises(UsageError):
        hand_over(home / "a.csv", home / "b.csv")
    assert [path.name for path in home.iterdir()] == ["b.csv"]


@pytest.mark.parametrize("aim", ["there.csv", "nowhere.csv"])
def test_a_link_is_refused_with_force_too(home, hand_over, aim):
    (home / "there.csv").write_text("old", encoding="utf-8")
    (home / "link.csv").symlink_to(home / aim)
    with pytest.raises(InputError, match="is a link"):
        hand_over(home / "link.csv", force=True)
    assert (home / "link.csv").is_symlink()
    assert (home / "there.csv").read_text() == "old"


@pytest.mark.parametrize("device", ["/dev/null", "/"])
def test_what_is_no_file_is_refused(hand_over, device):
    with pytest.raises(InputError, match="not a plain file"):
        hand_over(Path(device), force=True)


def test_the_store_cannot_be_replaced_even_through_a_linked_folder(home, hand_over, tmp_path):
    (home / "store.duckdb").write_text("precious", encoding="utf-8")
    (tmp_path / "alias").symlink_to(home)
    with pytest.raises(UsageError, match="in the workspace"):
        hand_over(tmp_path / "alias" / "store.duckdb", force=True, workspace=home)
    assert (home / "store.duckdb").read_text() == "precious"


def test_a_missing_folder_is_named(home, hand_over):
    with pytest.raises(InputError, match=r"The folder .*nowhere does not exist"):
        hand_over(home / "nowhere" / "a.csv")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_takes_no_file_is_named(home, hand_over):
    home.chmod(0o500)
    with pytest.raises(InputError, match="Nothing can be written into"):
        hand_over(home / "a.csv")


def test_ctrl_c_in_the_instant_a_file_is_made_leaves_none(home, hand_over, monkeypatch):
    close, made = os.close, []

    def interrupted_at_the_second(descriptor):
        close(descriptor)
        made.append(descriptor)
        if len(made) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(os, "close", interrupted_at_the_second)
    with pytest.raises(KeyboardInterrupt):
        hand_over(home / "a.csv", home / "b.csv")
    assert list(home.iterdir()) == []
