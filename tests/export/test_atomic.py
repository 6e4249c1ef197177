"""RecBole's files: read back by our own reader, split by time, written without holding the rows."""

import pytest

from localrec.export.exporter import run_export
from localrec.export.plan import plan_export
from localrec.foundation.errors import InputError
from localrec.graph.store import Store
from localrec.sources.recbole import AtomicTable


def rows_of(path):
    table = AtomicTable(path)
    rows = [cells for _, cells in table.rows()]
    assert table.ragged == []
    return rows


@pytest.fixture
def atomic(export, tmp_path):
    """Exports the films; gives the rows of one file by its ending."""
    folder = tmp_path / "films"

    def call(ending=".inter", **options):
        export(folder, form="recbole", domain="movies", force=True, **options)
        return rows_of(folder / f"films{ending}")

    return call


class TestInteractions:
    def test_have_one_row_a_pair_with_the_newest_rating_and_time(self, atomic):
        rows = atomic()
        pairs = [(row["user_id"], row["item_id"]) for row in rows]
        assert len(set(pairs)) == len(pairs) == 5
        fargo = rows[pairs.index(("me", "fargo-1996"))]
        assert (fargo["rating"], fargo["timestamp"], fargo["event"]) == (
            *("4.5", "1706875200", "liked"),
        )

    def test_leave_out_what_was_only_wanted_or_put_off(self, atomic):
        mine = {row["item_id"] for row in atomic() if row["user_id"] == "me"}
        assert mine == {"fargo-1996", "heat-1995", "plus-one"}

    def test_of_one_person_bring_that_person_and_those_items_alone(self, atomic):
        assert {row["user_id"] for row in atomic(user="you")} == {"you"}
        assert [row["user_id"] for row in atomic(".user", user="you")] == ["you"]
        assert {row["item_id"] for row in atomic(".item", user="you")} == {
            *("fargo-1996", "alien-1979"),
        }


class TestItems:
    def test_name_their_types_and_hold_no_break(self, atomic, tmp_path):
        odd = next(row for row in atomic(".item") if row["item_id"] == "plus-one")
        assert (odd["name"], odd["odd/na~me"], odd["year"]) == ("+1", "two lines", "2013")
        types = {one.name: one.type for one in AtomicTable(tmp_path / "films/films.item").fields}
        assert (types["item_id"], types["genre"]) == ("token", "token_seq")
        assert (types["score"], types["year"], types["long"]) == ("float", "token", "token")

    def test_write_attributes_of_several_words_as_one_token(self, export, tmp_path):
        export(tmp_path / "bar", form="recbole", domain="cocktails")
        negroni = rows_of(tmp_path / "bar/bar.item")[0]
        assert negroni["ingredient"] == "gin campari sweet-vermouth"

    def test_and_people_keep_their_properties(self, atomic):
        assert atomic(".user")[0] == {"user_id": "me", "age": "41", "job": "=cook"}


class TestSplit:
    def shares(self, export, folder, **options):
        export(folder, form="recbole", domain="movies", **options)
        return [rows_of(folder / f"films.{part}.inter") for part in ("train", "valid", "test")]

    def test_goes_by_time_and_loses_no_row(self, export, tmp_path):
        parts = self.shares(export, tmp_path / "films", split="3:1:1")
        assert [len(part) for part in parts] == [3, 1, 1]
        times = [int(row["timestamp"]) for part in parts for row in part]
        assert times == sorted(times)
        assert not (tmp_path / "films/films.inter").exists()

    def test_takes_the_newest_of_each_history_only(self, export, tmp_path):
        parts = self.shares(export, tmp_path / "films", split="1:0:1", history=1)
        kept = {(row["user_id"], row["item_id"]) for part in parts for row in part}
        assert kept == {("me", "heat-1995"), ("you", "alien-1979")}

    def test_of_rows_without_a_time_is_refused_and_leaves_nothing(self, store, export, tmp_path):
        store.close()
        with Store.open_(store.path) as writable:
            writable.execute('UPDATE interaction SET "at" = NULL')
        with (
            Store.open_(store.path, read_only=True) as reopened,
            pytest.raises(InputError, match="5 interactions have no time"),
        ):
            run_export(
                reopened,
                plan_export(tmp_path / "films", form="recbole", domain="movies", split="3:1:1"),
            )
        assert not (tmp_path / "films").exists()


class TestSize:
    def test_no_row_passes_through_python(self, export, tmp_path, monkeypatch):
        """Whatever is fetched is a count or a description; rows go from query to file."""
        fetched = []
        ask = Store.rows

        def count(self, sql, values=()):
            rows = ask(self, sql, values)
            fetched.append((len(rows), sql))
            return rows

        def refuse(self, sql, values=()):
            raise AssertionError(f"fetched as columns: {sql}")

        monkeypatch.setattr(Store, "rows", count)
        monkeypatch.setattr(Store, "columns", refuse)
        export(tmp_path / "films", form="recbole", domain="movies", split="3:1:1")
        export(tmp_path / "h.csv", user="me")
        catalogues = [sql for number, sql in fetched if number > 1 and "json_each" not in sql]
        assert all(
            sql.startswith("DESCRIBE") or "GROUP BY ALL" in sql or "kind = ? AND key = ?" in sql
            for sql in catalogues
        ), catalogues

    def test_the_outlet_has_a_memory_limit_and_reaches_nothing_else(self, store, tmp_path):
        import duckdb

        from localrec.graph.table_writer import open_table_writer

        (tmp_path / "out.csv").touch()
        with open_table_writer(store, [tmp_path / "out.csv"]) as writer:
            limit = writer.rows("SELECT current_setting('memory_limit')")[0][0]
            assert limit == "953.6 MiB"  # 1 GB
            with pytest.raises(duckdb.PermissionException):
                writer.rows(f"COPY (SELECT 1) TO '{tmp_path / 'other.csv'}'")
            with pytest.raises(duckdb.Error, match="read-only"):
                writer.execute("DELETE FROM store.interaction")
