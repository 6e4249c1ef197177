"""Questions in an agent's order: the question's pool holds whatever the agent writes."""

from __future__ import annotations

import gc
import json
import random
import re
import subprocess
import sys
from contextlib import contextmanager

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localrec.agent.configs import AGENTS
from localrec.agent.request_constraints import request_constraints
from localrec.agent.tool_context import ToolContext
from localrec.data.query import TaskKind
from localrec.data.questions import Question, RankRequest
from localrec.data.recommendations import to_json
from localrec.foundation.errors import ModelCancelledError
from localrec.llm.scripted import ScriptedModel
from localrec.retrieval.candidates import build_candidates
from localrec.systems import agenticrec
from localrec.systems.registry import SYSTEM_REGISTRY
from localrec.systems.reranking import DEFAULT_CANDIDATES
from localrec.understanding.query_parser import parse_query
from localrec.workspace import OpenWorkspace
from localrec.workspace.batch_runs import answer_batch

from .test_remembering import BAR, DRINKS, KEY, bar

ANNA = KEY.format(0)
GIN = "a drink with gin"
SMOKY = "a smoky drink without whiskey"
CHECK = "Think: Is it?\nAct: check_demands(1)"
WITH_MODEL = [name for name, config in AGENTS.items() if config.asks_model]


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    folder = bar(tmp_path_factory.mktemp("home") / "bar")
    with OpenWorkspace(folder, writable=True) as workspace:
        workspace.imports.embed_texts(BAR)
    with OpenWorkspace(folder) as workspace:
        yield workspace


@contextmanager
def played(workspace, script):
    """Has a script play every role that a model is opened for."""
    model = ScriptedModel(script)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(workspace.models._opened, workspace.settings.chat_model, model)
        yield model


def ask(workspace, query, script=(), *, system="agenticrec", k=3, user=None, have=None):
    with played(workspace, script):
        asker = SYSTEM_REGISTRY.answerer(workspace.context(BAR.name), system)
        return asker.answer(Question(query=query, user=user, have=have), k)


def fused(workspace, query, **asked):
    return ask(workspace, query, system="agenticrec-fused", **asked)


def names(answer):
    return [item.name for item in answer.items]


def without_times(answer):
    told = json.loads(to_json(answer))
    told.pop("timings_ms")
    acted = told.get("trajectory", {"steps": [], "cost": {}})
    for timed in (acted, *acted["steps"]):
        timed.pop("ms", None)
        timed.pop("tool_ms", None)
    acted["cost"].pop("model_ms", None)
    return told


def offered(messages):
    """The titles of the candidates, and how many of them are to be ranked."""
    listed = messages[1].content.split("The candidates:\n")[1]
    return re.findall(r'^\d+\. "(.*)"', listed, re.MULTILINE), int(
        re.search(r"Which (\d+) candidates", listed)[1]
    )


def ranking(numbers):
    return f"Think: So.\nRank: {list(numbers)}"


def last_first(messages):
    """Ranks the candidates from the last to the first."""
    titles, k = offered(messages)
    return ranking(range(len(titles), len(titles) - k, -1))


def after(call):
    """Makes one call, then ranks."""

    def say(messages):
        return last_first(messages) if "Observation of" in messages[-1].content else call

    return say


