"""`localrec recommend`: a list for anybody, known or not, in terms of what they said."""

import json

import pytest

from localrec.agent.configs import AGENTS
from localrec.index.embedder_names import MINILM
from localrec.llm.scripted import ScriptedModel
from localrec.memory.configs import MEMREC_MODELS
from localrec.systems.registry import SYSTEM_REGISTRY
from localrec.workspace import OpenWorkspace
from localrec.workspace.model_pool import ModelPool

from .test_ask import UNPRINTABLE

ASKING_A_MODEL = {*MEMREC_MODELS, *(name for name, one in AGENTS.items() if one.asks_model)}


@pytest.fixture
def say(cli, own_workspace):
    """Says something about an item: `say("--item", "Negroni", "--like")`."""

    def feedback(*arguments, user="anna"):
        outcome = cli("--workspace", own_workspace, "feedback", "--user", user, *arguments)
        assert outcome.code == 0, outcome.err
        return outcome

    return feedback


@pytest.fixture
def listed(cli, own_workspace):
    """The list of a person as JSON."""

    def recommend(*arguments, user="anna"):
        code, out, err = cli(
            "--workspace", own_workspace, "recommend", "--user", user, *arguments, "--json"
        )
        assert (code, out.count("\n")) == (0, 1)
        assert err == ""
        return json.loads(out)

    return recommend


def names(told):
    return [item["name"] for item in told["items"]]


class TestAList:
    def test_counts_the_first_like_at_once_and_says_why(self, say, listed):
        say("--item", "Negroni", "--like")
        after = listed()
        assert names(after)[0] == "Americano"
        assert "in common with Negroni" in after["items"][0]["reason"]
        liked = {"source": "anna", "relation": "LIKED", "target": "Negroni"}
        assert liked in after["items"][0]["evidence"]
        assert (after["history"], after["message"]) == (1, "")

    def test_holds_nothing_that_was_met_or_put_off(self, say, listed):
        for drink, verdict in (
            *(("Negroni", "--like"), ("Gimlet", "--dislike"), ("Daiquiri", "--seen")),
            ("Limeade", "--not-now"),
        ):
            say("--item", drink, verdict)
        assert names(listed()) == ["Americano"]

    def test_takes_back_what_was_taken_back(self, say, listed):
        say("--item", "Gimlet", "--like")
        before = listed()
        say("--item", "Negroni", "--like")
        say("--undo")
        after = listed()
        before.pop("timings_ms"), after.pop("timings_ms")
        assert after == before

    def test_ranks_every_item_once_best_first(self, say, listed):
        say("--item", "Gimlet", "--rating", 5)
        told = listed("-k", 100)
        scores = [item["score"] for item in told["items"]]
        assert sorted(names(told)) == ["Americano", "Daiquiri", "Limeade", "Negroni"]
        assert scores == sorted(scores, reverse=True)
        assert [item["rank"] for item in told["items"]] == [1, 2, 3, 4]

    @pytest.mark.parametrize(
        "system", sorted(set(SYSTEM_REGISTRY.names("recommender")) - ASKING_A_MODEL)
    )
    def test_comes_from_every_system_that_needs_no_model(self, say, listed, system):
        say("--item", "Negroni", "--like")
        assert len(listed("--system", system)["items"]) == 4

    @pytest.mark.parametrize("system", sorted(MEMREC_MODELS))
    def test_comes_from_a_model_that_says_what_it_took(self, say, listed, monkeypatch, system):
        say("--item", "Negroni", "--like")
        model = ScriptedModel(
            lambda messages: "0.9 0.1" if "Daiquiri" in messages[-1].content else "0.2 0.8"
        )
        monkeypatch.setattr(ModelPool, "open", lambda self, role, *_: model)
        told = listed("--system", system)
        assert names(told)[0] == "Daiquiri"
        assert sorted(names(told)) == ["Americano", "Daiquiri", "Gimlet", "Limeade"]
        assert told["calls"] == model.calls
        assert told["tokens"]["rerank"] > 0
        assert told["spoke"]["rerank"] == "model"

    def test_of_a_model_that_is_not_here_is_told_how_to_get_it(
        self, say, cli, own_workspace, tmp_path, monkeypatch
    ):
        say("--item", "Negroni", "--like")
        monkeypatch.setenv("LOCALREC_CACHE", str(tmp_path / "no models"))
        code, out, err = cli(
            *("--workspace", own_workspace, "recommend", "--user", "anna"),
            *("--system", "memrec-model", "--json"),
        )
        assert (code, out) == (1, "")
        assert "localrec models pull" in err

    def test_of_a_model_that_fails_is_that_of_the_evidence_with_a_note(
        self, say, cli, own_workspace, monkeypatch
    ):
        say("--item", "Negroni", "--like")
        monkeypatch.setattr(ModelPool, "open", lambda self, role, *_: ScriptedModel([]))
        code, out, err = cli(
            *("--workspace", own_workspace, "recommend", "--user", "anna"),
            *("--system", "memrec-model"),
        )
        assert code == 0
        assert "Americano" in out
        assert "The model failed" in err

    def test_by_memory_tells_what_it_heard_and_from_how_many(self, say, cli, own_workspace):
        for user in ("bea", "carl", "dora"):
            for drink in ("Negroni", "Americano", "Gimlet"):
                say("--item", drink, "--like", user=user)
        say("--item", "Negroni", "--like")
        code, out, err = cli(
            *("--workspace", own_workspace, "recommend", "--user", "anna"),
            *("--system", "memrec", "--explain"),
        )
        assert (code, err) == (0, "")
        assert "Memory took part: 3 people and 2 items nearest to anna's taste." in out
        assert not any(user in out for user in ("bea", "carl", "dora"))

    def test_needs_no_model_to_read_vectors_that_are_there(
        self, cli, own_workspace, tmp_path, monkeypatch
    ):
        monkeypatch.setenv("LOCALREC_CACHE", str(tmp_path / "no models"))
        with OpenWorkspace(own_workspace, writable=True) as opened:
            opened.store.execute("UPDATE embedding SET model = ?", [MINILM])
        (own_workspace / "settings.toml").unlink()
        cli(
            "--workspace", own_workspace, "feedback", "--user", "anna", "--item", "gimlet", "--like"
        )
        code, out, err = cli("--workspace", own_workspace, "recommend", "--user", "anna", "--json")
        assert (code, err) == (0, "")
        assert json.loads(out)["spoke"]["nearness"] == "measured"


