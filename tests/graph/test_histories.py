"""What people did goes in whole or not at all, once, and next to what others said."""

from __future__ import annotations

import signal
from datetime import datetime

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localrec.data.rows import (
    AttributeLink,
    BulkHistory,
    Event,
    HistoryRows,
    InteractionRow,
    ItemRow,
    UserRow,
)
from localrec.graph.catalogue import Catalogue
from localrec.graph.history_ingest import ingest_bulk, ingest_history
from localrec.graph.interactions import load_user_history, store_feedback, user_node
from localrec.graph.item_ingest import ingest_items
from localrec.graph.migrations import SCHEMA_VERSION, migrate
from localrec.graph.store import Store
from tests.planted import BAR, a_report, planted_rows

TABLES = ("node", "edge", "interaction", "import_receipt", "brought")
IMPORT_UNTIL = """
import localrec.graph.history_ingest as histories
from localrec.graph.store import Store
from tests.graph.test_histories import ANA_RATES, BAR
from tests.graph.test_histories import history

if sys.argv[2] == "commit":  # everything is written, nothing is promised yet
    execute = Store.execute
    Store.execute = lambda self, sql, values=(): (
        execute(self, sql, values), "import_receipt" in sql and halt()
    )
else:
    setattr(histories, sys.argv[2], halt)
with Store.open_(Path(sys.argv[1])) as store:
    histories.ingest_history(store, BAR, history(ANA_RATES), by="ana")
"""
BULK_UNTIL = """
import localrec.graph.history_ingest as histories
from localrec.graph.store import Store
from tests.graph.test_histories import BAR, bulk

setattr(histories, sys.argv[2], halt)
with Store.open_(Path(sys.argv[1])) as store:
    histories.ingest_bulk(store, BAR, bulk("(1, 7, 'rated', 4, NULL, 1, NULL)"))
"""


def rated(item, stars, user="ana", **more):
    return InteractionRow(user=user, item=item, event=Event.RATED, rating=stars, **more)


def export(key, *, shelves=(), ingredients=(), name=None, **properties):
    """An item of a personal export: shared links, and shelves of the person's own."""
    links = [AttributeLink(kind="ingredient", name=one) for one in ingredients]
    links += [AttributeLink(kind="category", name=one, personal=True) for one in shelves]
    return ItemRow(key=key, name=name or key.title(), properties=properties, links=tuple(links))


def history(interactions, items=(), source="planted", users=()):
    report = msgspec.structs.replace(a_report(len(interactions)), source=source)
    return HistoryRows(
        items=tuple(items), interactions=tuple(interactions), report=report, users=tuple(users)
    )


def bulk(*rows, items=(), source="movielens", types="INTEGER", users=()):
    values = ", ".join(rows)
    select = (
        f"SELECT user_key::{types} AS user_key, item_key::{types} AS item_key, event::VARCHAR "
        'AS event, rating::FLOAT AS rating, "at"::TIMESTAMP AS "at", times::INTEGER AS times, '
        f'note::VARCHAR AS note FROM (VALUES {values}) v(user_key, item_key, event, rating, "at", '
        "times, note)"
    )
    report = msgspec.structs.replace(a_report(len(rows)), source=source)
    return BulkHistory(
        items=tuple(items),
        select=select,
        files=(),
        report=report,
        rows=len(rows),
        users=tuple(users),
    )


ANA_RATES = (rated("negroni", 4.5), rated("mojito", 2.0, at=datetime(2024, 5, 1), note="Sweet."))


def contents(store, *tables):
    return {table: store.rows(f"SELECT * FROM {table} ORDER BY ALL") for table in tables or TABLES}


def graph_of(store):
    return contents(store, "node", "edge", "interaction")


def interactions(store, source=None):
    return store.rows(
        'SELECT u.key, n.key, i.event, i.rating, i."at", i.times, i.note FROM interaction i '
        "JOIN node u ON u.node_id = i.user_id JOIN node n ON n.node_id = i.item_id "
        "WHERE $1 IS NULL OR i.source = $1 ORDER BY ALL",
        [source],
    )


