"""`ask --user` on the real drinks: a history inclines the answer and never changes the question."""

import json
import shutil
from pathlib import Path

import pytest

GIN = ("ask", "a drink with gin", "-k", 20)
pytestmark = pytest.mark.real


@pytest.fixture
def workspace(bundled_workspace, tmp_path):
    """The bundled drinks, for a test to write feedback into."""
    return Path(shutil.copytree(bundled_workspace, tmp_path / "workspace"))


@pytest.fixture
def asked(cli, workspace):
    def ask(*arguments, user=None):
        by = () if user is None else ("--user", user)
        code, out, err = cli("--workspace", workspace, *arguments, *by, "--json")
        assert (code, err) == (0, "")
        answer = json.loads(out)
        answer.pop("timings_ms")
        return answer

    return ask


@pytest.fixture
def say(cli, workspace):
    def feedback(item, *verdict):
        said = cli("--workspace", workspace, "feedback", "--user", "anna", "--item", item, *verdict)
        assert said.code == 0, said.err

    return feedback


def names(answer, part="items"):
    return [item["name"] for item in answer[part]]


def place_of(name, answer):
    return names(answer).index(name)


def test_what_was_liked_pulls_its_like_up_and_is_named(asked, say):
    before = asked(*GIN)
    say("Clover Club", "--like")
    after = asked(*GIN, user="anna")
    moved_up = [
        item
        for item in after["items"]
        if item["name"] in names(before) and item["rank"] <= place_of(item["name"], before)
    ]
    assert moved_up
    for item in moved_up:
        assert "in common with Clover Club" in item["reason"]
        edge = {"source": "anna", "relation": "LIKED", "target": "Clover Club"}
        assert edge in item["evidence"]
    assert all(item["satisfies"] for item in after["items"])


def test_a_history_says_whether_it_spoke(asked, say):
    assert not {"history", "memory"} & set(asked(*GIN)["spoke"])
    say("Clover Club", "--like")
    assert asked(*GIN, user="anna")["spoke"]["history"] == "measured"


def test_a_memory_of_one_person_stays_silent(asked, say):
    say("Clover Club", "--like")
    answer = asked(*GIN, user="anna")
    assert answer["spoke"]["memory"] == "silent"
    assert "memory" not in answer


def test_who_has_no_history_gets_the_same_answer(cli, workspace, asked, say):
    before = asked(*GIN)
    say("Clover Club", "--like")
    assert cli("--workspace", workspace, "shelf", "add", "--user", "bea", "gin").code == 0
    stranger = asked(*GIN, user="bea")
    assert stranger["spoke"].pop("history") == stranger["spoke"].pop("memory") == "silent"
    assert stranger == before
    assert asked(*GIN) == before


@pytest.mark.parametrize("verdict", [("--dislike",), ("--rating", "1"), ("--not-now",)])
def test_what_is_not_wanted_is_neither_an_answer_nor_a_close_call(asked, say, verdict):
    question = ("ask", "a red drink with gin in a coupe glass and egg white", "-k", 40)
    before = asked(*question)
    answered, close = names(before)[0], names(before, "near")[0]
    for name in (answered, close):
        say(name, *verdict)
    after = asked(*question, user="anna")
    shown = {*names(after), *names(after, "near")}
    assert shown
    assert not {answered, close} & shown


def test_where_nothing_else_fits_what_is_disliked_is_shown_and_said(asked, say):
    question = ("ask", "gin, campari and sweet vermouth in an old-fashioned glass", "-k", 40)
    for name in names(asked(*question)):
        say(name, "--dislike")
    after = asked(*question, user="anna")
    assert after["items"]
    assert "All that fits is what you dislike or put off." in after["message"]


def test_a_stored_shelf_answers_what_can_be_made(cli, workspace, asked):
    shelf = "gin, campari, sweet vermouth"
    put = cli("--workspace", workspace, "shelf", "add", "--user", "anna", shelf)
    assert put.code == 0, put.err
    question = ("ask", "what can I make tonight?")
    mine = asked(*question, user="anna")
    assert names(mine)[0] == "Negroni"
    assert mine["items"][0]["missing"] == []
    assert mine["intent"]["have"] == asked(*question, "--have", shelf)["intent"]["have"]
    other = asked(*question)
    assert other["intent"]["have"] == []
    assert "localrec shelf" in other["message"]
