"""Estimate how long a fit still takes, from the steps that it told so far.

A fit has a part for each kind of evidence before the weighing and one behind it. Their sizes are
known only relative to each other: training a network takes far longer than counting, and going on
with it about a third of its first training. How fast the machine is shows in what is finished, of
this fit alone: parts that were read from an earlier one took no time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

INNER, WEIGHING, ALL = "inner", "weighing the evidence", "all"
_NETWORK, _CONTINUED = 10.0, 3.4  # sizes, next to the counting of one kind
_WEIGHING = 3.0
_LEAST_SECONDS, _LEAST_SIZE = 2.0, 1.0  # before which nothing is foretold
_READ_S = 0.05  # a part that took less was read and not made


class TimeLeft:
    """Follow a fit, and estimate the seconds that are left.

    Args:
        kinds: Kinds of evidence, in the order in which they are fitted.
        networks: Those of them that are trained.
        clock: Tells the seconds.
    """

    def __init__(
        self,
        kinds: Sequence[str],
        networks: Sequence[str],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self._sizes = {f"{INNER}: {kind}": 1.0 for kind in kinds}
        self._sizes |= {f"{INNER}: {kind}": _NETWORK for kind in networks}
        self._sizes[WEIGHING] = _WEIGHING
        self._sizes |= {f"{ALL}: {kind}": 1.0 for kind in kinds}
        self._sizes |= {f"{ALL}: {kind}": _CONTINUED for kind in networks}
        self._part, self._began = "", 0.0
        self._done_size = self._done_seconds = 0.0
        self._share = 0.0  # of the part
        self._skipped: float | None = None  # of the part, by an earlier fit

    def record(self, what: str, done: int, total: int) -> None:
        """Take in one step, as `Progress` tells it."""
        if what in self._sizes and what != self._part:
            self._close()
            self._part, self._began = what, self._clock()
            self._share, self._skipped = 0.0, None
        elif total:
            self._share = min(1.0, done / total)
            if self._skipped is None:
                self._skipped = self._share  # an earlier fit came so far

    @property
    def seconds(self) -> float | None:
        """The seconds that are left; None where too little is done to say."""
        own = self._sizes.get(self._part, 0.0)
        size = self._done_size + (self._share - (self._skipped or 0.0)) * own
        spent = self._done_seconds + (self._clock() - self._began if self._share else 0.0)
        if not self._part or size < _LEAST_SIZE or spent < _LEAST_SECONDS:
            return None
        parts = list(self._sizes)
        behind = parts[parts.index(self._part) + 1 :]
        left = (1.0 - self._share) * own + sum(self._sizes[one] for one in behind)
        return spent / size * left

    def _close(self) -> None:
        """Count the part that ended, unless it was only read."""
        took = self._clock() - self._began
        if self._part and took >= _READ_S:
            self._done_size += (1.0 - (self._skipped or 0.0)) * self._sizes[self._part]
            self._done_seconds += took
