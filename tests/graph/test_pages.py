"""Pages of the catalogue, and steps through the graph, as somebody browses them."""

from __future__ import annotations

import pytest

from localrec.data.rows import ItemRow
from localrec.foundation.errors import UsageError
from localrec.graph.item_ingest import ingest_items
from localrec.graph.name_search import NameSearch
from localrec.graph.neighbours import find_node, neighbour_edges
from localrec.graph.pagination import (
    AS_IMPORTED,
    ItemSelection,
    first_page,
    main_kinds,
    next_page,
    page_rows,
    sort_orders,
)
from localrec.graph.shelf_store import search_components
from tests.planted import BAR, a_report, planted_store


@pytest.fixture(scope="module")
def read_bar(tmp_path_factory):
    """The planted bar; only for reading."""
    with planted_store(tmp_path_factory.mktemp("bar")) as store:
        yield store


def names(rows):
    return [row.name for row in rows]


def all_names(store, selection):
    return names(next_page(store, BAR, selection, 1000))


def typed(store, *words, **more):
    """The selection of what a search finds."""
    return ItemSelection(found=NameSearch(store, BAR).find(store, words), **more)


def forwards(store, selection, limit):
    """Every name, page by page from the first."""
    found, rows = [], next_page(store, BAR, selection, limit)
    while rows:
        found += names(rows)
        rows = next_page(store, BAR, selection, limit, behind=rows[-1].place)
    return found


def backwards(store, selection, limit):
    """Every name, page by page from the last."""
    found, rows = [], next_page(store, BAR, selection, limit, last=True)
    while rows:
        found = names(rows) + found
        rows = next_page(store, BAR, selection, limit, before=rows[0].place)
    return found


class TestPages:
    @pytest.mark.parametrize("order", sort_orders(BAR))
    @pytest.mark.parametrize("descending", [False, True])
    @pytest.mark.parametrize("limit", [1, 3, 100])
    def test_together_are_the_whole_in_either_direction(self, read_bar, order, descending, limit):
        selection = ItemSelection(order=order, descending=descending)
        whole = all_names(read_bar, selection)
        assert len(set(whole)) == first_page(read_bar, BAR, ItemSelection(), 3)[1]
        assert forwards(read_bar, selection, limit) == whole
        assert backwards(read_bar, selection, limit) == whole

    def test_are_in_the_order_of_names_whatever_their_case(self, bar):
        ingest_items(
            bar, BAR, [ItemRow(key="a", name="aB"), ItemRow(key="b", name="Aa")], a_report()
        )
        assert all_names(bar, ItemSelection())[:2] == ["Aa", "aB"]

    def test_part_items_of_one_name(self, bar):
        twins = [ItemRow(key=f"twin-{n}", name="A twin") for n in range(5)]
        ingest_items(bar, BAR, twins, a_report())
        found = forwards(bar, typed(bar, "twin"), 2)
        assert found == ["A twin"] * 5

    def test_tell_the_attributes_that_say_most(self, read_bar):
        assert main_kinds(BAR) == ("ingredient", "glass", "category")
        [row] = next_page(read_bar, BAR, typed(read_bar, "negroni"), 5)
        assert {name.casefold() for name in row.attributes["ingredient"]} >= {"gin", "campari"}

    def test_of_chosen_items_keep_their_order(self, read_bar):
        rows = next_page(read_bar, BAR, ItemSelection(order=AS_IMPORTED), 3)
        wanted = [row.place.node_id for row in rows[::-1]]
        assert names(page_rows(read_bar, BAR, [*wanted, 999_999])) == names(rows[::-1])


class TestPagesOfASearch:
    @pytest.mark.parametrize("order", sort_orders(BAR))
    @pytest.mark.parametrize("descending", [False, True])
    @pytest.mark.parametrize("limit", [1, 3, 100])
    def test_together_are_the_whole_in_either_direction(self, read_bar, order, descending, limit):
        selection = typed(read_bar, "gin", order=order, descending=descending)
        whole = all_names(read_bar, selection)
        first, total = first_page(read_bar, BAR, selection, limit)
        assert names(first) == whole[:limit]
        assert total == len(whole) == len(set(whole))
        assert forwards(read_bar, selection, limit) == whole
        assert backwards(read_bar, selection, limit) == whole

    @pytest.mark.parametrize("descending", [False, True])
    def test_begin_with_what_fits_best(self, bar, descending):
        rows = [
            ItemRow(key=name.casefold(), name=name)
            for name in ("Old Gin", "Ginger", "Virgin", "Aged Gin", "Gingko")
        ]
        ingest_items(bar, BAR, rows, a_report())
        mine = {row.name for row in rows}
        found = all_names(bar, typed(bar, "gin", descending=descending))
        whole, begun, within = ["Aged Gin", "Old Gin"], ["Ginger", "Gingko"], ["Virgin"]
        parts = (part[::-1] if descending else part for part in (whole, begun, within))
        assert [name for name in found if name in mine] == [name for part in parts for name in part]

    def test_keep_to_an_attribute(self, read_bar):
        campari = find_node(read_bar, BAR, "ingredient", "campari")
        selection = typed(read_bar, "gin", having=campari.node_id)
        rows, total = first_page(read_bar, BAR, selection, 1000)
        with_both = set(all_names(read_bar, typed(read_bar, "gin", "campari")))
        assert set(names(rows)) == with_both
        assert total == len(with_both)

    def test_of_what_nobody_has_is_empty(self, read_bar):
        assert first_page(read_bar, BAR, typed(read_bar, "zorg"), 5) == ((), 0)


class TestSteps:
    def test_lead_from_an_item_to_its_attributes(self, read_bar):
        steps = neighbour_edges(read_bar, BAR, find_node(read_bar, BAR, "cocktail", "negroni"))
        assert ("HAS_INGREDIENT", "gin") in {(one.relation, one.node.key) for one in steps}

    def test_lead_up_and_down_the_families(self, read_bar):
        steps = neighbour_edges(read_bar, BAR, find_node(read_bar, BAR, "ingredient", "whiskey"))
        ways = {(one.relation, one.node.key, one.against) for one in steps}
        assert ("IS_A", "spirit", False) in ways
        assert ("IS_A", "bourbon", True) in ways

    def test_lead_from_an_attribute_to_what_has_it(self, read_bar):
        gin = find_node(read_bar, BAR, "ingredient", "gin")
        found = all_names(read_bar, ItemSelection(having=gin.node_id))
        assert "Negroni" in found
        assert first_page(read_bar, BAR, ItemSelection(having=gin.node_id), 3)[1] == len(found)

    def test_to_nowhere_are_refused(self, read_bar):
        with pytest.raises(UsageError, match="There is no ingredient 'zorg' any more"):
            find_node(read_bar, BAR, "ingredient", "zorg")


def test_names_for_a_shelf_begin_as_typed_first(read_bar):
    found = search_components(read_bar, BAR, "GIN", 10)
    assert found[0].casefold() == "gin"
    assert "ginger ale" in {name.casefold() for name in found}
