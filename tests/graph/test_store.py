"""What the store promises: doors shut, one writer or many readers, all or nothing, no surprises."""

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import duckdb
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from localrec.foundation.errors import BusyError, WorkspaceError
from localrec.graph.migrations import SCHEMA_VERSION
from localrec.graph.store import Store

# The schema as version 1 wrote it. It stands here a second time on purpose: a released step that
# is edited would let the tests below pass and break the stores that people have.
VERSION_1 = """
    CREATE TABLE meta (key VARCHAR PRIMARY KEY, value VARCHAR NOT NULL);
    CREATE SEQUENCE node_ids;
    CREATE TABLE node (
        node_id BIGINT PRIMARY KEY, domain VARCHAR NOT NULL, kind VARCHAR NOT NULL,
        key VARCHAR NOT NULL, name VARCHAR NOT NULL, properties JSON NOT NULL,
        UNIQUE (domain, kind, key)
    );
    CREATE TABLE edge (
        source_id BIGINT NOT NULL, target_id BIGINT NOT NULL, kind VARCHAR NOT NULL,
        weight FLOAT NOT NULL, properties JSON, "at" TIMESTAMP
    );
    CREATE TABLE embedding (
        node_id BIGINT NOT NULL, field VARCHAR NOT NULL, model VARCHAR NOT NULL,
        text_hash UBIGINT NOT NULL, vector FLOAT[] NOT NULL
    );
    INSERT INTO meta VALUES ('schema_version', '1');
    INSERT INTO node VALUES (nextval('node_ids'), 'cocktails', 'cocktail', 'fizz', 'Fizz', '{}');
"""
COUNT_ITEMS = """
from localrec.graph.store import Store
with Store.open_(Path(sys.argv[1]), read_only=True) as store:
    print(store.rows("SELECT count(*) FROM node WHERE kind = 'cocktail'")[0][0])
"""
HOLD = """
from localrec.graph.store import Store
with Store.open_(Path(sys.argv[1]), read_only=sys.argv[2] == "reads"):
    halt()
"""


def made_by_hand(path, sql):
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = duckdb.connect(str(path))
    connection.execute(sql)
    connection.close()


def set_version(path, version):
    made_by_hand(path, f"UPDATE meta SET value = '{version}' WHERE key = 'schema_version'")


def columns_of(store, table):
    return store.rows(
        "SELECT column_name, data_type, is_nullable FROM information_schema.columns "
        "WHERE table_name = ? ORDER BY ordinal_position",
        [table],
    )


class TestDoorsAreShut:
    @pytest.fixture(params=["reader", "writer"])
    def opened(self, request, bar, path):
        if request.param == "writer":
            yield bar
            return
        bar.close()
        with Store.open_(path, read_only=True) as reader:
            yield reader

    @pytest.mark.parametrize(
        "sql",
        [
            "INSTALL httpfs",
            "LOAD httpfs",
            "FORCE INSTALL sqlite FROM community",
            "SELECT * FROM read_csv('{outside}')",
            "SELECT * FROM read_text('{outside}')",
            "SELECT * FROM glob('{folder}/*')",
            "SELECT * FROM '{outside}'",
            "SELECT * FROM read_csv('https://192.0.2.1/a.csv')",
            "COPY (SELECT 1) TO '{folder}/written.csv'",
            "EXPORT DATABASE '{folder}/exported'",
            "ATTACH '{folder}/other.duckdb' AS other",
            "SET enable_external_access = true",
            "SET autoinstall_known_extensions = true",
            "SET memory_limit = '64GB'",
            "RESET lock_configuration",
        ],
    )
    def test_to(self, opened, tmp_path, sql):
        outside = tmp_path / "outside.csv"
        outside.write_text("secret\n1\n")
        before = sorted(tmp_path.rglob("*"))
        with pytest.raises(duckdb.Error):
            opened.rows(sql.format(outside=outside, folder=tmp_path))
        assert sorted(tmp_path.rglob("*")) == before

    def test_but_a_store_of_its_own_may_be_queried(self, opened):
        assert opened.rows("SELECT count(*) FROM node WHERE kind = 'cocktail'") == [(17,)]

    def test_and_nobody_else_may_look_into_the_folder(self, bar, path):
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.parent.stat().st_mode & 0o777 == 0o700


