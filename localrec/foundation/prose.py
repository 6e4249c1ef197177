"""Small grammar for sentences made from facts."""

from __future__ import annotations

import re
from collections.abc import Sequence


def join_words(words: Sequence[str]) -> str:
    """The words as a list in a sentence: "gin, lime juice and soda water"; none give ""."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


# A vowel's letter, but where it is spoken as "you" or "won"; and an h that is silent.
_VOWEL_FIRST = re.compile(
    r"(?!uni(?![dmn])|us[aeu]|ut[eio]|eu|ewe|ubiq|one\b|once\b)[aeiou]|hon(est|ou?r)|hour|heir",
    re.IGNORECASE,
)


def with_article(noun: str) -> str:
    """`noun` behind "a" or "an", by the sound that it begins with: "a unit", "an hour"."""
    return f"{'an' if _VOWEL_FIRST.match(noun) else 'a'} {noun}"


def as_sentence(text: str) -> str:
    """`text` with a capital first letter and a full stop."""
    return f"{text[:1].upper()}{text[1:]}."


def count_of(count: int, noun: str) -> str:
    """A number before a noun: "1 row", "2,410 rows"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
