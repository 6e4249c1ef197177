"""Lay out plots as inline SVG: grouped bars with whiskers, confusion tables, heat maps, scatters.

Each drawing has a title and, for readers who cannot see it, a description with its numbers. The
shapes themselves are in `templates/plots.svg.jinja`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from localrec.evaluation.reporting.axes import Axis, shortened, width_of
from localrec.evaluation.reporting.number_format import digits_for, plain, titled, with_interval
from localrec.evaluation.reporting.report_records import (
    BarPlot,
    ConfusionPlot,
    HeatMap,
    MetricScale,
    Plot,
    ScatterPlot,
)
from localrec.evaluation.reporting.scatter_plot import scatter_values
from localrec.evaluation.reporting.template_engine import render_macro
from localrec.evaluation.statistics import IntervalEstimate

if TYPE_CHECKING:
    from markupsafe import Markup

_ROW = 22.0  # height of a row of bars
_NAMES, _LENGTH, _FIGURES = 144.0, 176.0, 58.0  # widths: names, bars, numbers behind them
_SHORTEST = 0.5  # a bar of zero stays visible
_HEAD, _FOOT = 6.0, 22.0
_CELL, _NARROWEST, _MATRIX = 32.0, 46.0, 520.0  # height and least width of a cell, width of all
_FULL, _FAINT = 0.72, 0.05  # opacity of the strongest and of the weakest shade

Cell = tuple[str, float, str]  # text, shade of 0..1, class
Values = dict[str, Any]  # what a macro of the template is given


def drawings_of(plot: Plot, name: str, style: str = "") -> list[tuple[str, Markup]]:
    """Draw a plot; each drawing comes with its caption.

    Args:
        plot: The plot.
        name: Prefix of the ids inside, unique for each plot of a page.
        style: CSS that makes the drawing a file of its own; the class `ground` is its background.
    """
    made: list[tuple[str, str, str, Values]]  # caption, id, macro, values
    if isinstance(plot, BarPlot):
        made = [
            (titled(scale), f"{name}-{number}", "bars", _bar_values(plot, number))
            for number, scale in enumerate(plot.scales)
        ]
    elif isinstance(plot, ScatterPlot):
        made = [("", name, "scatter", scatter_values(plot))]
    else:
        values = _confusion(plot) if isinstance(plot, ConfusionPlot) else _heat(plot)
        made = [("", name, "matrix", values)]
    return [
        (caption, _drawn(macro, values, {"name": own, "style": style}))
        for caption, own, macro, values in made
    ]


def _drawn(macro: str, values: Values, frame: dict[str, str]) -> Markup:
    return render_macro("plots.svg.jinja", macro, **{**values, "frame": values["frame"] | frame})


def _bar_values(plot: BarPlot, number: int) -> Values:
    """One group: a row per name."""
    scale = plot.scales[number]
    figures = {row: measures[number] for row, measures in plot.rows.items()}
    axis = Axis(scale.low, _end_of(scale, list(figures.values())), _NAMES, _NAMES + _LENGTH)
    digits = digits_for(one.value for one in figures.values())
    texts = {row: with_interval(one, digits) for row, one in figures.items()}
    bottom = _HEAD + _ROW * len(figures)
    end = axis.end + _FIGURES
    described = "; ".join(f"{row} {text}" for row, text in texts.items())
    return {
        "frame": {
            "width": end,
            "height": bottom + _FOOT,
            "title": f"{plot.title}: {titled(scale)}",
            "description": f"Bars with 95% intervals: {described}.",
        },
        "axis": axis,
        "top": _HEAD,
        "bottom": bottom,
        "numbers_end": end,
        "rows": [
            {
                "name": shortened(row, _NAMES - 10),
                "tip": f"{row}: {texts[row]}, n = {one.n:,}",
                "y": _HEAD + _ROW * (place + 0.5),
                "kind": "ours" if row in plot.ours else "theirs",
                "number": plain(one.value, digits),
                "width": None
                if one.value is None
                else max(_SHORTEST, axis.at(one.value) - axis.start),
                "low": one.low,
                "high": one.high,
            }
            for place, (row, one) in enumerate(figures.items())
        ],
    }


def _end_of(scale: MetricScale, figures: Sequence[IntervalEstimate]) -> float:
    """Return the end of a group's axis: beyond the longest whisker."""
    if scale.high is not None:
        return scale.high
    reach = [bound for one in figures for bound in (one.value, one.high) if bound is not None]
    furthest = max([*reach, scale.low])
    return furthest + 0.02 * (furthest - scale.low) if furthest > scale.low else scale.low + 1.0


def _confusion(plot: ConfusionPlot) -> Values:
    """Right classes down, assigned classes across; shaded by the share of the row."""
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
    return _matrix_values(plot.title, plot.classes, plot.classes, cells)


def _heat(plot: HeatMap) -> Values:
    """Figures shaded by their distance from the middle; those below it have another colour."""
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
    return _matrix_values(plot.title, tuple(plot.rows), plot.columns, cells)


def _matrix_values(
    title: str, rows: Sequence[str], columns: Sequence[str], cells: Sequence[Sequence[Cell]]
) -> Values:
    """Shaded cells with their numbers, names on the left and on top."""
    left = min(_NAMES, max(map(width_of, rows), default=0.0) + 12)
    width = max(_NARROWEST, (_MATRIX - left) / max(1, len(columns)))
    shown = [
        [
            {
                "tip": f"{row}, {column}: {text}",
                "text": text,
                "kind": kind,
                "opacity": _FAINT + (_FULL - _FAINT) * shade,
            }
            for column, (text, shade, kind) in zip(columns, line, strict=True)
        ]
        for row, line in zip(rows, cells, strict=True)
    ]
    return {
        "frame": {
            "width": left + width * max(1, len(columns)),
            "height": 26 + _CELL * len(rows),
            "title": title,
            "description": f"{'; '.join(str(one['tip']) for line in shown for one in line)}.",
        },
        "left": left,
        "width": width,
        "height": _CELL,
        "columns": [shortened(one, width - 4) for one in columns],
        "rows": [(shortened(row, left - 8), line) for row, line in zip(rows, shown, strict=True)],
    }
