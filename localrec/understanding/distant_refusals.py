"""What is said of a name farther behind it: past an aside, or by sending it somewhere.

"dice, being the instrument of fortune, are absent", "leave the comedy at the quayside", "we are
always on the Malbec, so something else".
"""

from __future__ import annotations

from collections.abc import Sequence

from localrec.understanding.language_words import english, phrases, phrases_by_first_word
from localrec.understanding.vocabulary import Reading

_WORDS, _BEHIND = english().negation, english().trailing_refusals
_LONGEST_ASIDE = 16  # words between two commas
_SOON = 5  # words between a name and what is wanted instead of it
_PHRASES = phrases_by_first_word([*_WORDS.behind, *_BEHIND.predicates])
_INSTEAD = phrases(_BEHIND.instead)


def is_refused_far_behind(reading: Reading, owner: Sequence[int], last: int) -> bool:
    """Whether a name is refused by words that do not follow it directly.

    Args:
        reading: The question.
        owner: For each token the number of the mention it belongs to, -1 for none.
        last: The last token of the name.
    """
    return (
        _is_refused_past_an_aside(reading, owner, last)
        or _is_left_there(reading, last)
        or _is_the_usual(reading, last)
    )


def _is_refused_past_an_aside(reading: Reading, owner: Sequence[int], last: int) -> bool:
    """ "the trumpet, an instrument that my neighbour plays, takes no part"."""
    if reading.gaps[last + 1] != "," or reading.words[last + 1] not in _BEHIND.opens_aside:
        return False
    for place in range(last + 2, min(last + 2 + _LONGEST_ASIDE, len(reading.words))):
        if owner[place - 1] >= 0 or reading.gaps[place] not in ("", ","):
            return False
        if reading.gaps[place]:
            while place < len(reading.words) and _is_small(reading, place):
                place += 1
            return _ends_with_refusal(reading, place)
    return False


def _is_small(reading: Reading, place: int) -> bool:
    """Whether a word only leads to what is said: "are wholly"."""
    word = reading.words[place]
    return word in _BEHIND.being or word in _BEHIND.ends_aside


def _ends_with_refusal(reading: Reading, place: int) -> bool:
    if place >= len(reading.words):
        return False
    for phrase in _PHRASES.get(reading.words[place], ()):
        end = place + len(phrase)
        is_said = tuple(reading.words[place:end]) == phrase
        if is_said and (end == len(reading.words) or reading.gaps[end]):
            return True
    return False


def _is_left_there(reading: Reading, last: int) -> bool:
    """ "leave the comedy at the quayside"."""
    words = reading.words
    told = words[last + 1 : last + 3]
    ends = last + 4 >= len(words) or bool(reading.gaps[last + 4])
    return (
        _tells_to_leave(words[max(0, last - 4) : last])
        and len(told) == 2
        and not any(reading.gaps[last + 1 : last + 4])
        and told[0] in _BEHIND.left_at
        and told[1] in _BEHIND.left_owners
        and ends
    )


def _tells_to_leave(before: Sequence[str]) -> bool:
    """Whether "leave" is told, and not what somebody wants to do."""
    infinitives = english().grammar.infinitives
    return any(
        word in _BEHIND.leave and infinitives.isdisjoint(before[place - 1 : place])
        for place, word in enumerate(before)
    )


def _is_the_usual(reading: Reading, last: int) -> bool:
    """ "we are always on the Argentinian stuff, so somewhere else for a change"."""
    words = reading.words
    if _BEHIND.usual.isdisjoint(words[max(0, last - _SOON) : last]):
        return False
    for place in range(last + 1, min(last + 1 + _SOON, len(words) - 1)):
        if reading.gaps[place] == ".":
            return False
        if (words[place], words[place + 1]) in _INSTEAD:
            return True
    return False
