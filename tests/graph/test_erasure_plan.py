"""What goes when somebody is forgotten, what stays, and that nothing is left in the new file."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import msgspec
import pytest

from localrec.data.rows import AttributeLink, Event, HistoryRows, InteractionRow, ItemRow
from localrec.foundation.errors import UsageError, WorkspaceError
from localrec.graph.erasure_rules import TABLE_ERASURE_RULES
from localrec.graph.history_ingest import ingest_history
from localrec.graph.interactions import store_feedback
from localrec.graph.source_labels import add_source_labels
from localrec.graph.store import Store
from localrec.privacy.erasure_plan import ErasurePlan, ForgetScope
from localrec.privacy.leak_scan import PatternScanner, key_pattern
from localrec.privacy.store_rewrite import copy_remaining_rows, scan_store, sidecar_files
from tests.planted import BAR, a_report, planted_store

ANNABELLE, BOB = "annabelle.k", "bob@example.org"
HER_NOTE = "Drank it on the balcony with Theodora"
HIS_NOTE = "Drank it at the harbour, on my own"
ONLY_HERS, SHARED = "balcony-fizz", "harbour-punch"


def history(user: str, *drinks: str, note: str, shelf: str) -> HistoryRows:
    """A person's export: some drinks of their own, each with a note and on a shelf of theirs."""
    items = tuple(
        ItemRow(
            key=key,
            name=key.replace("-", " ").title() + " of the house",
            properties={"name": key, "description": f"{key} as {user} mixes it at home."},
            links=(
                AttributeLink(kind="ingredient", name="gin"),
                AttributeLink(kind="ingredient", name=f"tincture of {key}"),
                AttributeLink(kind="category", name=shelf, personal=True),
            ),
        )
        for key in drinks
    )
    interactions = tuple(
        InteractionRow(
            user=user,
            item=key,
            event=Event.RATED,
            rating=4.5,
            at=datetime(2025, 1, 1),
            note=note,
        )
        for key in drinks
    )
    return HistoryRows(items=items, interactions=interactions, report=a_report(len(items)))


@pytest.fixture
def two_people(path: Path) -> Store:
    """The planted bar and two people who share a drink of their own, with vectors and shelves."""
    store = planted_store(path.parent)
    for user, own, note, shelf in (
        (ANNABELLE, ONLY_HERS, HER_NOTE, "for balcony evenings"),
        (BOB, "pier-sour", HIS_NOTE, "for the harbour"),
    ):
        told = history(user, own, SHARED, note=note, shelf=shelf)
        ingest_history(store, BAR, told, by=user)
        (negroni,) = store.rows("SELECT node_id FROM node WHERE key = 'negroni'")[0]
        store_feedback(store, BAR.name, user, negroni, Event.LIKED, reason=f"{note}, again")
        store.execute(
            "INSERT INTO shelf SELECT u.node_id, g.node_id, now()::TIMESTAMP FROM node u, node g "
            "WHERE u.key = ? AND g.key = 'gin'",
            [user],
        )
    store.execute("INSERT INTO embedding SELECT node_id, 'name', 'm', 1, [0.5, 0.5] FROM node")
    store.close()
    return path


@pytest.fixture
def without(path: Path) -> Callable[[ForgetScope], Path]:
    """The store as it is after a scope was granted, as a new file beside the old one."""

    def rewrite(scope: ForgetScope) -> Path:
        fresh = path.with_name("fresh.duckdb")
        with Store.open_(path, may_read=sidecar_files(fresh)) as store:
            leaving = ErasurePlan(store, scope)
            copy_remaining_rows(leaving, fresh, PatternScanner(leaving.patterns()), lambda *_: None)
        return fresh

    return rewrite


def keys(store: Store, kind: str) -> set[str]:
    return {key for (key,) in store.rows("SELECT key FROM node WHERE kind = ?", [kind])}


def contents(path: Path) -> dict[str, list]:
    with Store.open_(path, read_only=True) as store:
        return {
            table: store.rows(f"SELECT * FROM {table} ORDER BY ALL")
            for table in TABLE_ERASURE_RULES
        }


