"""What a model's calls cost is added up, also where a later one fails."""

import pytest

from localrec.data.chat_message import Message
from localrec.data.token_usage import TokenUsage
from localrec.foundation.errors import ModelError
from localrec.llm.scripted import ScriptedModel
from localrec.llm.usage_tracker import UsageTracker

ASKED = [Message("user", "one two three")]


def test_calls_add_up_until_they_are_taken():
    model = UsageTracker(ScriptedModel(["yes", "four words are written"]))
    model.choose(ASKED, ("yes", "no"))
    model.generate(ASKED)
    assert model.taken() == TokenUsage(calls=2, prompt_tokens=6, new_tokens=4)
    assert model.taken() == TokenUsage()


def test_what_went_before_a_failure_is_counted():
    model = UsageTracker(ScriptedModel(["yes"]))
    model.choose(ASKED, ("yes", "no"))
    with pytest.raises(ModelError):
        model.choose(ASKED, ("yes", "no"))
    assert model.taken().tokens == 3


def test_nothing_else_is_changed():
    model = UsageTracker(ScriptedModel([]))
    model.close()
    assert (model.name, model.count_tokens("two words")) == ("scripted", 2)
