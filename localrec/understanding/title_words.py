"""Words that a question wants in a title, or out of it: "no girl in the title".

They are looked for in names alone, whatever else the words mean.
"""

from __future__ import annotations

from localrec.understanding.language_words import english, phrases_by_first_word
from localrec.understanding.vocabulary import Reading

_PHRASES = phrases_by_first_word(english().mention.in_title)
_MOST = 3  # words with capitals, side by side


def places_in_titles(reading: Reading) -> frozenset[int]:
    """The tokens of words that a question says of titles."""
    found: set[int] = set()
    for place, word in enumerate(reading.words):
        is_said = any(
            reading.words[place : place + len(phrase)] == phrase
            for phrase in _PHRASES.get(word, ())
        )
        if is_said and place and not reading.gaps[place]:
            found |= _run_before(reading, place)
    return frozenset(found)


def _run_before(reading: Reading, end: int) -> set[int]:
    """The word before a place, and those before it that are written as one name with it."""
    first = end - 1
    while (
        first
        and end - first < _MOST
        and not reading.gaps[first]
        and reading.capitals[first]
        and reading.capitals[first - 1]
    ):
        first -= 1
    return set(range(first, end))
