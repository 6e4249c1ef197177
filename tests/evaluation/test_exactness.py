"""Readings held against the gold: other spellings are as good, more or less is not."""

import pytest

from localrec.data.query import Query
from localrec.evaluation.questions.gold import Gold, is_exact_match
from localrec.evaluation.questions.store_truth import StoreTruth
from localrec.understanding.query_parser import parse_query, query_view
from tests.planted import BAR, planted_stages, planted_store


@pytest.fixture(scope="module")
def exact(tmp_path_factory):
    """Whether the rules' reading of a question is what a gold demands."""
    folder = tmp_path_factory.mktemp("bar")
    with planted_store(folder) as store:
        names, truth = planted_stages(store, folder / "indexes").vocabulary, StoreTruth(store, BAR)

        def exact(question, **gold):
            intent = parse_query(question, names) if question else Query()
            return is_exact_match(Gold(**gold), query_view(intent, names), truth)

        yield exact


@pytest.mark.parametrize(
    ("question", "gold"),
    [
        ("gin and lime juice", {"include": ("lime juice", "gin")}),
        ("gin or rum", {"include_any": (("rum", "gin"),)}),
        ("something red without gin", {"colour": ("red",), "exclude": ("gin",)}),
        ("gin in a coupe", {"include": ("gin",), "glass": ("coupe glass",)}),
        ("like a Negroni, no alcohol", {"target": "Negroni", "alcohol": "non-alcoholic"}),
        ("", {}),
    ],
)
def test_a_reading_that_demands_the_same_is_exact(exact, question, gold):
    assert exact(question, **gold)


@pytest.mark.parametrize(
    ("question", "gold"),
    [
        ("gin and lime juice", {"include": ("gin",)}),
        ("gin", {"include": ("gin", "lime juice")}),
        ("gin or rum", {"include": ("gin", "rum")}),
        ("without gin", {"include": ("gin",)}),
        ("something red", {}),
        ("like a Negroni", {}),
        ("gin", {"include": ("gin",), "target": "Negroni"}),
        ("gin, no alcohol", {"include": ("gin",)}),
    ],
)
def test_a_reading_that_demands_more_or_less_or_otherwise_is_not(exact, question, gold):
    assert not exact(question, **gold)