class TestAPersonIsForgotten:
    def test_with_all_they_did_and_only_they_brought(self, two_people, without):
        with Store.open_(without(ForgetScope(user=ANNABELLE)), read_only=True) as store:
            assert keys(store, "user") == {BOB}
            assert {"pier-sour", SHARED, "negroni"} <= keys(store, "cocktail")
            assert ONLY_HERS not in keys(store, "cocktail")
            assert not {key for key in keys(store, "ingredient") if "balcony" in key}
            assert not {key for key in keys(store, "category") if "balcony" in key}
            assert store.rows("SELECT user_key FROM import_receipt ORDER BY import_id") == [
                (None,),
                (BOB,),
            ]
            for table, holding in TABLE_ERASURE_RULES.items():
                for column in holding.nodes:
                    dangling = store.rows(
                        f"SELECT count(*) FROM {table} WHERE {column} NOT IN "
                        "(SELECT node_id FROM node)"
                    )
                    assert dangling == [(0,)], f"{table}.{column}"

    def test_and_the_other_keeps_everything(self, two_people, without):
        def of_bob(path: Path) -> list:
            with Store.open_(path, read_only=True) as store:
                return [
                    store.rows(
                        "SELECT i.key, t.event, t.rating, t.at, t.note FROM interaction t "
                        "JOIN node u ON u.node_id = t.user_id JOIN node i ON i.node_id = t.item_id "
                        "WHERE u.key = ? ORDER BY ALL",
                        [BOB],
                    ),
                    store.rows(
                        "SELECT a.key, n.key, e.kind, e.properties FROM edge e "
                        "JOIN node n ON n.node_id = e.source_id "
                        "JOIN node a ON a.node_id = e.target_id "
                        "WHERE n.key IN ('pier-sour', ?) "
                        "AND coalesce(e.properties->>'$.by', '') <> ? ORDER BY ALL",
                        [SHARED, ANNABELLE],
                    ),
                    store.rows(
                        "SELECT s.node_id FROM shelf s JOIN node u ON u.node_id = s.user_id "
                        "WHERE u.key = ?",
                        [BOB],
                    ),
                ]

        before = of_bob(two_people)
        assert len(before[0]) == 3
        assert len(before[1]) >= 6
        assert of_bob(without(ForgetScope(user=ANNABELLE))) == before

    def test_and_the_catalogue_keeps_everything(self, two_people, without, tmp_path):
        def catalogue(path: Path) -> list:
            with Store.open_(path, read_only=True) as store:
                brought = "node_id IN (SELECT node_id FROM brought WHERE import_id = 1)"
                return store.rows(f"SELECT * FROM node WHERE {brought} ORDER BY ALL")

        before = catalogue(two_people)
        assert len(before) > 17
        assert catalogue(without(ForgetScope(user=ANNABELLE))) == before

    def test_so_that_no_value_of_the_new_store_has_a_trace(self, two_people, without):
        with Store.open_(two_people, read_only=True) as store:
            search = PatternScanner(ErasurePlan(store, ForgetScope(user=ANNABELLE)).patterns())
            assert {pattern.text for pattern in search.patterns} >= {ANNABELLE, HER_NOTE}
            assert scan_store(store, search).found
        with Store.open_(without(ForgetScope(user=ANNABELLE)), read_only=True) as store:
            scan = scan_store(store, search)
        assert (scan.found, scan.namesakes) == ((), ())

    def test_nor_has_any_byte_of_its_file(self, two_people, without):
        with Store.open_(two_people, read_only=True) as store:
            search = PatternScanner(ErasurePlan(store, ForgetScope(user=ANNABELLE)).patterns())
        assert search.in_file(two_people)
        assert not search.in_file(without(ForgetScope(user=ANNABELLE)))

    def test_with_rows_whose_person_is_gone_already(self, two_people, without):
        with Store.open_(two_people) as store:
            store.execute(
                "INSERT INTO interaction VALUES (987654, 1, 'liked', NULL, NULL, 1, 'table', ?)",
                ["A note that somebody once left behind"],
            )
        with Store.open_(without(ForgetScope(user=ANNABELLE)), read_only=True) as store:
            assert store.rows("SELECT count(*) FROM interaction") == [(3,)]

    def test_in_one_domain_only_where_one_was_named(self, two_people, without):
        with Store.open_(two_people) as store:
            store.execute(
                "INSERT INTO node SELECT nextval('node_ids'), 'movies', 'user', ?, ?, '{}'",
                [ANNABELLE, ANNABELLE],
            )
            leaving = ErasurePlan(store, ForgetScope(user=ANNABELLE, domain="cocktails"))
            assert leaving.domains() == ["cocktails"]
            assert ANNABELLE not in {pattern.text for pattern in leaving.patterns()}
        with Store.open_(without(ForgetScope(user=ANNABELLE, domain="cocktails"))) as store:
            assert store.rows("SELECT domain FROM node WHERE key = ?", [ANNABELLE]) == [("movies",)]

    def test_whom_nobody_knows_changes_nothing(self, two_people, without):
        before = contents(two_people)
        assert contents(without(ForgetScope(user="nobody-here"))) == before

    def test_twice_as_well_as_once(self, two_people, without):
        once = without(ForgetScope(user=ANNABELLE))
        first = contents(once)
        once.replace(two_people)
        assert contents(without(ForgetScope(user=ANNABELLE))) == first

    def test_and_may_come_back(self, two_people, without):
        with Store.open_(two_people, read_only=True) as store:
            (last,) = store.rows("SELECT max(node_id) FROM node")[0]
        told = history(ANNABELLE, ONLY_HERS, SHARED, note=HER_NOTE, shelf="for balcony evenings")
        with Store.open_(without(ForgetScope(user=ANNABELLE))) as store:
            ingest_history(store, BAR, told, by=ANNABELLE)
            assert {ANNABELLE, BOB} == keys(store, "user")
            assert ONLY_HERS in keys(store, "cocktail")
            new = store.rows("SELECT node_id FROM node WHERE key = ?", [ANNABELLE])
            assert new[0][0] > last  # no id is given twice

    def test_whose_own_receipt_is_not_the_only_one_that_mentions_them(self, two_people, without):
        report = (
            '{"source":"planted","path":"/home/annabelle.k/all.csv","domain":"cocktails","read":2,'
            '"kept":1,"merged":0,"dropped":1,"problems":['
            '{"row":1,"column":"user","action":"dropped","problem":"annabelle.k comes twice"},'
            '{"row":2,"column":"user","action":"dropped","problem":"somebody comes twice"}]}'
        )
        with Store.open_(two_people) as store:
            store.execute(
                "INSERT INTO import_receipt VALUES (nextval('import_ids'), NULL, now(), ?)",
                [report],
            )
        with Store.open_(without(ForgetScope(user=ANNABELLE)), read_only=True) as store:
            told = [one for (one,) in store.rows("SELECT report FROM import_receipt")]
        assert not [one for one in told if "annabelle" in one]
        assert any("somebody comes twice" in one for one in told)


