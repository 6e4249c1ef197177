"""Histories, profiles, items and lists come out as they went in."""

import io
import json
import sys

import duckdb
import pytest

from localrec.foundation.errors import InputError, UsageError

from .conftest import FILMS, INTERACTIONS, read_csv

COLUMNS = [
    *("item", "name", "year", "creator", "event", "rating", "at", "times", "note", "source"),
]
LIST = {
    "message": "five of them",
    "items": [
        {"rank": 1, "key": "fargo-1996", "name": "Fargo", "score": 0.5, "reason": "@you, cold"},
        {"rank": 2, "key": "lost-film", "name": "Lost", "score": -0.25},
    ],
}


@pytest.fixture
def list_file(tmp_path):
    path = tmp_path / "list.json"
    path.write_text(json.dumps(LIST), encoding="utf-8")
    return path


class TestHistory:
    def test_as_csv_has_every_value_and_the_newest_row_of_each_event(self, export, tmp_path):
        out = tmp_path / "history.csv"
        report = export(out, user="me")
        rows = read_csv(out)
        films = {key: (name, properties) for key, name, properties, _ in FILMS}
        newest = {
            (interaction[1], interaction[2]): interaction
            for interaction in INTERACTIONS
            if interaction[0] == "me"
        }  # in order of time
        assert list(rows[0]) == COLUMNS
        assert report.files[0].rows == len(rows) == len(newest)
        for row in rows:
            _, key, event, rating, at, times, source, note = newest[row["item"], row["event"]]
            name, properties = films[key]
            assert row["name"].removeprefix("'") == name
            assert row["year"] == str(properties["year"])
            assert row["creator"] == properties.get("creator", "")
            assert row["rating"] == ("" if rating is None else str(rating))
            assert (row["at"], row["times"], row["source"]) == (at or "", str(times), source)
            assert row["note"].removeprefix("'") == (note or "")
            assert row["event"] == event

    def test_runs_from_the_undated_and_oldest_to_the_newest(self, export, tmp_path):
        export(tmp_path / "h.csv", user="me")
        times = [row["at"] for row in read_csv(tmp_path / "h.csv")]
        assert times == sorted(times)

    def test_holds_nothing_of_anybody_else(self, export, tmp_path):
        for name, options in {
            "h.json": {},
            "p.json": {"what": "profile"},
            "i.json": {"what": "items"},
            "f.csv": {"form": "letterboxd"},
            "r": {"form": "recbole"},
        }.items():
            export(tmp_path / name, user="me", **options)
        written = [path for path in tmp_path.rglob("*") if path.is_file()]
        written = [path for path in written if "workspace" not in path.parts]
        assert len(written) == 8
        assert not [path for path in written if "secret" in path.read_text(encoding="utf-8")]

    def test_as_json_is_one_document_of_typed_values(self, export, tmp_path):
        export(tmp_path / "h.json", user="me")
        rows = json.loads((tmp_path / "h.json").read_text(encoding="utf-8"))
        heat = next(row for row in rows if (row["item"], row["event"]) == ("heat-1995", "rated"))
        assert (heat["rating"], heat["year"], heat["at"]) == (2.2, 1995, None)

    def test_as_parquet_keeps_types_and_texts(self, export, tmp_path):
        out = tmp_path / "h.parquet"
        export(out, user="me")
        with duckdb.connect() as reader:
            kinds = dict(
                reader.execute(f"SELECT name, duckdb_type FROM parquet_schema('{out}')").fetchall()
            )
            notes = reader.execute(f"SELECT note FROM '{out}' WHERE event = 'rated'").fetchall()
        assert (kinds["rating"], kinds["at"], kinds["year"]) == ("DOUBLE", "TIMESTAMP", "INTEGER")
        assert ("=HYPERLINK(1)",) in notes

    def test_of_nobody_is_refused_before_a_file_is_made(self, export, tmp_path):
        with pytest.raises(UsageError, match="Nobody called 'ghost' is known here"):
            export(tmp_path / "h.csv", user="ghost")
        assert not list(tmp_path.glob("h.csv*"))

    def test_says_how_many_texts_carry_an_apostrophe(self, export, tmp_path):
        report = export(tmp_path / "h.csv", user="me")
        assert report.files[0].defused == 3
        assert "3 texts begin like a formula" in report.notes[0]


