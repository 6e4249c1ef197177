"""Recipes of one name in several catalogues: one drink joins, another stays, all are counted."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from localrec.data.rows import AttributeLink, ImportReport, ItemRow
from localrec.graph.domain_files import load_domain
from localrec.graph.item_ingest import ingest_items
from localrec.graph.store import Store
from tests.planted import a_report

DRINKS = load_domain("cocktails")


def recipe(name: str, *ingredients: str, key: str = "") -> ItemRow:
    links = [AttributeLink(kind="ingredient", name=one, value="3 cl") for one in ingredients]
    return ItemRow(key=key or name.casefold(), name=name, links=tuple(links))


def bring(store: Store, file: str, *rows: ItemRow) -> ImportReport:
    told = msgspec.structs.replace(
        a_report(len(rows)), path=f"/a/{file}", read=len(rows), kept=len(rows), merged=0, dropped=0
    )
    report = ingest_items(store, DRINKS, rows, msgspec.structs.replace(told, notes=()))
    assert report.read == report.kept + report.merged + report.dropped
    return report


def recipes(store: Store) -> dict[str, set[str]]:
    rows = store.rows(
        "SELECT s.key, list(t.name) FROM edge e JOIN node s ON s.node_id = e.source_id "
        "JOIN node t ON t.node_id = e.target_id WHERE e.kind = ? GROUP BY 1",
        [DRINKS.attributes["ingredient"].edge],
    )
    return {key: {name.casefold() for name in names} for key, names in rows}


@pytest.fixture
def store(tmp_path: Path):
    with Store.open_(tmp_path / "store.duckdb") as opened:
        yield opened


@pytest.mark.parametrize(
    "other",
    [
        ("Vodka", "Cranberry Juice", "Lime Juice"),  # juice alone is nothing in common
        ("Tequila", "Ginger Ale", "Blackberry Liqueur"),  # nor is one of three
    ],
)
def test_a_drink_that_shares_little_with_its_namesake_stays(
    store: Store, other: tuple[str, ...]
) -> None:
    bring(store, "one.csv", recipe("Sunrise", "Tequila", "Orange Juice", "Grenadine"))
    report = bring(store, "two.csv", recipe("Sunrise", *other))
    assert len(recipes(store)) == 2
    assert (report.kept, report.merged) == (1, 0)
    assert report.notes[-1].startswith("1 drink has the name of another recipe that is here")


@pytest.mark.parametrize(
    "other",
    [
        ("Campari", "London Dry Gin", "Red Vermouth"),
        ("Brandy", "Triple Sec", "Fresh Lemon Juice"),
    ],
)
def test_the_same_drink_in_other_words_joins_and_counts_as_merged(
    store: Store, other: tuple[str, ...]
) -> None:
    bring(
        store,
        "one.csv",
        recipe("Negroni", "Gin", "Campari", "Sweet Vermouth"),
        recipe("Sidecar", "Cognac", "Cointreau", "Lemon Juice"),
    )
    name = "Negroni" if "Campari" in other else "Sidecar"
    report = bring(store, "two.csv", recipe(name, *other), recipe("Own", "Rum", "Lime Juice"))
    assert len(recipes(store)) == 3
    assert (report.kept, report.merged) == (1, 1)
    assert len(report.notes) == 1


def test_what_a_joined_recipe_lists_besides_is_told(store: Store) -> None:
    bring(store, "one.csv", recipe("Greyhound", "Gin", "Grapefruit Juice"))
    report = bring(store, "two.csv", recipe("Greyhound", "Vodka", "Grapefruit Juice"))
    assert recipes(store) == {"greyhound": {"gin", "grapefruit juice"}}
    assert report.notes[-1] == (
        "The recipe that came first stays where this one has another ingredient: Greyhound."
    )


def test_a_third_catalogue_joins_the_namesake_whose_recipe_it_has(store: Store) -> None:
    bring(store, "one.csv", recipe("Sunrise", "Tequila", "Orange Juice", "Grenadine"))
    bring(store, "two.csv", recipe("Sunrise", "Vodka", "Cranberry Juice", "Lime Juice"))
    report = bring(store, "three.csv", recipe("Sunrise", "Lime", "Vodka", "Cranberry Juice"))
    assert (len(recipes(store)), report.kept, report.merged) == (2, 0, 1)


def test_a_changed_namesake_of_the_same_file_takes_its_own_place_again(store: Store) -> None:
    bring(store, "one.csv", recipe("Sunrise", "Tequila", "Orange Juice", "Grenadine"))
    bring(store, "two.csv", recipe("Sunrise", "Vodka", "Cranberry Juice", "Lime Juice"))
    bring(store, "two.csv", recipe("Sunrise", "Vodka", "Cranberry Juice", "Mint"))
    told = recipes(store)
    assert len(told) == 2
    assert {"vodka", "cranberry juice", "mint"} in told.values()


def test_two_rows_of_a_file_never_go_into_one_stored_drink(store: Store) -> None:
    bring(store, "one.csv", recipe("Punch", "Dark Rum", "Lime Juice", "Mint"))
    report = bring(
        store,
        "two.csv",
        recipe("Punch", "Brandy", "Milk", "Cinnamon"),
        recipe("Punch", "Rum", "Lime Juice", "Nutmeg", key="punch-2"),
    )
    told = recipes(store)
    assert len(told) == 2
    assert told["punch"] == {"dark rum", "lime juice", "mint"}
    assert (report.kept, report.merged) == (1, 1)
