"""What all plots are drawn with: the drawing itself, texts, whiskers, grid lines.

No colour is written here: `page.css` gives every class its light and its dark one, and none is the
only sign of anything. Lengths are units of the view box, which the page scales to fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from localrec.evaluation.reporting.axes import Axis, tick_text
from localrec.evaluation.reporting.markup import Markup, escaped, tag

Anchor = Literal["start", "middle", "end"]

_CAP = 3.0  # half the width of a whisker's ends
_LETTER = 7.1  # width of a letter at 12 units in a wide font; nothing here can measure one


def drawing(
    name: str, size: tuple[float, float], title: str, told: str, parts: Sequence[Markup]
) -> Markup:
    """A whole drawing, announced as one picture with a title and a description."""
    return tag(
        "svg",
        tag("title", escaped(title), id=f"{name}-title"),
        tag("desc", escaped(told), id=f"{name}-desc"),
        *parts,
        role="img",
        viewBox=f"0 0 {size[0]:g} {size[1]:g}",
        aria_labelledby=f"{name}-title {name}-desc",
    )


def standing_alone(drawn: Markup, style: str) -> str:
    """A drawing as a file that needs no page around it.

    Args:
        drawn: As `drawing` gives it.
        style: Its CSS; `.ground` is the ground that it stands on.
    """
    opening, body = drawn.split(">", 1)
    styled = tag("style", Markup(style))
    ground = tag("rect", class_="ground", width="100%", height="100%")
    space = 'xmlns="http://www.w3.org/2000/svg"'
    return f"{opening.replace('<svg', f'<svg {space}', 1)}>{styled}{ground}{body}\n"


def words(text: str, x: float, y: float, kind: str, anchor: Anchor = "start") -> Markup:
    """A line of text whose middle lies at `y`."""
    return tag("text", escaped(text), class_=kind, x=x, y=y, dy="0.34em", text_anchor=anchor)


def width_of(text: str) -> float:
    """About how wide a text will be."""
    return _LETTER * len(text)


def shortened(text: str, room: float) -> str:
    """A text that fits into so much room, the end left out where it does not."""
    fits = int(room / _LETTER)
    return text if len(text) <= fits else text[: max(1, fits - 1)].rstrip(" -_,") + "…"


def whisker(first: float, last: float, beside: float, *, upright: bool) -> Markup:
    """A line over an interval with a cap at both ends; `beside` is its place on the other axis."""
    along, across = ("V", "H") if upright else ("H", "V")
    caps = []
    for end in (first, last):
        corner = (beside - _CAP, end) if upright else (end, beside - _CAP)
        caps.append(f"M{corner[0]:.2f} {corner[1]:.2f}{across}{beside + _CAP:.2f}")
    begin = (beside, first) if upright else (first, beside)
    line = f"M{begin[0]:.2f} {begin[1]:.2f}{along}{last:.2f}"
    return tag("path", class_="whisker", d="".join([line, *caps]))


def upright_grid(axis: Axis, top: float, bottom: float) -> Markup:
    """Lines at an axis's round values, with the numbers below."""
    return tag(
        "g",
        *(
            tag("path", class_="grid", d=f"M{axis.at(tick):.2f} {top:g}V{bottom:g}")
            for tick in axis.ticks()
        ),
        *(
            words(tick_text(tick), axis.at(tick), bottom + 13, "tick", "middle")
            for tick in axis.ticks()
        ),
    )


def level_grid(axis: Axis, left: float, right: float) -> Markup:
    """Lines at a rising axis's round values, with the numbers on the left."""
    return tag(
        "g",
        *(
            tag("path", class_="grid", d=f"M{left:g} {axis.at(tick):.2f}H{right:g}")
            for tick in axis.ticks(6)
        ),
        *(words(tick_text(tick), left - 7, axis.at(tick), "tick", "end") for tick in axis.ticks(6)),
    )
