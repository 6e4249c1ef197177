"""How long this process waits for a store that another one has open, and who is told of it."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass

from localrec.foundation.errors import UsageError

TOLD_AFTER_S = 1.0
_LONGEST_WAIT_S = 86_400
COMMAND_WAIT_S = 30.0  # of a command; a program that calls localrec waits more briefly


def command_wait_s() -> float:
    """Return the seconds that a command waits; the variable LOCALREC_WAIT sets them.

    Raises:
        UsageError: the variable holds no number of seconds.
    """
    told = os.environ.get("LOCALREC_WAIT", "").strip()
    if not told:
        return COMMAND_WAIT_S
    try:
        seconds = float(told)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds <= _LONGEST_WAIT_S:
        raise UsageError(
            f"LOCALREC_WAIT is {told[:40]!r}, which is no number of seconds from 0 to "
            f"{_LONGEST_WAIT_S:,}.",
            "Set it to 30, or unset it.",
        )
    return seconds


@dataclass
class Patience:
    """The patience of a process.

    Args:
        wait_s: Default seconds to wait for a store.
        tell: Called once with a sentence when the wait is longer than a second.
    """

    wait_s: float = 3.0
    tell: Callable[[str], object] | None = None


PATIENCE = Patience()
