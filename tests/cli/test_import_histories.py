"""`localrec import` of what people did: looked at first, taken whole or not at all."""

import json

import pytest

from localrec.index import embedded_fields
from localrec.workspace import OpenWorkspace
from localrec.workspace.domain_context import DomainContext
from tests.sources.book_exports import goodreads, storygraph
from tests.sources.zips import packed

from .test_ask import UNPRINTABLE

RATINGS = (
    "Date,Name,Year,Letterboxd URI,Rating\n"
    "2021-03-01,Heat,1995,https://boxd.it/2bg8,4.5\n2021-03-02,Fargo,1996,https://boxd.it/2,5\n"
)
BOOKS = (
    {"Book Id": "1", "My Rating": "5"},
    {"Book Id": "2", "Title": "Emma", "Author": "Jane Austen", "My Rating": "2"},
    {"Book Id": "3", "Title": "", "My Rating": "4"},
    {"Book Id": "4", "Title": "Persuasion", "Author": "Jane Austen", "My Rating": "11"},
)
HOSTILE = "\x1b]0;owned\x07\x1b[31mRed\x1b[0m <|im_start|>\u202eBook\x9b2J"


@pytest.fixture
def books(tmp_path):
    path = tmp_path / "goodreads_library_export.csv"
    path.write_text(goodreads(*BOOKS), encoding="utf-8")
    return path


@pytest.fixture
def films(tmp_path):
    path = tmp_path / "letterboxd-anna.zip"
    path.write_bytes(packed({"ratings.csv": RATINGS, "watched.csv": "Date,Name,Year\n"}))
    return path


@pytest.fixture
def take_in(cli, empty_workspace):
    def run(kind, path, *options):
        return cli("--workspace", empty_workspace, "import", kind, path, *options)

    return run


@pytest.fixture
def counted(empty_workspace):
    """How many nodes, interactions and vectors there are."""

    def count():
        with OpenWorkspace(empty_workspace) as opened:
            return [
                opened.store.rows(f"SELECT count(*) FROM {table}")[0][0]
                for table in ("node", "interaction", "embedding")
            ]

    return count


class TestAnExport:
    def test_is_recognised_and_counts_in_the_next_list(
        self, cli, take_in, films, empty_workspace, tmp_path
    ):
        code, out, err = take_in("auto", films, "--user", "anna")
        assert code == 0
        assert "looks like letterboxd" in err
        assert "2 rows read, 2 kept, 0 merged, 0 dropped" in out
        other = tmp_path / "other.zip"
        other.write_bytes(packed({"ratings.csv": RATINGS.replace("Heat,1995", "Alien,1979")}))
        assert take_in("letterboxd", other, "--user", "bea").code == 0
        told = json.loads(
            cli("--workspace", empty_workspace, "recommend", "--user", "anna", "--json").out
        )
        assert [item["name"] for item in told["items"]] == ["Alien"]
        assert told["history"] == 2

    def test_says_row_by_row_what_was_not_taken_as_it_stood(self, take_in, books):
        out = take_in("goodreads", books, "--user", "anna").out
        assert "4 rows read, 3 kept, 0 merged, 1 dropped" in out
        assert "row 4, Title: dropped: has no title" in out
        assert "row 5, My Rating: repaired: '11' is no rating" in out

    def test_as_json_is_one_document_whatever_is_said_beside_it(self, take_in, films):
        code, out, err = take_in("auto", films, "--user", "anna", "--json")
        assert (code, out.count("\n")) == (0, 1)
        report = json.loads(out)
        assert (report["source"], report["domain"], report["kept"]) == ("letterboxd", "movies", 2)
        assert "looks like" in err

    def test_named_by_the_wrong_kind_is_refused_with_the_right_one(self, take_in, films):
        code, _, err = take_in("goodreads", films, "--user", "anna")
        assert code == 1
        assert "It looks like letterboxd: import it as that." in err

    def test_of_books_is_no_import_of_films(self, take_in, books):
        code, _, err = take_in("goodreads", books, "--user", "anna", "--domain", "movies")
        assert code == 2
        assert "goodreads knows nothing of movies. Leave --domain out." in err

    def test_looked_at_first_changes_nothing(self, take_in, books, empty_workspace):
        before = sorted(empty_workspace.rglob("*"))
        code, out, _ = take_in("auto", books, "--user", "anna", "--dry-run")
        assert (code, "3 would be kept" in out) == (0, True)
        assert sorted(empty_workspace.rglob("*")) == before

    def test_done_twice_is_as_done_once(self, take_in, books, counted):
        take_in("goodreads", books, "--user", "anna")
        once = counted()
        assert take_in("goodreads", books, "--user", "anna").code == 0
        assert counted() == once

    def test_of_two_people_stays_apart(self, take_in, books, counted):
        take_in("goodreads", books, "--user", "anna")
        nodes, interactions, _ = counted()
        take_in("goodreads", books, "--user", "bea")
        assert counted()[:2] == [nodes + 1, 2 * interactions]

    def test_with_hostile_titles_and_owner_sends_nothing_to_the_terminal(
        self, cli, take_in, tmp_path, empty_workspace
    ):
        path = tmp_path / "books.csv"
        path.write_text(goodreads({"Title": HOSTILE, "My Rating": "5"}), encoding="utf-8")
        told = [take_in("auto", path, "--user", HOSTILE)]
        path.write_text(goodreads({"My Rating": "5"}), encoding="utf-8")
        told.append(take_in("goodreads", path, "--user", "x"))
        told.append(cli("--workspace", empty_workspace, "recommend", "--user", "x", "--explain"))
        told.append(cli("--workspace", empty_workspace, "recommend", "--user", "x", "--json"))
        for outcome in told:
            assert outcome.code == 0
            for said in (outcome.out, outcome.err):
                assert not UNPRINTABLE.search(said)
                assert not any(sign in said for sign in ("owned", "<|", "\\u001b", "\u202e"))
        assert "Book" in told[-1].out


