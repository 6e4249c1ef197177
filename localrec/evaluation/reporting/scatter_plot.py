"""Lay out a scatter plot: marks with whiskers, their names beside them, the line of the best."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from localrec.evaluation.reporting.axes import Axis, axis_over, shortened, width_of
from localrec.evaluation.reporting.number_format import digits_for, titled, with_interval
from localrec.evaluation.reporting.report_records import PlotPoint, ScatterPlot

_WIDTH, _HEIGHT = 640.0, 400.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, 20.0, 26.0, 46.0
_DOT = 5.5
_LINE = 13.0  # height of a name
_RINGS = 6  # how far from its mark a name may move, in lines
_STEP = 8.0  # area that a name may cover before it moves half a line further
_LONGEST = 300.0  # width of a name; the table and the title of the mark have all of it
_APART = 3  # distance from which a line leads from a mark to its name


class _Mark(msgspec.Struct, frozen=True):
    """A point in the drawing; `low` and `high` are the ends of its whisker."""

    point: PlotPoint
    value: float
    x: float
    y: float
    low: float
    high: float
    ours: bool
    radius: float = _DOT

    @property
    def tip(self) -> str:
        """The text that a browser shows beside the pointer."""
        return f"{self.point.name}: {self.point.across:g}, {self.value:g}"


class _Box(msgspec.Struct, frozen=True):
    """A rectangle that a mark or a name covers."""

    left: float
    top: float
    right: float
    bottom: float

    def overlap(self, other: _Box) -> float:
        """Return the area that two rectangles share."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(0.0, width) * max(0.0, height)


def scatter_values(plot: ScatterPlot) -> dict[str, Any]:
    """Lay out marks with whiskers and names, and the steps of those that no other mark beats."""
    known = [point for point in plot.points if point.up.value is not None]
    frame = {"width": _WIDTH, "height": _HEIGHT, "title": plot.title}
    if not known:
        empty = dict.fromkeys(("across", "up", "titles", "marks", "steps", "names"))
        return {"frame": {**frame, "description": "Nothing was measured."}, **empty}
    across = axis_over([point.across for point in known], _LEFT, _WIDTH - _RIGHT)
    bounds = [b for p in known for b in (p.up.value, p.up.low, p.up.high) if b is not None]
    up = axis_over(bounds, _HEIGHT - _BOTTOM, _TOP)
    marks = [_placed(point, across, up, point.name in plot.ours) for point in known]
    digits = digits_for(mark.value for mark in marks)
    listed = "; ".join(
        f"{one.point.name} {one.point.across:g}, {with_interval(one.point.up, digits)}"
        for one in marks
    )
    titles = (titled(plot.across), titled(plot.up))
    description = f"{titles[0]} across, {titles[1]} up: {listed}."
    return {
        "frame": {**frame, "description": description},
        "across": across,
        "up": up,
        "titles": titles,
        "marks": marks,
        "steps": _frontier(marks),
        "names": list(_names(marks)),
    }


def _placed(point: PlotPoint, across: Axis, up: Axis, ours: bool) -> _Mark:
    value, low, high = point.up.value or 0.0, point.up.low, point.up.high
    return _Mark(
        point,
        value,
        across.at(point.across),
        up.at(value),
        up.at(value if low is None else low),
        up.at(value if high is None else high),
        ours,
    )


def _frontier(marks: Sequence[_Mark]) -> list[_Mark]:
    """Return the marks that no other mark beats in both measures, from left to right."""
    best, steps = float("-inf"), []
    for mark in sorted(marks, key=lambda one: (one.point.across, -one.value)):
        if mark.value > best:
            best = mark.value
            steps.append(mark)
    return steps


def _names(marks: Sequence[_Mark]) -> Iterator[tuple[_Mark, str, _Box, bool]]:
    """Put every name where it covers least; True asks for a line that leads back to its mark."""
    taken = [_Box(one.x - _DOT, one.y - _DOT, one.x + _DOT, one.y + _DOT) for one in marks]
    taken += [_Box(one.x - 2, one.high, one.x + 2, one.low) for one in marks]
    for mark in sorted(marks, key=lambda one: one.y):
        box, apart = min(
            _places(mark),
            key=lambda place: sum(place[0].overlap(one) for one in taken) + _STEP * place[1],
        )
        taken.append(box)
        yield mark, shortened(mark.point.name, _LONGEST), box, apart >= _APART


def _places(mark: _Mark) -> Iterator[tuple[_Box, int]]:
    """List boxes for a name with their distance: beside the mark, then further and further off."""
    width, gap = width_of(shortened(mark.point.name, _LONGEST)), _DOT + 4
    for ring in range(_RINGS):
        for down in (-ring, ring):
            top = mark.y + down * _LINE - _LINE / 2
            for number, left in enumerate((mark.x + gap, mark.x - gap - width)):
                kept = min(max(left, _LEFT), _WIDTH - width)  # names stay in the drawing
                if top >= 0 and top + _LINE <= _HEIGHT - _BOTTOM + _LINE / 2:
                    moved = 4 * _RINGS if kept != left else 0
                    yield _Box(kept, top, kept + width, top + _LINE), 2 * ring + number + moved
