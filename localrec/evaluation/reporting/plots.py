"""Plots as inline SVG: grouped bars with whiskers, confusion tables, heat maps, scatter plots.

Every drawing carries a title and, for those who cannot see it, a description with its numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

from localrec.evaluation.reporting.axes import Axis
from localrec.evaluation.reporting.markup import Markup, escaped, tag
from localrec.evaluation.reporting.number_format import digits_for, plain, titled, with_interval
from localrec.evaluation.reporting.report_records import (
    BarPlot,
    ConfusionPlot,
    HeatMap,
    MetricScale,
    Plot,
    ScatterPlot,
)
from localrec.evaluation.reporting.scatter_plot import scatter_drawing
from localrec.evaluation.reporting.svg import (
    drawing,
    shortened,
    upright_grid,
    whisker,
    width_of,
    words,
)
from localrec.evaluation.statistics import IntervalEstimate

_ROW, _BAR = 22.0, 11.0  # height of a row of bars, and of the bar in it
_NAMES, _LENGTH, _FIGURES = 144.0, 176.0, 58.0  # widths: names, bars, numbers behind them
_SLIGHTEST = 0.5  # a bar of nothing is seen all the same
_HEAD, _FOOT = 6.0, 22.0
_CELL, _NARROWEST, _MATRIX = 32.0, 46.0, 520.0  # height and least width of a cell, width of all
_GAP = 2.0
_FULL, _FAINT = 0.72, 0.05  # opacity of the strongest and of the weakest shade

Cell = tuple[str, float, str]  # text, shade of 0..1, class


def drawings_of(plot: Plot, name: str) -> list[tuple[str, Markup]]:
    """The drawings of a plot, each with its caption.

    Args:
        plot: What to draw.
        name: Begins the ids inside; its own for each plot of a page.
    """
    if isinstance(plot, BarPlot):
        return [
            (titled(scale), _group_of_bars(plot, number, f"{name}-{number}"))
            for number, scale in enumerate(plot.scales)
        ]
    if isinstance(plot, ScatterPlot):
        return [("", scatter_drawing(plot, name))]
    return [("", _confusion(plot, name) if isinstance(plot, ConfusionPlot) else _heat(plot, name))]


def _group_of_bars(plot: BarPlot, number: int, name: str) -> Markup:
    """One group: a row per name, a bar from the scale's low end, a whisker over the interval."""
    scale = plot.scales[number]
    figures = {row: measures[number] for row, measures in plot.rows.items()}
    axis = Axis(scale.low, _end_of(scale, list(figures.values())), _NAMES, _NAMES + _LENGTH)
    digits = digits_for(one.value for one in figures.values())
    bottom = _HEAD + _ROW * len(figures)
    drawn = [upright_grid(axis, _HEAD, bottom)]
    for place, (row, figure) in enumerate(figures.items()):
        kind = "ours" if row in plot.ours else "theirs"
        drawn.append(_bar(row, figure, axis, _HEAD + _ROW * (place + 0.5), kind, digits))
    told = "; ".join(f"{row} {with_interval(one, digits)}" for row, one in figures.items())
    return drawing(
        name,
        (_NAMES + _LENGTH + _FIGURES, bottom + _FOOT),
        f"{plot.title}: {titled(scale)}",
        f"Bars with 95% intervals: {told}.",
        drawn,
    )


def _end_of(scale: MetricScale, figures: Sequence[IntervalEstimate]) -> float:
    """Where a group's axis ends: behind the longest whisker."""
    if scale.high is not None:
        return scale.high
    reach = [bound for one in figures for bound in (one.value, one.high) if bound is not None]
    furthest = max([*reach, scale.low])
    return furthest + 0.02 * (furthest - scale.low) if furthest > scale.low else scale.low + 1.0