def shelves_of(store, item):
    return store.rows(
        "SELECT a.name, e.properties->>'$.by' FROM edge e JOIN node i ON i.node_id = e.source_id "
        "JOIN node a ON a.node_id = e.target_id WHERE i.key = ? AND a.kind = 'category' "
        "ORDER BY ALL",
        [item],
    )


def ingredients_of(store, item):
    rows = store.rows(
        "SELECT a.key FROM edge e JOIN node i ON i.node_id = e.source_id "
        "JOIN node a ON a.node_id = e.target_id WHERE i.key = ? AND a.kind = 'ingredient'",
        [item],
    )
    return {key for (key,) in rows}


def properties_of(store, item):
    ((told,),) = store.rows("SELECT properties FROM node WHERE key = ?", [item])
    return msgspec.json.decode(told)


def node_of(store, key):
    return store.rows("SELECT node_id FROM node WHERE key = ? AND kind = 'cocktail'", [key])[0][0]


class TestAnExport:
    def test_says_what_the_person_did(self, bar):
        ingest_history(bar, BAR, history(ANA_RATES), by="ana")
        assert interactions(bar) == [
            ("ana", "mojito", "rated", 2.0, datetime(2024, 5, 1), 1, "Sweet."),
            ("ana", "negroni", "rated", 4.5, None, 1, None),
        ]

    def test_brought_twice_is_the_same(self, bar):
        told = history(ANA_RATES, [export("new", shelves=("summer",), ingredients=("gin",))])
        ingest_history(bar, BAR, told, by="ana")
        once = contents(bar, "node", "edge", "interaction", "brought")
        ingest_history(bar, BAR, told, by="ana")
        assert contents(bar, "node", "edge", "interaction", "brought") == once

    def test_that_changed_replaces_what_it_said_of_these_items_alone(self, bar):
        ingest_history(bar, BAR, history(ANA_RATES), by="ana")
        ingest_history(bar, BAR, history([rated("negroni", 1.0)], source="other"), by="ana")
        store_feedback(bar, BAR.name, "ana", node_of(bar, "negroni"), Event.LIKED)
        ingest_history(bar, BAR, history([rated("negroni", 3.0)], source="other"), by="bob")
        ingest_history(bar, BAR, history([rated("negroni", 5.0)]), by="ana")
        stars = [(user, item, rating) for user, item, _, rating, *_ in interactions(bar, "planted")]
        assert stars == [("ana", "mojito", 2.0), ("ana", "negroni", 5.0)]
        assert [row[3] for row in interactions(bar, "other")] == [3.0]
        assert [row[2] for row in interactions(bar, "feedback")] == ["liked"]

    def test_of_another_person_leaves_the_first_ones_interactions(self, bar):
        ingest_history(bar, BAR, history(ANA_RATES), by="ana")
        ingest_history(bar, BAR, history([rated("negroni", 1.0, user="bob")]), by="bob")
        assert [row[0] for row in interactions(bar)] == ["ana", "ana", "bob"]

    def test_without_rating_and_date_stores_nothing_in_their_place(self, bar):
        seen = InteractionRow(user="ana", item="gimlet", event=Event.SEEN)
        ingest_history(bar, BAR, history([seen]), by="ana")
        assert bar.rows('SELECT rating IS NULL, "at" IS NULL, note FROM interaction') == [
            (True, True, None)
        ]
        ana = load_user_history(bar, user_node(bar, BAR.name, "ana"))
        assert np.isnan(ana.ratings).all()
        assert np.isnat(ana.at).all()

    def test_may_mix_rows_with_and_without_rating_and_date(self, bar):
        rows = [*ANA_RATES, InteractionRow(user="ana", item="gimlet", event=Event.SEEN)]
        ingest_history(bar, BAR, history(rows), by="ana")
        assert bar.rows("SELECT count(*) FROM interaction WHERE isnan(rating)") == [(0,)]
        ana = load_user_history(bar, user_node(bar, BAR.name, "ana"))
        assert np.isnan(ana.ratings).tolist() == [False, True, False]  # undated ones come first
        assert ana.ratings[[0, 2]].tolist() == [4.5, 2.0]

    def test_of_2000_items_goes_in_whole(self, bar):
        items = [export(f"drink-{number}", ingredients=("gin",)) for number in range(2_000)]
        rows = [rated(item.key, 0.5 + number % 10 / 2) for number, item in enumerate(items)]
        ingest_history(bar, BAR, history(rows, items), by="ana")
        assert len(load_user_history(bar, user_node(bar, BAR.name, "ana"))) == 2_000

    def test_of_nothing_is_a_receipt(self, bar):
        before = graph_of(bar)
        ingest_history(bar, BAR, history([]), by="ana")
        assert graph_of(bar) == before
        assert bar.rows("SELECT user_key FROM import_receipt ORDER BY import_id") == [
            (None,),
            ("ana",),
        ]

    def test_says_how_many_items_the_catalogue_had(self, bar):
        told = history([rated("the-negroni", 4.0)], [export("the-negroni", name="Negroni")])
        report = ingest_history(bar, BAR, told, by="ana")
        assert report.found_again == 1
        assert [row[1] for row in interactions(bar)] == ["negroni"]
        assert not bar.rows("SELECT 1 FROM node WHERE key = 'the-negroni'")

    def test_keeps_what_is_told_of_people(self, bar):
        users = [UserRow(key="ana", properties={"age": 30})]
        ingest_history(bar, BAR, history(ANA_RATES, users=users), by=None)
        assert properties_of(bar, "ana") == {"age": 30}
        ingest_history(bar, BAR, history(ANA_RATES), by=None)
        assert properties_of(bar, "ana") == {"age": 30}


