"""Bounds on numbers in a question: years and decades, how many components.

"from 1994", "before 1960", "between 1980 and 1990", "the 70s"; "at most four ingredients",
"under 300 pages"; amounts by the units that a domain declares ("under 20 dollars").
"""

from __future__ import annotations

import re

from localrec.data.domains import Domain
from localrec.data.query import NumberRange
from localrec.foundation.text_matching import fold, singular
from localrec.understanding.amounts import amount_bounds
from localrec.understanding.common_words import NUMBER_WORDS

_NUMBER = r"(\d{1,4}|" + "|".join(NUMBER_WORDS) + ")"
_MOST = 99_999  # pages; nothing that is counted has more
_YEAR = r"((?:18|19|20)\d\d)(?!s)"
_YEARS = (
    (re.compile(rf"between {_YEAR} and {_YEAR}"), lambda a, b: (a, b)),
    (re.compile(rf"from {_YEAR} to {_YEAR}"), lambda a, b: (a, b)),
    (re.compile(rf"(?:before|older than|earlier than|pre) {_YEAR}"), lambda a: (0, a - 1)),
    (re.compile(rf"(?:until|up to|no later than) {_YEAR}"), lambda a: (0, a)),
    (re.compile(rf"(?:after|newer than|later than|post) {_YEAR}"), lambda a: (a + 1, 9999)),
    (re.compile(rf"{_YEAR}"), lambda a: (a, a)),
)
_SINCE = re.compile(rf"(?:since {_YEAR}|from {_YEAR} on(?:ward)?s?\b|{_YEAR} or (?:later|newer))")


def parse_ranges(text: str, domain: Domain) -> tuple[NumberRange, ...]:
    """The bounds that a question puts on the domain's numeric properties."""
    line = re.sub(r"[^a-z0-9]+", " ", fold(text))
    found = []
    for name, spec in domain.numbers.items():
        bounds: tuple[float, float] | None = None
        if spec.kind == "year":
            bounds = _year_bounds(line)
        elif spec.kind == "count":
            bounds = _count_bounds(line, counted_nouns(name, domain))
        if bounds is None and (spec.units or spec.words):
            bounds = amount_bounds(text, spec)
        if bounds is not None:
            found.append(NumberRange(name=name, low=float(bounds[0]), high=float(bounds[1])))
    return tuple(found)


def _year_bounds(line: str) -> tuple[int, int] | None:
    since = _SINCE.search(line)
    if since:
        return int(next(year for year in since.groups() if year)), 9999
    for pattern, bounds in _YEARS:
        match = pattern.search(line)
        if match:
            return bounds(*(int(year) for year in match.groups()))
    return None


def counted_nouns(number: str, domain: Domain) -> tuple[str, ...]:
    """Return the nouns that a count in a question counts, folded.

    `KIND_count` counts the attributes of that kind, any other number what it is called ("pages").
    """
    kind = number.removesuffix("_count")
    is_of_kind = kind != number and kind in domain.attributes
    words = domain.attributes[kind].words if is_of_kind else (number.replace("_", " "),)
    return tuple(singular(fold(word)) for word in words)


def _count_bounds(line: str, nouns: tuple[str, ...]) -> tuple[int, int] | None:
    if not nouns:
        return None
    noun = "(?:" + "|".join(map(re.escape, nouns)) + ")s?"
    match = re.search(
        rf"(at most|max(?:imum)?(?: of)?|up to|no more than|not more than|less than|fewer than|"
        rf"under|below|shorter than|at least|more than|over|longer than|only|just|exactly)? ?"
        rf"{_NUMBER} {noun}\b",
        line,
    )
    if match is None:
        return None
    how, digits = match.groups()
    count = NUMBER_WORDS.get(digits) or int(digits)
    if how in ("less than", "fewer than", "under", "below", "shorter than"):
        return 1, count - 1
    if how == "at least":
        return count, _MOST
    if how in ("more than", "over", "longer than"):
        return count + 1, _MOST
    if how in ("only", "exactly", None):
        return count, count
    return 1, count
