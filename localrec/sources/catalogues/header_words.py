"""What headers of tables mean, in the words that people and data sets use for columns."""

from __future__ import annotations

import re
from functools import lru_cache

from localrec.foundation.text import fold_accents
from localrec.foundation.text_matching import singular

# Meaning -> headers, as singular words; the first fitting meaning of the longest header counts.
_MEANINGS: dict[str, str] = {
    "name": "name, title, label, nombre, nom, titel, titre, titulo, titolo, nome, bezeichnung",
    "id": "id, key, uid, uuid, code, sku, asin, ean, upc, barcode, slug, handle, isbn, isbn13, issn, imdb, tmdb, bgg id",
    "index": "index, idx, row, row number, row num, line, number, nr, no, position, sort, order, unnamed",
    "description": "description, desc, review, review text, summary, overview, plot, synopsis, about, blurb, abstract, "
    "tasting note, note, comment, remark, beschreibung, descripcion, descrizione, text, body, details, story, intro",
    "instructions": "instruction, direction, step, method, preparation, procedure, how to, recipe instruction, zubereitung",
    "ingredient": "ingredient, recipe ingredient part, zutat, ingrediente, ingredient list",
    "measure": "measure, amount, quantity, qty, unit, dose, measurement, recipe ingredient quantity",
    "mechanic": "mechanic, mechanism, game mechanic, mechanique",
    "variety": "variety, varietal, grape, grape variety, cepage, rebsorte, uva, cultivar",
    "style": "style, beer style",
    "genre": "genre, subgenre, listed in",
    "tag": "tag, keyword, topic, subject, theme, shelf, label tag, flavor, flavour, hop, skill, feature, amenity, trait",
    "category": "category, type, kind, class, family, group, department, classification, kategorie, categoria, art, section",
    "cuisine": "cuisine, kitchen, kueche",
    "course": "course, meal, dish type, meal type",
    "glass": "glass, glassware, glass type",
    "garnish": "garnish",
    "platform": "platform, console, system",
    "format": "format, binding, packaging, medium, edition",
    "language": "language, lang, language code, sprache, original language",
    "colour": "colour, color, farbe, couleur",
    "country": "country, nation, land, pays, pais, paese, country of origin",
    "region": "region, region 1, region 2, area, appellation, district, county, anbaugebiet, subregion, terroir",
    "province": "province, state, bundesland, kanton",
    "city": "city, town, municipality, ort, stadt",
    "origin": "origin, location, place, from, herkunft",
    "winery": "winery, weingut, domaine, chateau, bodega, estate, vineyard",
    "brewery": "brewery, brewer, brauerei, brewery name",
    "distillery": "distillery",
    "roaster": "roaster, roastery",
    "author": "author, writer, autor, auteur, authors name, author name",
    "designer": "designer, game designer",
    "director": "director, directed by, regisseur",
    "artist": "artist, band, performer, musician, singer",
    "developer": "developer, studio",
    "composer": "composer",
    "chef": "chef, cook, contributor",
    "brand": "brand, maker, manufacturer, producer, company, vendor, marke, hersteller, brand name",
    "publisher": "publisher, editor, verlag, imprint",
    "cast": "cast, actor, star cast, starring",
    "series": "series, saga, franchise, collection",
    "price": "price, cost, msrp, retail, preis, prix, precio, prezzo, list price, price usd, price eur, retail price, selling price",
    "rating": "rating, score, point, star, grade, stars, rate, bewertung, note moyenne, review score, imdb rating, vote average",
    "rank": "rank, ranking, place in list",
    "popularity": "vote, review count, rating count, number of review, number of rating, num vote, num review, num rating, "
    "user rating count, vote count, popularity, download, owner, owned, view, reviews count, ratings count, user rated, users rated",
    "year": "year, vintage, released, release year, publication year, year published, published, jahr, annee, ano, anno, "
    "release date, date published, publication date, published date, jahrgang, original publication year, first published",
    "abv": "abv, alcohol, alcohol content, alc, alcohol by volume, proof, strength, alkohol, alcohol percentage",
    "ibu": "ibu, bitterness",
    "minutes": "minute, time, duration, runtime, running time, playing time, play time, playtime, total time, avg time, average time, "
    "length, cooking time, total minute, time minute, dauer, ready in minute, min playtime, max playtime",
    "pages": "page, page count, num page, number of page, seiten",
    "servings": "serving, portion, yield, recipe serving, serves",
    "calories": "calory, calorie, kcal, energy",
    "complexity": "complexity, weight, difficulty, averageweight, average weight, complexity average",
    "min players": "min player, minimum player, minplayer, player min",
    "max players": "max player, maximum player, maxplayer, player max",
    "players": "player, number of player",
    "age": "age, min age, minimum age, minage, recommended age, player age",
    "ounces": "ounce, oz, fluid ounce",
    "url": "url, link, uri, image, image url, thumbnail, picture, photo, img, website, homepage, poster, cover",
    "date": "date, created, updated, created at, updated at, modified, timestamp, date added, submitted, date submitted, date modified",
    "user": "user, user id, userid, reviewer, reviewer id, member, customer, customer id, username, user name, listener",
}  # fmt: skip
_QUALIFIERS = frozenset(
    "avg average mean total overall num number of the count my main primary full original official "
    "official standard list str s in per current item product recipe".split()
)
_UNITS = frozenset("usd eur gbp dollar euro minute min hour h sec g kg ml cl oz l percent pct".split())
CREATORS = (
    "author", "director", "artist", "designer", "winery", "brewery", "distillery", "roaster",
    "composer", "chef", "developer", "brand", "publisher",
)  # fmt: skip
PLACES = ("country", "province", "region", "city", "origin")
COMPONENTS = ("ingredient", "mechanic", "variety", "style", "genre", "tag", "cuisine", "category")
CATEGORIES = ("category", "cuisine", "course", "genre", "style", "format", "tag", "series", "cast")
CONTAINERS = ("glass", "platform", "format")
_BY_WORDS = {
    tuple(singular(word) for word in header.split()): meaning
    for meaning, headers in _MEANINGS.items()
    for header in (one.strip() for one in headers.split(","))
}


