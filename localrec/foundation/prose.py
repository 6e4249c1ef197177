"""Small grammar for sentences made from facts."""

from __future__ import annotations

import re
from collections.abc import Sequence


def join_words(words: Sequence[str], last: str = "and") -> str:
    """The words as a list in a sentence: "gin, lime juice and soda water"; none give ""."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


_LONG_WORD = re.compile(r"(\S{120})\S{260,}(\S{120})")
# A vowel's letter, but where it is spoken as "you" or "won"; and an h that is silent.
_VOWEL_FIRST = re.compile(
    r"(?!uni(?![dmn])|uk[eu]|ur[aeiou]|us[aeu]|ut[eio]|eu|ewe|ubiq|one\b|once\b)[aeiou]"
    r"|hon(est|ou?r)|hour|heir",
    re.IGNORECASE,
)
# What is spelt or counted aloud: "an FM radio", "an X-ray", "an 8", "an 1890s"; "a USB".
_SPELT_VOWEL = re.compile(r"[FHLMNRSX](?:[B-DF-HJ-NP-TV-Z0-9]+\b|-)|8|1[18](?:\d\d)?(?!\d)")
_SPELT_YOU = re.compile(r"U(?:[A-Z]|SB)\b")


def shortened(text: str, most: int) -> str:
    """`text` with its middle cut out where it is longer, words of a thousand letters included.

    Both ends stay: what a sentence is about stands in front, the end of a path behind.
    """
    text = _LONG_WORD.sub(r"\1…\2", text)
    if len(text) <= most:
        return text
    end = most // 4
    return f"{text[: most - end - 1].rstrip()}…{text[-end:].lstrip()}"


def with_article(noun: str) -> str:
    """`noun` behind "a" or "an", by the sound that it begins with: "a unit", "an hour"."""
    is_vowel = _SPELT_VOWEL.match(noun) or _VOWEL_FIRST.match(noun)
    return f"{'an' if is_vowel and not _SPELT_YOU.match(noun) else 'a'} {noun}"


def as_sentence(text: str) -> str:
    """`text` with a capital first letter and a full stop."""
    return f"{text[:1].upper()}{text[1:]}."


def count_of(count: int, noun: str) -> str:
    """A number before a noun: "1 row", "2,410 rows"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
