"""What a question says of the user's own past with items: "not read yet", "on my watchlist"."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from localrec.understanding.language_words import english, phrases_by_first_word

_WORDS = english().state
_VERBS = _WORDS.verbs
_OPEN = frozenset(tuple(phrase.split()) for phrase in _WORDS.open)
_NEAR = 5  # words behind a refusal in which it turns what somebody met
_KINDS = tuple(
    (name, phrases_by_first_word(told))
    for name, told in (
        ("unwanted", _WORDS.unwanted),
        ("unmet", _WORDS.unmet),
        ("wanted", _WORDS.wanted),
        ("met", _WORDS.met),
    )
)


class RequestedState(msgspec.Struct, frozen=True):
    """The state that a question asks for, and the tokens that say so."""

    met: bool | None = None
    on_list: bool | None = None
    places: frozenset[int] = frozenset()


def _is_of_meeting(following: Sequence[str]) -> bool:
    """Whether "I haven't" goes on with "read", "yet" or nothing, and not with "a clue"."""
    return not following or not _VERBS.isdisjoint(following[:2])


def _turned(name: str, words: Sequence[str], first: int, places: set[int]) -> str:
    """A kind of phrase at a place, or its opposite where a refusal reaches it."""
    opposite = {"met": "unmet", "wanted": "unwanted"}.get(name)
    if opposite is None:
        return name
    if name == "met" and _WORDS.refusing & {*words[max(0, first - _NEAR) : first]}:
        return opposite
    for place in range(first - 1, -1, -1):
        if words[place] in _WORDS.refusing and place not in places:
            return opposite
        if words[place] not in _WORDS.bridges and place not in places:
            break
    return name


def find_state(words: Sequence[str]) -> RequestedState:
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
                    and (phrase not in _OPEN or _is_of_meeting(words[span.stop :]))
                    and _WORDS.met_otherwise.isdisjoint(words[span.stop : span.stop + 1])
                ):
                    places.update(span)
                    found.add(_turned(name, words, first, places))
                    break
    met = False if "unmet" in found else True if "met" in found else None
    on_list = False if "unwanted" in found else True if "wanted" in found else None
    return RequestedState(met, on_list, frozenset(places))
