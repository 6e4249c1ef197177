"""Titles and authors as exports write them, and the one key that a book gets from them."""

from __future__ import annotations

import re

import msgspec

from localrec.data.titles import restore_article
from localrec.foundation.text import clean_key, clean_name, clean_text

_SERIES = re.compile(r"\s*\((?P<inside>(?:[^()]|\([^()]*\))+)\)\s*$")
_NUMBERED = re.compile(
    r"(?P<name>.*?)[\s,:]*(?:#|\b(?:book|vol\.?|volume)\s*)(?P<number>\d+(?:\.\d+)?(?:-\d+)?)\s*",
    re.IGNORECASE | re.ASCII,
)
_NEXT_AUTHOR = re.compile(r",(?!\s*(?:jr|sr|ii|iii|iv|phd|ph\.d|md|m\.d)\b)", re.IGNORECASE)
_NO_AUTHOR = frozenset({"unknown", "unknown author", "n/a"})
_INITIALS = re.compile(r"\b[A-Z]{2,3}(?=\s)")
_LONGEST_TITLE = 500  # with its series; the name made of it is cut as every name is


class BookTitle(msgspec.Struct, frozen=True):
    """A title apart from the series that an export writes behind it."""

    name: str
    series: str | None = None
    number: str | None = None


def split_title(written: str) -> BookTitle:
    """A title as an export writes it: "Dune (Dune, #1)", "Hobbit, The".

    Only parentheses with a number in them are a series; others belong to the title.
    """
    whole = clean_text(written, _LONGEST_TITLE)
    if (found := _SERIES.search(whole)) and found.start() > 0:
        first = found["inside"].split(";")[0]  # a book may be of two series; the first is its own
        if numbered := _NUMBERED.fullmatch(first):
            name = clean_name(restore_article(whole[: found.start()]))
            return BookTitle(name, clean_name(numbered["name"]) or None, numbered["number"])
    return BookTitle(clean_name(restore_article(whole)))


def split_authors(written: str) -> tuple[str, ...]:
    """The authors of a list with commas; "Jr." and the like stay with the name before them."""
    names = (clean_name(name.replace(",", "")) for name in _NEXT_AUTHOR.split(written))
    known = (name for name in names if name and name.casefold() not in _NO_AUTHOR)
    return tuple(dict.fromkeys(known))


def book_key(title: str, author: str | None) -> str:
    """The key of a book: "dune-by-frank-herbert".

    Initials count letter by letter, however they are dotted: JRR Tolkien is J.R.R. Tolkien.
    """
    if author is None:
        return clean_key(title)
    if not author.isupper():
        author = _INITIALS.sub(lambda initials: " ".join(initials.group()), author)
    return clean_key(f"{title} by {author}")