class TestAWrongCall:
    @pytest.mark.parametrize(
        ("kind", "options", "code", "complaint"),
        [
            ("goodreads", (), 2, "Name the person with --user"),
            ("goodreads", ("--user", ""), 2, "--user"),
            ("storygraph", ("--user", "anna"), 1, "localrec import goodreads"),
            ("letterboxd", ("--user", "anna"), 1, "It looks like goodreads"),
            ("cocktails", ("--user", "anna"), 2, "Leave --user out"),
            ("nonsense", ("--user", "anna"), 1, "Known: cocktails"),
            (
                "goodreads",
                ("--user", "anna", "--domain", "x"),
                1,
                "Known: anime, boardgames, books",
            ),
            ("goodreads", ("--user", "anna", "--since", "2020-01-01"), 2, "only amazon"),
            ("goodreads", ("--user", "anna", "--since", "yesterday"), 2, "--since"),
        ],
    )
    def test_says_the_remedy_and_leaves_no_store(
        self, take_in, books, empty_workspace, kind, options, code, complaint
    ):
        outcome = take_in(kind, books, *options)
        assert (outcome.code, outcome.out) == (code, "")
        assert complaint in outcome.err
        assert not (empty_workspace / "store.duckdb").exists()

    def test_of_half_an_archive_is_told_that_it_is_half(self, take_in, films):
        films.write_bytes(films.read_bytes()[:150])
        code, _, err = take_in("auto", films, "--user", "anna")
        assert code == 1
        assert "damaged zip archive" in err
        assert "download it again" in err

    def test_of_something_else_is_asked_for_its_kind(self, take_in, tmp_path):
        (tmp_path / "diary.txt").write_text("dear diary\n")
        code, _, err = take_in("auto", tmp_path / "diary.txt")
        assert code == 1
        assert "does not look like any export" in err
        assert "goodreads" in err

    def test_after_a_good_one_loses_nothing(self, take_in, books, counted, tmp_path):
        take_in("goodreads", books, "--user", "anna")
        before = counted()
        bad = tmp_path / "bad.csv"
        bad.write_text(storygraph({"Star Rating": "5"}).replace("Title", "Titel"), encoding="utf-8")
        assert take_in("storygraph", bad, "--user", "anna").code == 1
        assert counted() == before


