"""The columns of a room: its list, the chosen line beside it, and a third where there is room."""

from __future__ import annotations

from textual.containers import Horizontal

BREAKPOINTS = [(0, "-narrow"), (100, "-wide"), (160, "-huge")]  # columns of the window


class Columns(Horizontal):
    """Shares the width among children of the classes `list`, `detail` and `side`.

    A screen that holds it has `BREAKPOINTS` for its width. A narrow one shows the list alone.
    """

    SCOPED_CSS = False  # how wide the window is, only the screen knows
    DEFAULT_CSS = """
    Columns { height: 1fr; width: 100%; }
    Columns > .list { width: 6fr; height: 1fr; }
    Columns > .detail { width: 5fr; height: 1fr; display: block; }
    Columns > .side { width: 4fr; height: 1fr; display: none; }
    .-narrow Columns > .list { width: 100%; border: none !important; }
    .-narrow Columns > .detail { display: none; }
    .-huge Columns > .side { display: block; }
    """
