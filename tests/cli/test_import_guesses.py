"""What `import auto` says of a table of no known format, and does with it when it may."""

from __future__ import annotations

import json

import pytest

from localrec.graph.store import Store

BOOKS = "Reader;ISBN;Score\n" + "".join(
    f"{user};{isbn};{stars}\n"
    for user, isbn, stars in (
        (1, "034545104X", 0),
        (1, "0155061224", 5),
        (2, "034545104X", 0),
        (2, "0446520802", 0),
        (3, "034545104X", 8),
        (3, "0446520802", 0),
        (3, "0155061224", 10),
    )
)
CHECKINS = [
    {"beer_name": name, "brewery_name": brewery, "beer_type": style, "beer_abv": abv,
     "rating_score": score, "created_at": at, "checkin_id": number, "comment": comment}
    for number, (name, brewery, style, abv, score, at, comment) in enumerate(
        (
            ("Devil", "Acorn", "IPA", 6.5, "4.25", "2023-01-01 12:00:00", "nice"),
            ("Oat", "Birch", "Stout", 8.5, "", "2023-01-02 12:00:00", ""),
            ("Devil", "Acorn", "IPA", 6.5, "3.75", "2023-01-03 12:00:00", ""),
            ("Devil", "Cedar", "Lager", 4.5, "2", "2023-01-04 12:00:00", ""),
        )
    )
]  # fmt: skip
BEERS = "name,style,abv\nPub Beer,Lager,0.05\nDevil,IPA,0.06\nRise,IPA,0.07\nSinister,Stout,0.09\n"


@pytest.fixture
def told(empty_workspace, cli, tmp_path):
    """Writes a table and imports it as `auto`."""

    def run(text, *options):
        path = tmp_path / "table.csv"
        path.write_text(text, encoding="utf-8")
        return cli("--workspace", str(empty_workspace), "import", "auto", str(path), *options)

    return run


def test_a_table_of_users_is_told_with_a_mapping_and_nothing_is_stored(told, empty_workspace):
    outcome = told(BOOKS)
    assert outcome.code == 1
    assert "parted by semicolons" in outcome.err and "7 rows and 3 columns" in outcome.err
    assert 'user = "Reader"' in outcome.err and "unrated = 0.0" in outcome.err
    assert "--accept" in outcome.err
    assert not (empty_workspace / "store.duckdb").exists()


def test_an_accepted_mapping_is_used_at_once_and_zero_is_no_rating(told):
    outcome = told(BOOKS, "--accept", "--json")
    assert outcome.code == 0, outcome.err
    report = json.loads(outcome.out)
    assert (report["domain"], report["read"], report["kept"]) == ("books", 7, 7)
    assert "A 0 in column Score is taken as not rated (4 rows)." in report["notes"]
    assert any("No row has a time" in one for one in report["notes"])


def test_a_suggested_mapping_is_read_by_the_kind_table(told, empty_workspace, cli, tmp_path):
    path = tmp_path / "table.mapping.toml"
    suggested = told(BOOKS, "--suggest", str(path))
    assert suggested.code == 0, suggested.err
    assert "nothing was imported" in suggested.err
    assert not (empty_workspace / "store.duckdb").exists()
    command = ("--json", "import", "table", str(path), "--domain", "books")
    outcome = cli("--workspace", str(empty_workspace), *command)
    assert outcome.code == 0, outcome.err
    assert json.loads(outcome.out)["kept"] == 7


def test_a_table_without_users_is_told_to_be_a_catalogue(told):
    outcome = told(BEERS)
    assert outcome.code == 1
    assert "a table without users: a catalogue" in outcome.err
    assert "localrec domains new table" in outcome.err


def test_an_accepted_catalogue_makes_its_domain(told, empty_workspace):
    outcome = told(BEERS, "--domain", "beers", "--accept", "--json")
    assert outcome.code == 0, outcome.err
    assert (empty_workspace / "domains" / "beers" / "domain.toml").is_file()
    assert told(BEERS, "--json").code == 0  # the domain knows its columns now