class TestCutOff:
    def test_before_the_rows_are_stored_keeps_nothing(
        self, take_in, books, empty_workspace, monkeypatch
    ):
        def interrupted(*_, **__):
            raise KeyboardInterrupt

        monkeypatch.setattr("localrec.graph.history_ingest.record_import", interrupted)
        code, out, err = take_in("goodreads", books, "--user", "anna")
        assert (code, out) == (130, "")
        assert "nothing half done was kept. Run the same command again." in err
        with OpenWorkspace(empty_workspace) as opened:
            assert opened.domains() == []

    @pytest.mark.parametrize("place", ["update_embeddings", "open_field"])
    def test_after_them_says_so_and_how_to_go_on(
        self, cli, take_in, books, counted, empty_workspace, monkeypatch, place
    ):
        def interrupted(*_, **__):
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(embedded_fields, place, interrupted)
            code, out, err = take_in("goodreads", books, "--user", "anna")
        assert (code, out) == (130, "")
        assert "the rows are stored" in err
        assert "localrec index" in err
        assert "nothing half done" not in err
        assert cli("--workspace", empty_workspace, "index").code == 0
        interrupted_then_completed = counted()
        take_in("goodreads", books, "--user", "anna")
        assert counted() == interrupted_then_completed

    def test_while_people_are_counted_says_the_same(self, take_in, books, monkeypatch):
        def interrupted(*_, **__):
            raise KeyboardInterrupt

        monkeypatch.setattr(DomainContext, "interactions", property(interrupted))
        code, _, err = take_in("goodreads", books, "--user", "anna")
        assert (code, "the rows are stored" in err) == (130, True)

    def test_while_the_next_process_is_started_says_that_the_rows_are_stored(
        self, take_in, books, counted, monkeypatch
    ):
        def interrupted(*_, **__):
            raise KeyboardInterrupt

        monkeypatch.setattr("localrec.cli.imports.learn_in_background", interrupted)
        code, _, err = take_in("goodreads", books, "--user", "anna")
        assert (code, "the rows are stored" in err) == (130, True)
        assert counted()[0] > 0

    def test_while_the_file_is_looked_at_says_how_to_go_on(self, take_in, books, monkeypatch):
        def interrupted(*_, **__):
            raise KeyboardInterrupt

        monkeypatch.setattr("localrec.sources.detect_kind", interrupted)
        code, _, err = take_in("auto", books, "--user", "anna")
        assert (code, "Run the same command again." in err) == (130, True)

    def test_by_a_missing_model_says_that_the_rows_are_there(
        self, cli, take_in, books, empty_workspace, tmp_path, monkeypatch
    ):
        (empty_workspace / "settings.toml").unlink()
        monkeypatch.setenv("LOCALREC_CACHE", str(tmp_path / "no models"))
        code, out, err = take_in("goodreads", books, "--user", "anna")
        assert (code, out) == (1, "")
        assert "The rows are stored" in err
        assert "localrec models pull minilm-int8 and then: localrec index" in err
        rows = cli("--workspace", empty_workspace, "sql", "select * from interactions", "--json")
        assert len(json.loads(rows.out)) == 3

    def test_not_at_all_when_the_vectors_are_left_for_later(self, take_in, books, counted):
        assert take_in("goodreads", books, "--user", "anna", "--index-later").code == 0
        assert counted()[2] == 0


IMDB_TITLES = "\t".join(
    ("tconst", "titleType", "primaryTitle", "originalTitle", "isAdult", "startYear", "endYear",
     "runtimeMinutes", "genres")
)  # fmt: skip
DUMPS = {
    "imdbtitles": (
        "title.basics.tsv",
        f"{IMDB_TITLES}\ntt1\tmovie\tHome\tHome\t0\t2009\t\\N\t95\tDrama\n"
        "tt2\tmovie\tHome\tHome\t0\t2009\t\\N\t80\tHorror\n",
    ),
    "openlibrary": (
        "ol_dump_works_latest.txt",
        "".join(
            f'/type/work\t/works/OL{n}W\t1\t2021-01-01T00:00:00\t{{"title": "Emma"}}\n'
            for n in (1, 2)
        ),
    ),
    "musicbrainz": (
        "release-group",
        "".join(
            json.dumps(
                {"id": f"g{n}", "title": "Air", "primary-type": "Album", "artist-credit": []}
            )
            + "\n"
            for n in (1, 2)
        ),
    ),
}


@pytest.mark.parametrize("kind", DUMPS)
def test_all_of_a_dump_goes_into_an_empty_workspace(empty_workspace, cli, tmp_path, kind):
    name, text = DUMPS[kind]
    path = tmp_path / name
    path.write_text(text)
    workspace = ("--workspace", str(empty_workspace), "--json")
    without = cli(*workspace, "import", kind, str(path))
    assert without.code == 2 and "keep all of it with --all" in without.err
    dry = cli(*workspace, "import", kind, str(path), "--all", "--dry-run")
    assert json.loads(dry.out)["kept"] == 2
    assert not (empty_workspace / "store.duckdb").exists()
    outcome = cli(*workspace, "import", kind, str(path), "--all")
    assert outcome.code == 0, outcome.err
    assert json.loads(outcome.out)["kept"] == 2
    [row] = json.loads(cli(*workspace, "sql", "select count(*) as n from items").out)
    assert row["n"] == 2


@pytest.mark.parametrize("command", [("imdbtitles",), ("auto",)])
def test_votes_of_imdb_without_titles_are_refused_with_the_remedy(
    empty_workspace, cli, tmp_path, command
):
    path = tmp_path / "title.ratings.tsv"
    path.write_text("tconst\taverageRating\tnumVotes\ntt1\t7.1\t900\n")
    workspace = ("--workspace", str(empty_workspace), "--json")
    for named in (path, tmp_path):
        outcome = cli(*workspace, "import", *command, str(named), "--all")
        assert outcome.code == 1
        assert "holds votes without the titles" in outcome.err
        assert "Download title.basics.tsv.gz" in outcome.err
    (tmp_path / "title.basics.tsv").write_text(DUMPS["imdbtitles"][1])
    outcome = cli(*workspace, "import", *command, str(path), "--all")
    assert outcome.code == 0, outcome.err
    query = "select properties->>'$.imdb_votes' as votes from items where key = 'tt1'"
    assert json.loads(cli(*workspace, "sql", query).out) == [{"votes": "900"}]
