"""Names that somebody begins to type, completed from the store."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localrec.data.rows import AttributeLink, ItemRow
from localrec.graph.item_ingest import ingest_items
from localrec.graph.name_completion import complete_line
from tests.planted import BAR, a_report, planted_store


@pytest.fixture(scope="module")
def bar(tmp_path_factory):
    with planted_store(tmp_path_factory.mktemp("bar")) as store:
        yield store


def complete(store, typed):
    return complete_line(store, [BAR], typed)


def test_the_longest_end_of_the_line_that_a_name_begins_with_is_completed(bar):
    assert complete(bar, "something with lime ju") == "something with lime juice"
    assert complete(bar, "like a Bouleva") == "like a Boulevardier"


def test_case_does_not_count_and_what_was_typed_stays_as_it_is(bar):
    assert complete(bar, "LIME JU") == "LIME JUice"


def test_a_name_that_is_whole_and_less_than_three_letters_are_left_alone(bar):
    assert complete(bar, "a drink with gin") is None
    assert complete(bar, "a drink with gi") is None
    assert complete(bar, "") is None


def test_nothing_is_added_to_what_begins_no_name(bar):
    assert complete(bar, "xylophone") is None


def test_the_attribute_of_more_items_comes_first(tmp_path):
    with planted_store(tmp_path) as store:
        drinks = [
            ItemRow(
                key=str(n), name=f"Drink {n}", links=(AttributeLink(kind="ingredient", name=x),)
            )
            for n, x in enumerate(["zebra milk", "zebra juice", "zebra juice"])
        ]
        ingest_items(store, BAR, drinks, a_report())
        assert complete(store, "some zeb") == "some zebra juice"


@settings(max_examples=60, deadline=None)
@given(typed=st.text(max_size=40))
def test_no_text_breaks_it_and_all_that_was_typed_stays(bar, typed):
    found = complete(bar, typed)
    assert found is None or (found.startswith(typed) and len(found) > len(typed))
