"""Refusals of what was named before: "pineapple bores us and coconut is sunscreen, so neither"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from localrec.understanding.language_words import english, phrases_by_first_word
from localrec.understanding.vocabulary import Reading

_GRAMMAR, _NEGATION, _WORDS = english().grammar, english().negation, english().joint_refusals
_REFUSING = phrases_by_first_word((*english().negation.verbs, *english().negation.pointing))
_JOINS = _GRAMMAR.conjunctions | _GRAMMAR.disjunctions
_SENTENCES = 3  # in which the two are looked for


class _Named(NamedTuple):
    """A name in tokens `first` to `last` (exclusive), in the nth sentence of a question."""

    first: int
    last: int
    sentence: int


def bar_both(reading: Reading, owner: Sequence[int], excluded: list[bool]) -> None:
    """Bar the last two names before "neither", "those two" or a refused "either".

    Nothing is named behind such a word: "except those two", "I cannot stand either".

    They are looked for in its own sentence and then in those before, whichever names two.

    Args:
        reading: The question.
        owner: For each token the number of the mention it belongs to, -1 for none; numbers from
            `len(owner)` on are words that name nothing.
        excluded: For each token whether it is refused; changed in place.
    """
    pointing = [
        place
        for place in range(len(reading.words))
        if owner[place] < 0
        and (
            _is_neither(reading, place)
            or _is_those_two(reading, place)
            or _is_either_refused(reading, place)
        )
    ]
    named = list(_names(reading, owner)) if pointing else []
    sentence = _sentences(reading) if pointing else []
    for place in pointing:
        if _is_kept_out_of_both(reading, owner, place):
            _bar(next(one for one in reversed(named) if one.last == place - 1), excluded)
            continue
        before = [one for one in named if one.first < place]
        for back in range(_SENTENCES):
            told = [one for one in before if one.sentence == sentence[place] - back]
            if len(told) > 1:
                for one in told[-2:]:
                    _bar(one, excluded)
                break


def bar_named_again(reading: Reading, owner: Sequence[int], excluded: list[bool]) -> None:
    """Bar a name of a later sentence that holds a refused one: "no egg. Raw egg worries her"."""
    refused: dict[str, int] = {}  # word that is a refused name by itself -> its sentence
    for one in _names(reading, owner):
        words = reading.roots[one.first : one.last]
        if len(words) > 1:
            approved = _WORDS.approving & {*reading.words[one.last : one.last + 3]}
            if not approved and any(
                refused.get(word, one.sentence) < one.sentence for word in words
            ):
                _bar(one, excluded)
        elif excluded[one.first]:
            refused.setdefault(words[0], one.sentence)


def _bar(one: _Named, excluded: list[bool]) -> None:
    excluded[one.first : one.last] = [True] * (one.last - one.first)


def _sentences(reading: Reading) -> list[int]:
    """For each token the number of its sentence."""
    found, number = [], 0
    for gap in reading.gaps:
        number += gap == "."
        found.append(number)
    return found


def _names(reading: Reading, owner: Sequence[int]) -> Iterator[_Named]:
    """The names of a question, left to right."""
    sentence = _sentences(reading)
    place = 0
    while place < len(owner):
        last = place + 1
        if 0 <= owner[place] < len(owner):
            while last < len(owner) and owner[last] == owner[place]:
                last += 1
            yield _Named(place, last, sentence[place])
        place = last


def _is_neither(reading: Reading, place: int) -> bool:
    """Whether a "neither" points back: nothing behind it in its clause is named."""
    if reading.words[place] not in _NEGATION.neither:
        return False
    behind = reading.words[place + 1 : place + 3]
    if not behind or reading.gaps[place + 1]:
        return True
    if behind[0] in _GRAMMAR.origins and len(behind) > 1:
        return behind[1] in _WORDS.of_them
    return behind[0] in _WORDS.closing


def _is_kept_out_of_both(reading: Reading, owner: Sequence[int], place: int) -> bool:
    """ "a sour and a fizz, eggs in neither": what stands before it is what neither shall have."""
    if place < 2 or owner[place - 1] >= 0 or any(reading.gaps[place - 1 : place + 1]):
        return False  # "All In neither"
    return reading.words[place - 1] in _NEGATION.inside and 0 <= owner[place - 2] < len(owner)


def _is_those_two(reading: Reading, place: int) -> bool:
    """ "anything by him except those two"."""
    is_two = place > 0 and reading.words[place] in _WORDS.two
    if not is_two or reading.words[place - 1] not in _GRAMMAR.demonstratives:
        return False
    return bool(_WORDS.excepting & {*reading.words[max(0, place - 4) : place - 1]})


def _is_either_refused(reading: Reading, place: int) -> bool:
    """ "for I cannot be doing with either"."""
    if reading.words[place] not in _NEGATION.either:
        return False
    behind = reading.words[place + 1 : place + 3]
    ends = not behind or bool(reading.gaps[place + 1]) or _is_of_them(behind)
    told = reading.words[max(0, place - 5) : place]
    return ends and any(
        told[-len(cue) :] == cue for first in told for cue in _REFUSING.get(first, ())
    )


def _is_of_them(behind: Sequence[str]) -> bool:
    of, them = len(behind) > 1 and behind[0] in _GRAMMAR.origins, behind[-1] in _WORDS.of_them
    return of and them


def _begins_a_clause(reading: Reading, owner: Sequence[int], position: int) -> bool:
    """ "comedy, and war can wait": behind a comma "and" joins names only at the end of a list."""
    is_and = reading.words[position] in _GRAMMAR.conjunctions
    if not is_and or reading.gaps[position] != "," or position == 0:
        return False
    first = position - 1
    while first and owner[first - 1] == owner[position - 1]:
        first -= 1
    return reading.gaps[first] != "," or owner[first - 1] < 0


def bar_back(reading: Reading, owner: Sequence[int], last: int, excluded: list[bool]) -> None:
    """Bar the name that ends at `last` and those listed with it before ("nut, egg and dairy free").

    A comma alone joins nothing ("coconut, rum-free"); before an "and" or "or" it does.
    """
    position, joined = last, False
    while True:
        mention = owner[position]
        while position >= 0 and owner[position] == mention:
            excluded[position] = True
            position -= 1
        article = position > 0 and owner[position] < 0 and not reading.gaps[position + 1]
        if article and reading.words[position] in _GRAMMAR.definite:
            position -= reading.words[position - 1] in _JOINS  # "the grunge and the metal"
        if position >= 0 and owner[position] < 0 and reading.words[position] in _JOINS:
            if _begins_a_clause(reading, owner, position):
                return
            position, joined = position - 1, True
        elif not (joined and reading.gaps[position + 1] == ",") and not (
            position >= 0 and owner[position] >= 0 and not reading.gaps[position + 1]
        ):
            return
        if position < 0 or owner[position] < 0:
            return
