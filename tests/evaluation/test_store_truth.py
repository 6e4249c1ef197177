"""The independent reading of the store: names, families, bars, edges."""

import subprocess
import sys

import pytest

from .conftest import edge


def fitting(truth, test):
    return {item.name for item in truth.items.values() if test(item)}


def test_it_uses_nothing_of_what_it_checks():
    code = (
        "import sys, localrec.evaluation.questions.store_truth, "
        "localrec.evaluation.questions.claims, "
        "localrec.evaluation.questions.answer_scoring; "
        "print([m for m in sys.modules if m.startswith(('localrec.retrieval', "
        "'localrec.understanding', 'localrec.explanation', 'localrec.graph.catalogue', "
        "'localrec.graph.taxonomy', 'localrec.foundation.text_matching'))])"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


@pytest.mark.parametrize(
    ("name", "drinks"),
    [
        ("whiskey", {"Peat Sour"}),
        ("whisky", {"Peat Sour"}),
        ("smoky", {"Peat Sour", "Smoke Signal"}),
        ("Peaty", {"Peat Sour", "Smoke Signal"}),
        ("eggs", {"Peat Sour"}),
        ("vodka", {"Nutty Blue", "Salty Dog"}),
        ("hazelnut", set()),
        ("unicorn milk", set()),
    ],
)
def test_a_family_stands_for_everything_below_it(truth, name, drinks):
    assert fitting(truth, lambda item: truth.has_any(item, "ingredient", (name,))) == drinks


@pytest.mark.parametrize(
    ("name", "drinks"),
    [
        ("nut", {"Nutty Blue"}),
        ("olive", {"Salty Dog"}),
        ("spirit", {"Peat Sour", "Smoke Signal", "Nutty Blue", "Salty Dog"}),
        ("glass: coupe glass", {"Peat Sour", "Nutty Blue"}),
        ("turquoise", {"Salty Dog"}),
        ("gin", set()),
    ],
)
def test_what_is_barred_reaches_flavours_and_garnishes(truth, name, drinks):
    assert fitting(truth, lambda item: truth.has_excluded(item, name)) == drinks


def test_a_group_of_colours_is_read_as_colours(truth):
    assert truth.kind_of_all(("blue", "turquoise")) == "colour"
    assert truth.kind_of_all(("mezcal", "vodka")) == "ingredient"
    assert truth.kind_of_all(("blue", "vodka")) is None


@pytest.mark.parametrize(
    "real",
    [
        edge("Peat Sour", "HAS_INGREDIENT", "scotch whisky", "60 ml"),
        edge("Peat Sour", "HAS_GLASSTYPE", "coupe glass"),
        edge("scotch whisky", "IS_A", "whiskey"),
        edge("Plain Ale", "alcoholic", "non-alcoholic"),
        edge("Smoke Signal", "strength", "9.5"),
        edge("Peat Sour", "name", "Peat Sour"),
    ],
)
def test_an_edge_that_exists_is_found(truth, real):
    assert truth.has_edge(real)


@pytest.mark.parametrize(
    "invented",
    [
        edge("Peat Sour", "HAS_INGREDIENT", "scotch whisky", "50 ml"),
        edge("Peat Sour", "HAS_INGREDIENT", "scotch whisky"),
        edge("Peat Sour", "HAS_INGREDIENT", "vodka"),
        edge("Peat Sour", "HAS_COLOUR", "coupe glass"),
        edge("Nobody's Drink", "HAS_INGREDIENT", "vodka"),
        edge("whiskey", "IS_A", "scotch whisky"),
        edge("scotch whisky", "IS_A", "spirit"),
        edge("Plain Ale", "alcoholic", "alcoholic"),
        edge("Smoke Signal", "strength", "95"),
        edge("Peat Sour", "strength", "9.5"),
        edge("Peat Sour", "name", "Smoke Signal"),
    ],
)
def test_an_invented_edge_is_not_found(truth, invented):
    assert not truth.has_edge(invented)


def test_a_family_edge_that_only_the_store_knows_counts(store, truth):
    assert truth.has_edge(edge("hazelnut vodka", "IS_A", "vodka"))
