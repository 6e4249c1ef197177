"""What makes items alike where nothing says what they are made of: their maker and their series."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from localrec.data.query import Query
from localrec.data.rows import AttributeLink, ImportReport, ItemRow
from localrec.graph.catalogue import Catalogue
from localrec.graph.item_ingest import ingest_items
from localrec.graph.store import Store
from localrec.index.embedders import HashingEmbedder
from localrec.retrieval.search_query import SearchParams, SearchQuery
from localrec.retrieval.similarity import retrieve_by_likeness
from tests.understanding.records import RECORDS

SHELF = {  # name -> maker, series
    "Drift": ("Bo Reed", ""),
    "Ember": ("Cy Lund", ""),
    "Aurora": ("Ann Vale", "Lights"),
    "Cinder": ("Ann Vale", ""),
    "Fjord": ("Cy Lund", ""),
    "Borealis": ("Ann Vale", "Lights"),
}


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Catalogue]:
    rows = [
        ItemRow(
            key=name.casefold(),
            name=name,
            properties={},
            links=(
                AttributeLink(kind="artist", name=maker),
                *(AttributeLink(kind="series", name=one) for one in (series,) if one),
            ),
        )
        for name, (maker, series) in SHELF.items()
    ]
    many = len(rows)
    report = ImportReport(
        source="planted", path="", domain="records", read=many, kept=many, merged=0, dropped=0
    )
    with Store.open_(tmp_path / "store.duckdb") as store:
        ingest_items(store, RECORDS, rows, report)
        yield Catalogue(store, RECORDS)


def alike(shelf: Catalogue, example: str) -> list[str]:
    """The names of what is like an item, the most alike first."""
    query = SearchQuery(f"like {example}", Query(target=example), shelf, HashingEmbedder(), {})
    pool = shelf.every()
    pool[shelf.item_index(example)] = False
    found = retrieve_by_likeness(query, pool, SearchParams(k=5))
    assert (np.diff(found.scores) <= 0).all()
    return [shelf.names[one] for one in found.items]


def test_the_same_series_is_most_alike_then_the_same_maker(shelf):
    assert alike(shelf, "aurora")[:2] == ["Borealis", "Cinder"]


def test_others_of_a_maker_are_alike_and_the_rest_follows(shelf):
    first, *others = alike(shelf, "ember")
    assert first == "Fjord" and len(others) == 4


def test_what_has_no_kin_is_like_nothing_more_than_others(shelf):
    assert set(alike(shelf, "drift")) == {"Aurora", "Borealis", "Cinder", "Ember", "Fjord"}
