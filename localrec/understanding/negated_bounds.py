"""Bounds that a negation turns: "doesn't run past two hours", "never under 90 points"."""

from __future__ import annotations

import re
from functools import lru_cache

from localrec.foundation.text_matching import fold
from localrec.understanding.language_words import any_of, english

OPPOSITE = {"above": "most", "below": "least", "least": "below", "most": "above"}
_WORDS = english().amounts
_BETWEEN = 4  # words between the negation and its bound
_OF_PEOPLE = 7  # the same behind "none of us", whose verb stands between
_WORD = rf"(?:\s+(?!(?:{'|'.join(sorted(_WORDS.negating_bridges))})\b)[a-z]+)"


def is_turned(before: str) -> bool:
    """Whether the words before a bound, as typed, turn it around."""
    return _turned().search(fold(before).replace("'", "")) is not None


@lru_cache
def _turned() -> re.Pattern[str]:
    negating = "|".join(sorted(_WORDS.negating, key=len, reverse=True))
    return re.compile(
        rf"\b(?:(?:{negating}){_WORD}{{0,{_BETWEEN}}}"
        rf"|{any_of(_WORDS.nobody)}{_WORD}{{0,{_OF_PEOPLE}}})\s*$"
    )
