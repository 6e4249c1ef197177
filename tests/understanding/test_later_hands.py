"""What further people write: swaps, series of people, events as bounds, names with a slip."""

from __future__ import annotations

import pytest

from localrec.data.domains import NumberSpec
from localrec.understanding.amounts import MOST, amount_bounds
from localrec.understanding.levelled_text import level
from localrec.understanding.query_parser import parse_query
from localrec.understanding.spoken_amounts import respell_amounts
from localrec.understanding.state_phrases import find_state
from localrec.understanding.years import LATEST, find_years

from .records import planted_records, refused, wanted

RATING = NumberSpec(kind="amount", words=("rating", "score", "rated"), better="higher")
RATINGS = NumberSpec(kind="amount", units={"rating": 1, "vote": 1})
PLAYERS = NumberSpec(kind="amount", units={"player": 1}, bound="high")


@pytest.mark.parametrize(
    ("question", "barred", "wished"),
    [
        ("I know nothing. Any jazz?", set(), {"jazz"}),
        ("I really know nothing! Jazz for a party", set(), {"jazz"}),
        ("pop, and one auntie who'll leave if it's jazz", {"jazz"}, {"pop"}),
        ("pop, the kids get bored if it's jazz", {"jazz"}, {"pop"}),
        ("I've flown through all the jazz already. Some pop?", {"jazz"}, {"pop"}),
        ("pop, swerve the jazz", {"jazz"}, {"pop"}),
        ("jazz in pop is foul so bin that", {"jazz"}, {"pop"}),
        ("jazz in a pop song is foul, so leave that out", {"jazz"}, {"pop"}),
        ("pop for me, folk for her, jazz in neither", {"jazz"}, {"pop", "folk"}),
        ("pop from beyond the US", {"us"}, {"pop"}),
        ("I'm allergic to... jazz", {"jazz"}, set()),
        ("nothing with... jazz please", {"jazz"}, set()),
        ("dad will go if it's jazz", set(), {"jazz"}),
        ("I have gone through everything, recommend jazz", set(), {"jazz"}),
    ],
)
def test_what_is_refused_and_what_is_not(ask, question, barred, wished):
    query = ask(question)
    assert barred <= refused(query) and not wished & refused(query)
    assert wished <= {key for keys in wanted(query) for key in keys}


@pytest.mark.parametrize(
    ("question", "low", "high"),
    [
        ("older than the Second World War", None, 1938),
        ("anything since WW1", 1914, LATEST),
        ("a novel from the eighteen-seventies", 1870, 1879),
        ("Dad was born in 1958: a film from that very year", 1958, 1958),
        ("I'm steering clear of whatever he put out after 2000", None, 2000),
    ],
)
def test_years_are_bounded_by_events_and_by_refusals(question, low, high):
    (found,) = find_years(question, decades=True)
    assert found.high == high and (low is None or found.low == low) and not found.excluded


@pytest.mark.parametrize(
    "question",
    [
        "a film set before the Second World War",
        "a film about Germany before World War II",
        "Dad was born in 1958, he likes westerns",
        "In 1987 we married and lost our dog the same year. A comedy",
    ],
)
def test_when_a_story_plays_or_began_is_no_bound(question):
    assert find_years(question) == []


def test_a_year_that_is_given_a_miss_is_refused():
    (found,) = find_years("war films, but give 1995 a miss")
    assert found.excluded and found.low == found.high == 1995


@pytest.mark.parametrize(
    ("told", "digits"),
    [("half a dozen", "6"), ("a dozen", "12"), ("two dozen", "24"), ("dozens", "dozens")],
)
def test_dozens_are_numbers(told, digits):
    assert level(told).strip() == digits


@pytest.mark.parametrize(
    ("question", "score", "count"),
    [
        ("rated 4 or higher by 5000 people", (4, MOST), (5000, 5000)),
        ("rated four or more by at least two thousand readers", (4, MOST), (2000, MOST)),
    ],
)
def test_how_many_rate_is_no_score(question, score, count):
    assert amount_bounds(question, RATING) == score
    assert amount_bounds(question, RATINGS) == count


