"""Refinement: what counts as confused, how both questions are put, what an answer earns."""

from __future__ import annotations

import msgspec
import pytest

from localrec.agent.formats import NATIVE, PLAIN
from localrec.agent.loop import conversation, run_agent
from localrec.data.trajectory import Trajectory
from localrec.foundation.errors import InputError
from localrec.llm.scripted import ScriptedModel
from localrec.training.rl.policy_config import RefineConfig
from localrec.training.rl.preference_refinement import HardPair, PairTask, hard_pair, mined_pairs
from localrec.training.rl.rollout_workers import RolloutModel, RolloutWorkers
from tests.agent.small_desk import TOOLS

from .small_tasks import SHORT, TWO, Few

CONFIG = RefineConfig(**{**msgspec.structs.asdict(TWO), "searched": 3})


def ranked(*ranking):
    return Trajectory(
        agent="a",
        model="m",
        dialect="plain",
        seed=0,
        initial_prompt=(),
        steps=(),
        ranking=ranking or None,
    )


class TestAHardPair:
    def test_is_one_above_the_chosen(self):
        rivals = {hard_pair(n, 2, (3, 1, 2, 4), 7).rival for n in range(60)}
        assert rivals == {3, 1}

    def test_is_any_of_a_ranking_that_lacks_the_chosen(self):
        rivals = {hard_pair(n, 4, (3, 1, 2), 7).rival for n in range(60)}
        assert rivals == {3, 1, 2}

    def test_is_none_where_the_chosen_stands_first_or_nothing_was_ranked(self):
        assert hard_pair(0, 3, (3, 1), 7) is None
        assert hard_pair(0, 3, (), 7) is None

    def test_is_the_same_for_the_same_seed(self):
        draws = [hard_pair(5, 9, (1, 2, 3, 4, 5), 7) for _ in range(3)]
        assert len(set(map(msgspec.json.encode, draws))) == 1


@pytest.fixture
def task():
    pairs = [HardPair(request=number, chosen=1 + number, rival=4) for number in range(3)]
    return PairTask(Few(), pairs, CONFIG)


class TestBothQuestions:
    def test_are_asked_about_the_same_two_items(self, task):
        for place in range(3):
            likelier, less = task.request(2 * place), task.request(2 * place + 1)
            assert set(likelier.tool_context.candidates) == set(less.tool_context.candidates)
            assert (likelier.avoided, less.avoided) == (False, True)
            chosen = likelier.tool_context.candidates[likelier.target - 1]
            assert chosen == Few().request(place).tool_context.candidates[place]
            assert less.tool_context.candidates[less.target - 1] != chosen

    def test_do_not_give_the_answer_away_by_its_place(self):
        pairs = [HardPair(request=0, chosen=1, rival=2)] * 40
        task = PairTask(Few(), pairs, CONFIG)
        assert {task.request(number).target for number in range(len(task))} == {1, 2}

    @pytest.mark.parametrize("dialect", [PLAIN, NATIVE], ids=lambda one: one.name)
    def test_replace_what_is_asked_and_leave_how_it_is_answered(self, task, dialect):
        request = task.request(1)
        shown = dialect.initial_prompt(request.tool_context, TOOLS, budget=3, k=1, history=2)
        told = request.shown(shown)
        assert "foretell which one they leave" in told[0].content
        assert "foretell which 1" not in told[0].content
        assert told[0].content.endswith(shown[0].content[-200:])
        assert told[1].content.endswith("Which of the two do they rather leave?")
        assert "choose next, the likeliest first?" not in told[1].content

    def test_reach_the_model_through_the_loop_that_serves(self, task):
        import threading

        model = ScriptedModel(lambda messages: "Think: So.\nRank: [2]")
        request = task.request(0)
        told = RolloutModel(model, request, threading.Event(), set())
        done = run_agent(told, request.tool_context, (), msgspec.structs.replace(SHORT, k=1), 0)
        assert "rather choose" in model.prompts[-1][1].content
        assert model.prompts[-1][1] == request.shown(conversation(done))[1]
        assert request.score(done).total == float(request.target == 2)


class TestMining:
    def test_keeps_what_was_confused_and_asks_no_second_time(self, tmp_path):
        opened = []

        def open_model(adapter):
            opened.append(ScriptedModel(lambda messages: "Think: So.\nRank: [2, 1]"))
            return opened[-1]

        path = tmp_path / "pairs.jsonl"
        with RolloutWorkers(open_model, 1, ()) as writers:
            writers.adopt(None)
            pairs = mined_pairs(Few(), writers, CONFIG, path)
            asked = opened[0].calls
            assert mined_pairs(Few(), writers, CONFIG, path) == pairs
            assert opened[0].calls == asked
        # The targets are 1, 2 and 3: confused with the 2 above, right, and missing.
        assert [(one.request, one.chosen) for one in pairs] == [(0, 1), (2, 3)]
        assert pairs[0].rival == 2

    def test_of_an_agent_without_a_fault_says_so(self, tmp_path):
        class Easy(Few):
            def request(self, number):
                return super().request(0)

        model = ScriptedModel(lambda messages: "Think: So.\nRank: [1, 2]")
        with RolloutWorkers(lambda adapter: model, 1, ()) as writers:
            writers.adopt(None)
            with pytest.raises(InputError, match="nothing to refine"):
                mined_pairs(Easy(), writers, CONFIG, tmp_path / "pairs.jsonl")
