"""Runs one long task: shows its progress, stops it, and passes on its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from textual import getters
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Static

from localrec.foundation.progress import Progress
from localrec_tui.base_app import BaseApp
from localrec_tui.messages import WorkFailed, WorkStopped
from localrec_tui.services.records import RequestHandle
from localrec_tui.widgets.progress import ProgressLine
from localrec_tui.workers import run_in_thread


class TaskPanel(Vertical):
    """Does one task at a time in a thread; a status line stands below its progress."""

    class TaskOver(Message):
        """The task ended in any way; its result, if any, comes in a message of its own."""

    @dataclass
    class TaskProgress(Message, bubble=False):
        """How far it is."""

        request: RequestHandle
        what: str
        done: int
        total: int

    @dataclass
    class TaskEnded(Message, bubble=False):
        """It is done."""

        request: RequestHandle
        found: Message

    app = getters.app(BaseApp)
    DEFAULT_CSS = """
    TaskPanel { height: auto; }
    TaskPanel #status { height: auto; max-height: 4; margin: 0 2; color: $text-muted; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._request: RequestHandle | None = None
        self._stop: Callable[[RequestHandle], None] = _nothing
        self._what = self._when_stopped = ""

    def compose(self) -> ComposeResult:
        """A line of progress, and a sentence."""
        yield ProgressLine()
        yield Static(id="status", markup=False)

    def on_unmount(self) -> None:
        """Stop the task that runs."""
        if (request := self._request) is not None:
            self.app.tell_task(self._what, None)
            self._stop(request)

    def is_busy(self) -> bool:
        """Tell whether a task runs; where one does, say so in the status line."""
        if self._request is not None:
            self.show_status(f"{self._what} is under way: one thing at a time. Esc stops it.")
        return self._request is not None

    def begin(
        self,
        what: str,
        work: Callable[[RequestHandle, Progress], Message],
        stop: Callable[[RequestHandle], None],
        when_stopped: str,
    ) -> None:
        """Begin a task, unless one runs.

        Args:
            what: Its name for people.
            work: Does it in a thread; the message that it returns bubbles up from here.
            stop: Stops it, without waiting.
            when_stopped: The sentence for when it was.
        """
        if self.is_busy():
            return
        self._request = request = RequestHandle()
        self.app.tell_task(what, "starting")
        self._what, self._stop, self._when_stopped = what, stop, when_stopped

        def on_progress(step: str, done: int, total: int) -> None:
            self.post_message(self.TaskProgress(request, step, done, total))

        self.show_status("")
        self.query_one(ProgressLine).step(f"{what}: starting", 0, 0)
        run_in_thread(
            self, what, lambda: self.TaskEnded(request, work(request, on_progress)), request
        )

    def stop(self) -> bool:
        """Stop the task; the second time at once. False where none runs."""
        request, stop = self._request, self._stop
        if request is None:
            return False
        again = "" if request.stopped.is_set() else " Esc again insists."
        self.show_status(f"Stopping {self._what} at a safe place …{again}")
        run_in_thread(self, "stopping", lambda: stop(request))
        return True

    def show_status(self, status: str) -> None:
        """Show a sentence in the status line."""
        self.query_one("#status", Static).update(status)

    # --- results ---

    def on_task_panel_task_progress(self, message: TaskProgress) -> None:
        """Show how far it is."""
        if message.request is self._request and not message.request.stopped.is_set():
            what = f"{self._what}: {message.what}"
            self.query_one(ProgressLine).step(what, message.done, message.total)
            counted = f" {message.done:,} of {message.total:,}" if message.total else ""
            self.app.tell_task(self._what, f"{message.what}{counted}")

    def on_task_panel_task_ended(self, message: TaskEnded) -> None:
        """Pass on the result."""
        self._end("")
        self.post_message(message.found)

    def on_work_stopped(self, message: WorkStopped) -> None:
        """Say that the task was stopped."""
        message.stop()
        self._end(self._when_stopped)

    def on_work_failed(self, message: WorkFailed) -> None:
        """Show the failure; a task that was ended by insisting counts as stopped."""
        message.stop()
        request = message.request
        if request is None:
            self.show_status(message.sentences)
        else:
            self._end(self._when_stopped if request.stopped.is_set() else message.sentences)

    def _end(self, sentence: str) -> None:
        self._request = None
        self.app.tell_task(self._what, None)
        self.query_one(ProgressLine).end()
        self.show_status(sentence)
        self.post_message(self.TaskOver())


def _nothing(request: RequestHandle) -> None:
    """No task runs that could be stopped."""
