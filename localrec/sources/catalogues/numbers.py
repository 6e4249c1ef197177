"""Numbers as tables write them: signs, units, thousands, decimal commas, durations."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable

import msgspec

_SIGNS = "$€£¥₹₩₽₺"
_NUMBER = re.compile(
    r"(?:[~≈<>≤≥]|(?i:ca?\.?|circa|approx\.?|about|around)(?=[\s\d]))?\s*"
    rf"(?P<sign>(?:US|CA?|AU?|NZ|R)\$|[{_SIGNS}]|[A-Z]{{3}}(?=\s?\d))?\s*"
    r"(?P<digits>[-+]?(?:\d{1,3}(?: \d{3})+(?:[.,]\d+)?|\d[\d.,'\u00a0\u202f]*|\.\d+)"
    r"(?:[eE][-+]?\d{1,3})?)\s*"
    rf"(?P<unit>%|[{_SIGNS}]|[A-Za-z°µłč]{{1,12}}\.?)?\+?"
)
_DURATION = re.compile(
    r"(?:PT?)?(?:(?P<hours>\d+(?:\.\d+)?)\s*(?:h|hr|hrs|hour|hours|H|std)\.?\s*(?:and\s*)?)?"
    r"(?:(?P<minutes>\d+(?:\.\d+)?)\s*(?:m|min|mins|minute|minutes|M)\.?)?(?:\d+S)?"
)
_DECIMAL_COMMA = re.compile(r"[-+]?(?:\d{1,3}(?:\.\d{3})+|\d+),\d{1,2}|[-+]?\d+,\d{4,}|0,\d+")
_DECIMAL_POINT = re.compile(r"[-+]?\d*\.\d+|.*,\d{3}\..*")


class NumberFormat(msgspec.Struct, frozen=True):
    """How a column writes its numbers.

    Args:
        decimal_comma: "12,5" is twelve and a half.
        unit: The sign or unit that most cells bear, in lower case.
        is_duration: Cells such as "1 h 30 min" and "PT45M"; values are minutes.
    """

    decimal_comma: bool = False
    unit: str = ""
    is_duration: bool = False

    def value(self, cell: str) -> float | None:
        """The number in a cell; None where there is none."""
        if self.is_duration:
            return duration_minutes(cell)
        parts = _NUMBER.fullmatch(cell.strip())
        return None if parts is None else _as_float(parts["digits"], self.decimal_comma)


def number_format(cells: Iterable[str]) -> tuple[NumberFormat, float]:
    """How a column's filled cells write numbers, and the share of them that are one."""
    told = [cell.strip() for cell in cells]
    if not told:
        return NumberFormat(), 0.0
    parts = [found for cell in told if (found := _NUMBER.fullmatch(cell)) is not None]
    commas = sum(_DECIMAL_COMMA.fullmatch(one["digits"]) is not None for one in parts)
    points = sum(_DECIMAL_POINT.fullmatch(one["digits"]) is not None for one in parts)
    units = Counter((one["sign"] or one["unit"] or "").strip(".").casefold() for one in parts)
    unit, uses = units.most_common(1)[0] if units else ("", 0)
    share = len(parts) / len(told)
    if unit in ("h", "hr", "hrs", "hour", "hours", "m", "min", "mins", "minute", "minutes") or (
        share < 0.9
    ):
        durations = sum(duration_minutes(cell) is not None for cell in told)
        if durations >= 0.8 * len(told):
            return NumberFormat(is_duration=True, unit="min"), durations / len(told)
    if unit and uses < 0.6 * len(parts):
        unit = ""
    if len([one for one in units if one]) > 3 and not unit:
        share = 0.0  # "12 Angry", "3 Musketeers": names that begin with a number
    return NumberFormat(decimal_comma=commas > points, unit=unit), share


def duration_minutes(cell: str) -> float | None:
    """Minutes of "1 h 30 min", "45 mins", "PT1H"; None for anything else."""
    found = _DURATION.fullmatch(cell.strip())
    if found is None or not (found["hours"] or found["minutes"]):
        return None
    return float(found["hours"] or 0) * 60 + float(found["minutes"] or 0)


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
