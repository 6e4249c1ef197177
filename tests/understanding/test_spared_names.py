"""What a refusal spares or takes: a name behind an adjective, a clause, a wish behind a comma."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from localrec.data.domains import NumberSpec
from localrec.data.query import Constraint, Query
from localrec.graph.domain_files import load_domain
from localrec.training.examples.lexicon import declared_lexicon
from localrec.understanding.ages import find_youngest
from localrec.understanding.amounts import find_amount, find_bare_amount
from localrec.understanding.foreign_questions import foreign_language
from localrec.understanding.levelled_text import level
from localrec.understanding.query_parser import parse_query
from localrec.understanding.question_text import normalise_question
from localrec.understanding.topics import off_topic_threshold
from localrec.understanding.years import find_years, joint_years

from .records import refused, wanted

MINUTES = NumberSpec(kind="amount", units={"minute": 1, "hour": 60}, better="lower")


@pytest.fixture(scope="module")
def drinks() -> Callable[[str], Query]:
    vocabulary = declared_lexicon(load_domain("cocktails")).vocabulary
    return lambda question: parse_query(question, vocabulary)


class TestOnlyTheAdjective:
    def test_too_much_of_a_word_that_names_nothing_spares_the_name_behind_it(self, drinks):
        assert refused(drinks("a not so pompous gin")) == set()
        assert wanted(drinks("a not so pompous gin")) == [("gin",)]

    def test_too_much_of_a_taste_spares_the_name_behind_it(self, drinks):
        query = drinks("a not too sweet gin drink")
        assert refused(query) == {"sweet"}
        assert wanted(query) == [("gin",)]

    def test_two_tastes_that_are_joined_are_both_wanted_less(self, drinks):
        assert refused(drinks("not too sweet or sour, gin")) == {"sweet", "sour"}


def test_a_clause_behind_a_general_noun_is_refused_with_it(drinks):
    assert refused(drinks("no drinks that have lime, gin please")) == {"lime"}
    assert refused(drinks("no drinks that I know, with lime")) == set()


def test_a_wish_behind_a_comma_is_not_reached_by_what_somebody_quit(drinks):
    query = drinks("I quit rum, so something with lime")
    assert refused(query) == {"rum"}
    assert wanted(query) == [("lime",)]


def test_who_gave_up_alcohol_wants_none_and_names_nothing_that_was_met(drinks):
    query = drinks("I gave up alcohol, something with lime please")
    assert query.flags == {"alcoholic": "non-alcoholic"} and query.met is None
    assert drinks("one of those I gave 5 stars").met is True


def test_not_too_heavy_wishes_for_the_lighter_ones(drinks):
    assert drinks("with gin, not too heavy").order == {"strength": -1}


@pytest.mark.parametrize(
    ("question", "flags"),
    [
        ("the kids are asleep, something with lime", {}),
        ("our kid's turning 40, something with lime", {}),
        ("something with lime for the kids", {"alcoholic": "non-alcoholic"}),
        ("my kid is turning 6, something with lime", {"alcoholic": "non-alcoholic"}),
    ],
)
def test_children_who_are_away_or_grown_up_bar_no_alcohol(drinks, question, flags):
    assert drinks(question).flags == flags


def test_what_makes_somebody_swell_is_refused(drinks):
    assert refused(drinks("my boy swells up if he has milk, something with lime")) == {"milk"}


def test_what_nothing_is_better_than_is_wished_for(drinks):
    query = drinks("nothing suits a summer night better than mint")
    assert wanted(query) == [("mint",)] and not refused(query)


def test_a_count_of_guests_is_no_strength(drinks):
    assert drinks("we will be around fifteen, a punch with rum").ranges == ()


class TestYears:
    @pytest.mark.parametrize(
        ("question", "low", "high"),
        [
            ("from the eighteen-hundreds", 1800, 1899),
            ("between the two wars", 1919, 1938),
            ("nineteen-nineteen up to thirty-eight", 1919, 1938),
            ("nothing later than, say, 1965", -9999, 1965),
            ("from this side of 2015", 2015, 9999),
        ],
    )
    def test_spans_in_further_words(self, question, low, high):
        [span] = find_years(question)
        assert (span.low, span.high) == (low, high)

    def test_a_price_behind_a_year_ends_no_span(self):
        assert [(one.low, one.high) for one in find_years("from 2010 to 20 dollars")] != [
            (2010, 2020)
        ]


class TestBoundsInFurtherWords:
    @pytest.mark.parametrize(
        ("question", "low", "high"),
        [
            ("between forty-five minutes and an hour", 45, 60),
            ("between 45 minutes and 1.5 hours", 45, 90),
            ("from 20 minutes to an hour", 20, 60),
        ],
    )
    def test_a_range_from_minutes_to_hours(self, question, low, high):
        found = find_amount(question, MINUTES)
        assert found is not None and found.bounds == (low, high)

    def test_an_hour_of_the_day_is_no_number(self):
        assert level("between 2 and 4 a.m.: a game").split() == [":", "a", "game"]
        assert level("10 pounds").split() == ["10", "pounds"]

    def test_two_players_that_were_misspelt(self):
        assert level("just for too players").startswith("just for 2")
        assert level("too many players") == "too many players"

    def test_a_time_of_the_day_bounds_nothing(self):
        assert find_bare_amount("I stood on the door till four") is None
        assert find_bare_amount("under four") is not None


def test_a_refusal_speaks_for_a_wish():
    domain = load_domain("cocktails")
    gin = Constraint(kind="ingredient", any_of=("gin",))
    no_rum = Constraint(kind="ingredient", any_of=("rum",), excluded=True)
    queries = Query(constraints=(gin,)), Query(constraints=(gin, no_rum))
    plain, sure = (off_topic_threshold("two words", query, domain) for query in queries)
    assert plain is not None and sure is not None and sure > plain + 0.2


def test_who_asks_for_more_by_the_maker_of_an_example_asks_for_items():
    query = Query(target="negroni")
    domain = load_domain("cocktails")
    assert off_topic_threshold("that Negroni, what else did they make", query, domain) is None


def test_form_before_an_article_or_a_number_was_meant_as_from():
    assert normalise_question("songs form the 80s") == "songs from the 80s"
    assert normalise_question("in the form of a sonnet") == "in the form of a sonnet"


def test_what_somebody_has_in_mind_is_not_at_hand(drinks):
    assert drinks("I have in mind gin and lime").have == ()
    assert drinks("I have gin and lime").have == ("gin", "lime")


def test_years_of_service_are_no_age():
    assert find_youngest("I was four years in the Navy") is None
    assert find_youngest("they are four years old") is not None


def test_a_year_that_is_not_to_be_crossed_is_the_last():
    assert joint_years(find_years("1985 or later but not crossing 1992")) == (1985, 1992)


def test_one_of_those_before_a_kind_of_two_names_is_no_choice(drinks):
    assert wanted(drinks("one of those gin and lime drinks")) == [("gin",), ("lime",)]
    assert wanted(drinks("gin, rum, one of those")) == [("gin", "rum")]


@pytest.mark.parametrize(
    ("question", "several"),
    [
        ("gin for me, rum for her", True),
        ("my husband is a gin man and I'd be content with rum", True),
        ("first some rum, after that gin", True),
        ("I want gin and rum", False),
        ("I'd love a gin drink that has rum for my sister's birthday", False),
        ("I love gin, so give me rum", False),
        ("my wife and I want rum with lime", False),
        ("she loves rum, I can't drink gin", False),
    ],
)
def test_wishes_of_two_people_are_several(drinks, question, several):
    assert drinks(question).several is several


def test_who_is_expecting_or_has_children_is_served_no_alcohol(drinks):
    for question in (
        "my sister is pregnant with her second, something with lime",
        "something for the kids out in the garden",
        "for my children with their pizza, orange juice",
    ):
        assert drinks(question).flags == {"alcoholic": "non-alcoholic"}


def test_a_list_behind_not_too_is_wanted_less(drinks):
    assert refused(drinks("nothing too sweet, bitter or sour")) == {"sweet", "bitter", "sour"}


def test_what_is_said_of_a_whole_list_refuses_all_of_it(drinks):
    assert refused(drinks("rum, gin and tequila, all this makes me ill. Vodka please")) == {
        "rum",
        "gin",
        "tequila",
    }


def test_too_much_of_something_refuses_it_and_too_at_the_end_does_not(drinks):
    assert refused(drinks("rum would be too obvious, gin please")) == {"rum"}
    assert wanted(drinks("gin would be lovely, rum would be too")) == [("gin",), ("rum",)]


def test_three_names_without_a_beginning_of_other_topics_ask_for_items():
    domain = load_domain("cocktails")
    names = [Constraint(kind="ingredient", any_of=(one,)) for one in ("gin", "lime", "mint")]
    three = Query(constraints=tuple(names))
    assert off_topic_threshold("words of three names", three, domain) is None
    flagged = Query(constraints=(names[0],), flags={"alcoholic": "non-alcoholic"})
    assert off_topic_threshold("words of a flag", flagged, domain) is None
    assert off_topic_threshold("how do I store it", flagged, domain) is not None


def test_what_somebody_had_to_death_is_refused(drinks):
    assert refused(drinks("something sour, but gin and rum I've had to death")) == {"gin", "rum"}


def test_a_list_of_refusals_with_any_spares_what_stands_before_it(drinks):
    query = drinks("it should be non-alcoholic and milk or any cream should not be there in it")
    assert query.flags == {"alcoholic": "non-alcoholic"}


def test_a_refused_bound_on_years_is_turned():
    [span] = find_years("excluding anything published after 2005")
    assert (span.low, span.high) == (-9999, 2005)


@pytest.mark.parametrize(
    ("question", "low", "high"),
    [
        ("below 5% alcohol", None, 5),
        ("between 10% and 20% alcohol", 10, 20),
        ("over 40% but under 50%", 40, 50),
        ("at least 12 percent", 12, None),
    ],
)
def test_the_strength_of_a_drink_is_bounded_in_percent(drinks, question, low, high):
    [bound] = drinks(question).ranges
    assert bound.name == "strength"
    assert low is None or bound.low == pytest.approx(low)
    assert high is None or bound.high == pytest.approx(high)


def test_a_small_word_said_twice_makes_no_question_foreign():
    vocabulary = declared_lexicon(load_domain("cocktails")).vocabulary
    assert foreign_language("gin for me, rum for her", vocabulary) == ""
    assert foreign_language("en drink med gin og lime til to", vocabulary) in ("da", "no")


def test_who_only_agrees_with_a_wish_refuses_nothing(drinks):
    assert wanted(drinks("gin is lovely, rum is too")) == [("gin",), ("rum",)]
    assert refused(drinks("egg drinks are too rich")) == {"egg"}
