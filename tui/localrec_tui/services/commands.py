"""Commands of localrec that are sent off for the app, followed to their end, and stopped."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from localrec.foundation.progress import Progress
from localrec_tui.services.records import RequestHandle

if TYPE_CHECKING:
    from localrec.foundation.jobs import CommandJob

_CLOSE_S = 2.0


class CommandRunner:
    """Sends commands off on behalf of requests.

    Args:
        folder: The workspace they work on.
        close_s: How long they may take to end at a safe place when the app ends.
    """

    def __init__(self, folder: Path, close_s: float = _CLOSE_S) -> None:
        self._folder = folder
        self._close_s = close_s
        self._jobs: dict[RequestHandle, CommandJob] = {}

    def send(
        self, arguments: Sequence[str], request: RequestHandle, progress: Progress
    ) -> tuple[Any, ...]:
        """Run a command to its end; returns the JSON documents that it printed.

        Raises:
            ModelCancelledError: the request was stopped.
            LocalrecError: the command failed, in its own words.
        """
        from localrec.foundation.errors import CutShortError, ModelCancelledError
        from localrec.foundation.jobs import CommandJob
        from localrec_tui.services.cancellation import raise_if_stopped

        raise_if_stopped(request)
        job = self._jobs[request] = CommandJob(self._folder, arguments)
        try:
            raise_if_stopped(request)  # it may have been stopped before the job could hear it
            return job.follow(lambda step: progress(step.what, step.done, step.total))
        except CutShortError as error:
            raise ModelCancelledError("Stopped.") from error
        finally:
            del self._jobs[request]
            job.close(self._close_s)
            request.over.set()

    def stop(self, request: RequestHandle) -> None:
        """Ask a command to end at a safe place; the second time insist."""
        request.stopped.set()
        if (job := self._jobs.get(request)) is not None:
            job.stop()

    def close(self) -> None:
        """See that all of them have ended."""
        for request, job in list(self._jobs.items()):
            request.stopped.set()
            job.close(self._close_s)