class TestSharing:
    def test_readers_share_the_file(self, bar, path, elsewhere):
        bar.close()
        elsewhere(HOLD, path, "reads")
        with Store.open_(path, read_only=True) as store:
            assert store.rows("SELECT count(*) FROM node WHERE kind = 'cocktail'") == [(17,)]
            again = [sys.executable, "-c", "import sys; from pathlib import Path\n" + COUNT_ITEMS]
            third = subprocess.run([*again, path], capture_output=True, text=True, check=True)
            assert third.stdout == "17\n"

    @pytest.mark.parametrize("holder", ["reads", "writes"])
    def test_a_writer_that_comes_second_learns_who_holds_it(self, bar, path, elsewhere, holder):
        bar.close()
        process = elsewhere(HOLD, path, holder)
        with pytest.raises(BusyError, match=rf"in use by process {process.pid}\b"):
            Store.open_(path, wait_s=0.2)

    def test_a_reader_that_comes_second_learns_who_writes(self, bar, path, elsewhere):
        bar.close()
        process = elsewhere(HOLD, path, "writes")
        with pytest.raises(BusyError, match=rf"in use by process {process.pid}\b") as caught:
            Store.open_(path, read_only=True, wait_s=0.2)
        assert caught.value.exit_code == 3

    def test_threads_that_open_it_at_once_all_get_in(self, bar, path):
        bar.close()
        with ThreadPoolExecutor(4) as pool:
            several = [
                pool.submit(lambda: Store.open_(path, read_only=True).close()) for _ in range(400)
            ]
        assert [one.exception() for one in several] == [None] * 400

    def test_a_connection_beside_outlives_the_first_behind_the_same_doors(self, bar, path):
        bar.close()
        with Store.open_(path, read_only=True) as first:
            beside = first.beside()
        with beside:
            assert beside.rows("SELECT count(*) FROM node WHERE kind = 'cocktail'") == [(17,)]
            with pytest.raises(duckdb.Error, match="disabled"):
                beside.rows(f"SELECT * FROM read_text('{__file__}')")

    def test_who_comes_second_waits_for_the_first_to_finish(self, bar, path, elsewhere):
        bar.close()
        process = elsewhere(HOLD, path, "writes")
        threading.Timer(0.3, process.kill).start()
        with Store.open_(path, wait_s=60) as store:
            assert store.rows("SELECT count(*) FROM node WHERE kind = 'cocktail'") == [(17,)]

    def test_a_reader_cannot_write(self, bar, path):
        bar.close()
        with (
            Store.open_(path, read_only=True) as reader,
            pytest.raises(duckdb.Error, match="read-only"),
        ):
            reader.execute("DELETE FROM node")

    def test_there_is_nothing_to_read_in_an_empty_workspace(self, path):
        with pytest.raises(WorkspaceError, match="nothing in the workspace"):
            Store.open_(path, read_only=True)
        assert not path.parent.exists()


class TestForeignFiles:
    @pytest.mark.parametrize("read_only", [False, True])
    @pytest.mark.parametrize(
        "content",
        [
            b"just some notes\n" * 500,
            b"SQLite format 3\0" + bytes(8000),
            bytes(range(256)) * 200,
            b"DUCK",
        ],
        ids=["text", "sqlite", "bytes", "short"],
    )
    def test_are_named_and_left_as_they_are(self, path, content, read_only):
        path.parent.mkdir()
        path.write_bytes(content)
        with pytest.raises(WorkspaceError, match="is not a store") as caught:
            Store.open_(path, read_only=read_only)
        assert str(path) in caught.value.message
        assert caught.value.hint
        assert path.read_bytes() == content

    @pytest.mark.parametrize("kept", [100, 4096, 12288, 20_000])
    def test_a_store_cut_short_is_named(self, bar, path, kept):
        bar.close()
        whole = path.read_bytes()
        path.write_bytes(whole[:kept])
        with pytest.raises(WorkspaceError, match="is not a store"):
            Store.open_(path, read_only=True)

    def test_a_folder_in_its_place_is_named(self, path):
        path.mkdir(parents=True)
        with pytest.raises(WorkspaceError, match="is not a store"):
            Store.open_(path)