class TestWhatAPersonSaysOfAnItem:
    def test_stands_beside_what_another_says(self, bar):
        for user, shelf in (("ana", "summer"), ("bob", "winter")):
            ingest_history(bar, BAR, history([], [export("new", shelves=(shelf,))]), by=user)
        assert shelves_of(bar, "new") == [("summer", "ana"), ("winter", "bob")]
        ingest_history(bar, BAR, history([], [export("new", shelves=("spring",))]), by="ana")
        assert shelves_of(bar, "new") == [("spring", "ana"), ("winter", "bob")]

    def test_is_theirs_though_another_says_the_same_and_counts_once(self, bar):
        for user in ("ana", "bob"):
            ingest_history(bar, BAR, history([], [export("new", shelves=("summer",))]), by=user)
        assert shelves_of(bar, "new") == [("summer", "ana"), ("summer", "bob")]
        catalogue = Catalogue(bar, BAR)
        new = catalogue.item_index("new")
        assert len(catalogue.attributes_of(new)) == 1
        assert len(catalogue.details([new])[new]) == 1

    def test_leaves_what_the_catalogue_says(self, bar):
        before = graph_of(bar)["edge"]
        told = export("negroni", shelves=("summer",), ingredients=("mezcal",), strength=1.0, at=3)
        ingest_history(bar, BAR, history([], [told]), by="ana")
        assert ingredients_of(bar, "negroni") == {"gin", "campari", "sweet vermouth", "mezcal"}
        assert set(before) <= set(graph_of(bar)["edge"])
        assert properties_of(bar, "negroni")["strength"] == 26.0
        assert properties_of(bar, "negroni")["at"] == 3

    def test_stays_when_the_catalogue_is_imported_again(self, bar):
        ingest_history(bar, BAR, history([], [export("negroni", shelves=("summer",))]), by="ana")
        ingest_items(bar, BAR, planted_rows(), a_report())
        assert ("summer", "ana") in shelves_of(bar, "negroni")

    def test_reaches_an_item_that_was_found_again(self, bar):
        told = export("x", name="Negroni", shelves=("summer",), ingredients=("mezcal",))
        for _ in range(2):
            ingest_history(bar, BAR, history([], [told]), by="ana")
        assert ("summer", "ana") in shelves_of(bar, "negroni")
        assert "mezcal" not in ingredients_of(bar, "negroni")

    def test_of_an_item_only_they_brought_is_put_right_by_their_next_export(self, bar):
        for ingredients in (("gin",), ("rum", "mint")):
            told = export("new", ingredients=ingredients)
            ingest_history(bar, BAR, history([], [told]), by="ana")
        assert ingredients_of(bar, "new") == {"rum", "mint"}

    def test_in_one_export_adds_to_what_they_said_in_another(self, bar):
        goodreads = export("new", pages=412, ingredients=("gin",), year=1965)
        storygraph = export("new", moods="tense", year=1966, pages=None)
        ingest_history(bar, BAR, history([], [goodreads]), by="ana")
        ingest_history(bar, BAR, history([], [storygraph], source="storygraph"), by="ana")
        assert properties_of(bar, "new") == {"pages": 412, "year": 1966, "moods": "tense"}
        assert ingredients_of(bar, "new") == {"gin"}


