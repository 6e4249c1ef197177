"""Figures with their intervals as bars in characters, as wide as there is room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual import events
from textual.content import Content
from textual.widgets import Static

from localrec_tui.plots import bar_with_interval, difference_bar
from localrec_tui.services.runs import MetricValue
from localrec_tui.widgets.chart_colours import coloured_chart

_LONGEST_NAME = 28
_NUMBERS = 26  # cells of "0.123 [0.100, 0.150]" and what parts it from the bar
_NARROWEST = 10


class FigureRows(Static):
    """Draws figures by name, as wide as there is room."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, markup=False)
        self._rows: Mapping[str, MetricValue] = {}

    def show(self, rows: Mapping[str, MetricValue]) -> None:
        """Show figures by name, in their order."""
        self._rows = rows
        self._draw()

    def on_resize(self, event: events.Resize) -> None:
        """Draw the figures in the new width."""
        self._draw()

    def _draw(self) -> None:
        raise NotImplementedError


class IntervalBars(FigureRows):
    """One line for each name: its bar on a scale from 0 to the largest bound of all."""

    def _draw(self) -> None:
        self.update(coloured_chart("\n".join(interval_bar_lines(self._rows, self.size.width))))


class DifferenceBars(FigureRows):
    """One line for each metric: ours minus theirs, on a scale with 0 in the middle."""

    def _draw(self) -> None:
        width = self.size.width - _name_width(list(self._rows)) - _NUMBERS - 4
        reach = max((abs(end) for one in self._rows.values() for end in _ends(one)), default=1.0)
        lines = [
            Content.assemble(
                f"{_name(name, list(self._rows))}  ",
                (
                    difference_bar(one.value, one.low, one.high, max(width, _NARROWEST), reach),
                    _difference_colour(one),
                ),
                f"  {format_interval(one, sign='+')}",
            )
            for name, one in self._rows.items()
            if one.value is not None
        ]
        self.update(Content("\n").join(lines))


def interval_bar_lines(rows: Mapping[str, MetricValue], width: int) -> list[str]:
    """Bars of at most `width` cells, with the figures in numbers behind them."""
    names: Sequence[str] = list(rows)
    top = max((end for one in rows.values() for end in _ends(one)), default=1.0)
    cells = max(width - _name_width(names) - _NUMBERS - 4, _NARROWEST)
    lines = []
    for name, one in rows.items():
        drawn = " " * cells
        if one.value is not None:
            drawn = bar_with_interval(one.value, one.low, one.high, cells, top)
        lines.append(f"{_name(name, names)}  {drawn}  {format_interval(one)}")
    return lines


def _difference_colour(one: MetricValue) -> str:
    """Green or red where the whole interval lies on one side of 0; the signs say so as well."""
    if one.low is not None and one.low > 0:
        return "$success"
    if one.high is not None and one.high < 0:
        return "$error"
    return "$accent"


def format_interval(one: MetricValue, *, sign: str = "") -> str:
    """A figure in numbers, with its interval where it has one."""
    if one.value is None:
        return "-"
    if one.low is None or one.high is None:
        return f"{one.value:{sign}.3f}"
    return f"{one.value:{sign}.3f} [{one.low:{sign}.3f}, {one.high:{sign}.3f}]"


def _ends(one: MetricValue) -> list[float]:
    return [end for end in (one.value, one.low, one.high) if end is not None]


def _name_width(names: Sequence[str]) -> int:
    return min(max(map(len, names), default=0), _LONGEST_NAME)


def _name(name: str, names: Sequence[str]) -> str:
    width = _name_width(names)
    return (name if len(name) <= width else f"{name[: width - 1]}…").ljust(width)
