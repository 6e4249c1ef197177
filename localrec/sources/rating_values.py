"""Ratings as people write them, as numbers."""

from __future__ import annotations

import re

_RATING = re.compile(
    r"(?P<value>[+-]?\d{1,6}(?:[.,]\d{1,6})?)(?P<half>\s?½|\s1/2)?"
    r"(?:\s*(?:/|out of)\s*\d{1,3}|\s*stars?|\s*%)?"
)
_STARS = re.compile(r"(?P<whole>[★⭐♥❤*]*)(?P<half>½?)[☆✩]*")


def rating_value(told: str) -> float | None:
    """The number of a rating: "8", "8,5", "8/10", "80%", "4½", "★★★½"; None for anything else."""
    if found := _RATING.fullmatch(told):
        return float(found["value"].replace(",", ".")) + 0.5 * bool(found["half"])
    found = _STARS.fullmatch(told)
    return None if found is None else len(found["whole"]) + 0.5 * bool(found["half"])
