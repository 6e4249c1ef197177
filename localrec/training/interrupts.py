"""Ctrl+C that waits for the end of a step: half an update of the weights is no place to stop at."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def stop_between_steps() -> Iterator[Callable[[], bool]]:
    """A block in which the first Ctrl+C is only noted; the second ends everything at once.

    Gives a function that says whether it was pressed. Outside of the main thread, where signals
    never arrive, nothing is changed.
    """
    pressed = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield pressed.is_set
        return
    before = signal.getsignal(signal.SIGINT)

    def note(number: int, frame: FrameType | None) -> None:
        pressed.set()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, note)
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, before)
