"""The snapshot that questions are answered from says what the store says."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localrec.data.rows import AttributeLink, ItemRow
from localrec.graph.catalogue import Catalogue
from localrec.graph.item_ingest import ingest_items
from localrec.graph.store import Store
from tests.planted import BAR, a_report, planted_rows, planted_store

INGREDIENTS_OF = {
    row.key: [link.name.lower() for link in row.links if link.kind == "ingredient"]
    for row in planted_rows()
}


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory):
    with planted_store(tmp_path_factory.mktemp("bar")) as store:
        yield Catalogue(store, BAR)


def index_of(catalogue, name, kind="ingredient"):
    index = catalogue.attribute_index(kind, name)
    assert index is not None
    return index


def keys(catalogue, mask):
    return {key for key, holds in zip(catalogue.keys, mask, strict=True) if holds}


def names(catalogue, attributes):
    return {catalogue.attributes[int(index)].key for index in attributes}


def with_any_below(catalogue, name, *, barring=False):
    below = catalogue.below(index_of(catalogue, name), barring)
    return keys(catalogue, catalogue.items_with(below))


class TestItems:
    def test_are_all_there_in_the_order_of_their_nodes(self, catalogue):
        assert len(catalogue) == 17
        assert set(catalogue.keys) == {row.key for row in planted_rows()}
        assert (np.diff(catalogue.node_ids) > 0).all()

    def test_are_found_by_key(self, catalogue):
        assert catalogue.names[catalogue.item_index("gin-and-tonic")] == "Gin and Tonic"
        assert catalogue.item_index("no such drink") is None

    def test_know_their_numbers_and_flags(self, catalogue):
        negroni = catalogue.item_index("negroni")
        assert catalogue.numbers["strength"][negroni] == 26.0
        assert catalogue.numbers["ingredient_count"][negroni] == 3.0
        assert catalogue.flags["alcoholic"][negroni] == "alcoholic"

    def test_are_found_by_their_node_ids_and_strangers_left_out(self, catalogue):
        wanted = np.array([catalogue.node_ids[5], 10**9, catalogue.node_ids[0], -1])
        assert catalogue.indexes_of(wanted).tolist() == [5, 0]
        attribute = np.array([catalogue.attributes[0].node_id])
        assert catalogue.indexes_of(attribute).tolist() == []

    def test_that_do_not_state_a_number_or_flag_are_told_apart_from_zero(self, tmp_path):
        rows = [
            ItemRow(key="bare", name="Bare"),
            ItemRow(key="odd", name="Odd", properties={"strength": "strong", "alcoholic": None}),
            ItemRow(key="zero", name="Zero", properties={"strength": 0.0}),
        ]
        with Store.open_(tmp_path / "store.duckdb") as store:
            ingest_items(store, BAR, rows, a_report(3))
            catalogue = Catalogue(store, BAR)
        strength = dict(zip(catalogue.keys, catalogue.numbers["strength"].tolist(), strict=True))
        assert strength["zero"] == 0.0
        assert np.isnan([strength["bare"], strength["odd"]]).all()
        assert [catalogue.flags["alcoholic"][item] for item in range(3)] == ["", "", ""]


class TestNames:
    @pytest.fixture
    def doubled(self, tmp_path):
        rows = [
            ItemRow(key=key, name=name)
            for key, name in (
                ("margarita", "Margarita"),
                ("margarita-2", "MARGARITAS"),
                ("frozen", "Frozen Margarita"),
                ("rita", "Rita"),
            )
        ]
        with Store.open_(tmp_path / "store.duckdb") as store:
            ingest_items(store, BAR, rows, a_report(4))
            yield Catalogue(store, BAR)

    def named(self, doubled, key, *, exactly):
        return {doubled.keys[item] for item in doubled.items_named(key, exactly=exactly)}

    def test_that_two_items_share_mean_both(self, doubled):
        assert self.named(doubled, "margarita", exactly=True) == {"margarita", "margarita-2"}
        assert self.named(doubled, "margarita-2", exactly=True) == {"margarita", "margarita-2"}

    def test_may_be_asked_for_inside_longer_names(self, doubled):
        everyone = {"margarita", "margarita-2", "frozen"}
        assert self.named(doubled, "margarita", exactly=False) == everyone
        assert self.named(doubled, "rita", exactly=False) == {"rita"}

    def test_of_nobody_mean_nobody(self, doubled):
        assert doubled.items_named("negroni", exactly=False) == []


class TestFamilies:
    def test_hold_everything_below_them(self, catalogue):
        assert with_any_below(catalogue, "whiskey") == {"boulevardier", "peat-bog", "whiskey-sour"}
        assert with_any_below(catalogue, "smoky") == {"smoke-signal", "peat-bog"}
        assert with_any_below(catalogue, "lime juice") < with_any_below(catalogue, "citrus")

    def test_hold_flavours_only_when_they_are_barred(self, catalogue):
        assert with_any_below(catalogue, "nut") == {"nutty"}
        assert with_any_below(catalogue, "nut", barring=True) == {"nutty", "filbert"}

    def test_are_climbed_to_the_top(self, catalogue):
        laphroaig = index_of(catalogue, "laphroaig")
        assert names(catalogue, catalogue.parents([laphroaig])) == {"islay scotch"}
        above = {"islay scotch", "whiskey", "smoky", "spirit"}
        assert names(catalogue, catalogue.ancestors([laphroaig])) == above
        assert catalogue.ancestors([]) == set()

    def test_of_an_item_are_those_above_its_components(self, catalogue):
        families = catalogue.families_of(catalogue.item_index("white-russian"))
        assert names(catalogue, families) == {"spirit", "coffee liqueur", "dairy"}

    def test_overlap_among_many_items_as_they_do_between_two(self, catalogue):
        items = np.arange(len(catalogue), dtype=np.int32)
        own = [catalogue.families_of(item) for item in items.tolist()]
        for item in items.tolist():
            pairs = [(own[item] & other, own[item] | other) for other in own]
            wanted = [len(both) / max(1, len(either)) for both, either in pairs]
            found = catalogue.item_families.overlap(item, items)
            assert found == pytest.approx(wanted, rel=1e-6)

    def test_that_run_in_a_circle_come_to_an_end(self, tmp_path):
        with planted_store(tmp_path) as store:
            store.execute(
                "INSERT INTO edge SELECT a.node_id, b.node_id, 'IS_A', 1.0, NULL, NULL "
                "FROM node a, node b WHERE a.key = 'spirit' AND b.key = 'bourbon'"
            )
            round_ = Catalogue(store, BAR)
        bourbon = round_.below(index_of(round_, "bourbon"))
        assert index_of(round_, "gin") in bourbon
        assert index_of(round_, "bourbon") in round_.ancestors([index_of(round_, "bourbon")])


class TestLinks:
    def test_of_an_item_are_its_components_in_order(self, catalogue):
        item = catalogue.item_index("mojito")
        found = [catalogue.attributes[i].key for i in catalogue.components_of(item)]
        assert found == ["white rum", "lime juice", "mint", "sugar"]

    def test_of_an_item_hold_its_other_attributes_too(self, catalogue):
        item = catalogue.item_index("blue-sky")
        kinds = {catalogue.attributes[i].kind for i in catalogue.attributes_of(item)}
        assert kinds == {"ingredient", "glass", "category", "colour"}

    def test_are_counted_per_item(self, catalogue):
        counts = dict(zip(catalogue.keys, catalogue.component_counts.tolist(), strict=True))
        assert counts == {key: len(names) for key, names in INGREDIENTS_OF.items()}

    def test_come_with_the_catalogue_s_own_spelling_and_measure(self, catalogue):
        americano, russian = map(catalogue.item_index, ("americano", "white-russian"))
        details = catalogue.details([russian, americano])
        told = {(one.as_written, one.value, one.relation) for one in details[americano]}
        assert ("club soda", "30 ml", "HAS_INGREDIENT") in told
        assert ("Highball", None, "HAS_GLASSTYPE") in told
        assert "Kahlua" in {one.as_written for one in details[russian]}

    def test_of_no_items_cost_no_query(self, catalogue):
        assert catalogue.details([]) == {}

    @given(st.data())
    def test_that_items_share_are_counted_as_by_hand(self, catalogue, data):
        used = sorted({int(i) for item in range(17) for i in catalogue.components_of(item)})
        wanted = data.draw(st.lists(st.sampled_from(used), max_size=6))
        same = catalogue.identity
        things = {int(same[one]) for one in wanted}
        expected = [
            len([i for i in catalogue.components_of(item) if int(same[i]) in things])
            for item in range(17)
        ]
        assert catalogue.shared_components(wanted).tolist() == expected

    @given(st.sets(st.integers(0, 16)))
    def test_that_many_items_have_are_counted_as_by_hand(self, catalogue, items):
        use = catalogue.component_use(np.array(sorted(items), dtype=np.int32))
        lime = sum("lime juice" in INGREDIENTS_OF[catalogue.keys[item]] for item in items)
        assert use[index_of(catalogue, "lime juice")] == lime
        assert use.sum() == sum(len(INGREDIENTS_OF[catalogue.keys[item]]) for item in items)

    @given(st.sets(st.sampled_from(["gin", "vodka", "rum", "citrus", "dairy", "mint"])))
    def test_of_several_attributes_are_united(self, catalogue, wanted):
        below = {i for name in wanted for i in catalogue.below(index_of(catalogue, name))}
        expected = set().union(*(with_any_below(catalogue, name) for name in wanted))
        assert keys(catalogue, catalogue.items_with(tuple(sorted(below)))) == expected


class TestSpecialCases:
    def test_an_empty_catalogue_answers_everything_with_nothing(self, tmp_path):
        with Store.open_(tmp_path / "store.duckdb") as store:
            ingest_items(store, BAR, [], a_report(0))
            empty = Catalogue(store, BAR)
            gin = index_of(empty, "gin")
            assert len(empty) == 0
            assert empty.items_with(empty.below(gin)).tolist() == []
            assert empty.shared_components([gin]).tolist() == []
            assert empty.indexes_of(np.array([1, 2])).tolist() == []
            assert empty.component_use(np.zeros(0, dtype=np.int32)).sum() == 0
            assert empty.every().tolist() == empty.none().tolist() == []

    def test_a_store_without_this_domain_is_an_empty_catalogue(self, path):
        with Store.open_(path) as store:
            assert len(Catalogue(store, BAR)) == 0

    def test_an_item_without_links_is_an_item(self, tmp_path):
        rows = [*planted_rows(), ItemRow(key="air", name="Air")]
        with Store.open_(tmp_path / "store.duckdb") as store:
            ingest_items(store, BAR, rows, a_report(18))
            catalogue = Catalogue(store, BAR)
            air = catalogue.item_index("air")
            assert catalogue.components_of(air).tolist() == []
            assert catalogue.details([air]) == {air: []}
            assert catalogue.families_of(air) == frozenset()

    @settings(max_examples=10, deadline=None)
    @given(st.permutations(planted_rows()))
    def test_the_order_of_rows_changes_no_answer(self, tmp_path_factory, catalogue, rows):
        with Store.open_(tmp_path_factory.mktemp("bar") / "store.duckdb") as store:
            ingest_items(store, BAR, rows, a_report())
            other = Catalogue(store, BAR)
            for family in ("whiskey", "citrus", "dairy"):
                assert with_any_below(other, family) == with_any_below(catalogue, family)

    def test_a_brand_is_told_from_what_it_is_a_brand_of(self, catalogue):
        kahlua, liqueur = index_of(catalogue, "kahlua"), index_of(catalogue, "coffee liqueur")
        assert kahlua != liqueur
        assert catalogue.identity[kahlua] == catalogue.identity[liqueur] == liqueur

    def test_a_link_may_come_from_a_text(self, tmp_path):
        link = AttributeLink(kind="ingredient", name="gin")
        row = ItemRow(
            key="a", name="A", properties={"image_description": "A crimson drink."}, links=(link,)
        )
        with Store.open_(tmp_path / "store.duckdb") as store:
            ingest_items(store, BAR, [row], a_report(1))
            catalogue = Catalogue(store, BAR)
            red = catalogue.below(index_of(catalogue, "red", "colour"))
            assert catalogue.items_with(red).tolist() == [True]
            (colour,) = [one for one in catalogue.details([0])[0] if one.relation == "HAS_COLOUR"]
            assert colour.as_written == "crimson"
