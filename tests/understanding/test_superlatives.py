"""The far end of a number in questions: "the strongest", "fewest ingredients", "newest"."""

from __future__ import annotations

import pytest

from localrec.data.domains import NumberSpec
from localrec.understanding.query_parser import parse_query
from localrec.understanding.superlatives import direction_of, is_about_other_things, superlatives


@pytest.mark.parametrize(
    ("comparative", "superlative"),
    [
        ("stronger", "strongest"),
        ("heavier", "heaviest"),
        ("more expensive", "most expensive"),
        ("less sweet", "least sweet"),
        ("fewer pages", "fewest pages"),
        ("better rated", "best rated"),
        ("lower in alcohol", "lowest in alcohol"),
        ("cheapest", "cheapest"),
        ("top rated", "top rated"),
    ],
)
def test_a_superlative_follows_from_the_comparative(comparative, superlative):
    told = superlatives(NumberSpec(kind="amount", more=(comparative,)), ())
    assert told == {"most": (superlative,), "least": ()}


@pytest.mark.parametrize("word", ["bitter", "popular", "expensive", "low alcohol"])
def test_a_word_that_compares_nothing_has_none(word):
    assert superlatives(NumberSpec(kind="amount", more=(word,)), ())["most"] == ()


def test_years_counts_and_named_numbers_have_words_of_their_own():
    years = superlatives(NumberSpec(kind="year"), ())
    assert "newest" in years["most"] and "oldest" in years["least"]
    pages = superlatives(NumberSpec(kind="count"), ("page",))
    assert pages == {"most": ("most pages",), "least": ("fewest pages", "least pages")}
    price = superlatives(NumberSpec(kind="amount", words=("price",)), ())
    assert price == {"most": ("highest price",), "least": ("lowest price",)}


@pytest.mark.parametrize(
    ("question", "order"),
    [
        ("the strongest drink with gin", {"strength": 2}),
        ("your weakest one please", {}),
        ("the weakest drink with rum", {"strength": -2}),
        ("something stronger", {"strength": 1}),
        ("a stronger drink, the strongest you have", {"strength": 2}),
        ("not the strongest", {"strength": -1}),
        ("the drink with the fewest ingredients", {"ingredient_count": -2}),
        ("my strongest friend wants gin", {}),
        ("at least two ingredients", {}),
    ],
)
def test_a_question_asks_for_the_far_end(bar, question, order):
    assert parse_query(question, bar.vocabulary).order == order


@pytest.mark.parametrize(
    ("key", "is_wanted", "direction"),
    [
        ("more", True, 1),
        ("less", True, -1),
        ("most", True, 2),
        ("least", False, 1),
        ("less", False, 1),
    ],
)
def test_a_refused_far_end_asks_for_the_other_direction(key, is_wanted, direction):
    assert direction_of(key, is_wanted=is_wanted) == direction


@pytest.mark.parametrize(
    ("behind", "is_a_bound"),
    [("at ten", True), ("at 10 pm", True), ("by midnight", True), ("by King", False), ("", False)],
)
def test_the_latest_at_a_time_is_no_wish_for_the_newest(behind, is_a_bound):
    assert is_about_other_things(["home", "the"], behind.split()) is is_a_bound
