"""A question levelled for patterns: folded letter by letter, its numbers written in digits.

A levelled line is as long as its text, so that a place in it is a place in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from localrec.foundation.text_matching import fold
from localrec.understanding.language_words import any_of, english

_NUMBERS, _NUMERALS = english().numbers, english().numerals


def level(text: str) -> str:
    """Fold a text letter by letter and write its numbers in digits, keeping every place."""
    line = "".join(_level_letter(letter) for letter in text)
    line = _too_many().sub(lambda match: "2".ljust(len(match[0])), line)
    line = _number_words().sub(_in_digits, line)
    line = _dozens().sub(_dozens_in_digits, line)
    line = _hours().sub(lambda match: " " * len(match[0]), line)
    return _saying().sub(lambda match: " " * len(match[0]), line)


def end_in_text(text: str, line: str, end: int) -> int:
    """Find the place in a text that answers to `end` in its levelled form."""
    while end < len(line) and line[end] == " " and text[end].isalpha():
        while end < len(line) and line[end] == " " and not text[end].isspace():
            end += 1
        gap = end
        while gap < len(line) and text[gap].isspace():
            gap += 1
        if gap >= len(line) or line[gap] != " ":
            break
        end = gap
    return end


@lru_cache(maxsize=4096)
def _level_letter(letter: str) -> str:
    plain = fold(letter)
    return plain if len(plain) == 1 else " "


@lru_cache
def _too_many() -> re.Pattern[str]:
    """ "just for too players"."""
    return re.compile(rf"\b{english().slips.two}(?=\s+{any_of(english().amounts.people)}s?\b)")


@lru_cache
def _dozens() -> re.Pattern[str]:
    """ "half a dozen", "a dozen", "2 dozen"; "dozens" are no number."""
    one = any_of(english().grammar.articles - english().grammar.definite)
    return re.compile(
        rf"\b(?:(?P<half>{_NUMERALS.half}(?:\s+{one})?)\s+|(?P<count>\d{{1,3}})\s+|{one}\s+)?"
        rf"{_NUMERALS.dozen}\b"
    )


def _dozens_in_digits(match: re.Match[str]) -> str:
    value = 6 if match["half"] else 12 * int(match["count"] or 1)
    return f"{value}".ljust(len(match[0]))


@lru_cache
def _hours() -> re.Pattern[str]:
    """ "between 2 and 4 a.m.": hours of the day, which bound nothing."""
    numbers = english().amounts
    hour = r"\d{1,2}(?:[:.]\d\d)?"
    clock = any_of(english().slips.clock)
    lead = rf"(?:{any_of(numbers.leads)}\s+)?"
    return re.compile(
        rf"{lead}(?<![\d.$€£]){hour}(?:\s*{any_of(numbers.range_joins)}\s*{hour})?\s*{clock}(?![a-z])"
    )


@lru_cache
def _saying() -> re.Pattern[str]:
    """ "no later than, say, 1965" is no later than 1965."""
    return re.compile(rf",?\s+{english().spoken_amounts.saying}\b,?(?=\s+\d)")


@lru_cache
def _number_words() -> re.Pattern[str]:
    """Numbers in words: "nineteen sixty-five", "two thousand and ten", "a hundred and twenty"."""
    told, one = _NUMERALS, any_of(_NUMBERS)
    years = (
        rf"{spaced(told.two_thousand)}(?:[\s-]+(?:{told.and_word}[\s-]+)?{one}(?:[\s-]+{one})?)?"
    )
    joined = rf"(?<={told.hundred}\s){told.and_word}[\s-]+|{any_of(told.zero)}[\s-]+"
    half = rf"\s+{told.and_word}\s+{told.single}\s+(?P<half>{told.half})\b"
    return re.compile(
        rf"\b(?:{told.single}[\s-]+(?={told.hundred}))?(?:{years}"
        rf"|{one}(?:[\s-]+(?:{joined})?{one}){{0,3}})\b"
        rf"(?:\s+{told.point}\s+(?P<tenths>{one})(?!s)|{half})?(?!\s*s\b)"
    )


def _in_digits(match: re.Match[str]) -> str:
    told = match.group()
    behind = ""
    if match["tenths"] or match["half"]:
        behind = f".{_NUMBERS[match['tenths']]}" if match["tenths"] else ".5"
        tail = match["tenths"] or match["half"]
        told = told[: told.rindex(tail)].rstrip()
        told = told.removesuffix(_NUMERALS.point).removesuffix(_NUMERALS.single).rstrip()
        told = told.removesuffix(_NUMERALS.and_word).rstrip() if match["half"] else told
    whole = match.group()
    silent = {_NUMERALS.and_word, *_NUMERALS.zero}
    words = [word for word in re.split(r"[\s-]+", told) if word not in silent]
    words = [_NUMERALS.one, *words[1:]] if words[0] == _NUMERALS.single else words
    value = _year_in_words(words) if len(words) > 1 else None
    if value is None and _NUMERALS.two_thousand.split()[-1] not in words:
        value = _count_in_words(words)
    if value is None or len(f"{value}{behind}") > len(whole):
        return whole
    return f"{value}{behind}".ljust(len(whole))


def _year_in_words(words: Sequence[str]) -> int | None:
    if words[:2] == _NUMERALS.two_thousand.split():
        rest = _count_in_words(words[2:]) if len(words) > 2 else 0
        return None if rest is None else 2000 + rest
    first = _NUMBERS.get(words[0], 0)
    if first not in (17, 18, 19, 20):
        return None
    if words[1:] == [_NUMERALS.hundred]:
        return 100 * first
    rest = _count_in_words([word for word in words[1:] if word != _NUMERALS.hundred])
    small = len(words) == 2 and rest is not None and rest < 10
    if rest is None or rest > 99 or (small and first == 20):
        return None  # "twenty five" is a count
    return 100 * first + rest


def _count_in_words(words: Iterable[str]) -> int | None:
    total, last = 0, 1000
    for word in words:
        value = _NUMBERS[word]
        if value == 100:
            if not 0 < total < 10:
                return None
            total, last = 100 * total, 100
        elif value < 10 <= last or value < 100 <= last:
            total, last = total + value, 10 if value >= 20 else 1
        else:
            return None
    return total


def spaced(phrase: str) -> str:
    """Return the pattern of a phrase, with blanks or hyphens between its words."""
    return r"[\s-]+".join(map(re.escape, phrase.split()))
