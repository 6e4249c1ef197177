"""How people say it: years in words, their own past, whoever made it, and what nobody reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.data.query import Query
from localrec.data.rows import AttributeLink, ImportReport
from localrec.graph.catalogue import Catalogue
from localrec.graph.domain_files import load_domain
from localrec.graph.item_ingest import ingest_items
from localrec.graph.store import Store
from localrec.sources.film_rows import film_row
from localrec.understanding.language_words import english
from localrec.understanding.levelled_text import level
from localrec.understanding.query_parser import parse_query
from localrec.understanding.state_phrases import find_state
from localrec.understanding.vocabulary import Vocabulary
from localrec.understanding.years import find_years

BOOKS = load_domain("books")
SHELF = (
    ("Dune", 1965, "Frank Herbert"),
    ("It", 1986, "Stephen King"),
    ("Emma", 1815, "Jane Austen"),
)
Ask = Callable[[str], Query]


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    def links(author: str) -> tuple[AttributeLink, ...]:
        genres = [AttributeLink(kind="genre", name=one) for one in ("fiction", "horror", "romance")]
        return (*genres, AttributeLink(kind="author", name=author))

    rows = [
        film_row(name.casefold(), name, year, links(author), BOOKS) for name, year, author in SHELF
    ]
    report = ImportReport(
        source="planted", path="", domain="books", read=3, kept=3, merged=0, dropped=0
    )
    with Store.open_(tmp_path_factory.mktemp("shelf") / "store.duckdb") as store:
        ingest_items(store, BOOKS, rows, report)
        vocabulary = Vocabulary(Catalogue(store, BOOKS))
        yield lambda question: parse_query(question, vocabulary)


def excluded(query: Query) -> set[str]:
    return {key for one in query.constraints if one.excluded and not one.soft for key in one.any_of}


@pytest.mark.parametrize(
    ("question", "low", "high"),
    [
        ("1990-1995", 1990, 1995),
        ("1990-95", 1990, 1995),
        ("nothing later than 1960", -9999, 1960),
        ("the early seventies", 1970, 1973),
        ("mid-90s", 1994, 1996),
        ("from nineteen sixty-five", 1965, 1965),
        ("after two thousand and five", 2006, 9999),
        ("pre-war", -9999, 1938),
        ("before the 70s", -9999, 1969),
        ("1980s onwards", 1980, 9999),
        ("not before 1970", 1970, 9999),
        ("between the sixties and seventies", 1960, 1979),
        ("a 19th century novel", 1800, 1899),
        ("1950 or earlier", -9999, 1950),
    ],
)
def test_years_are_read_in_digits_and_in_words(question: str, low: int, high: int) -> None:
    assert [(one.low, one.high) for one in find_years(question)] == [(low, high)]


@pytest.mark.parametrize(
    "question", ["2000 pages", "twenty five dollars", "for 2 to 4 players", "20s"]
)
def test_other_numbers_are_no_years(question: str) -> None:
    assert find_years(question) == []


@given(st.text())
def test_levelling_keeps_every_place(text: str) -> None:
    assert len(level(text)) == len(text)
    assert all(0 <= one.start < one.end <= len(text) for one in find_years(text))


@pytest.mark.parametrize(
    ("question", "unwanted"),
    [
        ("nothing by Stephen King", {"stephen king"}),
        ("horror, not one by Stephen King please", {"stephen king"}),
        ("not by king", {"stephen king"}),
        ("she likes horror, I hate it, so romance", {"horror"}),
        ("romance with out horror", {"horror"}),
        ("read everything by Jane Austen, what else is there", {"jane austen"}),
        ("skip the horror", {"horror"}),
    ],
)
def test_makers_and_kinds_are_refused_in_many_words(ask: Ask, question: str, unwanted: set[str]):
    assert excluded(ask(question)) == unwanted


def test_a_question_that_only_says_not_bars_nothing(ask: Ask) -> None:
    assert excluded(ask("why not a romance")) == set()
    assert excluded(ask("nothing beats a good horror story")) == set()


@pytest.mark.parametrize(
    ("question", "met", "on_list"),
    [
        ("a horror novel I haven't read yet", False, None),
        ("something from my to-read shelf", None, True),
        ("one I rated before", True, None),
        ("romance that is not on my list", None, False),
        ("a good romance", None, None),
    ],
)
def test_a_persons_own_past_is_asked_for(
    ask: Ask, question: str, met: bool | None, on_list: bool | None
) -> None:
    query = ask(question)
    assert (query.met, query.on_list) == (met, on_list)


@given(st.lists(st.sampled_from("i have not read my list seen yet the".split()), max_size=9))
def test_a_state_is_read_of_tokens_that_are_there(words: list[str]) -> None:
    assert all(0 <= place < len(words) for place in find_state(words).places)


@pytest.mark.parametrize(
    ("question", "unused"),
    [
        ("an organic romance", ("organic",)),
        ("a romance under 30 dollars", ("under 30 dollars",)),
        ("a romance from the sixties please, mate", ()),
        ("something by Jane Austen after 1800", ()),
    ],
)
def test_what_took_no_part_is_kept_as_it_was_typed(
    ask: Ask, question: str, unused: tuple[str, ...]
) -> None:
    assert ask(question).unused == unused


def test_every_english_phrase_is_folded() -> None:
    told = english()
    for phrase in (
        *told.negation.before,
        *told.negation.verbs,
        *told.state.unmet,
        *told.years.until,
    ):
        assert phrase == " ".join(phrase.lower().replace("'", "").split())
