"""Ratios as a picture: a row for each line, a diamond at its ratio, a bar where it was wanted."""

from __future__ import annotations

from collections.abc import Sequence

from peer_lines import PeerLine

from localrec.evaluation.reporting.axes import Axis
from localrec.evaluation.reporting.template_engine import render_text

WIDTH, ROW, TOP, BOTTOM = 760.0, 24.0, 34.0, 40.0
NAMES, RIGHT = 400.0, 20.0
LEAST, MOST = 0.01, 10.0

STYLE = """
svg { font: 12px system-ui, sans-serif; }
.ground { fill: #fcfcfb; } text { fill: #1c1d21; } .tick, .axis { fill: #5b5f68; }
path { fill: none; } .grid { stroke: #e2e2df; } .whisker { stroke: #9aa3b2; }
.even { stroke: #5b5f68; } .wanted { stroke: #ea7a2b; stroke-width: 3; } .ours { fill: #1f5fc4; }
@media (prefers-color-scheme: dark) {
.ground { fill: #141518; } text { fill: #e9e9ec; } .tick, .axis { fill: #a2a7b1; }
.grid { stroke: #32353c; } .even { stroke: #a2a7b1; } .ours { fill: #6ea5ff; }
}
"""

TEMPLATE = """
{%- import "drawing.svg.jinja" as svg %}
{% call svg.drawing("peers", width, height, title, description, style) %}
{{- svg.words("localrec's time over the peer's: further left is faster; orange: wanted", 12, 14,
"axis") }}
{{- svg.upright_grid(axis, top, bottom) }}
<path class="even" d="M{{ axis.at(1.0) }} {{ top }}V{{ bottom }}"/>
{%- for one, at in rows %}
{{- svg.words(one.name, names - 12, at, "name", "end") }}
{{- svg.whisker(axis.at(one.low), axis.at(one.high), at, false) }}
{%- if one.wanted and one.wanted.of == "ratio" -%}
<path class="wanted" d="M{{ axis.at(one.wanted.at_most) }} {{ at - 8 }}V{{ at + 8 }}"/>
{%- endif %}
{{- svg.diamond(axis.at(one.ratio), at, 5, "ours") }}
{%- endfor %}{% endcall %}
"""


def ratios_picture(lines: Sequence[PeerLine]) -> str:
    """Draw the ratios over one logarithmic axis, as SVG."""
    height = TOP + ROW * len(lines) + BOTTOM
    told = "; ".join(f"{one.name} {one.ratio:.2f}" for one in lines)
    drawn = render_text(
        TEMPLATE,
        width=WIDTH,
        height=height,
        title="localrec beside its peers",
        description=f"Ratios of time, ours over the peer's: {told}.",
        style=STYLE,
        axis=Axis(LEAST, MOST, NAMES, WIDTH - RIGHT, logarithmic=True),
        top=TOP,
        bottom=height - BOTTOM,
        names=NAMES,
        rows=[(one, TOP + ROW * (number + 0.5)) for number, one in enumerate(lines)],
    )
    return f"{drawn.strip()}\n"
