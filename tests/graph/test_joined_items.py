"""A second catalogue adds to the items of the first; the first one again replaces its own."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from localrec.data.rows import AttributeLink, Event, HistoryRows, InteractionRow, ItemRow
from localrec.graph.domain_files import load_domain
from localrec.graph.history_ingest import ingest_history
from localrec.graph.item_ingest import ingest_items
from localrec.graph.store import Store
from tests.planted import a_report

DRINKS = load_domain("cocktails")
FIRST = msgspec.structs.replace(a_report(1), source="iba", path="/a/iba.json", notes=())
SECOND = msgspec.structs.replace(FIRST, source="cocktails", path="/a/drinks.csv")


def drink(*ingredients: str, glass: str = "", **properties: str) -> ItemRow:
    links = [AttributeLink(kind="ingredient", name=name, value="30 ml") for name in ingredients]
    if glass:
        links.append(AttributeLink(kind="glass", name=glass))
    return ItemRow(key="negroni", name="Negroni", properties={**properties}, links=tuple(links))


@pytest.fixture
def store(tmp_path: Path):
    with Store.open_(tmp_path / "store.duckdb") as opened:
        yield opened


def properties(store: Store) -> dict[str, str]:
    [[told]] = store.rows("SELECT properties FROM node WHERE key = 'negroni'")
    return msgspec.json.decode(told)


def links(store: Store, edge: str) -> list[str]:
    return [
        name
        for (name,) in store.rows(
            "SELECT t.name FROM edge e JOIN node s ON s.node_id = e.source_id "
            "JOIN node t ON t.node_id = e.target_id WHERE s.key = 'negroni' AND e.kind = ? "
            "ORDER BY t.name",
            [edge],
        )
    ]


def test_what_the_first_catalogue_says_stays_and_what_it_lacks_is_added(store: Store) -> None:
    ingest_items(store, DRINKS, [drink("gin", "campari", id="7", instructions="Stir.")], FIRST)
    other = drink("vodka", glass="coupe", id="9", instructions="Shake.", method="Shake")
    report = ingest_items(store, DRINKS, [other], SECOND)
    told = properties(store)
    assert (told["id"], told["instructions"], told["method"]) == ("7", "Stir.", "Shake")
    edges = {kind: spec.edge for kind, spec in DRINKS.attributes.items()}
    assert links(store, edges["ingredient"]) == ["campari", "gin"]
    assert links(store, edges["glass"])
    assert report.notes == (
        "1 drink came with another catalogue before: what it lacked was added, nothing of "
        "its own was replaced.",
    )


def test_a_generated_text_gives_way_to_one_that_a_file_states(store: Store) -> None:
    made = {"description": "A drink of gin.", "description_source": "generated"}
    stated = {"description": "Bitter and red.", "description_source": "source"}
    ingest_items(store, DRINKS, [drink("gin", **made)], FIRST)
    ingest_items(store, DRINKS, [drink("gin", **stated)], SECOND)
    assert properties(store)["description"] == "Bitter and red."
    ingest_items(store, DRINKS, [drink("gin", **made)], SECOND)
    assert properties(store)["description"] == "Bitter and red."


def test_the_same_file_again_replaces_what_it_said(store: Store) -> None:
    ingest_items(store, DRINKS, [drink("gin", id="7", method="Stir")], FIRST)
    moved = msgspec.structs.replace(FIRST, path="/elsewhere/iba.json")
    report = ingest_items(store, DRINKS, [drink("vodka", id="8")], moved)
    assert (properties(store).get("id"), properties(store).get("method")) == ("8", None)
    assert links(store, DRINKS.attributes["ingredient"].edge) == ["vodka"]
    assert report.notes == ()


def marks(store: Store) -> tuple[str | None, str | None]:
    told = properties(store)
    return told.get("description"), told.get("description_source")


MADE = {"description": "A drink of gin.", "description_source": "generated"}
MODEL = {"description": "A model's words.", "description_source": "model"}
PLAIN = {"description": "Bitter and red."}  # a table's own words bear no mark


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (PLAIN, MADE, ("Bitter and red.", None)),
        (MADE, PLAIN, ("Bitter and red.", None)),
        (MODEL, PLAIN, ("Bitter and red.", None)),
        (MODEL, MADE, ("A model's words.", "model")),
        ({}, MADE, ("A drink of gin.", "generated")),
        (PLAIN, {"description": "Other."}, ("Bitter and red.", None)),
    ],
)
def test_what_a_file_gave_as_description_never_counts_as_made(
    store: Store, before: dict[str, str], after: dict[str, str], expected: tuple[str, str | None]
) -> None:
    ingest_items(store, DRINKS, [drink("gin", **before)], FIRST)
    ingest_items(store, DRINKS, [drink("gin", **after)], SECOND)
    assert marks(store) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (PLAIN, MADE, ("Bitter and red.", None)),
        (MADE, PLAIN, ("Bitter and red.", None)),
        (PLAIN, {"description": "Newer."}, ("Newer.", None)),
    ],
)
def test_an_export_takes_no_description_away_that_another_gave(
    store: Store, before: dict[str, str], after: dict[str, str], expected: tuple[str, str | None]
) -> None:
    for told in (before, after):
        interaction = InteractionRow(user="anna", item="negroni", event=Event.SEEN)
        rows = HistoryRows(items=(drink("gin", **told),), interactions=(interaction,), report=FIRST)
        ingest_history(store, DRINKS, rows, "anna")
    assert marks(store) == expected


def test_another_recipe_of_one_name_is_an_item_of_its_own_however_often_it_comes(store) -> None:
    ingest_items(store, DRINKS, [drink("gin", "campari", "sweet vermouth")], FIRST)
    other = drink("tequila", "pineapple juice", "honey")
    for _ in range(2):
        report = ingest_items(store, DRINKS, [other], SECOND)
        names = store.rows("SELECT name FROM node WHERE kind = 'cocktail'")
        assert names == [("Negroni",), ("Negroni",)]
    assert report.notes == (
        "1 drink has the name of another recipe that is here; each is an item of its own.",
    )
    edge = DRINKS.attributes["ingredient"].edge
    assert links(store, edge) == ["campari", "gin", "sweet vermouth"]


def test_a_changed_recipe_of_the_same_file_replaces_the_old_one(store) -> None:
    ingest_items(store, DRINKS, [drink("gin", "campari", "sweet vermouth")], FIRST)
    ingest_items(store, DRINKS, [drink("tequila", "honey")], FIRST)
    assert links(store, DRINKS.attributes["ingredient"].edge) == ["honey", "tequila"]


def described(store: Store, text: str, mark: str) -> None:
    """Marks the item's description as written in the workspace."""
    patch = msgspec.json.encode({"description": text, "description_source": mark}).decode()
    store.execute("UPDATE node SET properties = json_merge_patch(properties, ?)", [patch])


