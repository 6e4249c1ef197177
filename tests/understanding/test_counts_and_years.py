"""Years are no decades, and a count counts what the domain counts: on a shelf of three books."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from localrec.data.query import NumberRange, Query
from localrec.data.rows import AttributeLink, ImportReport
from localrec.graph.catalogue import Catalogue
from localrec.graph.domain_files import load_domain
from localrec.graph.item_ingest import ingest_items
from localrec.graph.store import Store
from localrec.sources.film_rows import film_row
from localrec.understanding.number_ranges import parse_ranges
from localrec.understanding.query_parser import parse_query
from localrec.understanding.vocabulary import Vocabulary
from localrec.understanding.years import find_years

BOOKS = load_domain("books")
SHELF = (("Brideshead Revisited", 1945), ("Summer 1914", 1936), ("Dune", 1965))


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Query]]:
    genre = (AttributeLink(kind="genre", name="fiction"),)
    rows = [film_row(name.casefold(), name, year, genre, BOOKS) for name, year in SHELF]
    report = ImportReport(
        source="planted", path="", domain="books", read=3, kept=3, merged=0, dropped=0
    )
    with Store.open_(tmp_path_factory.mktemp("shelf") / "store.duckdb") as store:
        ingest_items(store, BOOKS, rows, report)
        vocabulary = Vocabulary(Catalogue(store, BOOKS))
        yield lambda question: parse_query(question, vocabulary)


def years(low: int, high: int) -> tuple[NumberRange, ...]:
    return (NumberRange(name="year", low=low, high=high),)


def pages(low: int, high: int) -> tuple[NumberRange, ...]:
    return (NumberRange(name="pages", low=low, high=high),)


@pytest.mark.parametrize(
    ("question", "ranges"),
    [
        ("before 1940", years(-9999, 1939)),
        ("after 1960", years(1961, 9999)),
        ("between 1940 and 1960", years(1940, 1960)),
        ("something from 1940", years(1940, 1940)),
    ],
)
def test_a_year_asks_for_no_decade(
    ask: Callable[[str], Query], question: str, ranges: tuple[NumberRange, ...]
) -> None:
    intent = ask(question)
    assert intent.ranges == ranges
    assert intent.constraints == ()


@pytest.mark.parametrize("question", ["from the 1940s", "from the 40s", "from the forties"])
def test_a_decade_still_asks_for_the_decade(ask: Callable[[str], Query], question: str) -> None:
    intent = ask(question)
    assert [one.any_of for one in intent.of_kind("decade")] == [("1940s",)]
    assert intent.ranges == ()


@pytest.mark.parametrize(
    ("question", "ranges"),
    [
        ("under 300 pages", pages(1, 299)),
        ("shorter than 300 pages", pages(1, 299)),
        ("at most 300 pages", pages(1, 300)),
        ("at least 500 pages", pages(500, 99_999)),
        ("more than 500 pages", pages(501, 99_999)),
        ("two genres", ()),
    ],
)
def test_pages_are_counted_as_pages(question: str, ranges: tuple[NumberRange, ...]) -> None:
    assert parse_ranges(question, BOOKS) == ranges


def test_ingredients_are_counted_as_ingredients() -> None:
    drinks = load_domain("cocktails")
    counted = (NumberRange(name="ingredient_count", low=1, high=4),)
    assert parse_ranges("at most four ingredients", drinks) == counted
    assert parse_ranges("under 300 pages", drinks) == ()


@pytest.mark.parametrize(
    "question", ["a novel under 300 pages", "an audiobook", "paperbacks of 200 pages"]
)
def test_the_domains_own_nouns_are_not_unknown(ask: Callable[[str], Query], question: str) -> None:
    assert ask(question).unknown == ()


def test_a_word_that_nobody_knows_is_still_told(ask: Callable[[str], Query]) -> None:
    assert ask("a novel about quaternions").unknown == ("quaternions",)


def test_a_year_in_the_examples_name_is_no_wish(ask: Callable[[str], Query]) -> None:
    intent = ask("something like Summer 1914, but newer")
    assert intent.target == "summer 1914"
    assert intent.ranges == ()


@pytest.mark.parametrize(
    ("question", "low", "high"),
    [
        ("min 3 and max 6 things in it", 3, 6),
        ("at the least three ingredients, at the most four, with tequila", 3, 4),
        ("more than three ingredients but under six", 4, 5),
        ("no fewer than four and no more than five things in it", 4, 5),
        ("tequila, 4 until 6 ingredients", 4, 6),
        ("two ingredients, three at a push", 2, 3),
        ("bourbon, 3 things in it max", 1, 3),
        ("just the two or three things in it", 2, 3),
    ],
)
def test_a_count_has_two_ends(question: str, low: int, high: int) -> None:
    asked = parse_ranges(question, load_domain("cocktails"))
    assert asked == (NumberRange(name="ingredient_count", low=low, high=high),)


@pytest.mark.parametrize(
    ("question", "span"),
    [
        ("a novel <1975", (-9999, 1974)),
        ("a novel, <=1991", (-9999, 1991)),
        (">1990", (1991, 9999)),
        ("the eightys or earlier", (-9999, 1989)),
        ("anything up to and including 1956", (-9999, 1956)),
    ],
)
def test_signs_and_slips_bound_years(question: str, span: tuple[int, int]) -> None:
    assert [(one.low, one.high) for one in find_years(question)] == [span]


@pytest.mark.parametrize("question", ["1994 is out", "but not of 1994", "1994 excluded, please"])
def test_a_year_is_refused_from_both_sides(question: str) -> None:
    assert [one.excluded for one in find_years(question)] == [True]


@pytest.mark.parametrize("question", ["laptop at 60 percent", "seen it 40 times", "for 30 kids"])
def test_two_digits_before_what_they_count_are_no_year(question: str) -> None:
    assert find_years(question, short=True) == []


@pytest.mark.parametrize("question", ["from 2019 please", "a 2019 psychodrama", "2019 minis"])
def test_a_year_before_a_word_that_begins_like_a_unit_stays_a_year(question: str) -> None:
    assert [(one.low, one.high) for one in find_years(question, short=True)] == [(2019, 2019)]
