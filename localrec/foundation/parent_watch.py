"""A command that another process of localrec watches: it tells its steps, and ends with it.

The other end is `localrec/foundation/jobs.py`. The watch is a pipe to stdin on which nothing ever
comes but its end; steps go to stderr as lines of JSON among the notes.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import suppress

import msgspec

PARENT_WATCH_VARIABLE = "LOCALREC_ON_A_LEASH"  # in the environment of whoever is on one
_STEP_EVERY_S = 0.1


class ProgressMessage(msgspec.Struct, frozen=True):
    """How far a command is: `done` of `total` (0: nobody knows of how many) of `what`."""

    what: str
    done: int
    total: int


def is_watched_by_parent() -> bool:
    """Whether somebody waits for the end of this process, and hears its steps."""
    return PARENT_WATCH_VARIABLE in os.environ


def exit_with_parent() -> None:
    """From now on end, as by Ctrl+C, when the other side lets go or is gone."""
    # A process that was started in the background inherits that Ctrl+C means nothing.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=_await_end, name="parent-watch", daemon=True).start()


def _await_end() -> None:
    while os.read(sys.stdin.fileno(), 1024):
        pass
    os.kill(os.getpid(), signal.SIGINT)


class ProgressWriter:
    """Tells steps to the other side, ten a second at most, the last of each kind always."""

    def __init__(self) -> None:
        self._what = ""
        self._told = 0.0

    def __call__(self, what: str, done: int, total: int) -> None:
        """Tell that `done` of `total` of `what` are finished."""
        now = time.monotonic()
        is_last = bool(total) and done >= total
        if what == self._what and not is_last and now - self._told < _STEP_EVERY_S:
            return
        self._what, self._told = what, now
        with suppress(BrokenPipeError):  # nobody hears any more; what is under way is saved first
            sys.stderr.write(
                msgspec.json.encode(ProgressMessage(what, done, total)).decode() + "\n"
            )
            sys.stderr.flush()


def parse_progress(line: bytes) -> ProgressMessage | None:
    """The step that a line of stderr tells; None where it tells something else."""
    try:
        return msgspec.json.decode(line, type=ProgressMessage)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