def test_a_score_and_a_count_that_and_joins_are_two_bounds():
    question = "a score over 4.5 and 100000 ratings or more"
    low, high = amount_bounds(question, RATING)
    assert 4.5 <= low < 4.51 and high == MOST
    assert amount_bounds(question, RATINGS) == (100_000, MOST)


def test_about_eight_people_can_play_what_eight_can():
    assert amount_bounds("about 8 players", PLAYERS) == (8, MOST)


def test_amounts_keep_their_length():
    for told in ("half a dozen people", "rated by 5000 readers", "5000 users rated it"):
        assert len(respell_amounts(level(told))) == len(told)


@pytest.mark.parametrize(
    ("question", "met", "on_list"),
    [
        ("which of hers are still ahead of me", False, None),
        ("one I've yet to put a score on", False, None),
        ("out of the songs I put by for later", None, True),
        ("the ones I've put aside", None, True),
        ("one that I want to watch tonight", None, None),
        ("I meant to say comedy", None, None),
        ("a long night ahead of me", None, None),
        ("two lovers have yet to meet", None, None),
    ],
)
def test_the_past_is_told_in_many_ways(question, met, on_list):
    state = find_state(question.replace("'", "").casefold().split())
    assert (state.met, state.on_list) == (met, on_list)


@pytest.fixture(scope="module")
def ask_wines(tmp_path_factory):
    rows = (
        ("Crisp", ("sauvignon blanc",), "Hill", "Otis", "New Zealand"),
        ("Bright", ("sauvignon blanc",), "Hill", "Otis", "New Zealand"),
        ("Deep", ("merlot",), "Dale", "Otis", "Chile"),
        ("Dark", ("merlot",), "Dale", "Otis", "Chile"),
    )
    with planted_records(tmp_path_factory.mktemp("wines"), rows, {}) as vocabulary:
        yield lambda question: parse_query(question, vocabulary)


@pytest.mark.parametrize(
    ("question", "wished"),
    [
        ("merlot from new zeeland", {"merlot", "new zealand"}),
        ("a sauvingon blonk from chile", {"sauvignon blanc", "chile"}),
        ("merlot with new ideas", {"merlot"}),
        ("merlot from new money", {"merlot"}),
    ],
)
def test_a_name_is_heard_by_the_words_that_are_spelled_right(ask_wines, question, wished):
    assert {key for keys in wanted(ask_wines(question)) for key in keys} == wished


@pytest.mark.parametrize(
    ("question", "low", "high", "barred"),
    [
        ("I saw all the ones from 1996 so exclude that year", 1996, 1996, True),
        ("it has to be older than me (1988)", None, 1987, False),
    ],
)
def test_a_year_is_refused_later_and_told_in_brackets(question, low, high, barred):
    (found,) = find_years(question)
    assert found.high == high and found.excluded is barred
    assert low is None or found.low == low


@pytest.mark.parametrize(
    ("question", "barred", "wished"),
    [
        ("jazz, but gospel goes in where the folk used to be", {"folk"}, {"jazz", "gospel"}),
        ("Carole King, bar those endless gospel ones", {"gospel"}, {"carole king"}),
    ],
)
def test_more_is_refused(ask, question, barred, wished):
    query = ask(question)
    assert barred <= refused(query) and not wished & refused(query)
    assert wished <= {key for keys in wanted(query) for key in keys}


def test_a_title_that_shall_be_changed_is_an_example(ask):
    assert ask("Volare, but with a jazz band").target == "volare"


def test_two_bounds_of_one_number_stay_together():
    points = NumberSpec(kind="amount", units={"point": 1}, better="higher")
    assert amount_bounds("at least 88 and 92 points at most", points) == (88, 92)


def test_a_title_that_ends_in_in_is_refused_before_neither(tmp_path):
    rows = (
        ("Lean In", ("pop",), "Lean", "Otis", "US"),
        ("All In", ("jazz",), "All", "Otis", "US"),
    )
    with planted_records(tmp_path, rows, {}) as vocabulary:
        query = parse_query("I loved Lean In and All In neither please", vocabulary)
        assert "all in" in query.exclude_items
