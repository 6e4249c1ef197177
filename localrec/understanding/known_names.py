"""What the catalogue knows of a question's words, for a model that reads it.

No small model knows every liqueur, and none knows the names of somebody's own catalogue. So one
that was trained to read questions is told what the names in them can stand for, typos mended, what
their neighbours speak for first:

    orange: colour or ingredient; negroni: drink

What the question wants with them is left to the model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

import msgspec

from localrec.understanding.meanings import MeaningRole, Mention
from localrec.understanding.mentions import find_mentions
from localrec.understanding.vocabulary import Reading, Vocabulary

Sense = MeaningRole | Literal["item"]

_BETWEEN = "; "
_OR = " or "
_MOST = 12  # names; what asks for more asks for anything


class KnownName(msgspec.Struct, frozen=True):
    """Words of a question, folded and mended, and what they can stand for, likeliest first."""

    words: str
    senses: tuple[Sense, ...]


def known_names(question: str, vocabulary: Vocabulary) -> tuple[KnownName, ...]:
    """The names in a question, left to right."""
    reading = vocabulary.read(question)
    return tuple(_known(one, reading, vocabulary) for one in find_mentions(reading, vocabulary))


def describe_known_names(known: Sequence[KnownName], call: Callable[[Sense], str]) -> str:
    """Known names as a line; "" without any.

    Args:
        known: The names that a question contains.
        call: The word for a sense; where it is "", the sense goes untold.
    """
    return _BETWEEN.join(_told(known[:_MOST], call))


def _told(known: Sequence[KnownName], call: Callable[[Sense], str]) -> Iterator[str]:
    for one in known:
        senses = [told for sense in one.senses if (told := call(sense))]
        if senses:
            yield f"{one.words}: {_OR.join(dict.fromkeys(senses))}"


def _known(mention: Mention, reading: Reading, vocabulary: Vocabulary) -> KnownName:
    words = " ".join(reading.words[mention.first : mention.last])
    phrase = " ".join(reading.roots[mention.first : mention.last])
    others: list[Sense] = [
        one.role for one in vocabulary.names.get(phrase) if vocabulary.is_usable(one)
    ]
    if vocabulary.items.get(phrase):
        others.append("item")
    if mention.item is not None:  # written like its name, however it was typed
        words = " ".join(vocabulary.spelling_of(mention.item)) or words
    likeliest: Sense = "item" if mention.meaning is None else mention.meaning.role
    return KnownName(words, tuple(dict.fromkeys((likeliest, *others))))
