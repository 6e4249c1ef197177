"""Exceptions that ask for something: "like Pandemic, except in space", "no, unless it is pink".

The words sound like a refusal, and the network hears one; by their structure they wish.
"""

from __future__ import annotations

from localrec.understanding.double_negation import is_condition_of_no
from localrec.understanding.language_words import english, phrase_length, phrases_by_first_word
from localrec.understanding.vocabulary import Reading

_WORDS = english().negation
_EXCEPTIONS = phrases_by_first_word(_WORDS.wished_exceptions)
_LONGEST_CONDITION = 6  # words from "unless" to the name


def is_wished_exception(reading: Reading, first: int, last: int) -> bool:
    """Whether a name is wished for although words of a refusal stand near it.

    Args:
        reading: The question.
        first: The name's first token.
        last: The token behind it.
    """
    return (
        _is_behind_unless(reading, first)
        or _is_not_too_much(reading, last)
        or _excepts_in_its_sentence(reading, first)
    )


def _is_behind_unless(reading: Reading, first: int) -> bool:
    """ "I pull a face unless there is lemon juice"."""
    for place in range(first - 1, max(-1, first - _LONGEST_CONDITION), -1):
        if reading.words[place] in _WORDS.conditions:
            return is_condition_of_no(reading, place)
        if reading.gaps[place]:
            return False
    return False


def _is_not_too_much(reading: Reading, last: int) -> bool:
    """ "Italian not too dear": the refusal is of what follows."""
    behind = reading.words[last : last + 2]
    return (
        len(behind) > 1 and behind[0] in english().grammar.denials and behind[1] in _WORDS.degrees
    )


def _excepts_in_its_sentence(reading: Reading, first: int) -> bool:
    """ "we all pull together, except it is in space": both sides are wished for."""
    begin, end = first, first
    while begin > 0 and reading.gaps[begin] != ".":
        begin -= 1
    while end + 1 < len(reading.words) and reading.gaps[end + 1] != ".":
        end += 1
    return any(phrase_length(_EXCEPTIONS, reading.words, place) for place in range(begin, end + 1))
