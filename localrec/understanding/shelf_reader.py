"""Read the components that a user says they have, strictly by name.

A question may leave a word unread; a list of bottles may not, or the shelf would quietly lack
one. Typos are mended as everywhere, a name that is still unknown is refused with its neighbours.
"""

from __future__ import annotations

import re

import msgspec

from localrec.data.questions import MAX_QUESTION, check_length
from localrec.foundation.errors import InputError
from localrec.foundation.text import clean_text
from localrec.foundation.text_matching import tokens
from localrec.understanding.language_words import any_of, english
from localrec.understanding.meanings import Meaning
from localrec.understanding.vocabulary import Reading, Vocabulary

_MOST_NAMED = 3
_LEAST_ALIKE = 60  # percent of letters that agree, as rapidfuzz counts them
_BREAKS = re.compile(r"[,;\n]+")

_WORDS = english().shelf
_ASKS_FOR_SHELF = re.compile("|".join(_WORDS.asking).replace("<make>", any_of(_WORDS.make)))


class ShelfNames(msgspec.Struct, frozen=True, kw_only=True):
    """Keys of the components a text names, in its order, and the typos that were mended."""

    keys: tuple[str, ...]
    corrected: dict[str, str]


def parse_shelf(text: str, vocabulary: Vocabulary) -> ShelfNames:
    """Read a list of components such as "gin, campari and half a bottle of vermouth".

    Raises:
        InputError: a name is unknown, or the text names nothing or is a book.
    """
    check_length(text, "What is at hand", MAX_QUESTION)
    keys: dict[str, None] = {}
    corrected: dict[str, str] = {}
    for part in _BREAKS.split(clean_text(text, 2 * MAX_QUESTION)):
        reading = vocabulary.read(part)
        named, rest = _components(reading, vocabulary)
        if rest or (reading.words and not named):
            raise _unknown(" ".join(rest or reading.words), vocabulary)
        keys.update(dict.fromkeys(named))
        corrected.update(reading.corrected)
    if not keys:
        kind = vocabulary.domain.kind_of("component") or "component"
        raise InputError(f"That names no {kind}.", 'Part the names by commas: "gin, lime juice".')
    return ShelfNames(keys=tuple(keys), corrected=corrected)


def asks_for_shelf(question: str) -> bool:
    """Does a question ask what can be made of what is there ("what can I make tonight?")?

    Cues alone decide; things named in the question itself are `parse_intent`'s business.
    """
    return bool(_ASKS_FOR_SHELF.search(" ".join(token.word for token in tokens(question))))


def _components(reading: Reading, vocabulary: Vocabulary) -> tuple[list[str], list[str]]:
    """The components a part names, longest names first, and the words that are left over."""
    named: list[str] = []
    rest: list[str] = []
    words = reading.roots
    position = 0
    while position < len(words):
        for match in vocabulary.names.phrases_at(words, position):
            meaning = _component_of(match.payloads)
            if meaning is not None:
                named.append(meaning.key)
                position = match.last
                break
        else:
            if not vocabulary.is_plain(words[position]) and len(words[position]) > 1:
                rest.append(reading.words[position])
            position += 1
    return named, rest


def _component_of(meanings: tuple[Meaning, ...]) -> Meaning | None:
    return next((one for one in meanings if one.role == "component"), None)


def _unknown(name: str, vocabulary: Vocabulary) -> InputError:
    from rapidfuzz import fuzz, process  # 15 ms to import, only paid for a name nobody knows

    known = [
        phrase
        for phrase in vocabulary.names.phrases()
        if _component_of(vocabulary.names.get(phrase)) is not None
    ]
    near = process.extract(
        name, known, scorer=fuzz.token_set_ratio, score_cutoff=_LEAST_ALIKE, limit=_MOST_NAMED
    )
    names = ", ".join(phrase for phrase, _, _ in near)
    kind = vocabulary.domain.kind_of("component") or "component"
    return InputError(
        f"No {kind} here is called “{name}”; nothing was changed.",
        f"Nearest: {names}." if names else "Look how the catalogue calls it.",
    )
