"""Amounts in questions, by the units and words that a domain declares."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.data.domains import NumberSpec
from localrec.understanding.ages import find_youngest
from localrec.understanding.amounts import MOST, amount_bounds, find_bare_amount
from localrec.understanding.negated_bounds import is_turned

PRICE = NumberSpec(kind="amount", units={"dollar": 1, "$": 1, "cent": 0.01}, words=("price",))
POINTS = NumberSpec(kind="amount", units={"point": 1}, words=("rating",), better="higher")
MINUTES = NumberSpec(kind="amount", units={"minute": 1, "hour": 60})
PEOPLE = NumberSpec(kind="amount", units={"player": 1, "people": 1}, bound="low")
FEWEST = NumberSpec(kind="count", units={"player": 1}, bound="low")
RATINGS = NumberSpec(kind="amount", units={"rating": 1, "vote": 1})
MOST_PLAYERS = NumberSpec(kind="count", units={"player": 1}, bound="high")


@pytest.mark.parametrize(
    ("question", "spec", "low", "high"),
    [
        ("a white wine between $15 and $30", PRICE, 15, 30),
        ("something for $15-$30", PRICE, 15, 30),
        ("wines from 15 to 20 dollars", PRICE, 15, 20),
        ("20 dollars or less", PRICE, -MOST, 20),
        ("at most 50 cents", PRICE, -MOST, 0.5),
        ("a price of up to 12.50", PRICE, -MOST, 12.5),
        ("at least 1,200 dollars", PRICE, 1200, MOST),
        ("a 90 point wine", POINTS, 90, MOST),
        ("a rating of at least 4,5", POINTS, 4.5, MOST),
        ("at most two hours", MINUTES, -MOST, 120),
        ("around 60 minutes", MINUTES, 48, 72),
        ("a 30-minute dinner", MINUTES, 30, 30),
        ("anywhere from fifteen up to twenty-two dollars", PRICE, 15, 22),
        ("skip anything dearer than that, above 60 dollars", PRICE, 60, MOST),
        ("skip anything above 60 dollars", PRICE, -MOST, 60),
        ("at least a million ratings", RATINGS, 1_000_000, MOST),
        ("half a million votes or more", RATINGS, 500_000, MOST),
        ("at most two lakh ratings", RATINGS, -MOST, 200_000),
        ("that a hundred thousand readers have rated", RATINGS, 100_000, MOST),
    ],
)
def test_a_bound_is_read_by_its_unit_or_word(question, spec, low, high):
    assert amount_bounds(question, spec) == pytest.approx((low, high))


@pytest.mark.parametrize("question", ["under 20 dollars", "below $20", "cheaper than 20 dollars"])
def test_under_leaves_the_number_itself_out(question):
    low, high = amount_bounds(question, PRICE)
    assert low < 19.99 < high < 20


@pytest.mark.parametrize(
    ("question", "low", "high"),
    [
        ("rioja, 15-25", 15, 25),
        ("somewhere between 25 and 50", 25, 50),
        ("between ten and fifteen each", 10, 15),
        ("Chablis, no bottle over 50", -MOST, 50),
        ("cheap rosé, 15 or less not american", -MOST, 15),
    ],
)
def test_a_bound_without_a_noun_keeps_its_sides(question, low, high):
    found = find_bare_amount(question)
    assert found is not None
    assert found.bounds == (low, high)


@pytest.mark.parametrize("question", ["1990-1995", "15-25 guests", "4 and 5", "a 50-50 chance"])
def test_two_numbers_of_something_else_are_no_bare_range(question):
    assert find_bare_amount(question) is None


def test_what_none_of_us_wants_turns_its_bound():
    assert is_turned("none of us wants to read anything")
    assert not is_turned("none of us, but it may be anything")


def test_what_four_can_play_lies_between_both_ends():
    assert amount_bounds("a game for 4 players", FEWEST) == (-MOST, 4)
    assert amount_bounds("a game for four players", MOST_PLAYERS) == (4, MOST)
    assert amount_bounds("a game for up to 4 players", FEWEST) is None


@pytest.mark.parametrize("question", ["20 years old", "under 20", "a dollar store", "$", ""])
def test_a_number_without_the_unit_is_no_amount(question):
    assert amount_bounds(question, PRICE) is None


@given(st.text())
def test_any_text_is_read_without_failing(question):
    for spec in (PRICE, POINTS, MINUTES, FEWEST, MOST_PLAYERS):
        found = amount_bounds(question, spec)
        assert found is None or found[0] <= found[1]


@pytest.mark.parametrize(
    ("question", "youngest"),
    [
        ("my nephew is six and mad about animals", 6),
        ("three kids, 8, 10 and 13, plus me", 8),
        ("for children of eight years", 8),
        ("for the young fella, hes 5", 5),
        ("one that a ten-year-old can handle", 10),
        ("pupils who are twelve years and below", 12),
        ("ages twelve and under", 12),
    ],
)
def test_the_youngest_child_decides_from_which_age_a_game_may_be(question, youngest):
    found = find_youngest(question)
    assert found is not None
    assert found[2] == youngest


@pytest.mark.parametrize(
    "question",
    [
        "the auction ones, 2p",
        "They are four.",
        "two kids and 5 adults",
        "kids, 5 players",
        "they are 4 at the table",
        "in the last 10 years",
    ],
)
def test_other_numbers_are_no_ages(question):
    assert find_youngest(question) is None


@pytest.mark.parametrize(
    ("question", "players"),
    [
        ("a farm game, me and the wife", 2),
        ("my neighbour and me", 2),
        ("seats 4", 4),
        ("4 four people rating above 7", 4),
        ("that also plays six", 6),
        ("so it's five at the table", 5),
        ("five are we", 5),
        ("either, so long as two can play", 2),
        ("one I can play also alone", 1),
    ],
)
def test_people_at_a_table_are_counted_as_they_are_told(question, players):
    assert amount_bounds(question, PEOPLE) == (-MOST, players)
