"""Curves of a training in characters: several small ones, or one, as large as there is room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.containers import Grid
from textual.content import Content
from textual.widgets import Static

from localrec_tui.backend.training import StepLogged
from localrec_tui.plots import Point, curve, smoothed

Unit = Literal["score", "share", "count"]
Span = tuple[int, int]  # the first step and the last


class Figure(NamedTuple):
    """What is logged under a name, in words, and how it is told."""

    title: str
    unit: Unit = "score"


FIGURES: Mapping[str, Figure] = {
    "reward": Figure("Reward"),
    "share_without_signal": Figure("Groups without signal", "share"),
    "tokens_written": Figure("Tokens written a trajectory", "count"),
    "tool_calls": Figure("Tools asked a trajectory", "count"),
    "tool_rate": Figure("Trajectories that ask tools", "share"),
    "score": Figure("Score of the answers"),
    "hit1": Figure("First places that are right"),
    "valid": Figure("Valid trajectories", "share"),
    "tokens": Figure("Tokens of a trajectory", "count"),
    "validation_hit1": Figure("H@1 on validation"),
    "validation_hit10": Figure("H@10 on validation"),
    "validation_score": Figure("Score on validation"),
    "validation_valid": Figure("Valid on validation", "share"),
    "loss": Figure("Loss"),
    "accuracy": Figure("Right answers", "share"),
    "validation_loss": Figure("Loss on validation"),
    "validation_accuracy": Figure("Right on validation", "share"),
}
_OF_POLICIES = ("reward", "share_without_signal", "tokens_written", "validation_hit1")
_OF_ADAPTERS = ("loss", "validation_loss", "accuracy", "validation_accuracy")
_SMOOTH_FROM = 60  # steps: fewer are drawn as they are
_WINDOWS = 12  # a mean is taken over the steps' twelfth part
_NARROWEST = 8  # cells of a curve
_NO_FIGURE = "-"


def figure_of(name: str) -> Figure:
    """What a logged name stands for; one that nobody knows for itself."""
    return FIGURES.get(name, Figure(name.replace("_", " ").capitalize()))


def names_in(steps: Sequence[StepLogged]) -> tuple[str, ...]:
    """Everything that was logged as a number, what is known best first."""
    found = dict.fromkeys(
        name for one in steps for name, value in one.values.items() if value is not None
    )
    known = [name for name in FIGURES if name in found]
    return (*known, *(name for name in found if name not in FIGURES))


def leading(kind: str, names: Sequence[str]) -> tuple[str, ...]:
    """The four figures that are shown of a kind of training; some may be to come yet."""
    four = _OF_ADAPTERS if kind == "adapter" else _OF_POLICIES
    if "validation_hit1" not in names and "validation_score" in names:
        return tuple("validation_score" if name == "validation_hit1" else name for name in four)
    return four


def span_of(steps: Sequence[StepLogged]) -> Span:
    """The first step that was logged, and the last."""
    return (steps[0].step, steps[-1].step) if steps else (0, 0)


def points_of(steps: Sequence[StepLogged], name: str) -> list[Point]:
    """The curve of one figure: where it is a number."""
    pairs = ((one.step, one.values.get(name)) for one in steps)
    return [(step, value) for step, value in pairs if value is not None]


def told_figure(value: float, unit: Unit) -> str:
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
        self._figure = Figure("")
        self._points: Sequence[Point] = ()
        self._span: Span = (0, 0)

    def show(self, figure: Figure, points: Sequence[Point], span: Span) -> None:
        """Show a figure over the steps from the first to the last; () before it was measured."""
        self._figure, self._points, self._span = figure, points, span
        self._draw()

    def on_resize(self, event: events.Resize) -> None:
        """Draw it as large as it may be now."""
        self._draw()

    def _draw(self) -> None:
        size = self.content_size
        head, *lines = lines_of(self._figure, self._points, self._span, size.width, size.height)
        self.update(Content.assemble((head, "bold"), "\n", "\n".join(lines)))


class Curves(Grid):
    """Four figures, two by two."""

    DEFAULT_CSS = """
    Curves { grid-size: 2 2; height: 1fr; }
    """

    def compose(self) -> ComposeResult:
        """Room for each."""
        for _ in range(4):
            yield Curve()

    def show(self, steps: Sequence[StepLogged], names: Sequence[str]) -> None:
        """Show the figures of these names."""
        for drawn, name in zip(self.query(Curve), names, strict=False):
            drawn.show(figure_of(name), points_of(steps, name), span_of(steps))


def lines_of(
    figure: Figure, points: Sequence[Point], span: Span, width: int, height: int
) -> list[str]:
    """A head with the last figure, the curve between its highest and its lowest, and the steps."""
    if not points:
        return [f"{figure.title} {_NO_FIGURE}", "not measured yet"]
    window = len(points) // _WINDOWS if len(points) >= _SMOOTH_FROM else 1
    drawn = smoothed(points, window)
    values = [value for _, value in drawn]
    scale = [told_figure(end, figure.unit) for end in (max(values), min(values))]
    margin = max(map(len, scale))
    cells, rows = max(width - margin - 2, _NARROWEST), max(height - 2, 1)
    lines = zip(_edges(scale, rows), curve(drawn, cells, rows, span), strict=True)
    return [
        f"{figure.title} {told_figure(points[-1][1], figure.unit)}"[:width],
        *(f"{mark:>{margin}} {edge}{line}" for (mark, edge), line in lines),
        f"{'':{margin}} └{_steps(span, window, cells)}",
    ]


def _steps(span: Span, window: int, cells: int) -> str:
    """The axis of the steps: the first, the last, and of how many each point is the mean."""
    first, last = f"{span[0]:,} ", f" {span[1]:,}"
    mean = f" mean of {window} " if window > 1 else ""
    room = max(cells - len(first) - len(last), 1)
    return f"{first}{mean if len(mean) < room else '':─^{room}}{last}"


def _edges(scale: Sequence[str], rows: int) -> list[tuple[str, str]]:
    """What stands left of each line: the highest figure on top, the lowest at the bottom."""
    edges = [("", "│")] * rows
    high, low = scale
    if high == low:
        edges[rows // 2] = (high, "┤")
    else:
        edges[0], edges[-1] = (high, "┤"), (low, "┤")
    return edges
