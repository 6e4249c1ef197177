"""Whether a question brings wishes of several people: "she wants jazz, and I'd be happy with soul".

Such wishes need not be met by one item. Each wish goes to the person named before it since the last
wish, or right behind it ("horror for me"); two people with a wish each are several.
"""

from __future__ import annotations

from collections.abc import Sequence

from localrec.understanding.language_words import english, phrase_length, phrases_by_first_word
from localrec.understanding.meanings import Mention
from localrec.understanding.vocabulary import Reading

_WORDS = english().several_people
_NAMED = (*english().partners, *english().children)
_PEOPLE = _WORDS.people | {one for one in _NAMED if " " not in one}
_THEN = phrases_by_first_word(_WORDS.then)
_ROLES = frozenset({"category", "component", "creator", "colour"})
_BEHIND = 3  # words behind a wish among which "for her" may stand


def are_several(reading: Reading, mentions: Sequence[Mention], wanted: Sequence[bool]) -> bool:
    """Whether at least two people, or two parts of an evening, have a wish each.

    Args:
        reading: The question.
        mentions: The names of the question, left to right.
        wanted: For each whether it is wished for.
    """
    wishes = [
        one
        for one, is_wanted in zip(mentions, wanted, strict=True)
        if is_wanted and one.meaning is not None and one.meaning.role in _ROLES
    ]
    if len(wishes) < 2:
        return False
    if _one_after_another(reading, wishes):
        return True
    end = 0
    whose: set[str] = set()
    asked_for: set[str] = set()  # "a game for my daughter": said by who asks
    for number, one in enumerate(wishes):
        following = wishes[number + 1].first if number + 1 < len(wishes) else len(reading.words)
        place = _whose(reading, one, end, following)
        if place >= 0:
            told = reading.words[place], reading.roots[place]
            word = next((_WORDS.same[one] for one in told if one in _WORDS.same), told[1])
            (whose if place < one.first else asked_for).add(word)
        end = one.last
    if whose == {_WORDS.speaker}:
        whose = whose & asked_for
    return len(whose | asked_for) > 1


def _whose(reading: Reading, wish: Mention, begin: int, following: int) -> int:
    """The place of who wishes for something, -1 for nobody: "for her" behind it, else before it."""
    behind = range(wish.last, min(wish.last + _BEHIND, following))
    for place in behind:
        if reading.gaps[place]:
            break
        if reading.words[place] == _WORDS.for_whom:
            told = range(place + 1, min(place + 1 + _BEHIND, following))
            return next((one for one in told if _is_somebody(reading, one)), -1)
    before = range(wish.first - 1, begin - 1, -1)
    return next((one for one in before if _is_somebody(reading, one)), -1)


def _is_somebody(reading: Reading, place: int) -> bool:
    """Whether a word tells who has a wish, also as "the wife's"."""
    return not _PEOPLE.isdisjoint((reading.words[place], reading.roots[place]))


def _one_after_another(reading: Reading, wishes: Sequence[Mention]) -> bool:
    """ "first some jazz, after that soul"."""
    between = range(wishes[0].last, wishes[-1].first)
    is_first = _WORDS.first in reading.words[: wishes[0].first]
    return is_first and any(phrase_length(_THEN, reading.words, place) for place in between)
