"""A workspace that stays in memory between requests while its store is let go.

What was read (catalogue, vocabulary, vectors) and the models serve the next request too, unless
somebody changed the store or the settings meanwhile. The file is closed a moment after the last
request, so that a command in another terminal gets its turn.
"""

from __future__ import annotations

import atexit
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

from localrec.foundation.delayed_close import DelayedClose

if TYPE_CHECKING:
    from localrec.graph.leased_store import LeasedStore, WorkspaceMark
    from localrec.llm.model_process import ModelProcess
    from localrec.workspace.model_pool import ModelPool, Models
    from localrec.workspace.workspace import OpenWorkspace

_AT_EXIT_S = 1.0  # a request that takes longer ends with the process
HOLD_S = 1.0  # how long the store stays open after a request
# After so many requests the store is closed and opened anew: some memory that DuckDB takes stays
# taken for as long as one connection is open, about 11 KiB a request.
REQUESTS_PER_CONNECTION = 500


class WarmWorkspace:
    """Serves one request at a time from a workspace folder; making one opens nothing.

    Args:
        folder: The workspace.
        hold_s: Seconds that the store stays open after a request.
        wrap: Turns the pool of models into what requests ask; by default the pool itself.
    """

    def __init__(
        self,
        folder: Path,
        hold_s: float = HOLD_S,
        wrap: Callable[[ModelPool], Models] | None = None,
    ) -> None:
        self.folder = folder
        self._wrap = wrap
        self._lock = RLock()  # one request at a time; guards all that follows
        self._opened: OpenWorkspace | None = None
        self._store: LeasedStore | None = None
        self._mark: WorkspaceMark | None = None
        self._pool: ModelPool | None = None  # outlives the workspace: starting takes seconds
        self._models: Models | None = None
        self._closing = DelayedClose(hold_s, self._lock, self._release)
        self._depth = 0  # leases that are open, one inside the other
        self._request_count = 0  # requests since the store was opened
        # A store that is open when Python ends makes DuckDB complain on stderr.
        atexit.register(_close_if_alive, weakref.ref(self))

    @contextmanager
    def lease(self) -> Iterator[OpenWorkspace]:
        """Open the workspace for reading, as it is now, for one request at a time.

        Raises:
            BusyError, WorkspaceError: the store cannot be opened.
        """
        with self._lock:
            self._closing.cancel()
            self._depth += 1
            try:
                yield self._current()
            finally:
                self._depth -= 1
                self._end_lease()

    @contextmanager
    def released(self) -> Iterator[None]:
        """Keep the store closed inside the block, so that it can be written."""
        with self._lock:
            self._release()
            yield

    def drop_if_changed(self) -> None:
        """Forget what was read where somebody changed the store or the settings since.

        What was forgotten is then no longer in memory, although nobody asks.
        """
        from localrec.graph.leased_store import workspace_mark

        with self._lock:
            if self._opened is not None and workspace_mark(self.folder) != self._mark:
                self._release()
                self._opened = self._mark = None

    def started_models(self) -> list[ModelProcess]:
        """List the models that were started, for whoever stops their calls."""
        return self._pool.started() if self._pool else []

    def close(self, timeout_s: float = -1) -> None:
        """Let the store go and end the models.

        Args:
            timeout_s: Seconds to wait for a request that is being served; -1 for ever. Its models
                end with this process when it takes longer.
        """
        if not self._lock.acquire(timeout=timeout_s):
            return
        try:
            self._release()
            self._opened = None
            if self._pool is not None:
                self._pool.close()
        finally:
            self._lock.release()

    def _current(self) -> OpenWorkspace:
        """Return the workspace; a new one where store or settings changed since it was read."""
        from localrec.foundation.settings import load_settings
        from localrec.graph.leased_store import LeasedStore, workspace_mark
        from localrec.workspace.model_pool import ModelPool
        from localrec.workspace.workspace import OpenWorkspace

        self._store = self._store or LeasedStore(self.folder)
        self._store.take()  # from here on nobody can change it
        mark = workspace_mark(self.folder)
        if self._pool is None or self._models is None:
            self._pool = ModelPool(load_settings(self.folder))
            self._models = self._wrap(self._pool) if self._wrap else self._pool
        if self._opened is None or mark != self._mark:
            self._opened = OpenWorkspace(self.folder, store=self._store, models=self._models)
            self._pool.use(self._opened.settings)
            self._mark = mark
        return self._opened

    def _end_lease(self) -> None:
        """Let the store go now, or in a moment; not in the middle of a request."""
        if self._depth:
            return
        self._request_count += 1
        if self._request_count >= REQUESTS_PER_CONNECTION:
            self._release()
        else:
            self._closing.restart()

    def _release(self) -> None:
        self._closing.cancel()
        self._request_count = 0
        if self._store is not None:
            self._store.close()


def _close_if_alive(workspace: weakref.ref[WarmWorkspace]) -> None:
    if (opened := workspace()) is not None:
        opened.close(_AT_EXIT_S)
