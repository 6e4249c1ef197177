"""Axes with round numbers, and the estimated width of a text."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_LOG_FROM = 30.0  # largest over smallest value from which a straight axis would squeeze most marks
_LETTER = 7.1  # width of a letter at 12 units in a wide font; nothing here can measure one


class Axis(msgspec.Struct, frozen=True):
    """A straight or logarithmic axis.

    Args:
        low: Value at its beginning.
        high: Value at its end, above `low`.
        start: Place of its beginning, in units of the drawing.
        end: Place of its end; below `start` for a rising axis.
        logarithmic: Whether equal ratios have equal lengths.
    """

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def at(self, value: float) -> float:
        """Return the place of a value; a value beyond an end is put at that end."""
        low, high, given = self.low, self.high, min(max(value, self.low), self.high)
        if self.logarithmic:
            low, high, given = math.log10(low), math.log10(high), math.log10(given)
        return self.start + (given - low) / (high - low) * (self.end - self.start)

    def ticks(self, about: int = 4) -> list[float]:
        """Return about `about` round values within the axis."""
        if self.logarithmic:
            return _log_ticks(self.low, self.high, about)
        step = _round_step((self.high - self.low) / max(1, about))
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [round(number * step, 12) for number in range(first, last + 1)]

    @staticmethod
    def label(tick: float) -> str:
        """Write the number of a tick without needless digits: 0.05, 10, 2k, 1.5M."""
        for size, letter in ((1e6, "M"), (1e3, "k")):
            if abs(tick) >= size:
                return f"{tick / size:g}{letter}"
        return f"{tick:.4g}"


def axis_over(values: Sequence[float], start: float, end: float) -> Axis:
    """Make an axis with a margin around values; logarithmic where they span decades."""
    low, high = min(values), max(values)
    if low > 0 and high / low > _LOG_FROM:
        return Axis(low / 1.4, high * 1.4, start, end, logarithmic=True)
    air = 0.08 * (high - low) or 0.1 * abs(high) or 1.0
    return Axis(low - air if low < 0 or low > air else 0.0, high + air, start, end)


def width_of(text: str) -> float:
    """Estimate the width of a text."""
    return _LETTER * len(text)


def shortened(text: str, room: float) -> str:
    """Cut the end off a text that is wider than `room`."""
    fits = int(room / _LETTER)
    return text if len(text) <= fits else text[: max(1, fits - 1)].rstrip(" -_,") + "…"


def _round_step(rough: float) -> float:
    """Return the smallest of 1, 2, 2.5, 5 times a power of ten that is at least `rough`."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in _STEPS if step * power >= rough * (1 - 1e-9))


def _log_ticks(low: float, high: float, about: int) -> list[float]:
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    tens = [10.0**power for power in range(first, last + 1)]
    inside = [value for value in tens if low <= value <= high]
    if len(inside) < 2:
        inside = [t * m for t in tens for m in (1, 2, 5) if low <= t * m <= high]
    return inside[:: max(1, math.ceil(len(inside) / (about + 2)))]