class TestAnItemIsForgotten:
    def test_with_what_was_said_of_it_and_what_only_it_led_to(self, two_people, without):
        with Store.open_(without(ForgetScope(item="negroni")), read_only=True) as store:
            assert "negroni" not in keys(store, "cocktail")
            assert keys(store, "user") == {ANNABELLE, BOB}
            assert store.rows("SELECT count(*) FROM interaction") == [(4,)]
            assert {"gin", "campari"} <= keys(store, "ingredient")

    def test_with_attributes_that_nothing_leads_to(self, two_people, without):
        with Store.open_(without(ForgetScope(item="pier-sour")), read_only=True) as store:
            assert not {key for key in keys(store, "ingredient") if "pier" in key}
            assert {key for key in keys(store, "ingredient") if "balcony" in key}
            assert len(keys(store, "cocktail")) == 19

    def test_but_no_attribute_of_its_name(self, two_people, without):
        before = contents(two_people)
        assert contents(without(ForgetScope(item="gin"))) == before


class TestASpanOfTimeIsForgotten:
    NEW_YEAR = datetime(2026, 1, 1)

    def test_with_what_happened_in_it(self, two_people, without):
        with Store.open_(two_people) as store:
            store.execute("UPDATE import_receipt SET \"at\" = TIMESTAMP '2025-02-01'")
        with Store.open_(without(ForgetScope(since=self.NEW_YEAR)), read_only=True) as store:
            assert store.rows("SELECT count(*) FROM interaction") == [(4,)]  # the export's
            assert store.rows("SELECT count(*) FROM shelf") == [(0,)]
            assert keys(store, "user") == {ANNABELLE, BOB}
            assert ONLY_HERS in keys(store, "cocktail")

    def test_of_one_person_only_where_one_was_named(self, two_people, without):
        scope = ForgetScope(user=ANNABELLE, since=datetime(2020, 1, 1))
        with Store.open_(without(scope), read_only=True) as store:
            left = store.rows(
                "SELECT u.key, count(*) FROM interaction t JOIN node u ON u.node_id = t.user_id "
                "GROUP BY ALL"
            )
            assert left == [(BOB, 3)]
            assert keys(store, "user") == {ANNABELLE, BOB}
            assert ONLY_HERS not in keys(store, "cocktail")  # her import was since then too

    def test_but_undated_interactions_stay_and_are_counted(self, two_people):
        with Store.open_(two_people) as store:
            store.execute('UPDATE interaction SET "at" = NULL')
            leaving = ErasurePlan(store, ForgetScope(since=self.NEW_YEAR))
            assert leaving.undated() == 6
            assert "interaction" not in leaving.counts()

    def test_and_an_item_stays_that_something_older_was_done_with(self, two_people, without):
        with Store.open_(two_people) as store:
            store.execute("UPDATE import_receipt SET \"at\" = TIMESTAMP '2026-02-01'")
        with Store.open_(without(ForgetScope(since=self.NEW_YEAR)), read_only=True) as store:
            assert ONLY_HERS in keys(store, "cocktail")