def test_a_catalogue_goes_into_a_domain_that_there_is(told):
    text = "title,authors,publication_year\nEmma,Jane Austen,1815\nDune,Frank Herbert,1965\n"
    outcome = told(text, "--domain", "books", "--json")
    assert outcome.code == 0, outcome.err
    assert json.loads(outcome.out)["kept"] == 2


def test_the_nearest_format_is_named_with_what_it_lacks(told):
    outcome = told("Title,Author,ISBN13,Bookshelves,pages\nEmma,Jane Austen,978,fiction,400\n")
    assert "It has Title, Author" in outcome.err
    assert "of goodreads and lacks" in outcome.err
    assert "My Rating" in outcome.err


def test_a_history_of_things_of_its_own_makes_their_domain(told, empty_workspace, cli, tmp_path):
    path = tmp_path / "checkins.json"
    path.write_text(json.dumps(CHECKINS))
    command = ("import", "auto", str(path), "--user", "anna", "--accept")
    workspace = ("--workspace", str(empty_workspace))
    unsure = cli(*workspace, *command)
    assert unsure.code == 1 and "--domain NAME" in unsure.err  # beers are no films
    outcome = cli(*workspace, "--json", *command, "--domain", "beers")
    assert outcome.code == 0, outcome.err
    assert json.loads(outcome.out)["kept"] == 4
    rows = cli(*workspace, "--json", "sql", "select item_key, stars, times, note from interactions")
    found = {row.pop("item_key"): row for row in json.loads(rows.out)}
    assert found == {
        "devil-acorn": {"stars": 3.75, "times": 2, "note": None},
        "oat-birch": {"stars": None, "times": 1, "note": None},
        "devil-cedar": {"stars": 2.0, "times": 1, "note": None},
    }
    answer = cli(*workspace, "--json", "ask", "--domain", "beers", "a stout above 8% alcohol")
    assert [item["name"] for item in json.loads(answer.out)["items"] if item["satisfies"]] == [
        "Oat"
    ]


def test_a_name_that_a_domain_bears_is_not_taken_by_another_table(told, empty_workspace):
    assert told(BEERS, "--accept").code == 0
    assert told("name,price\nA,1\nB,2\n", "--accept").code == 0
    assert told(BEERS, "--json").code == 0  # its domain is still the one of its columns
    domains = sorted(path.name for path in (empty_workspace / "domains").iterdir())
    assert domains == ["table", "table-2"]


def test_a_table_that_may_be_one_users_asks_whose_it_is(told):
    outcome = told("Title,My Score,Seen on\nAlien,9,26/01/2023\nUp,7,05/01/2023\n")
    assert "say whose: --user KEY" in outcome.err


def test_a_table_of_readers_is_no_catalogue_of_readers(told):
    text = "reader;book;stars;date\n" + "".join(
        f"{who};{book};{stars};{day}\n"
        for who, book, stars, day in (
            ("anna", "Dune", "4,5", "26.01.2023"),
            ("anna", "It", "3,5", "05.01.2023"),
            ("bob", "Dune", "5", "05.02.2023"),
            ("bob", "Emma", "0", "05.02.2023"),
        )
    )
    outcome = told(text, "--accept", "--json")
    assert outcome.code == 0, outcome.err
    report = json.loads(outcome.out)
    assert (report["domain"], report["kept"], report["problems"]) == ("books", 4, [])
    assert report["notes"] == ["A 0 in column stars is taken as not rated (1 row)."]


@pytest.mark.parametrize("above", ["", "My readers;;\n\n"])
def test_a_long_table_is_told_by_its_first_rows_and_read_whole(told, monkeypatch, above):
    monkeypatch.setattr("localrec.cli.import_guesses._MANY", 6)
    monkeypatch.setattr("localrec.sources.catalogues.records._PART", 6)
    outcome = told(f"{above}{BOOKS}", "--accept", "--domain", "books")
    assert outcome.code == 0, outcome.err
    assert "more than" in outcome.err
    assert "7 rows read, 7 kept" in outcome.out
    assert ("row by row" in outcome.err) == bool(above)


