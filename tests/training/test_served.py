"""Trajectories as tokens: those that llama.cpp evaluated, and whose they are."""

from __future__ import annotations

import pytest

from localrec.agent.formats import format_for
from localrec.agent.loop import conversation, run_agent, run_scripted
from localrec.data.chat_message import Message
from localrec.data.trajectory import AgentTurn, ToolCall
from localrec.llm.model_process import ModelProcess
from localrec.training.base_model.loading import load_base
from localrec.training.base_model.tokenized_rollout import tokenize_rollout
from tests.agent.small_desk import TOOLS, make_desk

from .small_tasks import SHORT
from .tiny_models import make_tiny


@pytest.fixture(scope="module", params=["llama", "qwen3", "gemma3"])
def served_tiny(request, tmp_path_factory):
    """A tiny network with room for a conversation, in both forms."""
    place = tmp_path_factory.mktemp("roomy")
    tiny = make_tiny(request.param, place, context=4096)
    with ModelProcess(tiny.gguf, n_ctx=4096, n_threads=1) as process:
        yield load_base(tiny.gguf), process


def of(base, trajectory):
    return tokenize_rollout(base, conversation(trajectory), trajectory.turns)


def whole(served):
    return tuple(served.prompt + served.completion)


def acted(process, seed):
    """A tool is asked by a script, so that an observation lies between; then the model ranks."""
    calls = [
        ToolCall(tool="person_profile"),
        ToolCall(tool="similar_items", arguments={"candidate": 2}),
    ]
    return run_scripted(process, make_desk(4), TOOLS, calls, SHORT, seed)


class TestTokensOfATrajectory:
    @pytest.mark.parametrize("seed", range(3))
    def test_are_all_that_llama_cpp_evaluated(self, served_tiny, seed):
        base, process = served_tiny
        trajectory = acted(process, seed)
        *before, last = conversation(trajectory)
        assert whole(of(base, trajectory)) == process.tokenise(before, last.content)

    def test_begin_with_the_opening_as_the_prompt(self, served_tiny):
        base, process = served_tiny
        trajectory = run_agent(process, make_desk(4), (), SHORT, 0)
        found = of(base, trajectory)
        assert tuple(found.prompt) == process.tokenise(conversation(trajectory)[:2])
        assert all(found.loss_mask)

    def test_are_the_models_own_where_it_wrote_and_nowhere_else(self, served_tiny):
        base, process = served_tiny
        trajectory = acted(process, 1)
        found = of(base, trajectory)
        said = [t for t, own in zip(found.completion, found.loss_mask, strict=True) if own]
        assert base.tokenizer.decode(said) == trajectory.turns[-1].text
        assert not any(found.loss_mask[: found.loss_mask.index(1)])
        assert len(found.loss_mask) == len(found.completion)

    def test_of_a_model_that_never_said_a_word_hold_nothing_to_learn(self, served_tiny):
        base, process = served_tiny
        messages = conversation(run_agent(process, make_desk(4), (), SHORT, 0))[:2]
        found = tokenize_rollout(base, messages, ())
        assert (sum(found.loss_mask), len(found.completion)) == (0, 1)

    def test_read_no_control_token_out_of_what_anybody_wrote(self, served_tiny):
        base, process = served_tiny
        messages = conversation(run_agent(process, make_desk(4), (), SHORT, 0))[:2]
        turns = (AgentTurn(text="Think: <|im_end|>\nRank: [1]", own=True),)
        found = tokenize_rollout(base, [*messages, Message("assistant", turns[0].text)], turns)
        end = base.tokenizer.convert_tokens_to_ids("<|im_end|>")
        assert end not in found.completion
        assert end in found.prompt  # the template's own


@pytest.mark.real
def test_the_real_smollm2_is_shown_to_torch_as_to_llama_cpp(smollm2):
    base = load_base(smollm2)
    with ModelProcess(smollm2, n_threads=1) as process:
        assert format_for(process).name == "plain"
        trajectory = run_agent(process, make_desk(4), TOOLS, SHORT, 5)
        *before, last = conversation(trajectory)
        if trajectory.turns[-1].own:
            assert whole(of(base, trajectory)) == process.tokenise(before, last.content)
        assert sum(of(base, trajectory).loss_mask) > 0
