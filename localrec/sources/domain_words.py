"""Which shipped domain a file is about, by its name and the names of its columns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from localrec.sources.catalogues.header_words import header_words

_DOMAIN_WORDS = {
    "books": {"book", "isbn", "isbn13", "author", "page", "read"},
    "movies": {"movie", "film", "imdb", "tmdb", "director", "letterboxd", "cinema", "watched"},
    "music": {"track", "song", "artist", "album"},
    "products": {"asin", "product"},
    "places": {"business", "restaurant"},
    "cocktails": {"drink", "cocktail"},
    "boardgames": {"boardgame", "bgg"},
    "anime": {"anime", "manga"},
}


def domain_of_header(path: Path, columns: Sequence[str]) -> str | None:
    """The shipped domain that a file is about, by its name and header; None if unsure."""
    words = {word for column in (path.stem, *columns) for word in header_words(column)}
    scores = {name: len(words & told) for name, told in _DOMAIN_WORDS.items()}
    best = max(scores, key=lambda name: scores[name])
    return best if scores[best] else None
