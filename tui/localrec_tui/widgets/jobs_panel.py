"""Shows the queue of jobs: the waiting, the done, and the failed with their errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import DataTable, Static

from localrec_tui.base_app import BaseApp
from localrec_tui.messages import WorkFailed
from localrec_tui.services.memory import QueueSnapshot
from localrec_tui.widgets.cells import Cell, fill_table
from localrec_tui.workers import run_in_thread

if TYPE_CHECKING:
    from localrec.memory.job_queue import JobRow

_HEADS = ("Job", "State", "Who", "Did", "What", "Tries", "Remarks")


class JobsPanel(Vertical):
    """Shows the queue, and tells when it moved."""

    class QueueMoved(Message):
        """The queue changed: memories may be new."""

    @dataclass
    class StatusTold(Message):
        """A sentence for the status line."""

        sentence: str

    @dataclass
    class QueueRead(Message, bubble=False):
        """The queue was looked at; None: nothing moved."""

        found: QueueSnapshot | None

    @dataclass
    class QueueChanged(Message, bubble=False):
        """The queue was changed; how, in a sentence."""

        sentence: str

    DEFAULT_CSS = """
    JobsPanel #counts { height: auto; }
    JobsPanel DataTable { height: 1fr; margin-top: 1; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._jobs: QueueSnapshot | None = None
        self._looks = False

    def compose(self) -> ComposeResult:
        """Compose the number of jobs in each state, and the newest jobs."""
        yield Static("…", id="counts", markup=False)
        yield DataTable[Cell](cursor_type="row", zebra_stripes=True)

    def on_mount(self) -> None:
        """Set the heads of the columns."""
        self.query_one(DataTable).add_columns(*_HEADS)

    # --- what the screen asks for ---

    def look(self) -> None:
        """Look whether the queue moved; one look at a time."""
        if self._looks:
            return
        self._looks = True
        memory, mark = self._base_app.services.memory, self._jobs.mark if self._jobs else None
        run_in_thread(self, "jobs", lambda: self.QueueRead(memory.jobs(mark)))

    def hold(self) -> None:
        """Let jobs wait, or go on."""
        paused = self._jobs is None or not self._jobs.paused
        told = "Jobs wait from now on. H lets them go on." if paused else "Jobs go on."
        memory = self._base_app.services.memory
        self._change(lambda: memory.set_paused(paused), lambda _: told)

    def retry(self) -> None:
        """Let failed jobs wait again."""
        memory = self._base_app.services.memory
        self._change(memory.retry, lambda count: f"Failed jobs that wait again: {count:,}.")

    # --- what comes back ---

    def on_jobs_panel_queue_read(self, message: QueueRead) -> None:
        """Show the queue."""
        self._looks = False
        if message.found is None:
            return
        was_filled = self._jobs is not None
        self._jobs = message.found
        self.query_one("#counts", Static).update(_counts_text(message.found))
        fill_table(self.query_one(DataTable), map(_row, message.found.rows))
        if was_filled:
            self.post_message(self.QueueMoved())

    def on_jobs_panel_queue_changed(self, message: QueueChanged) -> None:
        """Say that the queue changed, and look again."""
        self.post_message(self.StatusTold(message.sentence))
        self.look()

    def on_work_failed(self, message: WorkFailed) -> None:
        """Pass on the failure."""
        message.stop()
        self._looks = False
        self.post_message(self.StatusTold(message.sentences))

    def _change(self, change: Callable[[], object], tell: Callable[[object], str]) -> None:
        run_in_thread(self, "changing the queue", lambda: self.QueueChanged(tell(change())))

    @property
    def _base_app(self) -> BaseApp:
        assert isinstance(self.app, BaseApp)
        return self.app


def _counts_text(jobs: QueueSnapshot) -> str:
    counted = ", ".join(f"{count:,} {state}" for state, count in jobs.counts.items())
    if not any(jobs.counts.values()):
        return "No jobs yet: what somebody says of an item becomes one. Like something in Ask."
    held = "  They are on hold: H lets them go on." if jobs.paused else ""
    return f"{counted}.{held}" if jobs.counts["waiting"] == 0 else f"{counted}. W works.{held}"


def _row(row: JobRow) -> tuple[str, ...]:
    skipped = f"{len(row.skipped)} pinned, left as they are" if row.skipped else ""
    remarks = " ".join(filter(None, (row.error, skipped)))
    event = row.event.replace("_", " ")
    return (f"{row.job_id}", row.state, row.user, event, row.item, f"{row.attempts}", remarks)
