"""Commands of localrec that are sent off for the app, followed to their end, and stopped."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from localrec_tui.backend.base import Progress, Request

if TYPE_CHECKING:
    from localrec.errands import Errand

_CLOSE_S = 2.0


class Sender:
    """Sends commands off on behalf of requests.

    Args:
        folder: The workspace they work on.
        close_s: How long they may take to end at a safe place when the app ends.
    """

    def __init__(self, folder: Path, close_s: float = _CLOSE_S) -> None:
        self._folder = folder
        self._close_s = close_s
        self._errands: dict[Request, Errand] = {}

    def send(
        self, arguments: Sequence[str], request: Request, progress: Progress
    ) -> tuple[Any, ...]:
        """Run a command to its end; returns the JSON documents that it printed.

        Raises:
            ModelCancelledError: the request was stopped.
            LocalrecError: the command failed, in its own words.
        """
        from localrec.errands import Errand
        from localrec.errors import CutShortError, ModelCancelledError
        from localrec_tui.backend.stopping import check

        check(request)
        errand = self._errands[request] = Errand(self._folder, arguments)
        try:
            check(request)  # it may have been stopped before the errand could hear it
            return errand.follow(lambda step: progress(step.what, step.done, step.total))
        except CutShortError as error:
            raise ModelCancelledError("Stopped.") from error
        finally:
            del self._errands[request]
            errand.close(self._close_s)
            request.over.set()

    def stop(self, request: Request) -> None:
        """Ask a command to end at a safe place; the second time insist."""
        request.stopped.set()
        if (errand := self._errands.get(request)) is not None:
            errand.stop()

    def close(self) -> None:
        """See that all of them have ended."""
        for request, errand in list(self._errands.items()):
            request.stopped.set()
            errand.close(self._close_s)
