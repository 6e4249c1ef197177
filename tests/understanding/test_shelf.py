"""What a person says they have is read strictly: mended, or refused, never half read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.foundation.errors import InputError
from localrec.understanding.shelf_reader import asks_for_shelf, parse_shelf
from localrec.workspace.domain_context import DomainContext


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("gin, campari", ("gin", "campari")),
        ("Gin;CAMPARI\ngin", ("gin", "campari")),
        ("half a bottle of gin and some fresh limes", ("gin", "lime")),
        ("gin and tonic", ("gin", "tonic water")),  # a drink elsewhere, two bottles here
        ("orange", ("orange",)),  # a colour elsewhere
        ("light rum, club soda", ("white rum", "soda water")),
        ("\x1b[31mgin\x1b[0m", ("gin",)),
    ],
)
def test_names_are_read_in_their_order(bar: DomainContext, text: str, keys: tuple[str, ...]):
    assert parse_shelf(text, bar.vocabulary).keys == keys


def test_typos_are_mended_and_told(bar: DomainContext):
    named = parse_shelf("camparri", bar.vocabulary)
    assert (named.keys, named.corrected) == (("campari",), {"camparri": "campari"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gin, gnix", "No ingredient here is called “gnix”; nothing was changed."),
        ("coupe glass", "No ingredient here is called “coupe”; nothing was changed."),
        ("mojito", "No ingredient here is called “mojito”; nothing was changed."),
        ("sweet", "No ingredient here is called “sweet”; nothing was changed. Nearest: sweet"),
        ("", "That names no ingredient."),
        (" , ;\n", "That names no ingredient."),
    ],
)
def test_what_names_no_component_is_refused_in_a_sentence(
    bar: DomainContext, text: str, message: str
):
    with pytest.raises(InputError) as refused:
        parse_shelf(text, bar.vocabulary)
    assert str(refused.value).startswith(message)


def test_an_unknown_name_is_told_its_neighbours(bar: DomainContext):
    with pytest.raises(InputError, match=r"Nearest: sweet vermouth"):
        parse_shelf("rouge vermouth type", bar.vocabulary)


@given(st.text(max_size=80))
def test_any_text_is_read_or_refused(bar: DomainContext, text: str):
    try:
        assert parse_shelf(text, bar.vocabulary).keys
    except InputError as refused:
        assert refused.hint


@pytest.mark.parametrize(
    "question",
    [
        "what can I make tonight?",
        "What could we mix",
        "which drinks can I make",
        "anything I can make without egg",
        "something sour with what I have",
        "use whatever we've got",
        "a long drink from my home bar",
        "what's possible with my bottles?",
    ],
)
def test_a_question_about_what_is_there_is_heard(question: str):
    assert asks_for_shelf(question)


@pytest.mark.parametrize(
    "question",
    ["like a Negroni but lighter", "can I make a Negroni lighter?", "what is in a Gimlet", ""],
)
def test_other_questions_are_left_alone(question: str):
    assert not asks_for_shelf(question)
