"""Bounds on numbers in a question: years and decades, how many components.

"from 1994", "before 1960", "between 1980 and 1990", "the 70s"; "at most four ingredients",
"under 300 pages"; amounts by the units that a domain declares ("under 20 dollars").
"""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from localrec.data.domains import Domain
from localrec.data.query import NumberRange
from localrec.foundation.text_matching import fold, singular
from localrec.understanding.amounts import find_amount
from localrec.understanding.years import YearSpan, end_in_text, find_years, joint_years, level

_MOST = 99_999  # pages; nothing that is counted has more


class ReadRanges(msgspec.Struct, frozen=True):
    """Bounds on numbers, and the characters of the question that say so."""

    ranges: tuple[NumberRange, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()

    def covers(self, start: int, end: int) -> bool:
        """Whether characters `start` to `end` are part of a bound."""
        return any(begin <= start and end <= stop for begin, stop in self.spans)


def parse_ranges(text: str, domain: Domain) -> tuple[NumberRange, ...]:
    """The bounds that a question puts on the domain's numeric properties."""
    return read_ranges(text, domain).ranges


def read_ranges(text: str, domain: Domain) -> ReadRanges:
    """Read the bounds that a question puts on numeric properties, and where it says so."""
    ranges: list[NumberRange] = []
    spans: list[tuple[int, int]] = []
    for name, spec in domain.numbers.items():
        found: _Found | None = None
        if spec.kind == "year":
            years = _years(text, domain)
            ranges += [
                NumberRange(name=name, low=one.low, high=one.high, barred=True)
                for one in years
                if one.barred
            ]
            spans += [(one.start, one.end) for one in years]
            wanted = joint_years([one for one in years if not one.barred])
            found = None if wanted is None else (wanted, [])
        elif spec.kind == "count":
            found = _count(text, counted_nouns(name, domain))
        if found is None and (spec.units or spec.words):
            amount = find_amount(text, spec)
            if amount is not None:
                found = amount.bounds, [(amount.start, amount.end)]
        if found is not None:
            bounds, told = found
            spans += told
            if bounds is not None:
                low, high = map(float, bounds)
                ranges.append(NumberRange(name=name, low=low, high=high))
    return ReadRanges(tuple(ranges), tuple(spans))


_Found = tuple[tuple[float, float] | None, list[tuple[int, int]]]


def _years(text: str, domain: Domain) -> list[YearSpan]:
    has_decades = any(
        spec.role == "container" and "decade" in (kind, *spec.words)
        for kind, spec in domain.attributes.items()
    )
    only = all(spec.kind == "year" for spec in domain.numbers.values())
    return find_years(text, decades=not has_decades, short=only)


def counted_nouns(number: str, domain: Domain) -> tuple[str, ...]:
    """Return the nouns that a count in a question counts, folded.

    `KIND_count` counts the attributes of that kind, any other number what it is called ("pages").
    """
    kind = number.removesuffix("_count")
    is_of_kind = kind != number and kind in domain.attributes
    words = domain.attributes[kind].words if is_of_kind else (number.replace("_", " "),)
    return tuple(singular(fold(word)) for word in words)


def _count(text: str, nouns: tuple[str, ...]) -> _Found | None:
    if not nouns:
        return None
    line = re.sub(r"[^a-z0-9]", " ", level(text))
    match = _count_pattern(nouns).search(line)
    if match is None:
        return None
    how, low, high = match["how"], int(match["low"]), match["high"]
    span = [(match.start(), end_in_text(text, line, match.end()))]
    return _count_bounds(" ".join((how or match["behind"] or "").split()), low, high), span


def _count_bounds(how: str, count: int, high: str | None) -> tuple[int, int]:
    if high is not None:
        return min(count, int(high)), max(count, int(high))
    if how in _FEWER:
        return 1, count - 1
    if how in _AT_LEAST:
        return count, _MOST
    if how in _MORE:
        return count + 1, _MOST
    if how in _EXACTLY:
        return count, count
    return 1, count


_FEWER = ("less than", "fewer than", "under", "below", "shorter than", "sub")
_AT_LEAST = ("at least", "no less than", "no fewer than", "a minimum of", "minimum", "or more")
_MORE = ("more than", "over", "longer than", "above", "upwards of")
_EXACTLY = ("only", "just", "exactly", "")
_AT_MOST = (
    "at most", "maximum of", "maximum", "max of", "max", "up to", "no more than", "not more than",
    "nothing over", "nothing above", "not over", "no longer than", "nothing longer than", "within",
    "or less", "or fewer", "tops", "or under",
)  # fmt: skip


@lru_cache(maxsize=256)
def _count_pattern(nouns: tuple[str, ...]) -> re.Pattern[str]:
    noun = "(?:" + "|".join(map(re.escape, nouns)) + ")s?"
    cues = sorted((*_FEWER, *_AT_LEAST, *_MORE, *_AT_MOST, *_EXACTLY[:-1]), key=len, reverse=True)
    cue = "|".join(one.replace(" ", r"\s+") for one in cues)
    return re.compile(
        rf"(?:\b(?P<how>{cue})\s+)?(?<!\d)(?P<low>\d{{1,4}})"
        rf"(?:\s+(?:to|or|and|\s)\s*(?P<high>\d{{1,4}}))?\s+{noun}\b"
        rf"(?:\s+(?P<behind>or more|or less|or fewer|max|maximum|tops|minimum|or under)\b)?"
    )
