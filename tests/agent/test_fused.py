"""The deterministic counterpart ranks by what the tools say, and what is asked for comes first."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from localrec.agent.desk import Demand
from localrec.agent.fused import USUAL_AGENT_WEIGHTS, Fused, fit_fused
from localrec.agent.registry import Observation, tool
from localrec.agent.suite import SUITE
from localrec.errors import UsageError
from localrec.reasoning.fusion import FusionWeights

from .suite.world import Compass, a_desk, make_reference, without_history

HORROR = {1, 3, 5, 7}


@tool
def by_number(desk) -> Observation:
    """Higher numbers first."""
    return Observation(["Higher first."], np.arange(len(desk.candidates), dtype=np.float32))


@tool
def nothing_at_all(desk) -> Observation:
    """Compares nothing."""
    return Observation(["No."])


@pytest.fixture(scope="module")
def desk():
    return a_desk(make_reference(sequential=Compass()))


class TestRanking:
    def test_holds_every_candidate_once(self, desk):
        assert sorted(Fused().run(desk)[0].ranking) == list(range(1, 9))

    def test_puts_the_own_camp_first(self, desk):
        assert set(Fused().run(desk)[0].ranking[:4]) == HORROR

    def test_is_the_order_of_the_scores(self, desk):
        scores = Fused().run(desk)[1]
        assert scores.shape == (8,)
        ranking = np.array(Fused().run(desk)[0].ranking) - 1
        assert np.all(np.diff(scores[ranking]) <= 0)

    def test_repeats_exactly_whatever_the_seed(self, desk):
        assert Fused().run(desk, 1)[0].ranking == Fused().run(desk, 2)[0].ranking

    def test_needs_no_history_and_no_sequence(self):
        stranger = without_history(a_desk())
        assert sorted(Fused().run(stranger)[0].ranking) == list(range(1, 9))

    def test_of_equals_the_first_stands_first(self, desk):
        fused = Fused((nothing_at_all,), FusionWeights(weights={"nothing_at_all()": 1.0}))
        assert fused.run(desk)[0].ranking == tuple(range(1, 9))

    def test_refuses_a_request_without_candidates(self, desk):
        empty = msgspec.structs.replace(desk, candidates=desk.candidates[:0])
        with pytest.raises(UsageError):
            Fused().run(empty)


class TestDemands:
    def test_go_before_all_evidence(self, desk):
        comedy = Demand("a comedy", np.arange(8) % 2 == 1)
        asked = msgspec.structs.replace(desk, demands=(comedy,))
        assert set(Fused().run(asked)[0].ranking[:4]) == {2, 4, 6, 8}

    def test_count_by_how_many_are_held(self, desk):
        first, both = np.arange(8) < 4, np.arange(8) < 2
        asked = msgspec.structs.replace(desk, demands=(Demand("a", first), Demand("b", both)))
        ranking = Fused().run(asked)[0].ranking
        assert set(ranking[:2]) == {1, 2}
        assert set(ranking[2:4]) == {3, 4}

    def test_that_none_holds_leave_the_order(self, desk):
        asked = msgspec.structs.replace(desk, demands=(Demand("a", np.zeros(8, dtype=bool)),))
        assert Fused().run(asked)[0].ranking == Fused().run(desk)[0].ranking


class TestTrajectory:
    def test_tells_each_tool_that_was_asked(self, desk):
        found, _ = Fused().run(desk)
        called = {
            f"{one.call.tool}({', '.join(one.call.arguments.values())})" for one in found.steps
        }
        assert called == set(USUAL_AGENT_WEIGHTS.weights)
        assert all(one.observation.startswith("- ") for one in found.steps)

    def test_is_valid_and_cost_no_model(self, desk):
        found, _ = Fused().run(desk, 3)
        assert (found.is_valid, found.model, found.cost.calls, found.seed) == (True, "", 0, 3)


class TestFitting:
    def test_finds_out_which_tool_to_believe(self, desk):
        tools = (by_number, nothing_at_all, *SUITE)
        weights = fit_fused([desk] * 60, [8] * 60, tools)
        assert weights.cases == 60
        assert weights.weights["by_number()"] > 0
        assert Fused(tools, weights).run(desk)[0].ranking[0] == 8

    def test_leaves_out_what_never_compares(self, desk):
        kinds = fit_fused([desk], [1], (by_number, nothing_at_all)).weights
        assert list(kinds) == ["by_number()"]

    def test_knows_a_word_of_a_closed_set_as_a_kind(self, desk):
        kinds = fit_fused([desk], [1]).weights
        assert {f"candidates_analyze({by})" for by in ("category", "year", "popularity")} <= set(
            kinds
        )

    def test_of_nothing_gives_nothing(self):
        assert fit_fused([], []).weights == {}
