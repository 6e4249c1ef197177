"""A store that a workspace in memory lets go between requests.

What was read (catalogue, vocabulary, vectors) and the models serve the next question too, unless
somebody changed the store or the settings meanwhile. Nothing is read on behalf of a request after
the store was let go: otherwise a cache could be written of what another process just forgot.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from localrec.foundation.file_marks import FileMark, file_mark
from localrec.graph.journal import STORE, open_settled
from localrec.graph.store import Columns, Store, Values

_WATCHED = (STORE, f"{STORE}.wal", "settings.toml")
WorkspaceMark = tuple[FileMark | None, ...]


def workspace_mark(folder: Path) -> WorkspaceMark:
    """Return a value that changes with every change of the store or the settings."""
    return tuple(file_mark(folder / name) for name in _WATCHED)


class LeasedStore(Store):
    """A store for reading that is opened by the first query and can be let go after any."""

    def __init__(self, folder: Path) -> None:
        # No connection yet: each of the methods below has the store opened that it needs.
        self.path = folder / STORE
        self.read_only = True
        self._open: Store | None = None

    def take(self) -> Store:
        """The store, opened where it is not.

        Raises:
            BusyError, WorkspaceError: as `open_settled`.
        """
        if self._open is None:
            self._open = open_settled(self.path.parent, read_only=True)
        return self._open

    def close(self) -> None:
        """Let the file go; the next query opens it again."""
        store, self._open = self._open, None
        if store is not None:
            store.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """As of the store."""
        with self.take().transaction():
            yield

    def execute(self, sql: str, values: Values = ()) -> None:
        """As of the store."""
        self.take().execute(sql, values)

    def rows(self, sql: str, values: Values = ()) -> list[tuple[Any, ...]]:
        """As of the store."""
        return self.take().rows(sql, values)

    def columns(self, sql: str, values: Values = ()) -> Columns:
        """As of the store."""
        return self.take().columns(sql, values)

    def query(self, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        """As of the store."""
        return self.take().query(sql)

    @contextmanager
    def staged(self, **tables: Columns) -> Iterator[None]:
        """As of the store."""
        with self.take().staged(**tables):
            yield


class HeldStore(LeasedStore):
    """An open store that keeps its turn among the threads of this process until it is closed.

    Args:
        folder: The workspace.
        store: Its store, open.
        turn: Contexts that end when the store is closed.
    """

    def __init__(self, folder: Path, store: Store, turn: ExitStack) -> None:
        super().__init__(folder)
        self.read_only = store.read_only
        self._open = store
        self._turn = turn

    def close(self) -> None:
        """Close the file, then let others have their turn."""
        super().close()
        self._turn.close()
