"""Runs: past evaluations in the workspace, and new ones; each can be opened and compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import DataTable, Static

from localrec.foundation.progress import Progress
from localrec_tui.base_app import AppScreen
from localrec_tui.screens.choice import ChoiceDialog, ChoiceItem
from localrec_tui.screens.run import RunScreen
from localrec_tui.screens.run_comparison import RunComparisonScreen
from localrec_tui.services.records import RequestHandle
from localrec_tui.services.runs import ConfigSummary, RunSummary
from localrec_tui.widgets.cells import FittedTable
from localrec_tui.widgets.columns import BREAKPOINTS, Columns
from localrec_tui.widgets.detail_pane import TextPane
from localrec_tui.widgets.key_footer import KeyFooter
from localrec_tui.widgets.nav_bar import NavBar
from localrec_tui.widgets.run_panes import RunPane, run_beside
from localrec_tui.widgets.task_panel import TaskPanel
from localrec_tui.workers import run_in_thread

_HEADS = ("Run", "State", "Begun", "Systems", "What")
_EMPTY = (
    "There are no runs in this workspace yet. N starts one that is ready: it measures systems on "
    "data that was pulled here, and keeps every case."
)
_SIGNS = {"complete": "✓ complete", "unfinished": "… unfinished", "unreadable": "✗ unreadable"}


class RunsScreen(AppScreen[None]):
    """All runs of the workspace."""

    TITLE = "Runs"
    HELP = (
        "What was measured in this workspace. Enter opens a run: its figures with 95% intervals, "
        "and every case. C compares two systems of one run or of two, metric by metric, over the "
        "cases of both.\n\n"
        "Where there is room, the run under the cursor stands beside the list with its figures and "
        "how it was made, and beside that the best other run of the same cases, or its own worst "
        "cases where there is none.\n\n"
        "N starts a run that ships with localrec, in a process of its own; Esc stops it at a safe "
        "place, and G goes on with one that was stopped. What is done is on disk, whatever happens."
    )
    HORIZONTAL_BREAKPOINTS = BREAKPOINTS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "start", "New run", id="start_run"),
        Binding("g", "resume", "Go on", id="resume_run"),
        Binding("c", "compare", "Compare", id="compare_runs"),
        Binding("escape", "stop", "Stop", show=False, id="stop"),
    ]
    DEFAULT_CSS = """
    RunsScreen #told { height: auto; margin: 1 2; }
    RunsScreen.-narrow #runs { margin: 0 1; }
    """

    @dataclass
    class RunsListed(Message):
        """The runs were listed."""

        found: tuple[RunSummary, ...]

    @dataclass
    class ConfigsOffered(Message):
        """The configurations that ship were read."""

        found: tuple[ConfigSummary, ...]

    @dataclass
    class RunEnded(Message):
        """A run that was started here is complete."""

        name: str

    def __init__(self) -> None:
        super().__init__()
        self._runs: tuple[RunSummary, ...] = ()

    def compose(self) -> ComposeResult:
        """Compose the runs, and the running task."""
        yield NavBar()
        yield Static("…", id="told", markup=False)
        with Columns(id="body"):
            spare = (_HEADS.index("Systems"), _HEADS.index("Begun"))
            yield FittedTable(
                _HEADS, _HEADS.index("What"), id="runs", classes="pane list", spare=spare
            )
            yield RunPane(id="detail", classes="detail", subtitle="Enter: all of it")
            yield TextPane(id="side", classes="side")
        yield TaskPanel()
        yield KeyFooter()

    def on_mount(self) -> None:
        """Begin in the list."""
        table = self.query_one(FittedTable)
        table.border_title = "Runs"
        table.focus()

    def on_screen_resume(self) -> None:
        """Others may have made runs while one was elsewhere."""
        self._list()

    # --- keys ---

    def action_start(self) -> None:
        """Choose what to run."""
        if self._tasks.is_busy():
            return
        evaluations = self.app.services.runs
        run_in_thread(self, "configurations", lambda: self.ConfigsOffered(evaluations.configs()))

    def action_resume(self) -> None:
        """Go on with the run that is pointed at."""
        run = self._current()
        if run is None or self._tasks.is_busy():
            return
        if run.state != "unfinished":
            self.show_status(f"{run.name} is {run.state}: there is nothing to go on with.")
            return
        evaluations = self.app.services.runs
        self._begin(
            run.name, lambda request, progress: evaluations.resume(run.name, request, progress)
        )

    def action_compare(self) -> None:
        """Choose the run to compare the current run with."""
        ours = self._current()
        if ours is None:
            return
        others = [one for one in self._runs if one.systems]
        if not ours.systems:
            self.show_status(f"{ours.name} has measured nothing to compare.")
            return
        choices = [ChoiceItem(one.name, one.name, one.title) for one in others]
        screen = ChoiceDialog(f"Compare {ours.name} with which run?", choices, ours.name)
        self.app.push_screen(screen, lambda name: self._other_picked(ours, name))

    def action_stop(self) -> None:
        """Stop the run that was started here."""
        self._tasks.stop()

    @on(DataTable.RowSelected)
    def _opened(self) -> None:
        run = self._current()
        if run is None:
            return
        if run.state == "unreadable":
            self.show_status(f"{run.title} Look into its folder, or take it away.")
        else:
            self.app.push_screen(RunScreen(run.name))

    @on(DataTable.RowHighlighted)
    def _row_reached(self) -> None:
        self._show_chosen()

    # --- what was picked ---

    def _config_picked(self, name: str | None) -> None:
        if name is not None:
            evaluations = self.app.services.runs
            self._begin(name, lambda request, progress: evaluations.start(name, request, progress))

    def _other_picked(self, ours: RunSummary, name: str | None) -> None:
        theirs = next((one for one in self._runs if one.name == name), None)
        if theirs is not None:
            self.app.push_screen(RunComparisonScreen(ours, theirs))

    # --- running ---

    def _begin(self, name: str, run: Callable[[RequestHandle, Progress], None]) -> None:
        def work(request: RequestHandle, on_progress: Progress) -> Message:
            run(request, on_progress)
            return self.RunEnded(name)

        when_stopped = f"{name} was stopped; what is done is on disk. G goes on with it."
        self._tasks.begin(name, work, self.app.services.runs.stop, when_stopped)

    def on_runs_screen_run_ended(self, message: RunEnded) -> None:
        """Say that the run is complete."""
        self.show_status(f"{message.name} is done. Enter opens it.")

    def on_task_panel_task_over(self) -> None:
        """List the runs again: one of them changed."""
        self._list()

    @property
    def _tasks(self) -> TaskPanel:
        return self.query_one(TaskPanel)

    # --- reading and drawing ---

    def _list(self) -> None:
        evaluations = self.app.services.runs
        run_in_thread(self, "runs", lambda: self.RunsListed(evaluations.runs()))

    def on_runs_screen_runs_listed(self, message: RunsListed) -> None:
        """Show them."""
        self._runs = message.found
        count = len(message.found)
        progress = f"{count:,} {'run' if count == 1 else 'runs'}. Enter opens one, C compares two."
        self.query_one("#told", Static).update(progress if count else _EMPTY)
        self.query_one(FittedTable).fill(map(_row, message.found))
        self._show_chosen()

    def on_runs_screen_configs_offered(self, message: ConfigsOffered) -> None:
        """Let the user choose a configuration."""
        done = {one.name: f" ({one.state})" for one in self._runs}
        choices = [
            ChoiceItem(one.name, f"{one.name}{done.get(one.name, '')}", one.title)
            for one in message.found
        ]
        screen = ChoiceDialog("Run what? It may take minutes to hours; Esc stops it.", choices, "")
        self.app.push_screen(screen, self._config_picked)

    def _show_chosen(self) -> None:
        """Show the run under the cursor beside the list, and what others came to."""
        run, evaluations = self._current(), self.app.services.runs
        detail, side = self.query_one(RunPane), self.query_one("#side", TextPane)
        if run is None:
            detail.clear()
            side.clear("")
            return
        if run.state == "unreadable":
            detail.clear(run.title)
        else:
            detail.choose(run, run.name, lambda: evaluations.run(run.name))
        if run.systems:
            first = run.systems[0]
            side.choose(  # another run may be the better one to stand beside it
                (run, self._runs), "Beside it", lambda: run_beside(evaluations, run.name, first)
            )
        else:
            side.clear("Nothing was measured yet.")

    def _current(self) -> RunSummary | None:
        row = self.query_one(DataTable).cursor_row
        return self._runs[row] if 0 <= row < len(self._runs) else None


def _row(run: RunSummary) -> tuple[str, ...]:
    return (run.name, _SIGNS[run.state], run.date, f"{len(run.systems)}", run.title)