def header_words(header: str) -> tuple[str, ...]:
    """The words of a header, folded and singular: "avgPlay_time (min)" -> avg, play, time, min."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=\d)", " ", fold_accents(header))
    return tuple(singular(word) for word in re.findall(r"[a-z0-9]+", apart.casefold()))


@lru_cache(maxsize=4096)
def meaning_of(header: str, about: tuple[str, ...] = ()) -> tuple[str, float]:
    """What a header means, and how surely (0..1); ("", 0) where nothing is known.

    Args:
        header: As the file writes it.
        about: Words for an item ("wine"), which a header may hold: "wine_name".
    """
    words = header_words(header)
    if not words:
        return "", 0.0
    if words in _BY_WORDS:
        return _BY_WORDS[words], 1.0
    if "count" in words or "num" in words or "number" in words:
        if set(words) & {"rating", "review", "vote", "user", "owner"}:
            return "popularity", 0.8
    joined = _BY_WORDS.get(("".join(words),))
    if joined:
        return joined, 0.9
    bare = tuple(word for word in words if not word.isdigit() and word not in _UNITS) or words
    bare = tuple(word for word in bare if word not in about) or bare
    for told in (bare, tuple(word for word in bare if word not in _QUALIFIERS)):
        if told in _BY_WORDS:
            return _BY_WORDS[told], 0.9
    for length in (3, 2, 1):
        if len(bare) > length and (found := _BY_WORDS.get(bare[-length:])):
            return found, 0.5
    for word in bare:
        if (word,) in _BY_WORDS:
            return _BY_WORDS[(word,)], 0.3
    return "", 0.0
