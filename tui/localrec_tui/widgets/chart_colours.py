"""Gives drawings in characters the colours of the theme; what they say stands without them too."""

from __future__ import annotations

import re
from collections.abc import Iterator

from textual.content import Content

# Bars and the dots of curves, then intervals; `localrec_tui.plots` draws with these characters.
_COLOURS = (
    (re.compile("[█▏▎▍▌▋▊▉\u2801-\u28ff]+"), "$accent"),
    (re.compile("├?─*●─*┤?"), "$warning"),
)


def coloured_chart(drawn: str) -> Content:
    """A drawing with its bars, curves and intervals in the theme's colours."""
    content = Content(drawn)
    for start, end, colour in _coloured_parts(drawn):
        content = content.stylize(colour, start, end)
    return content


def _coloured_parts(drawn: str) -> Iterator[tuple[int, int, str]]:
    for pattern, colour in _COLOURS:
        for found in pattern.finditer(drawn):
            yield (*found.span(), colour)
