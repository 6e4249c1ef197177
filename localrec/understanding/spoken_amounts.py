"""Amounts as people say them, written in digits: "half an hour", "an hour and a half".

A line keeps its length, so that every place in it stays what it was.
"""

from __future__ import annotations

import re

from localrec.understanding.language_words import english

_WORDS = english().amounts
_TIMES = "|".join(one for one in _WORDS.times if len(one) > 1)
_SO_MANY = re.compile(rf"\b(?P<how>half(?:\s+an?)?|an?)\s+(?P<times>{_TIMES})\b")
_RATERS = re.compile(
    rf"(?P<count>(?:\d[\d.,']{{2,}}|\d[\d.,]*\s*(?:{'|'.join(_WORDS.times)})\b)\+?\s+(?:or\s+more\s+)?)"
    rf"(?P<who>{'|'.join(_WORDS.raters)})(?=(?:\s+[a-z]+){{0,3}}?\s+(?:{'|'.join(_WORDS.rates)})\b)"
)
_DIGITS = {"single": 1, "one": 1, "double": 2, "two": 2, "triple": 3, "three": 3}
_FIGURES = re.compile(r"\b(?P<how>single|double|triple|one|two|three|\d)[\s-]+(?:figure|digit)s?\b")
_EACH = re.compile(
    r"(?<![\d.,$€£-])(?P<value>\d+(?:\.\d+)?)\s+(?:a|an|per|for (?:the|a|one))"
    r"\s+(?:bottle|head|copy)\b"
)
_OPEN_RANGE = re.compile(r"\d\s*(?:to|and|or|till|until|–)\s*$")
_TEENS = re.compile(r"\bin the teens\b")
_STRICTLY = re.compile(
    r"\b(?:strictly|definitely|well|slightly|just)(?=\s+(?:more|less|fewer|over|under|above|below)\b)"
)
_PART = re.compile(
    r"\b(?P<part>(?:a\s+)?half(?:\s+of)?|(?:a\s+)?quarter\s+of|three[\s-]+quarters\s+of|3[\s-]+quarters\s+of)"
    r"\s+an?\s+(?P<unit>[a-z]+)"
)
_HALF_HOUR = re.compile(r"\bhalf[\s-]hours?\b")
_HALF_HR = re.compile(r"\bhalf[\s-]hrs?\b")  # too short for "0.5 hour"
_SCORE = re.compile(
    r"(?<![\d.])(?P<value>\d+(?:\.\d+)?)\s+out\s+of\s+(?:5|10|100)(?=\s*(?:stars?|or\b|and\b|[.,;!?]|$))"
)
_OUT_OF = re.compile(r"(?<![\d.])(?P<value>\d+(?:\.\d+)?)\s+out\s+of\s+(?:5|10|100)(?![\d.])")
_THEN = re.compile(r"\b(?P<how>more|less|[a-z]+er) then(?=\s+(?:an?\s+)?\d)")
_AND_A_PART = re.compile(
    r"\b(?P<whole>an?|1|one)\s+(?P<unit>[a-z]+)\s+and\s+a\s+(?P<part>half|quarter)\b"
)


def respell_amounts(line: str) -> str:
    """Write the amounts of a folded line in digits.

    Example:
        `respell_amounts("half an hour")` is "0.5 hour" with blanks behind it.
    """
    line = _STRICTLY.sub(lambda match: " " * len(match[0]), line)
    line = _THEN.sub(lambda match: f"{match['how']} than", line)
    line = _SCORE.sub(lambda match: _padded(f"{match['value']} rating", match), line)
    line = _OUT_OF.sub(lambda match: _padded(match["value"], match), line)
    line = _EACH.sub(_as_price, line)
    line = _TEENS.sub(lambda match: _padded("13-19", match), line)
    line = _FIGURES.sub(_bound_of_figures, line)
    line = _PART.sub(_part_of_unit, line)
    line = _SO_MANY.sub(_times_as_digits, line)
    line = _RATERS.sub(_ratings_for_raters, line)
    line = _HALF_HOUR.sub(lambda match: _padded("0.5 hour", match), line)
    line = _HALF_HR.sub(lambda match: _padded("30 min", match), line)
    return _AND_A_PART.sub(_one_and_a_part, line)


def _as_price(match: re.Match[str]) -> str:
    """ "15 a bottle" is "$15"; the end of a range or a year stays as it was."""
    in_range = _OPEN_RANGE.search(match.string[: match.start()]) is not None
    value = float(match["value"])
    is_year = value.is_integer() and 1500 <= value < 2100
    return match[0] if in_range or is_year else _padded(f"${match['value']}", match)


def _one_and_a_part(match: re.Match[str]) -> str:
    value = 1.5 if match["part"] == "half" else 1.25
    return _padded(f"{value} {match['unit']}", match)


def _bound_of_figures(match: re.Match[str]) -> str:
    digits = _DIGITS.get(match["how"]) or int(match["how"])
    return _padded(f"sub {10**digits}", match) if digits < 8 else match.group()


def _times_as_digits(match: re.Match[str]) -> str:
    """ "half a million" as "500000", "a lakh" as "1 lakh"."""
    if match["how"].startswith("half"):
        return _padded(f"{0.5 * _WORDS.times[match['times']]:.0f}", match)
    return _padded(f"1 {match['times']}", match)


def _ratings_for_raters(match: re.Match[str]) -> str:
    """ "5000 readers have rated it" as "5000 rating  have rated it"."""
    noun = "rating" if len(match["who"]) > 5 else "vote"
    return match["count"] + noun.ljust(len(match["who"]))


def _part_of_unit(match: re.Match[str]) -> str:
    part = match["part"]
    value = 0.5 if "half" in part else 0.25 if part.startswith(("a", "quarter")) else 0.75
    return _padded(f"{value} {match['unit']}", match)


def _padded(told: str, match: re.Match[str]) -> str:
    """A text in the place of a match, as long as it; the match where it does not fit."""
    whole = match.group()
    return told.ljust(len(whole)) if len(told) <= len(whole) else whole
