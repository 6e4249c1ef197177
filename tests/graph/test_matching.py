"""An item of an export is found again under the catalogue's key, or not at all."""

from __future__ import annotations

import msgspec
import pytest

from localrec.data.catalogue_columns import CatalogueColumns
from localrec.data.rows import ItemRow
from localrec.graph.item_ingest import ingest_items
from localrec.graph.item_matching import match_existing_items
from localrec.graph.store import Store
from tests.planted import BAR, a_report

CATALOGUE = (
    ("6", "Heat", 1995, "Michael Mann"),
    ("858", "The Godfather", 1972, None),
    ("1094", "Crying Game", 1992, None),
    ("29", "City of Lost Children (La Cité des enfants perdus)", 1995, None),
    ("47", "Se7en (a.k.a. Seven)", 1995, None),
    ("7a", "Emma", 1996, "Douglas McGrath"),
    ("7b", "Emma", 1997, "Diarmuid Lawrence"),
    ("8a", "Hamlet", 1990, None),
    ("8b", "Hamlet", 1990, None),
    ("9", "It", None, None),
    ("10", "Léon", 1994, "Besson"),
    ("11", "300", 2006, None),
)


def thing(key, name, year=None, creator=None):
    told = {"year": year, "creator": creator}
    return ItemRow(key=key, name=name, properties={k: v for k, v in told.items() if v})


@pytest.fixture
def films(path):
    with Store.open_(path) as store:
        ingest_items(store, BAR, [thing(*one) for one in CATALOGUE], a_report())
        yield store


def found(store, *told):
    return match_existing_items(store, BAR, [thing("x", *told)]).get("x")


@pytest.mark.parametrize(
    ("told", "key"),
    [
        (("Heat", 1995), "6"),
        (("HEAT", 1994), "6"),
        (("Heat", 1996, "Mann"), "6"),
        (("Heat",), "6"),
        (("Heat", 1997), None),
        (("Heat", 1986, "Michael Mann"), None),
        (("Heat", 1995, "Andy Warhol"), None),
        (("Heat 2", 1995), None),
        (("Godfather, The", 1972), "858"),
        (("The Godfather", 1972, "Coppola"), "858"),
        (("City of Lost Children", 1995), "29"),
        (("La Cité des enfants perdus", 1995), "29"),
        (("La Cite des Enfants Perdus", 1995), "29"),
        (("Seven", 1995), "47"),
        (("Se7en", 1995), "47"),
        (("Heat (Director's Cut)", 1995), "6"),
        (("Heat (1995)", 1995), "6"),
        (("Leon", 1994, "Luc Besson"), "10"),
        (("300", 2006), "11"),
    ],
)
def test_by_name_year_and_creator(films, told, key):
    assert found(films, *told) == key


class TestWhatFitsTwo:
    def test_is_the_one_of_the_same_year(self, films):
        assert found(films, "Emma", 1996) == "7a"
        assert found(films, "Emma", 1997) == "7b"

    def test_is_the_one_of_the_same_creator(self, films):
        assert found(films, "Emma", 1996, "Diarmuid Lawrence") == "7b"

    @pytest.mark.parametrize("told", [("Emma",), ("Hamlet", 1990), ("Hamlet", 1991), ("Hamlet",)])
    def test_fits_none_where_nothing_tells_them_apart(self, films, told):
        assert found(films, *told) is None


def test_an_item_without_a_year_is_found_by_its_name(films):
    assert found(films, "It", 2017) == "9"


def test_a_key_that_is_there_needs_no_finding(films):
    assert match_existing_items(films, BAR, [thing("6", "The Godfather", 1972)]) == {}


def test_two_spellings_may_be_one_item(films):
    rows = [thing("a", "Heat", 1995), thing("b", "HEAT", 1996)]
    assert match_existing_items(films, BAR, rows) == {"a": "6", "b": "6"}


def test_items_of_another_domain_are_others(films):
    other = msgspec.structs.replace(BAR, name="films")
    assert match_existing_items(films, other, [thing("x", "Heat", 1995)]) == {}


def test_an_empty_catalogue_has_nothing(path):
    with Store.open_(path) as store:
        assert found(store, "Heat", 1995) is None


def test_no_rows_find_nothing(films):
    assert match_existing_items(films, BAR, []) == {}


NUMBERED = msgspec.structs.replace(
    BAR,
    columns=CatalogueColumns(
        name="name", properties={"id": "id", "shop": "shop"}, identifiers=("id",)
    ),
)
DRINKS = (("soup", "Soup", "11", "1"), ("stew", "Stew", "12", "2"), ("pie", "300", "13.0", "3"))


@pytest.fixture
def numbered(path):
    rows = [
        ItemRow(key=key, name=name, properties={"id": number, "shop": shop})
        for key, name, number, shop in DRINKS
    ]
    with Store.open_(path) as store:
        ingest_items(store, NUMBERED, rows, a_report())
        yield store


def test_rows_that_tell_only_a_number_are_found_by_the_catalogues(numbered):
    rows = [thing("11", "11"), thing("12.0", "12.0"), thing("13", "13"), thing("99", "99")]
    again = match_existing_items(numbered, NUMBERED, rows)
    assert again == {"11": "soup", "12.0": "stew", "13": "pie"}


def test_numbers_of_another_catalogue_find_nothing(numbered):
    rows = [thing("11", "11"), *(thing(str(key), str(key)) for key in (70, 71, 72))]
    assert match_existing_items(numbered, NUMBERED, rows) == {}


def test_a_number_that_identifies_nothing_finds_nothing(numbered):
    assert match_existing_items(numbered, NUMBERED, [thing("1", "1"), thing("2", "2")]) == {}


TWICE = msgspec.structs.replace(
    NUMBERED,
    columns=msgspec.structs.replace(NUMBERED.columns, identifiers=("id", "shop")),
)


def test_numbers_that_two_identifiers_give_to_other_items_find_nothing(path):
    told = (("a", "1", "2"), ("b", "2", "3"), ("c", "3", "1"))
    rows = [ItemRow(key=key, name=key, properties={"id": i, "shop": s}) for key, i, s in told]
    with Store.open_(path) as store:
        ingest_items(store, TWICE, rows, a_report())
        again = match_existing_items(store, TWICE, [thing(one, one) for one in "123"])
    assert again == {}


def test_numbers_that_one_of_two_identifiers_knows_are_found_by_it(path):
    told = (("a", "1", "70"), ("b", "2", "80"), ("c", "3", "1"))
    rows = [ItemRow(key=key, name=key, properties={"id": i, "shop": s}) for key, i, s in told]
    with Store.open_(path) as store:
        ingest_items(store, TWICE, rows, a_report())
        again = match_existing_items(store, TWICE, [thing(one, one) for one in "123"])
    assert again == {"1": "a", "2": "b", "3": "c"}


def test_a_title_that_is_a_number_is_found_by_its_name(numbered):
    rows = [thing("300", "300"), thing("x", "Soup"), thing("11", "11"), thing("y", "Rum")]
    again = match_existing_items(numbered, NUMBERED, rows)
    assert (again["300"], again["x"]) == ("pie", "soup")
    assert "11" not in again
