"""A table that one person kept: what is theirs stays theirs, what is the item's goes with it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from localrec.data.rows import HistoryRows
from localrec.graph.domain_files import load_domain
from localrec.sources.catalogues.records import open_records
from localrec.sources.rating_values import rating_value
from localrec.sources.table_guess import propose_mapping
from localrec.sources.table_history import read_history


def read(folder: Path, text: str, domain: str = "movies") -> HistoryRows:
    path = folder / "mine.csv"
    path.write_text(text, encoding="utf-8")
    table = open_records(path)
    mapping = propose_mapping(table, "anna")
    assert mapping is not None
    return read_history(table, mapping, load_domain(domain), "anna")


def interactions(history: HistoryRows) -> list[tuple[str, str, float | None]]:
    names = {item.key: item.name for item in history.items}
    return [(names[one.item], one.event.value, one.rating) for one in history.interactions]


def all_of_items(history: HistoryRows) -> str:
    return " ".join(str(item) for item in history.items)


@pytest.mark.parametrize(
    "header", ["My take", "Kommentar", "Notizen", "Review", "Avis", "Заметки", "我的短评"]
)
def test_words_about_an_item_are_the_persons_note_and_not_the_items_text(tmp_path, header):
    history = read(
        tmp_path,
        f"Title;Rating;{header}\nHeat;4;I walked out of this one with my mother, far too brutal\n"
        "Alien;5;I slept well, the night before my surgery it was\n",
    )
    assert [one.note is not None for one in history.interactions] == [True, True]
    assert "mother" not in all_of_items(history)
    assert "surgery" not in all_of_items(history)


@pytest.mark.parametrize(
    "header", ["Private Notes", "Watched with", "Winner", "Players", "Location", "My mood"]
)
def test_a_column_that_may_be_somebodys_own_words_is_left_out_and_told(tmp_path, header):
    history = read(
        tmp_path, f"Title,Rating,Review,{header}\nHeat,4,great,Ben and Zoe\nUp,5,good,Zoe\n"
    )
    assert "Zoe" not in str(history.items) + str(history.interactions)
    assert any(header in note for note in history.report.notes)


def test_facts_of_the_item_stay_with_it(tmp_path):
    (item,) = read(
        tmp_path, "Title,Director,Genre,Year,Country,Pages\nHeat,Michael Mann,Crime,1995,US,12\n"
    ).items
    told = str(item)
    assert all(word in told for word in ("Michael Mann", "Crime", "1995", "US", "12"))


@pytest.mark.parametrize(
    ("headers", "own"),
    [
        ("Average Rating,My Rating", "My Rating"),
        ("IMDb Rating,Rating", "Rating"),
        ("Metascore,User Score,My Score", "My Score"),
        ("Goodreads Rating,Stars", "Stars"),
        ("Critics' score,Personal Rating", "Personal Rating"),
    ],
)
def test_what_others_gave_is_a_fact_of_the_item_and_never_the_persons_rating(
    tmp_path, headers, own
):
    others = headers.count(",")
    rows = "".join(f"{name}{',4' * others},{n}\n" for n, name in ((1, "Up"), (5, "Heat")))
    history = read(tmp_path, f"Title,{headers}\n{rows}")
    assert [one.rating for one in history.interactions] == [1, 5]
    assert all("4" in str(item.properties) for item in history.items)
    assert all(str(one.rating) not in str(history.items) for one in history.interactions)
    assert own in headers


def test_an_average_beside_the_number_of_ratings_is_nobodys_rating(tmp_path):
    history = read(tmp_path, "title,rating,ratings_count\nHeat,4.31,1200\nUp,4.11,800\n", "books")
    assert {one.rating for one in history.interactions} == {None}


def test_scores_at_imdb_tell_no_items_apart_and_its_numbers_do(tmp_path):
    scores = read(tmp_path, "Title,IMDb,My Rating\nAlien,8.5,9\nPsycho,8.5,3\nHeat,8.3,10\n")
    assert [item.name for item in scores.items] == ["Alien", "Psycho", "Heat"]
    numbers = read(tmp_path, "Title,IMDb,My Rating\nAlien,tt0078748,9\nHeat,tt0113277,10\n")
    assert [item.key for item in numbers.items] == ["tt0078748", "tt0113277"]


def test_words_for_what_happened_are_known_in_several_languages(tmp_path):
    words = {
        "TBR": "wanted",
        "Currently playing": "seen",
        "DNF": "abandoned",
        "möchte ich lesen": "wanted",
        "abgebrochen": "abandoned",
        "gelesen": "seen",
        "à lire": "wanted",
        "leído": "seen",
        "leido": "seen",
        "da leggere": "wanted",
        "hated it": "disliked",
        "👍": "liked",
    }
    rows = "".join(f"Item {n},{word}\n" for n, word in enumerate(words))
    history = read(tmp_path, f"Title,Status\n{rows}")
    assert [event for _, event, _ in interactions(history)] == list(words.values())


def test_one_word_that_nobody_knows_does_not_void_the_column_and_is_told(tmp_path):
    history = read(
        tmp_path,
        "Title,Status,Rating,Finished\nDune,Read,5,\nEmma,TBR,,\nUlysses,glorped,,\n"
        "It,glorped,,2020-01-01\nFaust,glorped,3,\n",
        "books",
    )
    assert interactions(history) == [
        ("Dune", "rated", 5),
        ("Emma", "wanted", None),
        ("It", "seen", None),
        ("Faust", "rated", 3),
    ]
    assert history.report.apart == 1
    assert any("glorped" in note for note in history.report.notes)
    assert [one.column for one in history.report.problems] == ["Status"]


@pytest.mark.parametrize(
    ("header", "yes", "no"),
    [("Watched?", "yes", "no"), ("Read", "Y", "N"), ("Gesehen", "x", ""), ("is_read", "1", "0")],
)
def test_what_was_not_met_yet_is_not_taken_as_met(tmp_path, header, yes, no):
    history = read(
        tmp_path, f"Title,Year,{header}\nAlien,1979,{yes}\nRan,1985,{no}\nHeat,1995,{yes}\n"
    )
    assert interactions(history) == [("Alien", "seen", None), ("Heat", "seen", None)]
    assert [item.name for item in history.items] == ["Alien", "Heat"]
    assert (history.report.read, history.report.kept, history.report.apart) == (3, 2, 1)


def test_a_rating_or_the_day_it_was_finished_says_more_than_a_no(tmp_path):
    history = read(
        tmp_path,
        "Title,Date Read,Finished,Rating\nEmma,2020-01-01,no,\nDune,,no,4\nIt,,no,\nUp,,yes,\n",
        "books",
    )
    assert interactions(history) == [
        ("Emma", "seen", None),
        ("Dune", "rated", 4),
        ("Up", "seen", None),
    ]


def test_what_is_wanted_is_told_by_a_yes_below_such_a_header(tmp_path):
    history = read(tmp_path, "Title,Want to watch\nAlien,yes\nRan,yes\n")
    assert [event for _, event, _ in interactions(history)] == ["wanted", "wanted"]


def test_plus_and_minus_one_are_like_and_dislike(tmp_path):
    history = read(tmp_path, "Title,Rating\nAlien,+1\nCats,-1\nUp,0\n")
    assert interactions(history) == [
        ("Alien", "liked", None),
        ("Cats", "disliked", None),
        ("Up", "seen", None),
    ]


@pytest.mark.parametrize(
    ("told", "value"), [("3 1/2", 3.5), ("4 ½", 4.5), ("+1", 1), ("-1", -1), ("1/2", 1)]
)
def test_halves_and_signs_are_read(told, value):
    assert rating_value(told) == value


@pytest.mark.parametrize(
    "header",
    ["Note", "Nota", "Voto", "Cijfer", "Ocena", "Оценка", "评分", "評価", "Bewertung", "별점"],
)
@pytest.mark.parametrize("rating", ["9", "9,5"])
def test_ratings_are_found_in_other_languages(tmp_path, header, rating):
    history = read(tmp_path, f"Title;{header}\nAlien;{rating}\nHeat;2\n")
    assert [one.rating for one in history.interactions] == [
        float(rating.replace(",", ".")) / 2,
        1.0,
    ]


@pytest.mark.parametrize(
    ("domain", "header", "title"),
    [
        ("books", "Autore", "Titolo"),
        ("books", "Schrijver", "Titel"),
        ("books", "Autor", "Tytuł"),
        ("books", "Автор", "Название"),
        ("books", "作者", "书名"),
    ],
)
def test_makers_are_found_in_other_languages(tmp_path, domain, header, title):
    history = read(
        tmp_path, f"{title};{header};Note\nDune;Frank Herbert;4\nEmma;Jane Austen;5\n", domain
    )
    links = [(link.kind, link.name) for item in history.items for link in item.links]
    assert links == [("author", "Frank Herbert"), ("author", "Jane Austen")]


def test_headers_without_latin_letters_stay_apart(tmp_path):
    history = read(
        tmp_path,
        "Название;Год;Оценка;Штука;Ерунда\nСталкер;1979;10;17;230\nСолярис;1972;9;18;231\n",
    )
    item = history.items[0]
    assert item.name == "Сталкер"
    assert item.properties["year"] == 1979
    assert {"17", "230"} <= {str(value) for value in item.properties.values()}


def test_the_year_in_which_a_book_was_read_is_not_the_books(tmp_path):
    history = read(tmp_path, "Title,Year Read,Rating\nEmma,2020,4\nDracula,2019,5\n", "books")
    assert [one.at for one in history.interactions] == [datetime(2020, 1, 1), datetime(2019, 1, 1)]
    assert all("year" not in item.properties for item in history.items)
    assert any("Year Read" in note for note in history.report.notes)


def test_the_day_on_which_it_was_finished_comes_before_other_days(tmp_path):
    history = read(
        tmp_path,
        "Title,Date Added,Start Date,Date Finished,Release Date,Rating\n"
        "Dune,2019-01-01,2020-01-01,2020-01-20,1965-08-01,5\n"
        "Emma,2019-01-02,2020-02-01,2020-02-20,1815-12-23,4\n",
        "books",
    )
    assert [one.at for one in history.interactions] == [
        datetime(2020, 1, 20),
        datetime(2020, 2, 20),
    ]
    assert [item.properties["year"] for item in history.items] == [1965, 1815]
    assert any("Date Added, Start Date" in note for note in history.report.notes)


@pytest.mark.parametrize(
    ("cells", "days"),
    [
        (("2023/01/17", "2023.02.03"), ((2023, 1, 17), (2023, 2, 3))),
        (("2020. 5. 18.", "20. 4. 3."), ((2020, 5, 18), (2020, 4, 3))),
        (("Jan 2020", "March 2021"), ((2020, 1, 1), (2021, 3, 1))),
        (("2021/03/04 12:30", "2021/03/05 9:05"), ((2021, 3, 4, 12, 30), (2021, 3, 5, 9, 5))),
    ],
)
def test_days_with_the_year_first_and_months_alone_are_days(tmp_path, cells, days):
    history = read(
        tmp_path, f"Title,Finished,Rating\nDune,{cells[0]},5\nEmma,{cells[1]},4\n", "books"
    )
    assert [one.at for one in history.interactions] == [datetime(*day) for day in days]


def test_sums_and_headings_are_no_items(tmp_path):
    history = read(
        tmp_path,
        "Title,Date,Rating\n2020,,\nHeat,2020-01-03,4\nUp,2020-02-03,5\n2021,,\nBig,2021-01-01,3\n"
        "Total: 3,,\n",
    )
    assert [item.name for item in history.items] == ["Heat", "Up", "Big"]
    report = history.report
    assert (report.read, report.kept, report.apart, report.dropped) == (6, 3, 2, 1)


@pytest.mark.parametrize("last", ["Total,3,", "Total,,4", "Average,,3.5", "Gesamt: 3,,"])
def test_a_sum_does_not_hide_what_its_columns_hold(tmp_path, last):
    history = read(tmp_path, f"Title,Date,Rating\nHeat,2021-01-03,4\nUp,2021-01-04,3\n{last}\n")
    assert [one.at for one in history.interactions] == [datetime(2021, 1, 3), datetime(2021, 1, 4)]
    assert len(history.items) == 2


def test_books_called_after_years_stay_books(tmp_path):
    history = read(tmp_path, "Title,Author\n1984,George Orwell\n2666,Roberto Bolaño\n", "books")
    assert [item.name for item in history.items] == ["1984", "2666"]


def test_a_list_of_one_person_is_a_history_even_if_it_holds_titles_alone(tmp_path):
    history = read(tmp_path, "Title,Author\nDune,Frank Herbert\nEmma,Jane Austen\n", "books")
    assert interactions(history) == [("Dune", "seen", None), ("Emma", "seen", None)]


def test_a_private_column_is_never_the_name_of_an_item(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("Private Notes,Rating\nI met Zoe,4\nI met Ben,5\n")
    assert propose_mapping(open_records(path), "anna") is None


@pytest.mark.parametrize("title", ["Was", "Werk", "Co", "Thing I saw"])
@pytest.mark.parametrize("more", ["Notizen", "Tagebuch", "Diary", "Where were you?", "Mood"])
def test_somebodys_words_never_name_an_item_whichever_column_varies_more(tmp_path, title, more):
    history = read(
        tmp_path,
        f"{title};Bewertung;Kommentar;{more}\n"
        "Heat;4;Spannend bis zum Schluss und nie langweilig;mit Mutter nach der Operation\n"
        "Heat;5;Noch besser beim zweiten Mal;allein nach der Trennung\n"
        "Alien;3;Gruselig und gut gemacht;bei Anna\n",
    )
    assert [item.name for item in history.items] == ["Heat", "Alien"]
    assert not any(
        word in all_of_items(history) for word in ("Mutter", "Trennung", "Anna", "Spann")
    )


@pytest.mark.parametrize("header", ["Which film?", "Film", "The film we saw"])
@pytest.mark.parametrize("other", ["Where were you?", "Place", "Venue", "Drink", "Restaurant"])
def test_a_word_for_the_item_in_a_header_names_it_and_no_place_or_drink_does(
    tmp_path, header, other
):
    history = read(
        tmp_path,
        f"Date,{other},{header},Rating\n2020-01-01,with mother,Heat,4\n"
        "2020-02-01,at Anna,Alien,5\n2020-03-01,after it,Heat,3\n",
    )
    assert [item.name for item in history.items] == ["Heat", "Alien"]
    assert "mother" not in all_of_items(history)


def test_the_domain_that_was_named_decides_between_a_place_and_a_film(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("Date,Place,Film\n2020-01-01,Luigi,Heat\n2020-02-01,Roma,Alien\n")
    table = open_records(path)
    told = [propose_mapping(table, "anna", domain) for domain in (None, "movies", "places")]
    assert [one and one.columns.title for one in told] == ["Film", "Film", "Place"]


@pytest.mark.parametrize(
    ("header", "cell"),
    [
        ("Email Address", "anna@example.org"),
        ("Phone", "+31 6 1234 5678"),
        ("Birthday", "1980-05-05"),
        ("Anna", "5"),
        ("Ben", "yes"),
        ("Wedding", "2001-05-05"),
    ],
)
def test_what_tells_of_a_person_is_no_fact_of_an_item(tmp_path, header, cell):
    history = read(
        tmp_path,
        f"Timestamp,Title,Rating,{header}\n2020-01-01,Heat,4,{cell}\n"
        f"2020-02-01,Alien,3,{cell}\n2020-03-01,Up,2,{cell}\n",
    )
    assert cell not in all_of_items(history)
    assert header.casefold() not in all_of_items(history).casefold()
    assert any(header in note for note in history.report.notes)


@pytest.mark.parametrize(
    "header", ["Summary", "About", "Story", "Abstract", "Age", "Time", "Length", "Price", "Genre"]
)
def test_sentences_under_the_header_of_a_fact_are_none(tmp_path, header):
    history = read(
        tmp_path,
        f"Title,Rating,{header}\nHeat,4,I watched it with my mother before her surgery\n"
        "Alien,5,felt like a child again in the hospital there\nUp,3,late at night alone at home\n",
    )
    assert not any(word in all_of_items(history) for word in ("mother", "child", "alone"))


@pytest.mark.parametrize("header", ["imdb_id", "imdbID", "Const", "Link to it"])
def test_a_column_of_numbers_of_imdb_tells_films_of_one_title_apart(tmp_path, header):
    history = read(tmp_path, f"{header},Title,Rating\ntt0116477,Hamlet,5\ntt0099726,Hamlet,2\n")
    assert [one.item for one in history.interactions] == ["tt0116477", "tt0099726"]


def test_a_diary_keeps_its_ratings_beside_the_votes_of_others(tmp_path):
    history = read(
        tmp_path,
        "Title,Rating,Votes,Date watched\nHeat,9,650000,2020-01-01\nUp,3,900000,2020-02-01\n",
    )
    assert [one.rating for one in history.interactions] == [4.5, 1.5]


@pytest.mark.parametrize(("yes", "no"), [("yes", "no"), ("x", "")])
def test_what_is_marked_as_unread_was_not_read(tmp_path, yes, no):
    history = read(
        tmp_path, f"Title,Author,Unread\nDune,Frank Herbert,{yes}\nEmma,Jane Austen,{no}\n"
    )
    assert interactions(history) == [("Emma", "seen", None)]


def test_a_book_called_after_a_year_stays_one_without_author_and_rating(tmp_path):
    history = read(
        tmp_path,
        "Title,Author,Rating\nDune,Frank Herbert,5\n1984,,\nEmma,Jane Austen,4\n2001,,\n",
        "books",
    )
    assert [item.name for item in history.items] == ["Dune", "1984", "Emma", "2001"]


def test_headings_without_days_below_are_told_by_their_rows(tmp_path):
    history = read(tmp_path, "Title,Rating\n2020,\nHeat,4\nUp,3\n2021,\nBig,3\nRan,4\n")
    assert [item.name for item in history.items] == ["Heat", "Up", "Big", "Ran"]
    assert any("rows 2, 5" in note for note in history.report.notes)


def test_a_day_beside_unread_or_not_started_does_not_make_it_read(tmp_path):
    history = read(
        tmp_path,
        "Title,Status,Date\nDune,Read,2020-01-05\nEmma,Unread,2020-01-06\n"
        "Ulysses,Not started,2020-01-07\n",
        "books",
    )
    assert interactions(history) == [("Dune", "seen", None)]
    assert history.report.apart == 2


def test_a_track_comes_before_its_album(tmp_path):
    history = read(
        tmp_path,
        "Album,Track,Artist,Rating\nPost,Hyperballad,Björk,5\nMoon,Sexy Boy,Air,2\n",
        "music",
    )
    assert [item.name for item in history.items] == ["Hyperballad", "Sexy Boy"]
