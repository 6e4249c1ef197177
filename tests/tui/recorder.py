"""What every planted service does: it records calls, fails on request and waits on request."""

from __future__ import annotations

import threading

from localrec.foundation.errors import LocalrecError, ModelCancelledError
from localrec_tui.services.records import RequestHandle


class Recorder:
    """Records the calls of a planted service.

    Attributes:
        told: The calls in order, each with its argument.
        trouble: The next call raises it.
        goes_on: While it is cleared, long calls wait for it, or for the end of their request.
    """

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)
        self.trouble: LocalrecError | Exception | None = None
        self.goes_on = threading.Event()
        self.goes_on.set()
        self.told: list[tuple[object, ...]] = []

    def stop(self, request: RequestHandle) -> None:
        request.stopped.set()
        self.goes_on.set()

    def _note(self, *call: object) -> None:
        self.told.append(call)
        self._trip()

    def _trip(self) -> None:
        trouble, self.trouble = self.trouble, None
        if trouble is not None:
            raise trouble

    def _wait(self, request: RequestHandle) -> None:
        self.goes_on.wait(10)
        if request.stopped.is_set():
            raise ModelCancelledError("Stopped.")
