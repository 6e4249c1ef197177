"""How many people there are, said without a unit: "for 6", "just me", "3 kids plus me"."""

from __future__ import annotations

import re

import msgspec

from localrec.understanding.language_words import english

_NUMBERS = english().numbers
_ALONE = re.compile(
    r"\b(?:" + "|".join(re.escape(one) for one in english().alone) + r")\b(?!\s*(?:one|1))"
)
_PARTNERS = "|".join(english().partners)
_TWO = re.compile(  # "me and the wife"
    rf"\b(?:me|i)\s+(?:and|n|&)\s+(?:(?:my|the)\s+)?(?:{_PARTNERS})\b"
    rf"|\b(?:{_PARTNERS})\s+(?:and|n|&)\s+(?:me|i|myself)\b(?!\s+(?:and|plus)\b)"
)
_COUNT = (
    r"(?P<count>[2-9]|1\d|"
    + "|".join(one for one in _NUMBERS if one not in ("zero", "one", "hundred"))
    + ")"
)
_HOW_MANY = r"(?P<how>\s+(?:or\s+(?:more|fewer|less)|plus|at\s+(?:most|least)|max|tops))?"
_EXPLICIT = re.compile(r"\d\s*(?:players?|people|persons)\b")
_COMPANIONS = "|".join((*english().children, "friend", "mate", "other", "guest", "pal"))
_AND_ME = (  # "3 kids plus me", "me and my two friends": one more than are counted
    re.compile(
        rf"\b{_COUNT}\s+(?:{_COMPANIONS})s?\s+(?:and|plus|&|n)\s+(?:me|myself|i)\b{_HOW_MANY}"
    ),
    re.compile(
        rf"\b(?:me|myself|i)\s+(?:and|plus|&|n|with)\s+(?:(?:my|the|our|these)\s+)?{_COUNT}\s+(?:{_COMPANIONS})s?\b{_HOW_MANY}"
    ),
)
_FOR_SO_MANY = (  # "something like it but for 6?", "a game for 2 on a train"
    re.compile(
        rf"\bfor\s+(?:just\s+|only\s+)?{_COUNT}"
        rf"{_HOW_MANY}"
        r"(?=\s*(?:[.,;:!?)]|$|(?:and|but|with|please|without)\b))"
    ),
    re.compile(
        rf"\b(?:games?|something|anything|one)\s+for\s+(?:just\s+|only\s+)?{_COUNT}(?P<how>)"
        r"(?=\s+(?:on|at|tonight|today|tomorrow)\b)"
    ),
)
_MANY = {
    **dict.fromkeys(("or more", "plus", "at least"), "least"),
    **dict.fromkeys(("or fewer", "or less", "at most", "max", "tops"), "most"),
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
