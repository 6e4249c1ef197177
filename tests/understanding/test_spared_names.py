"""What a refusal spares or takes: a name behind an adjective, a clause, a wish behind a comma."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from localrec.data.query import Query
from localrec.graph.domain_files import load_domain
from localrec.training.examples.lexicon import declared_lexicon
from localrec.understanding.query_parser import parse_query

from .records import refused, wanted


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
