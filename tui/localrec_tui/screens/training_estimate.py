"""A dialog that estimates a training before it begins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Label, Static

from localrec.foundation.progress import Progress
from localrec_tui.base_app import Dialog
from localrec_tui.services.records import RequestHandle
from localrec_tui.services.training_plans import TrainingPlan
from localrec_tui.services.trainings import TrainingEstimate
from localrec_tui.widgets.key_footer import KeyFooter
from localrec_tui.widgets.progress import format_duration
from localrec_tui.widgets.task_panel import TaskPanel


class TrainingEstimateDialog(Dialog[bool]):
    """Tries a short step and asks whether to begin; True says so, None leaves it.

    Args:
        plan: What would be trained.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "begin", "Begin", id="begin_training"),
    ]
    DEFAULT_CSS = """
    TrainingEstimateDialog > .dialog { width: 76; }
    TrainingEstimateDialog #estimate { margin: 1 0; }
    """

    @dataclass
    class EstimateFound(Message):
        """The estimate is ready."""

        estimated: TrainingEstimate

    def __init__(self, plan: TrainingPlan) -> None:
        super().__init__()
        self._plan = plan
        self._fits = False

    def compose(self) -> ComposeResult:
        """Compose the plan, its command line and its estimate."""
        with Vertical(classes="dialog"):
            yield Label(f"Train {self._plan.title}", classes="title", markup=False)
            yield Static(self._plan.command, classes="hint", markup=False)
            yield Static("A short step is tried, to see what this machine takes.", id="estimate")
            yield TaskPanel()
            yield KeyFooter()

    def on_mount(self) -> None:
        """Try a short step."""
        training, plan = self.app.services.trainings, self._plan

        def work(request: RequestHandle, on_progress: Progress) -> Message:
            return self.EstimateFound(training.estimate(plan, request, on_progress))

        self.query_one(TaskPanel).begin("The estimate", work, training.stop, "Stopped.")

    def action_begin(self) -> None:
        """Begin, once it is known to fit."""
        if self._fits:
            self.dismiss(True)

    def on_training_estimate_dialog_estimate_found(self, message: EstimateFound) -> None:
        """Show it."""
        self._fits = True
        told = f"{_estimate_text(message.estimated)}\nEnter begins, Esc leaves it."
        self.query_one("#estimate", Static).update(told)

    def on_task_panel_task_over(self) -> None:
        """One that failed says why below; there is nothing to begin."""
        if not self._fits:
            self.query_one("#estimate", Static).update("")


def _estimate_text(found: TrainingEstimate) -> str:
    memory = f"{found.memory / 1e9:.1f} GB"
    if found.available is not None:
        memory = f"{memory} of {found.available / 1e9:.1f} GB that are free"
    return (
        f"It takes about {format_duration(found.total_s)} ({found.step_s:,.1f} s a step) and "
        f"{memory}."
    )
