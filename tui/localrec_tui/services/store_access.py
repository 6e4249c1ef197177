"""A store that stays open for a moment after it was read, for whoever reads next.

To open it takes 30 ms, more than to read a page of a catalogue; another connection to one that is
open takes none.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Condition, Lock, Timer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from localrec.graph.store import Store


class StorePool:
    """Holds the store of a workspace; making one opens nothing.

    Args:
        folder: The workspace.
        linger_s: How long it is held after it was opened last.
    """

    def __init__(self, folder: Path, hold_s: float) -> None:
        self._folder = folder
        self._hold_s = hold_s
        self._moving = Lock()
        self._store: Store | None = None
        self._timer: Timer | None = None

    def open_reader(self) -> Store:
        """The store for reading, for the caller to close; the file stays open for a moment more.

        Raises:
            BusyError, WorkspaceError: as `open_settled`.
        """
        from localrec.graph.journal import open_settled

        with self._moving:
            if self._store is None:
                self._store = open_settled(self._folder, read_only=True)
            self._stop_waiting()
            timer = Timer(self._hold_s, lambda: self._time_is_up(timer))
            timer.daemon = True  # the end of the app waits for nothing
            self._timer = timer
            timer.start()
            return self._store.beside()

    def close(self) -> None:
        """Close the store, so that it can be written."""
        with self._moving:
            self._close()

    def _time_is_up(self, timer: Timer) -> None:
        with self._moving:
            if self._timer is timer:
                self._close()

    def _close(self) -> None:
        self._stop_waiting()
        store, self._store = self._store, None
        if store is not None:
            store.close()

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class ReadWriteLock:
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
