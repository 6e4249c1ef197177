"""A domain's reference and a request's desk, from a store and from items numbered otherwise."""

from __future__ import annotations

import numpy as np
import pytest

from localrec.agent.context import build_domain_knowledge, build_tool_context
from localrec.agent.prompts import quoted, request_text
from localrec.agent.tools import TOOLS
from localrec.data.item_features import ItemFeatures
from localrec.graph.catalogue import Catalogue
from localrec.memory.loader import load_collaborative_memory
from tests.planted import BAR, planted_store

from .suite.world import everything_said


@pytest.fixture(scope="module")
def bar(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bar")
    with planted_store(folder) as store:
        catalogue = Catalogue(store, BAR)
        yield catalogue, load_collaborative_memory(store, folder / "indexes", catalogue, None)


@pytest.fixture(scope="module")
def reference(bar):
    return build_domain_knowledge(*bar)


def item(bar, key):
    return bar[0].item_index(key)


class TestReference:
    def test_holds_titles_attributes_and_texts_of_the_catalogue(self, bar, reference):
        negroni = item(bar, "negroni")
        assert reference.titles[negroni] == "Negroni"
        assert reference.descriptions(negroni) == "Negroni, made with gin, campari, sweet vermouth."
        assert len(reference.years) == len(bar[0])
        assert not reference.years.any()  # drinks have none

    def test_follows_items_that_are_numbered_otherwise(self, bar):
        catalogue, collaborative_memory = bar
        places = np.array([item(bar, "mojito"), item(bar, "negroni")], dtype=np.int32)
        reference = build_domain_knowledge(catalogue, collaborative_memory, places=places)
        assert list(reference.titles) == ["Mojito", "Negroni"]
        assert reference.descriptions(1).startswith("Negroni")
        assert "campari" not in reference.path(0, 1)

    def test_leads_from_item_to_item_by_the_rarest_they_share(self, bar, reference):
        path = reference.path(item(bar, "negroni"), item(bar, "boulevardier"))
        assert path == "each has campari, each has Aperitif, each has sweet vermouth"

    def test_leads_through_the_narrowest_family_where_nothing_is_shared(self, bar, reference):
        path = reference.path(item(bar, "peat-bog"), item(bar, "whiskey-sour"))
        assert path == "laphroaig of the one and bourbon of the other belong to whiskey"

    def test_leads_nowhere_where_nothing_joins(self, bar, reference):
        assert reference.path(item(bar, "nutty"), item(bar, "gin-and-tonic")) == ""


class TestDesk:
    def test_counts_the_newest_of_what_comes_twice(self, reference):
        tool_context = build_tool_context(
            reference, [4, 2, 4, 1], [3], stars=[1.0, 2.0, 5.0, np.nan], days=[1.0, 2.0, 3.0, 4.0]
        )
        assert tool_context.history.tolist() == [2, 4, 1]
        assert tool_context.stars.tolist()[:2] == [2.0, 5.0]
        assert tool_context.days.tolist() == [2.0, 3.0, 4.0]

    def test_knows_neither_stars_nor_days_where_none_are_given(self, reference):
        tool_context = build_tool_context(reference, [1, 2], [3])
        assert np.isnan(tool_context.stars).all()
        assert np.isnan(tool_context.days).all()
        assert np.isnan(tool_context.now)

    @pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
    def test_of_a_domain_without_people_years_and_texts_serves_every_tool(self, reference, tool):
        for history in ([], [0, 1, 2]):
            tool_context = build_tool_context(reference, history, [3, 4, 5])
            assert all(
                said.text for said in everything_said(tool, tool_context, ["Negroni", "no such"])
            )


def test_traits_are_those_of_the_collective(bar, reference):
    assert isinstance(reference.item_features, ItemFeatures)
    assert reference.item_features is bar[1].graph.item_features


def test_what_is_disliked_is_told_as_that_and_pulls_nothing_towards_it(reference):
    liked = build_tool_context(reference, [1, 2], [3, 4, 5])
    torn = build_tool_context(reference, [1, 2], [3, 4, 5], strengths=[1.0, -1.0])
    assert liked.strengths.tolist() == [1.0, 1.0]
    assert ", disliked" not in request_text(liked, 2, 9)
    assert f"{quoted(reference.titles[2])}, disliked" in request_text(torn, 2, 9)
