"""What `import auto` says of a table of no known format, and does with it when it may."""

from __future__ import annotations

import json

import pytest

BOOKS = "User;ISBN;Rating\n" + "".join(
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
    assert 'user = "User"' in outcome.err and "unrated = 0.0" in outcome.err
    assert "--accept" in outcome.err
    assert not (empty_workspace / "store.duckdb").exists()


def test_an_accepted_mapping_is_used_at_once_and_zero_is_no_rating(told):
    outcome = told(BOOKS, "--accept", "--json")
    assert outcome.code == 0, outcome.err
    report = json.loads(outcome.out)
    assert (report["domain"], report["read"], report["kept"]) == ("books", 7, 7)
    assert "A 0 in column Rating is taken as not rated (4 rows)." in report["notes"]
    assert any("No row has a time" in one for one in report["notes"])


def test_a_suggested_mapping_is_read_by_the_kind_table(told, empty_workspace, cli, tmp_path):
    path = tmp_path / "table.mapping.toml"
    assert told(BOOKS, "--suggest", str(path)).code == 1
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
