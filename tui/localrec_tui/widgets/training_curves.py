"""Curves of a training in characters: several small ones, or one, as large as there is room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.containers import Grid
from textual.content import Content
from textual.widgets import Static

from localrec_tui.plots import Point, curve, smoothed
from localrec_tui.services.trainings import LoggedStep
from localrec_tui.widgets.chart_colours import coloured_chart

MetricUnit = Literal["score", "share", "count"]
StepSpan = tuple[int, int]  # the first step and the last


class LoggedMetric(NamedTuple):
    """The title of a logged metric, and its unit."""

    title: str
    unit: MetricUnit = "score"


LOGGED_METRICS: Mapping[str, LoggedMetric] = {
    "reward": LoggedMetric("Reward"),
    "share_without_signal": LoggedMetric("Groups without signal", "share"),
    "tokens_written": LoggedMetric("Tokens written a trajectory", "count"),
    "tool_calls": LoggedMetric("Tools asked a trajectory", "count"),
    "tool_rate": LoggedMetric("Trajectories that ask tools", "share"),
    "score": LoggedMetric("Score of the answers"),
    "hit1": LoggedMetric("First places that are right"),
    "valid": LoggedMetric("Valid trajectories", "share"),
    "tokens": LoggedMetric("Tokens of a trajectory", "count"),
    "validation_hit1": LoggedMetric("H@1 on validation"),
    "validation_hit10": LoggedMetric("H@10 on validation"),
    "validation_score": LoggedMetric("Score on validation"),
    "validation_valid": LoggedMetric("Valid on validation", "share"),
    "loss": LoggedMetric("Loss"),
    "accuracy": LoggedMetric("Right answers", "share"),
    "validation_loss": LoggedMetric("Loss on validation"),
    "validation_accuracy": LoggedMetric("Right on validation", "share"),
}
_OF_POLICIES = ("reward", "share_without_signal", "tokens_written", "validation_hit1")
_OF_ADAPTERS = ("loss", "validation_loss", "accuracy", "validation_accuracy")
_SMOOTH_FROM = 60  # steps: fewer are drawn as they are
_WINDOWS = 12  # a mean is taken over the steps' twelfth part
_NARROWEST = 8  # cells of a curve
_NO_FIGURE = "-"


def logged_metric(name: str) -> LoggedMetric:
    """Describe a logged metric; an unknown name stands for itself."""
    return LOGGED_METRICS.get(name, LoggedMetric(name.replace("_", " ").capitalize()))


def metric_names(steps: Sequence[LoggedStep]) -> tuple[str, ...]:
    """List the logged metrics, the known ones first."""
    found = dict.fromkeys(
        name for one in steps for name, value in one.values.items() if value is not None
    )
    known = [name for name in LOGGED_METRICS if name in found]
    return (*known, *(name for name in found if name not in LOGGED_METRICS))


def leading_metrics(kind: str, names: Sequence[str]) -> tuple[str, ...]:
    """The four figures that are shown of a kind of training; some may be to come yet."""
    four = _OF_ADAPTERS if kind == "adapter" else _OF_POLICIES
    if "validation_hit1" not in names and "validation_score" in names:
        return tuple("validation_score" if name == "validation_hit1" else name for name in four)
    return four


def step_span(steps: Sequence[LoggedStep]) -> StepSpan:
    """The first step that was logged, and the last."""
    return (steps[0].step, steps[-1].step) if steps else (0, 0)


def metric_points(steps: Sequence[LoggedStep], name: str) -> list[Point]:
    """The curve of one figure: where it is a number."""
    pairs = ((one.step, one.values.get(name)) for one in steps)
    return [(step, value) for step, value in pairs if value is not None]


def format_metric(value: float, unit: MetricUnit) -> str:
    """A figure in a few characters."""
    if unit == "share":
        return f"{value:.0%}"
    if unit == "count":
        return f"{value:,.0f}" if abs(value) >= 10 else f"{value:.1f}"
    return f"{value:.3f}" if abs(value) >= 0.001 or not value else f"{value:.1e}"


class Curve(Static):
    """One figure over the steps; a line of many steps is the mean of those around each."""

    DEFAULT_CSS = """
    Curve { height: 1fr; min-height: 6; padding: 0 1; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, markup=False)
        self._figure = LoggedMetric("")
        self._points: Sequence[Point] = ()
        self._span: StepSpan = (0, 0)

    def show(self, figure: LoggedMetric, points: Sequence[Point], span: StepSpan) -> None:
        """Show a figure over the steps from the first to the last; () before it was measured."""
        self._figure, self._points, self._span = figure, points, span
        self._draw()

    def on_resize(self, event: events.Resize) -> None:
        """Draw it as large as it may be now."""
        self._draw()

    def _draw(self) -> None:
        size = self.content_size
        head, *lines = curve_lines(self._figure, self._points, self._span, size.width, size.height)
        self.update(Content.assemble((head, "bold"), "\n", coloured_chart("\n".join(lines))))


class Curves(Grid):
    """Four figures, two by two."""

    DEFAULT_CSS = """
    Curves { grid-size: 2 2; height: 1fr; }
    """

    def compose(self) -> ComposeResult:
        """Room for each."""
        for _ in range(4):
            yield Curve()

    def show(self, steps: Sequence[LoggedStep], names: Sequence[str]) -> None:
        """Show the figures of these names."""
        for drawn, name in zip(self.query(Curve), names, strict=False):
            drawn.show(logged_metric(name), metric_points(steps, name), step_span(steps))


def curve_lines(
    figure: LoggedMetric, points: Sequence[Point], span: StepSpan, width: int, height: int
) -> list[str]:
    """A head with the last figure, the curve between its highest and its lowest, and the steps."""
    if not points:
        return [f"{figure.title} {_NO_FIGURE}", "not measured yet"]
    window = len(points) // _WINDOWS if len(points) >= _SMOOTH_FROM else 1
    drawn = smoothed(points, window)
    values = [value for _, value in drawn]
    scale = [format_metric(end, figure.unit) for end in (max(values), min(values))]
    margin = max(map(len, scale))
    cells, rows = max(width - margin - 2, _NARROWEST), max(height - 2, 1)
    lines = zip(_edges(scale, rows), curve(drawn, cells, rows, span), strict=True)
    return [
        f"{figure.title} {format_metric(points[-1][1], figure.unit)}"[:width],
        *(f"{mark:>{margin}} {edge}{line}" for (mark, edge), line in lines),
        f"{'':{margin}} └{_steps(span, window, cells)}",
    ]


def _steps(span: StepSpan, window: int, cells: int) -> str:
    """The axis of the steps: the first, the last, and of how many each point is the mean."""
    first, last = f"{span[0]:,} ", f" {span[1]:,}"
    mean = f" mean of {window} " if window > 1 else ""
    room = max(cells - len(first) - len(last), 1)
    return f"{first}{mean if len(mean) < room else '':─^{room}}{last}"


def _edges(scale: Sequence[str], rows: int) -> list[tuple[str, str]]:
    """Label the lines: the highest figure on top, the lowest at the bottom."""
    edges = [("", "│")] * rows
    high, low = scale
    if high == low:
        edges[rows // 2] = (high, "┤")
    else:
        edges[0], edges[-1] = (high, "┤"), (low, "┤")
    return edges