class TestTheSchema:
    def test_has_no_table_without_a_declaration(self, path):
        with Store.open_(path) as store:
            tables = {name for (name,) in store.rows("SELECT table_name FROM duckdb_tables()")}
            assert tables == set(TABLE_ERASURE_RULES), (
                "declare it in localrec/privacy/erasure_plan.py"
            )

    def test_has_no_column_of_nodes_without_a_declaration(self, path):
        with Store.open_(path) as store:
            columns = store.rows(
                "SELECT table_name, column_name FROM duckdb_columns() "
                "WHERE NOT internal AND column_name LIKE '%\\_id' ESCAPE '\\' "
                "AND table_name IN (SELECT table_name FROM duckdb_tables())"
            )
        for table, column in columns:
            holding = TABLE_ERASURE_RULES[table]
            assert column in (*holding.nodes, holding.imports, holding.own), f"{table}.{column}"

    def test_of_somebody_else_is_refused(self, two_people):
        with Store.open_(two_people) as store:
            store.execute("CREATE TABLE diary (day DATE, words VARCHAR)")
            with pytest.raises(WorkspaceError, match="diary"):
                ErasurePlan(store, ForgetScope(user=ANNABELLE))

    def test_names_no_source_that_only_the_forgotten_had(self, two_people, without):
        with Store.open_(two_people) as store:
            of_hers = history(ANNABELLE, ONLY_HERS, SHARED, note=HER_NOTE, shelf="for evenings")
            report = msgspec.structs.replace(of_hers.report, source="balcony-app")
            told = msgspec.structs.replace(of_hers, report=report)
            ingest_history(store, BAR, told, by=ANNABELLE)
        for scope, is_named in ((BOB, True), (ANNABELLE, False)):
            with Store.open_(without(ForgetScope(user=scope)), read_only=True) as store:
                [[sql]] = store.rows(
                    "SELECT sql FROM duckdb_tables() WHERE table_name = 'interaction'"
                )
                assert ("balcony-app" in sql) is is_named

    def test_of_the_new_store_is_that_of_a_migrated_one(self, two_people, without, tmp_path):
        def schema(path: Path) -> tuple[list, list]:
            with Store.open_(path) as store:
                add_source_labels(store, ["planted"])
                return (
                    store.rows("SELECT sql FROM duckdb_tables() ORDER BY table_name"),
                    store.rows(
                        "SELECT table_name, constraint_type, constraint_column_names "
                        "FROM duckdb_constraints() ORDER BY ALL"
                    ),
                )

        assert schema(without(ForgetScope(user=BOB))) == schema(tmp_path / "new" / "store.duckdb")


