"""The queue of jobs as it moves: what waits, what was worked into memories, what failed and why."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import DataTable, Static

from localrec_tui.backend.base import Request
from localrec_tui.backend.remembering import Jobs
from localrec_tui.messages import Failed, WasStopped
from localrec_tui.plots import bar
from localrec_tui.shell import Shell
from localrec_tui.widgets.cells import Cell, fill
from localrec_tui.workers import work_for

if TYPE_CHECKING:
    from localrec.memory.queue import JobRow

_BAR = 24  # cells
_HEADS = ("Job", "State", "Who", "Did", "What", "Tries", "Remarks")


class JobsView(Vertical):
    """Looks at the queue, works it off, and says when something moved."""

    class Moved(Message):
        """The queue is no longer what it was: memories may be new."""

    class Told(Message):
        """Something the person should read."""

        def __init__(self, sentence: str) -> None:
            super().__init__()
            self.sentence = sentence

    class Looked(Message, bubble=False):
        """The queue was looked at; None: nothing moved."""

        def __init__(self, found: Jobs | None) -> None:
            super().__init__()
            self.found = found

    class Step(Message, bubble=False):
        """So many deeds are worked in, of so many."""

        def __init__(self, done: int, total: int) -> None:
            super().__init__()
            self.done, self.total = done, total

    class Worked(Message, bubble=False):
        """The work ended; what it did, in a sentence."""

        def __init__(self, told: str) -> None:
            super().__init__()
            self.told = told

    class Changed(Message, bubble=False):
        """The queue was changed; how, in a sentence."""

        def __init__(self, told: str) -> None:
            super().__init__()
            self.told = told

    DEFAULT_CSS = """
    JobsView #counts, JobsView #work { height: auto; }
    JobsView #work.-none { display: none; }
    JobsView DataTable { height: 1fr; margin-top: 1; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._jobs: Jobs | None = None
        self._looks = False
        self._request: Request | None = None

    def compose(self) -> ComposeResult:
        """How many there are of each state, how far the work is, and the newest rows."""
        yield Static("…", id="counts", markup=False)
        yield Static(id="work", markup=False, classes="-none")
        yield DataTable[Cell](cursor_type="row", zebra_stripes=True)

    def on_mount(self) -> None:
        """Set the heads of the columns."""
        self.query_one(DataTable).add_columns(*_HEADS)

    def on_unmount(self) -> None:
        """Nobody waits for the work any more."""
        if self._request is not None:
            self._request.stopped.set()

    # --- what the screen asks for ---

    def look(self) -> None:
        """Look whether the queue moved; one look at a time."""
        if self._looks:
            return
        self._looks = True
        memory, mark = self._shell.backend.memory, self._jobs.mark if self._jobs else None
        work_for(self, "jobs", lambda: self.Looked(memory.jobs(mark)))

    def work(self) -> None:
        """Work off what waits."""
        if self._request is not None:
            return
        memory, request = self._shell.backend.memory, Request()
        self._request = request

        def step(_: str, done: int, total: int) -> None:
            self.post_message(self.Step(done, total))

        def work() -> Message:
            from localrec.memory.telling import told_work  # NumPy: not before the first paint

            return self.Worked(told_work(memory.work(request, step)))

        self.post_message(self.Told("Working off jobs. Esc stops."))
        work_for(self, "working off jobs", work, request)

    def stop(self) -> None:
        """Stop the work, where there is some."""
        if (request := self._request) is not None:
            memory = self._shell.backend.memory
            self.post_message(self.Told("Stopping …"))
            work_for(self, "stopping", lambda: memory.stop(request))

    def hold(self) -> None:
        """Let jobs wait, or go on."""
        paused = self._jobs is None or not self._jobs.paused
        told = "Jobs wait from now on. H lets them go on." if paused else "Jobs go on."
        memory = self._shell.backend.memory
        self._change(lambda: memory.set_paused(paused), lambda _: told)

    def retry(self) -> None:
        """Let failed jobs wait again."""
        memory = self._shell.backend.memory
        self._change(memory.retry, lambda count: f"Failed jobs that wait again: {count:,}.")

    # --- what comes back ---

    def on_jobs_view_looked(self, message: Looked) -> None:
        """Show the queue."""
        self._looks = False
        if message.found is None:
            return
        had = self._jobs is not None
        self._jobs = message.found
        self.query_one("#counts", Static).update(_told_counts(message.found))
        fill(self.query_one(DataTable), map(_row, message.found.rows))
        if had:
            self.post_message(self.Moved())

    def on_jobs_view_step(self, message: Step) -> None:
        """Show how far the work is."""
        if self._request is not None and message.total:
            drawn = bar(message.done, _BAR, message.total)
            self._show_work(f"▕{drawn}▏ {message.done:,} of {message.total:,} deeds worked in")

    def on_jobs_view_worked(self, message: Worked) -> None:
        """Say what was done."""
        self._end(message.told)

    def on_was_stopped(self, message: WasStopped) -> None:
        """A model's call was stopped."""
        message.stop()
        self._end("Stopped; what was under way waits.")

    def on_jobs_view_changed(self, message: Changed) -> None:
        """Say so, and look again."""
        self.post_message(self.Told(message.told))
        self.look()

    def on_failed(self, message: Failed) -> None:
        """Say why, and what to do about it."""
        message.stop()
        self._looks = False
        told = f"{message.error} {message.remedy}".strip()
        if message.request is None:
            self.post_message(self.Told(told))
        else:
            self._end(told)

    def _end(self, told: str) -> None:
        self._request = None
        self._show_work("")
        self.post_message(self.Told(told))
        self.look()

    def _change(self, change: Callable[[], object], tell: Callable[[object], str]) -> None:
        work_for(self, "changing the queue", lambda: self.Changed(tell(change())))

    def _show_work(self, told: str) -> None:
        line = self.query_one("#work", Static)
        line.update(told)
        line.set_class(not told, "-none")

    @property
    def _shell(self) -> Shell:
        assert isinstance(self.app, Shell)
        return self.app


def _told_counts(jobs: Jobs) -> str:
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
