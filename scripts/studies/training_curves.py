"""How trainings went, as pictures: a panel for each figure, the steps from left to right.

A faint line joins the steps, a strong one their mean over a stretch around each; diamonds are the
validation requests, answered with the likeliest words.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from localrec.evaluation.reporting.axes import Axis, axis_over
from localrec.evaluation.reporting.template_engine import render_text
from localrec.training.jobs.training_runs import StepRecord

VALIDATION = "validation_"  # begins what is logged of the validation requests

PANEL, HEIGHT = 300.0, 220.0
LEFT, RIGHT, TOP, BOTTOM = 44.0, 12.0, 30.0, 40.0
STRETCH = 4  # steps on either side that a mean is taken over

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

TEMPLATE = """
{%- import "drawing.svg.jinja" as svg %}
{% call svg.drawing("curves", width, height, title, description, style) %}{% for one in panels -%}
{% set left, bottom = one.across.start, one.up.start -%}
{{ svg.words(one.title, left, 14, "name") }}
{{- svg.upright_grid(one.across, one.up.end, bottom) }}
{{- svg.level_grid(one.up, left, one.across.end) }}
{{- svg.words("step", one.across.end, height - 8, "axis", "end") }}
{%- for kind, points in (("step", one.shown), ("mean", one.means)) -%}
<path class="{{ kind }}" d="{% for step, value in points %}{{ "M" if loop.first else "L" -}}
{{ one.across.at(step) }} {{ one.up.at(value) }}{% endfor %}"/>
{%- endfor %}
{%- for step, value in one.validated %}
{{- svg.diamond(one.across.at(step), one.up.at(value), 5, "mark") }}{% endfor %}
{%- endfor %}{% endcall %}
"""


class Curve(msgspec.Struct, frozen=True):
    """One panel.

    Args:
        title: Its title.
        name: The name in the log.
        validated: Whether validation measures the same; a refinement learns on pairs, and is
            validated on lists.
    """

    title: str
    name: str
    validated: bool = True


def curves_picture(title: str, records: Sequence[StepRecord], curves: Sequence[Curve]) -> str:
    """Draw the panels of a training side by side, as SVG.

    Args:
        title: The title for readers who cannot see the picture.
        records: Of its steps, in order; at least one.
        curves: The panels.
    """
    described = "; ".join(describe(records, one) for one in curves)
    drawn = render_text(
        TEMPLATE,
        width=PANEL * len(curves),
        height=HEIGHT,
        title=title,
        description=f"{described}.",
        style=STYLE,
        panels=[panel(records, one, place * PANEL) for place, one in enumerate(curves)],
    )
    return f"{drawn.strip()}\n"


def panel(records: Sequence[StepRecord], curve: Curve, at: float) -> dict[str, object]:
    """Lay out one figure over the steps."""
    shown = points(records, curve.name)
    validated = points(records, f"{VALIDATION}{curve.name}") if curve.validated else []
    known = [value for _, value in (*shown, *validated)] or [0.0]
    return {
        "title": curve.title,
        "across": Axis(0.0, float(records[-1].step), at + LEFT, at + PANEL - RIGHT),
        "up": axis_over(known, HEIGHT - BOTTOM, TOP),
        "shown": shown,
        "means": smoothed(shown),
        "validated": validated,
    }


def points(records: Sequence[StepRecord], name: str) -> list[tuple[int, float]]:
    """Return the steps at which a figure was logged, with its values."""
    return [(one.step, value) for one in records if (value := one.values.get(name)) is not None]


def smoothed(found: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    """Replace each value by the mean of the values around it."""
    means = []
    for place, (step, _) in enumerate(found):
        near = found[max(0, place - STRETCH) : place + STRETCH + 1]
        means.append((step, sum(value for _, value in near) / len(near)))
    return means


def describe(records: Sequence[StepRecord], curve: Curve) -> str:
    """Describe a panel in words: where the figure began and where it ended."""
    means = smoothed(points(records, curve.name))
    if not means:
        return f"{curve.title}: nothing was logged"
    return f"{curve.title}: {means[0][1]:.2f} around the first step, {means[-1][1]:.2f} at the last"
