"""Examples by a part of a long title: "find the twin of that Campo Viejo Gran Reserva".

Where a question asks for something alike and names no whole title, words that stand side by side
and that just a few titles hold mean one of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from localrec.foundation.text_matching import singular
from localrec.understanding.language_words import english
from localrec.understanding.meanings import Mention
from localrec.understanding.mentions import asks_for_kin, owners, with_rest_of_titles
from localrec.understanding.series_examples import take_first_of_series
from localrec.understanding.titles_meant import cue_before
from localrec.understanding.vocabulary import Reading, Vocabulary

_MOST = 4  # titles that words may be part of, to mean one
_LONGEST = 9  # words
_NUMBERS = frozenset(english().numbers)


class _Part(msgspec.Struct, frozen=True):
    first: int
    last: int
    telling: int  # words that are no everyday words
    keys: tuple[str, ...]


def with_whole_titles(
    reading: Reading, mentions: Sequence[Mention], vocabulary: Vocabulary
) -> list[Mention]:
    """Read what belongs to a title with it, and take a series or a part of a title as an example.

    Args:
        reading: The question.
        mentions: The names that were found in it.
        vocabulary: The titles of the catalogue.
    """
    named = take_first_of_series(reading, mentions, vocabulary)
    whole = with_rest_of_titles(reading, named, vocabulary)
    return take_part_of_title(reading, whole, vocabulary)


def take_part_of_title(
    reading: Reading, mentions: Sequence[Mention], vocabulary: Vocabulary
) -> list[Mention]:
    """Put an item in the place of the names inside the part of its title that a question holds."""
    if any(one.item is not None for one in mentions):
        return list(mentions)
    owner = owners(reading, mentions)
    anywhere = asks_for_kin(reading)
    found: list[_Part] = []
    for first in range(len(reading.roots)):
        pointed = cue_before(reading, first) >= 0
        if (pointed or anywhere) and (part := _part_at(reading, first, vocabulary, pointed)):
            names_more = any(
                owner[place] < 0 and not vocabulary.is_plain(reading.roots[place])
                for place in range(first, part.last)
            )
            maker = any(
                one.meaning is not None
                and one.meaning.role == "creator"
                and part.first <= one.first < part.last
                for one in mentions
            )
            if (names_more or maker) and not _is_a_maker(part, mentions):
                found.append(part)
    if not found:
        return list(mentions)
    best = max(found, key=lambda one: (one.telling, -len(one.keys), -one.first))
    item = Mention(best.first, best.last, item=best.keys[0], others=best.keys[1:])
    before = [one for one in mentions if one.last <= best.first]
    behind = [one for one in mentions if one.first >= best.last]
    return [*before, item, *behind]


def _is_a_maker(part: _Part, mentions: Sequence[Mention]) -> bool:
    """ "she loves Neil Gaiman": a maker's whole name, though a title begins with it."""
    return part.last - part.first > 1 and any(
        one.meaning is not None
        and one.meaning.role == "creator"
        and (one.first, one.last) == (part.first, part.last)
        for one in mentions
    )


def _part_at(reading: Reading, first: int, vocabulary: Vocabulary, pointed: bool) -> _Part | None:
    """The longest part of a title that begins at a token, if it tells enough."""
    words = reading.roots
    if not _may_open(words[first], vocabulary):
        return None
    end = min(reading.end_of_clause(first), first + _LONGEST)
    for last in range(end, first, -1):
        if vocabulary.is_plain(words[last - 1]) and not words[last - 1].isdigit():
            continue
        inside = words[first:last]
        numbers = tuple(one for one in inside if one.isdigit())
        told = (one for one in inside if not vocabulary.is_plain(one) and one not in _NUMBERS)
        telling = tuple(dict.fromkeys(told))
        if not telling:
            return None
        if len(telling) == 1 and _is_mended(reading, first, last, telling[0]):
            continue  # "I luv musicle comedies" means no "Santa with Muscles"
        if len(telling) + len(numbers) < (1 if pointed else 2):
            continue
        keys = vocabulary.nearest.items_with((*telling, *numbers))
        keys = [key for key in keys if _in_order(inside, telling, vocabulary.spelling_of(key))]
        if 0 < len(keys) <= _MOST and (len(telling) > 1 or numbers or len(keys) == 1):
            return _Part(first, last, len(telling) + len(numbers), tuple(keys))
    return None


def _is_mended(reading: Reading, first: int, last: int, word: str) -> bool:
    """Whether a word of a part was typed otherwise."""
    return any(
        reading.roots[place] == word and reading.tokens[place].word in reading.corrected
        for place in range(first, last)
    )


def _in_order(inside: Sequence[str], telling: Sequence[str], title: Sequence[str]) -> bool:
    """Whether a title says the telling words in the order of the question."""
    rest = iter([singular(word) for word in title])
    return all(any(word == other for other in rest) for word in inside if word in telling)


def _may_open(word: str, vocabulary: Vocabulary) -> bool:
    known = word in vocabulary.items.words
    is_content = not vocabulary.is_plain(word) and word not in vocabulary.item_nouns
    return known and is_content and word not in _NUMBERS
