"""Names that somebody begins to type, completed from the store."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localrec.data.rows import AttributeLink, ItemRow
from localrec.graph.history_ingest import ingest_history
from localrec.graph.item_ingest import ingest_items
from localrec.graph.name_completion import NameCompletion, read_name_completion
from localrec.graph.node_columns import users_hidden_from
from tests.graph.test_histories import history, rated
from tests.planted import BAR, a_report, planted_store


@pytest.fixture(scope="module")
def bar(tmp_path_factory):
    with planted_store(tmp_path_factory.mktemp("bar")) as store:
        yield store


def complete(store, typed):
    return read_name_completion(store, [BAR]).complete(typed)


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


NAMES = NameCompletion(
    ["Straße", "\u0130stanbul Sour", "lime juice", "lime", "Mai Tai", "a b c d e"]
)


@settings(deadline=None)
@given(typed=st.text(max_size=20) | st.sampled_from(["STRASS", "\u0130sta", "lim", "gin \udc80x"]))
def test_no_text_breaks_it_and_all_that_was_typed_stays(typed):
    found = NAMES.complete(typed)
    assert found is None or (found.startswith(typed) and len(found) > len(typed))


def test_a_name_that_is_whole_is_left_alone_though_longer_ones_begin_so():
    assert NAMES.complete("something with lime") is None
    assert NAMES.complete("something with lime j") == "something with lime juice"


def test_words_that_only_others_put_to_items_are_not_offered(tmp_path):
    said = AttributeLink(kind="category", name="wedding", personal=True)
    row = ItemRow(key="negroni", name="Negroni", links=(said,))
    with planted_store(tmp_path) as store:
        ingest_history(store, BAR, history([rated("negroni", 4.0, "ana")], [row]), by="ana")
        for user, offered in (("ana", "a wedding"), ("bob", None)):
            hidden = users_hidden_from(store, user)
            assert read_name_completion(store, [BAR], hidden).complete("a wedd") == offered
