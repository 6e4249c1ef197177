"""Everyday phrases for kinds of films and drinks, and slips that are mended."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from localrec.data.query import Query
from localrec.graph.domain_files import load_domain
from localrec.training.examples.lexicon import declared_lexicon
from localrec.understanding.foreign_questions import foreign_language
from localrec.understanding.query_parser import parse_query
from localrec.understanding.vocabulary import Vocabulary

from .records import refused, wanted

Ask = Callable[[str], Query]


def reader(domain: str) -> Ask:
    vocabulary = vocabulary_of(domain)
    return lambda question: parse_query(question, vocabulary)


def vocabulary_of(domain: str) -> Vocabulary:
    """What a domain declares, without any catalogue."""
    return declared_lexicon(load_domain(domain)).vocabulary


@pytest.fixture(scope="module")
def films() -> Ask:
    return reader("movies")


@pytest.fixture(scope="module")
def drinks() -> Ask:
    return reader("cocktails")


@pytest.mark.parametrize(
    ("question", "genre"),
    [
        ("a tearjerker", "drama"),
        ("a heist film", "crime"),
        ("I want to be scared silly", "horror"),
        ("something to make me crack up", "comedy"),
    ],
)
def test_a_word_for_a_genre_is_a_wish_for_it(films, question, genre):
    assert (genre,) in wanted(films(question))


def test_a_romcom_is_both(films):
    assert {("romance",), ("comedy",)} <= set(wanted(films("a good romcom")))


@pytest.mark.parametrize("question", ["nothing for children", "a comedy, nothing for children"])
def test_nothing_for_children_refuses_their_films(films, question):
    assert "children's" in refused(films(question))


def test_what_one_hates_is_refused_whoever_likes_it(films):
    query = films("she likes musicals, I hate them")
    assert "musical" in refused(query) and ("musical",) not in wanted(query)


@pytest.mark.parametrize("typed", ["bittrs", "bitterz"])
def test_misspelt_bitters_are_meant(drinks, typed):
    assert ("bitters",) in wanted(drinks(f"something with {typed}"))


def test_wisky_is_whiskey(drinks):
    assert ("whiskey",) in wanted(drinks("a wisky drink"))


@pytest.mark.parametrize(
    ("question", "refuses"),
    [
        ("hold the ice cream", "ice cream"),
        ("skip the sugar", "sugar"),
        ("a drink with out gin", "gin"),
        ("something gin-free", "gin"),
    ],
)
def test_ways_to_leave_something_out(drinks, question, refuses):
    assert refuses in refused(drinks(question))


def test_a_german_refusal_is_told_to_be_german():
    assert foreign_language("kein Alkohol bitte", vocabulary_of("cocktails")) == "de"
