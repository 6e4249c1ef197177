"""Ages of people in a question: "my nephew is six", "kids, 8 and 10", "twelve years and below".

A number that a domain counts in years of age ("for ages from") suits whoever is older: of several
ages the youngest counts, and "from 8 up" means what eight-year-olds can do.
"""

from __future__ import annotations

import re
from functools import lru_cache

from localrec.data.domains import NumberSpec
from localrec.understanding.language_words import any_of, english
from localrec.understanding.levelled_text import end_in_text, level

_OLDEST = 17  # years; for an adult anything will do
_UNIT = "year old"
_AGE = r"(?:1[0-7]|[1-9])(?![\d.,:%]*\d)"
_WORDS = english().ages
_ANDS = any_of(_WORDS.ands)
_JOIN = rf"\s*(?:,\s*(?:{_ANDS}\s+)?|{_ANDS}|&)\s*"


def counts_ages(spec: NumberSpec) -> bool:
    """Whether a number says from which age on something is for."""
    return _UNIT in spec.units


def find_youngest(text: str) -> tuple[int, int, float] | None:
    """Find the ages of children in a question: start, end and the lowest age; None without any."""
    line = level(text)
    found = [
        (match.start(), end_in_text(text, line, match.end()), float(age))
        for pattern in _patterns()
        for match in pattern.finditer(line)
        for age in re.findall(r"\d+", match["ages"])
        if float(age) <= _OLDEST
    ]
    return min(found, key=lambda one: one[2]) if found else None


@lru_cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    children = any_of(english().children)
    ages = rf"(?P<ages>{_AGE}(?:{_JOIN}{_AGE})*)"
    years = rf"[\s-]*{any_of(_WORDS.years)}\b(?:[\s-]*{any_of((*_WORDS.of_age, _WORDS.old))})?"
    no_ages = any_of((*_WORDS.no_age, *english().no_ages))
    unit = rf"(?!\s*(?:[-–]|\+|{no_ages}s?\b))"
    told = rf"\s*(?:\(|,|{any_of(_WORDS.linking)})?"
    now = "".join(f"(?<!{word} )" for word in _WORDS.spans)
    whose = rf"\b{children}s?(?:{told}){{1,3}}\s*"
    named = rf"\b{children}\s+[a-z]+\s+{any_of(_WORDS.being)}\s+"
    having = rf"[ '’]*{any_of(_WORDS.having)}\s+(?:{any_of(english().amounts.just)}\s+)?"
    pronoun = rf"\b{any_of(_WORDS.pronouns)}{having}"
    return (
        re.compile(rf"{whose}{ages}(?:{years})?{unit}"),
        re.compile(rf"{named}{ages}(?:{years})?{unit}"),  # "my niece Edie turns eight"
        re.compile(rf"{pronoun}{ages}(?:{years})?{unit}"),
        re.compile(rf"\b{any_of(_WORDS.aged)}\s+{ages}(?:{years})?"),
        re.compile(rf"\b{ages}{years}(?<={_WORDS.old})"),
        re.compile(rf"{now}\b{ages}{years}(?!\s+{any_of(_WORDS.later)})"),
    )
