"""Tells a question that goes on from the one before: "without gin", "and in a coupe"."""

from __future__ import annotations

import re

from localrec.understanding.language_words import any_of, english

_WORDS = english().follow_ups
_JOINS = re.compile(rf"{any_of(_WORDS.joins)}[ ,]+", re.IGNORECASE)
_GOES_ON = re.compile(f"{any_of(_WORDS.goes_on)} ", re.IGNORECASE)


def follow_up_words(text: str) -> str | None:
    """Return what a question adds to the one before; None where it stands for itself.

    Example:
        `follow_up_words("but without gin")` is "without gin"; `follow_up_words("gin, no cream")`
        is None.
    """
    text = text.strip()
    if joined := _JOINS.match(text):
        return text[joined.end() :] or None
    return text if _GOES_ON.match(text) else None
