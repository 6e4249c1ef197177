"""What headers say in tables of what people did: whose row it is, the verdict, the day, the words.

`catalogues.header_words` knows the headers of items. These are those of interactions, and what the
items' are called in other languages than English.
"""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any

from localrec.foundation.text import fold_accents
from localrec.foundation.text_matching import singular
from localrec.sources.catalogues.header_words import meaning_of

_BESIDE_USERS = frozenset("id name key hash profile review number address the".split())
_BESIDE_THINGS = frozenset("id key name title code the".split())
_OF_INTERACTIONS = frozenset(
    {"note", "own", "user", "rating", "count", "circumstance", "contact", "later"}
)
_NO_SENSES = frozenset({"about", "facts"})  # tables of another kind
_FAR_EAST = "\u10ff"  # letters beyond it are of scripts that part no words


@lru_cache(maxsize=1)
def _tables() -> dict[str, Any]:
    return tomllib.loads(
        (Path(__file__).parent / "interaction_headers.toml").read_text(encoding="utf-8")
    )


@lru_cache(maxsize=1)
def _told() -> dict[str, frozenset[str]]:
    """Map each sense to all words that have it."""
    told = {sense: words for sense, words in _tables().items() if sense not in _NO_SENSES}
    return {sense: frozenset(map(_folded, words)) for sense, words in told.items()}


@lru_cache(maxsize=1)
def _facts() -> dict[str, str]:
    """Map the words of other languages for a fact of an item to its English header."""
    told = _tables()["facts"]
    return {_folded(word): english for english, words in told.items() for word in words}


@lru_cache(maxsize=1)
def _unspaced() -> tuple[str, ...]:
    """The words of scripts that part no words."""
    return tuple(sorted(word for words in _told().values() for word in words if word > _FAR_EAST))


def _folded(word: str) -> str:
    return fold_accents(word).casefold()


@lru_cache(maxsize=4096)
def words_of(header: str) -> tuple[str, ...]:
    """The words of a header in any script, folded and singular: "Date_watched" is date, watched.

    A header of a script that parts no words, such as Chinese, is cut into those that are known.
    """
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=\d)", " ", header)
    found: list[str] = []
    for word in re.findall(r"[^\W_]+", _folded(apart)):
        stem = word.removesuffix("id")
        if word > _FAR_EAST:
            found += [one for one in _unspaced() if one in word] or [word]
        elif stem != word and stem in _told()["thing"] | _told()["user"]:
            found += [stem, "id"]
        else:
            found.append(singular(word))
    return tuple(found)


@lru_cache(maxsize=4096)
def senses_of(header: str) -> frozenset[str]:
    """All that the words of a header say: "My rating" is own, rating."""
    words = set(words_of(header))
    return frozenset(sense for sense, told in _told().items() if words & told)


def is_of_many(header: str) -> bool:
    """Whether ratings of that name are what many people gave: an average, or a site's or critics'.

    One's own stay one's own, wherever they were given: "My IMDb rating".
    """
    return "of many" in senses_of(header) and "own" not in senses_of(header)


def is_private(header: str) -> bool:
    """Whether a column says that nobody else should see it."""
    return "private" in senses_of(header)


def is_note(header: str) -> bool:
    """Whether a column holds what somebody said of an item."""
    return "note" in senses_of(header) and not senses_of(header) & {"day", "count"}


def is_about_interaction(header: str) -> bool:
    """Whether a column tells what was around an interaction: where, with whom, in what mood."""
    return "circumstance" in senses_of(header)


def is_contact(header: str) -> bool:
    """Whether a column tells how to reach somebody, or when they were born."""
    senses = senses_of(header)
    return "contact" in senses or (set(words_of(header)) >= {"date", "birth"})


def is_done(header: str) -> bool:
    """Whether a header says that something was done: "Watched?", "is_read", "Date finished"."""
    return "done" in senses_of(header) and not is_later(header)


def is_later(header: str) -> bool:
    """Whether a header is about what is still to be met: "Want to read", "Watchlist"."""
    return "later" in senses_of(header) or words_of(header)[:1] == ("to",)


def counts_times(header: str) -> bool:
    """Whether a column counts how often something was heard or played."""
    words, told = set(words_of(header)), _told()
    return bool(words & told["times"]) and words <= told["times"] | told["count"] | {"time"}


def day_rank(header: str) -> int:
    """Grade a column of days as the day of the interaction, 0 for no such column.

    The day on which it was done comes before a day that says not of what it is, and that before
    the day on which it was begun or put on a list.
    """
    senses = senses_of(header)
    if is_of_release(header):
        return 0
    if "begun" in senses:
        return 1
    if senses & {"done", "rating", "note"}:
        return 3
    return 2 if "day" in senses else 0


def is_of_release(header: str) -> bool:
    """Whether a column says when an item came out."""
    return "release" in senses_of(header) and "note" not in senses_of(header)


def names_user(header: str) -> bool:
    """Whether a header names who did something; how many they are, as in "members", names none."""
    is_counted = senses_of(header) & {"count", "rating"} or header.strip()[-1:] in "sS"
    meaning, certainty = meaning_of(header)
    words = set(words_of(header)) - _BESIDE_USERS
    is_told = bool(words) and words <= _told()["user"]
    return not is_counted and (is_told or (meaning == "user" and certainty > 0.5))


def may_name_user(header: str) -> bool:
    """Whether a header names who did something in some tables, and a fact of the item in others."""
    return "perhaps user" in senses_of(header)


def names_thing(header: str) -> bool:
    """Whether a header names the thing itself: "movie", "beer_id", "Spiel", and no fact of it."""
    words = set(words_of(header)) - _BESIDE_THINGS
    return bool(words) and words <= _told()["thing"]


def is_beside_things(header: str) -> bool:
    """Whether a column names what other things are met in or are parts of: a place, an album."""
    return bool(set(words_of(header)) & _told()["side thing"])


def mentions_thing(header: str) -> bool:
    """Whether a header has a word for the item among others, and none for an interaction."""
    senses = senses_of(header)
    return "thing" in senses and not senses & _OF_INTERACTIONS


def is_about(header: str, domain: str) -> bool:
    """Whether a header names the items of a domain: "Place" those of places."""
    told = {*words_of(domain), *map(_folded, _tables()["about"].get(domain, ()))}
    return bool(set(words_of(header)) & told)


def english_header(header: str) -> str:
    """A header of another language by its English name; the header itself where none is known."""
    return _facts().get(_folded(header).strip(), header)
