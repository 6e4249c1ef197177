"""Figures drawn in characters, readable without colour.

██████├──●──┤       a figure on a scale, with its interval
██████▌             a figure that has none
⣀⡠⠔⠊⠉⠑⠢⠤          a curve, in dots of which a cell has two by four
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

_EIGHTHS = " ▏▎▍▌▋▊▉"
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # of a cell, row by row
_EMPTY_CELL = 0x2800
_MARKED_APART = 3  # cells between two points from which each is marked

Point = tuple[int, float]  # a step, and a figure


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


def curve(points: Sequence[Point], width: int, height: int, span: tuple[int, int]) -> list[str]:
    """A line through points, in `height` lines of `width` cells.

    The lowest figure lies at the bottom, the highest on top; one that never moves in the middle.
    Points that are far apart are marked ●.

    Args:
        points: In the order of their steps.
        width: Cells.
        height: Lines.
        span: The steps at the left and at the right end.
    """
    places = _places(points, 2 * width, 4 * height, span)
    cells = [[0] * width for _ in range(height)]
    for column, row in _line(places):
        cells[row // 4][column // 2] |= _DOTS[row % 4][column % 2]
    drawn = [[chr(_EMPTY_CELL + dots) if dots else " " for dots in line] for line in cells]
    if _MARKED_APART * len(places) <= width:
        for column, row in places:
            drawn[row // 4][column // 2] = "●"
    return ["".join(line) for line in drawn]


def smoothed(points: Sequence[Point], window: int) -> list[Point]:
    """Each figure as the mean of the `window` around it; at the ends, of those that there are."""
    sums = [0.0]
    for _, value in points:
        sums.append(sums[-1] + value)
    before, behind = (window - 1) // 2, window // 2
    found = []
    for at, (step, _) in enumerate(points):
        low, high = max(0, at - before), min(len(points), at + behind + 1)
        found.append((step, (sums[high] - sums[low]) / (high - low)))
    return found


def _places(
    points: Sequence[Point], columns: int, rows: int, span: tuple[int, int]
) -> list[tuple[int, int]]:
    """Where points lie among dots, counted from the upper left corner."""
    values = [value for _, value in points]
    low = min(values, default=0.0)
    reach, width = max(values, default=0.0) - low, span[1] - span[0]
    return [
        (
            round((columns - 1) * _share(step - span[0], width)),
            round((rows - 1) * (1 - (value - low) / reach)) if reach else rows // 2,
        )
        for step, value in points
    ]


def _line(places: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Every dot on the way from each place to the next."""
    yield from places[:1]
    for (column, row), (next_column, next_row) in pairwise(places):
        dots = max(abs(next_column - column), abs(next_row - row))
        for dot in range(1, dots + 1):
            share = dot / dots
            yield (
                round(column + share * (next_column - column)),
                round(row + share * (next_row - row)),
            )


def _cell(value: float, width: int, top: float) -> int:
    return min(int(width * _share(value, top)), width - 1)


def _share(value: float, top: float) -> float:
    return min(max(value / top, 0.0), 1.0) if top > 0 else 0.0
