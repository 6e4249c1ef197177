"""Looks for garbage while nobody presses a key, so that screens that were closed leave the memory.

Screens and widgets point at each other in circles, which only Python's collector finds. To look
through all that lives takes it longer than a key may wait, and left to itself it would do so in
the middle of a key, or, with the thresholds of `localrec`'s commands, hardly ever.
"""

from __future__ import annotations

import gc
import time

_IDLE_S = 0.6  # without a key: long for a typist, short for a reader
_YOUNG, _MIDDLE = 2_000, 10  # objects, and looks at those, before a look at what is a bit older
_NEVER_IDLE = 50  # such looks before all is looked through though keys still come
_WORTH_IT = 2  # such looks before the next pause is used
_MANY_CLOSED = 8  # screens whose memory is worth a key that waits


class IdleCollector:
    """Collects garbage in pauses; what lives when it begins is not looked at again."""

    def __init__(self) -> None:
        self._touched = time.monotonic()
        self._closed = 0  # screens, since all was looked through
        self._before: tuple[int, int, int] | None = None

    def begin(self) -> None:
        """Take over from the thresholds that hold; `end` brings them back."""
        self._before = gc.get_threshold()
        gc.freeze()
        gc.set_threshold(_YOUNG, _MIDDLE, _NEVER_IDLE)

    def touch(self) -> None:
        """Note that the user did something just now."""
        self._touched = time.monotonic()

    def note_closed(self) -> None:
        """Note that a screen was closed, which leaves more behind than hundreds of keys."""
        self._closed += 1

    def look(self) -> bool:
        """Collect where this is a pause and enough was made since the last time; whether it did.

        Many closed screens do not wait for a pause.
        """
        is_pause = time.monotonic() - self._touched >= _IDLE_S
        is_worth_it = self._closed > 0 or gc.get_count()[2] >= _WORTH_IT
        if self._closed < _MANY_CLOSED and not (is_pause and is_worth_it):
            return False
        self._closed = 0
        gc.collect()
        return True

    def end(self) -> None:
        """Give the collector back as it was."""
        if self._before is not None:
            gc.set_threshold(*self._before)
            gc.unfreeze()
            self._before = None