class TestAStranger:
    def test_gets_what_most_people_like_and_the_way_on(self, say, listed):
        for user in ("bea", "carl", "dora"):
            say("--item", "Daiquiri", "--like", user=user)
        say("--item", "Negroni", "--like", user="nobody")
        say("--undo", user="nobody")
        told = listed(user="nobody")
        assert names(told)[0] == "Daiquiri"
        assert "3 people liked it" in told["items"][0]["reason"]
        assert "localrec feedback --user nobody" in told["message"]

    def test_among_nobody_gets_the_catalogue_s_own_order(self, say, listed):
        say("--item", "Negroni", "--like", user="nobody")
        say("--undo", user="nobody")
        assert "the catalogue's own order" in listed(user="nobody")["message"]

    def test_with_a_name_that_nobody_has_is_refused_and_told_who_is_near(
        self, say, cli, own_workspace
    ):
        say("--item", "Daiquiri", "--like", user="annabelle")
        recommend = ("--workspace", own_workspace, "recommend", "--json", "--user")
        code, out, err = cli(*recommend, "anabelle")
        assert (code, out) == (2, "")
        assert err == "localrec: Nobody called 'anabelle' is known here. Did you mean annabelle?\n"
        assert "localrec feedback --user" in cli(*recommend, "x").err
        assert cli(*recommend, "annabelle").err == ""

    @pytest.mark.parametrize("user", ["", "  ", "\x1b[31m", "\u200b"])
    def test_without_a_readable_key_is_a_matter_of_usage(self, cli, own_workspace, user):
        code, out, err = cli("--workspace", own_workspace, "recommend", "--user", user)
        assert (code, out) == (2, "")
        assert "--user" in err
        assert not UNPRINTABLE.search(err)

    @pytest.mark.parametrize("options", [("--json",), ("--explain",)])
    def test_with_a_hostile_key_sends_nothing_to_the_terminal(self, cli, own_workspace, options):
        hostile = "\x1b]0;owned\x07\x1b[31mAnna \x9b2J\u202e"
        spoken = ("--workspace", own_workspace, "feedback", "--user", hostile)
        said = cli(*spoken, "--item", "Negroni", "--like")
        assert (said.code, UNPRINTABLE.search(said.out)) == (0, None)
        code, out, err = cli("--workspace", own_workspace, "recommend", "--user", hostile, *options)
        assert (code, err) == (0, "")
        assert "Anna" in out
        for sign in ("owned", "\\u001b", "\\u009b", "\u202e"):
            assert sign not in out
        assert not UNPRINTABLE.search(out)


