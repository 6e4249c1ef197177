"""IMDb, Netflix and single lists of Letterboxd: films here, series beside them."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.data.rows import HistoryRows
from localrec.foundation.errors import InputError, UsageError
from localrec.graph.domain_files import load_domain
from localrec.sources import detect_kind, open_source
from localrec.sources.netflix import series_of

IMDB = "Const,Your Rating,Date Rated,Title,Title Type,Year,Genres,Directors\n"


def read(
    kind: str, path: Path, text: str, user: str = "anna", encoding: str = "utf-8"
) -> HistoryRows:
    path.write_text(text, encoding=encoding, newline="")
    history = open_source(kind).read(path, load_domain("movies"), user)
    assert isinstance(history, HistoryRows)
    return history


def told(history: HistoryRows) -> dict[str, tuple[str, float | None, int]]:
    names = {item.key: item.name for item in history.items}
    return {
        names[row.item]: (row.event.value, row.rating, row.times) for row in history.interactions
    }


def beside(history: HistoryRows) -> HistoryRows:
    [(name, rows)] = history.beside
    assert name == "series"
    return rows


def test_episodes_are_kept_apart_from_films_and_speak_of_their_series(tmp_path: Path) -> None:
    history = read(
        "imdb",
        tmp_path / "ratings.csv",
        IMDB + "tt1,9,2021-01-01,Heat,Movie,1995,Crime,Ann Lee\n"
        "tt2,2,2021-01-02,Star Trek: Picard: Remembrance,TV Episode,2020,Drama,\n"
        "tt3,10,2021-01-03,Star Trek: Picard: Maps,TV Episode,2020,Drama,\n"
        "tt4,8,2021-01-04,Star Trek: Picard,TV Series,2020,Sci-Fi,\n"
        "tt5,8,2021-01-05,Portal,Video Game,2007,Action,\n",
    )
    assert told(history) == {"Heat": ("rated", 4.5, 1)}
    assert told(beside(history)) == {"Star Trek: Picard": ("rated", 4.0, 2)}
    assert (history.report.kept, history.report.apart) == (4, 1)
    assert [(link.kind, link.name) for link in history.items[0].links] == [
        ("genre", "Crime"),
        ("decade", "1990s"),
    ]
    assert history.items[0].properties["creator"] == "Ann Lee"


@pytest.mark.parametrize(
    "types",
    [
        "Film|Film TV|Cortometraggio|Speciale TV;Serie TV|Mini serie TV;Episodio TV;Videogioco",
        "Película|Película de TV|Cortometraje;Serie de TV|Miniserie;Episodio de TV;Videojuego",
        "Pelicula|Especial de TV|Vídeo;Miniserie de TV;Episodio;Vídeo musical",
        "Film|Téléfilm|Court métrage;Série télévisée|Mini-série;Épisode;Jeu vidéo",
        "Film|Fernsehfilm|Kurzfilm|Fernsehspecial;Fernsehserie|Miniserie;Folge;Videospiel",
        "Filme|Curta-metragem;Série de TV|Minissérie de televisão;Episódio;Podcast",
    ],
)
def test_the_type_of_a_title_is_known_in_the_languages_of_imdb(tmp_path: Path, types: str) -> None:
    films, series, episodes, apart = (sort.split("|") for sort in types.split(";"))
    rows = [f",8,,{sort},{sort},2010,," for sort in (*films, *series)]
    rows += [f",8,,{series[0]}: One,{sort},2010,," for sort in episodes]
    rows += [f",8,,Thing,{sort},2010,," for sort in apart]
    history = read("imdb", tmp_path / "ratings.csv", IMDB + "\n".join(rows) + "\n")
    assert told(history).keys() == {*films}
    assert told(beside(history)).keys() == {*series}
    assert (history.report.kept, history.report.apart) == (len(rows) - 1, 1)


def test_a_type_that_imdb_invents_is_told_and_is_a_film(tmp_path: Path) -> None:
    rows = "tt0000001,9,,Heat,Hologram,1995,,\n"
    history = read("imdb", tmp_path / "ratings.csv", IMDB + rows)
    assert told(history) == {"Heat": ("rated", 4.5, 1)}
    assert any("Hologram (1)" in note for note in history.report.notes)


def test_an_episode_by_its_own_title_alone_names_no_series(tmp_path: Path) -> None:
    header = "Const,Your Rating,Title,Original Title,Title Type\n"
    rows = (
        "tt0000001,9,Heat,Heat,Movie\n"
        "tt0000002,9,Chapter One: The Vanishing,Chapter One: The Vanishing,TV Episode\n"
        "tt0000003,9,Rome: The Stolen Eagle,The Stolen Eagle,TV Episode\n"
    )
    history = read("imdb", tmp_path / "ratings.csv", header + rows)
    assert told(beside(history)) == {"Rome": ("seen", None, 1)}
    assert (history.report.kept, history.report.apart) == (2, 1)


def test_a_list_of_imdb_without_types_is_recognised(tmp_path: Path) -> None:
    path = tmp_path / "films.csv"
    path.write_text("Const,Your Rating,Title,Year\ntt0113277,9,Heat,1995\n")
    assert detect_kind(path) == "imdb"


def test_two_films_of_one_name_and_year_stay_two_by_their_ids(tmp_path: Path) -> None:
    rows = "tt0000011,9,,Hamlet,Movie,1964,,\ntt0000012,3,,Hamlet,Movie,1964,,\n"
    history = read("imdb", tmp_path / "ratings.csv", IMDB + rows)
    assert [item.key for item in history.items] == ["hamlet-1964", "hamlet-1964-tt0000012"]
    assert sorted(row.rating for row in history.interactions) == [1.5, 4.5]


def test_an_old_list_in_latin_1_is_read_as_it_stands(tmp_path: Path) -> None:
    header = '"position","const","created","Title","Title type","You rated","Year"\n'
    row = '"1","tt0054215","Sat Nov 23 00:00:00 2013","Amélie","Feature Film","8","2001"\n'
    history = read("imdb", tmp_path / "old.csv", header + row, encoding="latin-1")
    assert told(history) == {"Amélie": ("rated", 4.0, 1)}
    assert history.interactions[0].at == datetime(2013, 11, 23)


@pytest.mark.parametrize(
    ("title", "series"),
    [
        ("Dark: Season 1: Secrets", "Dark"),
        ("Star Trek: Discovery: Staffel 2: Bruder", "Star Trek: Discovery"),
        ("Chernobyl: Limited Series: 1:23:45", "Chernobyl"),
        ("La casa de papel: Parte 3: Hemos vuelto", "La casa de papel"),
        ("Mission: Impossible", ""),
        ("John Wick: Chapter 2", ""),
        ("John Wick: Chapter 3 - Parabellum", ""),
        ("Part 2", ""),
    ],
)
def test_a_series_is_known_by_its_season(title: str, series: str) -> None:
    assert series_of(title) == series


def test_episodes_without_a_season_make_a_series_where_there_are_three(tmp_path: Path) -> None:
    titles = ("Planet: One", "Planet: Two", "Planet: Three", "Heat: Redux")
    rows = "".join(f'"{title}","2/1/21"\n' for title in titles)
    history = read("netflix", tmp_path / "history.csv", f"Title,Date\n{rows}")
    assert told(history) == {"Heat: Redux": ("seen", None, 1)}
    assert told(beside(history)) == {"Planet": ("seen", None, 3)}


def test_parts_of_a_series_of_films_stay_films_and_are_told(tmp_path: Path) -> None:
    names = ("The Two Towers", "The Fellowship of the Ring", "The Return of the King")
    films = [f"The Lord of the Rings: {name}" for name in names]
    rows = "".join(f'"{film}","5/2{day}/20"\n' for day, film in enumerate(films))
    history = read("netflix", tmp_path / "history.csv", f"Title,Date\n{rows}")
    assert told(history).keys() == {*films}
    assert not history.beside
    assert any(
        "'The Lord of the Rings' were taken for films" in one for one in history.report.notes
    )


@pytest.mark.parametrize(
    "names", [("Episode 1",), ("Folge 2",), tuple(f"Part of {place}" for place in range(9))]
)
def test_numbered_or_many_names_make_a_series(tmp_path: Path, names: tuple[str, ...]) -> None:
    rows = "".join(f"Bodyguard: {name},1/{day}/20\n" for day, name in enumerate(names, 13))
    history = read("netflix", tmp_path / "history.csv", f"Title,Date\n{rows}")
    assert told(beside(history)) == {"Bodyguard": ("seen", None, len(names))}


def test_a_number_makes_a_series_of_what_stands_right_before_it(tmp_path: Path) -> None:
    rows = "Star Trek: Picard: Episode 1,1/13/20\nStar Trek: Generations,1/14/20\n"
    history = read("netflix", tmp_path / "history.csv", f"Title,Date\n{rows}")
    assert told(history) == {"Star Trek: Generations": ("seen", None, 1)}
    assert told(beside(history)) == {"Star Trek: Picard": ("seen", None, 1)}


@pytest.mark.parametrize("header", ["Titel,Datum", "Título,Fecha", "Titre,Date", "Tytuł,Data"])
def test_the_short_list_is_known_in_other_languages(tmp_path: Path, header: str) -> None:
    path = tmp_path / "history.csv"
    history = read("netflix", path, f"{header}\nDark: Staffel 1: Lügen,19.05.20\nRoma,18.05.20\n")
    assert detect_kind(path) == "netflix"
    assert told(history) == {"Roma": ("seen", None, 1)}
    assert told(beside(history)) == {"Dark": ("seen", None, 1)}
    assert history.interactions[0].at == datetime(2020, 5, 18)
    assert history.report.notes == ("1 row about 1 series: they are kept in the domain series.",)


def test_a_column_of_ones_own_in_a_list_of_netflix_is_told(tmp_path: Path) -> None:
    path = tmp_path / "NetflixViewingHistory.csv"
    history = read("netflix", path, "Title,Date,Verdict\nRoma,5/18/20,good\n")
    assert detect_kind(path) == "netflix"
    assert told(history) == {"Roma": ("seen", None, 1)}
    assert any("Verdict" in note for note in history.report.notes)


@pytest.mark.parametrize(
    ("days", "first"),
    [
        (("12/31/20", "1/2/20"), datetime(2020, 12, 31)),
        (("31/12/2020", "2/1/2020"), datetime(2020, 12, 31)),
        (("05.01.21", "31.12.20"), datetime(2021, 1, 5)),
        (("2021-01-05", "2020-12-31"), datetime(2021, 1, 5)),
        # No number beyond 12: the list falls only where the day stands first.
        (("01/03/21", "12/02/21", "02/02/21", "01/02/21"), datetime(2021, 3, 1)),
    ],
)
def test_the_month_is_told_from_the_whole_list(
    tmp_path: Path, days: tuple[str, ...], first: datetime
) -> None:
    rows = "".join(f"Film {place},{day}\n" for place, day in enumerate(days))
    history = read("netflix", tmp_path / "history.csv", f"Title,Date\n{rows}")
    assert history.interactions[0].at == first
    assert all(row.at for row in history.interactions)


def test_of_several_profiles_the_persons_own_is_read(tmp_path: Path) -> None:
    header = "Profile Name,Start Time,Duration,Title,Supplemental Video Type\n"
    rows = (
        "Anna,2021-01-05 20:00:00,01:40:00,Heat,\nBen,2021-01-05 20:00:00,01:40:00,Alien,\n"
        "Anna,2021-01-06 20:00:00,00:00:41,Fargo,\nAnna,2021-01-06 20:01:00,00:00:41,Heat,TRAILER\n"
    )
    path = tmp_path / "ViewingActivity.csv"
    assert told(read("netflix", path, header + rows)) == {"Heat": ("seen", None, 1)}
    with pytest.raises(UsageError, match="several profiles") as refused:
        read("netflix", path, header + rows, user="carla")
    assert "Anna, Ben" in refused.value.hint


@given(st.lists(st.text(max_size=40), min_size=1, max_size=8))
def test_no_title_breaks_the_reader_of_netflix(tmp_path_factory, titles: list[str]) -> None:
    import csv

    path = tmp_path_factory.mktemp("netflix") / "history.csv"
    with path.open("w", encoding="utf-8", errors="replace", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("Title", "Date"))
        writer.writerows((title, "1/2/21") for title in titles)
    try:
        report = open_source("netflix").read(path, load_domain("movies"), "anna").report  # type: ignore[call-arg]
    except InputError:
        return
    assert report.read == report.kept + report.merged + report.dropped + report.apart


LETTERBOXD = "Date,Name,Year,Letterboxd URI"
HEAT = "2021-03-01,Heat,1995,https://boxd.it/2bg8"


@pytest.mark.parametrize(
    ("name", "header", "row", "event"),
    [
        ("ratings.csv", f"{LETTERBOXD},Rating", f"{HEAT},4.5", ("rated", 4.5, 1)),
        ("renamed.csv", f"{LETTERBOXD},Rating", f"{HEAT},4.5", ("rated", 4.5, 1)),
        ("watched.csv", LETTERBOXD, HEAT, ("seen", None, 1)),
        ("anna-watchlist.csv", LETTERBOXD, HEAT, ("wanted", None, 1)),
        ("likes.csv", LETTERBOXD, HEAT, ("liked", None, 1)),
        (
            "d.csv",
            f"{LETTERBOXD},Rating,Rewatch,Tags,Watched Date",
            f"{HEAT},4,,,2021-02-27",
            ("rated", 4.0, 1),
        ),
    ],
)
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_one_list_of_letterboxd_is_read_by_itself(
    tmp_path: Path, name: str, header: str, row: str, event: tuple, delimiter: str
) -> None:
    text = f"{header}\n{row}\n".replace(",", delimiter)
    assert told(read("letterboxd", tmp_path / name, text)) == {"Heat": event}


def test_a_list_that_may_be_anything_asks_for_its_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="watched, liked or are wanted"):
        read("letterboxd", tmp_path / "films.csv", f"{LETTERBOXD}\n{HEAT}\n")


def test_viewings_of_other_profiles_are_counted_in_the_receipt(tmp_path: Path) -> None:
    history = read(
        "netflix",
        tmp_path / "ViewingActivity.csv",
        "Profile Name,Start Time,Duration,Title\n"
        "anna,2023-01-02 20:00:00,01:40:00,Heat\nbob,2023-01-02 20:00:00,01:40:00,Alien\n",
    )
    assert told(history) == {"Heat": ("seen", None, 1)}
    assert (history.report.read, history.report.apart) == (2, 1)
    assert "1 row left apart: viewings of other profiles." in history.report.notes
