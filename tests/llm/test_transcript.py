"""What a model saw is on record as it was asked, and the asking is none the different for it."""

from __future__ import annotations

import pytest

from localrec.data.chat_message import Message
from localrec.data.model_calls import ChatTurn, ModelCall
from localrec.foundation.errors import ModelCancelledError, ModelError
from localrec.foundation.settings import Settings
from localrec.llm.call_recording import RecordingModel
from localrec.llm.chat_model import ChatModel
from localrec.llm.scripted import ScriptedModel
from localrec.workspace.model_pool import FixedModels, ModelPool, RecordingModels

ASKED = [Message("system", "Be brief.\nAnd kind."), Message("user", "A \x1b[31mblue drink?")]
SAW = (ChatTurn("system", "Be brief.\nAnd kind."), ChatTurn("user", "A \x1b[31mblue drink?"))


def recorded(script, role="router"):
    inner = ScriptedModel(script)
    calls: list[ModelCall] = []
    model: ChatModel = RecordingModel(inner, role, calls)
    return inner, model, calls


def test_what_is_written_is_kept_with_all_that_was_read():
    inner, model, calls = recorded(["Blue Sky."], "writer")
    assert model.generate(ASKED).text == "Blue Sky."
    assert calls == [ModelCall(role="writer", model="scripted", saw=SAW, reply="Blue Sky.")]
    assert inner.prompts == [tuple(ASKED)]


def test_what_is_chosen_is_kept_by_label():
    _, model, calls = recorded(["1 3"])
    assert model.choose(ASKED, ["look", "glass"]).probabilities == (0.25, 0.75)
    assert calls == [
        ModelCall(role="router", model="scripted", saw=SAW, choice={"look": 0.25, "glass": 0.75})
    ]


def recorded_models(open_model, calls):
    """Models whose calls are kept."""
    return RecordingModels(FixedModels(ModelPool(Settings()), open_model), calls)


def test_calls_are_kept_in_order_whatever_their_role():
    calls: list[ModelCall] = []
    open_model = recorded_models(
        lambda role: ScriptedModel([f"as {role}", f"as {role} again"]), calls
    ).open
    router, writer = open_model("router"), open_model("writer")
    for model in (router, writer, router):
        model.generate(ASKED)
    assert [(call.role, call.reply) for call in calls] == [
        ("router", "as router"),
        ("writer", "as writer"),
        ("router", "as router again"),
    ]


@pytest.mark.parametrize(
    "ask", [lambda model: model.generate(ASKED), lambda model: model.choose(ASKED, ["yes"])]
)
@pytest.mark.parametrize("error", [ModelError("It broke."), ModelCancelledError("It broke.")])
def test_a_failure_is_kept_and_goes_on(ask, error):
    def fail(messages):
        raise error

    _, model, calls = recorded(fail)
    with pytest.raises(type(error)):
        ask(model)
    assert calls == [ModelCall(role="router", model="scripted", saw=SAW, failed="It broke.")]


def test_what_is_asked_of_the_model_is_handed_on():
    class Curious(ScriptedModel):
        def generate(self, messages, **options):
            self.options = options
            return super().generate(messages)

    inner = Curious(["yes"])
    options = {
        "grammar": 'root ::= "yes"\n',
        "max_tokens": 7,
        "temperature": 0.5,
        "seed": 3,
        "fixed": 1,
        "prefix": "Oh",
    }
    RecordingModel(inner, "writer", []).generate(ASKED, **options)
    assert inner.options == options


def test_how_an_answer_was_begun_was_seen_too():
    _, model, calls = recorded(["yes."], "writer")
    model.generate(ASKED, prefix="Oh,")
    assert (calls[0].saw, calls[0].reply) == ((*SAW, ChatTurn("assistant", "Oh,")), "yes.")


def test_counting_tokens_is_no_asking():
    _, model, calls = recorded([])
    assert model.count_tokens("one two") == 2
    assert calls == []


def test_a_model_that_is_not_there_leaves_no_record():
    def open_model(role):
        raise ModelError("No such model.")

    calls: list[ModelCall] = []
    with pytest.raises(ModelError, match="No such model"):
        recorded_models(open_model, calls).open("router")
    assert calls == []
