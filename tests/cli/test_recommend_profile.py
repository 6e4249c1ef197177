"""`localrec recommend --system agenticrec`: the list, then the profile, and how that is told."""

import json
import re

import pytest

from localrec.graph.journal import open_settled
from localrec.llm.scripted import ScriptedModel
from localrec.workspace.model_pool import ModelPool

from .test_ask import UNPRINTABLE

NEW = "Likes campari with gin."


def agent(messages):
    """Ranks the candidates as they come and writes a new profile."""
    if "You keep the profile" in messages[0].content:
        return f"Profile: {NEW}"
    count = int(re.search(r"Which (\d+) candidates", messages[1].content)[1])
    return f"Think: So.\nRank: {list(range(1, count + 1))}"


@pytest.fixture
def model(monkeypatch):
    scripted = ScriptedModel(agent)
    monkeypatch.setattr(ModelPool, "open", lambda self, role, *_: scripted)
    return scripted


@pytest.fixture
def anna(cli, own_workspace):
    """Runs a command for Anna, who likes a Negroni: `anna("recommend", "--json")`."""

    def call(*arguments):
        return cli("--workspace", own_workspace, *arguments, "--user", "anna")

    assert call("feedback", "--item", "Negroni", "--like").code == 0
    return call


@pytest.fixture
def recommend(anna, model):
    return lambda *options: anna("recommend", "--system", "agenticrec", *options)


def history(anna):
    return json.loads(anna("memory", "history", "--json").out)["versions"]


def test_a_refined_profile_is_told_in_one_note_behind_the_list(recommend, anna):
    code, out, err = recommend("--explain")
    assert code == 0 and "Americano" in out
    told, cost = err.splitlines()
    assert told.startswith("The agent refined your profile. See it: localrec memory show --user")
    assert re.fullmatch(r"The model was asked 2 times; tokens: rerank .*, profile .*", cost)
    shown = anna("memory", "show").out
    assert "Version 1, refined by an agent" in shown and NEW in shown
    [version] = history(anna)
    assert (version["source"], version["provenance"]["by"]) == (
        "agent",
        "agenticrec with scripted",
    )


def test_as_json_a_refined_profile_is_a_field_and_nothing_is_said_beside(recommend):
    code, out, err = recommend("--json")
    told = json.loads(out)
    assert (code, err, out.count("\n")) == (0, "", 1)
    assert (told["profile"], told["calls"]) == ("refined", 2)
    assert told["tokens"]["profile"] > 50
    assert len(told["notes"]) == 1
    again = json.loads(recommend("--json").out)
    assert (again["profile"], "notes" in again) == ("kept", False)


def test_the_commands_that_are_told_lead_back(recommend, anna):
    told = json.loads(recommend("--json").out)["notes"][0]
    for command in re.findall(r"localrec (memory \w+) --user anna( --domain \w+)", told):
        text = ("--text", "Mine.") if "edit" in command[0] else ()
        assert anna(*command[0].split(), *command[1].split(), *text).code == 0
    assert [one["text"] for one in history(anna)] == ["Mine.", NEW]


def test_a_pinned_profile_stays_as_it_is(recommend, anna, model):
    assert anna("memory", "edit", "--text", "Mine.").code == 0
    assert json.loads(recommend("--json").out)["profile"] == "kept"
    assert [one["text"] for one in history(anna)] == ["Mine."]
    assert model.calls == 1


def test_a_store_that_somebody_reads_leaves_the_list_and_a_note(recommend, anna, own_workspace):
    with open_settled(own_workspace, read_only=True):
        code, out, err = recommend()
    assert code == 0 and "Americano" in out
    assert err.startswith("The agent's new profile was not kept. The workspace")
    assert err.count("\n") == 1
    assert history(anna) == []


def test_a_hostile_key_sends_nothing_to_the_terminal(cli, own_workspace, model):
    whose = ("--workspace", own_workspace, "--user", "$(rm) \x1b[31mAnna; `x`")
    assert cli(*whose[:2], "feedback", *whose[2:], "--item", "Negroni", "--like").code == 0
    code, out, err = cli(*whose[:2], "recommend", *whose[2:], "--system", "agenticrec")
    assert code == 0
    assert "--user '$(rm) Anna; `x`'" in err
    assert not UNPRINTABLE.search(out + err.replace("\n", ""))


@pytest.mark.parametrize("system", ["auto", "agenticrec-fused"])
def test_without_an_agent_nothing_is_said_of_a_profile(anna, model, system):
    told = json.loads(anna("recommend", "--system", system, "--json").out)
    assert "profile" not in told and "profile" not in told["timings_ms"]
    assert (model.calls, history(anna)) == (0, [])


def test_rankings_of_given_candidates_refine_nothing(cli, own_workspace, anna, model, tmp_path):
    requests, out = tmp_path / "requests.jsonl", tmp_path / "out.jsonl"
    requests.write_text('{"id": 1, "user": "anna", "candidates": ["gimlet", "americano"]}\n')
    ranked = ("rank", "--batch", requests, "--out", out, "--system", "agenticrec")
    assert cli("--workspace", own_workspace, *ranked).code == 0
    assert model.calls == 1
    assert history(anna) == []
