"""Numbers as tables write them: signs, units, thousands, decimal commas, durations, ranges.

Cells of one column may bear several units. What measures the same is converted into the commonest
unit; what bears another unit, such as "2 Seasons" among minutes or euros among dollars, is no
number of that column.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from localrec.sources.catalogues.currencies import currency_of
from localrec.sources.catalogues.header_words import header_words, meaning_of
from localrec.sources.catalogues.units import (
    MEASURED,
    MONEY,
    PLAIN,
    TIME,
    are_of_a_clock,
    is_unit_of,
    magnitude,
    measures_of,
    plain_unit,
    worth,
)

End = Literal["low", "high"]
_SIGNS = "$€£¥₹₩₽₺"
_NUMBER = re.compile(
    r"(?:(?:[~≈<>≤≥]|(?i:ca?\.?|circa|approx\.?|about|around)(?=[\s\d]))\s*+)?"
    rf"(?:(?P<sign>(?:US|CA?|AU?|NZ|R)\$|[{_SIGNS}]|[A-Z]{{3}}(?=\s?\d))\s*+)?"
    r"(?P<digits>[-+]?(?:\d{1,3}(?: \d{3})+(?:[.,]\d+)?|\d[\d.,'\u00a0\u202f]*+|\.\d+)"
    r"(?:[eE][-+]?\d{1,3})?)\s*+"
    rf"(?P<unit>%|[{_SIGNS}]|(?i:fl\.?\s?oz)\.?|[A-Za-z°µłč]{{1,12}}\.?)?"
    r"(?P<of>(?<=%)\s*+(?i:vol|abv|alc)\b\.?)?"
    r"(?P<per>\s?/\s?(?:(?:5|10|20|100)(?![\dA-Za-z])|\d{0,4}[A-Za-z]{1,8}))?\+?"
)
_DURATION = re.compile(
    r"(?:PT?)?(?:(?P<days>\d+)\s*(?:d|days?|D)T?[\s,]*(?:and\s*)?)?"
    r"(?:(?P<hours>\d+(?:\.\d+)?)\s*(?:h|hr|hrs|hour|hours|H|std)\.?[\s,]*(?:and\s*)?)?"
    r"(?:(?P<minutes>\d+(?:\.\d+)?)\s*(?:m|min|mins|minute|minutes|M)\.?[\s,]*)?"
    r"(?:(?P<seconds>\d+)\s*(?:s|sec|secs|second|seconds|S)\.?)?"
)
_BETWEEN_ENDS = re.compile(r"[-–—]|\b(?:to|bis)\b")
_LOW_END = re.compile(r"[^\d–—]*+\d[^–—]*+")
_HIGH_END = re.compile(r"[^-\d–—]*+\d[^-–—]*+")
_MOST_LETTERS = 60  # of a cell that tells a number; what is longer is a text with digits in it
_DECIMAL_COMMA = re.compile(r"[-+]?(?:\d{1,3}(?:\.\d{3})+|\d+),\d{1,2}|[-+]?\d+,\d{4,}|0,\d+")
_DECIMAL_POINT = re.compile(r"[-+]?\d*\.\d+|.*,\d{3}\..*")
# Meanings of which a cell may tell both ends: "2-4" players, "60-120 min".
RANGED: dict[str, End] = {"players": "high", "minutes": "high", "price": "low", "age": "low"}
_COUNTED_BETWEEN = "players"  # "2+" tells the fewest of them alone
_MOSTLY = 0.9
_LEAST_MEASURED = 0.3  # of the cells: what the header means goes before the commonest unit


class NumberFormat(msgspec.Struct, frozen=True):
    """The notation of a column's numbers.

    Args:
        decimal_comma: Whether "12,5" is twelve and a half.
        unit: The sign or unit of the values, in lower case; "" where cells bear none.
        is_duration: Whether cells are such as "1 h 30 min" and "PT45M"; values are minutes.
        factors: Unit of a cell -> factor for its number; cells of other units have no number.
        has_ranges: Whether some cells tell two ends.
    """

    decimal_comma: bool = False
    unit: str = ""
    is_duration: bool = False
    factors: dict[str, float] = msgspec.field(default_factory=lambda: {"": 1.0})
    has_ranges: bool = False

    def value(self, cell: str, end: End | None = None) -> float | None:
        """The number in a cell, or one end of a range; None where there is none."""
        cell = cell.strip()
        number = self._single(cell)
        if number is not None or end is None or (ends := _ends_of(cell)) is None:
            return number
        low, high = ends
        told = _number_in(high)
        if told is not None and low[-1:].isdigit():
            low += told["unit"] or ""  # "60-120 min" are minutes at both ends
        return self._single(low if end == "low" else high)

    def _single(self, cell: str) -> float | None:
        if self.is_duration and (told := duration_minutes(cell)) is not None:
            return told
        parts = _number_in(cell)
        if parts is None:
            return None
        unit, times = _unit_of(parts)
        factor = self.factors.get(plain_unit(unit))
        number = _as_float(parts["digits"], self.decimal_comma)
        return None if number is None or factor is None else number * times * factor


def number_format(cells: Iterable[str], header: str = "") -> tuple[NumberFormat, float]:
    """Find the notation of a column's numbers, and the share of filled cells that are one.

    Example:
        `number_format(["12,5 %", "13 %"])[0].unit` is "%".

    Args:
        cells: The filled cells.
        header: Name of the column, which tells the measured quantity.
    """
    told = [cell.strip() for cell in cells]
    form = format_of(told, header)
    end: End | None = "low" if form.has_ranges else None
    return form, sum(form.value(cell, end) is not None for cell in told) / max(1, len(told))


def format_of(cells: Sequence[str], header: str = "") -> NumberFormat:
    """Find the notation of a column's numbers, where there are some; see `number_format`."""
    name, certainty = meaning_of(header) if header else ("", 0.0)
    meaning = name if certainty >= 0.5 else ""
    whole = [_upper_end(cell) for cell in cells] if meaning in RANGED else cells
    parts = [found for cell in whole if (found := _number_in(cell)) is not None]
    commas = sum(_DECIMAL_COMMA.fullmatch(one["digits"]) is not None for one in parts)
    points = sum(_DECIMAL_POINT.fullmatch(one["digits"]) is not None for one in parts)
    units = Counter(_unit_of(one)[0] for one in parts)
    if meaning == "minutes" or len(parts) < _MOSTLY * len(cells):
        others = (cell for cell in whole if _number_in(cell) is None)
        units.update("min" for cell in others if duration_minutes(cell) is not None)
    measure = _measure_of(units, meaning, header)
    unit, factors = _factors_in(units, measure, header)
    has_ranges = whole != cells or (meaning == _COUNTED_BETWEEN and any(map(is_open, cells)))
    return NumberFormat(commas > points, unit, measure == TIME, factors, has_ranges)