@pytest.mark.parametrize(
    "scope",
    [
        ForgetScope(),
        ForgetScope(user=""),
        ForgetScope(item="negroni", user=BOB),
        ForgetScope(item="negroni", since=datetime(2025, 1, 1)),
        ForgetScope(domain="cocktails"),
    ],
)
def test_a_wish_that_says_nothing_or_too_much_is_refused(bar, scope):
    with pytest.raises(UsageError):
        ErasurePlan(bar, scope)


class TestNamesakes:
    def test_in_a_catalogue_are_told_apart_from_traces(self, bar):
        scan = scan_store(bar, PatternScanner([key_pattern("Negroni")]))
        assert scan.found == ()
        assert {trace.place for trace in scan.namesakes} == {"node.name", "node.properties"}
        assert {pattern.text for pattern in scan.shared} == {"Negroni"}

    def test_in_a_place_of_persons_are_traces(self, two_people):
        with Store.open_(two_people, read_only=True) as store:
            found = scan_store(store, PatternScanner([key_pattern(BOB)])).found
        assert {trace.place for trace in found} >= {
            "edge.properties",
            "import_receipt.user_key",
            "node.key",
        }

    def test_on_somebody_else_s_shelf_are_told_apart(self, path, without):
        with planted_store(path.parent) as store:
            told = history(ANNABELLE, ONLY_HERS, note=HER_NOTE, shelf="for balcony evenings")
            ingest_history(store, BAR, told, by=ANNABELLE)
            told = history(BOB, "pier-sour", note=HIS_NOTE, shelf=ANNABELLE)
            ingest_history(store, BAR, told, by=BOB)
        with Store.open_(without(ForgetScope(user=ANNABELLE)), read_only=True) as store:
            scan = scan_store(store, PatternScanner([key_pattern(ANNABELLE)]))
        assert scan.found == ()
        assert "edge.properties" in {trace.place for trace in scan.namesakes}

    def test_do_not_hide_a_link_that_the_forgotten_said(self, two_people, without):
        fresh = without(ForgetScope(user=ANNABELLE))
        with Store.open_(fresh) as store:
            store.execute(
                "UPDATE edge SET properties = json_object('by', ?) WHERE rowid = 0", [ANNABELLE]
            )
            scan = scan_store(store, PatternScanner([key_pattern(ANNABELLE)]))
        assert [(trace.place, trace.count) for trace in scan.found] == [("edge.properties", 1)]
        assert scan.namesakes == ()

    @pytest.mark.parametrize("name", ["liked", "feedback", "user", "cocktails", "cocktail"])
    def test_of_localrec_s_own_words_are_told_apart(self, two_people, name):
        with Store.open_(two_people, read_only=True) as store:
            scan = scan_store(store, PatternScanner([key_pattern(name)]))
        assert scan.found == ()
        assert scan.namesakes

    def test_do_not_hide_what_a_receipt_says_of_the_forgotten(self, two_people):
        report = '{"source":"x","domain":"cocktails","path":"/home/annabelle.k/all.csv"}'
        with Store.open_(two_people) as store:
            store.execute(
                "INSERT INTO import_receipt VALUES (nextval('import_ids'), NULL, now(), ?)",
                [report],
            )
            places = {
                one.place
                for one in scan_store(store, PatternScanner([key_pattern(ANNABELLE)])).found
            }
        assert "import_receipt.report" in places
