"""Makers that a question names and no item of the catalogue has: "a Western by Louis L'Amour".

Such a wish cannot be met and is let go by name, rather than met by whoever else is called Louis.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from localrec.understanding.language_words import english
from localrec.understanding.meanings import Meaning, Mention
from localrec.understanding.partial_mentions import is_shown
from localrec.understanding.spelling import english_words, is_everyday
from localrec.understanding.vocabulary import Reading, Vocabulary

_BY = english().mention.by
_ASKING = english().absent_names.asking
_LONG = 5  # letters of a first name that may have two slips
_MOST = 4  # words of a maker's name
_TYPED_SMALL = 2  # the same without capitals, where nothing shows where it ends


def with_absent_makers(
    text: str, reading: Reading, mentions: Sequence[Mention], vocabulary: Vocabulary
) -> list[Mention]:
    """Put a maker whom nothing is by in the place of what parts of the name were taken for.

    A maker is named by at least two words behind a "by", or by such with capitals: before what they
    make ("Zane Grey novels"), behind "any" and the like, or in front ("Georges Simenon, please").
    One of the words is no English word and in no name of the catalogue.

    Args:
        text: The question.
        reading: The same, in words.
        mentions: The names in the question, left to right.
        vocabulary: The names of the catalogue.
    """
    kind = vocabulary.domain.kind_of("creator")
    if kind is None:
        return list(mentions)
    found = list(mentions)
    place = 0
    while place < len(reading.words):
        last = _end_of_name(reading, vocabulary, place)
        if last - place > 1 and _is_absent(reading, mentions, vocabulary, place, last):
            typed = text[reading.tokens[place].start : reading.tokens[last - 1].end].casefold()
            found = [one for one in found if one.last <= place or one.first >= last]
            found.append(Mention(place, last, Meaning("creator", kind, typed)))
        place = max(last, place + 1)
    taken = {place for one in found for place in range(one.first, one.last)}
    told = [
        one if one.first - 1 in taken else _with_first_name(text, reading, one, vocabulary)
        for one in found
    ]
    return sorted(told, key=lambda one: one.first)


def _with_first_name(
    text: str, reading: Reading, mention: Mention, vocabulary: Vocabulary
) -> Mention:
    """ "Deon Meyer" is none of the Meyers, "Stephanie Meyer" is Stephenie.

    A surname with a first name before it means the maker with about that name, else one whom
    nothing is by.
    """
    meaning, first = mention.meaning, mention.first - 1
    if meaning is None or meaning.role != "creator" or mention.last - mention.first > 1:
        return mention
    if first < 0 or not _is_a_first_name(reading, vocabulary, first):
        return mention
    keys = (meaning.key, *mention.others)
    if not all(" " in key for key in keys):
        return mention
    typed = reading.tokens[first].word
    meant = [key for key in keys if _is_about(typed, key.split()[0])]
    if meant:
        chosen = msgspec.structs.replace(meaning, key=meant[0])
        return msgspec.structs.replace(
            mention, first=first, meaning=chosen, others=tuple(meant[1:]), doubtful=False
        )
    begin, end = reading.tokens[first].start, reading.tokens[mention.last - 1].end
    return Mention(
        first, mention.last, Meaning("creator", meaning.kind, text[begin:end].casefold())
    )


def _is_a_first_name(reading: Reading, vocabulary: Vocabulary, place: int) -> bool:
    """Whether the word before a surname is a name: capitals, and no word like any other."""
    word = reading.tokens[place].word
    return (
        is_shown(reading, place)
        and reading.capitals[place + 1]
        and not reading.gaps[place + 1]
        and len(word) > 1
        and word not in english().mention.abbreviations
        and not vocabulary.is_plain(word)
        and not is_everyday(word)
    )


def _is_about(typed: str, name: str) -> bool:
    """Whether a first name was typed, perhaps with slips, or is told by its initial."""
    from rapidfuzz.distance import OSA  # 15 ms to import, only paid for a maker's first name

    initial = len(name) == 1 and typed.startswith(name)
    return initial or OSA.distance(typed, name) <= (2 if len(typed) > _LONG else 1)


def _end_of_name(reading: Reading, vocabulary: Vocabulary, first: int) -> int:
    """Behind the words at `first` that may name a maker: with capitals, or behind "by"."""
    behind_by = first > 0 and reading.words[first - 1] in _BY
    last = first
    while (
        last < len(reading.words)
        and last - first < (_MOST if reading.capitals[first] else _TYPED_SMALL)
        and (reading.capitals[last] or behind_by)
        and not vocabulary.is_plain(reading.words[last])
        and (last == first or not reading.gaps[last])
    ):
        last += 1
    return last


def _is_absent(
    reading: Reading, mentions: Sequence[Mention], vocabulary: Vocabulary, first: int, last: int
) -> bool:
    behind_by = first > 0 and reading.words[first - 1] in _BY
    if not (behind_by or _is_asked_for(reading, vocabulary, first, last)):
        return False
    typed = [token.word for token in reading.tokens[first:last]]
    if any(is_everyday(reading.corrected.get(word, "")) for word in typed):
        return False  # "tired of seein Argentina"
    inside = [one for one in mentions if one.first < last and one.last > first]
    if any(
        one.meaning is not None and one.meaning.role == "creator" and " " not in one.meaning.key
        for one in inside
    ):
        return False  # "by Sade Adu"
    if behind_by and _are_of_different_makers(reading, inside, first, last):
        return True
    if any(_is_spelt(one, typed, vocabulary) for one in inside):
        return False
    asks = behind_by or (first > 0 and reading.words[first - 1] in _ASKING)
    asked = asks and all(reading.capitals[first:last])
    return any(
        len(word) > 2
        and not vocabulary.is_spelt_out(word)
        and (word not in english_words() or (asked and not is_everyday(word)))
        for word in typed
    )


def _are_of_different_makers(
    reading: Reading, inside: Sequence[Mention], first: int, last: int
) -> bool:
    """ "by Stuart MacBride": each word is of some maker's name, and no maker has all of them."""
    makers = [
        {one.meaning.key, *one.others}
        for one in inside
        if one.meaning is not None and one.meaning.role == "creator" and one.last - one.first == 1
    ]
    is_name = all(reading.capitals[first:last]) and not all(reading.capitals)
    is_by = (
        reading.words[first - 1] in english().grammar.makers
    )  # not "a guest from Clayton County"
    if is_name and is_by and len(makers) == len(inside) == 1 and inside[0].first == first:
        # "by Stan Rogers", where some Stan has another name: a first name alone tells nobody.
        surname = reading.roots[last - 1]
        return last - first == 2 and all(surname not in key.split() for key in makers[0])
    return is_name and len(makers) == last - first > 1 and not set.intersection(*makers)


def _is_asked_for(reading: Reading, vocabulary: Vocabulary, first: int, last: int) -> bool:
    """Whether words with capitals stand where a question names whose works it wants."""
    if all(reading.capitals):
        return False
    if first == 0:
        return last < len(reading.words) and reading.gaps[last] == ","
    behind = reading.words[first - 1] in _ASKING
    before_noun = last < len(reading.words) and reading.roots[last] in vocabulary.item_nouns
    return reading.gaps[first] != "." and (behind or before_noun)


def _is_spelt(mention: Mention, typed: Sequence[str], vocabulary: Vocabulary) -> bool:
    """Whether a name was typed as it is, and is no item that is only spelled nearly so."""
    if mention.item is not None:
        return {*typed} <= {*vocabulary.spelling_of(mention.item)}
    return mention.last - mention.first > 1