def generated(text: str, **properties: str) -> ItemRow:
    return drink("gin", description=text, description_source="generated", **properties)


def test_the_same_catalogue_again_keeps_what_a_model_wrote(store: Store) -> None:
    ingest_items(store, DRINKS, [generated("Negroni: gin.", id="7")], FIRST)
    described(store, "A bitter classic.", "model")
    ingest_items(store, DRINKS, [generated("Negroni: gin.", id="8")], FIRST)
    told = properties(store)
    assert (told["description"], told["description_source"]) == ("A bitter classic.", "model")
    assert told["id"] == "8"


def test_a_description_of_the_file_replaces_what_a_model_wrote(store: Store) -> None:
    ingest_items(store, DRINKS, [generated("Negroni: gin.")], FIRST)
    described(store, "A bitter classic.", "model")
    ingest_items(store, DRINKS, [drink("gin", description="By the house.")], FIRST)
    told = properties(store)
    assert told["description"] == "By the house."
    assert "description_source" not in told


def test_what_was_seen_in_a_picture_stays_too(store: Store) -> None:
    ingest_items(store, DRINKS, [generated("Negroni: gin.")], FIRST)
    patch = '{"image_description": "A red drink.", "image_description_source": "picture"}'
    store.execute("UPDATE node SET properties = json_merge_patch(properties, ?)", [patch])
    ingest_items(store, DRINKS, [generated("Negroni: gin.")], FIRST)
    assert properties(store)["image_description"] == "A red drink."


def test_a_model_that_failed_is_asked_again_only_for_another_text(store: Store) -> None:
    ingest_items(store, DRINKS, [generated("Negroni: gin.")], FIRST)
    described(store, "Negroni: gin.", "template")
    ingest_items(store, DRINKS, [generated("Negroni: gin.")], FIRST)
    assert properties(store)["description_source"] == "template"
    ingest_items(store, DRINKS, [generated("Negroni: gin and campari.")], FIRST)
    assert properties(store)["description_source"] == "generated"
