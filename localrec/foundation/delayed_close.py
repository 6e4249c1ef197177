"""Closes a resource a moment after its last use."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from threading import Timer

Close = Callable[[], None]


class DelayedClose:
    """Closes a resource a moment after its last use, unless it is used again before.

    Args:
        hold_s: The moment, in seconds.
        lock: Guards the resource; `restart` and `cancel` are called while it is held.
        close: Closes the resource; called while the lock is held.
    """

    def __init__(self, hold_s: float, lock: AbstractContextManager[object], close: Close) -> None:
        self._hold_s = hold_s
        self._lock = lock
        self._close = close
        self._timer: Timer | None = None

    def restart(self) -> None:
        """Count the moment from now on."""
        self.cancel()
        timer = Timer(self._hold_s, lambda: self._expire(timer))
        timer.daemon = True  # the end of the process does not wait for it
        self._timer = timer
        timer.start()

    def cancel(self) -> None:
        """Keep the resource until the next `restart`."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _expire(self, timer: Timer) -> None:
        with self._lock:
            if self._timer is timer:
                self._close()
