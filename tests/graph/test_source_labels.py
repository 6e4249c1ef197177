"""A source that the schema does not know is added to the enumeration, and nothing else changes."""

from __future__ import annotations

import pytest

from localrec.data.rows import Event
from localrec.graph.item_ingest import ingest_items
from localrec.graph.source_labels import add_source_labels
from localrec.graph.store import Store
from tests.graph.test_one_file_after_another import RATED, bring, stored
from tests.planted import BAR, a_report, planted_rows


@pytest.fixture
def store(tmp_path):
    with Store.open_(tmp_path / "graph.duckdb") as opened:
        ingest_items(opened, BAR, planted_rows(), a_report())
        yield opened


@pytest.fixture
def labels(store):
    def read() -> list[str]:
        [[told]] = store.rows(f"SELECT enum_range(NULL::{add_source_labels(store, [])})")
        return list(told)

    return read


def test_a_new_source_is_named_behind_those_that_are_known(store, labels):
    before = labels()
    add_source_labels(store, ["the pub's list"])
    assert labels() == [*before, "the pub's list"]


def test_a_known_source_changes_nothing(store, labels):
    before = labels()
    add_source_labels(store, ["letterboxd", "feedback"])
    assert labels() == before


def test_rows_of_a_new_source_stand_beside_those_before(store):
    bring(store, RATED)
    bring(store, RATED, source="the pub's list")
    assert [event for event, *_ in stored(store)] == ["rated", "rated"]
    assert store.rows("SELECT DISTINCT source FROM interaction ORDER BY source::VARCHAR") == [
        ("letterboxd",),
        ("the pub's list",),
    ]


def test_an_import_that_fails_leaves_no_label(store, labels):
    before = labels()

    class Stop(Exception):
        pass

    with pytest.raises(Stop), store.transaction():
        add_source_labels(store, ["the pub's list"])
        raise Stop
    assert labels() == before


def test_every_event_can_be_stored(store):
    [[told]] = store.rows(
        "SELECT data_type FROM duckdb_columns() "
        "WHERE table_name = 'interaction' AND column_name = 'event'"
    )
    [[events]] = store.rows(f"SELECT enum_range(NULL::{told})")
    assert events == [event.value for event in Event]
