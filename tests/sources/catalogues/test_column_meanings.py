"""Which column names the items, and what the others say of them."""

from __future__ import annotations

import json

import pytest

from localrec.foundation.errors import InputError
from localrec.sources.catalogues.header_words import meaning_of


def linked(item, kind: str) -> list[str]:
    return [link.name for link in item.links if link.kind == kind]


def test_a_code_of_a_place_names_no_item(read):
    domain, _ = read(
        "Distillery,Body,Postcode\nAberfeldy,2,PH15 2EB\nAberlour,3,AB38 9PJ\nArdbeg,4,PA42 7EB\n",
        "whiskies",
    )
    assert domain.columns.name == "Distillery"


def test_codes_below_an_unknown_header_name_no_item(read):
    domain, _ = read("Brewery,Ref\nOrval,B1 2X\nDuvel,C2 3Y\nJever,D3 4Z\n", "beers")
    assert domain.columns.name == "Brewery"


def test_the_artist_of_a_podcast_is_its_maker(read):
    podcasts = [
        {"artistName": "Serial Productions", "trackName": "Serial", "genres": ["Crime"]},
        {"artistName": "Dan Carlin", "trackName": "Hardcore History", "genres": ["History"]},
    ]
    _, found = read(json.dumps(podcasts), "podcasts", "podcasts.json")
    assert [item.name for item in found.items] == ["Serial", "Hardcore History"]
    assert [item.properties["creator"] for item in found.items] == [
        "Serial Productions",
        "Dan Carlin",
    ]


def test_a_list_is_never_the_name(read):
    recipes = [
        {"id": 10259, "cuisine": "greek", "ingredients": ["feta", "garlic"]},
        {"id": 10260, "cuisine": "greek", "ingredients": ["salt", "flour"]},
        {"id": 10261, "cuisine": "thai", "ingredients": ["rice", "basil"]},
    ]
    _, found = read(json.dumps(recipes), "recipes", "train.json")
    assert [item.name for item in found.items] == ["10259", "10260", "10261"]
    assert linked(found.items[0], "ingredient") == ["feta", "garlic"]
    assert linked(found.items[0], "cuisine") == ["greek"]


def test_numbers_alone_name_nothing(read):
    rows = "".join(f"{user},{user + 7},5\n" for user in range(12))
    with pytest.raises(InputError, match="no column that could name"):
        read(f"user_id,book_id,count\n{rows}")


def test_numbered_columns_with_a_type_in_front_are_ingredients_with_measures(read):
    meals = [
        {
            "idMeal": str(52771 + place),
            "strMeal": name,
            "strCategory": "Vegetarian",
            "strTags": "Pasta,Curry",
            "strIngredient1": first,
            "strIngredient2": "salt",
            "strMeasure1": "1 cup",
            "strMeasure2": "2 tsp",
        }
        for place, (name, first) in enumerate(
            (("Penne", "pasta"), ("Pie", "beef"), ("Shak", "egg"))
        )
    ]
    _, found = read(json.dumps({"meals": meals}), "recipes", "meals.json")
    assert [item.name for item in found.items] == ["Penne", "Pie", "Shak"]
    told = [(link.name, link.value) for link in found.items[0].links if link.kind == "ingredient"]
    assert told == [("pasta", "1 cup"), ("salt", "2 tsp")]


@pytest.mark.parametrize(
    ("name", "year"),
    [
        ("2001: A Space Odyssey (1968)", 1968),
        ("1984 (1956)", 1956),
        ("Blade Runner 2049 (2017)", 2017),
        ("Death Note (2006–2007)", 2006),
        ("Planet Giants (1964– )", 1964),
        ("Class of 1999", None),
    ],
)
def test_the_year_in_brackets_behind_a_name_is_the_year(read, name, year):
    _, found = read(f"title,genre\n{name},Drama\nAlien (1979),Horror\nHer (2013),Drama\n")
    assert found.items[0].properties.get("year") == year


def test_a_year_within_names_without_brackets_is_theirs(read):
    _, found = read("title,grape\nValle 2013 Rosso,Merlot\nQuinta 2011 Tinto,Syrah\n")
    assert [item.properties["year"] for item in found.items] == [2013, 2011]


def test_stars_of_a_film_are_its_cast(read):
    _, found = read(
        "title,genre,Star1,Star2,IMDB_Rating\nHeat,Crime,Al Pacino,Val Kilmer,8.3\n"
        "Alien,Horror,Sigourney Weaver,John Hurt,8.5\nHer,Drama,Joaquin Phoenix,Amy Adams,8.0\n"
    )
    assert linked(found.items[0], "cast") == ["Al Pacino", "Val Kilmer"]
    assert found.items[0].properties["imdb_rating"] == 8.3


