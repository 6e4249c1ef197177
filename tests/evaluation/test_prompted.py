"""A chat model as a system under test: costs, faults, refusals, and the real one on a few cases."""

import shutil

import msgspec
import numpy as np
import pytest

from localrec.evaluation.ranking.cases import EvaluationProtocol, split_data
from localrec.evaluation.ranking.inference import ListAnswerer
from localrec.evaluation.ranking.log_contexts import LogContexts
from localrec.evaluation.ranking.reranker_answers import ZeroShotAnswerer
from localrec.evaluation.ranking.reranker_configs import JUDGES
from localrec.foundation.errors import ModelError, UsageError
from localrec.graph.domain_files import load_domain
from localrec.llm.scripted import ScriptedModel
from localrec.ranking.zero_shot import ZeroShotConfig
from localrec.workspace import OpenWorkspace
from localrec.workspace.model_pool import FixedModels, ModelPool

from .crowd import config, measure

MOVIES = load_domain("movies")
TEN = {"candidates": 10}


def camp_lover(messages):
    """The weight of each letter: a film of the camp that the history is of."""
    lines = messages[-1].content.split("\n\n")[0].splitlines()
    if lines[0].endswith("?"):
        return " ".join("1" for _ in lines)
    camp = int(messages[1].content.split()[-1]) % 2
    return " ".join("9" if int(line.split()[-1]) % 2 == camp else "1" for line in lines)


@pytest.fixture
def scripted(monkeypatch):
    """Puts a script in the place of whatever model is opened; tells which were asked for."""
    opened = []

    def install(script):
        def open_model(pool, role, name="", adapter=""):
            beside = (adapter,) if adapter else ()
            opened.append((role, name or pool._settings.chat_model, *beside))
            return ScriptedModel(script)

        monkeypatch.setattr(ModelPool, "open", open_model)
        return opened

    return install


def asked(name="asked", entry="zero-shot", **table):
    return {"name": name, "kind": "model", "entry": entry, **table}


def test_a_model_is_measured_like_any_other_system(crowd, tmp_path, scripted):
    scripted(camp_lover)
    declared = config("random", asked(settings={"shuffles": 2}), protocol=TEN)
    random, found = measure(crowd, tmp_path / "run", declared).systems
    assert found.failed == "" and found.faults == {} and found.suspicions == ()
    assert found.metrics["NDCG@10"].low > random.metrics["NDCG@10"].high
    assert found.settings == {
        "model": "scripted",
        "mode": ZeroShotConfig().mode,
        "shuffles": 2,
        "history": 20,
        "listed": 10,
        "token_budget": 1500,
    }
    lines = (tmp_path / "run" / "cases-asked.jsonl").read_bytes().splitlines()
    for one in map(msgspec.json.decode, lines):
        assert one["calls"] == 2 and one["prompt_tokens"] > 50
        assert len(one["top"]) == 10


def test_a_name_outweighs_the_settings(crowd):
    with OpenWorkspace(crowd) as workspace, pytest.raises(ModelError, match="no-such-model"):
        workspace.models.open("zero-shot", "no-such-model")


def test_a_model_is_opened_by_name_and_else_the_workspaces_own(crowd, tmp_path, scripted):
    opened = scripted(camp_lover)
    named = asked("named", settings={"model": "another"})
    measure(crowd, tmp_path / "run", config(asked(), named, protocol=TEN))
    assert opened == [("zero-shot", "smollm2-135m"), ("zero-shot", "another")]


def test_the_probe_asks_a_tenth_of_the_cases_at_most(crowd, tmp_path, scripted):
    calls = []
    scripted(lambda messages: calls.append(0) or camp_lover(messages))
    table = asked(settings={"mode": "labels", "shuffles": 1}, sample=20)
    (found,) = measure(crowd, tmp_path / "run", config(table, protocol=TEN)).systems
    assert (found.cases, len(calls)) == (20, 20 + 2)


def test_a_list_that_is_none_counts_as_an_answer_that_failed(crowd, tmp_path, scripted):
    scripted(lambda messages: "[1, 1, 1]")
    table = asked(settings={"mode": "list", "listed": 3})
    (found,) = measure(crowd, tmp_path / "run", config(table, protocol=TEN, probe=0)).systems
    assert found.faults == {"failed": 40}
    assert found.metrics["H@10"].value == 0.0
    (line, *_) = (tmp_path / "run" / "cases-asked.jsonl").read_bytes().splitlines()
    one = msgspec.json.decode(line)
    assert one["calls"] == 1 and one["new_tokens"] == 3


def test_a_model_that_is_not_here_fails_its_system_and_no_other(crowd, tmp_path):
    table = asked(settings={"model": "not-a-model"})
    failed, other = measure(
        crowd, tmp_path / "run", config(table, "popularity", protocol=TEN)
    ).systems
    assert "There is no model named 'not-a-model'" in failed.failed
    assert other.failed == ""


