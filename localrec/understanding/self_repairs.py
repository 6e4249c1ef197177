"""What a question takes back while it is said: "a Clive Cussler, no wait, a Tom Clancy".

Where a phrase of repair stands between two names of one kind, or two bounds, the first of them was
a slip of the tongue. The question is read as if it had not been said.
"""

from __future__ import annotations

from collections.abc import Sequence

from localrec.understanding.language_words import english, phrases
from localrec.understanding.meanings import Mention
from localrec.understanding.mentions import owners
from localrec.understanding.negation import refusing_places
from localrec.understanding.number_ranges import read_ranges
from localrec.understanding.vocabulary import Reading, Vocabulary

_WORDS = english().repairs
_ALIKE = {"component", "category"}
_CUES = sorted(phrases(_WORDS.cues), key=len, reverse=True)


def without_slip(
    text: str,
    reading: Reading,
    mentions: Sequence[Mention],
    vocabulary: Vocabulary,
) -> str | None:
    """The question without what it takes back; None where nothing is taken back.

    Args:
        text: The question.
        reading: The same, in words.
        mentions: The names in the question, left to right.
        vocabulary: The names of the catalogue.
    """
    first, last = _find_repair(reading.words) or (0, len(reading.words))
    if last == len(reading.words) or _refuses(reading, last):
        return None
    ends = {one.last for one in mentions}
    while first > 1 and first not in ends and reading.roots[first - 1] in vocabulary.item_nouns:
        first -= 1
    end, begin = reading.tokens[first - 1].end, reading.tokens[last].start
    slip = next((one for one in mentions if one.last == first), None)
    meant = next((one for one in mentions if one.first == last), None)
    if "." in reading.gaps[first : last + 1] or _is_after_a_refusal(
        reading, mentions, first, vocabulary
    ):
        return None
    if slip is not None and meant is not None and _are_of_one_kind(slip, meant):
        return text[: reading.tokens[slip.first].start] + text[begin:]
    spans = read_ranges(text, vocabulary.domain).spans
    before = [span for span in spans if span[0] < end <= span[1]]
    behind = [span for span in spans if span[0] <= begin < span[1]]
    if before and behind and before != behind:
        slip_bounds = text[min(start for start, _ in before) : end]
        meant_bounds = text[begin : max(stop for _, stop in behind)]
        if _bounded(slip_bounds, vocabulary) != _bounded(meant_bounds, vocabulary):
            return None
        return text[: min(start for start, _ in before)] + text[begin:]
    return None


def _is_after_a_refusal(
    reading: Reading, mentions: Sequence[Mention], place: int, vocabulary: Vocabulary
) -> bool:
    """ "I can't stand vodka, sorry, gin please": who excuses a refusal takes nothing back."""
    refusing = refusing_places(reading, owners(reading, mentions), vocabulary.negations)
    return any(one < place and "." not in reading.gaps[one + 1 : place] for one in refusing)


def _bounded(text: str, vocabulary: Vocabulary) -> set[str]:
    """The numbers that a part of a question bounds."""
    return {one.name for one in read_ranges(text, vocabulary.domain).ranges}


def _find_repair(words: Sequence[str]) -> tuple[int, int] | None:
    """First and last (exclusive) word of what takes something back, with the words around it."""
    for first in range(1, len(words)):
        for cue in _CUES:
            last = first + len(cue)
            if tuple(words[first:last]) == cue and last < len(words):
                while first > 0 and words[first - 1] in _WORDS.before:
                    first -= 1
                while last < len(words) and words[last] in _WORDS.behind:
                    last += 1
                return first, last
    return None


def _refuses(reading: Reading, place: int) -> bool:
    """ "rum, sorry, no gin": what is said next is refused."""
    return reading.words[place - 1] in _WORDS.refusing and not reading.gaps[place]


def _are_of_one_kind(slip: Mention, meant: Mention) -> bool:
    if slip.meaning is None or meant.meaning is None:
        return slip.item is not None and meant.item is not None
    roles = {slip.meaning.role, meant.meaning.role}
    return slip.meaning.kind == meant.meaning.kind or roles == _ALIKE
