"""One training: its curves as they grow, its progress, and its configuration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.message import Message
from textual.widgets import Label, Static, TabbedContent, TabPane, Tabs

from localrec_tui.base_app import AppScreen
from localrec_tui.messages import WorkFailed
from localrec_tui.screens.choice import ChoiceDialog, ChoiceItem
from localrec_tui.services.trainings import (
    LoggedStep,
    TrainingPart,
    TrainingUpdate,
)
from localrec_tui.widgets.choice_field import ChoiceField
from localrec_tui.widgets.key_footer import KeyFooter
from localrec_tui.widgets.running_lines import RunningLines
from localrec_tui.widgets.training_curves import (
    Curve,
    Curves,
    format_metric,
    leading_metrics,
    logged_metric,
    metric_names,
    metric_points,
    step_span,
)
from localrec_tui.widgets.training_text import training_parts_text, training_state, training_way_on
from localrec_tui.workers import run_in_thread

TrainingAction = Literal[
    "resume", "export", "try", "use"
]  # what the room is to do when this screen is left

_CURVES, _ABOUT = "page-curves", "page-about"
_LOOK_S = 1.0  # how often is looked whether it did a step
_ALL = ""  # not one curve: the four that tell most


class TrainingRunScreen(AppScreen[TrainingAction]):
    """A training with its curves.

    Args:
        name: The training's name in the workspace.
    """

    HELP = (
        "The curves of one training, drawn anew as it goes on, whoever trains. Above each stands "
        "what was measured last; the scale goes from the lowest to the highest that is drawn. Of "
        "many steps a line is the mean of those around each. M shows one curve large, or the four "
        "again.\n\n"
        "G goes on with a training that was stopped, X exports one that is finished, T tries it "
        "beside its base, U lets it play its role. Esc leads back to the room, where Esc stops "
        "what was begun there."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m", "pick_curve", "Curve", id="curve"),
        Binding("g", "leave_to('resume')", "Go on", id="resume_training"),
        Binding("x", "leave_to('export')", "Export", id="export_training"),
        Binding("t", "leave_to('try')", "Try", id="try_training"),
        Binding("u", "leave_to('use')", "Use it as …", id="use_training"),
        Binding("escape,q,backspace", "back", "Back", id="back"),
    ]
    DEFAULT_CSS = """
    TrainingRunScreen #state { width: 1fr; }
    TrainingRunScreen TabbedContent { height: 1fr; }
    TrainingRunScreen TabPane { padding: 0; }
    TrainingRunScreen VerticalScroll { height: 1fr; padding: 0 2; }
    """

    @dataclass
    class TrainingRead(Message):
        """The training was looked at; None: nothing changed."""

        look: TrainingUpdate | None

    @dataclass
    class ConfigRead(Message):
        """The configuration was read."""

        parts: tuple[TrainingPart, ...]

    def __init__(self, name: str) -> None:
        super().__init__()
        self._run_name = name
        self._look_before: TrainingUpdate | None = None
        self._looks = False
        self._steps: list[LoggedStep] = []
        self._curve = _ALL

    def compose(self) -> ComposeResult:
        """How far it is, and a page for each view."""
        yield RunningLines()
        yield Label(f"Training {self._run_name}", classes="title", markup=False)
        with Horizontal(id="top"):
            yield ChoiceField("Curve", "M", id="curve")
            yield Static("…", id="state", markup=False)
        with TabbedContent(initial=_CURVES):
            with TabPane("Curves", id=_CURVES):
                yield Curves()
                yield Curve(id="one")
            with TabPane("About", id=_ABOUT), VerticalScroll():
                yield Static(id="about", markup=False)
        yield Static(id="status", markup=False)
        yield KeyFooter()

    def on_mount(self) -> None:
        """Read it, and look every second whether it goes on."""
        self.query_one(Tabs).focus()
        training, name = self.app.services.trainings, self._run_name
        run_in_thread(self, "training", lambda: self.ConfigRead(training.about(name)))
        self.set_interval(_LOOK_S, self._look)

    def on_screen_resume(self) -> None:
        """Look at once."""
        self._look()

    # --- keys ---

    def action_leave_to(self, next_action: TrainingAction) -> None:
        """Back to the trainings, where it is done."""
        self.dismiss(next_action)

    def action_pick_curve(self) -> None:
        """Choose the curve."""
        latest = self._steps[-1].values if self._steps else {}
        choices = [ChoiceItem(_ALL, "the four that tell most")]
        for name in metric_names(self._steps):
            title, unit = logged_metric(name)
            value = latest.get(name)
            choices.append(
                ChoiceItem(name, title, "" if value is None else format_metric(value, unit))
            )
        screen = ChoiceDialog("Which curve?", choices, self._curve)
        self.app.push_screen(screen, self._curve_picked)

    def _curve_picked(self, name: str | None) -> None:
        if name is not None:
            self._curve = name
            self._draw()

    # --- reading ---

    def _look(self) -> None:
        """Look for new steps; one look at a time, and none while the screen is hidden."""
        if self._looks or not self.is_current:
            return
        self._looks = True
        training, name = self.app.services.trainings, self._run_name
        mark = self._look_before.mark if self._look_before is not None else None
        run_in_thread(self, "training steps", lambda: self.TrainingRead(training.look(name, mark)))

    def on_training_run_screen_training_read(self, message: TrainingRead) -> None:
        """Show the new steps."""
        self._looks = False
        look = message.look
        if look is None:
            return
        self._look_before = look
        self._steps = [*(() if look.is_anew else self._steps), *look.steps]
        self.query_one("#state", Static).update(training_state(look, self._steps))
        self.show_status(training_way_on(look))
        self._draw()

    def on_training_run_screen_config_read(self, message: ConfigRead) -> None:
        """Show it."""
        self.query_one("#about", Static).update(training_parts_text(message.parts))

    async def show_failure(self, failure: WorkFailed) -> None:
        """Show the failure; the next look may succeed."""
        self._looks = False
        await super().show_failure(failure)

    def _draw(self) -> None:
        if self._look_before is None:
            return
        names = leading_metrics(self._look_before.found.kind, metric_names(self._steps))
        four, one = self.query_one(Curves), self.query_one("#one", Curve)
        four.set_class(self._curve != _ALL, "-none")
        one.set_class(self._curve == _ALL, "-none")
        self.query_one("#curve", ChoiceField).show(
            logged_metric(self._curve).title if self._curve else f"{len(names)} of them"
        )
        if self._curve == _ALL:
            four.show(self._steps, names)
        else:
            points = metric_points(self._steps, self._curve)
            one.show(logged_metric(self._curve), points, step_span(self._steps))
