"""Bounds on numbers in a question: years and decades, how many components.

"from 1994", "before 1960", "between 1980 and 1990", "the 70s"; "at most four ingredients",
"under 300 pages"; amounts by the units that a domain declares ("under 20 dollars").
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

import msgspec

from localrec.data.domains import Domain
from localrec.data.query import NumberRange
from localrec.foundation.text_matching import fold, singular
from localrec.understanding.ages import counts_ages, find_youngest
from localrec.understanding.amounts import MOST, find_amount
from localrec.understanding.language_words import any_of, english
from localrec.understanding.levelled_text import end_in_text, level
from localrec.understanding.negated_bounds import OPPOSITE, is_turned
from localrec.understanding.years import YearSpan, find_years, joint_years

_WORDS = english().amounts
_MOST = 99_999  # pages; nothing that is counted has more


class ReadRanges(msgspec.Struct, frozen=True):
    """Bounds on numbers, and the characters of the question that say so."""

    ranges: tuple[NumberRange, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()
    places: tuple[tuple[int, int], ...] = ()  # of each range

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
    places: list[tuple[int, int]] = []
    for name, spec in domain.numbers.items():
        found: _Found | None = None
        if spec.kind == "year":
            years = _years(text, domain)
            ranges += [
                NumberRange(name=name, low=one.low, high=one.high, excluded=True)
                for one in years
                if one.excluded
            ]
            places += [(one.start, one.end) for one in years if one.excluded]
            spans += [(one.start, one.end) for one in years]
            wanted = joint_years([one for one in years if not one.excluded])
            found = None if wanted is None else (wanted, [])
        elif spec.kind == "count":
            found = _count(text, counted_nouns(name, domain))
            if found is None and name.endswith("_count"):
                found = _count(text, _WORDS.things, bounded=True)  # "more than six things in it"
        if found is None and counts_ages(spec) and (youngest := find_youngest(text)) is not None:
            begin, end, age = youngest
            found = (-MOST, age), [(begin, end)]
        if found is None and (spec.units or spec.words):
            amount = find_amount(text, spec, whole=name.endswith("_count"))
            if amount is not None:
                found = amount.bounds, [(amount.start, amount.end)]
        if found is not None:
            bounds, told = found
            spans += told
            if bounds is not None:
                low, high = map(float, bounds)
                ranges.append(NumberRange(name=name, low=low, high=high))
                places.append(told[0] if told else (-1, -1))
    return ReadRanges(tuple(ranges), tuple(spans), tuple(places))


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


def _count(text: str, nouns: tuple[str, ...], *, bounded: bool = False) -> _Found | None:
    """Read a count of some nouns; a `bounded` one needs a comparison ("two things" is none)."""
    if not nouns:
        return None
    signed = level(text)
    line = re.sub(r"[^a-z0-9]", " ", signed)
    if not any(letter.isdigit() for letter in line):
        return None  # compiling the patterns takes longer than all else that is read of a question
    match = _count_pattern(nouns).search(line)
    if match is None and (match := _count_behind_pattern(nouns).search(line)) is not None:
        low, high = int(match["low"]), match["high"]
        span = [(match.start(), end_in_text(text, line, match.end()))]
        return _count_bounds(" ".join((match["how"] or "").split()), low, high), span
    if match is None and (match := _count_sign_pattern(nouns).search(signed)) is not None:
        span = [(match.start(), end_in_text(text, signed, match.end()))]
        return _count_bounds(match["how"], int(match["low"]), None), span
    if match is None or (bounded and not any(match[one] for one in _SAY_A_BOUND)):
        return None
    how, low, high = match["how"], int(match["low"]), match["high"]
    span = [(match.start(), end_in_text(text, line, match.end()))]
    told = " ".join((how or match["mid"] or match["behind"] or "").split())
    turned = bool(how) and is_turned(text[: match.start()])
    bounds = _count_bounds(told, low, high, turned=turned)
    if high is None and (other := _other_end(line, match)) is not None:
        begin, end, further = other
        span = [(begin, end_in_text(text, line, end))]
        bounds = max(bounds[0], further[0]), min(bounds[1], further[1])
        if not told:  # "two ingredients, three at a push"
            bounds = min(low, further[1]), further[1]
    return bounds, span


def _other_end(line: str, match: re.Match[str]) -> tuple[int, int, tuple[int, int]] | None:
    """The second bound beside a count: "min 3 and max 6 things", "at least 3 things, at most 4".

    Returns:
        Where both bounds begin and end in the line, and what the second one asks for.
    """
    if match["how"] and (before := _bound_before().search(line, 0, match.start())) is not None:
        bounds = _count_bounds(" ".join(before["how"].split()), int(before["low"]), None)
        return before.start(), match.end(), bounds
    if (behind := _bound_behind().match(line, match.end())) is not None:
        told = " ".join((behind["how"] or behind["ending"]).split())
        bounds = _count_bounds(told, int(behind["low"] or behind["count"]), None)
        return match.start(), behind.end(), bounds
    return None


def _count_bounds(
    how: str, count: int, high: str | None, *, turned: bool = False
) -> tuple[int, int]:
    if high is not None:
        return min(count, int(high)), max(count, int(high))
    meant = next((told for told, words in _BOUNDS if how in words), "")
    meant = OPPOSITE[meant] if turned and meant else meant
    if meant:
        return {
            "below": (1, count - 1),
            "least": (count, _MOST),
            "above": (count + 1, _MOST),
            "most": (1, count),
        }[meant]
    if how in _WORDS.near or how in _WORDS.near_behind:
        return max(1, count - 1), count + 1
    if not how or how in _WORDS.just or how in _WORDS.exactly:
        return count, count
    return 1, count


_SAY_A_BOUND = ("how", "mid", "inside", "behind")  # of "two things", none without one of them
_BOUNDS = (
    ("below", _WORDS.below),
    ("least", (*_WORDS.at_least, *_WORDS.least_behind)),
    ("above", _WORDS.above),
    ("most", (*_WORDS.at_most, *_WORDS.most_behind)),
)


def _any_of(phrases: Iterable[str]) -> str:
    """A pattern of phrases of letters, longest first."""
    told = {one for one in phrases if one and one.replace(" ", "").isalpha()}
    return "|".join(one.replace(" ", r"\s+") for one in sorted(told, key=len, reverse=True))


_COMPARISONS = _any_of(word for _, words in _BOUNDS for word in words)
_ENDINGS = _any_of((*_WORDS.most_behind, *_WORDS.least_behind, *_WORDS.near_behind))


_NO_BOUND = any_of(_WORDS.no_bound_before)
_NO_BOUND_FOLLOWS = rf"(?!\s+(?:{_WORDS.than}\b|\d+(?!\d|\s+{_NO_BOUND}\b)))"
_BOUND_JOINS, _COUNT_JOINS = any_of(_WORDS.bound_joins), any_of(_WORDS.count_joins)


@lru_cache
def _bound_before() -> re.Pattern[str]:
    return re.compile(rf"\b(?P<how>{_COMPARISONS})\s+(?P<low>\d{{1,4}})(?:\s+{_BOUND_JOINS})?\s+$")


@lru_cache
def _bound_behind() -> re.Pattern[str]:
    return re.compile(
        rf"\s+(?:{_BOUND_JOINS}\s+)?(?:(?P<how>{_COMPARISONS})\s+(?P<low>\d{{1,4}})\b"
        rf"(?!\s+{_NO_BOUND}\b)"  # "three things at the most, one of them gin"
        rf"|(?P<count>\d{{1,4}})\s+(?P<ending>{_ENDINGS})\b)"
    )


@lru_cache(maxsize=256)
def _count_pattern(nouns: tuple[str, ...]) -> re.Pattern[str]:
    noun = "(?:" + "|".join(map(re.escape, nouns)) + ")s?"
    bounds = (*_WORDS.below, *_WORDS.at_most, *_WORDS.above, *_WORDS.at_least)
    cue = _any_of((*bounds, *_WORDS.near, *_WORDS.exactly, *_WORDS.just))
    return re.compile(
        rf"(?:\b(?P<how>{cue})\s+(?:the\s+)?)?(?<!\d)(?P<low>\d{{1,4}})(?:\s+(?P<mid>{_ENDINGS})\b)?"
        rf"(?:\s+(?:{_COUNT_JOINS}|\s)\s*(?P<high>\d{{1,4}}))?\s+(?:{any_of(_WORDS.kinds)}\s+)?{noun}\b"
        rf"(?P<inside>\s+{any_of(_WORDS.inside)}\b)?(?:\s+(?P<behind>{_ENDINGS})\b{_NO_BOUND_FOLLOWS})?"
    )


@lru_cache(maxsize=256)
def _count_sign_pattern(nouns: tuple[str, ...]) -> re.Pattern[str]:
    """ "ingredients <= 3"."""
    noun = "(?:" + "|".join(map(re.escape, nouns)) + ")s?"
    return re.compile(rf"\b{noun}\s*(?P<how><\s?=|>=|=<|=>|≤|≥|==|<|>|=)\s*(?P<low>\d{{1,4}})\b")


@lru_cache(maxsize=256)
def _count_behind_pattern(nouns: tuple[str, ...]) -> re.Pattern[str]:
    """ "the number of ingredients shall lie between 6 and 8"."""
    noun = "(?:" + "|".join(map(re.escape, nouns)) + ")s?"
    cue = _any_of((*_WORDS.below, *_WORDS.at_most, *_WORDS.above, *_WORDS.at_least, _WORDS.between))
    return re.compile(
        rf"\b{any_of(_WORDS.counts)}\s+{noun}\s+(?:[a-z]+\s+){{0,4}}?(?:(?P<how>{cue})\s+)?"
        rf"(?P<low>\d{{1,2}})(?:\s+{_COUNT_JOINS}\s+(?P<high>\d{{1,2}}))?\b"
    )
