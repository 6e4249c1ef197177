"""Slots: what the model may write, what its lines mean in a catalogue, and what happens if not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.data.query import Constraint
from localrec.data.questions import Question
from localrec.foundation.errors import ModelError
from localrec.llm.scripted import ScriptedModel
from localrec.systems.configs import MarcConfig
from localrec.systems.marc import Marc
from localrec.understanding.slot_filling import (
    EMPTY_SLOTS,
    SLOTS,
    Slot,
    SlotReader,
    parse_slots,
    plain_name,
    query_from_slots,
    slots_grammar,
    write_slots,
)
from tests.planted import with_model

WORDS = ("gin", "Lime", "crème", "No. 2", "7%", "Rock & Rye", "jalapeño", "d'Orange")
names = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join).map(plain_name)
values = st.lists(names, min_size=1, max_size=3).map(tuple)
some_slots = st.lists(
    st.builds(Slot, st.sampled_from(list(SLOTS)), values), max_size=6, unique=True
)


@given(some_slots)
def test_what_is_written_can_be_read_back(slots):
    assert list(parse_slots(write_slots(slots))) == slots


def test_what_is_said_twice_counts_once():
    assert parse_slots("gin: with; gin: with") == (Slot("with", ("gin",)),)


@given(st.text())
def test_whatever_a_model_writes_is_slots_or_refused(text):
    try:
        slots = parse_slots(text)
    except ModelError:
        return
    assert all(slot.name in SLOTS for slot in slots)
    assert all(name == plain_name(name) for slot in slots for name in slot.values)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "gin",
        "gin: taste",
        "gin:with",
        ": with",
        "gin: with; ",
        "gin / : either",
        "Gin: with",
        "gin: with\nrum: with",
        "gin\x1b[2J: with",
        "<|im_end|>: with",
    ],
)
def test_what_is_no_answer_is_refused(text):
    with pytest.raises(ModelError, match="where names and their slots"):
        parse_slots(text)


def test_the_grammar_names_every_slot_and_no_name_of_a_catalogue():
    grammar = slots_grammar()
    assert all(f'": {name}"' in grammar for name in SLOTS)
    assert "gin" not in grammar.replace("garnish", "")


class TestMeaning:
    @pytest.fixture
    def read_slots(self, bar):
        return lambda text, question="": query_from_slots(
            parse_slots(text), question, bar.vocabulary
        )

    def test_names_become_keys_of_the_graph(self, read_slots):
        found = read_slots("gin: with; lime juice: with; campari: without; coupe: vessel")
        assert found.constraints == (
            Constraint(kind="ingredient", any_of=("gin",)),
            Constraint(kind="ingredient", any_of=("lime juice",)),
            Constraint(kind="ingredient", any_of=("campari",), excluded=True),
            Constraint(kind="glass", any_of=("coupe glass",)),
        )

    def test_alternatives_are_one_demand(self, read_slots):
        found = read_slots("gin / vodka: either")
        assert found.constraints == (Constraint(kind="ingredient", any_of=("gin", "vodka")),)

    def test_typos_are_mended(self, read_slots):
        assert read_slots("camparri: with").constraints[0].any_of == ("campari",)

    def test_a_colour_asks_for_looks(self, read_slots):
        found = read_slots("red: colour")
        assert found.visual
        assert found.constraints == (Constraint(kind="colour", any_of=("red",)),)

    def test_an_example_is_an_item(self, read_slots):
        found = read_slots("negroni: like", "like a Negroni but lighter")
        assert (found.target, found.anchor) == ("negroni", "negroni")
        assert found.order == {"strength": -1}

    def test_an_example_that_nobody_knows_stays_as_it_was_named(self, read_slots):
        found = read_slots("quixotic zeppelin: like")
        assert (found.target, found.anchor) == (None, "quixotic zeppelin")

    def test_a_name_that_is_nothing_demands_nothing(self, read_slots):
        found = read_slots("zzyzx quorl: with")
        assert found.constraints == ()
        assert found.unknown == ("zzyzx quorl",)

    @pytest.mark.parametrize("text", ["mocktail: must", "alcoholic: without"])
    def test_flags_are_values_of_the_domain(self, read_slots, text):
        assert read_slots(text).flags == {"alcoholic": "non-alcoholic"}

    def test_a_diet_bars_what_it_bars(self, read_slots):
        excluded = {one.any_of for one in read_slots("vegan: must").constraints if one.excluded}
        assert ("egg",) in excluded

    def test_nothing_asked_is_an_empty_intent(self, read_slots):
        assert read_slots(EMPTY_SLOTS).is_empty


def test_the_reader_shows_the_question_and_the_slots_that_its_names_can_fill(bar):
    model = ScriptedModel(["gin: with"])
    reader = SlotReader(model, bar.vocabulary)
    assert reader.read("gin please").constraints[0].any_of == ("gin",)
    assert [message.role for message in model.prompts[0]] == ["system", "user"]
    assert model.prompts[0][1].content == "gin please\ngin: with"
    assert reader.tokens > 0


def test_an_answer_without_an_end_is_refused(bar):
    endless = ScriptedModel(["; ".join(["gin: with"] * 200)])
    with pytest.raises(ModelError):
        SlotReader(endless, bar.vocabulary).read("gin please")


class TestInAnAnswer:
    def answer(self, bar, script):

        stages = with_model(bar, ScriptedModel(script))
        return Marc(stages, MarcConfig(reader="adapter")).answer(Question(query="gin please"), 3)

    def test_what_the_model_reads_counts(self, bar):
        answer = self.answer(bar, ["campari: with"])
        assert answer.intent.include == ("campari",)
        assert answer.answered_by["understanding"] == "model"
        assert answer.tokens["understanding"] > 0

    def test_where_it_fails_the_rules_read(self, bar):
        answer = self.answer(bar, ["I like gin"])
        assert answer.intent.include == ("gin",)
        assert answer.answered_by["understanding"] == "rules"
        assert "understanding_failed" in answer.answered_by
