"""What a shelf makes, on a bar whose every right answer is known, and on the bundled drinks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localrec.data.domains import Concept, Domain
from localrec.data.rows import AttributeLink, ItemRow
from localrec.graph.catalogue import Catalogue
from localrec.graph.domain_files import load_domain
from localrec.graph.item_ingest import ingest_items
from localrec.graph.store import Store
from localrec.retrieval.shelf import ShelfReport, shelf_attributes, shelf_report, survey_shelf
from tests.planted import BAR, a_report

HOME_BAR: Domain = msgspec.structs.replace(
    BAR,
    staples=("sugar",),
    taxonomy={
        "ingredient": {
            "spirit": Concept(),
            "whiskey": Concept(parents=("spirit",)),
            "american whiskey": Concept(parents=("whiskey",)),
            "bourbon": Concept(parents=("american whiskey",)),
            "rye whiskey": Concept(parents=("american whiskey",), also=("rye",)),
            "vodka": Concept(parents=("spirit",)),
            "vanilla": Concept(),
            "vanilla vodka": Concept(parents=("vodka", "vanilla")),
            "gin": Concept(parents=("spirit",)),
            "rum": Concept(parents=("spirit",)),
            "white rum": Concept(parents=("rum",)),
            "dark rum": Concept(parents=("rum",)),
            "wine": Concept(),
            "vermouth": Concept(parents=("wine",)),
            "sweet vermouth": Concept(parents=("vermouth",)),
            "dry vermouth": Concept(parents=("vermouth",)),
            "coffee": Concept(),
            "coffee liqueur": Concept(parents=("coffee",), also=("kahlua",)),
            "citrus": Concept(),
            "lime": Concept(parents=("citrus",)),
            "sour": Concept(),
            "syrup": Concept(),
            "lime juice": Concept(parents=("lime", "sour")),
            "lime cordial": Concept(parents=("lime", "syrup")),
            "campari": Concept(),
            "cola": Concept(),
            "sugar": Concept(),
        }
    },
)
DRINKS = {
    "Negroni": "gin, campari, sweet vermouth",
    "Gimlet": "gin, lime juice, sugar",
    "Cordial Gimlet": "gin, lime cordial",
    "Daiquiri": "white rum, lime juice, sugar",
    "Grog": "dark rum, lime juice, sugar",
    "Rum and Rum": "white rum, dark rum, lime juice",
    "Manhattan": "rye whiskey, sweet vermouth, campari",
    "Perfect Manhattan": "rye whiskey, sweet vermouth, dry vermouth",
    "Martini": "gin, dry vermouth",
    "Highball": "whiskey, cola",
    "Vodka Cola": "vodka, cola",
    "Black Russian": "vodka, kahlua",
    "Syrup": "sugar",
}


@pytest.fixture(scope="module")
def bar(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalogue]:
    rows = [
        ItemRow(
            key=name.lower(),
            name=name,
            links=tuple(
                AttributeLink(kind="ingredient", name=one, value="3 cl")
                for one in components.split(", ")
            ),
        )
        for name, components in DRINKS.items()
    ]
    rows.append(ItemRow(key="mystery", name="Mystery"))  # nothing is known of what is in it
    folder = tmp_path_factory.mktemp("bar")
    with Store.open_(folder / "store.duckdb") as store:
        ingest_items(store, HOME_BAR, rows, a_report(len(rows)))
        yield Catalogue(store, HOME_BAR)


def indexes(catalogue: Catalogue, names: str) -> list[int]:
    found = [catalogue.attribute_index("ingredient", name) for name in names.split(", ")]
    assert None not in found, names
    return [one for one in found if one is not None]


def look(catalogue: Catalogue, names: str) -> ShelfReport:
    return shelf_report(catalogue, survey_shelf(catalogue, indexes(catalogue, names)), k=100)


def makeable(catalogue: Catalogue, names: str) -> set[str]:
    return {item.name for item in look(catalogue, names).makeable}


def said(catalogue: Catalogue, names: str) -> dict[str, list[str]]:
    items = look(catalogue, names).with_substitutes
    return {item.name: [one.sentence for one in item.substitutions] for item in items}


def test_what_is_all_there_can_be_made(bar: Catalogue):
    assert makeable(bar, "gin, campari, sweet vermouth") == {"Negroni", "Syrup"}


def test_staples_are_never_missing(bar: Catalogue):
    assert "Gimlet" in makeable(bar, "gin, lime juice")


def test_an_item_without_known_components_is_never_makeable(bar: Catalogue):
    every = ", ".join(one.name for one in bar.attributes if one.kind == "ingredient")
    assert makeable(bar, every) == set(DRINKS)


def test_what_lacks_one_thing_names_it(bar: Catalogue):
    one_away = {item.name: item.missing for item in look(bar, "gin, campari, cola").one_away}
    assert one_away["Negroni"] == ("sweet vermouth",)
    assert one_away["Vodka Cola"] == ("vodka",)
    assert "Manhattan" not in one_away


def test_a_narrower_thing_meets_a_wider_need_and_the_way_up_is_shown(bar: Catalogue):
    (highball,) = (item for item in look(bar, "bourbon, cola").makeable if item.name == "Highball")
    assert [one.sentence for one in highball.taken_as] == ["bourbon as whiskey"]
    walks = [(edge.source, edge.target) for edge in highball.evidence if edge.relation == "IS_A"]
    assert walks == [("bourbon", "american whiskey"), ("american whiskey", "whiskey")]


def test_a_flavoured_variant_does_not_meet_the_plain_need(bar: Catalogue):
    report = look(bar, "vanilla vodka, cola")
    assert "Vodka Cola" not in {item.name for item in (*report.makeable, *report.with_substitutes)}


def test_a_brand_and_its_generic_are_one_thing(bar: Catalogue):
    assert "Black Russian" in makeable(bar, "vodka, coffee liqueur")
    assert "Black Russian" in makeable(bar, "vodka, kahlua")


def test_a_family_is_read_as_the_kind_that_bears_its_name(bar: Catalogue):
    report = look(bar, "rum, lime juice")
    taken = {item.name: [one.sentence for one in item.taken_as] for item in report.makeable}
    assert taken["Daiquiri"] == ["rum as white rum"]


def test_a_whole_thing_gives_what_is_chiefly_made_of_it(bar: Catalogue):
    found = makeable(bar, "gin, lime")
    assert "Gimlet" in found
    assert "Cordial Gimlet" not in found


def test_what_is_there_by_name_comes_before_what_is_read_into_a_family(bar: Catalogue):
    names = [item.name for item in look(bar, "gin, lime juice, rum").makeable]
    assert names.index("Gimlet") < names.index("Daiquiri")


def test_a_cousin_is_named_as_a_substitute(bar: Catalogue):
    told = said(bar, "bourbon, sweet vermouth, campari")
    assert told == {"Manhattan": ["bourbon for rye whiskey (both american whiskey)"]}


def test_what_only_shares_a_root_is_no_cousin(bar: Catalogue):
    report = look(bar, "vodka, campari, sweet vermouth")
    assert report.with_substitutes == ()
    assert "Negroni" in {item.name for item in report.one_away}


def test_one_bottle_never_plays_two_parts(bar: Catalogue):
    assert "Perfect Manhattan" not in said(bar, "rye whiskey, sweet vermouth")
    assert "Rum and Rum" not in said(bar, "white rum, lime juice")


def test_half_of_a_drink_is_not_replaced(bar: Catalogue):
    assert "Martini" not in said(bar, "gin, sweet vermouth")


def test_what_unlocks_most_comes_first_with_a_few_names(bar: Catalogue):
    first = look(bar, "rye whiskey, gin, campari, lime juice, cola").unlocks[0]
    assert (first.name, first.makes, set(first.items)) == (
        *("sweet vermouth", 2),
        {"Negroni", "Manhattan"},
    )


def test_ties_go_to_what_brings_more_within_one_step(bar: Catalogue):
    unlocks = look(bar, "lime juice").unlocks
    order = {one.name: (one.makes, one.brings_near) for one in unlocks}
    assert order["gin"] == (1, 2)
    assert order["white rum"] == (1, 1)
    assert list(order).index("gin") < list(order).index("white rum")


def test_what_a_person_has_under_another_name_is_not_to_be_bought(bar: Catalogue):
    assert {"lime", "lime juice"}.isdisjoint(one.name for one in look(bar, "gin, lime").unlocks)


def test_every_claim_is_carried_by_the_items_own_components(bar: Catalogue):
    report = look(bar, "gin, campari, bourbon, sweet vermouth")
    for item in (*report.makeable, *report.one_away, *report.with_substitutes):
        edges = [edge.target for edge in item.evidence if edge.relation == "HAS_INGREDIENT"]
        assert tuple(edges) == item.components


def test_a_pool_bounds_every_list(bar: Catalogue):
    pool = bar.none()
    pool[bar.item_index("negroni")] = True
    shelf = survey_shelf(bar, indexes(bar, "gin, campari"), pool)
    assert [bar.names[item] for item in shelf.one_away] == ["Negroni"]
    assert not len(shelf.makeable)


def test_an_empty_shelf_still_says_what_to_get(bar: Catalogue):
    shelf = survey_shelf(bar, [])
    assert [bar.names[item] for item in shelf.makeable] == ["Syrup"]
    assert not len(shelf.unlocks)
    assert shelf_report(bar, shelf, 3).one_away == ()


def test_stored_nodes_that_are_no_attributes_are_left_out(bar: Catalogue):
    (gin,) = indexes(bar, "gin")
    node = bar.attributes[gin].node_id
    assert shelf_attributes(bar, [int(bar.node_ids[0]), node, -1]) == [gin]


_NAMES = (
    "gin, campari, sweet vermouth, dry vermouth, lime, lime juice, lime cordial, rum, "
    "white rum, dark rum, bourbon, rye whiskey, whiskey, vodka, vanilla vodka, cola, kahlua"
)


@settings(max_examples=120, deadline=None)
@given(st.sets(st.sampled_from(_NAMES.split(", "))))
def test_getting_what_unlocks_makes_just_as_many_more_as_was_said(bar: Catalogue, names: set[str]):
    have = indexes(bar, ", ".join(sorted(names))) if names else []
    shelf = survey_shelf(bar, have)
    lists = [set(map(int, one)) for one in (shelf.makeable, shelf.one_away, shelf.with_substitutes)]
    assert sum(map(len, lists)) == len(set().union(*lists))
    for thing in map(int, shelf.unlocks):
        after = set(map(int, survey_shelf(bar, [*have, thing]).makeable))
        assert lists[0] <= after
        assert len(after - lists[0]) == shelf.makes[thing]


@pytest.fixture(scope="module")
def drinks(bundled_workspace: Path) -> Iterator[Catalogue]:
    with Store.open_(bundled_workspace / "store.duckdb", read_only=True) as store:
        yield Catalogue(store, load_domain("cocktails"))


@pytest.mark.real
class TestBundledDrinks:
    def test_gin_campari_and_vermouth_are_a_negroni(self, drinks: Catalogue):
        report = look(drinks, "gin, campari, sweet vermouth")
        assert report.makeable[0].name == "Negroni"
        assert "Americano" in {item.name for item in report.one_away}

    def test_limes_and_eggs_are_read_as_a_bartender_would(self, drinks: Catalogue):
        found = makeable(drinks, "gin, lemon, lime, egg, rum, soda water, bitters")
        assert {"Silver Fizz", "Gin Fizz", "Daiquiri", "Gin Rickey", "Fitzgerald"} <= found

    def test_flavoured_bottles_make_no_plain_drinks(self, drinks: Catalogue):
        mixers = "lime juice, cola, tonic water, orange juice, dry vermouth"
        assert makeable(drinks, f"vanilla vodka, coconut rum, sloe gin, {mixers}") == makeable(
            drinks, mixers
        )

    @pytest.mark.parametrize(
        ("have", "drink", "sentence"),
        [
            ("bourbon, sweet vermouth, bitters", "Manhattan", "bourbon for rye whiskey"),
            ("rye whiskey, lemon, egg", "Whiskey Sour", "rye whiskey for bourbon"),
            ("vodka, ginger ale, lime", "Moscow Mule", "ginger ale for ginger beer (both ginger)"),
        ],
    )
    def test_cousins_stand_in(self, drinks: Catalogue, have: str, drink: str, sentence: str):
        assert any(one.startswith(sentence) for one in said(drinks, have)[drink])

    def test_what_to_get_next_names_no_bottle_twice(self, drinks: Catalogue):
        names = [one.name for one in look(drinks, "dry vermouth, lime juice, soda water").unlocks]
        assert "gin" in names
        assert not {"plymouth gin", "london dry gin", "old tom gin"} & set(names)

    def test_the_lists_hold_what_the_counts_say(self, drinks: Catalogue):
        report = look(drinks, "gin, vodka, white rum, lime juice, triple sec, soda water")
        assert report.makeable_count == len(report.makeable)
        assert report.one_away_count >= len(report.one_away) > 30
        assert np.all(np.diff([-one.makes for one in report.unlocks]) >= 0)
