"""`train adapter` and `export`, `models use` with an adapter, `models try`, on a tiny model."""

import json
import shutil

import pytest

from localrec.llm import self_test

pytest.importorskip("torch")
pytest.importorskip("peft")

from localrec import Workspace
from localrec.foundation.settings import load_settings
from localrec.llm.adapter_files import roles_of
from localrec.training.jobs.training_runs import open_run, runs_folder
from localrec.training.role_bench import gold_cases
from localrec.workspace import OpenWorkspace
from tests.training.tiny_models import make_tiny


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A model of two small layers; only for reading."""
    return make_tiny("llama", tmp_path_factory.mktemp("tiny")).gguf


@pytest.fixture
def bar(workspace, tmp_path):
    """A copy of the five drinks with a tiny model to talk to."""
    return shutil.copytree(workspace, tmp_path / "bar")


@pytest.fixture
def call(cli, bar, monkeypatch):
    monkeypatch.setattr(self_test, "MOST_NATS", 99.0)  # the tiny model has never read a language
    return lambda *arguments: cli("--workspace", bar, *map(str, arguments))


def train(call, tiny, *more, role="router", name="first"):
    return call(
        *("train", "adapter", role, "--base", tiny, "--name", name, "--train", "16"),
        *("--validation", "8", "--threads", "1", *more),
    )


@pytest.fixture
def exported(call, tiny, bar, tmp_path):
    """A router that learnt next to nothing, as a file."""
    # Drawn by the default seed, 16 cases teach nothing that the 8 others bear out.
    assert train(call, tiny, "--seed", "0").code == 0
    out = tmp_path / "router.gguf"
    assert call("train", "export", "first", "--out", out).code == 0
    return out


@pytest.fixture
def gold(tmp_path):
    """Two gold questions, too few to be asked unless a test says otherwise."""
    line = (
        '{"id": "ID", "query": "a drink with gin", "half": "dev", "task": "C3", "possible": true, '
        '"gold": {"include": ["gin"]}}\n'
    )
    path = tmp_path / "gold.jsonl"
    path.write_text(line + line.replace("ID", "another"), encoding="utf-8")
    return path


def test_a_training_leaves_a_finished_run(call, tiny, bar):
    code, out, err = train(call, tiny, "--json")
    assert code == 0
    told = json.loads(out)
    assert told["run"] == "first"
    assert told["trained"]["steps"] >= 1
    assert "examples: about" in err
    run = open_run(runs_folder(bar) / "first")
    assert run.state.status == "finished"
    assert (run.adapter / "adapter_model.safetensors").is_file()


def test_the_python_call_trains_and_exports_as_the_commands_do(call, tiny, bar, tmp_path):
    assert train(call, tiny).code == 0
    with Workspace(bar) as desk:
        outcome = desk.train.adapter(
            "router", name="second", base=tiny, train=16, validation=8, threads=1
        )
        card = desk.train.export("second", tmp_path / "router.gguf")
    assert outcome.steps >= 1
    runs = [open_run(runs_folder(bar) / name) for name in ("first", "second")]
    first, second = ((run.adapter / "adapter_model.safetensors").read_bytes() for run in runs)
    assert first == second
    assert card.role == "router"
    assert roles_of(str(tmp_path / "router.gguf")) == ("router",)


def test_one_adapter_learns_several_roles_and_is_tried_in_each(call, tiny, tmp_path, gold):
    assert train(call, tiny, role="router,slots").code == 0
    both = tmp_path / "both.gguf"
    assert call("train", "export", "first", "--out", both).code == 0
    assert roles_of(str(both)) == ("router", "slots")
    for options, role in (((), "router"), (("--role", "slots"), "slots")):
        asked = ("--model", tiny, "--gold", gold, "--cases", "2", "--json", *options)
        tried = call("models", "try", both, *asked)
        assert json.loads(tried.out)["role"] == role
    refused = call("models", "try", both, "--model", tiny, "--role", "reranker")
    assert refused.code == 2
    assert "was trained for router and slots" in refused.err


def test_an_estimate_begins_nothing(call, tiny, bar):
    code, out, _ = train(call, tiny, "--estimate", "--json")
    assert code == 0
    assert json.loads(out)["total_seconds"] > 0
    assert not runs_folder(bar).exists()


def test_a_name_is_taken_once(call, tiny):
    assert train(call, tiny).code == 0
    code, _, err = train(call, tiny)
    assert code == 2
    assert "There is a run first already" in err


def test_an_unknown_role_is_refused(call, tiny, bar):
    code, _, err = train(call, tiny, role="sommelier")
    assert code == 2
    assert "No adapter is trained for 'sommelier'" in err
    assert not runs_folder(bar).exists()


def test_an_export_has_a_card_without_a_path(exported, tmp_path):
    assert roles_of(str(exported)) == ("router",)
    card = json.loads(exported.with_suffix(".json").read_text())
    assert card["role"] == "router"
    assert card["licence"] == "MIT"
    assert card["trained"]["best"]["accuracy"] >= card["trained"]["before"]["accuracy"]
    assert card["data"]["counts"]["train"] == 16
    assert str(tmp_path) not in exported.with_suffix(".json").read_text()


def test_a_run_that_is_not_finished_is_not_exported(call, tiny, bar, tmp_path):
    train(call, tiny)
    state = runs_folder(bar) / "first" / "state.json"
    state.write_text('{"status": "stopped", "step": 1, "steps": 2}')
    code, _, err = call("train", "export", "first", "--out", tmp_path / "a.gguf")
    assert code == 2
    assert "localrec train resume first" in err
    assert not (tmp_path / "a.gguf").exists()


def test_an_adapter_plays_its_role_beside_its_model(call, bar, tiny, exported):
    assert call("models", "use", "router", tiny).code == 0
    assert call("models", "use", "router", exported).code == 0
    settings = load_settings(bar)
    assert settings.roles == {"router": str(tiny)}
    assert settings.adapters == {"router": str(exported)}
    code, out, _ = call("ask", "something with gin", "--json")
    assert code == 0
    told = json.loads(out)
    assert told["spoke"]["router"] == "model"
    assert "first choice of four" in told["task"]["reason"]


def test_rules_take_the_adapter_away(call, bar, tiny, exported):
    call("models", "use", "router", tiny)
    call("models", "use", "router", exported)
    assert call("models", "use", "router", "rules").code == 0
    assert load_settings(bar).adapters == {}


def test_another_role_is_refused_and_changes_nothing(call, bar, tiny, exported):
    call("models", "use", "router", tiny)
    before = (bar / "settings.toml").read_text()
    code, _, err = call("models", "use", "reflector", exported)
    assert code == 2
    assert "was trained for router, and not for reflector" in err
    assert (bar / "settings.toml").read_text() == before


def test_another_base_is_refused_and_changes_nothing(call, bar, tiny, exported, tmp_path):
    other = make_tiny("llama", tmp_path, seed=1).gguf
    call("models", "use", "router", other)
    before = (bar / "settings.toml").read_text()
    code, _, err = call("models", "use", "router", exported)
    assert code == 1
    assert "was trained for another model" in err
    assert (bar / "settings.toml").read_text() == before


def test_a_base_that_was_swapped_behind_our_back_is_not_adapted(
    call, bar, tiny, exported, tmp_path
):
    mine = shutil.copy(tiny, tmp_path / "mine.gguf")
    call("models", "use", "router", mine)
    call("models", "use", "router", exported)
    shutil.copy(make_tiny("llama", tmp_path, seed=1).gguf, mine)
    code, out, _ = call("ask", "something with gin", "--json")
    assert code == 0
    spoke = json.loads(out)["spoke"]
    assert spoke["router"] == "rules"
    assert "another model" in spoke["router_failed"]


@pytest.fixture
def judging(call, tiny, tmp_path):
    """A reranker that learnt next to nothing, as a file; the tiny model does whatever else."""
    assert call("models", "use", "chat", tiny).code == 0
    assert train(call, tiny, role="reranker", name="judge").code == 0
    out = tmp_path / "reranker.gguf"
    assert call("train", "export", "judge", "--out", out).code == 0
    assert call("feedback", "--user", "anna", "--item", "Negroni", "--like").code == 0
    return out


def scores(call):
    code, out, _ = call("recommend", "--user", "anna", "--system", "isolated-agent", "--json")
    assert code == 0
    told = json.loads(out)
    assert told["spoke"]["rerank"] == "model"
    return {item["name"]: item["score"] for item in told["items"]}


def test_a_reranker_judges_beside_its_model_until_the_role_is_given_back(call, bar, tiny, judging):
    bare = scores(call)
    assert call("models", "use", "reranker", tiny).code == 0
    assert scores(call) == bare
    assert call("models", "use", "reranker", judging).code == 0
    assert scores(call) != bare
    with OpenWorkspace(bar) as workspace:
        assert workspace.models.open("reranker").name == f"{tiny.stem}+reranker"
        assert workspace.models.open("writer").name == tiny.stem
    assert call("models", "use", "reranker", "rules").code == 0
    assert scores(call) == bare


def test_a_reranker_does_not_judge_beside_a_base_that_was_swapped(call, tiny, judging, tmp_path):
    mine = shutil.copy(tiny, tmp_path / "mine.gguf")
    call("models", "use", "reranker", mine)
    call("models", "use", "reranker", judging)
    shutil.copy(make_tiny("llama", tmp_path, seed=1).gguf, mine)
    code, out, err = call("recommend", "--user", "anna", "--system", "isolated-agent")
    assert (code, out) == (1, "")
    assert "was trained for another model" in err


def test_a_try_of_a_reranker_is_of_lists(call, tiny, judging):
    code, out, _ = call("models", "try", judging, "--model", tiny, "--cases", "5", "--json")
    assert code == 0
    trial = json.loads(out)
    assert (trial["role"], trial["cases"]) == ("reranker", 5)
    assert trial["bare"]["failed"] == trial["adapted"]["failed"] == 0


def test_a_bare_model_does_not_read_questions(call, bar, tiny):
    code, _, err = call("models", "use", "slots", tiny)
    assert code == 2
    assert "localrec train adapter slots" in err


def test_a_try_asks_both_the_same(call, tiny, exported, gold):
    asked = ("--model", tiny, "--gold", gold, "--cases", "12", "--json")
    code, out, _ = call("models", "try", exported, *asked)
    assert code == 0
    trial = json.loads(out)
    assert trial["role"] == "router"
    assert trial["cases"] == 12
    for side in (trial["bare"], trial["adapted"]):
        assert 0 <= side["accuracy"]["low"] <= side["accuracy"]["value"] <= 1
        assert side["ms"] > 0
    assert trial["adapted"]["name"].endswith("+router")
    assert trial["gold"] is None and "--gold FILE" in trial["no_gold"]


def test_a_try_is_told_in_words_with_the_rules_over_gold_questions(
    call, tiny, exported, gold, monkeypatch
):
    monkeypatch.setattr(gold_cases, "FEWEST_GOLD", 2)
    asked = ("--model", tiny, "--gold", gold, "--cases", "4")
    code, out, _ = call("models", "try", exported, *asked)
    assert code == 0
    assert "4 composed cases of a router." in out
    assert "2 gold questions." in out
    assert "rules: 1.000" in out
    assert "The adapter against the rules: not separable." in out


def test_one_question_is_answered_by_both(call, tiny, exported):
    question = ("--question", "gin, no cream")
    code, out, _ = call("models", "try", exported, "--model", tiny, *question, "--json")
    assert code == 0
    both = json.loads(out)
    assert (both["role"], both["question"]) == ("router", "gin, no cream")
    for side in (both["bare"], both["adapted"]):
        assert len(side["figures"]) == 4
        assert sum(side["figures"].values()) == pytest.approx(1)
    assert both["bare"]["figures"] != both["adapted"]["figures"]


def test_one_question_is_answered_in_words(call, tiny, exported):
    code, out, _ = call("models", "try", exported, "--model", tiny, "--question", "a tall one")
    assert code == 0
    assert "a tall one (about cocktails, a router)" in out
    assert "+router, " in out


def test_no_question_is_refused(call, tiny, exported):
    code, _, err = call("models", "try", exported, "--model", tiny, "--question", " ")
    assert (code, "Nothing is asked." in err) == (2, True)
