"""Measures as bartenders write them, read into millilitres; the strength of what they make.

Free text in, never an exception out: what is not a volume ("to taste", "2 leaves") has the
amount None and keeps its words. An ounce counts as 30 ml, as bartenders round it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

import msgspec

from localrec.foundation.text import clean_text

# Water that melting ice adds, as a share of what was poured: about 20% for an average of stirred,
# shaken and built drinks.
DILUTION = 0.2

_TOP_ML = 90.0
_MOST_ML = 100_000.0  # beyond a hundred litres a measure is a typing error
_ML_OF = {
    "ml|millilit(?:er|re)s?|cc": 1.0,
    "cl|centilit(?:er|re)s?": 10.0,
    "dl|decilit(?:er|re)s?": 100.0,
    "l|lit(?:er|re)s?": 1000.0,
    r"fl\.?\s*oz|fluid ounces?|ozs?|ounces?": 30.0,
    "tsps?|teaspoons?|teaspoonfuls?": 5.0,
    "tbsps?|tblsps?|tbs|tblspns?|tablespoons?|tablespoonfuls?": 15.0,
    "dash|dashes": 0.9,
    "drops?": 0.05,
    "bar ?spoons?|bsps?": 5.0,
    "cups?": 240.0,
    "shots?|jiggers?": 45.0,
    "parts?|measures?|pony|ponies": 30.0,
    "splash|splashes": 8.0,
    "pints?|pt": 473.0,
    "quarts?|qts?": 946.0,
    "gal|gallons?": 3785.0,
    "cans?": 355.0,
    "bottles?|fifths?": 750.0,
}
_JUICE_ML = {"grapefruit": 150.0, "orange": 70.0, "lemon": 45.0, "lime": 30.0}
_NUMBER_WORDS = {"a": 1.0, "an": 1.0, "one": 1.0, "two": 2.0, "three": 3.0, "four": 4.0}
_NUMBER_WORDS |= {"five": 5.0, "six": 6.0, "eight": 8.0, "ten": 10.0, "half": 0.5, "half a": 0.5}

_NUMBER = (
    r"(?<![0-9.,/])(?:[0-9]{1,6}(?:\s+|\s*-\s*)[0-9]{1,3}/[0-9]{1,3}|[0-9]{1,3}/[0-9]{1,3}"
    r"|[0-9]{0,6}[.,]?[0-9]{1,6})"
)
_WORDS = "|".join(sorted(_NUMBER_WORDS, key=len, reverse=True))
_QUANTITY = (
    rf"(?P<low>{_NUMBER}|\b(?:{_WORDS})\b)(?:\s*(?:-|–|\bto\b|\bor\b)\s*(?P<high>{_NUMBER}))?"
)
_SIZE = r"(?:(?:large|small|big|good|generous|heaping|heaped|level|full|scant|healthy)\s+)?"
_UNIT = "|".join(f"(?P<unit{place}>{spellings})" for place, spellings in enumerate(_ML_OF))
_VOLUME = re.compile(rf"(?:{_QUANTITY}\s*)?(?<![a-z]){_SIZE}(?:{_UNIT})(?![a-z])\.?")
_JUICE = re.compile(rf"\bjuice\s+(?:of|from)\s*(?:{_QUANTITY})?(?P<rest>.*)")
_TOP = re.compile(r"\b(?:top|fill|topped|filled)\b")

# Words that a measure may hold without being a volume, besides numbers.
_COUNT_WORD = re.compile(
    "lea(?:f|ves)|sprigs?|slices?|wedges?|pieces?|pinch(?:es)?|cubes?|scoops?|whole|g|gr|grams?|kg"
    "|lbs?|sticks?|twists?|wheels?|packe?ts?|packages?|bunch|handful|strips?|chunks?|balls?|rinse"
    "|float|bar|spoons?|fl|fluid"
)
_FILLER_WORD = re.compile(
    "of|with|to|taste|juice|from|or|about|approx|top|up|fill|topped|filled|garnish|add|as|needed"
    "|the|rest|fresh|optional|large|small|big|good|generous|heap(?:ing|ed)|level|full|scant|healthy"
    "|lime|lemon|orange|grapefruit"
)
_TOKEN = re.compile(r"[a-z]+|[0-9]+|[^\sa-z0-9]")
_ANY_UNIT = re.compile("|".join(f"(?:{spellings})" for spellings in _ML_OF))


class Measure(msgspec.Struct, frozen=True):
    """A measure: its volume in millilitres, where it is one, and the words of the source."""

    amount_ml: float | None
    text: str


def parse_measure(text: object, ingredient: str = "") -> Measure:
    """Read one measure; `ingredient` says whose juice is meant by a bare "Juice of 1/2"."""
    return _read_measure(clean_text(text, limit=120), ingredient.casefold())


def is_measure(text: object) -> bool:
    """True where `text` holds nothing but an amount ("1 1/2 oz", "3", "to taste")."""
    words = _TOKEN.findall(_plain_fractions(clean_text(text, limit=120)).casefold())
    meaningful = [word for word in words if word.isalnum()]
    return bool(meaningful) and all(_is_measure_word(word) for word in meaningful)


def estimate_abv(parts: Iterable[tuple[float, float]], dilution: float = DILUTION) -> float | None:
    """Alcohol of the finished drink in % by volume, from (ml, % by volume) of what goes in.

    `dilution` is the water added by ice as a share of the poured volume; None without any volume.
    """
    poured = list(parts)
    volume = sum(ml for ml, _ in poured) * (1 + dilution)
    return sum(ml * abv for ml, abv in poured) / volume if volume > 0 else None


@lru_cache(maxsize=1 << 14)  # a file of recipes repeats few measures many times
def _read_measure(shown: str, ingredient: str) -> Measure:
    amount = _volume_ml(_plain_fractions(shown).casefold(), ingredient)
    return Measure(amount if amount is not None and 0 < amount <= _MOST_ML else None, shown)


def _volume_ml(text: str, ingredient: str) -> float | None:
    if "?" in text or "\ufffd" in text:  # a lost character may have been the number
        return None
    if juice := _JUICE.search(text):
        fruit = next((name for name in _JUICE_ML if name in juice["rest"]), None)
        fruit = fruit or next((name for name in _JUICE_ML if name in ingredient), "lime")
        return _times(juice, _JUICE_ML[fruit])
    if volume := _VOLUME.search(text):
        if volume["low"] is None and re.search("[0-9]", text[: volume.start()]):
            return None  # a number that could not be read is not one
        unit = next(name for name, found in volume.groupdict().items() if found and "unit" in name)
        return _times(volume, list(_ML_OF.values())[int(unit.removeprefix("unit"))])
    return _TOP_ML if _TOP.search(text) else None


def _times(found: re.Match[str], ml: float) -> float | None:
    low = 1.0 if found["low"] is None else _number(found["low"])
    high = low if found["high"] is None else _number(found["high"])
    return None if low is None or high is None else (low + high) / 2 * ml


def _number(text: str) -> float | None:
    if text in _NUMBER_WORDS:
        return _NUMBER_WORDS[text]
    total = 0.0
    for piece in re.split(r"[\s-]+", text):
        over, _, under = piece.replace(",", ".").partition("/")
        if under and float(under) == 0:
            return None
        total += float(over) / float(under or 1)
    return total


def _plain_fractions(text: str) -> str:
    """`text` with "1½" as "1 1/2"; the fraction slash becomes a plain one."""
    if text.isascii():
        return text
    spelled = []
    for letter in text:
        if unicodedata.decomposition(letter).startswith("<fraction>"):
            spelled.append(" " + unicodedata.normalize("NFKC", letter))
        else:
            spelled.append(letter)
    return "".join(spelled).replace("⁄", "/")


def _is_measure_word(word: str) -> bool:
    if word.isdecimal() or word in _NUMBER_WORDS:
        return True
    return any(known.fullmatch(word) for known in (_ANY_UNIT, _COUNT_WORD, _FILLER_WORD))
