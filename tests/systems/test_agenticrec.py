"""The compositions of AgenticRec: who acts, and what stands in where a trajectory is invalid."""

from __future__ import annotations

import re
from datetime import datetime

import numpy as np
import pytest

from localrec.agent.agenticrec import SCRIPT, AgenticRec
from localrec.agent.configs import AGENTS, AgenticRecConfig
from localrec.agent.context import build_tool_context
from localrec.agent.tool_fusion import ToolFusion
from localrec.foundation.errors import ModelError, UsageError
from localrec.graph.interactions import user_node
from localrec.llm.scripted import ScriptedModel
from localrec.memory import records
from localrec.memory.records import Memory, Provenance
from localrec.systems.registry import SYSTEM_REGISTRY
from localrec.workspace import OpenWorkspace
from localrec.workspace.model_pool import ModelPool

from .test_remembering import BAR, KEY, bar

PROFILE = "Think: Who is it?\nAct: get_user_profile()"
RANKED = "Think: So.\nRank: [5, 1]"
INVALID = "I would rather not."
WITH_MODEL = [name for name, config in AGENTS.items() if config.asks_model]


@pytest.fixture(scope="module")
def tool_context(opened):
    return build_tool_context(
        opened.context(BAR.name).domain_knowledge, [3, 4], [0, 1, 2, 5, 6, 7], user=0
    )


def rank(tool_context, answers, name="agenticrec", **settings):
    base = AGENTS[name]
    config = AgenticRecConfig(mode=base.mode, **{"k": 2, **settings})
    return AgenticRec(name, config, ScriptedModel(answers)).rank(tool_context, 1)


def fused_order(tool_context):
    return np.argsort(-ToolFusion().run(tool_context)[1], kind="stable").tolist()


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    with OpenWorkspace(bar(tmp_path_factory.mktemp("home") / "bar")) as workspace:
        yield workspace


class TestARanking:
    @pytest.mark.parametrize("name", AGENTS)
    @pytest.mark.parametrize("answer", [RANKED, INVALID])
    def test_holds_every_candidate_once(self, tool_context, name, answer):
        found = rank(tool_context, [answer], name)
        assert sorted(found.order) == list(range(6))
        assert found.trajectory.agent == name

    @pytest.mark.parametrize("name", WITH_MODEL)
    def test_puts_what_the_model_ranks_first_and_the_rest_in_the_fused_order(
        self, tool_context, name
    ):
        found = rank(tool_context, [RANKED], name)
        assert found.order[:2] == (4, 0)
        assert list(found.order[2:]) == [
            one for one in fused_order(tool_context) if one not in (4, 0)
        ]
        assert (found.ranked, found.scores) == (2, None)

    @pytest.mark.parametrize("name", WITH_MODEL)
    def test_is_the_fused_one_where_a_trajectory_is_invalid(self, tool_context, name):
        found = rank(tool_context, [INVALID], name)
        assert (found.trajectory.fault, found.ranked) == ("form", 0)
        assert list(found.order) == fused_order(tool_context)
        assert found.scores.tolist() == ToolFusion().run(tool_context)[1].tolist()

    def test_without_a_model_is_all_its_own(self, tool_context):
        found = AgenticRec("agenticrec-fused", AGENTS["agenticrec-fused"]).rank(tool_context)
        assert list(found.order) == fused_order(tool_context)
        assert found.ranked == 6
        assert (found.trajectory.model, found.trajectory.is_valid) == ("", True)
        assert found.trajectory.tool_calls > 3


