"""A loop around the real SmolLM2: it repeats, keeps to its grammar, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from localrec.agent.formats import NATIVE, PLAIN
from localrec.agent.limits import AgentLimits
from localrec.agent.loop import conversation, run_agent
from localrec.data.chat_message import Message
from localrec.data.trajectory import ToolCall
from localrec.llm.model_catalog import model_path
from localrec.llm.model_process import ModelProcess
from tests.agent.small_desk import TOOLS, make_desk

pytestmark = pytest.mark.real

TINY = AgentLimits(budget=2, k=3, thought_characters=12, temperature=1.0)


@pytest.fixture(scope="module")
def model(require_model) -> Iterator[ModelProcess]:
    require_model("smollm2-135m")
    with ModelProcess(model_path("smollm2-135m")) as process:
        yield process


def test_a_seeded_run_repeats_exactly_whatever_went_between(model):
    tool_context = make_desk(4)
    first = run_agent(model, tool_context, TOOLS, TINY, 3)
    model.generate([Message("user", "Something else.")], max_tokens=2)
    again = run_agent(model, tool_context, TOOLS, TINY, 3)
    assert (again.turns, again.ranking, again.fault) == (first.turns, first.ranking, first.fault)
    assert again.cost.new_tokens == first.cost.new_tokens
    assert first.fault in (None, "budget")


def test_a_run_without_tools_ends_with_numbers_that_are_all_different(model):
    done = run_agent(model, make_desk(4), (), AgentLimits(k=4, thought_characters=12), 0)
    assert sorted(done.ranking) == [1, 2, 3, 4]
    assert done.turns[-1].own
    assert conversation(done)[-1].role == "assistant"
    # Numbers are asked for one by one, and each finds the conversation as it was left.
    assert done.cost.calls == 5
    assert done.cost.cached_tokens > 0.6 * done.cost.prompt_tokens


@pytest.mark.parametrize("dialect", [PLAIN, NATIVE], ids=lambda one: one.name)
def test_llama_cpp_takes_the_grammar_and_the_parser_takes_what_it_lets_through(model, dialect):
    grammar = dialect.turn_grammar(TOOLS, 12, 8)
    for seed in range(2):
        turn = model.generate(
            [Message("user", "Go on.")],
            grammar=grammar,
            max_tokens=200,
            temperature=3.0,  # nearly any token that the grammar admits
            seed=seed,
        )
        assert turn.finished
        if not turn.text.endswith(dialect.begun):
            assert isinstance(dialect.parse(turn.text, TOOLS, 12, 3), ToolCall)


def test_an_aborted_loop_leaves_no_child_process(require_model):
    require_model("smollm2-135m")

    def stop(number, frame):
        raise KeyboardInterrupt

    with ModelProcess(model_path("smollm2-135m")) as model:
        model.count_tokens("start")
        pid = model._child._process.pid
        before = signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        try:
            with pytest.raises(KeyboardInterrupt):
                run_agent(model, make_desk(18), TOOLS, AgentLimits(), 0)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
    assert not Path(f"/proc/{pid}").exists()
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text()
    assert str(pid) not in children.split()