class TestWhoBroughtWhat:
    def brought(self, store, key):
        return store.rows(
            "SELECT r.user_key FROM brought b JOIN import_receipt r USING (import_id) "
            "JOIN node n USING (node_id) WHERE n.key = ? ORDER BY import_id",
            [key],
        )

    def test_is_kept_once_for_each_person(self, bar):
        for user in ("ana", "ana", "bob"):
            ingest_history(bar, BAR, history([], [export("new", shelves=("cosy",))]), by=user)
        assert self.brought(bar, "new") == self.brought(bar, "cosy") == [("ana",), ("bob",)]

    def test_is_the_catalogue_where_it_came_first(self, bar):
        ingest_history(bar, BAR, history([], [export("negroni")]), by="ana")
        assert self.brought(bar, "negroni") == [(None,)]

    def test_is_the_catalogue_too_where_it_came_later(self, bar):
        ingest_history(bar, BAR, history([], [export("new")]), by="ana")
        ingest_items(bar, BAR, [export("new")], a_report(1))
        assert self.brought(bar, "new") == [("ana",), (None,)]


ROWS = st.lists(
    st.builds(
        rated,
        st.sampled_from(["negroni", "mojito", "gimlet"]),
        st.sampled_from([0.5, 2.5, 5.0, None]),
        user=st.sampled_from(["ana", "bob"]),
        at=st.sampled_from([None, datetime(2024, 1, 1), datetime(2025, 1, 1)]),
    ),
    max_size=6,
)


@settings(max_examples=20, deadline=None)  # a store is made for each example
@given(first=ROWS, second=ROWS)
def test_an_export_after_another_speaks_for_the_pairs_it_names(tmp_path_factory, first, second):
    folder = tmp_path_factory.mktemp("histories")
    with Store.open_(folder / "store.duckdb") as store:
        ingest_items(store, BAR, planted_rows(), a_report())
        ingest_history(store, BAR, history(first), by=None)
        ingest_history(store, BAR, history(second), by=None)
        named = {(row.user, row.item) for row in second}
        left = [*second, *(row for row in first if (row.user, row.item) not in named)]
        expected = [(row.user, row.item, row.event, row.rating, row.at, 1, None) for row in left]
        assert sorted(interactions(store), key=repr) == sorted(expected, key=repr)


