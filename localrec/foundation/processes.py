"""Whether another process is still there, by its number."""

from __future__ import annotations

import os
from pathlib import Path


def is_over(process: int) -> bool:
    """Whether no process has this number any more, or it ended and waits for its parent to ask.

    False where that cannot be known: outside of POSIX a signal 0 would end the process.
    """
    if os.name != "posix":
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return _is_unreaped(process)


def _is_unreaped(process: int) -> bool:
    """Whether the process ended, though its number is kept (state Z); False without /proc."""
    try:
        told = Path(f"/proc/{process}/stat").read_text(errors="replace")
    except OSError:
        return False
    return told.rpartition(")")[2].split()[:1] == ["Z"]  # its name may hold brackets and spaces
