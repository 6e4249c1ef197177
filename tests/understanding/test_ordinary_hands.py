"""What ordinary people write: threats, drawn-out slang, bands and albums, things nobody has."""

from __future__ import annotations

import math

import pytest

from localrec.data.domains import NumberSpec
from localrec.understanding.absent_things import with_absent_things
from localrec.understanding.ages import find_youngest
from localrec.understanding.amounts import find_amount
from localrec.understanding.foreign_questions import foreign_language
from localrec.understanding.years import find_years, joint_years

from .records import RECORDS, bounds, refused, wanted


@pytest.mark.parametrize(
    "question",
    [
        "a pop song, and my fiancée will walk out if it's jazz",
        "a pop song. She moans if there is jazz in it.",
        "pop, it can't be one of the jazz lot",
        "some pop that int jazz, pal",
        "pop, I'd rather it wasn't jazz",
        "pop, I would prefer it weren't jazz",
        "pop. Now jazz I had yesterday, so not one of those",
    ],
)
def test_jazz_is_refused(ask, question):
    query = ask(question)
    assert "jazz" in refused(query) and ("pop",) in wanted(query)


@pytest.mark.parametrize(
    "question",
    [
        "drop some jazz for the ride bro",
        "my aunt will walk out if it rains, so jazz please",
        "if it's jazz I am happy",
    ],
)
def test_jazz_is_wished_for(ask, question):
    query = ask(question)
    assert ("jazz",) in wanted(query) and not refused(query)


@pytest.mark.parametrize(
    "question",
    [
        "Nat King Cole for her, ABBA for my wife, Ella Fitzgerald for me. Any of the three",
        "Nat King Cole for her, ABBA for me. Happy with either",
    ],
)
def test_one_of_several_makers_is_enough(ask, question):
    (wish,) = (one for one in ask(question).constraints if one.kind in ("artist", "album"))
    assert {"nat king cole", "abba"} <= {*wish.any_of, *(key for _, key in wish.or_else)}


def test_alternatives_may_be_told_at_length(ask):
    query = ask("Either a jazz sort of thing or one with gospel in it")
    assert ("jazz", "gospel") in wanted(query)


def test_a_possessive_before_a_kind_names_no_title(ask):
    query = ask("Björn Ulvaeus's Christmas song")
    assert query.target is None and ("christmas",) in wanted(query)


def test_what_something_is_about_is_no_example(ask):
    assert ask("a song about Strange Fruit").target is None
    assert ask("something like Strange Fruit").target == "strange fruit"


def test_an_everyday_word_is_no_squashed_title(ask):
    assert ask("we are stopping with jazz on Saturday").target is None
    assert ask("dancingqueen").target == "dancing queen"


def test_a_title_with_two_slips_is_meant_behind_an_article(read):
    assert read("a daquri please").target == "daiquiri"
    assert read("something with gin, we daquri").target is None


@pytest.mark.parametrize(
    ("question", "key"),
    [("soooo jazzz plsss", "jazz"), ("popp songs, plss", "pop")],
)
def test_drawn_out_letters_are_let_go(ask, question, key):
    assert (key,) in wanted(ask(question))


def test_a_year_with_drawn_out_slang_is_no_bound(ask):
    assert bounds(ask("jazz from 1980 plss"))["year"] == (1980, 1980)
    assert bounds(ask("jazz, 1980 an up"))["year"][0] == 1980


@pytest.mark.parametrize(
    ("question", "years"),
    [
        ("about 20 girls are coming", None),
        ("about 95", (1993, 1997)),
        ("spare me anything later than 1995", (-9999, 1995)),
    ],
)
def test_counts_of_people_are_no_years(question, years):
    assert joint_years(find_years(question, short=True)) == years


@pytest.mark.parametrize(
    ("question", "age"), [("my niece Edie turns eight in June", 8), ("for a 6 yr old", 6)]
)
def test_ages_are_heard(question, age):
    found = find_youngest(question)
    assert found is not None and found[2] == age


@pytest.mark.parametrize(
    ("question", "things"),
    [
        ("a Giaconda jazz record", ["Giaconda"]),
        ("jazz from Leventhorpe", ["Leventhorpe"]),
        ("jazz, I come from Leventhorpe", []),
        ("jazz for my Giaconda friends", []),
    ],
)
def test_names_beside_a_wish_that_nobody_has(ask, question, things):
    query = with_absent_things(question, ask(question), RECORDS)
    assert [one.any_of[0] for one in query.constraints if one.any_of != ("jazz",)] == things


def test_names_with_accents_are_not_another_language(vocabulary):
    assert foreign_language("Björn Ulvaeus. Before 1980.", vocabulary) == ""


@pytest.mark.parametrize(
    ("question", "out"),
    [
        ("I finished Contest Winners. ABBA, but not part of that series", {"contest winner"}),
        ("I finished Contest Winners. Not ABBA, and nothing from that series", {"abba"}),
        ("jazz I know. Some pop, not one of those gospel ones", {"gospel"}),
        ("pop or gospel with jazz, anything but that", {"jazz"}),
        (
            "Gospel bores us and jazz is for lifts, so I cannot be doing with either",
            {"gospel", "jazz"},
        ),
        ("pop, none of that fitzgerald stuff", {"ella fitzgerald"}),
    ],
)
def test_what_is_pointed_at_is_refused(ask, question, out):
    assert out <= refused(ask(question))