class TestAnAnswer:
    def test_has_what_the_agent_ranks_first(self, opened):
        with played(opened, last_first) as model:
            answer = SYSTEM_REGISTRY.answerer(opened.context(BAR.name), "agenticrec").answer(
                Question(query=GIN), 3
            )
        titles, _ = offered(model.prompts[0])
        assert len(titles) == 4
        assert names(answer) == titles[:0:-1]
        assert [item.rank for item in answer.items] == [1, 2, 3]
        scores = [item.score for item in answer.items]
        assert scores == sorted(scores, reverse=True)

    def test_is_explained_as_by_marc(self, opened):
        by_agent = {item.key: item for item in ask(opened, GIN, last_first, k=4).items}
        by_marc = {item.key: item for item in ask(opened, GIN, system="marc", k=4).items}
        assert set(by_agent) == set(by_marc)
        for key, item in by_agent.items():
            assert (item.reason, item.evidence) == (by_marc[key].reason, by_marc[key].evidence)

    @pytest.mark.parametrize("name", WITH_MODEL)
    def test_says_who_ordered_it_and_what_that_took(self, opened, name):
        answer = ask(opened, GIN, last_first, system=name)
        assert (answer.answered_by["rerank"], answer.message) == ("agent", "")
        assert "rerank_failed" not in answer.answered_by
        assert answer.tokens["agent"] > 50
        assert answer.timings_ms["agent"] > 0
        assert answer.trajectory["agent"] == name
        assert answer.trajectory["ranking"] == (4, 3, 2, 1)

    def test_without_a_model_is_the_fused_one(self, opened):
        answer = fused(opened, GIN)
        assert answer.answered_by["rerank"] == "fused"
        assert (answer.trajectory["model"], answer.tokens) == ("", {})
        assert "agent" in answer.timings_ms

    def test_of_marc_has_no_trajectory(self, opened):
        assert b"trajectory" not in to_json(ask(opened, GIN, system="marc"))

    def test_repeats_exactly(self, opened):
        first, second = (ask(opened, GIN, after(CHECK), user=ANNA) for _ in range(2))
        assert without_times(first) == without_times(second)

    def test_names_nobody_else(self, opened):
        told = to_json(ask(opened, GIN, after("Think: Who?\nAct: get_similar_users()"), user=ANNA))
        assert set(re.findall(KEY.format(r"(\d+)").encode(), told)) == {b"0"}

    def test_with_nothing_to_order_asks_nobody(self, opened):
        answer = ask(opened, "alcohol-free, without citrus and without mint")
        assert (answer.items, answer.answered_by["rerank"], answer.trajectory) == (
            (),
            "silent",
            None,
        )
        assert "no citrus" in answer.message

    @pytest.mark.parametrize(("k", "candidates"), [(3, 5), (8, 8), (100, len(DRINKS))])
    def test_is_drawn_from_so_many_candidates(self, opened, monkeypatch, k, candidates):
        monkeypatch.setattr(agenticrec, "DEFAULT_CANDIDATES", 5)
        answer = fused(opened, "a drink", k=k)
        assert len(answer.trajectory["ranking"]) == candidates
        assert len(answer.items) == min(k, candidates)

    def test_makes_what_is_at_hand_before_the_rest(self, opened):
        asked = {"have": "lime juice, mint, soda water, sugar, white rum, gin", "k": 17}
        answer = fused(opened, "what can I make", **asked)
        lacking = [bool(item.missing) for item in answer.items]
        assert lacking == sorted(lacking)
        assert lacking.count(False) >= 3


class TestTheAgent:
    def test_reads_the_question_and_the_persons_history(self, opened):
        with played(opened, last_first) as model:
            SYSTEM_REGISTRY.answerer(opened.context(BAR.name), "agenticrec").answer(
                Question(query=GIN, user=ANNA), 3
            )
        told = model.prompts[0][1].content
        assert f'They ask: "{GIN}"' in told
        before = told.split("They ask")[0]
        assert all(
            f'"{opened.context(BAR.name).catalogue.names[at]}"' in before for at in history(opened)
        )

    def test_reads_no_history_of_a_stranger(self, opened):
        for user in (None, "nobody-we-know"):
            with played(opened, last_first) as model:
                SYSTEM_REGISTRY.answerer(opened.context(BAR.name), "agenticrec").answer(
                    Question(query=GIN, user=user), 3
                )
            told = model.prompts[0][1].content
            assert told.startswith(f"The {BAR.plural} that the person chose before")
            assert told.splitlines()[1] == "none"

    def test_can_check_what_is_asked_for(self, opened):
        observed = ask(opened, SMOKY, after(CHECK)).trajectory["steps"][0]["observation"]
        assert "[1] is as asked: has smoky" in observed
        assert "[1] is as asked: none that has whiskey" in observed


def history(workspace):
    return workspace.context(BAR.name).user_profile(ANNA).items.tolist()