def zero_shot(crowd, model, **settings):
    """The system over a planted workspace, still to be fitted."""
    with OpenWorkspace(crowd) as workspace:
        context = workspace.context("movies")
        contexts = LogContexts(context.indexes, context.catalogue)
    models = FixedModels(workspace.models, lambda role: model)
    return ZeroShotAnswerer("zero-shot", contexts, models, {}, ZeroShotConfig(**settings))


def test_a_model_that_does_not_start_fails_its_system(crowd, keyed):
    class Dead(ScriptedModel):
        def count_tokens(self, text):
            raise ModelError("It does not start.")

    system = zero_shot(crowd, Dead([]))
    with pytest.raises(ModelError, match="does not start"):
        system.fit(keyed.interactions, 7, lambda what, done, total: None)


@pytest.mark.parametrize(
    ("system", "protocol", "said"),
    [
        (asked(), {}, "A model cannot rank all items in a prompt"),
        (asked(), {"candidates": 28}, "28 candidates cannot have a letter each"),
        (asked(entry="oracle"), TEN, 'no system "oracle" that asks a model'),
        (asked(entry="memrec-model", settings={"facets": 0}), TEN, "memrec-model do not fit"),
        (asked(entry="naive-agent", settings={"depth": 1}), TEN, "It has these: model, mode"),
        (asked(settings={"shuffles": 0}), TEN, "settings of zero-shot do not fit"),
        (asked(settings={"depth": 1}), TEN, "settings of zero-shot do not fit"),
        (asked(trials=3), TEN, "takes too long to tune"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_anything_is_done(
    crowd, tmp_path, system, protocol, said
):
    with pytest.raises(UsageError, match=said):
        measure(crowd, tmp_path / "run", config("popularity", system, protocol=protocol))
    assert not (tmp_path / "run").exists()


def test_an_answer_depends_on_its_case_alone(crowd, keyed):
    cases = split_data(keyed.interactions, EvaluationProtocol(candidates=10)).test

    def answer(places, seed=7):
        model = ScriptedModel(lambda messages: "9 8 7 6 5 4 3 2 1 1")
        system = zero_shot(crowd, model, mode="labels", shuffles=1)
        assert isinstance(system, ListAnswerer)
        system.fit(keyed.interactions, seed, lambda what, done, total: None)
        some = cases.take(np.array(places))
        return [reply.items for reply in system.answer(some.requests(), 10)]

    assert answer([0, 1, 2])[2] == answer([2])[0]
    assert answer([2], seed=8) != answer([2])


def lines_of(folder, name="asked"):
    lines = (folder / f"cases-{name}.jsonl").read_bytes().splitlines()
    return [msgspec.json.decode(line) for line in lines]


AGENTS = ("memrec-model", "memrec-model-counted", "isolated-agent")
FACETS = "Funny evenings | 0.7 | 1, 2\n"


def camp_judge(facets=FACETS):
    """Says yes to a film of the genre that the person is said to like; writes the facets given."""

    def script(messages):
        if "Name at most" in messages[-1].content:
            return facets
        likes = messages[1].content.split("Likes ")[1].split(";")[0]
        genre = next(one for one in ("drama", "comedy") if one in likes)
        return "0.8 0.2" if genre in messages[-1].content.casefold() else "0.3 0.7"

    return script


class TestAnAgent:
    @pytest.mark.parametrize("entry", AGENTS)
    def test_that_judges_candidates_one_by_one_finds_the_camp(
        self, crowd, tmp_path, scripted, entry
    ):
        opened = scripted(camp_judge())
        declared = config("random", asked(entry=entry, sample=12), protocol=TEN)
        random, found = measure(crowd, tmp_path / "run", declared).systems
        assert opened == [("reranker", "smollm2-135m"), ("writer", "smollm2-135m")]
        assert (found.failed, found.faults, found.suspicions) == ("", {}, ())
        assert found.metrics["NDCG@10"].value > random.metrics["NDCG@10"].value
        assert found.settings["model"] == "scripted"
        for one in lines_of(tmp_path / "run"):
            assert len(set(one["top"])) == 10
            assert one["calls"] == 10 + (entry == "memrec-model")
            assert one["prompt_tokens"] > 100 and one["ms"] > 0
            assert "notes" not in one

    def test_whose_facets_cannot_be_read_still_answers_and_the_case_says_so(
        self, crowd, tmp_path, scripted
    ):
        scripted(camp_judge("I would rather not."))
        table = asked(entry="memrec-model", sample=4)
        (found,) = measure(crowd, tmp_path / "run", config(table, protocol=TEN, probe=0)).systems
        assert found.faults == {}
        for one in lines_of(tmp_path / "run"):
            (note,) = one["notes"]
            assert "where a facet was asked for. Counted facets stand in." in note
            assert (one["calls"], one["new_tokens"]) == (11, 4)
            assert "faults" not in one and "error" not in one

    def test_that_judges_need_not_be_the_one_that_writes(self, crowd, tmp_path, monkeypatch):
        judge, writer = ScriptedModel(camp_judge()), ScriptedModel(camp_judge())
        roles = {"reranker": judge, "writer": writer}
        monkeypatch.setattr(ModelPool, "open", lambda self, role, *_: roles[role])
        declared = config(asked(entry="memrec-model", sample=2), protocol=TEN, probe=0)
        measure(crowd, tmp_path / "run", declared)
        assert judge.calls == 20
        assert all("Answer yes or no" in one[0].content for one in judge.prompts)
        told = {"Name at most" in one[-1].content for one in writer.prompts}
        assert told == {True, False}  # facets, and reasons
        assert not any("Answer yes or no" in one[0].content for one in writer.prompts)

    def test_in_one_prompt_sees_raw_neighbours_besides_what_zero_shot_sees(
        self, crowd, tmp_path, scripted
    ):
        prompts = []
        scripted(lambda messages: prompts.append(messages) or camp_lover(messages))
        for entry, settings in (
            ("zero-shot", {"mode": "labels"}),
            ("naive-agent", {}),
            ("naive-agent", {"neighbour_tokens": 64}),
        ):
            table = asked(entry=entry, settings=settings, sample=2)
            measure(crowd, tmp_path / "run", config(table, protocol=TEN, probe=0))
            shutil.rmtree(tmp_path / "run")
        plain, naive, short = prompts[0], prompts[6], prompts[12]
        assert len(prompts) == 18  # three orders of the candidates for each case
        assert plain[1:] == naive[1:] == short[1:]
        assert naive[0].content.startswith(plain[0].content)
        shown, fewer = (one[0].content.count("\n") for one in (naive, short))
        assert shown > fewer > 3
        assert "person who lately liked" in naive[0].content
        assert "item" in naive[0].content

    def test_in_one_prompt_ranks_as_zero_shot_does(self, crowd, tmp_path, scripted):
        scripted(camp_lover)
        declared = config("random", asked(entry="naive-agent"), protocol=TEN)
        random, found = measure(crowd, tmp_path / "run", declared).systems
        assert (found.failed, found.faults, found.suspicions) == ("", {}, ())
        assert found.metrics["NDCG@10"].low > random.metrics["NDCG@10"].high
        assert found.settings["neighbour_tokens"] == 1200

    @pytest.mark.parametrize("entry", list(JUDGES))
    def test_cannot_rank_all_items(self, crowd, tmp_path, entry):
        with pytest.raises(UsageError, match="cannot rank all items in a prompt"):
            measure(crowd, tmp_path / "run", config(asked(entry=entry), protocol={}))

    def test_that_judges_one_by_one_may_be_shown_more_than_there_are_letters(
        self, crowd, tmp_path, scripted
    ):
        scripted(camp_judge())
        table = asked(entry="isolated-agent", sample=2)
        declared = config(table, protocol={"candidates": 28}, probe=0)
        (found,) = measure(crowd, tmp_path / "run", declared).systems
        assert (found.failed, found.faults) == ("", {})

    @pytest.mark.real
    def test_with_the_real_model_judges_all_candidates(self, crowd, tmp_path, require_model):
        require_model("smollm2-135m")
        table = asked(entry="memrec-model", sample=1, settings={"neighbours": 8, "facets": 2})
        declared = config(table, protocol={"candidates": 4}, probe=0)
        (found,) = measure(crowd, tmp_path / "run", declared).systems
        assert (found.failed, found.faults) == ("", {})
        (one,) = lines_of(tmp_path / "run")
        assert one["calls"] == 1 + 4 and len(set(one["top"])) == 4
        assert one["new_tokens"] > 10
        assert one["cached_tokens"] > 100  # what is told of the person is read once


@pytest.mark.real
@pytest.mark.parametrize("mode", ["labels", "calibrated", "list"])
def test_the_real_model_ranks_all_candidates(crowd, tmp_path, require_model, mode):
    require_model("smollm2-135m")
    table = asked(settings={"mode": mode, "shuffles": 2, "listed": 3}, sample=3)
    (found,) = measure(crowd, tmp_path / "run", config(table, protocol=TEN)).systems
    assert found.failed == ""
    assert found.settings["model"].startswith("SmolLM2-135M")
    assert set(found.faults) <= ({"failed"} if mode == "list" else set())
    lines = (tmp_path / "run" / "cases-asked.jsonl").read_bytes().splitlines()
    replies = [msgspec.json.decode(line) for line in lines]
    assert len(replies) == 3
    for one in replies:
        assert one["ms"] > 0 and one["prompt_tokens"] > 100
        if "faults" not in one:
            assert one["calls"] == 2 and len(set(one["top"])) == 10
            # The history is read once for both orders.
            assert one["cached_tokens"] > 30
