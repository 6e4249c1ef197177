"""Models: what there is and what is here, who plays which role, and how fast it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.events import DescendantFocus
from textual.message import Message
from textual.widgets import DataTable, Label, Static

from localrec.foundation.progress import Progress
from localrec.foundation.settings import RULES
from localrec_tui.base_app import AppScreen
from localrec_tui.screens.choice import ChoiceDialog, ChoiceItem
from localrec_tui.services.models import ModelSpeed, RoleBinding, RunningModel
from localrec_tui.services.records import RequestHandle
from localrec_tui.widgets.cells import FittedTable, fill_table
from localrec_tui.widgets.columns import BREAKPOINTS, Columns
from localrec_tui.widgets.detail_pane import TextPane, megabytes
from localrec_tui.widgets.key_footer import KeyFooter
from localrec_tui.widgets.model_texts import (
    candidates_text,
    model_roles_text,
    model_text,
    player_and_figure,
    player_text,
    role_text,
)
from localrec_tui.widgets.nav_bar import NavBar
from localrec_tui.widgets.task_panel import TaskPanel
from localrec_tui.workers import run_in_thread

if TYPE_CHECKING:
    from localrec.llm.model_catalog import ListedModel

_CHAT = "chat"
_ROLES, _RUNNING = "Roles in this workspace", "Running now"
_HEADS = ("Name", "Here", "Size", "Kind", "Licence", "What")
_VERDICTS = {
    "ok": "is here and whole.",
    "missing": "is not here. P pulls it.",
    "damaged": "is damaged. P pulls it again.",
}


@dataclass
class ModelsLoaded(Message):
    """What there is, who plays what, what runs; `sentence`: what led to it."""

    models: Sequence[ListedModel]
    roles: tuple[RoleBinding, ...]
    running: tuple[RunningModel, ...]
    sentence: str = ""


@dataclass
class ModelTaskEnded(Message):
    """A task is done; `sentence`: its result in a sentence."""

    sentence: str


class ModelsScreen(AppScreen[None]):
    """The models of this machine."""

    TITLE = "Models"
    HELP = (
        "The models that localrec knows, and whether they are here. P pulls the one under the "
        "cursor, in a process of its own: that and no other key uses a network. C reads its files "
        "and checks them, T loads it and times how fast it reads and writes, Esc stops either.\n\n"
        "Below stand the roles of this workspace. Where nobody was chosen, whoever was measured to "
        "be better plays: mostly rules, which need no model. U says by which figure, lets a model "
        "play a role, and takes it back from a model or an adapter with “rules”. "
        "What runs for this app is listed with the memory it holds; A looks again. Where there is "
        "room, the model or role under the cursor stands beside them: its files, who plays it, by "
        "which figure and how it is tried; and beside that what else could."
    )
    HORIZONTAL_BREAKPOINTS = BREAKPOINTS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p", "pull", "Pull", id="pull"),
        Binding("c", "check", "Check", id="check"),
        Binding("t", "measure", "Speed test", id="measure"),
        Binding("u", "use", "Use in a role", id="use"),
        Binding("a", "look", "Look again", show=False, id="look"),
        Binding("escape", "stop", "Stop", show=False, id="stop"),
    ]
    DEFAULT_CSS = """
    ModelsScreen DataTable { height: auto; }
    ModelsScreen .head { display: none; }
    ModelsScreen #running { padding: 0 1; }
    ModelsScreen.-narrow .list > .pane { border: none; margin: 0 1; }
    ModelsScreen.-narrow #running { padding: 0; }
    ModelsScreen.-narrow .head { display: block; text-style: bold; margin: 1 1 0 1; }
    ModelsScreen TaskPanel { margin: 0 2; }
    ModelsScreen ProgressLine, ModelsScreen TaskPanel #status { margin: 0; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._models: Sequence[ListedModel] = ()
        self._roles: tuple[RoleBinding, ...] = ()
        self._is_at_roles = False  # whether the cursor is there, and not at the models

    def compose(self) -> ComposeResult:
        """The models, the roles, what runs."""
        yield NavBar()
        with Columns(id="body"):
            with VerticalScroll(can_focus=False, classes="list"):
                spare = (_HEADS.index("Kind"), _HEADS.index("Licence"))
                yield FittedTable(
                    _HEADS, _HEADS.index("What"), id="models", classes="pane", spare=spare
                )
                yield Label(_ROLES, classes="head")
                yield DataTable(id="roles", cursor_type="row", classes="pane")
                yield Label(_RUNNING, classes="head")
                yield Static("…", id="running", classes="pane", markup=False)
            yield TextPane(id="detail", classes="detail")
            yield TextPane(id="side", classes="side")
        yield TaskPanel()
        yield KeyFooter()

    def on_mount(self) -> None:
        """Name the columns and the panes."""
        self.query_one("#roles", DataTable).add_columns("Role", "Played by")
        for place, title in (("models", "Models"), ("roles", _ROLES), ("running", _RUNNING)):
            self.query_one(f"#{place}").border_title = title
        self.query_one("#models").focus()

    def on_screen_resume(self) -> None:
        """Others may have pulled or chosen meanwhile."""
        self.action_look()

    # --- keys ---

    def action_look(self) -> None:
        """Find out how things are."""
        run_in_thread(self, "models", self._found)

    def action_pull(self) -> None:
        """Fetch the model under the cursor."""
        if (model := self._current()) is not None:
            services, name = self.app.services.models, model.name
            self._begin(
                f"Pulling {name}",
                lambda request, on_progress: services.pull(name, request, on_progress),
                lambda _: f"{name} is here and whole ({model.licence}).",
            )

    def action_check(self) -> None:
        """Look whether the model's files are whole."""
        if (model := self._current()) is not None:
            services, name = self.app.services.models, model.name
            self.show_status(f"Reading {name} …")
            run_in_thread(
                self,
                "checking",
                lambda: ModelTaskEnded(f"{name} {_VERDICTS[services.check(name)]}"),
            )

    def action_measure(self) -> None:
        """Time the model under the cursor."""
        model = self._current()
        if model is None:
            return
        if model.kind != _CHAT:
            self.show_status(f"{model.name} makes vectors; only chat models read and write.")
            return
        services, name = self.app.services.models, model.name
        self._begin(
            f"The speed test of {name}",
            lambda request, on_progress: services.measure(name, request, on_progress),
            _speed,
        )

    def action_use(self) -> None:
        """Choose a role, then who plays it."""
        if self._roles:
            choices = [
                ChoiceItem(one.role, one.role, player_and_figure(one)) for one in self._roles
            ]
            row = self.query_one("#roles", DataTable).cursor_row
            screen = ChoiceDialog("Which role?", choices, self._roles[row].role)
            self.app.push_screen(screen, self._role_picked)

    def action_stop(self) -> None:
        """Stop the task that runs."""
        self.query_one(TaskPanel).stop()

    @on(DescendantFocus, "#models, #roles")
    def _table_reached(self, event: DescendantFocus) -> None:
        self._is_at_roles = event.widget.id == "roles"
        self._show_chosen()

    @on(DataTable.RowHighlighted)
    def _row_reached(self) -> None:
        self._show_chosen()

    @on(DataTable.RowSelected, "#roles")
    def _role_pressed(self, event: DataTable.RowSelected) -> None:
        self._role_picked(self._roles[event.cursor_row].role)

    def _role_picked(self, role: str | None) -> None:
        if role is None:
            return
        played = next(one for one in self._roles if one.role == role)
        choices = [ChoiceItem(one.name, one.name, one.title) for one in self._models if _chats(one)]
        if role != _CHAT:
            choices.append(ChoiceItem(RULES, "rules", "no model: takes the role back"))
        if not choices:
            self.show_status("No chat model is here yet. P pulls one.")
            return

        def picked(name: str | None) -> None:
            if name is not None:
                self._use(role, name)

        self.app.push_screen(ChoiceDialog(f"Who plays {role}?", choices, played.player), picked)

    def _use(self, role: str, name: str) -> None:
        services = self.app.services.models

        def work() -> ModelsLoaded:
            services.use(role, name)
            return self._found(f"{role} is played by {name} from the next question on.")

        self.show_status(f"Binding {role} …")
        run_in_thread(self, "binding a role", work)

    def _begin(
        self,
        what: str,
        work: Callable[[RequestHandle, Progress], object],
        tell: Callable[[object], str],
    ) -> None:
        """Begin a long task, unless one runs."""
        stop, when_stopped = self.app.services.models.stop, "Stopped; nothing half done was kept."
        self.query_one(TaskPanel).begin(
            what,
            lambda request, on_progress: ModelTaskEnded(tell(work(request, on_progress))),
            stop,
            when_stopped,
        )

    # --- what comes back ---

    def on_models_loaded(self, message: ModelsLoaded) -> None:
        """Show it."""
        self._models, self._roles = message.models, message.roles
        self.query_one("#models", FittedTable).fill(map(_cells, message.models))
        fill_table(
            self.query_one("#roles", DataTable),
            ((one.role, player_text(one)) for one in message.roles),
        )
        self._show_chosen()
        lines = [f"{one.name}  {_memory(one.memory)}" for one in message.running]
        told = "\n".join(lines) or "No model runs: one starts when a question needs it."
        self.query_one("#running", Static).update(told)
        if message.sentence:
            self.show_status(message.sentence)

    def on_model_task_ended(self, message: ModelTaskEnded) -> None:
        """Say what came of it."""
        self.show_status(message.sentence)

    def on_task_panel_task_over(self) -> None:
        """Find out how things are after the task."""
        self.action_look()

    def _found(self, sentence: str = "") -> ModelsLoaded:
        services = self.app.services.models
        return ModelsLoaded(services.models(), services.roles(), services.running(), sentence)

    def _show_chosen(self) -> None:
        """Show the model or the role under the cursor beside them, and what else there is."""
        detail, side = self.query_one("#detail", TextPane), self.query_one("#side", TextPane)
        services, models = self.app.services.models, tuple(self._models)
        place = self.query_one("#roles", DataTable).cursor_row
        if self._is_at_roles and 0 <= place < len(self._roles):
            binding = self._roles[place]
            role = binding.role
            detail.choose(binding, role, lambda: role_text(services.role_details(role)))
            side.choose(
                (binding, models),
                "Who else could",
                lambda: candidates_text(services.role_details(role), models),
            )
        elif (model := self._current()) is not None:
            state = (model, self._roles)
            detail.choose(
                state, model.name, lambda: model_text(model, services.model_details(model.name))
            )
            side.choose(
                (state, None),
                "Its roles",
                lambda: model_roles_text(model, services.model_details(model.name)),
            )

    def _current(self) -> ListedModel | None:
        row = self.query_one("#models", DataTable).cursor_row
        return self._models[row] if 0 <= row < len(self._models) else None


def _chats(model: ListedModel) -> bool:
    return model.here and model.kind == _CHAT


def _cells(model: ListedModel) -> tuple[str, ...]:
    here = "yes" if model.here else "no"
    return (model.name, here, megabytes(model.bytes), model.kind, model.licence, model.title)


def _memory(size: int | None) -> str:
    return "memory unknown" if size is None else megabytes(size)


def _speed(speed: object) -> str:
    assert isinstance(speed, ModelSpeed)
    return (
        f"{speed.name}: loads in {speed.load_s:.1f} s, reads {speed.read_per_s:,.0f} and writes "
        f"{speed.written_per_s:,.0f} tokens a second, holds {_memory(speed.memory)}."
    )
