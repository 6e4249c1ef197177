"""Figures drawn in characters, readable without colour.

██████├──●──┤       a figure on a scale, with its interval
██████▌             a figure that has none
"""

from __future__ import annotations

_EIGHTHS = " ▏▎▍▌▋▊▉"


def bar(value: float, width: int, top: float = 1.0) -> str:
    """A figure from 0 to `top` as a bar of at most `width` cells, filled up with blanks."""
    filled = round(8 * width * _share(value, top))
    whole, rest = divmod(filled, 8)
    return ("█" * whole + (_EIGHTHS[rest] if rest else "")).ljust(width)


def bar_with_interval(
    value: float, low: float | None, high: float | None, width: int, top: float = 1.0
) -> str:
    """A bar up to the figure, with its interval drawn over it; a plain bar where it has none."""
    if low is None or high is None:
        return bar(value, width, top)
    at, first, last = (_cell(one, width, top) for one in (value, low, high))
    cells = ["█" if place < at else " " for place in range(width)]
    cells[first : last + 1] = "─" * (last + 1 - first)
    cells[first], cells[last] = "├", "┤"
    cells[at] = "●"
    return "".join(cells)


def difference_bar(
    value: float, low: float | None, high: float | None, width: int, reach: float
) -> str:
    """A difference with its interval on a scale from `-reach` to `reach`."""
    cells = [" "] * width
    first, at, last = (
        _cell(one + reach, width, 2 * reach)
        for one in (value if low is None else low, value, value if high is None else high)
    )
    cells[first : last + 1] = "─" * (last + 1 - first)
    cells[_cell(reach, width, 2 * reach)] = "│"
    if low is not None and high is not None:
        cells[first], cells[last] = "├", "┤"
    cells[at] = "●"
    return "".join(cells)


def _cell(value: float, width: int, top: float) -> int:
    return min(int(width * _share(value, top)), width - 1)


def _share(value: float, top: float) -> float:
    return min(max(value / top, 0.0), 1.0) if top > 0 else 0.0
