"""Sentences that only tell what happened, before others that ask: what they name is no wish.

"In January someone brought Monopoly, it took 4 hours. I'd like a co-operative game this time." A
sentence tells a story where somebody did something at some time and nothing in it asks, refuses,
decides or judges; it is passed over only where a sentence behind it asks for something.
"""

from __future__ import annotations

from collections.abc import Sequence

from localrec.understanding.language_words import english, phrase_length, phrases_by_first_word
from localrec.understanding.meanings import Mention
from localrec.understanding.mentions import owners
from localrec.understanding.negation import negated_tokens
from localrec.understanding.vocabulary import Reading, Vocabulary

_WORDS = english().stories
_ASKING = phrases_by_first_word(_WORDS.asking)
_POINTING = phrases_by_first_word(_WORDS.pointing_back)
_NEEDS = frozenset({"flag", "diet"})  # what somebody tells of these is never by the way
_NEAR = 4  # words from who did something to what was done
_DIGITS_OF_A_YEAR = 4
_ENDING = "ed"  # of verbs that tell the past


def told_places(
    reading: Reading, mentions: Sequence[Mention], vocabulary: Vocabulary
) -> frozenset[int]:
    """Places of the tokens of sentences that only tell a story; none where nothing else asks.

    Args:
        reading: The question.
        mentions: All its names; a wish names something.
        vocabulary: Knows what refuses: a story that refuses something is none.
    """
    sentences = _sentences(reading)
    told = [one for one in sentences[:-1] if _tells(reading, one)]  # one behind it must ask
    if not told:
        return frozenset()
    refused, _ = negated_tokens(reading, owners(reading, mentions), vocabulary.negations)
    held = {one.first for one in mentions if one.meaning and one.meaning.role in _NEEDS}
    held |= {place for place, one in enumerate(refused) if one}
    told = [one for one in told if held.isdisjoint(one)]
    rest = [one for one in sentences if one not in told]
    names = {one.first for one in mentions}
    asking = [one for one in rest if _asks(reading, one)]
    if all(names.isdisjoint(one) for one in asking):
        return frozenset()
    if any(_points_back(reading, one) for one in asking):
        return frozenset()
    begins = min(one.start for one in asking)  # what stands behind a wish adds to it
    return frozenset(place for one in told if one.start < begins for place in one)


def without_stories(text: str, reading: Reading, told: frozenset[int]) -> str:
    """Blank the tokens of stories in a text, which keeps its length."""
    letters = list(text)
    for place in told:
        token = reading.tokens[place]
        letters[token.start : token.end] = " " * (token.end - token.start)
    return "".join(letters)


def _sentences(reading: Reading) -> list[range]:
    ends = [place for place in range(1, len(reading.words)) if reading.gaps[place] == "."]
    return [range(*both) for both in zip([0, *ends], [*ends, len(reading.words)], strict=True)]


def _tells(reading: Reading, sentence: range) -> bool:
    words = reading.words[sentence.start : sentence.stop]
    if _asks(reading, sentence) or not _WORDS.judging.isdisjoint(words):
        return False
    if _WORDS.times.isdisjoint(words) and not any(map(_is_a_year, words)):
        return False
    done = [
        place
        for place, word in enumerate(words)
        if _is_past(word) and (not place or words[place - 1] not in _WORDS.having)
    ]
    return any(
        _WORDS.leading.isdisjoint(words[1:2])
        if place == 0
        else not _WORDS.doers.isdisjoint(words[max(0, place - _NEAR) : place])
        for place in done
    )


def _is_a_year(word: str) -> bool:
    return len(word) == _DIGITS_OF_A_YEAR and word.isdecimal()


def _is_past(word: str) -> bool:
    return word in _WORDS.done or (word.endswith(_ENDING) and word not in _WORDS.no_verbs)


def _asks(reading: Reading, sentence: range) -> bool:
    return any(phrase_length(_ASKING, reading.words, place) for place in sentence)


def _points_back(reading: Reading, sentence: range) -> bool:
    """Whether a wish takes up what was told: "another", "something similar", "one of those"."""
    return any(phrase_length(_POINTING, reading.words, place) for place in sentence)
