"""Shared access to the store: it stays open for a moment after a read, and one writer excludes all.

Opening the store takes 30 ms, more than reading a page of a catalogue; another connection to an
open store takes none.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Condition, Lock
from typing import TYPE_CHECKING

from localrec.foundation.delayed_close import DelayedClose

if TYPE_CHECKING:
    from localrec.graph.store import Store


class StorePool:
    """Holds the store of a workspace; making one opens nothing.

    Args:
        folder: The workspace.
        hold_s: How long the store stays open after its last reader came.
    """

    def __init__(self, folder: Path, hold_s: float) -> None:
        self._folder = folder
        self._moving = Lock()
        self._store: Store | None = None
        self._closing = DelayedClose(hold_s, self._moving, self._close)

    def open_reader(self) -> Store:
        """Open the store for reading; the caller closes it, the file stays open for a moment more.

        Raises:
            BusyError, WorkspaceError: as `open_settled`.
        """
        from localrec.graph.journal import open_settled

        with self._moving:
            if self._store is None:
                self._store = open_settled(self._folder, read_only=True)
            self._closing.restart()
            return self._store.beside()

    def close(self) -> None:
        """Close the store, so that it can be written."""
        with self._moving:
            self._close()

    def _close(self) -> None:
        self._closing.cancel()
        store, self._store = self._store, None
        if store is not None:
            store.close()


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