class TestADataSet:
    @pytest.mark.parametrize("types", ["INTEGER", "VARCHAR"])
    def test_may_number_or_name_people_and_items(self, bar, types):
        rows = ("(1, 10, 'rated', 4, NULL, 1, NULL)", "(2, 9, 'rated', 2, NULL, 1, 'Flat.')")
        report = ingest_bulk(bar, BAR, bulk(*rows, types=types))
        assert interactions(bar) == [
            ("1", "10", "rated", 4.0, None, 1, None),
            ("2", "9", "rated", 2.0, None, 1, "Flat."),
        ]
        assert (report.kept, report.merged) == (2, 0)

    def test_makes_bare_items_of_keys_that_no_catalogue_has(self, bar):
        rows = ("('1', 'negroni', 'seen', NULL, NULL, 1, NULL)",)
        rows += ("('1', 'odd', 'seen', NULL, NULL, 1, NULL)",)
        ingest_bulk(bar, BAR, bulk(*rows, types="VARCHAR"))
        assert bar.rows("SELECT name, properties FROM node WHERE key = 'odd'") == [("odd", "{}")]
        assert bar.rows("SELECT count(*) FROM node WHERE key = 'negroni'") == [(1,)]
        assert [row[1] for row in interactions(bar)] == ["negroni", "odd"]

    def test_brings_its_own_items_and_people(self, bar):
        told = bulk(
            "('7', 'new', 'rated', 3, NULL, 1, NULL)",
            items=[export("new", ingredients=("gin",), name="The New")],
            users=[UserRow(key="7", properties={"age": 25})],
            types="VARCHAR",
        )
        ingest_bulk(bar, BAR, told)
        assert ingredients_of(bar, "new") == {"gin"}
        assert properties_of(bar, "7") == {"age": 25}

    def test_said_twice_is_the_same(self, bar):
        rows = ("(1, 7, 'rated', 4, NULL, 1, NULL)", "(1, 7, 'rated', 5, NULL, 1, NULL)")
        ingest_bulk(bar, BAR, bulk(*rows))
        once = contents(bar, "node", "edge", "interaction", "brought")
        ingest_bulk(bar, BAR, bulk(*rows))
        assert contents(bar, "node", "edge", "interaction", "brought") == once

    def test_keeps_the_newest_of_doubles_as_it_stands(self, bar):
        rows = (
            "(1, 7, 'rated', 5, TIMESTAMP '2024-01-02', 1, NULL)",
            "(1, 7, 'rated', 1, TIMESTAMP '2024-01-01', 1, 'Was awful.')",
            "(1, 7, 'rated', 2, NULL, 1, 'Never dated.')",
            "(2, 7, 'rated', 2, NULL, 1, NULL)",
            "(2, 7, 'rated', 3, NULL, 1, NULL)",
        )
        report = ingest_bulk(bar, BAR, bulk(*rows))
        assert interactions(bar) == [
            ("1", "7", "rated", 5.0, datetime(2024, 1, 2), 1, None),
            ("2", "7", "rated", 3.0, None, 1, None),
        ]
        assert (report.kept, report.merged) == (2, 3)

    def test_adds_up_plays_and_tells_events_apart(self, bar):
        rows = (
            "(1, 7, 'played', NULL, TIMESTAMP '2024-01-01', 3, NULL)",
            "(1, 7, 'played', NULL, TIMESTAMP '2024-01-02', 4, NULL)",
            "(1, 7, 'liked', NULL, NULL, 1, NULL)",
            "(1, 8, 'played', NULL, NULL, 5, NULL)",
        )
        ingest_bulk(bar, BAR, bulk(*rows))
        assert [(row[1], row[2], row[5]) for row in interactions(bar)] == [
            ("7", "liked", 1),
            ("7", "played", 7),
            ("8", "played", 5),
        ]

    def test_replaces_what_it_said_and_nothing_else(self, bar):
        ingest_bulk(bar, BAR, bulk("('ana', 'mojito', 'rated', 1, NULL, 1, NULL)", types="VARCHAR"))
        ingest_history(bar, BAR, history(ANA_RATES), by="ana")
        store_feedback(bar, BAR.name, "ana", node_of(bar, "mojito"), Event.LIKED)
        told = "('ana', 'gimlet', 'rated', 3, NULL, 1, NULL)"
        ingest_bulk(bar, BAR, bulk(told, types="VARCHAR"))
        assert [row[1] for row in interactions(bar, "movielens")] == ["gimlet"]
        assert len(interactions(bar, "planted")) == 2
        assert len(interactions(bar, "feedback")) == 1

    @pytest.mark.parametrize(
        "wrong",
        ["(1, 7, 'rated', 'five', NULL, 1, NULL)", "(1, 7, 'rated', 5, 'someday', 1, NULL)"],
    )
    def test_that_cannot_be_read_leaves_nothing(self, bar, wrong):
        before = contents(bar)
        with pytest.raises(Exception, match="onver"):
            ingest_bulk(bar, BAR, bulk("(2, 7, 'rated', 4, NULL, 1, NULL)", wrong))
        assert contents(bar) == before
        ingest_bulk(bar, BAR, bulk("(2, 7, 'rated', 4, NULL, 1, NULL)"))
        assert len(interactions(bar)) == 1


