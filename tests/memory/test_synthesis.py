"""Facets say what neighbours have in common, and who of them supports it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.data.item_features import ItemFeatures
from localrec.foundation.errors import ModelError
from localrec.graph.catalogue import Attribute
from localrec.graph.domain_files import load_domain
from localrec.llm.scripted import ScriptedModel
from localrec.memory.synthesis import (
    MOST_FACETS,
    Supporter,
    ask_facets,
    count_facets,
    domain_shares,
    edges_of,
    parse_facets,
    phrases_of,
)

MOVIES = load_domain("movies")
HORROR, DRAMA, RARE = 0, 1, 2
NAMES = ["films that are Horror", "films that are Drama", "films that are Rare"]
# Items 0-3 are horror, 4-9 drama; item 9 is the only one with the rare attribute.
TRAITS = ItemFeatures(
    item=np.array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9], dtype=np.int32),
    attribute=np.array([0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2], dtype=np.int32),
    items=10,
    attributes=3,
)
USUAL = domain_shares(TRAITS, np.full(10, 7, dtype=np.int32))


def some(*items, weight=1.0):
    return Supporter(np.array(items, dtype=np.int32), weight)


def test_the_share_of_a_domain_is_counted_over_likings():
    assert USUAL.tolist() == pytest.approx([0.4, 0.6, 0.1])


def test_what_rises_among_neighbours_is_a_facet_with_its_supporters():
    found = count_facets([some(0), some(4), some(1), some(2, 3)], TRAITS, USUAL, NAMES)
    assert [facet.text for facet in found.facets] == ["films that are Horror"]
    assert found.facets[0].supporters == (1, 3, 4)
    assert found.facets[0].confidence == pytest.approx(0.75)
    assert found.answered_by == "measured"


def test_what_everybody_likes_anyway_is_no_facet():
    usual = [some(0, 4, 5, 6, 1)] * 5
    assert DRAMA not in {one.attribute for one in count_facets(usual, TRAITS, USUAL, NAMES).facets}


def test_a_single_neighbour_makes_no_facet():
    found = count_facets([some(9), some(4), some(5)], TRAITS, USUAL, NAMES)
    assert RARE not in {facet.attribute for facet in found.facets}


def test_a_heavier_neighbour_makes_a_facet_surer():
    light = count_facets([some(0), some(1), some(4)], TRAITS, USUAL, NAMES)
    heavy = count_facets([some(0, weight=5.0), some(1), some(4)], TRAITS, USUAL, NAMES)
    assert heavy.facets[0].confidence > light.facets[0].confidence


def test_nobody_supports_nothing():
    assert count_facets([], TRAITS, USUAL, NAMES).facets == ()


def test_edges_are_the_weights_of_the_neighbours():
    edges = edges_of([some(0, weight=2.0), some(1, weight=4.0), some(2, weight=0.0)])
    assert [(edge.neighbour, edge.weight) for edge in edges] == [(1, 0.5), (2, 1.0), (3, 0.0)]


def test_an_attribute_is_said_of_several_items():
    genre = Attribute(node_id=1, kind="genre", key="drama", name="Drama")
    assert phrases_of([genre], MOVIES) == ["films that are Drama"]


neighbourhoods = st.lists(
    st.tuples(st.lists(st.integers(0, 9), min_size=1, max_size=5, unique=True), st.floats(0.1, 9)),
    max_size=12,
)


@given(neighbourhoods, st.integers(0, MOST_FACETS))
def test_facets_are_few_sure_between_0_and_1_and_supported_by_who_is_there(drawn, most):
    supporters = [some(*items, weight=weight) for items, weight in drawn]
    found = count_facets(supporters, TRAITS, USUAL, NAMES, most)
    assert len(found.facets) <= most
    for facet in found.facets:
        assert 0 < facet.confidence <= 1
        assert len(facet.supporters) >= 2
        assert set(facet.supporters) <= set(range(1, len(drawn) + 1))


class TestAModel:
    def ask(self, written, neighbours=3, **more):
        model = ScriptedModel([written])
        lines = [f"{number}. item" for number in range(1, neighbours + 1)]
        found = ask_facets(model, "Likes horror.", lines, [some(0)] * neighbours, MOVIES, **more)
        return model, found

    def test_writes_facets_that_are_read_as_the_same_record(self):
        model, found = self.ask("Dark stories | 0.4 | 1\nSlow horror films | 0.8 | 3, 1\n")
        assert [(one.text, one.confidence, one.supporters) for one in found.facets] == [
            ("Slow horror films", 0.8, (1, 3)),
            ("Dark stories", 0.4, (1,)),
        ]
        assert found.answered_by == "model"
        assert model.calls == 1

    def test_that_says_a_thing_twice_is_heard_once(self):
        _, found = self.ask("Dark stories | 0.4 | 1\ndark Stories | 0.8 | 2\n")
        assert len(found.facets) == 1

    def test_cannot_name_a_neighbour_that_is_not_there(self):
        with pytest.raises(ModelError, match="where a facet was asked for"):
            self.ask("Dark stories | 0.4 | 7\n")

    @pytest.mark.parametrize("written", ["", "Dark stories", "Dark | 1.0 | 1\n", "x | 0.4 | \n"])
    def test_that_writes_something_else_is_told(self, written):
        with pytest.raises(ModelError):
            self.ask(written)

    def test_is_not_asked_about_nobody(self):
        model, found = self.ask("never read", neighbours=0)
        assert found.facets == ()
        assert model.calls == 0

    def test_loses_only_the_line_that_was_cut_off(self):
        text = "Dark stories | 0.4 | 1\nSlow horr"
        assert len(parse_facets(text, 3, complete=False)) == 1
