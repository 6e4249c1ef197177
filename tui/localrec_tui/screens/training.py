"""Training: what learns or learnt in this workspace, begun, stopped, gone on with and tried."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import DataTable, Static

from localrec.foundation.progress import Progress
from localrec_tui.base_app import AppScreen
from localrec_tui.messages import WorkFailed
from localrec_tui.screens.adapter_compare import AdapterCompareScreen
from localrec_tui.screens.adapter_use import AdapterUseDialog
from localrec_tui.screens.choice import ChoiceDialog, ChoiceItem
from localrec_tui.screens.training_estimate import TrainingEstimateDialog
from localrec_tui.screens.training_run import TrainingAction, TrainingRunScreen
from localrec_tui.services.records import RequestHandle
from localrec_tui.services.training_plans import (
    TRAINING_SIZES,
    TrainingOption,
    TrainingPlan,
    free_name,
    make_plan,
)
from localrec_tui.services.training_reader import TrainingReader
from localrec_tui.services.trainings import ExportedAdapter, TrainingList, TrainingSummary
from localrec_tui.widgets.cells import FittedTable
from localrec_tui.widgets.columns import BREAKPOINTS, Columns
from localrec_tui.widgets.detail_pane import TextPane
from localrec_tui.widgets.key_footer import KeyFooter
from localrec_tui.widgets.nav_bar import NavBar
from localrec_tui.widgets.task_panel import TaskPanel
from localrec_tui.widgets.training_panes import TrainingPane, read_training, training_log
from localrec_tui.widgets.training_text import STATE_LABELS, trainer_label
from localrec_tui.workers import run_in_thread

_HEADS = ("Training", "State", "Step", "What", "Base", "Begun")
_EMPTY = (
    "Nothing was trained in this workspace yet. N begins: an adapter teaches a small model one "
    "role, such as reading what a question is about, and GRPO teaches the agent to rank. What it "
    "would take is told before."
)
_LOOK_S = 1.0  # how often is looked whether one of them went on


class TrainingScreen(AppScreen[None]):
    """All trainings of the workspace."""

    TITLE = "Training"
    HELP = (
        "What was trained in this workspace, here or by `localrec train`. Enter opens one with its "
        "curves, which grow while it goes on. Where there is room, the curves and settings of the "
        "one under the cursor stand beside the list, and its last steps beside those.\n\n"
        "N begins one: choose what, and how much; a short step is tried and what it all would take "
        "is told before anything begins, with the command line that does the same. It runs in a "
        "process of its own. Esc stops it at a safe place and saves, a second Esc insists, G goes "
        "on with one that was stopped, as if it had never been. One that another process trains is "
        "shown as it goes, and stopped there.\n\n"
        "X writes what a finished one came to as an adapter for a model, T asks the adapter and "
        "its bare base the same question, side by side. U lets an exported one play its role, and "
        "says before whom it replaces and by which figures; Models, U, takes the role back."
    )
    HORIZONTAL_BREAKPOINTS = BREAKPOINTS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "start", "New training", id="start_training"),
        Binding("g", "resume", "Go on", id="resume_training"),
        Binding("x", "export", "Export", id="export_training"),
        Binding("t", "try", "Try", id="try_training"),
        Binding("u", "use", "Use it as …", id="use_training"),
        Binding("escape", "stop", "Stop", show=False, id="stop"),
    ]
    DEFAULT_CSS = """
    TrainingScreen #told { height: auto; margin: 1 2; }
    TrainingScreen.-narrow #trainings { margin: 0 1; }
    """

    @dataclass
    class TrainingsListed(Message):
        """The trainings were listed; None: nothing changed."""

        found: TrainingList | None

    @dataclass
    class OptionsOffered(Message):
        """The possible trainings were listed."""

        found: tuple[TrainingOption, ...]

    @dataclass
    class TrainingEnded(Message):
        """A training came to its end."""

        name: str

    @dataclass
    class AdapterExported(Message):
        """An adapter was exported."""

        exported: ExportedAdapter

    def __init__(self) -> None:
        super().__init__()
        self._listed: TrainingList | None = None
        self._looks = False
        self._reader = TrainingReader()
        self._next_action: TrainingAction | None = None  # done once the list is read anew

    def compose(self) -> ComposeResult:
        """Compose the trainings, and the running task."""
        yield NavBar()
        yield Static("…", id="told", markup=False)
        with Columns(id="body"):
            spare = (_HEADS.index("Begun"), _HEADS.index("What"))
            yield FittedTable(
                _HEADS, _HEADS.index("Base"), id="trainings", classes="pane list", spare=spare
            )
            yield TrainingPane(id="detail", classes="detail", subtitle="Enter: its curves, large")
            yield TextPane(id="side", classes="side")
        yield TaskPanel()
        yield KeyFooter()

    def on_mount(self) -> None:
        """Begin in the list, and look every second whether something moved."""
        table = self.query_one(FittedTable)
        table.border_title = "Trainings"
        table.focus()
        self.set_interval(_LOOK_S, self._look)

    def on_screen_resume(self) -> None:
        """Others may have trained while one was elsewhere."""
        self._look()

    # --- keys ---

    def action_start(self) -> None:
        """Choose what to train."""
        if self._tasks.is_busy():
            return
        training = self.app.services.trainings
        run_in_thread(self, "what can be trained", lambda: self.OptionsOffered(training.trainees()))

    def action_resume(self) -> None:
        """Go on with the training that is pointed at."""
        found = self._current()
        if found is None or self._tasks.is_busy():
            return
        if found.state == "running":
            self.show_status(f"{found.name} is being trained, {trainer_label(found)}.")
        elif found.state != "stopped":
            self.show_status(f"{found.name} is {found.state}: there is nothing to go on with.")
        else:
            training, name = self.app.services.trainings, found.name
            self._train(name, partial(training.resume, name))

    def action_export(self) -> None:
        """Write the adapter of the training that is pointed at."""
        found = self._finished("exported")
        if found is None or self._tasks.is_busy():
            return
        training, name = self.app.services.trainings, found.name

        def work(request: RequestHandle, on_progress: Progress) -> Message:
            return self.AdapterExported(training.export(name, request, on_progress))

        when_stopped = "Stopped; nothing half done was kept."
        self._tasks.begin(f"Exporting {name}", work, training.stop, when_stopped)

    def action_try(self) -> None:
        """Ask the adapter of the training that is pointed at, and its base."""
        found = self._finished("tried")
        if found is not None:
            self.app.push_screen(AdapterCompareScreen(found.name, found.role.split(",")[0]))

    def action_use(self) -> None:
        """Let the exported adapter of the training that is pointed at play a role."""
        found = self._finished("used")
        if found is not None:
            self.app.push_screen(AdapterUseDialog(found.name), self._used)

    def _used(self, sentence: str | None) -> None:
        if sentence is not None:
            self.show_status(sentence)

    def action_stop(self) -> None:
        """Stop the task that was begun here."""
        self._tasks.stop()

    @on(DataTable.RowSelected)
    def _opened(self) -> None:
        found = self._current()
        if found is None:
            return
        if found.state == "unreadable":
            self.show_status(f"{found.remark} Look into its folder, or take it away.")
        else:
            self.app.push_screen(TrainingRunScreen(found.name), self._action_chosen)

    @on(DataTable.RowHighlighted)
    def _row_reached(self) -> None:
        self._show_chosen()

    def _action_chosen(self, next_action: TrainingAction | None) -> None:
        self._next_action = next_action

    async def _run_next_action(self) -> None:
        """Do the action chosen in an open training, now that its state is known."""
        next_action, self._next_action = self._next_action, None
        if next_action is not None:
            await self.run_action(next_action)

    # --- beginning one ---

    def on_training_screen_options_offered(self, message: OptionsOffered) -> None:
        """Let the user choose a training, then its size."""
        offered = {one.key: one for one in message.found}
        choices = [ChoiceItem(one.key, one.name, one.meaning) for one in message.found]

        def picked(key: str | None) -> None:
            if key is not None:
                self._pick_size(offered[key])

        self.app.push_screen(ChoiceDialog("Train what?", choices, ""), picked)

    def _pick_size(self, trainee: TrainingOption) -> None:
        sizes = {size.name: size for size in TRAINING_SIZES}
        choices = [ChoiceItem(size.name, size.name, size.meaning) for size in TRAINING_SIZES]

        def picked(name: str | None) -> None:
            if name is not None:
                plan = make_plan(trainee, sizes[name])
                self.app.push_screen(
                    TrainingEstimateDialog(plan), lambda begin: self._begin(plan, begin)
                )

        screen = ChoiceDialog(f"Train {trainee.name}: how much?", choices, "")
        self.app.push_screen(screen, picked)

    def _begin(self, plan: TrainingPlan, begin: bool | None) -> None:
        if not begin or self._tasks.is_busy():
            return
        training = self.app.services.trainings
        name = free_name(plan.stem, (one.name for one in self._trainings))
        self._train(
            name, lambda request, on_progress: training.start(plan, name, request, on_progress)
        )

    def _train(self, name: str, run: Callable[[RequestHandle, Progress], None]) -> None:
        def work(request: RequestHandle, on_progress: Progress) -> Message:
            run(request, on_progress)
            return self.TrainingEnded(name)

        when_stopped = f"{name} was stopped; what it saved is on disk. G goes on with it."
        self._tasks.begin(name, work, self.app.services.trainings.stop, when_stopped)

    # --- what comes of it ---

    def on_training_screen_training_ended(self, message: TrainingEnded) -> None:
        """Say so."""
        self.show_status(
            f"{message.name} is done. Enter shows its curves, T tries it, X exports it."
        )

    def on_training_screen_adapter_exported(self, message: AdapterExported) -> None:
        """Say where it lies, and how it gets to work."""
        self.show_status(_exported_text(message.exported))

    def on_task_panel_task_over(self) -> None:
        """Whatever ended, left something."""
        self._look()

    async def show_failure(self, failure: WorkFailed) -> None:
        """Show the failure; the next look may succeed."""
        self._looks, self._next_action = False, None
        await super().show_failure(failure)

    # --- reading and drawing ---

    def _look(self) -> None:
        """Look for changes; one look at a time, and none while the screen is hidden."""
        if self._looks or not self.is_current:
            return
        self._looks = True
        training = self.app.services.trainings
        mark = self._listed.mark if self._listed is not None else None
        run_in_thread(self, "trainings", lambda: self.TrainingsListed(training.trainings(mark)))

    async def on_training_screen_trainings_listed(self, message: TrainingsListed) -> None:
        """Show them."""
        self._looks = False
        if message.found is not None:
            self._show(message.found)
        await self._run_next_action()

    def _show(self, found: TrainingList) -> None:
        """Show them; the cursor stays with the training it is on."""
        pointed_at = self._current()
        self._listed = found
        count = len(self._trainings)
        noun = "training" if count == 1 else "trainings"
        told = f"{count:,} {noun}. Enter shows the curves of one, N begins another."
        self.query_one("#told", Static).update(told if count else _EMPTY)
        table = self.query_one(FittedTable)
        table.fill(map(_row, self._trainings))
        names = [one.name for one in self._trainings]
        if pointed_at is not None and pointed_at.name in names:
            table.move_cursor(row=names.index(pointed_at.name))
        self._show_chosen()

    def _show_chosen(self) -> None:
        """Show the training under the cursor beside the list, as far as it is now."""
        found, service = self._current(), self.app.services.trainings
        detail, side = self.query_one(TrainingPane), self.query_one("#side", TextPane)
        if found is None:
            detail.clear()
            side.clear("")
        elif found.state == "unreadable":
            detail.clear(found.remark)
            side.clear("")
        else:
            name, reader = found.name, self._reader
            detail.choose(found, name, lambda: read_training(reader, service, name))
            side.choose(found, "Last steps", lambda: training_log(reader, service, name))

    @property
    def _trainings(self) -> tuple[TrainingSummary, ...]:
        return self._listed.found if self._listed is not None else ()

    @property
    def _tasks(self) -> TaskPanel:
        return self.query_one(TaskPanel)

    def _current(self) -> TrainingSummary | None:
        row = self.query_one(DataTable).cursor_row
        return self._trainings[row] if 0 <= row < len(self._trainings) else None

    def _finished(self, what_for: str) -> TrainingSummary | None:
        """The training that is pointed at, if it came to its end; says so if not."""
        found = self._current()
        if found is not None and found.state != "finished":
            self.show_status(
                f"{found.name} is {found.state}: only a finished one can be {what_for}."
            )
            return None
        return found


def _exported_text(done: ExportedAdapter) -> str:
    roles = done.role.split(",")
    return (
        f"{done.file}: a {' and '.join(roles)} for {done.base}. U lets it work, as does "
        f"localrec models use {roles[0]} {done.file}"
    )


def _row(found: TrainingSummary) -> tuple[str, ...]:
    state = STATE_LABELS[found.state]
    if found.state == "running" and not found.is_ours:
        state = f"{state} ({found.holder})"
    steps = f"{found.step:,}/{found.steps:,}" if found.steps else ""
    what = {
        "grpo": "GRPO",
        "refine": "refinement",
        "from-default": "GRPO from the default's order",
        "adapter": found.role,
    }
    return (found.name, state, steps, what.get(found.kind, found.kind), found.base, found.begun)
