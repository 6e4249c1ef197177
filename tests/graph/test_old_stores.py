"""Stores that earlier versions wrote: each opens with everything in it, and the way back is kept.

`stores/schema-N.duckdb.xz` was written by the program of schema N: a catalogue of four drinks, and
from schema 4 on anna, her rating, her shelf, her films and a memory that she wrote herself.
"""

from __future__ import annotations

import lzma
import shutil
from hashlib import sha256
from pathlib import Path

import duckdb
import pytest

from localrec.export.restore import go_back
from localrec.foundation.errors import WorkspaceError
from localrec.graph.journal import STORE, open_settled
from localrec.graph.kept_copies import FOLDER, kept_copies
from localrec.graph.migrations import SCHEMA_VERSION
from localrec.graph.store import schema_of
from localrec.graph.store_checks import orphan_rows, repeated_rows

STORES = sorted((Path(__file__).parent / "stores").glob("schema-*.duckdb.xz"))
OLD = [int(path.name.split(".")[0].removeprefix("schema-")) for path in STORES]


@pytest.fixture
def unpack(workspace_path):
    """Puts the store of a schema into a workspace; returns its checksum."""

    def put(schema: int) -> str:
        workspace_path.mkdir()
        (workspace_path / "settings.toml").write_text('embedder = "hashing"\n')
        packed = Path(__file__).parent / "stores" / f"schema-{schema}.duckdb.xz"
        content = lzma.decompress(packed.read_bytes())
        (workspace_path / STORE).write_bytes(content)
        return sha256(content).hexdigest()

    return put


def counts_of(path: Path) -> dict[str, int]:
    with duckdb.connect(str(path), read_only=True) as connection:
        names = [
            n for (n,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        ]
        return {
            name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0]
            for name in names
            if name != "meta"
        }


def test_there_is_one_of_every_schema_since_receipts():
    assert list(range(2, SCHEMA_VERSION)) == OLD


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("schema", OLD)
def test_each_opens_with_every_row(unpack, workspace_path, schema, read_only):
    unpack(schema)
    before = counts_of(workspace_path / STORE)
    with open_settled(workspace_path, read_only=read_only) as store:
        assert store.rows("SELECT name FROM items WHERE domain = 'cocktails' ORDER BY 1") == [
            ("Daiquiri",), ("Gimlet",), ("Limeade",), ("Negroni",),
        ]  # fmt: skip
        assert not orphan_rows(store) and not repeated_rows(store)
        if schema >= 4:
            assert store.rows("SELECT text FROM memories WHERE pinned") == [("Likes it bitter.",)]
            assert store.rows(
                "SELECT item, stars FROM interactions WHERE domain = 'cocktails'"
            ) == [("Negroni", 4.5)]
            assert store.rows("SELECT key FROM shelves ORDER BY 1") == [("campari",), ("gin",)]
    after = counts_of(workspace_path / STORE)
    assert {name: after[name] for name in before} == before


@pytest.mark.parametrize("schema", OLD)
def test_each_is_kept_as_it_was_before_it_is_brought_up_to_date(unpack, workspace_path, schema):
    checksum = unpack(schema)
    open_settled(workspace_path, read_only=True).close()
    [copy] = kept_copies(workspace_path)
    assert (copy.schema, copy.sha256) == (schema, checksum)
    path = workspace_path / FOLDER / copy.name
    assert path.stat().st_mode & 0o077 == 0 and path.parent.stat().st_mode & 0o077 == 0
    open_settled(workspace_path, read_only=False).close()
    assert kept_copies(workspace_path) == [copy]


def test_going_back_returns_to_the_very_bytes_and_once_more_to_what_came_since(
    unpack, workspace_path
):
    checksum = unpack(4)
    with open_settled(workspace_path, read_only=False) as store:
        store.execute("DELETE FROM interaction")
    assert go_back(workspace_path).schema == 4
    assert sha256((workspace_path / STORE).read_bytes()).hexdigest() == checksum
    assert go_back(workspace_path).schema == SCHEMA_VERSION
    with open_settled(workspace_path, read_only=True) as store:
        assert store.rows("SELECT count(*) FROM interaction") == [(0,)]


def test_going_back_works_where_the_store_is_none_any_more(unpack, workspace_path):
    unpack(5)
    open_settled(workspace_path, read_only=False).close()
    (workspace_path / STORE).write_bytes(b"no store at all")
    assert go_back(workspace_path).schema == 5
    with open_settled(workspace_path, read_only=True) as store:
        assert store.rows("SELECT count(*) FROM memories") != [(0,)]


def test_a_damaged_copy_is_never_put_in_place(unpack, workspace_path):
    unpack(5)
    open_settled(workspace_path, read_only=False).close()
    [copy] = kept_copies(workspace_path)
    with (workspace_path / FOLDER / copy.name).open("r+b") as file:
        file.seek(5000)
        file.write(b"rot")
    with pytest.raises(WorkspaceError, match="There is no sound copy"):
        go_back(workspace_path)
    assert schema_of(workspace_path / STORE) == SCHEMA_VERSION


def test_a_disk_without_room_for_the_copy_leaves_the_old_store(unpack, workspace_path, monkeypatch):
    checksum = unpack(5)
    monkeypatch.setattr(
        "localrec.graph.kept_copies.shutil.disk_usage",
        lambda _: shutil._ntuple_diskusage(0, 0, 10),
    )
    with pytest.raises(WorkspaceError, match="A copy of the store"):
        open_settled(workspace_path, read_only=True)
    assert sha256((workspace_path / STORE).read_bytes()).hexdigest() == checksum


def test_doctor_names_the_copy_and_goes_back_to_it(unpack, workspace_path, cli):
    checksum = unpack(5)
    told = cli("doctor", "--workspace", workspace_path)
    words = " ".join(told.out.split())
    assert f"made before schema {SCHEMA_VERSION}" in words and "--go-back" in words
    assert "rows: each belongs to somebody" in told.out
    assert cli("doctor", "--go-back", "--workspace", workspace_path).code == 0
    assert sha256((workspace_path / STORE).read_bytes()).hexdigest() == checksum


def test_forgetting_somebody_takes_the_copies_that_hold_them(unpack, workspace_path, cli):
    unpack(5)
    told = cli("forget", "--user", "anna", "--yes", "--workspace", workspace_path)
    assert told.code == 0
    assert not list((workspace_path / FOLDER).glob("*"))


def test_other_programs_read_events_and_sources_as_texts(unpack, workspace_path):
    unpack(6)
    with open_settled(workspace_path, read_only=True) as store:
        types = store.rows(
            "SELECT DISTINCT typeof(event), typeof(source) FROM interactions ORDER BY ALL"
        )
        assert types == [("VARCHAR", "VARCHAR")]
        assert ("rated", "letterboxd") in store.rows("SELECT event, source FROM interactions")


def test_a_source_that_no_version_ships_is_kept(unpack, workspace_path):
    unpack(6)
    with duckdb.connect(str(workspace_path / STORE)) as connection:
        connection.execute("UPDATE interaction SET source = 'pub''s own' WHERE event = 'liked'")
    with open_settled(workspace_path, read_only=True) as store:
        assert store.rows("SELECT event FROM interactions WHERE source = 'pub''s own'") == [
            ("liked",)
        ]
