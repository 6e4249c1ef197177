"""The deterministic counterpart ranks by what the tools say, and what is asked for comes first."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from localrec.agent.tool_context import RequestConstraint
from localrec.agent.tool_fusion import DEFAULT_TOOL_WEIGHTS, ToolFusion, fit_tool_fusion
from localrec.agent.tool_registry import Observation, tool
from localrec.agent.tools import TOOLS
from localrec.foundation.errors import UsageError
from localrec.memory.fusion import FusionWeights

from .suite.world import Compass, a_desk, make_reference, without_history

HORROR = {1, 3, 5, 7}


@tool
def by_number(tool_context) -> Observation:
    """Higher numbers first."""
    return Observation(["Higher first."], np.arange(len(tool_context.candidates), dtype=np.float32))


@tool
def nothing_at_all(tool_context) -> Observation:
    """Compares nothing."""
    return Observation(["No."])


@pytest.fixture(scope="module")
def tool_context():
    return a_desk(make_reference(sequential=Compass()))


class TestRanking:
    def test_holds_every_candidate_once(self, tool_context):
        assert sorted(ToolFusion().run(tool_context)[0].ranking) == list(range(1, 9))

    def test_puts_the_own_camp_first(self, tool_context):
        assert set(ToolFusion().run(tool_context)[0].ranking[:4]) == HORROR

    def test_is_the_order_of_the_scores(self, tool_context):
        scores = ToolFusion().run(tool_context)[1]
        assert scores.shape == (8,)
        ranking = np.array(ToolFusion().run(tool_context)[0].ranking) - 1
        assert np.all(np.diff(scores[ranking]) <= 0)

    def test_repeats_exactly_whatever_the_seed(self, tool_context):
        assert (
            ToolFusion().run(tool_context, 1)[0].ranking
            == ToolFusion().run(tool_context, 2)[0].ranking
        )

    def test_needs_no_history_and_no_sequence(self):
        stranger = without_history(a_desk())
        assert sorted(ToolFusion().run(stranger)[0].ranking) == list(range(1, 9))

    def test_of_equals_the_first_stands_first(self, tool_context):
        fused = ToolFusion((nothing_at_all,), FusionWeights(weights={"nothing_at_all()": 1.0}))
        assert fused.run(tool_context)[0].ranking == tuple(range(1, 9))

    def test_refuses_a_request_without_candidates(self, tool_context):
        empty = msgspec.structs.replace(tool_context, candidates=tool_context.candidates[:0])
        with pytest.raises(UsageError):
            ToolFusion().run(empty)


class TestDemands:
    def test_go_before_all_evidence(self, tool_context):
        comedy = RequestConstraint("a comedy", np.arange(8) % 2 == 1)
        asked = msgspec.structs.replace(tool_context, demands=(comedy,))
        assert set(ToolFusion().run(asked)[0].ranking[:4]) == {2, 4, 6, 8}

    def test_count_by_how_many_are_held(self, tool_context):
        first, both = np.arange(8) < 4, np.arange(8) < 2
        asked = msgspec.structs.replace(
            tool_context, demands=(RequestConstraint("a", first), RequestConstraint("b", both))
        )
        ranking = ToolFusion().run(asked)[0].ranking
        assert set(ranking[:2]) == {1, 2}
        assert set(ranking[2:4]) == {3, 4}

    def test_that_none_holds_leave_the_order(self, tool_context):
        asked = msgspec.structs.replace(
            tool_context, demands=(RequestConstraint("a", np.zeros(8, dtype=bool)),)
        )
        assert ToolFusion().run(asked)[0].ranking == ToolFusion().run(tool_context)[0].ranking


class TestTrajectory:
    def test_tells_each_tool_that_was_asked(self, tool_context):
        found, _ = ToolFusion().run(tool_context)
        called = {
            f"{one.call.tool}({', '.join(one.call.arguments.values())})" for one in found.steps
        }
        assert called == set(DEFAULT_TOOL_WEIGHTS.weights)
        assert all(one.observation.startswith("- ") for one in found.steps)

    def test_is_valid_and_cost_no_model(self, tool_context):
        found, _ = ToolFusion().run(tool_context, 3)
        assert (found.is_valid, found.model, found.cost.calls, found.seed) == (True, "", 0, 3)


class TestFitting:
    def test_finds_out_which_tool_to_believe(self, tool_context):
        tools = (by_number, nothing_at_all, *TOOLS)
        weights = fit_tool_fusion([tool_context] * 60, [8] * 60, tools)
        assert weights.cases == 60
        assert weights.weights["by_number()"] > 0
        assert ToolFusion(tools, weights).run(tool_context)[0].ranking[0] == 8

    def test_leaves_out_what_never_compares(self, tool_context):
        kinds = fit_tool_fusion([tool_context], [1], (by_number, nothing_at_all)).weights
        assert list(kinds) == ["by_number()"]

    def test_knows_a_word_of_a_closed_set_as_a_kind(self, tool_context):
        kinds = fit_tool_fusion([tool_context], [1]).weights
        assert {f"candidates_analyze({by})" for by in ("category", "year", "popularity")} <= set(
            kinds
        )

    def test_of_nothing_gives_nothing(self):
        assert fit_tool_fusion([], []).weights == {}
