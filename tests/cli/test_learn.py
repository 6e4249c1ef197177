"""`localrec learn`: the default list follows what was learnt, and the store stays the truth."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from localrec.cli.app import run
from localrec.data.rows import Event
from localrec.graph.interactions import store_feedback
from localrec.memory.user_summaries import build_item_features
from localrec.ranking.learned.evidence.base import FitStoppedError
from localrec.ranking.learned.progress_file import LearningProgress
from localrec.ranking.learned.stored import folder_of, learn, read_log
from localrec.workspace import OpenWorkspace
from localrec.workspace.ranking_fits import learning_text
from tests.planted import planted_store

CROWD = 15


@pytest.fixture
def home(workspace_path):
    """The planted bar: half of the crowd likes the first three drinks, half the next three."""
    workspace_path.mkdir()
    (workspace_path / "settings.toml").write_text('embedder = "hashing"\n')
    with planted_store(workspace_path) as store:
        nodes = store.columns("SELECT node_id FROM node WHERE kind = 'cocktail' ORDER BY node_id")
        drinks = nodes["node_id"].tolist()
        for number in range(2 * CROWD):
            half = drinks[:3] if number < CROWD else drinks[3:6]
            for item in half:
                store_feedback(store, "cocktails", f"guest{number}", item, Event.LIKED)
        store_feedback(store, "cocktails", "anna", drinks[0], Event.LIKED)
        store_feedback(store, "cocktails", "anna", drinks[1], Event.LIKED)
    return workspace_path


@pytest.fixture
def say(home, capsysbinary):
    def call(*arguments):
        capsysbinary.readouterr()
        assert run(["--json", "--workspace", str(home), *map(str, arguments)]) in (0, 1)
        return json.loads(capsysbinary.readouterr().out.splitlines()[0])

    return call


def test_a_list_follows_what_was_learnt(say):
    before = say("recommend", "--user", "anna", "-k", "1")
    assert "ranking" not in before["spoke"]
    assert say("learn")["cocktails"]["rows"] == 6 * CROWD + 2
    after = say("recommend", "--user", "anna", "-k", "1")
    assert after["spoke"]["ranking"] == "learned"
    assert after["items"][0]["key"] == before["items"][0]["key"]  # the third drink of her half


def test_a_rating_counts_in_the_next_list_without_learning(say):
    say("learn")
    first = say("recommend", "--user", "anna", "-k", "1")["items"][0]["key"]
    say("feedback", "--user", "anna", "--item", first, "--dislike")
    assert first not in [one["key"] for one in say("recommend", "--user", "anna")["items"]]


def test_a_history_in_a_request_is_ranked_by_what_was_learnt(say, home, tmp_path):
    say("learn")
    keys = [one["key"] for one in say("recommend", "--user", "anna", "-k", "6")["items"]]
    mine = say("recommend", "--user", "anna", "-k", "1")["items"][0]["key"]
    others = [key for key in keys if key != mine][:1]
    request = {"id": "1", "history": [], "candidates": [*others, mine], "user": "anna"}
    batch, out = tmp_path / "requests.jsonl", tmp_path / "rankings.jsonl"
    batch.write_text(json.dumps(request) + "\n")
    say("rank", "--batch", str(batch), "--out", str(out))
    assert json.loads(out.read_text().splitlines()[0])["ranking"][0] == mine


def test_learning_again_without_news_changes_nothing(say, home):
    say("learn")
    [record] = home.glob("indexes/learned-*/ranker.json")
    before = record.read_bytes()
    say("learn")
    assert record.read_bytes() == before


@pytest.mark.parametrize("part", ["ranker.json", "ranker.*.arrays"])
def test_a_damaged_ranking_is_passed_over_and_learnt_again(say, home, part):
    say("learn")
    [file] = home.glob(f"indexes/learned-*/{part}")
    file.write_bytes(file.read_bytes()[:-9])
    assert "ranking" not in say("recommend", "--user", "anna", "-k", "1")["spoke"]
    say("learn")
    assert say("recommend", "--user", "anna", "-k", "1")["spoke"]["ranking"] == "learned"


def test_forgetting_removes_what_was_learnt(say, home):
    say("learn")
    say("forget", "--user", "anna", "--yes")
    assert not list(home.glob("indexes/learned-*/*.arrays"))


def test_doctor_says_how_lists_are_ranked(say):
    def ranking():
        return [one for one in say("doctor") if one["what"] == "ranking cocktails"]

    say("index")
    assert ranking()[0]["state"] == "missing"
    say("learn")
    assert ranking()[0]["state"] == "ok"


def test_what_was_forgotten_meanwhile_is_not_kept(say, home):
    with OpenWorkspace(home) as opened:
        catalogue = opened.context("cocktails").catalogue
        log = read_log(opened.store, catalogue, build_item_features(catalogue, None))
    folder = folder_of(home / "indexes", "cocktails")

    def forget_during(what, done, total):
        if what == "all: popularity":
            say("forget", "--user", "anna", "--yes")

    with pytest.raises(FitStoppedError):
        learn(log, folder, progress=forget_during, should_stop=lambda: False)
    assert not folder.exists()


_KILLED = """
import os, pathlib, signal, sys
from localrec.memory.user_summaries import build_item_features
from localrec.ranking.learned.progress_file import LearningProgress
from localrec.ranking.learned.stored import folder_of, learn, read_log
from localrec.workspace import OpenWorkspace

