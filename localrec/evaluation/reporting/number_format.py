"""Format figures as text, and write the table beside every plot.

All figures of one column have the same number of digits, as many as the largest of them needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from localrec.evaluation.reporting.report_records import (
    BarPlot,
    ConfusionPlot,
    HeatMap,
    MetricScale,
    Plot,
    ScatterPlot,
    TableBlock,
)
from localrec.evaluation.statistics import IntervalEstimate

NOTHING = "-"


def digits_for(values: Iterable[float | None]) -> int:
    """Choose the decimal places of a column: three significant digits of its largest figure."""
    largest = max((abs(value) for value in values if value is not None), default=0.0)
    if largest >= 100:
        return 0
    if largest >= 10:
        return 1
    return 2 if largest > 1 else 3 if largest >= 0.1 or largest == 0 else 4


def plain(value: float | None, digits: int) -> str:
    """Write a figure with a separator between thousands."""
    return NOTHING if value is None else f"{value:,.{digits}f}"


def with_interval(figure: IntervalEstimate, digits: int) -> str:
    """Write a figure with its 95% interval behind it."""
    if figure.value is None or figure.low is None or figure.high is None:
        return plain(figure.value, digits)
    low, high = plain(figure.low, digits), plain(figure.high, digits)
    return f"{plain(figure.value, digits)} [{low}, {high}]"


def titled(scale: MetricScale) -> str:
    """Write the name of a scale with its unit, and a note where less is better."""
    unit = f", {scale.unit}" if scale.unit else ""
    return f"{scale.name}{unit}{' (less is better)' if scale.better == 'less' else ''}"


def table_of(plot: Plot) -> TableBlock:
    """Make the table with all numbers of a plot."""
    if isinstance(plot, BarPlot):
        return _of_bars(plot)
    if isinstance(plot, ScatterPlot):
        return _of_scatter(plot)
    if isinstance(plot, ConfusionPlot):
        return _of_confusion(plot)
    return _of_heat(plot)


def _of_bars(plot: BarPlot) -> TableBlock:
    columns = list(zip(*plot.rows.values(), strict=True))
    digits = [digits_for(one.value for one in column) for column in columns]
    return TableBlock(
        title=plot.title,
        head=("", *map(titled, plot.scales)),
        rows=tuple(
            (name, *(with_interval(one, places) for one, places in zip(row, digits, strict=True)))
            for name, row in plot.rows.items()
        ),
        strong=tuple(
            (place, number)
            for number, (scale, column) in enumerate(zip(plot.scales, columns, strict=True), 1)
            for place in _best(scale, [one.value for one in column])
        ),
    )


def _best(scale: MetricScale, values: Sequence[float | None]) -> list[int]:
    """Find the places of the best figure; none where all are equal."""
    known = [value for value in values if value is not None]
    if len(set(known)) < 2:
        return []
    best = max(known) if scale.better == "more" else min(known)
    return [place for place, value in enumerate(values) if value == best]


def _of_scatter(plot: ScatterPlot) -> TableBlock:
    up = digits_for(point.up.value for point in plot.points)
    return TableBlock(
        title=plot.title,
        head=("", titled(plot.across), titled(plot.up)),
        rows=tuple(
            (
                point.name,
                plain(point.across, digits_for([point.across])),
                with_interval(point.up, up),
            )
            for point in plot.points
        ),
    )


def _of_confusion(plot: ConfusionPlot) -> TableBlock:
    rows = []
    for right in plot.classes:
        taken = [plot.counts.get(right, {}).get(one, 0) for one in plot.classes]
        hit, total = plot.counts.get(right, {}).get(right, 0), sum(taken)
        share = f"{hit / total:.0%}" if total else NOTHING
        rows.append((right, *map(str, taken), str(total), share))
    return TableBlock(
        title=plot.title,
        head=("in truth", *(f"as {one}" for one in plot.classes), "all", "right"),
        rows=tuple(rows),
    )


def _of_heat(plot: HeatMap) -> TableBlock:
    digits = digits_for(one.value for row in plot.rows.values() for one in row)
    return TableBlock(
        title=plot.title,
        head=("", *plot.columns),
        rows=tuple(
            (name, *(with_interval(one, digits) for one in row)) for name, row in plot.rows.items()
        ),
    )
