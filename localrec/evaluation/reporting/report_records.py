"""The content of a report: sections of text, tables and plots, without layout.

`rendering` turns one `Report` into HTML, Markdown and JSON; `run_report` and `question_report` make
it of measured results. The JSON form is this record itself, so a report can be read back.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from localrec.evaluation.provenance import Origin
from localrec.evaluation.statistics import IntervalEstimate


class MetricScale(msgspec.Struct, frozen=True, kw_only=True):
    """A metric's name, unit and direction in one group.

    Args:
        name: Such as "NDCG@10".
        unit: Behind the number, such as "ms"; "" for shares.
        better: Whether more or less of it is better.
        low: Value at the start of the bars.
        high: Value at the end of the axis; None: behind the largest figure.
    """

    name: str
    unit: str = ""
    better: Literal["more", "less"] = "more"
    low: float = 0.0
    high: float | None = None


class TextBlock(msgspec.Struct, frozen=True, kw_only=True, tag="text"):
    """A paragraph."""

    text: str


class TableBlock(msgspec.Struct, frozen=True, kw_only=True, tag="table"):
    """A table of formatted cells.

    Args:
        title: Title of the table.
        head: One title per column.
        rows: As many cells as the head has.
        strong: (row, column) of the cells to be stressed.
        note: A sentence to go with it.
    """

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    strong: tuple[tuple[int, int], ...] = ()
    note: str = ""


class BarPlot(msgspec.Struct, frozen=True, kw_only=True, tag="bars"):
    """Bars with the whiskers of their intervals: one group per scale, in it one bar per row.

    Args:
        title: Title of the plot.
        scales: One per group.
        rows: Name -> one figure per scale, in the order to be shown.
        ours: The names to be set off.
        note: A sentence to go with it.
    """

    title: str
    scales: tuple[MetricScale, ...]
    rows: dict[str, tuple[IntervalEstimate, ...]]
    ours: tuple[str, ...] = ()
    note: str = ""


class PlotPoint(msgspec.Struct, frozen=True, kw_only=True):
    """One mark of a scatter plot."""

    name: str
    across: float
    up: IntervalEstimate


class ScatterPlot(msgspec.Struct, frozen=True, kw_only=True, tag="scatter"):
    """One measure against another, such as quality against time.

    Args:
        title: Title of the plot.
        across: The scale of the horizontal axis, less of which is better.
        up: The scale of the vertical axis, more of which is better.
        points: The marks.
        ours: The names to be set off.
        note: A sentence to go with it.
    """

    title: str
    across: MetricScale
    up: MetricScale
    points: tuple[PlotPoint, ...]
    ours: tuple[str, ...] = ()
    note: str = ""


class ConfusionPlot(msgspec.Struct, frozen=True, kw_only=True, tag="confusion"):
    """Counts of true classes against predicted classes.

    Args:
        title: The plot's title.
        classes: Names, in the order of rows and columns.
        counts: True class -> predicted class -> count; a pair that is missing counts 0.
        note: A sentence to go with it.
    """

    title: str
    classes: tuple[str, ...]
    counts: dict[str, dict[str, int]]
    note: str = ""


class HeatMap(msgspec.Struct, frozen=True, kw_only=True, tag="heat"):
    """Figures in rows and columns, shaded by how far they lie from `middle`.

    Args:
        title: Title of the map.
        columns: Names.
        rows: Name -> one figure per column.
        middle: The value without shade; figures below it are shaded in another colour.
        reach: Distance from the middle that has the full shade; None: that of the furthest figure.
        note: A sentence to go with it.
    """

    title: str
    columns: tuple[str, ...]
    rows: dict[str, tuple[IntervalEstimate, ...]]
    middle: float = 0.0
    reach: float | None = None
    note: str = ""


Plot = BarPlot | ScatterPlot | ConfusionPlot | HeatMap
Block = TextBlock | TableBlock | Plot


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """A heading and what stands below it."""

    title: str
    blocks: tuple[Block, ...]


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """A whole report.

    Args:
        title: Its heading.
        summary: The findings, in a sentence or two.
        origin: The record that is needed to repeat the figures.
        sections: In reading order.
    """

    title: str
    summary: str
    origin: Origin
    sections: tuple[Section, ...]
