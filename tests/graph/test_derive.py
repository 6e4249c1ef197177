"""Colours, looks and garnishes, read from descriptions as a vision model may write them."""

import msgspec
import pytest

from localrec.data.rows import AttributeLink, ItemRow
from localrec.graph.attribute_extraction import extract_attributes
from localrec.graph.domain_files import load_domain
from localrec.graph.taxonomy import taxonomy_of

DRINKS = load_domain("cocktails")


def read(kind, image_description="", description="", links=()):
    """The concepts of one kind that are derived, as the graph will know them."""
    texts = {"image_description": image_description, "description": description}
    row = ItemRow(key="a", name="A", properties=texts, links=links)
    place = taxonomy_of(DRINKS, kind).place
    return [place(one.name).key for one in extract_attributes(DRINKS, row) if one.kind == kind]


def colours(text):
    return read("colour", text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A red drink.", ["red"]),
        ("The drink is a vibrant blue.", ["blue"]),
        ("A tall glass filled with a bright green liquid.", ["green"]),
        ("The cocktail has a beautiful ruby red hue.", ["red"]),
        ("The liquid in the glass is a pale yellow.", ["yellow"]),
        ("A coupe of crimson liquid.", ["red"]),
        ("The image shows a martini glass with a pink cocktail.", ["pink"]),
    ],
)
def test_the_colour_of_the_drink_is_read(text, expected):
    assert colours(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A red drink on a white background.", ["red"]),
        ("A red drink, set against a green wall.", ["red"]),
        ("A pink cocktail on a wooden table with a blue napkin.", ["pink"]),
        ("In the background there is a green plant. The drink is orange.", ["orange"]),
        ("A yellow drink beside a red candle.", ["yellow"]),
        ("A white background.", []),
    ],
)
def test_what_lies_around_the_drink_does_not_colour_it(text, expected):
    assert colours(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A blue drink with a red straw.", ["blue"]),
        ("A yellow cocktail garnished with a green mint sprig.", ["yellow"]),
        ("A brown drink topped with a red cherry.", ["brown"]),
        ("An amber drink, garnished with an orange slice and a red cherry.", ["amber"]),
        ("A green drink with a pink umbrella.", ["green"]),
        ("A clear drink with a green olive on a pick.", ["clear"]),
        ("A purple drink with a white rim.", ["purple"]),
        ("A glass with a green straw.", []),
    ],
)
def test_garnishes_and_straws_do_not_colour_it(text, expected):
    assert colours(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "A drink of white rum and lime over ice.",
        "Made with blue curacao, as the name says.",
        "With orange juice in a highball glass.",
        "Red wine is in it.",
        "A green apple lies in it.",
    ],
)
def test_ingredients_do_not_colour_it(text):
    assert colours(text) == []


@pytest.mark.parametrize("text", ["An orange drink.", "A peach coloured cocktail.", "Deep orange."])
def test_a_word_that_is_a_fruit_too_is_a_colour_beside_a_noun_or_a_shade(text):
    assert len(colours(text)) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A layered drink: a red layer, a white layer and a blue layer.", ["red", "white", "blue"]),
        ("Yellow at the bottom, red on top.", ["yellow", "red"]),
        ("The drink fades from purple to pink.", ["purple", "pink"]),
        ("An orange-red drink.", ["orange", "red"]),
        ("A blue and green drink.", ["blue", "green"]),
    ],
)
def test_layers_and_blends_have_all_their_colours(text, expected):
    assert colours(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A clear drink in a highball glass.", ["clear"]),
        ("A crystal clear cocktail.", ["clear"]),
        ("A clear red liquid.", ["red"]),
        ("A clear glass holds a green drink.", ["green"]),
        ("The drink is clear and brown.", ["brown"]),
    ],
)
def test_clear_is_a_colour_only_where_no_other_is_named(text, expected):
    assert colours(text) == expected


def test_clear_is_a_look_all_the_same():
    assert read("look", "A clear red liquid.") == ["clear"]


@pytest.mark.parametrize(
    ("text", "look"),
    [
        ("A drink in three layers.", "layered"),
        ("It has a frothy top.", "foamy"),
        ("A slushy pink drink.", "frozen"),
        ("Wisps of steam rise from it.", "steaming"),
    ],
)
def test_looks_are_read_in_any_of_their_words(text, look):
    assert read("look", text) == [look]


def test_a_garnish_is_one_only_where_it_is_said_to_garnish():
    assert read("garnish", "A green drink garnished with mint.") == ["mint sprig"]
    assert read("garnish", "A green drink of mint and lime juice.") == []
    assert read("garnish", "A red drink with a wheel of orange.") == ["orange wheel"]


def test_what_the_row_says_itself_is_not_read_again():
    told = AttributeLink(kind="colour", name="blue")
    assert read("colour", "A red drink.", links=(told,)) == []
    assert read("look", "A layered red drink.", links=(told,)) == ["layered"]


def test_the_first_text_that_names_a_colour_decides():
    assert read("colour", "A red drink.", "A blue drink.") == ["red"]
    assert read("colour", "A tall drink.", "A blue drink.") == ["blue"]


def test_each_concept_is_linked_once_as_first_written():
    row = ItemRow(
        key="a",
        name="A",
        properties={"image_description": "A CRIMSON drink, red all over. A scarlet drink."},
    )
    links = [one for one in extract_attributes(DRINKS, row) if one.kind == "colour"]
    assert links == [AttributeLink(kind="colour", name="crimson")]


@pytest.mark.parametrize("text", ["", "  ", "...", "\n", "🍸", "glass " * 2000, None, 7])
def test_a_text_that_says_nothing_gives_nothing(text):
    row = ItemRow(key="a", name="A", properties={"image_description": text})
    assert [one for one in extract_attributes(DRINKS, row) if one.kind == "colour"] == []


def test_a_domain_without_such_texts_derives_nothing():
    attributes = {
        kind: msgspec.structs.replace(spec, from_texts=())
        for kind, spec in DRINKS.attributes.items()
    }
    plain = msgspec.structs.replace(DRINKS, attributes=attributes)
    row = ItemRow(key="a", name="A", properties={"image_description": "A red drink."})
    assert extract_attributes(plain, row) == ()
