"""Keeps the log lines of this run for the log view, and writes the report of a fault.

Lines stay in memory and are written to a file only when a person saves them. The report of a fault
that ended the app names places in the code, never what variables held nor what an error says of
itself: either may be a question, a person or a folder of theirs.
"""

from __future__ import annotations

import logging
import os
import platform
import sys
import traceback
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

from localrec.foundation.errors import LocalrecError
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


class AppCrashedError(LocalrecError):
    """The app ended by a fault of its own."""


def crash_error(folder: Path, error: BaseException) -> AppCrashedError:
    """Save the report of a fault, and return an error with its path.

    Args:
        folder: The workspace; the report goes into its `logs/`.
        error: What ended the app.
    """
    told = f"The app ended by a fault of localrec ({type(error).__name__})."
    kept = "What was stored before is kept."
    try:
        path = save_report(folder, error)
    except (OSError, LocalrecError):
        return AppCrashedError(told, f"{kept} No report could be written to the workspace.")
    return AppCrashedError(told, f"{kept} Please file the report, which names nobody: {path}")


def save_report(folder: Path, error: BaseException) -> Path:
    """Write a report for its owner alone; returns its path.

    Raises:
        OSError, WorkspaceError: it cannot be written.
    """
    path = make_private(folder / "logs") / f"crash-{datetime.now():%Y%m%d-%H%M%S}.txt"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    with os.fdopen(os.open(path, flags, 0o600), "w", encoding="utf-8") as file:
        file.write("\n".join(crash_report(error)) + "\n")
    return path


def crash_report(error: BaseException) -> Iterator[str]:
    """The lines of a report: versions, then each error with its places, the cause last."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("localrec", "textual"))
    yield f"{packages}, Python {platform.python_version()}, {platform.system()}"
    link: BaseException | None = error
    seen: set[int] = set()
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield f"{type(link).__module__}.{type(link).__qualname__}"
        for frame, line in traceback.walk_tb(link.__traceback__):
            place = frame.f_globals.get("__name__", "?")
            yield f"  {place}, line {line}, in {frame.f_code.co_qualname}"
        link = link.__cause__ or link.__context__


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
