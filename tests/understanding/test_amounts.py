"""Amounts in questions, by the units and words that a domain declares."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.data.domains import NumberSpec
from localrec.understanding.amounts import MOST, amount_bounds

PRICE = NumberSpec(kind="amount", units={"dollar": 1, "$": 1, "cent": 0.01}, words=("price",))
POINTS = NumberSpec(kind="amount", units={"point": 1}, words=("rating",), better="higher")
MINUTES = NumberSpec(kind="amount", units={"minute": 1, "hour": 60})
FEWEST = NumberSpec(kind="count", units={"player": 1}, bound="low")
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
    ],
)
def test_a_bound_is_read_by_its_unit_or_word(question, spec, low, high):
    assert amount_bounds(question, spec) == pytest.approx((low, high))


@pytest.mark.parametrize("question", ["under 20 dollars", "below $20", "cheaper than 20 dollars"])
def test_under_leaves_the_number_itself_out(question):
    low, high = amount_bounds(question, PRICE)
    assert low < 19.99 < high < 20


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