def test_a_series_pointed_at_leaves_the_maker_wished_for(ask):
    query = ask("I finished Contest Winners. ABBA records that are not part of that series")
    assert "contest winner" in refused(query) and "abba" not in refused(query)


@pytest.mark.parametrize(
    "question", ["a pop song, but not one of those jazz ones", "pop, not one of those lift tunes"]
)
def test_not_one_of_those_refuses_what_follows_and_no_wish(ask, question):
    assert ("pop",) in wanted(ask(question)) and "pop" not in refused(ask(question))


@pytest.mark.parametrize(
    "name", ["the United States", "the USA", "the US", "America"], ids=lambda name: name.split()[-1]
)
def test_a_country_is_found_by_its_other_names(ask, name):
    assert ("us",) in wanted(ask(f"jazz from {name}"))
    assert "us" in refused(ask(f"jazz, but not from {name}"))


def test_for_us_is_no_country(ask):
    assert wanted(ask("jazz for us")) == [("jazz",)]


def test_who_asks_to_have_something_has_nothing_at_hand(ask):
    assert ask("Can I have a jazz record").have == ()
    assert ask("I have a jazz record").have == ("jazz",)


def test_an_or_joins_beside_a_wish_of_both(ask):
    query = ask("he wants pop or gospel, she wants jazz, one that is both")
    assert wanted(query) == [("pop", "gospel"), ("jazz",)]


@pytest.mark.parametrize(
    ("question", "minutes"),
    [
        ("jazz within three-quarters of an hour", 45),
        ("jazz of an hour and a quarter at most", 75),
    ],
)
def test_quarters_of_an_hour_are_heard(ask, question, minutes):
    assert bounds(ask(question))["minutes"][1] == minutes


def test_one_of_them_is_no_bound(ask):
    query = ask("three styles at the most, one of them jazz")
    assert bounds(query)["style_count"] == (1, 3)


def test_a_first_name_may_have_slips_before_an_everyday_surname(ask):
    assert ("carole king",) in wanted(ask("some carolle king"))


def test_an_example_may_be_called_like_an_idiom(ask):
    assert ask("something like Last Night").target == "last night"
    assert ask("what we heard last night was dull, jazz please").target is None


@pytest.mark.parametrize(
    "question",
    [
        "a slow jazz Christmas song",
        "any good Christmas song",
        "christmas song for the depot do",
        "I do love a Christmas song",
    ],
)
def test_a_kind_and_the_noun_of_all_items_name_no_title(ask, question):
    query = ask(question)
    assert query.target is None and ("christmas",) in wanted(query)


@pytest.mark.parametrize(
    "question",
    ["I aint never bought jazz before", "never tasted jazz", "we have never ordered jazz before"],
)
def test_what_somebody_never_bought_is_not_refused(ask, question):
    assert not refused(ask(question))


@pytest.mark.parametrize("question", ["I never liked jazz", "we aint never liked jazz"])
def test_what_somebody_never_liked_is_refused(ask, question):
    assert "jazz" in refused(ask(question))


def test_what_somebody_never_had_is_not_at_hand(read):
    assert read("I have never had gin. what can I make").have == ()
    assert read("I have gin. what can I make").have == ("gin",)


@pytest.mark.parametrize(
    ("question", "years"),
    [
        ("from 97 or 98", (1997, 1998)),
        ("from '95 or '96 or '97", (1995, 1997)),
        ("from 97 or 98 minutes long", (1997, 1997)),
    ],
)
def test_years_of_two_digits_go_on_behind_or(question, years):
    assert joint_years(find_years(question, short=True)) == years


@pytest.mark.parametrize(
    ("question", "high"),
    [
        ("jazz for under a tenner", math.nextafter(10.0, 0.0)),
        ("jazz, about a tenner tops", 10.0),
        ("jazz, about 10 dollars or less", 10.0),
        ("jazz for about 10 dollars", 12.0),
    ],
)
def test_a_tenner_is_an_amount_without_its_article(ask, question, high):
    query = ask(question)
    assert ("jazz",) in wanted(query)
    assert bounds(query)["price"][1] == high


def test_a_title_that_opens_a_question_about_what_else_there_is_is_an_example(ask):
    assert ask("strange fruit did my head in. what else has she sung").target == "strange fruit"


def test_what_is_other_than_a_title_is_not_like_it(ask):
    query = ask("a jazz song other than Summertime")
    assert query.target is None and "summertime" in query.exclude_items


def test_a_word_too_many_is_no_slip_in_a_title(ask):
    assert ask("any jazz Christmas song").target is None
    assert ask("a song like the the Strange Fruit").target == "strange fruit"


@pytest.mark.parametrize(
    ("question", "players"),
    [
        ("eight of us, the same two people always win", 8),
        ("eight people, and the other two players are kids", 8),
        ("two people", 2),
    ],
)
def test_people_who_are_told_again_are_not_counted(question, players):
    spec = NumberSpec(kind="amount", units={"people": 1, "players": 1}, bound="high")
    amount = find_amount(question, spec)
    assert amount is not None and amount.bounds is not None
    assert amount.bounds[0] == players
