"""Amounts as people say them, written in digits: "half an hour", "an hour and a half".

A line keeps its length, so that every place in it stays what it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from localrec.understanding.language_words import any_of, english


def _hyphenated(told: Iterable[str]) -> str:
    return any_of(told).replace(r"\s+", r"[\s-]+")


_AMOUNTS, _SLIPS, _WORDS = english().amounts, english().slips, english().spoken_amounts
_ONE = any_of(english().grammar.articles - english().grammar.definite)
_TIMES = "|".join(one for one in _AMOUNTS.times if len(one) > 1)
_SO_MANY = re.compile(
    rf"\b(?P<how>{english().numerals.half}(?:\s+{_ONE})?|{_ONE})\s+(?P<times>{_TIMES})\b"
)
_SO_MANY_RATERS = (
    rf"(?P<count>(?:\d[\d.,']{{2,}}|\d[\d.,]*\s*(?:{'|'.join(_AMOUNTS.times)})\b)\+?\s+(?:or\s+more\s+)?)"
    rf"(?P<who>{'|'.join(_AMOUNTS.raters)})"
)
_RATERS = re.compile(
    rf"{_SO_MANY_RATERS}(?=(?:\s+[a-z]+){{0,3}}?\s+(?:{'|'.join(_AMOUNTS.rates)})\b)"
)
_RATED_BY = re.compile(  # "rated 4.5 or higher by at least 2000 readers"
    rf"(?P<lead>\b{any_of(_AMOUNTS.rates)}\b[^;!?]{{0,60}}?\b{any_of(english().grammar.makers)}\s+(?:[a-z]+\s+){{0,3}})"
    rf"{_SO_MANY_RATERS}\b"
)
_FIGURES = re.compile(
    rf"\b(?P<how>{any_of(_WORDS.figures)}|\d)[\s-]+{any_of(_WORDS.figure_nouns)}\b"
)
_EACH = re.compile(
    rf"(?<![\d.,$€£-])(?P<value>\d+(?:\.\d+)?)\s+{any_of(_WORDS.each)}\s+{any_of(_WORDS.sold)}\b"
)
_FIRST_PERCENT = re.compile(  # "between 10% and 20%", "over 40% but under 50%"
    r"(?<=\d)%(?=(?:\s+[a-z]+){1,3}\s+\d+(?:\.\d+)?\s*%|\s*[-–]\s*\d+(?:\.\d+)?\s*%)"
)
_MINUTES_TO_HOURS = re.compile(
    rf"(?P<lead>\b{any_of(_AMOUNTS.leads)}\s+)?(?P<minutes>\d+)\s+(?P<unit>{any_of(_AMOUNTS.minutes)}s?)\s+(?P<join>{any_of(_AMOUNTS.range_joins)})"
    rf"\s+(?P<hours>\d+(?:\.\d+)?|{_ONE})\s+{any_of((_AMOUNTS.hour, *_AMOUNTS.hours))}s?\b"
)
_OPEN_RANGE = re.compile(rf"\d\s*{any_of(_AMOUNTS.range_joins)}\s*$")
_STRICTLY = re.compile(rf"\b{any_of(_WORDS.emphasis)}(?=\s+{any_of(_WORDS.emphasised)}\b)")
_PART = re.compile(rf"\b(?P<part>{_hyphenated(_WORDS.parts)})\s+{_ONE}\s+(?P<unit>[a-z]+)")
_IN_SHORT = re.compile(rf"\b{_hyphenated(_WORDS.in_short)}\b")
_BEST = rf"(?<![\d.])(?P<value>\d+(?:\.\d+)?)\s+{any_of([_WORDS.out_of])}\s+(?:5|10|100)"
_SCORE = re.compile(rf"{_BEST}(?=\s*(?:{any_of(_WORDS.behind_score)}\b|[.,;!?]|$))")
_OUT_OF = re.compile(rf"{_BEST}(?![\d.])")
_THEN = re.compile(
    rf"\b(?P<how>{any_of(_SLIPS.comparatives)}|[a-z]+er) {_SLIPS.then}(?=\s+(?:{_ONE}\s+)?\d)"
)
_AND_A_PART = re.compile(
    rf"\b{any_of(_WORDS.wholes)}\s+(?P<unit>[a-z]+)\s+and\s+a\s+(?P<part>{any_of(_WORDS.added_parts)})\b"
)


def respell_amounts(line: str) -> str:
    """Write the amounts of a folded line in digits.

    Example:
        `respell_amounts("half an hour")` is "0.5 hour" with blanks behind it.
    """
    line = _FIRST_PERCENT.sub(" ", line)
    line = _MINUTES_TO_HOURS.sub(_as_minutes, line)
    line = _STRICTLY.sub(lambda match: " " * len(match[0]), line)
    line = _THEN.sub(lambda match: f"{match['how']} {_AMOUNTS.than}", line)
    line = _SCORE.sub(lambda match: _padded(f"{match['value']} {_WORDS.rating}", match), line)
    line = _OUT_OF.sub(lambda match: _padded(match["value"], match), line)
    line = _EACH.sub(_as_price, line)
    line = _FIGURES.sub(_bound_of_figures, line)
    line = _PART.sub(_part_of_unit, line)
    line = _SO_MANY.sub(_times_as_digits, line)
    line = _RATERS.sub(_ratings_for_raters, line)
    line = _RATED_BY.sub(lambda match: match["lead"] + _ratings_for_raters(match), line)
    line = _IN_SHORT.sub(lambda match: _padded(_WORDS.in_short[_words(match[0])], match), line)
    return _AND_A_PART.sub(_one_and_a_part, line)


def _as_minutes(match: re.Match[str]) -> str:
    """ "45 minutes and an hour" is "45 and 60 minutes"."""
    if match["lead"] is None and match["join"] not in english().grammar.infinitives:
        return match[0]  # "up to 45 minutes or an hour"
    hours = float(match["hours"]) if match["hours"][0].isdigit() else 1.0
    lead = match["lead"] or ""
    told = f"{lead}{match['minutes']} {match['join']} {60 * hours:.0f} {match['unit']}"
    return _padded(told, match)


def _as_price(match: re.Match[str]) -> str:
    """ "15 a bottle" is "$15"; the end of a range or a year stays as it was."""
    in_range = _OPEN_RANGE.search(match.string[: match.start()]) is not None
    value = float(match["value"])
    is_year = value.is_integer() and 1500 <= value < 2100
    return match[0] if in_range or is_year else _padded(f"${match['value']}", match)


def _one_and_a_part(match: re.Match[str]) -> str:
    value = 1 + _WORDS.added_parts[match["part"]]
    return _padded(f"{value} {match['unit']}", match)


def _bound_of_figures(match: re.Match[str]) -> str:
    digits = _WORDS.figures.get(match["how"]) or int(match["how"])
    return _padded(f"{_WORDS.below} {10**digits}", match) if digits < 8 else match.group()


def _times_as_digits(match: re.Match[str]) -> str:
    """ "half a million" as "500000", "a lakh" as "1 lakh"."""
    if match["how"].startswith(english().numerals.half):
        return _padded(f"{0.5 * _AMOUNTS.times[match['times']]:.0f}", match)
    return _padded(f"1 {match['times']}", match)


def _ratings_for_raters(match: re.Match[str]) -> str:
    """ "5000 readers have rated it" as "5000 rating  have rated it"."""
    room = len(match["who"])
    nouns = (f"{_WORDS.rating}s", f"{_WORDS.vote}s", _WORDS.vote)  # "a 5000 rating" is a score
    noun = next(one for one in nouns if len(one) <= room)
    return match["count"] + noun.ljust(len(match["who"]))


def _part_of_unit(match: re.Match[str]) -> str:
    return _padded(f"{_WORDS.parts[_words(match['part'])]} {match['unit']}", match)


def _words(told: str) -> str:
    return " ".join(re.split(r"[\s-]+", told))


def _padded(told: str, match: re.Match[str]) -> str:
    """A text in the place of a match, as long as it; the match where it does not fit."""
    whole = match.group()
    return told.ljust(len(whole)) if len(told) <= len(whole) else whole
