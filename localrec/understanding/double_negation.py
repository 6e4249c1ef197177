"""Negations that take each other back: "never get sick of gin", "no party without rum".

A denial of a refusal asks for what it names, and so does what somebody used to refuse.
"""

from __future__ import annotations

from collections.abc import Sequence

from localrec.understanding.language_words import (
    english,
    phrase_length,
    phrases_by_first_word,
)
from localrec.understanding.vocabulary import Reading

_GRAMMAR, _WORDS = english().grammar, english().double_negation
_WHY = english().negation.asking_why
_ASKING = phrases_by_first_word(
    (*english().negation.asks_all_the_same, *english().negation.wished_exceptions)
)
_NO_OR_REFUSAL = frozenset({*english().amounts.negating, *english().negation.unhappy})
_INDIFFERENT = english().negation.harmless_behind | english().negation.indifferent
_REFUSING = phrases_by_first_word(_WORDS.refusing)
_FORMER = phrases_by_first_word(_WORDS.former)
_NEXT = 2  # words behind a no that show it to be none ("I don't mind")
_NEAR = 4  # words between a denial and the refusal that it denies
_FAR = 9  # words between a negation and the "without" that takes it back


def is_condition_of_no(reading: Reading, place: int) -> bool:
    """Whether what stands before "unless" is a no, so that what follows is wished for."""
    first = place
    while first > 0 and reading.gaps[first] != ".":
        first -= 1
    return any(
        reading.words[one] in _NO_OR_REFUSAL
        and _INDIFFERENT.isdisjoint(reading.words[one + 1 : one + 1 + _NEXT])
        for one in range(first, place)
    )


def asking_length(reading: Reading, owner: Sequence[int], position: int) -> int:
    """Count the words from `position` on that sound like a refusal but ask for something, else 0.

    Args:
        reading: The question.
        owner: For each token the number of the mention it belongs to, -1 for none.
        position: Number of the first word.
    """
    words = reading.words
    if whole := phrase_length(_ASKING, words, position):
        return whole
    if former := phrase_length(_FORMER, words, position):
        return _through_refusal(reading, owner, position, position + former, any_word=True)
    if words[position] in _WHY and (end := _not_behind(reading, owner, position)):
        return end - position
    if words[position] in _WORDS.bargaining and _is_bargain(reading, owner, position):
        return 1
    if words[position] not in _WORDS.denying:
        return 0
    denied = _through_refusal(reading, owner, position, position + 1, any_word=False)
    return denied or _through_without(reading, owner, position)


def _through_refusal(
    reading: Reading, owner: Sequence[int], position: int, start: int, *, any_word: bool
) -> int:
    """Words up to the end of a refusal that follows soon, 0 where none does."""
    for place in range(start, min(start + _NEAR + 1, len(reading.words))):
        if reading.gaps[place] or owner[place] >= 0:
            return 0
        if length := phrase_length(_REFUSING, reading.words, place):
            return place + length - position
        if not any_word and reading.words[place] not in _WORDS.bridges:
            return 0
    return 0


def _through_without(reading: Reading, owner: Sequence[int], position: int) -> int:
    """ "no party without rum": words up to "without", 0 where it takes nothing back."""
    for place in range(position + 1, min(position + _FAR + 1, len(reading.words))):
        word = reading.words[place]
        if reading.gaps[place] or owner[place] >= 0 or word in _WORDS.begins_wish:
            return 0
        if word in _WORDS.lacking:
            return place + 1 - position
    return 0


def _not_behind(reading: Reading, owner: Sequence[int], position: int) -> int:
    """ "why the heck not gin": the place behind "not", 0 without one."""
    for place in range(position + 1, min(position + _NEAR, len(reading.words))):
        if reading.gaps[place] or owner[place] >= 0:
            return 0
        if reading.words[place] in _GRAMMAR.denials:
            return place + 1
    return 0


def _is_bargain(reading: Reading, owner: Sequence[int], position: int) -> bool:
    """ "no rum no deal"."""
    place = position + 1
    while place < len(owner) and owner[place] >= 0:
        place += 1
    told = reading.words[place : place + 2]
    ends = place + 2 >= len(owner) or bool(reading.gaps[place + 2])
    named = place > position + 1
    if not named or not ends or len(told) < 2:
        return False
    return told[0] in _WORDS.bargaining and told[1] in _WORDS.stakes
