"""What questions by other hands showed: amounts, refusals, examples by a part, other topics."""

from __future__ import annotations

import numpy as np
import pytest

from localrec.data.domains import AttributeSpec, NumberSpec
from localrec.data.query import Constraint, Query, TextWish
from localrec.foundation.text_matching import tokens
from localrec.graph.domain_files import load_domain
from localrec.sources.catalogues.families import propose_families
from localrec.understanding.amounts import MOST, amount_bounds
from localrec.understanding.number_ranges import parse_ranges
from localrec.understanding.spoken_amounts import respell_amounts
from localrec.understanding.state_phrases import find_state
from localrec.understanding.topics import (
    has_off_topic_phrase,
    is_small_talk,
    off_topic_threshold,
    topic_score,
    topic_weights,
)
from localrec.understanding.years import EARLIEST

DRINKS = load_domain("cocktails")
PRICE = NumberSpec(kind="amount", words=("price",), units={"dollar": 1}, better="lower")
MINUTES = NumberSpec(kind="amount", units={"minute": 1, "hour": 60}, better="lower")
FEWEST = NumberSpec(kind="amount", units={"player": 1, "people": 1}, bound="low")
VOTES = NumberSpec(kind="amount", units={"vote": 1})


@pytest.mark.parametrize(
    ("question", "spec", "low", "high"),
    [
        ("a price in single figures", PRICE, -MOST, 10),
        ("not one penny over 14 dollars", PRICE, -MOST, 14),
        ("my budget is 30", PRICE, -MOST, 30),
        ("25ish dollars", PRICE, 20, 30),
        ("half an hour at most", MINUTES, -MOST, 30),
        ("an hour and a half tops", MINUTES, -MOST, 90),
        ("half hour tops", MINUTES, -MOST, 30),
        ("a half-hour or less", MINUTES, -MOST, 30),
        ("bluffing, 6 guys", FEWEST, -MOST, 6),
        ("played in groups of four", FEWEST, -MOST, 4),
        ("for five children", FEWEST, -MOST, 5),
        ("it must not be kept longer than 20 minutes", MINUTES, -MOST, 20),
        ("strictly 2 players", FEWEST, 2, 2),
        ("for a group of 6", FEWEST, -MOST, 6),
        ("there are seven of us", FEWEST, -MOST, 7),
        ("at least three million votes", VOTES, 3_000_000, MOST),
        ("100k votes or more", VOTES, 100_000, MOST),
    ],
)
def test_amounts_are_read_as_people_say_them(
    question: str, spec: NumberSpec, low: float, high: float
) -> None:
    assert amount_bounds(question, spec) == pytest.approx((low, high))


def test_a_respelt_line_keeps_its_places():
    line = "under half an hour, please"
    assert respell_amounts(line).index("please") == line.index("please")


def test_things_in_it_are_counted_only_where_they_are_bounded():
    assert [(one.low, one.high) for one in parse_ranges("at most six things in it", DRINKS)] == [
        (1, 6)
    ]
    assert parse_ranges("two things: it is hot and I am tired", DRINKS) == ()


def test_years_that_a_question_refuses_on_one_side_leave_the_other():
    films = load_domain("movies")
    assert [(one.low, one.high) for one in parse_ranges("not from after 1990", films)] == [
        (EARLIEST, 1990)
    ]


def excluded(query: Query) -> set[str]:
    return {key for one in query.constraints if one.excluded for key in one.any_of}


def wanted(query: Query) -> set[str]:
    return {key for one in query.constraints if not one.excluded for key in one.any_of}


def test_what_somebody_cannot_stand_is_refused_and_what_follows_is_not(read):
    query = read("gin I can't stand, give me something with rum")
    assert excluded(query) == {"gin"} and "rum" in wanted(query)


def test_a_colour_beside_another_wish_is_no_doubtful_one(read):
    query = read("something blue and layered for a photo")
    assert [one.doubtful for one in query.constraints if one.kind == "colour"] == [False]


def test_a_colour_of_somebodys_sofa_is_doubtful(read):
    query = read("my white sofa is clean, gin please")
    assert all(one.doubtful for one in query.constraints if one.kind == "colour")


def test_having_something_else_is_no_shelf(read):
    assert read("I have an understanding with my sofa, something with gin").have == ()


def test_an_open_phrase_is_a_state_only_before_a_verb_of_meeting():
    assert find_state("one that i havent tried".split()).met is False
    assert find_state("i havent a clue".split()).met is None


@pytest.mark.parametrize(
    ("question", "met", "on_list"),
    [
        ("one that isnt already on my list and that i havent rated yet", False, False),
        ("neither rated by me nor waiting on my list", False, False),
        ("one i have not seen on my watchlist", False, True),
        ("which ones did i rate", True, None),
        ("on my want list dont show us ones ive rated", False, True),
    ],
)
def test_a_list_is_refused_by_what_stands_right_before_it(
    question: str, met: bool | None, on_list: bool | None
):
    told = find_state(question.split())
    assert (told.met, told.on_list) == (met, on_list)


def test_alternatives_are_named_each_with_its_own_preposition(read):
    (one,) = read("something from gin or from rum").constraints
    assert one.any_of == ("gin", "rum") and not one.excluded


def test_three_colours_in_a_list_are_alternatives(read):
    told = [one.any_of for one in read("anything red, blue or white").of_kind("colour")]
    assert len(told) == 1


def test_blends_go_with_a_refused_grape_and_are_not_asked_for_by_it():
    kinds = {"variety": AttributeSpec(role="component", edge="HAS_VARIETY")}
    names = {"variety": ["Malbec", "Cabernet Sauvignon-Malbec", "Malbec-Syrah", "Malbec Blend"]}
    blend = propose_families(kinds, names)["variety"]["cabernet sauvignon malbec"]
    assert "malbec" in blend.flavours and "malbec" not in blend.parents


def test_questions_about_other_things_begin_otherwise_than_wishes():
    assert has_off_topic_phrase([one.word for one in tokens("hey, how do I reset my password")])
    assert not has_off_topic_phrase([one.word for one in tokens("which rum goes with lime")])


@pytest.mark.parametrize(
    "wish", ["a film about a stain", "a novel on etymology", "a thriller with a phone number in it"]
)
def test_no_noun_alone_is_an_errand(wish: str) -> None:
    assert not has_off_topic_phrase([one.word for one in tokens(wish)])


def test_who_thanks_and_asks_for_nothing_makes_small_talk():
    assert is_small_talk("cheers, you are a legend", Query(), DRINKS)
    assert not is_small_talk("cheers, something with gin", Query(), DRINKS)
    assert is_small_talk("sup lol", Query(texts=(TextWish(words=("sup",), typed="sup"),)), DRINKS)


def test_the_more_was_read_the_surer_another_topic_must_be():
    gin = Query(constraints=(Constraint(kind="ingredient", any_of=("gin",)),))
    plain = off_topic_threshold("gin in a carpet", Query(unused=("carpet",)), DRINKS)
    assert plain is not None and plain < (off_topic_threshold("gin in a carpet", gin, DRINKS) or 9)
    assert off_topic_threshold("gin I have not tried", Query(met=False), DRINKS) is None


def test_the_learnt_weights_fit_vectors_of_their_embedder():
    weights = topic_weights()
    nothing = np.zeros((1, len(weights.weights)), np.float32)
    assert topic_score(nothing, "", weights) == weights.bias