def _bar(
    row: str, figure: IntervalEstimate, axis: Axis, middle: float, kind: str, digits: int
) -> Markup:
    tip = f"{row}: {with_interval(figure, digits)}, n = {figure.n:,}"
    parts = [
        tag("title", escaped(tip)),
        words(shortened(row, _NAMES - 10), axis.start - 8, middle, f"name {kind}", "end"),
        words(plain(figure.value, digits), axis.end + _FIGURES, middle, f"figure {kind}", "end"),
    ]
    if figure.value is not None:
        width = max(_SLIGHTEST, axis.at(figure.value) - axis.start)
        shape = {"x": axis.start, "y": middle - _BAR / 2, "width": width, "height": _BAR}
        parts.append(tag("rect", class_=f"mark bar {kind}", rx=1.5, **shape))
    if figure.low is not None and figure.high is not None:
        parts.append(whisker(axis.at(figure.low), axis.at(figure.high), middle, upright=False))
    return tag("g", *parts)


def _confusion(plot: ConfusionPlot, name: str) -> Markup:
    """Right classes down, what they were taken for across; shaded by the share of the row."""
    rows = [
        [plot.counts.get(right, {}).get(one, 0) for one in plot.classes] for right in plot.classes
    ]
    cells = [
        [
            (str(count), count / max(1, sum(row)), "hit" if taken == right else "miss")
            for taken, count in enumerate(row)
        ]
        for right, row in enumerate(rows)
    ]
    return _matrix(name, plot.title, plot.classes, plot.classes, cells)


def _heat(plot: HeatMap, name: str) -> Markup:
    """Figures shaded by their distance from the middle; what lies below has another colour."""
    values = [one.value for row in plot.rows.values() for one in row]
    digits = digits_for(values)
    far = max((abs(value - plot.middle) for value in values if value is not None), default=0.0)
    reach = plot.reach or far or 1.0

    def cell(value: float | None) -> Cell:
        if value is None:
            return plain(None, 0), 0.0, "above"
        away = value - plot.middle
        return plain(value, digits), min(1.0, abs(away) / reach), "below" if away < 0 else "above"

    cells = [[cell(one.value) for one in row] for row in plot.rows.values()]
    return _matrix(name, plot.title, tuple(plot.rows), plot.columns, cells)


def _matrix(
    name: str,
    title: str,
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Sequence[Sequence[Cell]],
) -> Markup:
    """Shaded cells with their numbers, names on the left and on top."""
    left = min(_NAMES, max(map(width_of, rows), default=0.0) + 12)
    width = max(_NARROWEST, (_MATRIX - left) / max(1, len(columns)))
    drawn = [
        words(shortened(one, width - 4), left + (place + 0.5) * width, 12, "name", "middle")
        for place, one in enumerate(columns)
    ]
    told = []
    for place, (row, line) in enumerate(zip(rows, cells, strict=True)):
        top = 24 + place * _CELL
        drawn.append(words(shortened(row, left - 8), left - 8, top + _CELL / 2, "name", "end"))
        for number, (column, (text, shade, kind)) in enumerate(zip(columns, line, strict=True)):
            tip = f"{row}, {column}: {text}"
            drawn.append(_shaded(tip, text, shade, kind, left + number * width, top, width))
            told.append(tip)
    size = (left + width * max(1, len(columns)), 26 + _CELL * len(rows))
    return drawing(name, size, title, f"{'; '.join(told)}.", drawn)


def _shaded(
    tip: str, text: str, shade: float, kind: str, x: float, y: float, width: float
) -> Markup:
    return tag(
        "g",
        tag("title", escaped(tip)),
        tag(
            "rect",
            class_=f"mark cell {kind}",
            x=x + _GAP / 2,
            y=y + _GAP / 2,
            width=width - _GAP,
            height=_CELL - _GAP,
            rx=3.0,
            fill_opacity=_FAINT + (_FULL - _FAINT) * shade,
        ),
        words(text, x + width / 2, y + _CELL / 2, "number", "middle"),
    )
