"""Which components of a question are at hand: "I have gin and lime", "gin is in my bar"."""

from __future__ import annotations

from collections.abc import Sequence

from localrec.understanding.language_words import english, phrases
from localrec.understanding.meanings import Mention
from localrec.understanding.mentions import owners
from localrec.understanding.vocabulary import Reading, Vocabulary

_WORDS = english().mention
_SOON = 4  # words behind "have to" among which "with" makes it what one works with
_ONLY_THOUGHT = phrases(_WORDS.only_thought)
_YET_TO = phrases(_WORDS.yet_to)


def mark_at_hand(
    reading: Reading, mentions: Sequence[Mention], wanted: Sequence[bool], vocabulary: Vocabulary
) -> list[bool]:
    """Mark the mentions that are components the user says they have."""
    at_hand = [False] * len(mentions)
    owner, cues = owners(reading, mentions), vocabulary.have_cues
    for position in range(len(reading.words)):
        for cue in cues.get(reading.words[position], ()):
            if tuple(reading.words[position : position + len(cue)]) != cue:
                continue
            if position and reading.words[position - 1] in _WORDS.asking_to_have:
                continue  # "can I have a country song"
            begin, end = _sentence(reading, position)
            backward = cue[0] in _WORDS.backward_have
            if not backward and _tells_of_the_past_or_a_duty(reading, position + len(cue)):
                continue
            if not backward:
                end = _end_of_list(reading, owner, position + len(cue), end, vocabulary)
            for number, mention in enumerate(mentions):
                inside = begin if backward else position
                if (
                    mention.meaning is not None
                    and mention.meaning.role == "component"
                    and wanted[number]
                    and inside <= mention.first < end
                ):
                    at_hand[number] = True
            break
    return at_hand


def _tells_of_the_past_or_a_duty(reading: Reading, place: int) -> bool:
    """ "I have in mind a red", "we have to draft", but "all I have to work with is gin"."""
    behind = reading.words[place : place + _SOON]
    if not behind or reading.gaps[place]:
        return False
    if behind[:2] in _ONLY_THOUGHT:
        return True
    if behind[0] in english().grammar.infinitives:
        return english().grammar.accompanied.isdisjoint(behind)
    return behind[0] in english().negation.never or behind[:2] in _YET_TO


def _end_of_list(
    reading: Reading, owner: Sequence[int], first: int, end: int, vocabulary: Vocabulary
) -> int:
    """Find the end of a list of things at hand: "I have an understanding" begins none."""
    for place in range(first, end):
        if owner[place] < 0 and not vocabulary.is_plain(reading.roots[place]):
            return place
    return end


def _sentence(reading: Reading, position: int) -> tuple[int, int]:
    begin = position
    while begin and reading.gaps[begin] != ".":
        begin -= 1
    end = position + 1
    while end < len(reading.words) and reading.gaps[end] != ".":
        end += 1
    return begin, end


def names_at_hand(mentions: Sequence[Mention], at_hand: Sequence[bool]) -> tuple[str, ...]:
    """Keys of the components that are marked as at hand."""
    return tuple(
        dict.fromkeys(
            mention.meaning.key
            for mention, mine in zip(mentions, at_hand, strict=True)
            if mine and mention.meaning is not None
        )
    )