class TestWhatIsCutOff:
    """By a real signal to a real process, or by an error between two steps."""

    STEPS = ("write_items", "_write_users", "_write_interactions", "record_import", "commit")

    @pytest.mark.parametrize("step", STEPS)
    def test_by_a_kill_never_was(self, bar, path, elsewhere, step):
        self.never_was(bar, path, elsewhere(self.code(bar, IMPORT_UNTIL), path, step))

    @pytest.mark.parametrize("step", ["_map_keys", "_write_rows", "_merge_doubles"])
    def test_by_a_kill_amid_millions_never_was(self, bar, path, elsewhere, step):
        self.never_was(bar, path, elsewhere(self.code(bar, BULK_UNTIL), path, step))

    def test_by_ctrl_c_never_was(self, bar, path, elsewhere):
        before = contents(bar)
        process = elsewhere(self.code(bar, IMPORT_UNTIL), path, "record_import")
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate(timeout=60)
        assert "KeyboardInterrupt" in complaint
        with Store.open_(path) as store:
            assert contents(store) == before

    def code(self, bar, code):
        self.before = contents(bar)
        bar.close()
        return code

    def never_was(self, bar, path, process):
        process.kill()
        process.wait()
        with Store.open_(path) as store:
            assert contents(store) == self.before

    @pytest.mark.parametrize("step", ["_write_users", "_write_interactions", "record_import"])
    @pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
    def test_leaves_the_store_in_use(self, bar, monkeypatch, step, error):
        def fail(*_, **__):
            raise error

        before = contents(bar)
        told = history(ANA_RATES, [export("new", shelves=("summer",))])
        with monkeypatch.context() as patch, pytest.raises(error):
            patch.setattr(f"localrec.graph.history_ingest.{step}", fail)
            ingest_history(bar, BAR, told, by="ana")
        assert contents(bar) == before
        ingest_history(bar, BAR, told, by="ana")
        assert len(interactions(bar)) == 2


class TestAStoreOfSchema2:
    @pytest.fixture
    def old(self, path, monkeypatch):
        """Two receipts out of order, one of a domain that has an item."""
        import duckdb

        from localrec.graph import migrations

        path.parent.mkdir()
        with duckdb.connect(str(path)) as connection, monkeypatch.context() as patch:
            patch.setattr(migrations, "_STEPS", migrations._STEPS[:2])
            patch.setattr(migrations, "SCHEMA_VERSION", 2)
            migrate(connection, lambda _: None)
            connection.execute(
                "INSERT INTO import_receipt VALUES "
                """('2026-02-01', '{"domain": "books"}'), """
                """('2026-03-01', '{"domain": "cocktails"}'), """
                """('2026-01-01', '{"domain": "cocktails"}')"""
            )
            connection.execute(
                "INSERT INTO node VALUES (nextval('node_ids'), 'cocktails', 'cocktail', "
                "'negroni', 'Negroni', '{}')"
            )
        return path

    def test_keeps_its_receipts_in_their_order(self, old):
        with Store.open_(old) as store:
            assert store.rows("SELECT value FROM meta WHERE key = 'schema_version'") == [
                (str(SCHEMA_VERSION),)
            ]
            months = store.rows(
                "SELECT import_id, month(\"at\"), user_key, report->>'$.domain' "
                "FROM import_receipt ORDER BY import_id"
            )
        assert months == [
            (1, 1, None, "cocktails"),
            (2, 2, None, "books"),
            (3, 3, None, "cocktails"),
        ]

    def test_knows_that_its_items_came_with_a_catalogue(self, old):
        with Store.open_(old) as store:
            assert store.rows("SELECT * FROM brought") == [(1, 1)]
            ingest_history(store, BAR, history([], [export("negroni")]), by="ana")
            assert store.rows("SELECT count(*) FROM brought b WHERE node_id = 1") == [(1,)]
            assert store.rows("SELECT max(import_id) FROM import_receipt") == [(4,)]
