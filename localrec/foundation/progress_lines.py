"""The steps of a command that another process of localrec watches: lines of JSON on stderr."""

from __future__ import annotations

import sys
import time
from contextlib import suppress

import msgspec

_STEP_EVERY_S = 0.1


class ProgressMessage(msgspec.Struct, frozen=True):
    """The progress of a command: `done` of `total` (0 where the total is unknown) of `what`."""

    what: str
    done: int
    total: int


class ProgressWriter:
    """Tells steps to the other side, ten a second at most, the last of each kind always."""

    def __init__(self) -> None:
        self._what = ""
        self._written_at = 0.0

    def __call__(self, what: str, done: int, total: int) -> None:
        """Tell that `done` of `total` of `what` are finished."""
        now = time.monotonic()
        is_last = bool(total) and done >= total
        if what == self._what and not is_last and now - self._written_at < _STEP_EVERY_S:
            return
        self._what, self._written_at = what, now
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
