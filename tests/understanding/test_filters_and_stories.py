"""Bounds written as filters, stories around a wish, and things that nobody has."""

from __future__ import annotations

import pytest

from localrec.understanding.absent_things import with_absent_things
from localrec.understanding.foreign_questions import foreign_language

from .records import RECORDS, bounds, refused, wanted


@pytest.mark.parametrize(
    ("question", "name", "low", "high"),
    [
        ("jazz, time <= 45", "minutes", None, 45),
        ("jazz, time < = 45", "minutes", None, 45),  # as a question is cleaned
        ("minutes ≤ 45, jazz", "minutes", None, 45),
        ("jazz; ratings > 100k", "ratings_count", 100_000, None),
        ("jazz, styles <= 3", "style_count", 1, 3),
        ("jazz with six different styles", "style_count", 6, 6),
        ("jazz, price cap 50", "price", None, 50),
        ("jazz, score floor 91", "points", 91, None),
        ("jazz, 90 min upper limit", "minutes", None, 90),
        ("jazz not dearer than 15 and 87 points at least", "points", 87, None),
        ("jazz with a rating of 4 out of 5", "rating", 4, None),
        ("jazz with at least a 4.2 rating", "rating", 4.2, None),
    ],
)
def test_bounds_are_read_however_they_are_written(ask, question, name, low, high):
    found = bounds(ask(question))[name]
    assert low is None or found[0] == pytest.approx(low)
    assert high is None or found[1] == pytest.approx(high)


def test_a_rating_counts_no_ratings(ask):
    assert set(bounds(ask("jazz with at least a 4.2 rating"))) == {"rating"}


def test_the_first_of_two_bounds_stays_its_own(ask):
    assert bounds(ask("jazz not dearer than 15 and 87 points at least"))["price"][1] == 15


def test_unequal_refuses(ask):
    assert refused(ask("jazz, origin != Sweden")) == {"sweden"}


@pytest.mark.parametrize(
    ("question", "groups"),
    [
        ("a gospel record or a good jazz one", [("gospel", "jazz")]),
        ("gospel or jazz, either way with disco in it", [("gospel", "jazz"), ("disco",)]),
        ("gospel, or failing that something jazz", [("gospel", "jazz")]),
        ("pop and disco or pop and jazz", [("pop",), ("disco", "jazz")]),
        ("Lina says gospel, Femi says disco", [("gospel", "disco")]),
        ("she says gospel", [("gospel",)]),
        ("something by Billie Holiday, Ella or Nat King Cole",
         [("billie holiday", "ella fitzgerald", "nat king cole")]),
        ("with an orchestra", [("orchestral",)]),
        ("a zombie record", [("zomby",)]),
        ("gospel, and she's driving", [("gospel",)]),
        ("gospel, it has to be done by nine", [("gospel",)]),
    ],
)  # fmt: skip
def test_what_is_wished_for_is_told_from_what_stands_around_it(ask, question, groups):
    assert wanted(ask(question)) == groups


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("jazz, and disco can go and whistle", {"disco"}),
        ("gospel with the jazz left ashore", {"jazz"}),
        ("gospel. Jazz I hear enough of at home, so I give that one a wide berth", {"jazz"}),
        ("gospel, but I get bored by jazz", {"jazz"}),
        ("gospel. I wouldn't touch jazz", {"jazz"}),
        ("gospel, drop jazz", {"jazz"}),
        ("gospel, 0 jazz", {"jazz"}),
        ("gospel, spare me Ella", {"ella fitzgerald"}),
        ("disco and I, however, parted ways years ago", {"disco"}),
        ("gospel; disco records I'll politely decline", {"disco"}),
        ("gospel. If it's disco I'm going home", {"disco"}),
        ("gospel without any trace of disco, by which I mean pop", {"disco", "pop"}),
        ("so we must forgo disco altogether. Gospel, please", {"disco"}),
        ("gospel. Disco is for later, leave that for the weekend", {"disco"}),
        ("I cannot refuse. Gospel, they say", set()),
        ("gospel with a drop of jazz", set()),
    ],
)
def test_a_refusal_is_heard_where_there_is_one(ask, question, names):
    assert refused(ask(question)) == names