class TestAnAgentThatFails:
    @pytest.mark.parametrize("name", WITH_MODEL)
    def test_without_a_ranking_leaves_the_order_to_the_fused_evidence(self, opened, name):
        answer = ask(opened, GIN, ["I would rather not."], system=name, user=ANNA)
        assert names(answer) == names(fused(opened, GIN, user=ANNA))
        assert answer.answered_by["rerank"] == "fused"
        assert answer.message.startswith("The agent gave no ranking. It wrote something")
        assert answer.answered_by["rerank_failed"] in answer.message
        assert (answer.trajectory["agent"], answer.trajectory["fault"]) == (name, "form")

    def test_on_its_way_does_the_same(self, opened):
        answer = ask(opened, GIN, [CHECK], user=ANNA)
        assert names(answer) == names(fused(opened, GIN, user=ANNA))
        assert "The model failed: The script has 1 answers" in answer.message
        assert answer.tokens["agent"] > 50
        assert answer.trajectory["agent"] == "agenticrec-fused"

    def test_for_it_is_not_here_does_the_same(self, opened, monkeypatch, tmp_path):
        monkeypatch.setenv("LOCALREC_CACHE", str(tmp_path))
        answer = SYSTEM_REGISTRY.answerer(opened.context(BAR.name), "agenticrec").answer(
            Question(query=GIN, user=ANNA), 3
        )
        assert names(answer) == names(fused(opened, GIN, user=ANNA))
        assert answer.answered_by["rerank"] == "fused"
        assert "The model failed: " in answer.message
        assert "The fused evidence of its tools orders" in answer.answered_by["rerank_failed"]

    def test_for_the_person_stopped_it_stops_the_answer(self, opened):
        def stop(messages):
            raise ModelCancelledError("Stopped.", "")

        with pytest.raises(ModelCancelledError):
            ask(opened, GIN, stop)

    def test_leaves_what_else_there_is_to_say(self, opened):
        message = ask(opened, "a blue drink with cream in a coupe", ["No."]).message
        assert message.startswith("No drink has it all. Let go: ")
        assert message.endswith("orders the candidates.")


_NAMES = st.sampled_from(
    "gin vodka rum whiskey lime mint egg dairy nuts campari red blue green sour coupe "
    "highball negroni mojito smoky citrus layered vegan non-alcoholic".split()
)
_GLUE = st.sampled_from(["with", "without", "no", "and", "or", "in a", "like a", "not a", ","])
_QUESTIONS = st.lists(st.one_of(_NAMES, _GLUE), max_size=8).map(" ".join)
_NUMBERS = st.lists(st.integers(-3, 40), max_size=25)


def _shuffled(seed):
    def say(messages):
        titles, k = offered(messages)
        return ranking(random.Random(seed).sample(range(1, len(titles) + 1), k))

    return say


_WRITTEN = st.one_of(
    st.integers(0, 1000).map(_shuffled),
    _NUMBERS.map(ranking).map(lambda said: lambda _: said),
    st.text(max_size=80).map(lambda said: lambda _: said),
)


@settings(deadline=None, max_examples=40)
@given(
    query=_QUESTIONS,
    written=_WRITTEN,
    k=st.integers(1, 25),
    user=st.sampled_from([None, ANNA, "nobody-we-know"]),
)
def test_whatever_the_agent_writes_no_item_outside_the_pool_comes(opened, query, written, k, user):
    answer = ask(opened, query, written, k=k, user=user)
    stages = opened.context(BAR.name)
    pool = build_candidates(
        parse_query(query, stages.vocabulary), stages.catalogue, TaskKind(answer.task.kind)
    )
    places = [stages.catalogue.item_index(item.key) for item in answer.items]
    assert len(set(places)) == len(places) <= k
    assert pool.items[places].all()
    declined = bool(answer.topic or answer.language)
    assert bool(answer.items) == bool(pool.items.any() and not declined)
    assert all(item.satisfies for item in answer.items) or answer.relaxed
    assert declined or answer.answered_by["rerank"] in ("agent", "fused", "silent")


@settings(deadline=None)
@given(query=_QUESTIONS)
def test_points_to_check_are_together_what_the_pool_holds(bar, query):
    intent = parse_query(query, bar.vocabulary)
    intent = msgspec.structs.replace(intent, have=())
    everything = np.arange(len(bar.catalogue), dtype=np.int32)
    demands = request_constraints(everything, intent, bar.catalogue)
    held = np.all([one.holds for one in demands], axis=0) if demands else bar.catalogue.every()
    assert (held == build_candidates(intent, bar.catalogue, TaskKind.C3).satisfying).all()
    assert all(one.text.strip() for one in demands)


