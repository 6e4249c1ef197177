"""Wishes told by how a sentence is built: exceptions, verbs with objects, adjectives, memories."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from localrec.data.domains import NumberSpec
from localrec.data.query import Query
from localrec.understanding.query_parser import parse_query
from localrec.understanding.recollections import is_recalled
from localrec.understanding.superlatives import positives

from .records import bounds, planted_records, refused, wanted

Ask = Callable[[str], Query]
ROWS = (
    ("Ship of Tin", ("card drafting", "space"), "City Building", "Pepper Bridge", "Portugal"),
    ("Ember", ("bossa nova", "teamwork"), "Word Song", "Ann Vale", "Brazil"),
    ("Gale", ("auctions", "jazz"), "City Building", "Ann Vale", "Portugal"),
)


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    with planted_records(tmp_path_factory.mktemp("structure"), ROWS, {}) as planted:
        yield lambda question: parse_query(question, planted)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("building up a city", "city building"),
        ("I want to build my own city", "city building"),
        ("we like to draft cards", "card drafting"),
    ],
)
def test_a_verb_with_its_object_is_the_name_that_is_built_of_both(ask, question, name):
    assert (name,) in wanted(ask(question))


def test_a_word_that_is_not_english_calls_the_name_that_it_begins(ask):
    assert ("bossa nova",) in wanted(ask("some bossa please"))


def test_an_adjective_before_the_noun_for_items_is_a_kind_of_them(ask):
    assert ("word song",) in wanted(ask("a wordy song"))


def test_a_bit_of_something_names_no_maker(ask):
    assert not wanted(ask("a bit of pepper in it"))
    assert wanted(ask("something by Pepper")) == [("pepper bridge",)]


class TestExceptions:
    def test_what_follows_except_it_is_in_is_wished_for(self, ask):
        query = ask("anything with teamwork, except it is in space")
        assert {("teamwork",), ("space",)} <= set(wanted(query)) and not refused(query)

    def test_except_alone_still_refuses(self, ask):
        assert "space" in refused(ask("anything with teamwork, except space"))

    def test_unless_behind_a_no_wishes(self, ask):
        query = ask("she sulks unless there is jazz")
        assert ("jazz",) in wanted(query) and not refused(query)

    def test_unless_behind_a_yes_refuses(self, ask):
        assert "jazz" in refused(ask("anything works unless it has jazz"))

    def test_never_got_tired_of_them_refuses_nothing(self, ask):
        assert not refused(ask("my auctions, I never got tired of them"))


class TestAdjectivesOfNumbers:
    @pytest.mark.parametrize(
        ("comparative", "adjective"),
        [("heavier", "heavy"), ("bigger", "big"), ("simpler", "simple"), ("longer", "long")],
    )
    def test_an_adjective_follows_from_the_comparative(self, comparative, adjective):
        spec = NumberSpec(kind="amount", more=(comparative,))
        assert positives(spec) == {"more": (adjective,), "less": ()}

    def test_more_complex_gives_complex_and_less_complex_nothing(self):
        spec = NumberSpec(kind="amount", more=("more complex",), less=("less complex",))
        assert positives(spec) == {"more": ("complex",), "less": ()}

    def test_years_and_declared_words_have_none(self):
        assert positives(NumberSpec(kind="year", less=("older",))) == {}
        spec = NumberSpec(kind="amount", more=("stronger", "strong"))
        assert "strong" not in positives(spec)["more"]

    @pytest.mark.parametrize("question", ["a dear record", "something really dear"])
    def test_it_is_a_wish_where_it_is_said_of_items(self, ask, question):
        assert ask(question).order == {"price": 1}

    @pytest.mark.parametrize("question", ["oh dear, a record", "my dear aunt wants jazz"])
    def test_elsewhere_it_is_none(self, ask, question):
        assert not ask(question).order

    def test_no_dear_records_asks_for_less(self, ask):
        assert ask("no dear records").order == {"price": -1}

    def test_nothing_too_dear_asks_for_less(self, ask):
        assert ask("nothing too dear").order == {"price": -1}


class TestMemories:
    @pytest.mark.parametrize(
        "before", ["we spent our honeymoon near siena in", "jazz, please. my dad worked there in"]
    )
    def test_what_the_teller_did_is_recalled(self, before):
        assert is_recalled(before)

    @pytest.mark.parametrize(
        "before", ["a record that was made in", "we saw it. now a record from", ""]
    )
    def test_what_is_asked_for_is_not(self, before):
        assert not is_recalled(before)

    def test_a_year_of_a_memory_bounds_nothing(self, ask):
        assert "year" not in bounds(ask("we heard it on our honeymoon in 1981, some jazz please"))
        assert bounds(ask("jazz made in 1981"))["year"] == (1981, 1981)


def test_so_much_for_the_bottle_is_a_price(ask):
    assert bounds(ask("I can run to sixty dollars for it"))["price"][1] == 60
