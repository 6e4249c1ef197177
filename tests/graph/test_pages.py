"""Pages of the catalogue, and steps through the graph, as somebody browses them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localrec.errors import UsageError
from localrec.graph.histories import ingest_history
from localrec.graph.ingest import ingest_items
from localrec.graph.node_columns import hidden_from
from localrec.graph.pages import (
    AS_IMPORTED,
    Selection,
    first_page,
    main_kinds,
    orders_of,
    page_of,
    rows_of,
)
from localrec.graph.shelves import components_like
from localrec.graph.steps import node_called, steps_from
from localrec.types import AttributeLink, ItemRow
from tests.graph.test_histories import history, rated
from tests.planted import BAR, a_report, planted_store


@pytest.fixture(scope="module")
def read_bar(tmp_path_factory):
    """The planted bar; only for reading."""
    with planted_store(tmp_path_factory.mktemp("bar")) as store:
        yield store


def names(rows):
    return [row.name for row in rows]


def all_names(store, selection):
    return names(page_of(store, BAR, selection, 1000))


def forwards(store, selection, limit):
    """Every name, page by page from the first."""
    found, rows = [], page_of(store, BAR, selection, limit)
    while rows:
        found += names(rows)
        rows = page_of(store, BAR, selection, limit, behind=rows[-1].place)
    return found


def backwards(store, selection, limit):
    """Every name, page by page from the last."""
    found, rows = [], page_of(store, BAR, selection, limit, last=True)
    while rows:
        found = names(rows) + found
        rows = page_of(store, BAR, selection, limit, before=rows[0].place)
    return found


class TestPages:
    @pytest.mark.parametrize("order", orders_of(BAR))
    @pytest.mark.parametrize("descending", [False, True])
    @pytest.mark.parametrize("limit", [1, 3, 100])
    def test_together_are_the_whole_in_either_direction(self, read_bar, order, descending, limit):
        selection = Selection(order=order, descending=descending)
        whole = all_names(read_bar, selection)
        assert len(set(whole)) == first_page(read_bar, BAR, Selection(), 3)[1]
        assert forwards(read_bar, selection, limit) == whole
        assert backwards(read_bar, selection, limit) == whole

    def test_are_in_the_order_of_names_whatever_their_case(self, bar):
        ingest_items(
            bar, BAR, [ItemRow(key="a", name="aB"), ItemRow(key="b", name="Aa")], a_report()
        )
        assert all_names(bar, Selection())[:2] == ["Aa", "aB"]

    def test_part_items_of_one_name(self, bar):
        twins = [ItemRow(key=f"twin-{n}", name="A twin") for n in range(5)]
        ingest_items(bar, BAR, twins, a_report())
        found = forwards(bar, Selection(words=("twin",)), 2)
        assert found == ["A twin"] * 5

    def test_tell_the_attributes_that_say_most(self, read_bar):
        assert main_kinds(BAR) == ("ingredient", "glass", "category")
        [row] = page_of(read_bar, BAR, Selection(words=("negroni",)), 5)
        assert {name.casefold() for name in row.attributes["ingredient"]} >= {"gin", "campari"}

    def test_of_chosen_items_keep_their_order(self, read_bar):
        rows = page_of(read_bar, BAR, Selection(order=AS_IMPORTED), 3)
        wanted = [row.place.node_id for row in rows[::-1]]
        assert names(rows_of(read_bar, BAR, [*wanted, 999_999])) == names(rows[::-1])


class TestSearch:
    def test_finds_parts_of_names_and_of_attributes(self, read_bar):
        assert "Negroni" in all_names(read_bar, Selection(words=("EGRO",)))
        assert "Negroni" in all_names(read_bar, Selection(words=("campa",)))

    def test_wants_every_word(self, read_bar):
        both = set(all_names(read_bar, Selection(words=("gin", "campari"))))
        assert "Negroni" in both
        assert both < set(all_names(read_bar, Selection(words=("gin",))))

    def test_does_not_ask_for_accents(self, bar):
        ingest_items(bar, BAR, [ItemRow(key="cafe", name="Café Noir")], a_report())
        assert all_names(bar, Selection(words=("cafe",))) == ["Café Noir"]
        assert all_names(bar, Selection(words=("CAFÉ",))) == ["Café Noir"]

    @settings(deadline=None)
    @given(words=st.lists(st.text(max_size=8), max_size=3).map(tuple))
    def test_takes_any_words(self, read_bar, words):
        found = page_of(read_bar, BAR, Selection(words=words), 1000)
        assert len(found) == first_page(read_bar, BAR, Selection(words=words), 3)[1]

    def test_leaves_out_what_others_say(self, bar):
        said = AttributeLink(kind="category", name="Secret Wedding", personal=True)
        row = ItemRow(key="negroni", name="Negroni", links=(said,))
        ingest_history(bar, BAR, history([rated("negroni", 4.0, "ana")], [row]), by="ana")
        words = Selection(words=("wedding",))
        assert all_names(bar, words) == ["Negroni"]
        hidden = hidden_from(bar, "bob")
        assert hidden == {"ana"}
        assert all_names(bar, Selection(words=("wedding",), without=hidden)) == []


class TestSteps:
    def test_lead_from_an_item_to_its_attributes(self, read_bar):
        steps = steps_from(read_bar, BAR, node_called(read_bar, BAR, "cocktail", "negroni"))
        assert ("HAS_INGREDIENT", "gin") in {(one.relation, one.node.key) for one in steps}

    def test_lead_up_and_down_the_families(self, read_bar):
        steps = steps_from(read_bar, BAR, node_called(read_bar, BAR, "ingredient", "whiskey"))
        ways = {(one.relation, one.node.key, one.against) for one in steps}
        assert ("IS_A", "spirit", False) in ways
        assert ("IS_A", "bourbon", True) in ways

    def test_lead_from_an_attribute_to_what_has_it(self, read_bar):
        gin = node_called(read_bar, BAR, "ingredient", "gin")
        found = all_names(read_bar, Selection(having=gin.node_id))
        assert "Negroni" in found
        assert first_page(read_bar, BAR, Selection(having=gin.node_id), 3)[1] == len(found)

    def test_to_nowhere_are_refused(self, read_bar):
        with pytest.raises(UsageError, match="There is no ingredient 'zorg' any more"):
            node_called(read_bar, BAR, "ingredient", "zorg")


def test_names_for_a_shelf_begin_as_typed_first(read_bar):
    found = components_like(read_bar, BAR, "GIN", 10)
    assert found[0].casefold() == "gin"
    assert "ginger ale" in {name.casefold() for name in found}
