"""Units of measure in cells: what each measures, and what it is worth beside others of its kind."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from localrec.foundation.text_matching import singular
from localrec.sources.catalogues.currencies import currency_of

PLAIN = "number"
TIME = "time"
MONEY = "money"  # followed by the currency, since currencies are not converted
# Which kind of measure a unit is taken for where its letters may be several ("5 m", "12 oz").
_PREFERRED = (TIME, "volume", "weight", "length", PLAIN)
# What the numbers of a header's meaning measure.
MEASURED = {"minutes": TIME, "popularity": PLAIN, "price": MONEY, "abv": "%"}
_WORTH: dict[str, dict[str, float]] = {
    PLAIN: {
        "k": 1e3, "thousand": 1e3, "m": 1e6, "mio": 1e6, "mln": 1e6, "million": 1e6,
        "b": 1e9, "bn": 1e9, "mrd": 1e9, "billion": 1e9,
    },
    TIME: {
        "s": 1 / 60, "sec": 1 / 60, "second": 1 / 60, "m": 1, "min": 1, "mins": 1, "minute": 1,
        "h": 60, "hr": 60, "hrs": 60, "hour": 60, "std": 60, "d": 1440, "day": 1440,
    },
    "volume": {
        "ml": 1, "millilitre": 1, "milliliter": 1, "cl": 10, "centilitre": 10, "centiliter": 10,
        "dl": 100, "l": 1000, "litre": 1000, "liter": 1000, "fl oz": 29.5735, "floz": 29.5735,
        "oz": 29.5735, "ounce": 29.5735, "pint": 473.176, "quart": 946.353, "gallon": 3785.41,
    },
    "weight": {
        "mg": 0.001, "g": 1, "gr": 1, "gram": 1, "kg": 1000, "kilo": 1000, "kilogram": 1000,
        "oz": 28.3495, "ounce": 28.3495, "lb": 453.592, "lbs": 453.592, "pound": 453.592,
    },
    "length": {
        "mm": 0.1, "cm": 1, "m": 100, "km": 1e5, "inch": 2.54, "ft": 30.48, "foot": 30.48,
        "feet": 30.48,
    },
}  # fmt: skip
_LARGE = {"M": PLAIN, "K": PLAIN, "B": PLAIN}  # "1.1M" is a million, "5 m" may be minutes
# A bare m may be metres: it is of a clock only beside these, or where the header says so.
_CLOCK = frozenset({"min", "mins", "minute", "h", "hr", "hrs", "hour", "std"})


@lru_cache(maxsize=4096)
def plain_unit(unit: str) -> str:
    """A unit as it is compared: "Mins." is min, "fl. oz" is fl oz."""
    return singular(" ".join(unit.replace(".", " ").casefold().split()))


def magnitude(unit: str) -> float | None:
    """Return the factor that "K", "M" or "bn" behind a number stands for; None for other words."""
    return _WORTH[PLAIN].get(plain_unit(unit))


def measures_of(unit: str, *, are_timed: bool = True) -> tuple[str, ...]:
    """The kinds of measure that a unit may belong to, the likeliest first.

    A word that is no unit is a kind of its own: seasons are compared with seasons alone.

    Args:
        unit: As a cell or header has it.
        are_timed: Whether days and seconds are durations; else they are words like others.
    """
    if unit in _LARGE:
        return (_LARGE[unit],)
    plain = plain_unit(unit)
    known = [measure for measure in _PREFERRED if plain in _WORTH[measure]]
    if not are_timed and TIME in known:
        known.remove(TIME)
    if currency := currency_of("", unit):
        known.append(f"{MONEY} {currency.plural}")
    return tuple(known) or (plain,)


def is_unit_of(word: str, measure: str) -> bool:
    """Whether a word is a unit of a kind of measure; "weight" is none of weights."""
    return measure in measures_of(word) and not (word == measure and word in _WORTH)


def are_of_a_clock(units: Iterable[str]) -> bool:
    """Whether minutes or hours are among units, so that days and seconds are durations too."""
    return not _CLOCK.isdisjoint(map(plain_unit, units))


def worth(unit: str, measure: str) -> float:
    """Return the factor of a unit within a kind of measure; 1 for words that are no units."""
    return float(_WORTH.get(measure, {}).get(plain_unit(unit), 1.0))
