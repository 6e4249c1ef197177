from __future__ import annotations

import pytest

from localrec.data.chat_message import Message
from localrec.foundation.errors import ModelError
from localrec.llm.call_recording import RecordingModel
from localrec.llm.chat_model import ChatModel
from localrec.llm.model_wrapper import PrefixedChatModel
from localrec.llm.scripted import ScriptedModel
from localrec.llm.usage_tracker import UsageTracker

ASKED = [Message("user", "A blue drink?")]


def test_answers_come_in_order_and_are_counted():
    model: ChatModel = ScriptedModel(["one", "two"])
    assert [model.generate(ASKED).text, model.generate(ASKED).text] == ["one", "two"]
    assert model.calls == 2
    assert model.prompts[0] == tuple(ASKED)
    with pytest.raises(ModelError, match="2 answers, this is call 3"):
        model.generate(ASKED)


def test_a_function_answers_from_the_messages():
    model = ScriptedModel(lambda messages: messages[-1].content.upper())
    assert model.generate(ASKED).text == "A BLUE DRINK?"


def test_a_choice_is_a_label_or_weights():
    model = ScriptedModel(["C2", "1 3"])
    assert model.choose(ASKED, ["C1", "C2"]).probabilities == (0.0, 1.0)
    assert model.choose(ASKED, ["C1", "C2"]).probabilities == (0.25, 0.75)


@pytest.mark.parametrize("answer", ["C9", "1", "1 2 3", "-1 2", "0 0", ""])
def test_an_answer_that_fits_no_label_is_an_error(answer):
    with pytest.raises(ModelError, match="fits none"):
        ScriptedModel([answer]).choose(ASKED, ["C1", "C2"])


def test_a_long_answer_is_cut_and_says_so():
    written = ScriptedModel(["one two three"]).generate(ASKED, max_tokens=2)
    assert (written.text, written.finished, written.usage.generated) == ("one two", False, 2)


def test_how_an_answer_begins_is_shown_to_the_script():
    model = ScriptedModel(lambda messages: f"{messages[-1].role}: {messages[-1].content}")
    assert model.generate(ASKED, prefix="Blue").text == "assistant: Blue"
    assert model.prompts[0] == (*ASKED, Message("assistant", "Blue"))


@pytest.mark.parametrize(
    "around",
    [
        UsageTracker,
        lambda model: RecordingModel(model, "agent", []),
        lambda model: PrefixedChatModel(model, "Briefly."),
    ],
    ids=["metered", "recorded", "briefed"],
)
@pytest.mark.parametrize("supports_tools", [False, True])
def test_what_stands_around_a_model_passes_on_beginnings_and_what_it_knows(around, supports_tools):
    model = ScriptedModel(["Blue Lagoon"])
    model.supports_tools = supports_tools
    wrapped = around(model)
    wrapped.generate(ASKED, prefix="Blue")
    assert model.prompts[0][-1] == Message("assistant", "Blue")
    assert wrapped.supports_tools is supports_tools
