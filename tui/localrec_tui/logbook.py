"""What happened in this run of the app, for the log view: the last lines, in memory.

They are written to a file only when a person saves them.
"""

from __future__ import annotations

import logging
import os
from collections import deque
from datetime import datetime
from pathlib import Path

from localrec.paths import make_private

log = logging.getLogger("localrec_tui")
_LINES = 2_000


class Logbook(logging.Handler):
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
        """Begin to listen; nothing goes anywhere else, least of all to the terminal."""
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
