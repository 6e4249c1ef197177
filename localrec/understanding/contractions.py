"""Words that an apostrophe joins to a small verb: "that'll", "would've", "my mum'd".

Folded they lose the apostrophe, and "thatll" would be mended to the nearest name, "would've" to
"wouldn't". They lose their verb instead, unless a name is written so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from localrec.foundation.text_matching import Token, fold, singular
from localrec.understanding.language_words import any_of, english

_MARKS = frozenset("'’‘`´")
_VERBS = any_of(english().slips.contracted)
_CONTRACTED = re.compile(rf"(?i)^(\w+)['’‘`´]{_VERBS}(?:['’‘`´]{_VERBS})?$")


def uncontracted(text: str, found: Sequence[Token]) -> dict[int, str]:
    """Place -> the root of the word before a small verb, for those of a question that have one.

    Args:
        text: The question.
        found: Its words.
    """
    if _MARKS.isdisjoint(text):
        return {}
    told = ((place, text[token.start : token.end]) for place, token in enumerate(found))
    matches = ((place, _CONTRACTED.match(typed)) for place, typed in told)
    return {place: singular(fold(match[1])) for place, match in matches if match is not None}


def is_in_a_phrase(word: str) -> bool:
    """Whether phrases of the language have a word and its verb as one: "id" in "id rather"."""
    return word in _heard()


@lru_cache
def _heard() -> frozenset[str]:
    """The words of all phrases that the language's file listens for; slang is none of them."""
    return frozenset(word for told in _texts(english()) for word in told.split())


def _texts(told: Any) -> Iterator[str]:
    if isinstance(told, str):
        yield told
    elif isinstance(told, msgspec.Struct):
        yield from _texts([getattr(told, name) for name in told.__struct_fields__])
    elif isinstance(told, list | tuple | frozenset | set):
        for one in told:
            yield from _texts(one)
