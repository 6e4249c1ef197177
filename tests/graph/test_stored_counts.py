"""A receipt is the store's: where the store lost a row, an import says so and changes nothing."""

from __future__ import annotations

import pytest

from localrec.data.rows import Event, InteractionRow, ItemRow, UserRow
from localrec.foundation.errors import WorkspaceError
from localrec.graph.history_ingest import ingest_bulk, ingest_history
from localrec.graph.item_ingest import ingest_items
from localrec.graph.store import Store
from tests.planted import BAR, a_report

from .test_histories import TABLES, bulk, history, rated

INTERACTIONS = [rated("negroni", 4.5), rated("mojito", 2), rated("mojito", 3, user="bob")]


def loses_one(monkeypatch, table, staged=""):
    """A store that has forgotten one row of a table by the time the next statement comes."""
    execute = Store.execute
    lost = []

    def forgetful(self, sql, values=()):
        execute(self, sql, values)
        if not lost and sql.startswith(f"INSERT INTO {table} ") and staged in sql:
            execute(self, f"DELETE FROM {table} WHERE rowid = (SELECT max(rowid) FROM {table})")
            lost.append(sql)

    monkeypatch.setattr(Store, "execute", forgetful)
    return lost


def rows_of(store):
    return {table: sorted(map(str, store.rows(f"FROM {table}"))) for table in TABLES}


@pytest.mark.parametrize(
    ("table", "load", "what"),
    [
        (
            "interaction",
            lambda store: ingest_history(store, BAR, history(INTERACTIONS), None),
            "1 row",
        ),
        (
            "interaction",
            lambda store: ingest_history(store, BAR, history(INTERACTIONS[:2]).as_part(), "ana"),
            "1 row",
        ),
        (
            "interaction",
            lambda store: ingest_bulk(
                store,
                BAR,
                bulk(
                    "(1, 7, 'rated', 4, NULL, 1, NULL)",
                    "(1, 8, 'rated', 2, NULL, 1, NULL)",
                    "(2, 7, 'rated', 5, NULL, 1, NULL)",
                ),
            ),
            "1 row",
        ),
        (
            "node staged_item",
            lambda store: ingest_items(
                store, BAR, [ItemRow(key=key, name=key) for key in ("a", "b")], a_report(2)
            ),
            "1 item",
        ),
        (
            "node staged_item",
            lambda store: ingest_history(
                store,
                BAR,
                history([rated("paloma", 5)], items=[ItemRow(key="paloma", name="Paloma")]),
                "ana",
            ),
            "1 item",
        ),
        (
            "node staged_person",
            lambda store: ingest_history(
                store,
                BAR,
                history(INTERACTIONS[:1], users=[UserRow(key="zoe", properties={})]),
                "ana",
            ),
            "1 user",
        ),
    ],
)
def test_a_row_that_the_store_lost_fails_the_import(bar, monkeypatch, table, load, what):
    before = rows_of(bar)
    lost = loses_one(monkeypatch, *table.split())
    with pytest.raises(WorkspaceError, match=f"The store lacks ({what}) of what was read"):
        load(bar)
    assert lost and rows_of(bar) == before


def test_a_row_about_an_item_that_nobody_has_is_no_row_that_was_kept(bar):
    with pytest.raises(WorkspaceError, match="nothing was stored"):
        ingest_history(bar, BAR, history([rated("no-such-drink", 4)]), "ana")


def test_what_is_told_twice_counts_twice(bar):
    plays = [
        InteractionRow(user="ana", item="negroni", event=Event.PLAYED),
        InteractionRow(user="ana", item="negroni", event=Event.PLAYED),
        InteractionRow(user="ana", item="negroni", event=Event.SEEN),
        InteractionRow(user="ana", item="negroni", event=Event.SEEN),
        rated("negroni", 4),
    ]
    assert ingest_history(bar, BAR, history(plays), "ana").kept == 5
    seen_again = ingest_history(bar, BAR, history(plays[2:3]).as_part(), "ana")
    assert (seen_again.kept, seen_again.merged) == (0, 1)
