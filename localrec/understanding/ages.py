"""Ages of people in a question: "my nephew is six", "kids, 8 and 10", "twelve years and below".

A number that a domain counts in years of age ("for ages from") suits whoever is older: of several
ages the youngest counts, and "from 8 up" means what eight-year-olds can do.
"""

from __future__ import annotations

import re
from functools import lru_cache

from localrec.data.domains import NumberSpec
from localrec.understanding.language_words import english
from localrec.understanding.years import end_in_text, level

_OLDEST = 17  # years; for an adult anything will do
_UNIT = "year old"
_AGE = r"(?:1[0-7]|[1-9])(?![\d.,:%]*\d)"
_JOIN = r"\s*(?:,\s*(?:and\s+)?|and|or|n|&)\s*"


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
    children = "|".join(sorted(english().children, key=len, reverse=True))
    ages = rf"(?P<ages>{_AGE}(?:{_JOIN}{_AGE})*)"
    years = r"[\s-]*(?:years?|yrs?|yo)\b(?:[\s-]*(?:of\s+age|old))?"
    unit = r"(?!\s*(?:[-–]|to\b|\+|or\s+more\b|" + "|".join(english().no_ages) + r")s?\b)"
    told = r"\s*(?:\(|,|of|aged?|who|which|that|is|are|was|turns|turning|just|only|about|all|age)?"
    now = r"(?<!last )(?<!past )(?<!next )(?<!for )(?<!in )"
    whose = rf"\b(?:{children})s?(?:{told}){{1,3}}\s*"
    named = rf"\b(?:{children})\s+[a-z]+\s+(?:is|is\s+only|is\s+just|turns|just\s+turned|turned)\s+"
    pronoun = r"\b(?:he|she)[ '’]*(?:s|re|is|are)\s+(?:only\s+|just\s+)?"
    return (
        re.compile(rf"{whose}{ages}(?:{years})?{unit}"),
        re.compile(rf"{named}{ages}(?:{years})?{unit}"),  # "my niece Edie turns eight"
        re.compile(rf"{pronoun}{ages}(?:{years})?{unit}"),
        re.compile(rf"\bages?d?\s+{ages}(?:{years})?"),
        re.compile(rf"\b{ages}{years}(?<=old)"),
        re.compile(rf"{now}\b{ages}{years}(?!\s+(?:ago|later|back|war))"),
    )