class TestAComposition:
    def test_lets_the_model_ask_what_it_likes(self, tool_context):
        found = rank(tool_context, [PROFILE, RANKED])
        assert found.trajectory.tool_calls == 1
        assert found.trajectory.steps[0].call.tool == "get_user_profile"

    def test_ends_at_the_budget(self, tool_context):
        found = rank(tool_context, [PROFILE] * 3, budget=2)
        assert (found.trajectory.fault, found.trajectory.tool_calls) == ("budget", 2)

    def test_without_tools_knows_none(self, tool_context):
        assert rank(tool_context, [RANKED], "agenticrec-reasoning").trajectory.tool_calls == 0
        found = rank(tool_context, [PROFILE], "agenticrec-reasoning")
        assert found.trajectory.fault == "form"

    def test_by_script_asks_the_same_tools_first(self, tool_context):
        model = ScriptedModel([RANKED])
        name = "agenticrec-scripted"
        found = AgenticRec(name, AgenticRecConfig(mode="scripted", k=2, budget=0), model).rank(
            tool_context
        )
        asked = [step.call for step in found.trajectory.steps if step.call is not None]
        assert tuple(asked) == SCRIPT
        assert found.trajectory.is_valid

    def test_that_asks_a_model_needs_one(self):
        with pytest.raises(UsageError, match="agenticrec-scripted needs a model"):
            AgenticRec("agenticrec-scripted", AGENTS["agenticrec-scripted"])

    def test_raises_what_a_model_raises(self, tool_context):
        with pytest.raises(ModelError, match="script has 0 answers"):
            rank(tool_context, [])


def third_first(messages):
    """Asks for the profile once, then puts the third candidate first."""
    if "Observation of" not in messages[-1].content:
        return PROFILE
    count = int(re.search(r"Which (\d+) candidates", messages[1].content)[1])
    return f"Think: So.\nRank: {[3, 1, 2, *range(4, count + 1)]}"


class TestForAPersonOfAWorkspace:
    def test_a_list_is_in_the_agents_order(self, opened, monkeypatch):
        model = ScriptedModel(third_first)
        monkeypatch.setattr(ModelPool, "open", lambda self, role, *_: model)
        user = KEY.format(0)
        user_profile = opened.context(BAR.name).user_profile(user)
        found = SYSTEM_REGISTRY.recommender(opened.context(BAR.name), "agenticrec").recommend(
            user, user_profile, 3
        )
        plain = SYSTEM_REGISTRY.recommender(opened.context(BAR.name), "auto").recommend(
            user, user_profile, 3
        )
        assert [one.key for one in found.items] == [plain.items[at].key for at in (2, 0, 1)]
        assert found.answered_by["rerank"] == "agent"
        assert found.trajectory["ranking"][:3] == (3, 1, 2)
        assert (found.calls, found.tokens["rerank"] > 50) == (2, True)

    def test_the_tools_know_what_is_remembered_of_the_person(self, opened, monkeypatch):
        user = KEY.format(0)
        node = user_node(opened.store, BAR.name, user)
        told = Memory(
            node_id=node,
            version=1,
            text="Drinks at sea.",
            facets=(),
            source="template",
            provenance=Provenance(),
            pinned=False,
            at=datetime(2026, 1, 1),
        )
        monkeypatch.setattr(records, "memory_of", lambda store, one: told if one == node else None)
        model = ScriptedModel(third_first)
        monkeypatch.setattr(ModelPool, "open", lambda self, role, *_: model)
        ranker = SYSTEM_REGISTRY.recommender(opened.context(BAR.name), "agenticrec")
        found = ranker.recommend(user, opened.context(BAR.name).user_profile(user), 3)
        assert "Drinks at sea." in found.trajectory["steps"][0]["observation"]

    def test_a_model_that_dies_leaves_the_order_to_its_tools(self, opened, monkeypatch):
        monkeypatch.setattr(ModelPool, "open", lambda self, role, *_: ScriptedModel([]))
        user = KEY.format(0)
        user_profile = opened.context(BAR.name).user_profile(user)
        found = SYSTEM_REGISTRY.recommender(opened.context(BAR.name), "agenticrec").recommend(
            user, user_profile, 5
        )
        fused = SYSTEM_REGISTRY.recommender(opened.context(BAR.name), "agenticrec-fused").recommend(
            user, user_profile, 5
        )
        assert [one.key for one in found.items] == [one.key for one in fused.items]
        assert found.notes[0].startswith("The model failed: The script has 0 answers")
        assert found.trajectory["agent"] == "agenticrec-fused"