class TestManners:
    def test_who_has_met_everything_is_told_where_more_comes_from(self, cli, say, listed):
        for drink in ("Americano", "Daiquiri", "Gimlet", "Limeade", "Negroni"):
            say("--item", drink, "--seen")
        told = listed()
        assert told["items"] == []
        assert "localrec import" in told["message"]
        assert "every drink that is here (5)" in told["message"]

    @pytest.mark.parametrize(
        ("arguments", "complaint"),
        [
            (("--system", "oracle"), "Systems: auto"),
            (("--domain", "films"), "There is: cocktails"),
            (("-k", "0"), "-k"),
        ],
    )
    def test_a_wrong_option_is_answered_with_the_right_ones(
        self, cli, own_workspace, arguments, complaint
    ):
        code, out, err = cli(
            "--workspace", own_workspace, "recommend", "--user", "anna", *arguments
        )
        assert (code, out) == (2, "")
        assert complaint in err

    def test_an_empty_workspace_is_told_how_to_fill_it(self, cli, workspace_path):
        code, out, err = cli("--workspace", workspace_path, "recommend", "--user", "anna")
        assert (code, out) == (1, "")
        assert "localrec datasets pull cocktails" in err


class TestAListForSeveral:
    def test_holds_nothing_that_one_met_or_put_off_and_says_whose_history_counts(
        self, say, cli, own_workspace
    ):
        say("--item", "Negroni", "--like")
        say("--item", "Limeade", "--not-now", user="bob")
        say("--item", "Gimlet", "--like", user="bob")
        code, out, err = cli(
            *("--workspace", own_workspace, "recommend", "--user", "anna", "--user", "bob"),
            *("--fair", "least-misery", "--json"),
        )
        assert (code, err) == (0, "")
        told = json.loads(out)
        assert (told["user"], told["users"]) == ("anna", ["anna", "bob"])
        assert sorted(names(told)) == ["Americano", "Daiquiri"]
        reasons = {item["name"]: item["reason"] for item in told["items"]}
        assert reasons["Americano"].startswith("With the history of anna: ")
        assert "With the history of bob: " in reasons["Daiquiri"]

    def test_is_refused_where_nobody_knows_one_of_them(self, say, cli, own_workspace):
        say("--item", "Negroni", "--like")
        code, out, err = cli(
            "--workspace", own_workspace, "recommend", "--user", "anna", "--user", "zoe", "--json"
        )
        assert (code, out) == (2, "")
        assert "Nobody called 'zoe' is known here." in err

    def test_is_that_of_one_where_the_same_name_is_given_twice(self, say, listed):
        say("--item", "Negroni", "--like")
        once, twice = listed(), listed("--user", " anna ")
        once.pop("timings_ms"), twice.pop("timings_ms")
        assert twice == once
        assert "users" not in once

    @pytest.mark.parametrize("wrong", [("--diverse", "1.5"), ("--fair", "loudest")])
    def test_is_refused_with_a_value_that_there_is_not(self, cli, own_workspace, wrong):
        code, out, _ = cli("--workspace", own_workspace, "recommend", "--user", "anna", *wrong)
        assert (code, out) == (2, "")


class TestVarietyAndWantedItems:
    def test_keep_the_contract_of_a_list(self, say, listed):
        say("--item", "Negroni", "--like")
        plain, chosen = listed(), listed("--diverse", "0.9", "--wanted")
        assert chosen.keys() == plain.keys()
        assert names(chosen)[0] == names(plain)[0]
        assert sorted(names(chosen)) == sorted(names(plain))
        assert [item["rank"] for item in chosen["items"]] == [1, 2, 3, 4]

    @pytest.mark.parametrize("system", ["memrec", "memrec-vector", "agenticrec-fused"])
    def test_serve_systems_that_judge_candidates(self, say, listed, system):
        say("--item", "Negroni", "--like")
        say("--item", "Gimlet", "--like", user="bob")
        told = listed("--user", "bob", "--system", system, "--diverse", "0.3", "--wanted")
        assert sorted(names(told)) == ["Americano", "Daiquiri", "Limeade"]
        assert all(isinstance(item["score"], float) for item in told["items"])
