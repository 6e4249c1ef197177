"""What Letterboxd's importer is given: its columns, its ranges, films only."""

import pytest

from localrec.foundation.errors import UsageError

from .conftest import read_csv

COLUMNS = ["Title", "Year", "Rating", "WatchedDate", "Rewatch", "Tags", "Review"]


@pytest.fixture
def films(export, tmp_path):
    export(tmp_path / "films.csv", user="me", form="letterboxd")
    return {row["Title"]: row for row in read_csv(tmp_path / "films.csv")}


def test_the_columns_are_those_of_its_importer(films):
    assert list(films["Fargo"]) == [*COLUMNS, "imdbID", "tmdbID"]


def test_a_film_has_one_row_with_rating_day_tags_and_review(films):
    fargo = films["Fargo"]
    assert (fargo["Year"], fargo["Rating"]) == ("1996", "4.5")
    assert (fargo["WatchedDate"], fargo["Rewatch"]) == ("2019-12-31", "true")
    assert fargo["Tags"] == "snow  mostly"  # Letterboxd parts tags at commas
    assert fargo["Review"] == "'=HYPERLINK(1)"
    assert fargo["imdbID"] == "tt0116282"


def test_a_rating_is_rounded_to_half_stars_and_its_day_is_no_viewing(films):
    assert (films["Heat"]["Rating"], films["Heat"]["WatchedDate"]) == ("2.0", "")
    assert films["Heat"]["Rewatch"] == ""


def test_the_reason_of_a_dislike_is_no_review(films):
    assert films["Heat"]["Review"] == ""


def test_an_unrated_film_stays_unrated(films):
    assert films["'+1"]["Rating"] == ""
    assert films["'+1"]["WatchedDate"] == "2021-06-05"


def test_films_only_wanted_go_into_a_file_of_their_own(films, tmp_path):
    wanted = read_csv(tmp_path / "films-watchlist.csv")
    assert [row["Title"] for row in wanted] == ["Up"]
    assert list(wanted[0]) == ["Title", "Year", "imdbID", "tmdbID"]
    assert not {"Up", "Alien"} & set(films)


def test_nobody_who_wants_nothing_gets_such_a_file(export, tmp_path):
    report = export(tmp_path / "films.csv", user="you", form="letterboxd")
    assert len(report.files) == 1


def test_drinks_are_refused(export, tmp_path):
    with pytest.raises(UsageError, match="Letterboxd knows films, and these are drinks"):
        export(tmp_path / "drinks.csv", user="host", form="letterboxd")
