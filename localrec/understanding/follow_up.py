"""Tells a question that goes on from the one before: "without gin", "and in a coupe"."""

from __future__ import annotations

import re
from functools import cache

from localrec.understanding.language_words import any_of, english


def follow_up_words(text: str) -> str | None:
    """Return what a question adds to the one before; None where it stands for itself.

    Example:
        `follow_up_words("but without gin")` is "without gin"; `follow_up_words("gin, no cream")`
        is None.
    """
    text = text.strip()
    if joined := _joins().match(text):
        return text[joined.end() :] or None
    return text if _goes_on().match(text) else None


@cache
def _joins() -> re.Pattern[str]:  # made late: the app starts without the words of a language
    return re.compile(rf"{any_of(english().follow_ups.joins)}[ ,]+", re.IGNORECASE)


@cache
def _goes_on() -> re.Pattern[str]:
    return re.compile(f"{any_of(english().follow_ups.goes_on)} ", re.IGNORECASE)
