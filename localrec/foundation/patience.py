"""How long this process waits for a store that another one has open, and who is told of it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

TOLD_AFTER_S = 1.0
COMMAND_WAIT_S = 30.0  # of a command; a program that calls localrec waits more briefly


def command_wait_s() -> float:
    """How long a command waits; LOCALREC_WAIT changes it, in seconds."""
    try:
        return max(0.0, float(os.environ.get("LOCALREC_WAIT", COMMAND_WAIT_S)))
    except ValueError:
        return COMMAND_WAIT_S


@dataclass
class Patience:
    """The patience of a process.

    Args:
        wait_s: How long a store is waited for where nobody says how long.
        tell: Called once with a sentence when the wait is longer than a second.
    """

    wait_s: float = 3.0
    tell: Callable[[str], object] | None = None


PATIENCE = Patience()
