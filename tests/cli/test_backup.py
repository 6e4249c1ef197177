"""`localrec backup` and `restore` as they are typed."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def localrec(cli, own_workspace):
    return lambda *arguments: cli(*arguments, "--workspace", own_workspace)


def test_a_backup_is_told_in_words_and_as_json(localrec, tmp_path):
    told = localrec("backup", tmp_path / "b.zip")
    assert told.code == 0 and "each checked by its sha256" in told.out
    told = localrec("backup", tmp_path / "b.zip", "--force", "--json")
    assert json.loads(told.out)["rows"]["node"] > 5


def test_restoring_asks_first_and_counts_nothing_as_a_yes(localrec, tmp_path):
    localrec("backup", tmp_path / "b.zip")
    localrec("feedback", "--user", "zoe", "--item", "Negroni", "--like")
    told = localrec("restore", tmp_path / "b.zip")
    assert told.code == 2 and "--yes" in told.err
    assert '"zoe"' in localrec("sql", 'select "user" from users', "--json").out
    told = localrec("restore", tmp_path / "b.zip", "--dry-run")
    assert told.code == 0 and "The backup is whole" in told.out
    assert localrec("restore", tmp_path / "b.zip", "--yes").code == 0
    assert '"zoe"' not in localrec("sql", 'select "user" from users', "--json").out
    assert localrec("ask", "a sour").code == 0
    assert localrec("doctor", "--go-back").code == 0
    assert '"zoe"' in localrec("sql", 'select "user" from users', "--json").out


def test_a_privacy_look_goes_back_to_nothing(localrec):
    assert localrec("doctor", "--privacy", "--go-back").code == 2


def test_going_back_without_a_copy_is_refused(localrec):
    told = localrec("doctor", "--go-back")
    assert told.code == 1 and "no sound copy" in told.err