def test_a_long_catalogue_is_read_whole(told, monkeypatch):
    monkeypatch.setattr("localrec.cli.import_guesses._MANY", 3)
    monkeypatch.setattr("localrec.sources.catalogues.records._PART", 3)
    outcome = told(BEERS, "--domain", "beers", "--accept")
    assert outcome.code == 0, outcome.err
    assert "4 rows read, 4 kept" in outcome.out


def test_a_suggestion_replaces_no_file_unless_it_is_told_to(told, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("# mine\n")
    refused = told(BOOKS, "--suggest", str(path))
    assert refused.code == 2 and "add --force" in refused.err
    assert path.read_text() == "# mine\n"
    assert told(BOOKS, "--suggest", str(path), "--force").code == 0
    assert 'user = "Reader"' in path.read_text()


def test_a_suggestion_never_replaces_the_table_itself(told, tmp_path):
    outcome = told(BOOKS, "--suggest", str(tmp_path / "table.csv"), "--force")
    assert outcome.code == 2 and "is the table itself" in outcome.err
    assert (tmp_path / "table.csv").read_text() == BOOKS


def test_the_columns_of_a_catalogue_are_suggested_as_json_says(told, tmp_path, empty_workspace):
    path = tmp_path / "columns.toml"
    outcome = told(BEERS, "--suggest", str(path), "--json")
    assert outcome.code == 0, outcome.err
    assert json.loads(outcome.out) == {"path": str(path), "kind": "catalogue", "domain": "table"}
    assert 'name = "name"' in path.read_text()
    assert not (empty_workspace / "domains").exists()


def test_a_suggestion_imports_nothing_where_a_domain_knows_the_table(told, tmp_path):
    assert told(BEERS, "--domain", "beers", "--accept").code == 0
    path = tmp_path / "columns.toml"
    outcome = told(BEERS + "New,IPA,0.06\n", "--suggest", str(path))
    assert outcome.code == 0 and "kept" not in outcome.out
    assert 'name = "name"' in path.read_text()


def test_a_suggestion_for_a_known_format_imports_nothing(told, tmp_path, empty_workspace):
    text = "Date,Name,Year,Letterboxd URI,Rating\n2020-01-01,Alien,1979,https://boxd.it/x,4\n"
    path = tmp_path / "films.toml"
    outcome = told(text, "--suggest", str(path), "--user", "anna")
    assert outcome.code == 0 and "looks like letterboxd" in outcome.err
    assert 'rating = "Rating"' in path.read_text()
    assert not (empty_workspace / "store.duckdb").exists()


@pytest.mark.parametrize("kind", [("goodreads",), ("auto", "--accept")])
def test_a_suggestion_goes_with_auto_and_without_an_import(kind, told, tmp_path, cli):
    name, *options = kind
    path = tmp_path / "books.toml"
    table = tmp_path / "table.csv"
    table.write_text(BOOKS)
    outcome = cli("import", name, str(table), "--suggest", str(path), *options)
    assert outcome.code == 2 and "--suggest writes a guess" in outcome.err
    assert not path.exists()


@pytest.mark.parametrize("kind", ["auto", "goodreads", "catalogue", "table"])
@pytest.mark.parametrize(
    ("content", "what"),
    [("", "is empty"), ("\n\n", "blank lines"), ("[]", "no records"), ("<html>", "a web page")],
)
def test_a_file_without_content_is_refused_before_anything_is_asked(
    kind, content, what, empty_workspace, cli, tmp_path
):
    path = tmp_path / "table.csv"
    path.write_text(content)
    outcome = cli("--workspace", str(empty_workspace), "import", kind, str(path))
    assert (outcome.code, what in outcome.err) == (1, True)
    assert outcome.err.count("\n") == 1


def test_a_header_without_rows_is_no_catalogue_to_make_a_domain_for(told, cli, tmp_path):
    outcome = told("title,price\n")
    assert outcome.code == 1 and "has a header and no rows" in outcome.err
    outcome = cli("import", "catalogue", str(tmp_path / "table.csv"))
    assert outcome.code == 1 and "holds no rows" in outcome.err


def test_ratings_of_a_domains_own_table_are_read_as_ratings_volume_by_volume(
    empty_workspace, cli, tmp_path
):
    volumes = [(name, volume) for name in ("Berserk", "Monster") for volume in (1, 2, 3)]
    items, log = tmp_path / "manga.csv", tmp_path / "log.csv"
    items.write_text(
        "title,volume,author,pages\n"
        + "".join(f"{name},{volume},{name} A,{200 + volume}\n" for name, volume in volumes)
    )
    log.write_text(
        "user,title,volume,author,rating,date\n"
        + "".join(f"ann,{name},{n},{name} A,{n + 2},2024-01-0{n}\n" for name, n in volumes)
        + "bob,Monster,4,Monster A,2,2024-01-09\n"
    )
    workspace = ("--workspace", str(empty_workspace), "--json")
    assert cli(*workspace, "domains", "new", "manga", "--from", str(items), "--yes").code == 0
    assert cli(*workspace, "import", "auto", str(items), "--domain", "manga").code == 0
    refused = cli(*workspace, "import", "auto", str(log))
    assert refused.code == 1 and "--accept" in refused.err
    outcome = cli(*workspace, "import", "auto", str(log), "--accept")
    assert outcome.code == 0, outcome.err
    told = json.loads(outcome.out)
    assert (told["domain"], told["kept"], told["found_again"]) == ("manga", 7, 6)
    query = "select item_key, stars from interactions where \"user\" = 'ann'"
    found = {row["item_key"]: row["stars"] for row in json.loads(cli(*workspace, "sql", query).out)}
    assert found == {f"{name.lower()}-{n}": float(n + 2) for name, n in volumes}


def test_ratings_by_the_number_of_a_catalogue_meet_its_items(told, empty_workspace, cli, tmp_path):
    catalogue = tmp_path / "recipes.csv"
    catalogue.write_text("id,name,minutes\n11,Soup,20\n12,Stew,90\n13,Cake,60\n")
    at = ("--workspace", str(empty_workspace))
    assert cli(*at, "domains", "new", "recipes", "--from", str(catalogue), "--yes").code == 0
    assert cli(*at, "import", "auto", str(catalogue), "--domain", "recipes").code == 0
    ratings = "user_id,recipe_id,rating\n1,11,5\n1,12,3\n2,11,4\n2,13,1\n"
    outcome = told(ratings, "--accept", "--domain", "recipes", "--json")
    assert outcome.code == 0, outcome.err
    with Store.open_(empty_workspace / "store.duckdb") as store:
        assert store.rows("SELECT count(*) FROM items") == [(3,)]
        rated = store.rows('SELECT "user", item, stars FROM interactions ORDER BY "user", item')
    assert rated == [("1", "Soup", 5), ("1", "Stew", 3), ("2", "Cake", 1), ("2", "Soup", 4)]


def test_a_table_of_one_user_without_a_name_for_the_items_is_refused_and_no_catalogue(
    told, empty_workspace
):
    text = "Private Notes,Rating\nI met Zoe,4\nI met Ben,5\n"
    outcome = told(text, "--user", "anna", "--domain", "diary", "--accept")
    assert outcome.code == 1
    assert "no column that names" in outcome.err
    assert not (empty_workspace / "store.duckdb").exists()
    assert not (empty_workspace / "domains").exists()


def test_the_named_domain_decides_which_of_two_things_was_met(told):
    text = "Date,Place,Film\n2020-01-01,Luigi,Heat\n2020-02-01,Roma,Alien\n"
    outcome = told(text, "--user", "anna", "--domain", "places")
    assert 'title = "Place"' in outcome.err
