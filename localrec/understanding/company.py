"""How many people there are, said without a unit: "for 6", "just me", "3 kids plus me"."""

from __future__ import annotations

import re

import msgspec

from localrec.understanding.language_words import any_of, english

_NUMBERS, _WORDS, _AMOUNTS = english().numbers, english().party, english().amounts
_ALONE = re.compile(rf"\b{any_of(english().alone)}\b(?!\s*(?:one|1))")
_PARTNERS, _SELVES, _ANDS = map(any_of, (english().partners, _WORDS.selves, _WORDS.ands))
_WITH = any_of((*_WORDS.ands, *english().grammar.accompanied))
_TWO = re.compile(  # "me and the wife"
    rf"\b{_SELVES}\s+{_ANDS}\s+(?:{any_of(_WORDS.owners)}\s+)?{_PARTNERS}\b"
    rf"|\b{_PARTNERS}\s+{_ANDS}\s+{_SELVES}\b(?!\s+{_ANDS}\b)"
)
_COUNT = rf"(?P<count>[2-9]|1\d|{any_of(_NUMBERS.keys() - _WORDS.no_counts)})"
_HOW_MANY = rf"(?P<how>\s+{any_of((*_WORDS.at_least, *_WORDS.at_most))})?"
_EXPLICIT = re.compile(rf"\d\s*{any_of(_AMOUNTS.people)}s?\b")
_COMPANIONS = any_of((*english().children, *_WORDS.companions))
_AND_ME = (  # "3 kids plus me", "me and my two friends": one more than are counted
    re.compile(rf"\b{_COUNT}\s+{_COMPANIONS}s?\s+{_ANDS}\s+{_SELVES}\b{_HOW_MANY}"),
    re.compile(
        rf"\b{_SELVES}\s+{_WITH}\s+(?:{any_of(_WORDS.owners)}\s+)?{_COUNT}\s+{_COMPANIONS}s?\b{_HOW_MANY}"
    ),
)
_FOR = rf"\b{_WORDS.before_count}\s+(?:{any_of(_AMOUNTS.just)}\s+)?{_COUNT}"
_FOR_SO_MANY = (  # "something like it but for 6?", "a game for 2 on a train"
    re.compile(rf"{_FOR}{_HOW_MANY}(?=\s*(?:[.,;:!?)]|$|{any_of(_WORDS.ends)}\b))"),
    re.compile(rf"\b{any_of(_WORDS.games)}\s+{_FOR}(?P<how>)(?=\s+{any_of(_WORDS.whens)}\b)"),
)
_MANY = {
    **dict.fromkeys(_WORDS.at_least, "least"),
    **dict.fromkeys(_WORDS.at_most, "most"),
}


class Company(msgspec.Struct, frozen=True):
    """Characters `start` to `end` of a line, how many people they count, and how: "least", ..."""

    start: int
    end: int
    count: float
    how: str = ""


def find_with_speaker(line: str) -> Company | None:
    """Find people who are counted without who speaks: "me and my two friends"."""
    if _EXPLICIT.search(line):
        return None  # "for me and my 2 kids, 2-4 players"
    found = next(filter(None, (pattern.search(line) for pattern in _AND_ME)), None)
    return None if found is None else Company(*found.span(), _count_in(found) + 1, _how(found))


def find_company(line: str) -> Company | None:
    """Find a count of people that no unit follows, in a folded line."""
    found = next(filter(None, (pattern.search(line) for pattern in _FOR_SO_MANY)), None)
    if found is not None:
        return Company(*found.span(), _count_in(found), _how(found))
    for count, pattern in ((1.0, _ALONE), (2.0, _TWO)):
        if told := pattern.search(line):
            return Company(*told.span(), count)
    return None


def _how(match: re.Match[str]) -> str:
    return _MANY.get(" ".join((match["how"] or "").split()), "")


def _count_in(match: re.Match[str]) -> float:
    told = match["count"]
    return float(_NUMBERS.get(told, told))