def share_of_any_unit(cells: Sequence[str]) -> float:
    """The share of cells that are a number or a range of them, whatever unit they bear."""
    whole = [_upper_end(cell.strip()) for cell in cells]
    told = sum(_number_in(cell) is not None or duration_minutes(cell) is not None for cell in whole)
    return told / max(1, len(cells))


def duration_minutes(cell: str) -> float | None:
    """Minutes of "1 h 30 min", "45 mins", "PT1H", "1 days 2 hrs"; None for anything else."""
    found = _DURATION.fullmatch(cell.strip()) if len(cell) <= _MOST_LETTERS else None
    if found is None or not (found["days"] or found["hours"] or found["minutes"]):
        return None
    hours = float(found["days"] or 0) * 24 + float(found["hours"] or 0)
    return hours * 60 + float(found["minutes"] or 0) + float(found["seconds"] or 0) / 60


def is_open(cell: str) -> bool:
    """Whether a cell leaves the upper end open, as "2+" and "2-8+" do."""
    return cell.rstrip().endswith("+")


def _number_in(cell: str) -> re.Match[str] | None:
    return _NUMBER.fullmatch(cell) if len(cell) <= _MOST_LETTERS else None


def _ends_of(cell: str) -> tuple[str, str] | None:
    """Both ends of a range, each with the words beside it; None for a cell that is none."""
    for between in _BETWEEN_ENDS.finditer(cell) if len(cell) <= _MOST_LETTERS else ():
        low, high = cell[: between.start()].strip(), cell[between.end() :].strip()
        if _LOW_END.fullmatch(low) and _HIGH_END.fullmatch(high):
            return low, high
    return None