class TestMigrations:
    @pytest.fixture
    def old(self, tmp_path):
        path = tmp_path / "old" / "store.duckdb"
        made_by_hand(path, VERSION_1)
        return path

    @pytest.mark.parametrize("read_only", [False, True])
    def test_an_old_store_is_brought_up_to_date_and_keeps_its_rows(self, old, read_only):
        with Store.open_(old, read_only=read_only) as store:
            assert store.rows("SELECT key, name FROM node") == [("fizz", "Fizz")]
            assert store.rows("SELECT count(*) FROM import_receipt") == [(0,)]
            assert store.rows("SELECT value FROM meta WHERE key = 'schema_version'") == [
                (str(SCHEMA_VERSION),)
            ]

    @pytest.mark.parametrize("table", ["meta", "node", "edge", "embedding", "import_receipt"])
    def test_an_old_store_ends_with_the_schema_of_a_new_one(self, old, path, table):
        with Store.open_(old) as grown, Store.open_(path) as new:
            assert columns_of(grown, table) == columns_of(new, table) != []

    def test_the_present_is_not_migrated_again(self, bar, path):
        bar.close()
        for _ in range(2):
            with Store.open_(path) as store:
                assert store.rows("SELECT count(*) FROM import_receipt") == [(1,)]

    @pytest.mark.parametrize("read_only", [False, True])
    def test_a_newer_store_is_refused_and_left_as_it_is(self, bar, path, read_only):
        bar.close()
        set_version(path, SCHEMA_VERSION + 1)
        with pytest.raises(WorkspaceError, match=rf"schema {SCHEMA_VERSION + 1}") as caught:
            Store.open_(path, read_only=read_only)
        assert "Upgrade localrec" in caught.value.hint
        set_version(path, SCHEMA_VERSION)
        with Store.open_(path, read_only=True) as store:
            assert store.rows("SELECT count(*) FROM node WHERE kind = 'cocktail'") == [(17,)]

    def test_a_step_that_fails_leaves_the_old_schema(self, old, monkeypatch):
        steps = ("SELECT 1", "CREATE TABLE halfway (a INT); SELECT * FROM no_such_table")
        monkeypatch.setattr("localrec.graph.migrations._STEPS", steps)
        with pytest.raises(WorkspaceError, match="not a store"):
            Store.open_(old)
        monkeypatch.undo()
        with Store.open_(old) as store:
            tables = {name for (name,) in store.rows("SELECT table_name FROM duckdb_tables()")}
            assert "import_receipt" in tables
            assert "halfway" not in tables


class TestTransactions:
    @pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
    def test_whatever_ends_one_early_leaves_nothing(self, bar, path, error):
        with pytest.raises(error), bar.transaction():
            bar.execute("DELETE FROM edge")
            raise error
        assert bar.rows("SELECT count(*) > 0 FROM edge") == [(True,)]
        with bar.transaction():  # and the store can go on
            bar.execute("DELETE FROM edge")
        bar.close()
        with Store.open_(path, read_only=True) as store:
            assert store.rows("SELECT count(*) FROM edge") == [(0,)]

    def test_staged_columns_are_gone_afterwards(self, bar):
        with pytest.raises(ValueError), bar.staged(guest={"a": np.arange(3)}):
            assert bar.rows("SELECT sum(a) FROM guest") == [(3,)]
            raise ValueError
        with pytest.raises(duckdb.Error, match="guest"):
            bar.rows("SELECT * FROM guest")


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    """A store with a dozen nodes of one domain, ids 0 to 11."""
    path = tmp_path_factory.mktemp("shelf") / "store.duckdb"
    with Store.open_(path) as store:
        store.execute(
            "INSERT INTO node SELECT i, 'films', 'film', 'film-' || i, 'Film', '{}' "
            "FROM range(12) r(i)"
        )
        yield store