home = pathlib.Path(sys.argv[1])
with OpenWorkspace(home) as opened:
    catalogue = opened.context("cocktails").catalogue
    log = read_log(opened.store, catalogue, build_item_features(catalogue, None))

def tell(what, done, total):
    if what == "inner: ease":
        os.kill(os.getpid(), signal.SIGKILL)

learn(log, folder_of(home / "indexes", "cocktails"), progress=tell, should_stop=lambda: False)
"""


def test_status_says_that_a_killed_fit_waits_and_how_far_it_came(say, home):
    assert say("learn", "--status")["cocktails"]["state"] == "missing"
    killed = subprocess.run([sys.executable, "-c", _KILLED, str(home)], check=False)
    assert killed.returncode == -signal.SIGKILL
    waiting = say("learn", "--status")["cocktails"]
    assert waiting["state"] == "waiting"
    assert "not learnt yet" in waiting["text"]
    assert "waits behind inner-odds (3 finished parts)" in waiting["text"]
    say("learn")
    learnt = say("learn", "--status")["cocktails"]
    assert learnt == {"state": "learnt", "text": f"learnt from {6 * CROWD + 2} interactions"}


@pytest.mark.parametrize(
    ("left", "told"),
    [
        (None, "(training gru, 5 of 9)"),
        (40.0, "(training gru, 5 of 9), less than a minute left"),
        (130.0, "(training gru, 5 of 9), about 3 minutes left"),
    ],
)
def test_a_running_fit_says_how_long_it_still_takes(left, told):
    now = time.time()
    fit = LearningProgress(os.getpid(), "training gru", 5, 9, now - 30.0, now, left)
    assert learning_text(fit) == f"learning for 30 s {told}"


def test_a_few_new_ratings_are_taken_in_with_the_weights_that_were_learnt(say, home):
    def kept():
        [record] = home.glob("indexes/learned-*/ranker.json")
        return json.loads(record.read_bytes())["plain"]

    say("learn")
    before = kept()
    drink = say("recommend", "--user", "anna", "-k", "1")["items"][0]["key"]
    say("feedback", "--user", "anna", "--item", drink, "--like")
    say("learn")
    after = kept()
    assert after["report"]["rows"] == before["report"]["rows"] + 1
    assert after["report"]["weighed_rows"] == before["report"]["rows"]
    assert after["ordered"] == before["ordered"]


@pytest.fixture
def started(monkeypatch):
    """The commands that would have been started in the background; learning is switched on."""
    calls = []
    monkeypatch.setenv("LOCALREC_LEARN", "on")
    monkeypatch.setattr(
        "localrec.foundation.jobs.start_in_background", lambda folder, told: calls.append(told) or 0
    )
    return calls


def test_what_was_stopped_does_not_begin_again_by_itself(cli, home, started):
    here = ("--workspace", str(home))
    cli(*here, "recommend", "--user", "anna")
    assert started == [["learn", "--domain", "cocktails"]]
    assert cli(*here, "learn", "--stop").code == 0
    outcome = cli(*here, "recommend", "--user", "anna")
    assert outcome.code == 0
    assert len(started) == 1
    assert "was stopped. Go on: localrec learn --domain cocktails" in outcome.err


def test_learning_by_hand_lets_it_begin_by_itself_again(cli, home, started):
    here = ("--workspace", str(home))
    cli(*here, "learn", "--stop")
    assert cli(*here, "learn").code == 0
    with OpenWorkspace(home, writable=True) as opened:
        nodes = opened.store.rows("SELECT node_id FROM node WHERE kind = 'cocktail'")
        for (node,) in nodes[6:]:
            store_feedback(opened.store, "cocktails", "bert", node, Event.LIKED)
    cli(*here, "recommend", "--user", "anna")
    assert started == [["learn", "--domain", "cocktails"]]


def test_an_import_lets_it_begin_by_itself_again(cli, home, started, tmp_path):
    here = ("--workspace", str(home))
    cli(*here, "learn", "--stop")
    with OpenWorkspace(home) as opened:
        drinks = opened.store.rows("SELECT key FROM node WHERE kind = 'cocktail' ORDER BY node_id")
    table = tmp_path / "liked.csv"
    rows = "".join(f"carla,{key},5\n" for (key,) in drinks[:6])
    table.write_text(f"user,drink,rating\n{rows}", encoding="utf-8")
    table.with_suffix(".mapping.toml").write_text(
        'data = "liked.csv"\n[columns]\nuser = "user"\nitem = "drink"\nrating = "rating"\n'
        "[rating]\nscale = [1, 5]\n",
        encoding="utf-8",
    )
    outcome = cli(*here, "import", "table", str(table), "--domain", "cocktails")
    assert outcome.code == 0, outcome.err
    assert started == [["learn", "--domain", "cocktails"]]
