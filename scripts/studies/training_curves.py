"""How trainings went, as pictures: a panel for each figure, the steps from left to right.

A faint line joins the steps, a strong one their mean over a stretch around each; diamonds are the
validation requests, answered with the likeliest words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from localrec.evaluation.reporting.axes import Axis, axis_over
from localrec.evaluation.reporting.markup import Markup, tag
from localrec.evaluation.reporting.svg import (
    drawing,
    level_grid,
    standing_alone,
    upright_grid,
    words,
)
from localrec.training.jobs.training_runs import StepRecord

VALIDATION = "validation_"  # begins what is logged of the validation requests

_PANEL, _HEIGHT = 300.0, 220.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 44.0, 12.0, 30.0, 40.0
_STRETCH = 4  # steps on either side that a mean is taken over
_DIAMOND = 5.0

STYLE = """
svg { font: 12px system-ui, sans-serif; }
.ground { fill: #fcfcfb; } text { fill: #1c1d21; } .tick, .axis { fill: #5b5f68; }
path { fill: none; } .grid { stroke: #e2e2df; } .mark { fill: #ea7a2b; }
.step { stroke: #9aa3b2; stroke-opacity: 0.6; } .mean { stroke: #1f5fc4; stroke-width: 2; }
@media (prefers-color-scheme: dark) {
.ground { fill: #141518; } text { fill: #e9e9ec; } .tick, .axis { fill: #a2a7b1; }
.grid { stroke: #32353c; } .mean { stroke: #6ea5ff; }
}
"""


class Curve(msgspec.Struct, frozen=True):
    """One panel.

    Args:
        told: What it is called.
        name: What it is logged under.
        validated: Whether validation measures the same; a refinement learns on pairs, and is
            validated on lists.
    """

    told: str
    name: str
    validated: bool = True


def curves_picture(title: str, records: Sequence[StepRecord], curves: Sequence[Curve]) -> str:
    """The panels of a training side by side, as SVG.

    Args:
        title: For those who cannot see it.
        records: Of its steps, in order; at least one.
        curves: What is shown.
    """
    parts = [
        part for place, one in enumerate(curves) for part in _panel(records, one, place * _PANEL)
    ]
    told = "; ".join(_told(records, one) for one in curves)
    drawn = drawing("curves", (_PANEL * len(curves), _HEIGHT), title, f"{told}.", parts)
    return standing_alone(drawn, STYLE)


def _panel(records: Sequence[StepRecord], curve: Curve, at: float) -> Iterator[Markup]:
    """One figure over the steps."""
    shown = _points(records, curve.name)
    judged = _points(records, f"{VALIDATION}{curve.name}") if curve.validated else []
    left, right, bottom = at + _LEFT, at + _PANEL - _RIGHT, _HEIGHT - _BOTTOM
    steps = Axis(0.0, float(records[-1].step), left, right)
    values = axis_over([value for _, value in (*shown, *judged)] or [0.0], bottom, _TOP)
    yield words(curve.told, left, 14, "name")
    yield upright_grid(steps, _TOP, bottom)
    yield level_grid(values, left, right)
    yield words("step", right, _HEIGHT - 8, "axis", "end")
    yield _line(shown, steps, values, "step")
    yield _line(_smoothed(shown), steps, values, "mean")
    for step, value in judged:
        yield _diamond(steps.at(step), values.at(value))


def _points(records: Sequence[StepRecord], name: str) -> list[tuple[int, float]]:
    """The steps at which a figure was logged, with it."""
    return [(one.step, value) for one in records if (value := one.values.get(name)) is not None]


def _smoothed(points: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    """Each step with the mean of those around it."""
    found = []
    for place, (step, _) in enumerate(points):
        near = points[max(0, place - _STRETCH) : place + _STRETCH + 1]
        found.append((step, sum(value for _, value in near) / len(near)))
    return found


def _line(points: Sequence[tuple[int, float]], across: Axis, up: Axis, kind: str) -> Markup:
    places = [f"{across.at(step):.1f} {up.at(value):.1f}" for step, value in points]
    return tag("path", class_=kind, d="M" + "L".join(places) if places else "")


def _diamond(x: float, y: float) -> Markup:
    corners = ((0, -_DIAMOND), (_DIAMOND, 0), (0, _DIAMOND), (-_DIAMOND, 0))
    return tag(
        "polygon",
        class_="mark",
        points=" ".join(f"{x + right:.1f},{y + down:.1f}" for right, down in corners),
    )


def _told(records: Sequence[StepRecord], curve: Curve) -> str:
    """A panel in words: where the figure began and where it ended."""
    means = _smoothed(_points(records, curve.name))
    if not means:
        return f"{curve.told}: nothing was logged"
    return f"{curve.told}: {means[0][1]:.2f} around the first step, {means[-1][1]:.2f} at the last"