class TestEmbeddings:
    @settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(data=st.data(), size=st.integers(1, 6))
    def test_what_was_written_is_read_and_a_second_writing_replaces_the_first(
        self, shelf, data, size
    ):
        shelf.execute("DELETE FROM embedding")
        expected = {}
        numbers = st.floats(width=32, allow_nan=False)
        for _ in range(2):
            nodes = data.draw(st.lists(st.integers(0, 11), unique=True, max_size=12))
            vectors = data.draw(arrays.arrays(np.float32, (len(nodes), size), elements=numbers))
            shelf.write_embeddings("name", "m", nodes, [7] * len(nodes), vectors)
            expected.update(zip(nodes, vectors, strict=True))
        found, matrix = shelf.read_embeddings("films", "name", "m")
        assert found.tolist() == sorted(expected)
        assert matrix.dtype == np.float32
        for node, vector in zip(found.tolist(), matrix, strict=True):
            assert vector.tolist() == expected[node].tolist()

    def test_fields_models_and_domains_are_kept_apart(self, shelf):
        shelf.execute("DELETE FROM embedding")
        for field, model, value in (("name", "m", 1), ("name", "other", 2), ("looks", "m", 3)):
            shelf.write_embeddings(field, model, [4], [value], np.full((1, 2), value, np.float32))
        _, matrix = shelf.read_embeddings("films", "name", "m")
        assert matrix.tolist() == [[1.0, 1.0]]
        assert len(shelf.read_embeddings("books", "name", "m")[0]) == 0

    def test_the_fingerprint_notices_two_nodes_that_swap_their_texts(self, shelf):
        shelf.execute("DELETE FROM embedding")

        def fingerprint(*hashes):
            shelf.write_embeddings("name", "m", [1, 2], hashes, np.eye(2, dtype=np.float32))
            return shelf.embedding_fingerprint("films", "name", "m")

        first = fingerprint(10, 20)
        assert fingerprint(20, 10) != first
        assert fingerprint(10, 20) == first
        assert fingerprint(10, 10) != first

    def test_the_fingerprint_is_of_one_domain_field_and_model(self, shelf):
        shelf.execute("DELETE FROM embedding")
        shelf.write_embeddings("name", "m", [1], [10], np.eye(1, dtype=np.float32))
        of = shelf.embedding_fingerprint
        before = of("films", "name", "m")
        shelf.write_embeddings("name", "other", [1], [10], np.eye(1, dtype=np.float32))
        assert of("films", "name", "m") == before
        others = {of("films", "name", "other"), of("films", "looks", "m"), of("books", "name", "m")}
        assert before not in others


def test_a_disk_that_fails_under_duckdb_is_told_in_a_sentence(bar, path, monkeypatch):
    import duckdb

    class Failing:
        def __init__(self, error):
            self.error = error

        def execute(self, *_):
            raise self.error

        def close(self):
            pass

    for error in (
        duckdb.IOException("fsync failed!"),
        duckdb.FatalException("the log could not be synced"),
        duckdb.InternalException("database has been invalidated because of a previous fatal error"),
    ):
        store = Store(Failing(error), path, read_only=False)
        with pytest.raises(WorkspaceError, match="The disk failed"):
            store.execute("CHECKPOINT")
    with pytest.raises(duckdb.ParserException):
        Store(Failing(duckdb.ParserException("no SQL")), path, read_only=False).execute("x")


def test_a_broken_transaction_tells_what_broke_it_and_lets_staged_columns_go(tmp_path):
    with Store.open_(tmp_path / "store.duckdb") as store:
        columns = {"key": np.array(["twice", "twice"], dtype=object)}
        with (
            pytest.raises(duckdb.ConstraintException, match="twice"),
            store.transaction(),
            store.staged(staged_key=columns),
        ):
            store.execute("INSERT INTO meta SELECT key, '1' FROM staged_key")
        with store.staged(staged_key={"key": np.array(["once"], dtype=object)}):
            assert store.rows("FROM staged_key") == [("once",)]