def _upper_end(cell: str) -> str:
    """The upper end of a range with its unit; another cell as it stands."""
    ends = None if _number_in(cell) is not None else _ends_of(cell)
    return cell if ends is None else ends[1]


def _unit_of(parts: re.Match[str]) -> tuple[str, float]:
    """The unit that a cell bears, and the magnitude behind a sign: "$1.1M" is a million dollars."""
    sign, unit, per = parts["sign"] or "", parts["unit"] or "", parts["per"] or ""
    times = magnitude(unit) if sign else None
    shown = sign or unit.strip(".")
    return shown + per.replace(" ", "").casefold(), times or 1.0


def _measure_of(units: Counter[str], meaning: str, header: str) -> str:
    """Return the measured quantity of a column: by the header, else by the units of most cells."""
    bearing: Counter[str] = Counter()
    are_timed = meaning == "minutes" or are_of_a_clock(units)
    for unit, count in units.items():
        for measure in measures_of(unit, are_timed=are_timed) if unit else ():
            bearing[measure] += count
    if not bearing:
        return PLAIN
    bare, total = units[""], units.total()
    if currency := currency_of(header):
        bearing[f"{MONEY} {currency.plural}"] += bare
    wanted = MEASURED.get(meaning, "")
    fitting = [one for one in bearing if wanted and one.startswith(wanted)]
    best = max(fitting or bearing, key=lambda one: bearing[one])
    if fitting and bearing[best] + bare >= _LEAST_MEASURED * total:
        return best
    best = max(bearing, key=lambda one: bearing[one])
    is_told = bool(_unit_in(header, best)) or best.startswith((MONEY, "%"))
    return best if is_told or bearing[best] >= bare else PLAIN


def _factors_in(units: Counter[str], measure: str, header: str) -> tuple[str, dict[str, float]]:
    """The unit of a column's values, and what the number of a cell of each unit is worth in it."""
    fitting = [unit for unit in units if unit and measure in measures_of(unit)]
    fitting += [unit for unit in units if plain_unit(unit) == measure and unit not in fitting]
    own = _unit_in(header, measure)
    unit = {TIME: "min", PLAIN: ""}.get(measure)
    if unit is None:
        unit = own or max(fitting, key=lambda one: units[one], default="")
    one = worth(unit, measure)
    factors = {plain_unit(told): worth(told, measure) / one for told in fitting}
    return unit.casefold(), {"": worth(own or unit, measure) / one, **factors}


def _unit_in(header: str, measure: str) -> str:
    """The unit of a measure that a header names: ml in "volume_ml"; "" for none."""
    words = () if measure == PLAIN else header_words(header)  # "column B" counts no billions
    return next((one for one in words if is_unit_of(one, measure)), "")


def _as_float(digits: str, decimal_comma: bool) -> float | None:
    text = re.sub(r"[' \u00a0\u202f]", "", digits)
    if decimal_comma:
        text = text.replace(".", "").replace(",", ".")
    elif re.fullmatch(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?", text):
        text = text.replace(",", "")
    elif text.count(",") == 1 and "." not in text:
        text = text.replace(",", ".")
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
