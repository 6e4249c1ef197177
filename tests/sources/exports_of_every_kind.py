"""One small, sound export of every kind, in its public layout; `hostile` ones name a nasty item."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from localrec.foundation.paths import shipped
from tests.sources.book_exports import SAMPLES, goodreads, storygraph

sys.path.append(str(Path(__file__).resolve().parents[2] / "scripts" / "studies"))

from calibre_library import Book, write_library

SECOND = 1_600_000_000


def write_goodreads(folder: Path, name: str = "Dune") -> Path:
    other = {"Title": "Emma", "Author": "Jane Austen", "My Rating": "3"}
    read_at = {"Title": name, "My Rating": "5", "Date Read": "2021/03/14"}
    return _save(folder / "library.csv", goodreads(read_at, other))


def write_storygraph(folder: Path, name: str = "Dune") -> Path:
    other = {"Title": "Emma", "Authors": "Jane Austen", "Star Rating": "3.25"}
    row = {"Title": name, "Star Rating": "5.0", "Last Date Read": "2021/03/14", "Tags": name}
    return _save(folder / "storygraph.csv", storygraph(row, other))


def write_letterboxd(folder: Path, name: str = "Heat") -> Path:
    home = folder / "letterboxd"
    shutil.copytree(SAMPLES / "letterboxd", home)
    row = f'2021-03-09,"{name}",1999,https://boxd.it/1abc'
    for file, line in (("watched.csv", row), ("ratings.csv", f"{row},5")):
        with (home / file).open("a", encoding="utf-8") as stream:
            stream.write(f"{line}\n")
    return home


def write_listenbrainz(folder: Path, name: str = "Sinnerman") -> Path:
    home = folder / "listenbrainz"
    shutil.copytree(SAMPLES / "listenbrainz", home)
    told = {"artist_name": name, "track_name": name, "release_name": name}
    line = json.dumps({"listened_at": SECOND, "track_metadata": told})
    with (home / "listens" / "2024" / "1.jsonl").open("a", encoding="utf-8") as stream:
        stream.write(f"{line}\n")
    return home


def write_lastfm(folder: Path, name: str = "Sinnerman") -> Path:
    lines = f"{name},{name},{name},26 Nov 2023 18:05\nAir,Moon Safari,Sexy Boy,26 Nov 2023 18:01\n"
    return _save(folder / "plays.csv", lines)


def write_spotify(folder: Path, name: str = "Sinnerman") -> Path:
    home = folder / "Spotify Account Data"
    home.mkdir()
    played = {"endTime": "2023-11-26 18:05", "artistName": name, "trackName": name}
    other = {"endTime": "2023-11-26 18:01", "artistName": "Air", "trackName": "Sexy Boy"}
    streams = [{**one, "msPlayed": 200_000} for one in (played, other)]
    _save(home / "StreamingHistory_music_0.json", json.dumps(streams))
    return home


def write_imdb(folder: Path, name: str = "Heat") -> Path:
    header = "Const,Your Rating,Date Rated,Title,URL,Title Type,Year,Genres,Directors"
    rows = (
        f"tt0113277,9,2021-03-09,{name},https://example.org,Movie,1995,Crime,{name}\n"
        "tt0903747,10,2021-03-10,Breaking Bad,https://example.org,TV Series,2008,Crime,\n"
    )
    return _save(folder / "ratings-of-anna.csv", f"{header}\n{rows}")


def write_netflix(folder: Path, name: str = "Heat") -> Path:
    rows = f'"{name}","3/9/21"\n"Dark: Season 1: Secrets","3/8/21"\n'
    return _save(folder / "NetflixViewingHistory.csv", f"Title,Date\n{rows}")


def write_boardgamegeek(folder: Path, name: str = "Catan") -> Path:
    header = "objectname,objectid,rating,numplays,own,yearpublished,comment"
    rows = f"{name},13,7.5,3,1,1995,{name}\nGo,188,0,2,1,-2200,\n"
    return _save(folder / "collection.csv", f"{header}\n{rows}")


def write_myanimelist(folder: Path, name: str = "Cowboy Bebop") -> Path:
    told = (
        f"<anime><series_animedb_id>1</series_animedb_id><series_title><![CDATA[{_xml(name)}]]>"
        "</series_title><series_type>TV</series_type><my_score>9</my_score>"
        f"<my_status>Completed</my_status><my_tags><![CDATA[{_xml(name)}]]></my_tags></anime>"
    )
    return _save(
        folder / "animelist.xml", f"<?xml version='1.0'?><myanimelist>{told}</myanimelist>"
    )


def write_trakt(folder: Path, name: str = "Heat") -> Path:
    home = folder / "trakt"
    home.mkdir()
    film = {"title": name, "year": 1995, "ids": {"trakt": 1, "imdb": "tt0113277", "tmdb": 949}}
    show = {"title": "Dark", "year": 2017, "ids": {"trakt": 2}, "genres": [name]}
    rated = {"rated_at": "2021-03-09T20:00:00.000Z", "rating": 9, "type": "movie", "movie": film}
    seen = {"plays": 2, "last_watched_at": "2021-03-08T20:00:00.000Z", "show": show}
    _save(home / "ratings-movies.json", json.dumps([rated]))
    _save(home / "watched-shows.json", json.dumps([seen]))
    return home


def write_calibre(folder: Path, name: str = "Dune") -> Path:
    home = folder / "Calibre Library"
    home.mkdir()
    rated = Book(name, ("Frank Herbert", name), tags=("sf", name), rating=8, comments=name)
    write_library(home / "metadata.db", [rated, Book("Emma", ("Jane Austen",))])
    return home


def write_librarything(folder: Path, name: str = "Dune") -> Path:
    header = "Book Id\tTitle\tPrimary Author\tDate\tReview\tRating\tTags\tCollections\tISBN"
    rows = (
        f"1\t{name}\tHerbert, Frank\t1965\t{name}\t4.5\t{name}, sf\tYour library\t[0441172717]\n"
        "2\tEmma\tAusten, Jane\t1815\t\t\t\tTo read\t[]\n"
    )
    return _save(folder / "librarything.tsv", f"{header}\n{rows}")


def write_goodbooks(folder: Path, name: str = "Dune (Dune, #1)") -> Path:
    home = folder / "goodbooks-10k"
    home.mkdir()
    header = "book_id,goodreads_book_id,authors,original_publication_year,title,language_code"
    rows = f'1,11,"{name}, Anna Lee",1965.0,"{name}",eng\n2,12,Jane Austen,1815.0,Emma,eng\n'
    _save(home / "books.csv", f"{header}\n{rows}")
    _save(home / "ratings.csv", "user_id,book_id,rating\n1,1,5\n1,2,3\n2,2,4\n")
    _save(home / "to_read.csv", "user_id,book_id\n2,1\n")
    _save(home / "tags.csv", f"tag_id,tag_name\n1,science-fiction\n2,{name}\n")
    _save(home / "book_tags.csv", "goodreads_book_id,tag_id,count\n11,1,99\n11,2,100\n")
    return home


def write_bookcrossing(folder: Path, name: str = "Dune") -> Path:
    home = folder / "bx"
    home.mkdir()
    header = '"ISBN";"Book-Title";"Book-Author";"Year-Of-Publication";"Publisher"'
    rows = f'"0441172717";"{name}";"{name}";"1965";"Ace"\n"2";"Emma";"Jane Austen";"0";"X"\n'
    _save(home / "BX-Books.csv", f"{header}\n{rows}")
    ratings = '"1";"0441172717";"9"\n"1";"2";"0"\n"2";"2";"10"\n'
    _save(home / "BX-Book-Ratings.csv", f'"User-ID";"ISBN";"Book-Rating"\n{ratings}')
    return home


def write_movielens(folder: Path, name: str = "Heat (1995)") -> Path:
    home = folder / "ml-latest-small"
    home.mkdir()
    _save(home / "movies.csv", f"movieId,title,genres\n1,{name},Crime\n2,Alien (1979),Horror\n")
    ratings = f"1,1,4.0,{SECOND}\n1,2,0.5,{SECOND}\n2,1,5.0,{SECOND}\n"
    _save(home / "ratings.csv", f"userId,movieId,rating,timestamp\n{ratings}")
    return home


def write_amazon(folder: Path, name: str = "Phantasmagoria") -> Path:
    home = folder / "games"
    home.mkdir()
    common = {"parent_asin": "B07DK1H3H5"}
    written: dict[str, Any] = {"rating": 5.0, "title": name, "text": name, "asin": "B07DJWBYKP"}
    by = {"user_id": "AGCI7FAH", "timestamp": SECOND * 1000}
    _save(home / "Video_Games.jsonl", _lines({**written, **common, **by}))
    told = {"title": name, "store": name, "average_rating": 4.1, "categories": [name]}
    _save(home / "meta_Video_Games.jsonl", _lines({**told, **common}))
    return home


def write_recbole(folder: Path, name: str = "Heat (1995)") -> Path:
    home = folder / "recbole"
    home.mkdir()
    _save(home / "a.item", f"item_id:token\ttitle:token_seq\n1\t{name}\n2\tAlien (1979)\n")
    header = "user_id:token\titem_id:token\trating:float\ttimestamp:float\n"
    _save(home / "a.inter", f"{header}{name}\t1\t4\t{SECOND}\nmia\t2\t5\t{SECOND}\n")
    return home


def write_instructrec(folder: Path, name: str = "Dune") -> Path:
    home = folder / "instructrec"
    home.mkdir()
    items = {"B1": {"title": name, "author": name}, "B2": {"title": "Emma"}}
    _save(home / "item_meta.json", json.dumps(items))
    _save(home / "user_sequences.json", json.dumps({"mia": ["B1", "B2"], name: ["B2"]}))
    _save(home / "user_instructions.json", json.dumps({"mia": f"Something like {name}."}))
    return home


def write_yelp(folder: Path, name: str = "Turning Point") -> Path:
    home = folder / "yelp"
    home.mkdir()
    ids = {"user_id": "mh_-eMZ6", "business_id": "XQfwVwDr"}
    review = {"review_id": "KU_O5udG", "stars": 3.0, "text": name, "date": "2018-07-07 22:09:11"}
    _save(home / "yelp_academic_dataset_review.json", _lines({**review, **ids}))
    place = {"business_id": "XQfwVwDr", "name": name, "city": name, "categories": name}
    _save(home / "yelp_academic_dataset_business.json", _lines(place))
    return home


def write_table(folder: Path, name: str = "Heat") -> Path:
    home = folder / "table"
    home.mkdir()
    _save(home / "films.csv", f"who,id,film,score\nmia,{name},{name},9\ntom,b2,Alien,10\n")
    columns = 'user = "who"\nitem = "id"\ntitle = "film"\nrating = "score"\n'
    mapping = f"[columns]\n{columns}\n[rating]\nscale = [0, 10]\n"
    return _save(home / "films.mapping.toml", mapping)


def write_cocktails(folder: Path, name: str = "Negroni") -> Path:
    header = "idDrink,strDrink,strGlass,strIngredient1,strIngredient2,strInstructions"
    rows = f"1,{name},Coupe,{name},Campari,Stir.\n2,Gin and Tonic,Highball,Gin,Tonic,Pour.\n"
    return _save(folder / "drinks.csv", f"{header}\n{rows}")


def write_barassistant(folder: Path, name: str = "Negroni") -> Path:
    home = folder / "pack"
    for file, called in (("first", name), ("second", "Gin and Tonic")):
        parts = [{"_id": "gin", "name": "Gin", "amount": 30, "units": "ml"}]
        told = {"_id": file, "name": called, "garnish": name, "method": "Stir", "tags": [name]}
        (home / "cocktails" / file).mkdir(parents=True)
        whole = json.dumps({**told, "ingredients": parts})
        _save(home / "cocktails" / file / "data.json", whole)
    return home


def write_iba(folder: Path, name: str = "Negroni") -> Path:
    parts = [{"unit": "cl", "amount": 3, "ingredient": "Gin"}, {"special": "2 dashes Cola"}]
    told = [
        {"name": one, "glass": "martini", "ingredients": parts, "preparation": name}
        for one in (name, "Vesper")
    ]
    return _save(folder / "recipes.json", json.dumps(told))


def write_mrboston(folder: Path, name: str = "Negroni") -> Path:
    header = "name,category,row_id,ingredient_number,ingredient,measure"
    rows = f"{name},Gin,1,1,Gin,1 oz\n{name},Gin,1,2,Campari,1 oz\nGimlet,Gin,2,1,Gin,2 oz\n"
    return _save(folder / "boston.csv", f"{header}\n{rows}")


def write_drinks(folder: Path, name: str | None = None) -> Path:
    home = folder / "drinks"
    home.mkdir()
    source = shipped("datasets") / "cocktails" / "drinks" / "alcohol_free.jsonl"
    first, second = source.read_text(encoding="utf-8").splitlines()[:2]
    changed = {**json.loads(first), **({"name": name} if name else {})}
    _save(home / "own.jsonl", f"{json.dumps(changed)}\n{second}\n")
    return home


def write_catalogue(folder: Path, name: str = "Pub Beer") -> Path:
    lines = f'name,category,price\n"{name}",{name},5\nDevil,Ale,7\nRise,Ale,8\n'
    return _save(folder / "beers.csv", lines)


def write_imdbtitles(folder: Path, name: str = "Heat") -> Path:
    header = (
        "tconst\ttitleType\tprimaryTitle\toriginalTitle\tisAdult\tstartYear\tendYear\t"
        "runtimeMinutes\tgenres"
    )
    rows = (
        f"tt0113277\tmovie\t{name}\t{name}\t0\t1995\t\\N\t170\tCrime,Drama\n"
        "tt0078748\tmovie\tAlien\tAlien\t0\t1979\t\\N\t117\tHorror,Sci-Fi\n"
    )
    return _save(folder / "title.basics.tsv", f"{header}\n{rows}")


def write_openlibrary(folder: Path, name: str = "Dune") -> Path:
    lines = [
        "/type/work\t/works/OL" + f"{number}W\t1\t2021-01-01T00:00:00\t" + json.dumps(told)
        for number, told in enumerate(
            [{"title": name, "subjects": [name, "Science fiction"]}, {"title": "Emma"}], 1
        )
    ]
    return _save(folder / "ol_dump_works_latest.txt", "\n".join(lines) + "\n")


def write_musicbrainz(folder: Path, name: str = "Moon Safari") -> Path:
    lines = [
        json.dumps(
            {
                "id": f"b{number}",
                "primary-type": "Album",
                "title": title,
                "artist-credit": [{"name": "Air"}],
                "first-release-date": "1998-01-16",
                "tags": [{"name": title, "count": 2}],
            }
        )
        for number, title in enumerate((name, "Talkie Walkie"))
    ]
    return _save(folder / "release-group", "\n".join(lines) + "\n")


WRITERS: dict[str, Callable[..., Path]] = {
    "cocktails": write_cocktails,
    "barassistant": write_barassistant,
    "iba": write_iba,
    "mrboston": write_mrboston,
    "drinks": write_drinks,
    "goodreads": write_goodreads,
    "storygraph": write_storygraph,
    "letterboxd": write_letterboxd,
    "listenbrainz": write_listenbrainz,
    "lastfm": write_lastfm,
    "spotify": write_spotify,
    "imdb": write_imdb,
    "netflix": write_netflix,
    "boardgamegeek": write_boardgamegeek,
    "myanimelist": write_myanimelist,
    "trakt": write_trakt,
    "calibre": write_calibre,
    "librarything": write_librarything,
    "movielens": write_movielens,
    "amazon": write_amazon,
    "recbole": write_recbole,
    "instructrec": write_instructrec,
    "imdbtitles": write_imdbtitles,
    "openlibrary": write_openlibrary,
    "musicbrainz": write_musicbrainz,
    "goodbooks": write_goodbooks,
    "bookcrossing": write_bookcrossing,
    "yelp": write_yelp,
    "table": write_table,
    "catalogue": write_catalogue,
}


def _lines(*objects: dict[str, Any]) -> str:
    return "".join(f"{json.dumps(one)}\n" for one in objects)


def _xml(text: str) -> str:
    """What XML can hold of a text: no control characters."""
    return "".join(letter for letter in text if letter.isprintable() or letter == "\u202e")


def _save(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8", newline="")
    return path