class TestProfile:
    def test_counts_what_was_done_and_rates_attributes_by_the_newest_word(self, export, tmp_path):
        export(tmp_path / "p.json", user="me", what="profile")
        profile = json.loads((tmp_path / "p.json").read_text(encoding="utf-8"))
        assert profile["properties"] == {"age": 41, "job": "=cook"}
        assert profile["events"]["seen"] == 2
        assert profile["ratings"] == {"2.2": 1, "4.5": 1}
        crime = next(one for one in profile["attributes"] if one["key"] == "crime")
        assert (crime["average"], crime["ratings"]) == (3.35, 2)
        assert (crime["liked"], crime["disliked"]) == (1, 1)
        assert "snow, mostly" in {one["name"] for one in profile["attributes"]}

    def test_has_the_shelf_and_the_table_says_the_same(self, export, tmp_path):
        export(tmp_path / "p.json", user="host", what="profile")
        export(tmp_path / "p.csv", user="host", what="profile")
        shelf = json.loads((tmp_path / "p.json").read_text(encoding="utf-8"))["shelf"]
        assert [one["key"] for one in shelf] == ["campari", "gin"]
        rows = read_csv(tmp_path / "p.csv")
        assert [row["key"] for row in rows if row["section"] == "shelf"] == ["campari", "gin"]


class TestItems:
    def test_have_a_column_for_each_property_and_each_kind_of_attribute(self, export, tmp_path):
        export(tmp_path / "i.json", what="items", domain="movies")
        items = json.loads((tmp_path / "i.json").read_text(encoding="utf-8"))
        by_key = {item["key"]: item for item in items}
        assert by_key["fargo-1996"]["genre"] == ["crime", "drama"]
        assert by_key["fargo-1996"]["year"] == 1996
        assert by_key["alien-1979"]["long"] is True
        assert by_key["plus-one"]["odd/na~me"] == "\ttwo\nlines"

    def test_keep_apart_what_differs_in_case_alone(self, export, tmp_path):
        export(tmp_path / "i.csv", what="items", domain="movies")
        odd = next(row for row in read_csv(tmp_path / "i.csv") if row["key"] == "plus-one")
        assert (odd["year"], odd["Year_2"]) == ("2013", "MMXIII")

    def test_need_a_domain_where_there_are_several(self, export, tmp_path):
        with pytest.raises(UsageError, match=r"cocktails and movies.*--domain"):
            export(tmp_path / "i.csv", what="items")


class TestList:
    def test_gets_year_and_creator_where_the_catalogue_knows_them(
        self, export, tmp_path, list_file
    ):
        export(tmp_path / "l.csv", listed=str(list_file))
        first, second = read_csv(tmp_path / "l.csv")
        assert (first["year"], first["creator"], first["score"]) == ("1996", "Joel Coen", "0.5")
        assert first["reason"] == "'@you, cold"
        assert (second["key"], second["score"], second["year"]) == ("lost-film", "-0.25", "")

    def test_comes_from_stdin_too(self, export, tmp_path, monkeypatch):
        stdin = io.TextIOWrapper(io.BytesIO(json.dumps(LIST).encode()))
        monkeypatch.setattr(sys, "stdin", stdin)
        assert export(tmp_path / "l.json", listed="-").files[0].rows == 2

    def test_on_letterboxd_has_its_columns(self, export, tmp_path, list_file):
        export(tmp_path / "l.csv", listed=str(list_file), form="letterboxd")
        first = read_csv(tmp_path / "l.csv")[0]
        assert list(first) == ["Position", "Title", "Year", "Description", "imdbID", "tmdbID"]
        assert (first["Title"], first["imdbID"]) == ("Fargo", "tt0116282")

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            ("{}", "the field `items` is missing"),
            ('{"items": []}', "holds no item"),
            ("[1, 2", "is not the JSON"),
            ('{"items": [{"key": 3}]}', "holds a number, where a text belongs"),
            ('{"items": [{"rank": 1, "key": "x", "name": "X"}]}', "None of the list's items"),
        ],
    )
    def test_that_is_none_is_refused(self, export, tmp_path, list_file, content, said):
        list_file.write_text(content, encoding="utf-8")
        with pytest.raises(InputError, match=said):
            export(tmp_path / "l.csv", listed=str(list_file))
        assert not list(tmp_path.glob("l.csv*"))
