"""What headers of tables mean, in the words that people and data sets use for columns."""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from pathlib import Path

from localrec.foundation.text import fold_accents
from localrec.foundation.text_matching import singular
from localrec.sources.catalogues.currencies import names_currency_alone, without_currency

_QUALIFIERS = frozenset(
    "avg average mean total overall num number of the count my main primary full original official "
    "official standard list str s in per current item product recipe".split()
)
_UNITS = frozenset(
    "usd eur gbp dollar euro minute min hour h sec g kg ml cl oz l percent pct".split()
)
_RESERVED = frozenset({"name", "title", "description", "instructions", "creator", "key"})
_COUNTED = frozenset({"rating", "review", "vote", "user", "owner"})
_NAMES = ("name", "title", "label")
_AMOUNTS = frozenset({"amount", "value"})
_AMOUNTED = frozenset({"price", "rating", "abv", "minutes", "calories", "pages"})
CREATORS = (
    "author", "director", "artist", "designer", "winery", "brewery", "distillery", "roaster",
    "composer", "chef", "developer", "brand", "publisher",
)  # fmt: skip
PLACES = ("country", "province", "region", "city", "origin")
COMPONENTS = ("ingredient", "mechanic", "variety", "style", "genre", "tag", "cuisine", "category")
CATEGORIES = ("category", "cuisine", "course", "genre", "style", "format", "tag", "series", "cast")
CONTAINERS = ("glass", "platform", "format")


@lru_cache(maxsize=1)
def _known_headers() -> dict[str, list[str]]:
    return tomllib.loads((Path(__file__).parent / "header_words.toml").read_text(encoding="utf-8"))


@lru_cache(maxsize=1)
def _by_words() -> dict[tuple[str, ...], str]:
    """The words of each known header, singular -> its meaning."""
    found: dict[tuple[str, ...], str] = {}
    for meaning, headers in _known_headers().items():
        for header in headers:
            found.setdefault(tuple(singular(word) for word in header.split()), meaning)
    return found


@lru_cache(maxsize=1)
def _in_one_word() -> dict[str, str]:
    """Headers of several words, written as one -> their meaning: "yearpublished"."""
    found: dict[str, str] = {}
    for meaning, headers in _known_headers().items():
        for header in headers:
            found.setdefault(header.replace(" ", ""), meaning)
            found.setdefault("".join(singular(word) for word in header.split()), meaning)
    return found


def header_words(header: str) -> tuple[str, ...]:
    """The words of a header, folded and singular: "avgPlay_time (min)" -> avg, play, time, min."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=\d)", " ", fold_accents(header))
    return tuple(singular(word) for word in re.findall(r"[a-z0-9]+", apart.casefold()))


@lru_cache(maxsize=4096)
def meaning_of(header: str, about: tuple[str, ...] = ()) -> tuple[str, float]:
    """Return the meaning of a header, and its certainty (0..1); ("", 0) for an unknown one.

    Args:
        header: As the file writes it.
        about: Words for an item ("wine"), which a header may hold: "wine_name".
    """
    words = header_words(header)
    if names_currency_alone(header):
        return "price", 0.9
    if not words:
        return "", 0.0
    if words in _by_words():
        is_item = _by_words()[words] == "address" and set(words) <= set(about)
        return ("", 0.0) if is_item else (_by_words()[words], 1.0)  # the phones of a shop
    if set(words) & {"count", "num", "number"} and set(words) & _COUNTED:
        return "popularity", 0.8
    joined = _by_words().get(("".join(words),)) or _in_one_word().get("".join(words))
    if joined:
        return joined, 0.9
    bare = tuple(word for word in words if not word.isdigit() and word not in _UNITS) or words
    bare = tuple(word for word in bare if word not in about) or bare
    for told in (bare, tuple(word for word in bare if word not in _QUALIFIERS)):
        if told in _by_words():
            return _by_words()[told], 0.9
    paid = header_words(without_currency(header))
    for told in (paid, tuple(word for word in paid if word not in _QUALIFIERS)):
        if len(told) < len(words) and _by_words().get(told) == "price":
            return "price", 0.9
    maker = _by_words().get(bare[:-1])
    if bare[-1] == "name" and maker in (*CREATORS, *PLACES):
        return maker, 0.9  # artistName
    outer = meaning_of(header.rpartition(".")[0], about)
    if outer[1] >= 0.5 and outer[0] != "name" and words[-1] in _NAMES:
        return outer[0], 0.9  # ingredients.name
    if bare[-1] in _AMOUNTS and _by_words().get(bare[:-1]) in _AMOUNTED:
        return _by_words()[bare[:-1]], 0.9  # price.amount
    for length in (3, 2, 1):
        if len(bare) > length and (found := _by_words().get(bare[-length:])):
            return found, 0.5
    for word in bare:
        if (word,) in _by_words():
            return _by_words()[(word,)], 0.3
    return "", 0.0


def property_name(header: str) -> str:
    """A plain name for a property or kind: "Avg. Play Time" is "avg_play_time"."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", fold_accents(header))
    slug = "_".join(re.findall(r"[a-z0-9]+", apart.casefold())) or "column"
    return f"c_{slug}" if slug[0].isdigit() or slug in _RESERVED else slug
