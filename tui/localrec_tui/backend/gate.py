"""Who may use the store within this process: many readers, or one writer.

DuckDB refuses one file in two configurations within a process, so a writer waits until all
readers have let go.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition


class Gate:
    """Lets many readers in, or one writer."""

    def __init__(self) -> None:
        self._moved = Condition()
        self._readers = 0
        self._writing = False

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Wait until nobody writes; several may be inside."""
        with self._moved:
            self._moved.wait_for(lambda: not self._writing)
            self._readers += 1
        try:
            yield
        finally:
            with self._moved:
                self._readers -= 1
                self._moved.notify_all()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Wait until nobody reads or writes; nobody else is inside."""
        with self._moved:
            self._moved.wait_for(lambda: not self._writing and not self._readers)
            self._writing = True
        try:
            yield
        finally:
            with self._moved:
                self._writing = False
                self._moved.notify_all()