@pytest.mark.parametrize(
    ("header", "meaning"),
    [
        ("yearpublished", "year"),
        ("usersrated", "popularity"),
        ("minplayers", "min players"),
        ("maxplaytime", "minutes"),
        ("artistName", "artist"),
        ("Postcode", "address"),
        ("Series_Title", "name"),
    ],
)
def test_headers_of_several_words_are_known_in_one(header, meaning):
    assert meaning_of(header)[0] == meaning


def test_headers_in_one_word_are_numbers_to_ask_for(read):
    domain, found = read(
        "name,yearpublished,usersrated,minplayers\nBrass,2018,47018,2\nGo,-2200,16000,2\n"
        "Magic,1993,38000,2\n"
    )
    assert found.items[0].properties["year"] == 2018
    assert domain.numbers["usersrated"].better == "higher"
    assert domain.numbers["minplayers"].bound == "low"


def test_a_popularity_counts_nobody(read):
    domain, _ = read(
        "title,popularity,vote_count\nAvatar,150.4,11800\nAmour,10.1,500\nHer,47.9,238\n"
    )
    assert domain.numbers["popularity"].says == "has a popularity of {value}"
    assert domain.numbers["popularity"].better is None
    assert domain.numbers["vote_count"].says == "was rated by {value}"
    assert "popular" in domain.numbers["vote_count"].more


def test_a_score_of_popularity_tells_the_popular_where_nothing_else_does(read):
    domain, _ = read("song,popularity\nHey,85\nYou,0\nOh,85\n")
    assert "popular" in domain.numbers["popularity"].more


def test_the_first_of_a_ranking_by_popularity_is_not_the_least_popular(read):
    domain, _ = read("anime,popularity\nNaruto,1\nBleach,3\nGinga,2\n")
    assert domain.numbers["popularity"].more == ()


def test_of_an_old_and_a_new_price_the_new_one_is_the_price(read):
    domain, found = read("name,old_price,new_price\nLucky,395,244.55\nUomo,260,94.95\n", "perfumes")
    assert "cheap" in domain.numbers["new_price"].less
    assert domain.numbers["old_price"].less == ()
    assert found.items[0].properties["old_price"] == 395


def test_an_amount_may_begin_with_its_point(read):
    _, found = read(
        'name,ingredients\nFlor,"1.5 oz Mezcal, .5 oz Lime Juice"\nLover,"2 oz Rye, .75 oz Honey"\n'
    )
    told = [(link.name, link.value) for link in found.items[0].links]
    assert told == [("Mezcal", "1.5 oz"), ("Lime Juice", ".5 oz")]


def test_slashes_part_people_and_not_the_name_of_a_band(read):
    _, books = read(
        "title,authors\nPotter,J.K. Rowling/Mary GrandPré\nKarenina,Leo Tolstoy/Richard Pevear\n"
        "Hitchhiker,Douglas Adams\n"
    )
    assert linked(books.items[0], "author") == ["J.K. Rowling", "Mary GrandPré"]
    _, albums = read("album,artist\nBack in Black,AC/DC\nHeroes,David Bowie\nLow,David Bowie\n")
    assert linked(albums.items[0], "artist") == ["AC/DC"]


def test_a_number_of_the_items_themselves_identifies_them(read):
    domain, _ = read(
        "name,id,contributor_id,minutes\nSoup,137739,47892,20\nStew,31490,26278,90\nPie,9,3,60\n",
        "recipes",
    )
    assert domain.columns.identifiers == ("id",)
    assert "contributor_id" in domain.columns.properties


@pytest.mark.parametrize(("header", "domain"), [("phone", "phones"), ("street", "streets")])
def test_what_the_items_are_is_their_name_and_no_address(read, header, domain):
    _, found = read(
        f"{header},brand,price\nApple iPhone 15,Apple,799\nNokia 3310,Nokia,49\n"
        "Fairphone 5,Fairphone,699\n",
        domain,
    )
    assert [item.name for item in found.items] == ["Apple iPhone 15", "Nokia 3310", "Fairphone 5"]


def test_an_id_that_counts_the_rows_identifies_the_items(read):
    rows = "".join(f"{n},{n * 7 % 20},Game {n}\n" for n in range(1, 13))
    domain, found = read(f"id,bgg_id,title\n{rows}", "games")
    assert domain.columns.identifiers == ("id", "bgg_id")
    assert found.items[4].properties["id"] == "5"


def test_rows_that_differ_in_their_number_alone_are_one_item(read):
    rows = "".join(f"{n},Game {n % 10},{n % 10}\n" for n in range(1, 21))
    _, found = read(f"id,title,price\n{rows}", "games")
    assert len(found.items) == 10
    assert found.report.merged == 10


def test_a_number_of_the_row_that_is_no_id_is_left_out(read):
    rows = "".join(f"{n},Game {n}\n" for n in range(1, 13))
    domain, _ = read(f",title\n{rows}", "games")
    assert domain.columns.identifiers == ()
    assert domain.columns.properties == {}
