"""What a question says of the user's own past with items: "not read yet", "on my watchlist"."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from localrec.understanding.language_words import english, phrases_by_first_word

_WORDS = english().state
_VERBS = _WORDS.verbs
_OPEN = frozenset(tuple(phrase.split()) for phrase in _WORDS.open)
_REFUSING = frozenset(
    "not no none nothing except excluding minus skip without never dont hide omit avoid".split()
)
_NOT_LISTED = frozenset("not isnt arent neither nor nothing none outside without".split())
_OF_A_LIST = frozenset(  # between such a word and "my list"
    "already yet in on from any anything one of those waiting sitting currently listed".split()
)
_KINDS = tuple(
    (name, phrases_by_first_word(told))
    for name, told in (
        ("unwanted", _WORDS.unwanted),
        ("unmet", _WORDS.unmet),
        ("wanted", _WORDS.wanted),
        ("met", _WORDS.met),
    )
)


class AskedState(msgspec.Struct, frozen=True):
    """The state that a question asks for, and the tokens that say so."""

    met: bool | None = None
    on_list: bool | None = None
    places: frozenset[int] = frozenset()


def _is_of_meeting(following: Sequence[str]) -> bool:
    """Whether "I haven't" goes on with "read", "yet" or nothing, and not with "a clue"."""
    return not following or not _VERBS.isdisjoint(following[:2])


def _is_not_listed(words: Sequence[str], first: int) -> bool:
    """Whether "my list" at `first` is refused: "is not already on", "nor waiting on"."""
    place = first - 1
    while place >= 0 and words[place] in _OF_A_LIST:
        place -= 1
    return place >= 0 and words[place] in _NOT_LISTED


def find_state(words: Sequence[str]) -> AskedState:
    """Find what a question's words, folded, say of the user's own past."""
    places: set[int] = set()
    found: set[str] = set()
    for name, told in _KINDS:
        for first, word in enumerate(words):
            for phrase in told.get(word, ()):
                span = range(first, first + len(phrase))
                if (
                    tuple(words[first : first + len(phrase)]) == phrase
                    and places.isdisjoint(span)
                    and (phrase not in _OPEN or _is_of_meeting(words[first + len(phrase) :]))
                ):
                    places.update(span)
                    refused = name == "met" and _REFUSING & {*words[max(0, first - 5) : first]}
                    refused_list = name == "wanted" and _is_not_listed(words, first)
                    found.add("unmet" if refused else "unwanted" if refused_list else name)
                    break
    met = False if "unmet" in found else True if "met" in found else None
    on_list = False if "unwanted" in found else True if "wanted" in found else None
    return AskedState(met, on_list, frozenset(places))
