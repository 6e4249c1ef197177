"""Keeps the log lines of this run for the log view, and gives the terminal back after a fault.

Lines stay in memory and are written to a file only when a person saves them.
"""

from __future__ import annotations

import logging
import os
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from localrec.foundation.paths import make_private

log = logging.getLogger("localrec_tui")
_LINES = 2_000
# The other screen, the mouse in all its ways, focus and paste reports, further keys; the cursor.
_SANE = (
    "\x1b[?1049l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l"
    "\x1b[?1004l\x1b[?2004l\x1b[<u\x1b[0m\x1b[?25h"
)


class LogBuffer(logging.Handler):
    """Keeps the newest lines of `log`, from any thread."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(logging.Formatter("%(asctime)s %(levelname)-7s %(message)s", "%H:%M:%S"))
        self._lines: deque[str] = deque(maxlen=_LINES)

    @property
    def lines(self) -> list[str]:
        """Oldest first."""
        return list(self._lines)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record; one with a traceback makes several lines."""
        self._lines.extend(self.format(record).splitlines())

    def open(self) -> None:
        """Begin to collect the log; no line goes to the terminal."""
        log.setLevel(logging.INFO)
        log.propagate = False
        log.addHandler(self)

    def close(self) -> None:
        """Listen no more."""
        log.removeHandler(self)
        super().close()

    def save(self, folder: Path) -> Path:
        """Write all lines to a file in the workspace's `logs/`, for its owner alone.

        Raises:
            OSError, WorkspaceError: it cannot be written.
        """
        path = make_private(folder / "logs") / f"tui-{datetime.now():%Y%m%d-%H%M%S}.log"
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        with os.fdopen(os.open(path, flags, 0o600), "w", encoding="utf-8") as file:
            file.write("\n".join(self.lines) + "\n")
        return path


@contextmanager
def sane_terminal() -> Iterator[None]:
    """Give the terminal back as it was where the block raises."""
    try:
        import termios  # Windows has none, and needs none
    except ImportError:
        termios = None  # type: ignore[assignment]
    is_terminal = termios is not None and sys.stdin is not None and sys.stdin.isatty()
    before = termios.tcgetattr(sys.stdin) if is_terminal else None
    try:
        yield
    except BaseException:
        if before is not None:
            termios.tcsetattr(sys.stdin, termios.TCSANOW, before)
        if sys.__stderr__ is not None and sys.__stderr__.isatty():
            sys.__stderr__.write(_SANE)
            sys.__stderr__.flush()
        raise