def test_who_gave_an_album_its_name_is_refused_with_it(ask):
    [bar] = [one for one in ask("disco, no ABBA").constraints if one.excluded]
    assert {(bar.kind, bar.any_of[0]), *bar.or_else} == {("album", "abba"), ("artist", "abba")}


def test_a_kind_with_the_noun_of_all_items_is_no_title(ask):
    assert ask("Christmas songs from before 1985").target is None
    assert ask("like The Christmas Song").target == "the christmas song"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("somthing", "something"), ("baned", "banned"), ("gospl", "gospel")],
)
def test_a_slip_means_the_likeliest_word(vocabulary, typed, meant):
    assert vocabulary.mended(typed) == meant


@pytest.mark.parametrize(
    "question",
    [
        "jazz, thirty-odd years late",
        "jazz for 31 eight year olds",
        "In 1969 I sang in a choir. Jazz, please",
        "my dad was born in 1965 and loves jazz",
    ],
)
def test_what_only_dates_a_story_bounds_nothing(ask, question):
    assert "year" not in bounds(ask(question))


@pytest.mark.parametrize(
    ("question", "low", "high"),
    [("jazz from 1975", 1975, 1975), ("jazz from 2010 up to now", 2010, 9999)],
)
def test_years_are_read_where_they_are_wished(ask, question, low, high):
    assert bounds(ask(question))["year"] == (low, high)


@pytest.mark.parametrize(
    ("question", "artist"),
    [
        ("something by Ella Fitzgerald", "ella fitzgerald"),
        ("an Elma Fitzgerald record", "ella fitzgerald"),
        ("a Xavier Fitzgerald record", "xavier fitzgerald"),  # none of those who are here
    ],
)
def test_a_first_name_tells_whose_surname_is_meant(ask, question, artist):
    assert (artist,) in wanted(ask(question))


def test_a_name_with_a_capital_is_no_slip_of_a_word(vocabulary):
    assert vocabulary.read("a record for Gospl and me").corrected == {"gospl": "gospel"}
    assert vocabulary.read("a record for Jazen and me").corrected == {}


def test_a_title_that_is_a_pronoun_is_no_example_of_itself(ask):
    assert ask("she played it all day, something like that").target is None


def test_an_everyday_sentence_is_english_though_a_word_is_danish_too(vocabulary):
    assert foreign_language("jazz, for Christmas", vocabulary) == ""


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("have you any klezmer", ["klezmer"]),
        ("jazz with makgeolli", ["makgeolli"]),
        ("Sally Rooney, any of hers", ["Sally Rooney"]),
        ("something good for my friend Yann", []),
        ("jazz for the klezmer evening", []),  # jazz is the wish
    ],
)
def test_a_thing_that_nobody_has_is_a_wish_to_be_let_go_by_name(ask, question, named):
    read = ask(question)
    added = with_absent_things(question, read, RECORDS)
    fresh = [one.any_of[0] for one in added.constraints[len(read.constraints) :]]
    assert fresh == named
    assert not {*fresh} & {*added.unused}


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("nothing cheesy, a disco record", set()),
        ("every last drop of gospel", set()),
        ("gospel, take it or leave it", set()),
        ("gospel finished with disco", set()),
        ("pop I could play while the family is left alone", set()),
        ("no pop. Gospel, I mean the old sort", {"pop"}),
    ],
)
def test_words_that_refuse_elsewhere_refuse_nothing_here(ask, question, names):
    assert refused(ask(question)) == names


@pytest.mark.parametrize(
    "question",
    [
        "I have gospel, disco, pop, jazz and pop or jazz and disco",
        "pop and",
        "or",
        "",
        "pop and disco or pop and",
    ],
)
def test_reading_never_fails(ask, question):
    ask(question)


def test_more_than_a_million_ratings_are_counted(ask):
    assert bounds(ask("jazz, over 1.5 million ratings"))["ratings_count"][0] >= 1_500_000


def test_a_year_that_somebody_wishes_stays_though_people_are_told_of(ask):
    assert bounds(ask("jazz released in 1985 my dad would love"))["year"] == (1985, 1985)


def test_a_surname_at_the_beginning_has_no_first_name(ask):
    assert ("nat king cole",) in wanted(ask("Devoured Cole, more of him please"))
