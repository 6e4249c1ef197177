"""What a model is told of a question's words: the catalogue's names among them, and no more."""

import pytest

from localrec.understanding.known_names import KnownName, describe_known_names, known_names
from localrec.understanding.slot_filling import slot_prompt


@pytest.mark.parametrize(
    ("question", "known"),
    [
        ("something with gin, no lime juice", [("gin", "component"), ("lime juice", "component")]),
        ("a drink in a coupe glass", [("coupe glass", "container")]),
        ("what now, my friend?", []),
        ("ginn and vodca", [("gin", "component"), ("vodka", "component")]),
        ("like a Negronni", [("negroni", "item")]),
    ],
)
def test_names_are_told_mended_with_what_they_stand_for(bar, question, known):
    found = [(one.words, one.senses[0]) for one in known_names(question, bar.vocabulary)]
    assert found == known


def test_what_can_be_two_things_is_told_as_both_the_likelier_first(bar):
    [drink] = known_names("an orange drink", bar.vocabulary)
    [inside] = known_names("something with orange", bar.vocabulary)
    assert drink == KnownName("orange", ("colour", "component"))
    assert inside == KnownName("orange", ("component", "colour"))


def test_a_sense_without_a_word_goes_untold():
    known = [KnownName("light", ("order",)), KnownName("orange", ("colour", "component"))]
    words = {"colour": "colour", "component": "with"}
    assert (
        describe_known_names(known, lambda sense: words.get(sense, "")) == "orange: colour or with"
    )


def test_a_question_of_names_alone_does_not_flood_the_prompt(bar):
    line = slot_prompt("gin, rum, " * 50, bar.vocabulary)[1].content.splitlines()[-1]
    assert line.count(";") == 11