class TestAnInstructionOfARequest:
    WISH = "something without campari, and not a gimlet"
    BARRED = frozenset({"negroni", "boulevardier", "americano", "gimlet"})
    CANDIDATES = tuple(DRINKS[:8])

    def ranked(self, workspace, script=(), *, system="agenticrec-fused", **fields):
        asked = RankRequest(id=1, candidates=self.CANDIDATES, **fields)
        with played(workspace, script):
            return SYSTEM_REGISTRY.recommender(workspace.context(BAR.name), system).rank(asked)

    @pytest.mark.parametrize("history", [(), tuple(DRINKS[8:11])], ids=["stranger", "history"])
    def test_is_held_by_the_fused_order(self, opened, history):
        told = self.ranked(opened, history=history, instruction=self.WISH)
        assert set(told.ranking[-4:]) == self.BARRED
        assert told.answered_by["rerank"] == "fused"

    def test_can_be_checked_by_the_agent(self, opened):
        fields = {"history": (DRINKS[8],), "instruction": self.WISH}
        told = self.ranked(opened, after(CHECK), system="agenticrec", **fields)
        observed = told.trajectory["steps"][0]["observation"]
        assert "[1] is not as asked: none that has campari" in observed
        assert "[1] is as asked: other than Gimlet" in observed

    def test_that_asks_for_nothing_changes_nothing(self, opened):
        history = tuple(DRINKS[8:11])
        with_words = self.ranked(opened, history=history, instruction="surprise me")
        assert with_words.ranking == self.ranked(opened, history=history).ranking

    def test_of_none_leaves_a_stranger_unjudged(self, opened):
        told = self.ranked(opened)
        assert told.notes == ("Nothing is known that they like, so that no candidate was judged.",)
        assert told.trajectory is None


def tool_contexts():
    """The desks that are still there, by their places in memory."""
    gc.collect()
    return {id(one) for one in gc.get_objects() if type(one) is ToolContext}


def test_a_batch_has_trajectories_in_its_file_and_keeps_none(opened, tmp_path):
    questions = [Question(id=str(number), query=GIN, user=ANNA) for number in range(3)]
    out = tmp_path / "answers.jsonl"
    before = tool_contexts()  # other tests of this process may still hold some
    with played(opened, last_first):
        answer_batch(
            lambda _: SYSTEM_REGISTRY.answerer(opened.context(BAR.name), "agenticrec"),
            questions,
            out,
            3,
            lambda *_: None,
        )
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["id"] for line in lines] == ["0", "1", "2"]
    assert all(line["trajectory"]["ranking"] == [4, 3, 2, 1] for line in lines)
    assert tool_contexts() <= before


def test_naming_the_systems_loads_no_agent():
    told = subprocess.run(
        [sys.executable, "-c", "import localrec.systems.registry, sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    agent = {name for name in told.split() if name.startswith("localrec.agent.")}
    assert agent <= {"localrec.agent.configs", "localrec.agent.limits"}
    assert "localrec.systems.agenticrec" not in told.split()


@pytest.mark.real
def test_a_small_model_on_the_real_drinks_holds_what_is_asked_and_repeats(
    cli, bundled_workspace, require_model
):
    require_model("smollm2-135m")
    asked = ("ask", SMOKY, "-k", 3, "--system", "agenticrec", "--json")
    answers = []
    for _ in range(2):
        code, out, err = cli("--workspace", bundled_workspace, *asked)
        assert (code, err) == (0, "")
        answers.append(json.loads(out))
    for answer in answers:
        answer.pop("timings_ms")
        acted = answer["trajectory"]
        assert acted["agent"] == "agenticrec"
        offered_to_it = re.search(r"(\d+) numbered candidates", acted["opening"][0][1])
        assert 3 < int(offered_to_it[1]) <= DEFAULT_CANDIDATES
        for timed, field in ((acted, "ms"), (acted["cost"], "model_ms")):
            timed.pop(field)
        for step in acted["steps"]:
            step.pop("tool_ms")
    first, second = answers
    assert first == second
    assert len(first["items"]) == 3
    with OpenWorkspace(bundled_workspace) as workspace:
        catalogue = workspace.context("cocktails").catalogue
        whiskey = catalogue.attribute_index("ingredient", "whiskey")
        below = set(catalogue.below(whiskey, True))
        for item in first["items"]:
            assert item["satisfies"]
            has = set(catalogue.attributes_of(catalogue.item_index(item["key"])).tolist())
            assert not has & below
