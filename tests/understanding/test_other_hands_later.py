"""What questions by further hands showed: joint refusals, absent makers and places, full titles."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec
import pytest

from localrec.data.domains import Domain
from localrec.data.query import Query
from localrec.data.rows import AttributeLink, CatalogueRows, ImportReport, ItemRow
from localrec.foundation.text_matching import PhraseMatch
from localrec.graph.catalogue import Catalogue
from localrec.graph.domain_files import load_domain
from localrec.graph.item_ingest import ingest_items
from localrec.graph.store import Store
from localrec.understanding.longest_names import is_year_for_decade
from localrec.understanding.meanings import Meaning
from localrec.understanding.query_parser import parse_query
from localrec.understanding.text_wishes import find_in_texts
from localrec.understanding.vocabulary import Vocabulary
from tests.understanding.test_words_of_texts import BOTTLES

_CELLAR = (
    ("Tilia 2011 Malbec (Mendoza)", "malbec", "Argentina", "Tilia", "ripe tannins and plum"),
    ("Kaiken 2012 Malbec (Mendoza)", "malbec", "Argentina", "Kaiken", "firm tannins"),
    ("Clos 2010 Malbec (Cahors)", "malbec", "France", "Clos", "tannins, leather"),
    ("Weil 2014 Riesling (Rheingau)", "riesling", "Germany", "Robert Weil", "lime and slate"),
    ("Frank 2013 Riesling (Finger Lakes)", "riesling", "US", "Konstantin Frank", "peach"),
    ("Ferrari 2009 Sparkling Blend (Trento)", "sparkling blend", "Italy", "Ferrari", "brioche"),
)


@pytest.fixture(scope="module")
def cellar(tmp_path_factory) -> Iterator[Catalogue]:
    items = tuple(
        ItemRow(
            key=f"w{number}",
            name=name,
            properties={"description": text},
            links=(
                AttributeLink(kind="grape", name=grape),
                AttributeLink(kind="country", name=country),
                AttributeLink(kind="maker", name=maker),
            ),
        )
        for number, (name, grape, country, maker, text) in enumerate(_CELLAR)
    )
    report = ImportReport(
        source="catalogue", path="", domain="bottles", read=6, kept=6, merged=0, dropped=0
    )
    with Store.open_(tmp_path_factory.mktemp("cellar") / "store.duckdb") as store:
        ingest_items(store, BOTTLES, CatalogueRows(items=items, report=report).items, report)
        yield Catalogue(store, BOTTLES)


@pytest.fixture(scope="module")
def alehouse(tmp_path_factory) -> Iterator[Callable[[str], Query]]:
    domain: Domain = msgspec.convert(
        {
            "name": "ales",
            "item": "beer",
            "singular": "beer",
            "plural": "beers",
            "item_words": ["beer"],
            "texts": {"name": "name"},
            "attributes": {"style": {"role": "component", "edge": "IS", "says": "is a {name}"}},
            "numbers": {"abv": {"kind": "amount", "words": ["alcohol", "abv"], "units": {"%": 1}}},
        },
        Domain,
    )
    items = tuple(
        ItemRow(
            key=name.casefold(),
            name=name,
            properties={"abv": abv},
            links=(AttributeLink(kind="style", name=style),),
        )
        for name, style, abv in (("Zero", "Alcohol-Free Lager", 0.0), ("Guinness", "Stout", 4.2))
    )
    report = ImportReport(
        source="catalogue", path="", domain="ales", read=2, kept=2, merged=0, dropped=0
    )
    with Store.open_(tmp_path_factory.mktemp("ales") / "store.duckdb") as store:
        ingest_items(store, domain, items, report)
        vocabulary = Vocabulary(Catalogue(store, domain))
        yield lambda question: parse_query(question, vocabulary)


@pytest.fixture
def ask(cellar: Catalogue) -> Callable[[str], Query]:
    vocabulary = Vocabulary(cellar)
    return lambda question: find_in_texts(parse_query(question, vocabulary), cellar)


def excluded(query: Query) -> set[str]:
    return {key for one in query.constraints if one.excluded for key in one.any_of}


def wanted(query: Query) -> set[str]:
    return {key for one in query.constraints if not one.excluded for key in one.any_of}


@pytest.mark.parametrize(
    ("question", "out"),
    [
        (
            "a sour. He can't abide gin and thinks lime is soap, so neither of those",
            {"gin", "lime"},
        ),
        ("gin bores her and lime bores him. I need a sour that offends neither.", {"gin", "lime"}),
    ],
)
def test_neither_refuses_the_two_names_before_it(read, question, out):
    assert out <= excluded(read(question))


def test_neither_before_its_names_refuses_these_alone(read):
    query = read("a sour with mint that has neither gin nor rum")
    assert excluded(query) >= {"gin", "rum"} and "mint" not in excluded(query)


@pytest.mark.parametrize(
    "question",
    [
        "a sour, but if there's gin in it I'll never sleep",
        "gin = instant gag so none of that",
        "gin is another matter, it ruined my week, so leave that out",
        "gin I'd skip, a sour please",
        "something for a guest who finds gin insufferable",
    ],
)
def test_a_refusal_is_heard_in_further_turns(read, question):
    assert "gin" in excluded(read(question))


@pytest.mark.parametrize(
    "question",
    ["a sour, if there's gin in it all the better", "if there is gin I would be happy"],
)
def test_what_would_be_welcome_is_not_refused(read, question):
    assert "gin" not in excluded(read(question))


@pytest.mark.parametrize("place", ["from Japan", "from Ohio", "in Korean style", "that is Kenyan"])
def test_a_country_that_no_item_is_from_is_a_wish_that_cannot_be_met(ask, place):
    [one] = [told for told in ask(f"any wine {place}").constraints if told.kind == "country"]
    assert not one.soft and not one.excluded


def test_words_for_places_mean_nothing_where_no_kind_is_one_of_places(read):
    assert not read("a drink from Japan").constraints


@pytest.mark.parametrize("maker", ["Robert Osmanov", "robert osmanov"])
def test_a_maker_of_whom_there_is_nothing_is_not_taken_for_another(ask, maker):
    assert wanted(ask(f"a riesling by {maker}")) == {"riesling", "robert osmanov"}


@pytest.mark.parametrize(
    "question",
    [
        "Do you have any Robert Osmanov?",
        "a friend brings Robert Osmanov wines, which are here?",
        "Robert Osmanov, please",
    ],
)
def test_a_maker_is_missed_wherever_they_are_asked_for(ask, question):
    assert "robert osmanov" in wanted(ask(question))


@pytest.mark.parametrize(
    "question",
    [
        "Robert says any riesling",
        "Any Riesling From Germany",
        "some Robert Weil please",
        "Thanks, Bob",
    ],
)
def test_other_words_with_capitals_are_no_missing_makers(ask, question):
    assert wanted(ask(question)) <= {"riesling", "germany", "robert weil"}


def test_a_maker_whose_name_a_title_holds_is_the_maker(ask):
    assert wanted(ask("my wife loves Robert Weil")) == {"robert weil"}


def test_then_for_than_bounds_all_the_same(ask):
    [price] = ask("a malbec, no more then 15 dollars").ranges
    assert (price.name, price.high) == ("price", 15)


def test_a_number_of_times_names_no_decade():
    domain = load_domain("movies")
    assert "decade" in domain.attributes
    match = PhraseMatch(0, 1, (Meaning("container", "decade", "1920s"),))
    assert is_year_for_decade("twenty", match) and not is_year_for_decade("twenties", match)


def test_what_is_by_a_day_or_a_known_maker_is_by_nobody_unknown(ask):
    assert wanted(ask("a riesling by Saturday night please")) == {"riesling"}
    assert wanted(ask("a riesling by Konstantin Frank")) == {"riesling", "konstantin frank"}


def test_a_name_with_its_vintage_is_that_item_and_no_wish_for_its_parts(ask):
    query = ask("We emptied the Tilia 2011 Malbec from Mendoza. Still Malbec, not from Argentina.")
    assert query.target == "w0"
    assert wanted(query) == {"malbec"} and excluded(query) == {"argentina"}
    assert not query.ranges


def test_a_refused_word_counts_though_most_items_say_it(ask):
    [wish] = ask("malbec, no tannins").texts
    assert wish.excluded and wish.words == ("tannin",)


def test_what_is_said_of_a_refused_word_is_no_wish_for_it(ask):
    told = ask("malbec, my mouth dries from tannic stuff so no tannins").texts
    assert [one.words for one in told if not one.excluded] == []


def test_both_asks_for_all_of_them(read):
    query = read("she wants gin or lime, he wants rum. Find one that is both")
    assert [one.any_of for one in query.constraints] == [("gin", "lime"), ("rum",)]


def test_a_kind_that_is_called_free_of_a_thing_is_wished_for_by_that(alehouse):
    assert wanted(alehouse("an alcohol-free beer")) == {"alcohol free lager"}


def test_a_word_of_a_number_behind_its_bound_names_no_kind(alehouse):
    query = alehouse("a beer below 5% alcohol")
    assert not query.constraints and query.ranges[0].name == "abv"


def test_egg_free_still_refuses_where_nothing_is_called_so(read):
    assert excluded(read("an egg-free sour")) == {"egg"}
