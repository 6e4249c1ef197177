"""Small verbs that an apostrophe joins to a word change nothing of what a question asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.data.query import Query
from localrec.foundation.text_matching import tokens
from localrec.understanding.contractions import uncontracted
from localrec.understanding.query_parser import parse_query
from localrec.understanding.vocabulary import Vocabulary

from .records import planted_records, refused, wanted

ROWS = (
    ("That'll Be the Day", ("rock",), "Single", "The Crickets", "US"),
    ("Tall Tale", ("jazz",), "Shell", "Steve Wood", "US"),
    ("Migrant Song", ("pop",), "Couldn't", "Shane", "Ireland"),
)
PRONOUNS = ("I", "you", "he", "she", "it", "we", "they", "that", "this", "there", "who", "what")


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vocabulary]:
    """Of records whose names a joined verb could be mended to."""
    with planted_records(tmp_path_factory.mktemp("shelf"), ROWS, {}) as planted:
        yield planted


@pytest.fixture
def ask(shelf: Vocabulary) -> Callable[[str], Query]:
    return lambda question: parse_query(question, shelf)


@pytest.mark.parametrize("verb", ["'ll", "'d", "'ve", "'re", "’ll", "'d've"])
@pytest.mark.parametrize("pronoun", [*PRONOUNS, "my mum", "someone"])
def test_the_verb_is_mended_to_no_name(ask, pronoun, verb):
    query = ask(f"jazz {pronoun}{verb} like")
    assert wanted(query) == [("jazz",)] and refused(query) == set()
    assert query.corrected == {} and query.target is None
    assert query.unused == ()


@pytest.mark.parametrize("verb", ["could've", "would've", "should've", "couldve", "wouldve"])
def test_what_would_have_been_is_not_what_would_not(ask, verb):
    query = ask(f"I {verb} liked some jazz")
    assert wanted(query) == [("jazz",)] and refused(query) == set()


@pytest.mark.parametrize("word", ["shan't", "mightn't", "daren't"])
def test_rare_refusals_are_mended_to_no_name(ask, word):
    assert ask(f"I {word} have pop, so jazz").target is None
    assert ("shane",) not in wanted(ask(f"I {word} have pop, so jazz"))


@pytest.mark.parametrize("title", ["That'll Be the Day", "that'll be the day"])
def test_a_title_with_a_joined_verb_is_found(ask, title):
    assert ask(f"something like {title}").target == "that'll be the day"


def test_phrases_with_a_joined_verb_are_still_listened_for(ask):
    assert refused(ask("jazz, but pop I'd skip")) == {"pop"}
    assert refused(ask("jazz, but pop they'd skip")) == {"pop"}


@given(st.text(max_size=60))
def test_any_text_can_be_looked_at(text):
    found = tokens(text)
    assert set(uncontracted(text, found)) <= set(range(len(found)))
