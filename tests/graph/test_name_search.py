"""Items by words of their names and of their attributes' names."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localrec.data.rows import AttributeLink, ItemRow
from localrec.graph.history_ingest import ingest_history
from localrec.graph.item_ingest import ingest_items
from localrec.graph.name_search import NameMatches, NameSearch
from localrec.graph.node_columns import users_hidden_from
from tests.graph.test_histories import history, rated
from tests.planted import BAR, a_report, planted_store


@pytest.fixture(scope="module")
def read_bar(tmp_path_factory):
    """The planted bar; only for reading."""
    with planted_store(tmp_path_factory.mktemp("bar")) as store:
        yield store


@pytest.fixture(scope="module")
def search(read_bar):
    return NameSearch(read_bar, BAR)


def names_of(store, found):
    """Names of what was found, the best fit first."""
    names = dict(store.rows("SELECT node_id, name FROM node"))
    return [names[one] for one in found.foremost(1000).node_ids.tolist()]


def find(store, *words, without=()):
    return names_of(store, NameSearch(store, BAR, without).find(store, words))


def drink(name, *ingredients):
    links = tuple(AttributeLink(kind="ingredient", name=one) for one in ingredients)
    return ItemRow(key=name.casefold(), name=name, links=links)


def take_in(store, *drinks):
    ingest_items(store, BAR, list(drinks), a_report())


class TestFinding:
    def test_takes_parts_of_names_and_of_attributes(self, read_bar):
        assert "Negroni" in find(read_bar, "EGRO")
        assert "Negroni" in find(read_bar, "campa")

    def test_wants_every_word(self, read_bar):
        both = set(find(read_bar, "gin", "campari"))
        assert "Negroni" in both
        assert both < set(find(read_bar, "gin"))

    def test_asks_for_no_accents(self, bar):
        take_in(bar, drink("Café Noir", "crème"))
        assert find(bar, "cafe", "creme") == find(bar, "CAFÉ") == ["Café Noir"]

    def test_takes_one_mark_for_another(self, bar):
        take_in(bar, drink("Bee’s Joy"))
        assert find(bar, "bee's") == ["Bee’s Joy"]

    def test_finds_what_the_store_would(self, read_bar, search):
        for word in ("a", "gin", "in", "e j", "ju"):
            by_sql = read_bar.rows(
                "SELECT node_id FROM node n WHERE kind = 'cocktail' AND (contains(lower(name), $w) "
                "OR node_id IN (SELECT source_id FROM edge JOIN node t ON t.node_id = target_id "
                "WHERE contains(lower(t.name), $w))) ORDER BY lower(name), node_id",
                {"w": word},
            )
            assert search.find(read_bar, [word]).node_ids.tolist() == [row[0] for row in by_sql]

    @settings(deadline=None)
    @given(words=st.lists(st.text(max_size=8), max_size=3))
    def test_takes_any_words(self, read_bar, search, words):
        found = search.find(read_bar, words)
        assert len(set(found.node_ids.tolist())) == len(found) == len(found.fits)

    def test_in_nothing_finds_nothing(self, bar):
        bar.execute("DELETE FROM edge")
        bar.execute("DELETE FROM node")
        assert find(bar, "gin") == []

    def test_leaves_out_what_others_say(self, bar):
        said = AttributeLink(kind="category", name="Secret Wedding", personal=True)
        row = ItemRow(key="negroni", name="Negroni", links=(said,))
        ingest_history(bar, BAR, history([rated("negroni", 4.0, "ana")], [row]), by="ana")
        assert find(bar, "wedding") == ["Negroni"]
        hidden = users_hidden_from(bar, "bob")
        assert hidden == {"ana"}
        assert find(bar, "wedding", without=hidden) == []


class TestOrder:
    def test_puts_whole_words_before_beginnings_and_those_before_parts(self, bar):
        take_in(bar, drink("A", "subzorg"), drink("B", "zorgetta"), drink("C", "old zorg, aged"))
        assert find(bar, "zorg") == ["C", "B", "A"]

    def test_puts_an_items_own_name_before_its_attributes(self, bar):
        take_in(bar, drink("A", "zorg"), drink("Old Zorg"), drink("B", "zorgetta"))
        take_in(bar, drink("Zorgish"))
        assert find(bar, "zorg") == ["Old Zorg", "A", "Zorgish", "B"]

    def test_weighs_a_whole_word_more_than_where_words_stand(self, bar):
        take_in(bar, drink("Zorg Blorpette"), drink("Plain", "zorg", "blorp"))
        assert find(bar, "zorg", "blorp") == ["Plain", "Zorg Blorpette"]

    def test_goes_by_the_best_place_of_a_word(self, bar):
        take_in(bar, drink("Zorgish Zorg", "subzorg"), drink("Zorg", "zorgetta"))
        assert NameSearch(bar, BAR).find(bar, ["zorg"]).fits.tolist() == [0, 0]

    def test_is_that_of_names_among_equals(self):
        found = NameMatches(np.array([7, 5, 9, 1]), np.array([1, 0, 1, 0], dtype=np.int16))
        assert found.foremost(3).node_ids.tolist() == [5, 1, 7]
        assert found.foremost(3, descending=True).node_ids.tolist() == [1, 5, 9]
