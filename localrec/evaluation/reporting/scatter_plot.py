"""The scatter plot: marks with whiskers, each with its name beside it, and the line of the best."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from localrec.evaluation.reporting.axes import Axis, axis_over
from localrec.evaluation.reporting.markup import Markup, escaped, tag
from localrec.evaluation.reporting.number_format import digits_for, titled, with_interval
from localrec.evaluation.reporting.report_records import PlotPoint, ScatterPlot
from localrec.evaluation.reporting.svg import (
    drawing,
    level_grid,
    shortened,
    upright_grid,
    whisker,
    width_of,
    words,
)

_WIDTH, _HEIGHT = 640.0, 400.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, 20.0, 26.0, 46.0
_DOT = 5.5
_LINE = 13.0  # height of a name
_RINGS = 6  # how far from its mark a name may move, in lines
_STEP = 8.0  # area that a name may cover before it moves half a line further
_LONGEST = 170.0  # width of a name; the whole one is in the table and in the mark's own title


class _Mark(msgspec.Struct, frozen=True):
    """A point on the page; `low` and `high` are the ends of its whisker."""

    point: PlotPoint
    value: float
    x: float
    y: float
    low: float
    high: float
    ours: bool


class _Box(msgspec.Struct, frozen=True):
    """A rectangle that is taken."""

    left: float
    top: float
    right: float
    bottom: float

    def overlap(self, other: _Box) -> float:
        """The area that two rectangles share."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(0.0, width) * max(0.0, height)


def scatter_drawing(plot: ScatterPlot, name: str) -> Markup:
    """Marks with whiskers and names, and the steps of those that nothing beats in both measures."""
    known = [point for point in plot.points if point.up.value is not None]
    if not known:
        return drawing(name, (_WIDTH, _HEIGHT), plot.title, "Nothing was measured.", [])
    across = axis_over([point.across for point in known], _LEFT, _WIDTH - _RIGHT)
    bounds = [b for p in known for b in (p.up.value, p.up.low, p.up.high) if b is not None]
    up = axis_over(bounds, _HEIGHT - _BOTTOM, _TOP)
    marks = [_placed(point, across, up, point.name in plot.ours) for point in known]
    drawn = [
        upright_grid(across, _TOP, _HEIGHT - _BOTTOM),
        level_grid(up, _LEFT, _WIDTH - _RIGHT),
        words(titled(plot.up), 4, 10, "axis"),
        words(titled(plot.across), _WIDTH - _RIGHT, _HEIGHT - 10, "axis", "end"),
        _frontier(marks),
        *map(_drawn, marks),
        *_names(marks),
    ]
    digits = digits_for(mark.value for mark in marks)
    told = "; ".join(
        f"{one.point.name} {one.point.across:g}, {with_interval(one.point.up, digits)}"
        for one in marks
    )
    axes = f"{titled(plot.across)} across, {titled(plot.up)} up"
    return drawing(name, (_WIDTH, _HEIGHT), plot.title, f"{axes}: {told}.", drawn)


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


def _drawn(mark: _Mark) -> Markup:
    """A diamond for ours and a dot for the others, so that the colour is not the only sign."""
    far = _DOT * 1.4
    if mark.ours:
        corners = ((0, -far), (far, 0), (0, far), (-far, 0))
        points = " ".join(f"{mark.x + right:.1f},{mark.y + down:.1f}" for right, down in corners)
        shape = tag("polygon", class_="mark dot ours", points=points)
    else:
        shape = tag("circle", class_="mark dot theirs", cx=mark.x, cy=mark.y, r=_DOT)
    tip = f"{mark.point.name}: {mark.point.across:g}, {mark.value:g}"
    line = whisker(mark.low, mark.high, mark.x, upright=True)
    return tag("g", tag("title", escaped(tip)), line, shape)


def _frontier(marks: Sequence[_Mark]) -> Markup:
    best = float("-inf")
    steps: list[str] = []
    for mark in sorted(marks, key=lambda one: (one.point.across, -one.value)):
        if mark.value > best:
            best = mark.value
            steps.append(f"H{mark.x:.1f}V{mark.y:.1f}" if steps else f"M{mark.x:.1f} {mark.y:.1f}")
    return tag("path", class_="frontier", d="".join(steps))


def _names(marks: Sequence[_Mark]) -> Iterator[Markup]:
    """Every mark's name where it covers least; a thin line leads to one that lies apart."""
    taken = [_Box(one.x - _DOT, one.y - _DOT, one.x + _DOT, one.y + _DOT) for one in marks]
    taken += [_Box(one.x - 2, one.high, one.x + 2, one.low) for one in marks]
    for mark in sorted(marks, key=lambda one: one.y):
        box, apart = min(
            _places(mark),
            key=lambda place: sum(place[0].overlap(one) for one in taken) + _STEP * place[1],
        )
        taken.append(box)
        middle = (box.top + box.bottom) / 2
        if apart >= 3:
            edge = box.left if box.left > mark.x else box.right
            yield tag(
                "path", class_="leader", d=f"M{mark.x:.1f} {mark.y:.1f}L{edge:.1f} {middle:.1f}"
            )
        kind = "name ours" if mark.ours else "name"
        yield words(shortened(mark.point.name, _LONGEST), box.left, middle, kind)


def _places(mark: _Mark) -> Iterator[tuple[_Box, int]]:
    """Boxes for a name with their distance: beside the mark, then further and further off."""
    width, gap = width_of(shortened(mark.point.name, _LONGEST)), _DOT + 4
    for ring in range(_RINGS):
        for down in (-ring, ring):
            top = mark.y + down * _LINE - _LINE / 2
            for number, left in enumerate((mark.x + gap, mark.x - gap - width)):
                kept = min(max(left, _LEFT), _WIDTH - width)  # a name never leaves the drawing
                if top >= 0 and top + _LINE <= _HEIGHT - _BOTTOM + _LINE / 2:
                    moved = 4 * _RINGS if kept != left else 0
                    yield _Box(kept, top, kept + width, top + _LINE), 2 * ring + number + moved
