"""How far something long is, and how much longer it takes, in one line."""

from __future__ import annotations

import time
from collections.abc import Callable

from textual.widgets import Static

from localrec_tui.plots import bar

_BAR = 20  # cells
_SURE = 0.02  # the share done from which the time left is worth telling


class ProgressLine(Static):
    """Shows steps as they are told; nothing takes no place.

    Args:
        clock: Seconds, for tests.
    """

    DEFAULT_CSS = """
    ProgressLine { height: 1; margin: 0 2; }
    ProgressLine.-none { display: none; }
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(markup=False, classes="-none")
        self._clock = clock
        self._what = ""
        self._began, self._before = 0.0, 0

    def step(self, what: str, done: int, total: int) -> None:
        """`done` of `total` of `what` are finished; a total of 0 is unknown."""
        if what != self._what:
            self._what, self._began, self._before = what, self._clock(), done
        self.set_class(False, "-none")
        if not total:
            self.update(f"{what} … Esc stops.")
            return
        counted = f"▕{bar(done, _BAR, total)}▏ {done:,} of {total:,}"
        self.update(f"{what} {counted}{self._left(done, total)}. Esc stops.")

    def end(self) -> None:
        """Hide the line: the task is over."""
        self._what = ""
        self.update("")
        self.set_class(True, "-none")

    def _left(self, done: int, total: int) -> str:
        """Estimate the time left from the pace so far; after a resume, from the pace since."""
        fresh = done - self._before
        if fresh <= 0 or fresh < _SURE * total or done >= total:
            return ""
        seconds = (self._clock() - self._began) * (total - done) / fresh
        return f", {format_duration(seconds)} left"


def format_duration(seconds: float) -> str:
    """Format a duration for reading: 8 s, 3 min 20 s, 2 h 5 min."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
