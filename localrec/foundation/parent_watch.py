"""A command that another process of localrec watches: it ends with whoever sent it.

The other end is `localrec/foundation/jobs.py`. The watch is a pipe to stdin on which nothing ever
comes but its end; steps go to stderr (`localrec/foundation/progress_lines.py`). Nothing heavy is
imported here, since every command asks whether it is watched.
"""

from __future__ import annotations

import os
import signal
import sys
import threading

PARENT_WATCH_VARIABLE = "LOCALREC_ON_A_LEASH"  # in the environment of whoever is on one


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
