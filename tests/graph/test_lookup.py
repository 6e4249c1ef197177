"""An item is named by key or by name; a name that fits two or none is told what is near."""

from __future__ import annotations

import msgspec
import pytest

from localrec.data.rows import ItemRow
from localrec.foundation.errors import UsageError
from localrec.graph.item_ingest import ingest_items
from localrec.graph.item_lookup import find_item
from tests.planted import BAR, a_report

FILMS = msgspec.structs.replace(BAR, name="films", plural="films")


@pytest.fixture
def both(bar):
    rows = [
        ItemRow(key="1", name="Negroni"),
        ItemRow(key="2", name="Café Noir"),
        ItemRow(key="3", name="Twins"),
        ItemRow(key="4", name="twins"),
        ItemRow(key="mojito", name="Mojito, the film"),
        ItemRow(key="Twins", name="A key that is a name"),
    ]
    ingest_items(bar, FILMS, rows, a_report())
    return bar


@pytest.mark.parametrize(
    ("named", "domain", "name"),
    [
        ("whiskey-sour", "cocktails", "Whiskey Sour"),
        ("Whiskey Sour", "cocktails", "Whiskey Sour"),
        ("whiskey SOUR", "cocktails", "Whiskey Sour"),
        ("Whiskey-Sour!", "cocktails", "Whiskey Sour"),
        ("cafe noir", "films", "Café Noir"),
        ("2", "films", "Café Noir"),
        ("Negroni", "cocktails", "Negroni"),
        ("mojito", "cocktails", "Mojito"),
        ("Twins", "films", "A key that is a name"),
    ],
)
def test_by_key_or_name_in_the_order_of_the_domains(both, named, domain, name):
    found_in, node_id, found = find_item(both, [BAR, FILMS], named)
    assert (found_in, found) == (domain, name)
    assert both.rows("SELECT name FROM node WHERE node_id = ?", [node_id]) == [(name,)]


def test_a_name_of_two_is_refused_with_their_keys(both):
    with pytest.raises(UsageError, match="Several films are called 'TWINS'") as refused:
        find_item(both, [BAR, FILMS], "TWINS")
    assert refused.value.hint == "Give a key: 3, 4."


def test_a_name_of_none_is_refused_with_what_is_near(both):
    with pytest.raises(UsageError, match="nothing called 'Negronni'") as refused:
        find_item(both, [BAR], "Negronni")
    assert refused.value.hint.startswith("Did you mean Negroni")


@pytest.mark.parametrize("named", ["zzzzqqq", "", "\x1b[31m"])
def test_what_is_near_nothing_asks_for_a_key_or_name(both, named):
    with pytest.raises(UsageError) as refused:
        find_item(both, [BAR, FILMS], named)
    assert "\x1b" not in str(refused.value)


def test_an_empty_catalogue_has_nothing(bar):
    with pytest.raises(UsageError, match="nothing called"):
        find_item(bar, [msgspec.structs.replace(BAR, name="empty")], "Negroni")
