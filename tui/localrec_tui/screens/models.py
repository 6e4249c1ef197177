"""Models: what there is and what is here, who plays which role, and how fast it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.message import Message
from textual.widgets import DataTable, Footer, Label, Static

from localrec.settings import RULES
from localrec_tui.backend.base import Progress, Request
from localrec_tui.backend.modelling import ModelFound, RolePlayed, Running, Speed
from localrec_tui.messages import Failed, LoadStep, WasStopped
from localrec_tui.screens.picking import Choice, PickScreen
from localrec_tui.shell import Room
from localrec_tui.widgets.cells import fill
from localrec_tui.widgets.progress import ProgressLine
from localrec_tui.widgets.roombar import RoomBar
from localrec_tui.workers import work_for

_CHAT = "chat"
_VERDICTS = {
    "ok": "is here and whole.",
    "missing": "is not here. P pulls it.",
    "damaged": "is damaged. P pulls it again.",
}


class GotModels(Message):
    """What there is, who plays what, what runs; `told`: what led to it."""

    def __init__(
        self,
        models: tuple[ModelFound, ...],
        roles: tuple[RolePlayed, ...],
        running: tuple[Running, ...],
        told: str = "",
    ) -> None:
        super().__init__()
        self.models = models
        self.roles = roles
        self.running = running
        self.told = told


class Told(Message):
    """What came of something that changed nothing."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text


class Ended(Message):
    """A request is over; `told`: what came of it."""

    def __init__(self, request: Request, told: str) -> None:
        super().__init__()
        self.request = request
        self.told = told


class ModelsScreen(Room[None]):
    """The models of this machine."""

    TITLE = "Models"
    HELP = (
        "The models that localrec knows, and whether they are here. P pulls the one under the "
        "cursor, in a process of its own: that and no other key uses a network. C reads its files "
        "and checks them, T loads it and times how fast it reads and writes, Esc stops either.\n\n"
        "Below stand the roles of this workspace. U lets a model play one; “rules” gives it back. "
        "What runs for this app is listed with the memory it holds; A looks again."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p", "pull", "Pull", id="pull"),
        Binding("c", "check", "Check", id="check"),
        Binding("t", "measure", "Speed test", id="measure"),
        Binding("u", "use", "Use in a role", id="use"),
        Binding("a", "look", "Look again", show=False, id="look"),
        Binding("escape", "stop", "Stop", show=False, id="stop"),
    ]
    DEFAULT_CSS = """
    ModelsScreen DataTable { height: auto; margin: 0 1; }
    ModelsScreen .head { text-style: bold; margin: 1 1 0 1; }
    ModelsScreen #running { margin: 0 1; }
    ModelsScreen #status { height: auto; max-height: 4; margin: 0 2; color: $text-muted; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._models: tuple[ModelFound, ...] = ()
        self._roles: tuple[RolePlayed, ...] = ()
        self._request: Request | None = None

    def compose(self) -> ComposeResult:
        """The models, the roles, what runs."""
        yield RoomBar()
        with VerticalScroll(can_focus=False):
            yield DataTable(id="models", cursor_type="row", zebra_stripes=True)
            yield Label("Roles in this workspace", classes="head")
            yield DataTable(id="roles", cursor_type="row")
            yield Label("Running now", classes="head")
            yield Static("…", id="running", markup=False)
        yield ProgressLine()
        yield Static(id="status", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """Name the columns."""
        self.query_one("#models", DataTable).add_columns(
            "Name", "Here", "Size", "Kind", "Licence", "What"
        )
        self.query_one("#roles", DataTable).add_columns("Role", "Played by")
        self.query_one("#models").focus()

    def on_screen_resume(self) -> None:
        """Others may have pulled or chosen meanwhile."""
        self.action_look()

    def on_unmount(self) -> None:
        """What nobody waits for any more ends."""
        if self._request is not None:
            self.app.backend.models.stop(self._request)

    # --- keys ---

    def action_look(self) -> None:
        """Find out how things are."""
        work_for(self, "models", self._found)

    def action_pull(self) -> None:
        """Fetch the model under the cursor."""
        if (model := self._current()) is not None:
            backend, name = self.app.backend.models, model.name
            self._begin(
                "pulling a model",
                lambda request, heard: backend.pull(name, request, heard),
                lambda _: f"{name} is here and whole ({model.licence}).",
            )

    def action_check(self) -> None:
        """Look whether the model's files are whole."""
        if (model := self._current()) is not None:
            backend, name = self.app.backend.models, model.name
            self._tell(f"Reading {name} …")
            work_for(self, "checking", lambda: Told(f"{name} {_VERDICTS[backend.check(name)]}"))

    def action_measure(self) -> None:
        """Time the model under the cursor."""
        model = self._current()
        if model is None:
            return
        if model.kind != _CHAT:
            self._tell(f"{model.name} makes vectors; only chat models read and write.")
            return
        backend, name = self.app.backend.models, model.name
        self._begin(
            "speed test", lambda request, heard: backend.measure(name, request, heard), _speed
        )

    def action_use(self) -> None:
        """Choose a role, then who plays it."""
        if self._roles:
            choices = [Choice(one.role, one.role, _player(one)) for one in self._roles]
            row = self.query_one("#roles", DataTable).cursor_row
            screen = PickScreen("Which role?", choices, self._roles[row].role)
            self.app.push_screen(screen, self._role_picked)

    def action_stop(self) -> None:
        """Stop what runs."""
        if self._request is not None:
            self.app.backend.models.stop(self._request)
            self._tell("Stopping …")

    @on(DataTable.RowSelected, "#roles")
    def _role_pressed(self, event: DataTable.RowSelected) -> None:
        self._role_picked(self._roles[event.cursor_row].role)

    def _role_picked(self, role: str | None) -> None:
        if role is None:
            return
        played = next(one for one in self._roles if one.role == role)
        choices = [Choice(one.name, one.name, one.title) for one in self._models if _chats(one)]
        if role != _CHAT:
            choices.append(Choice(RULES, "rules", "no model"))
        if not choices:
            self._tell("No chat model is here yet. P pulls one.")
            return

        def picked(name: str | None) -> None:
            if name is not None:
                self._use(role, name)

        self.app.push_screen(PickScreen(f"Who plays {role}?", choices, played.player), picked)

    def _use(self, role: str, name: str) -> None:
        backend = self.app.backend.models

        def work() -> GotModels:
            backend.use(role, name)
            return self._found(f"{role} is played by {name} from the next question on.")

        self._tell(f"Binding {role} …")
        work_for(self, "binding a role", work)

    def _begin(
        self,
        what: str,
        work: Callable[[Request, Progress], object],
        tell: Callable[[object], str],
    ) -> None:
        """Start something long, unless something runs."""
        if self._request is not None:
            self._tell("Something is under way. Esc stops it.")
            return
        self._request = request = Request()
        self._tell("")

        def heard(what: str, done: int, total: int) -> None:
            self.post_message(LoadStep(what, done, total))

        work_for(self, what, lambda: Ended(request, tell(work(request, heard))), request)

    # --- what comes back ---

    def on_got_models(self, message: GotModels) -> None:
        """Show it."""
        self._models, self._roles = message.models, message.roles
        fill(self.query_one("#models", DataTable), map(_cells, message.models))
        fill(
            self.query_one("#roles", DataTable),
            ((one.role, _player(one)) for one in message.roles),
        )
        lines = [f"{one.name}  {_memory(one.memory)}" for one in message.running]
        told = "\n".join(lines) or "No model runs: one starts when a question needs it."
        self.query_one("#running", Static).update(told)
        if message.told:
            self._tell(message.told)

    def on_load_step(self, message: LoadStep) -> None:
        """Tell how far it is."""
        if self._request is not None and not self._request.stopped.is_set():
            self.query_one(ProgressLine).step(message.what, message.done, message.total)

    def on_ended(self, message: Ended) -> None:
        """Say what came of it."""
        if message.request is self._request:
            self._over(message.told)
            self.action_look()

    def on_told(self, message: Told) -> None:
        """Say it."""
        self._tell(message.text)

    def on_was_stopped(self, message: WasStopped) -> None:
        """Say so."""
        if message.request is self._request:
            self._over("Stopped; nothing half done was kept.")

    def on_failed(self, message: Failed) -> None:
        """Say why, and the remedy."""
        message.stop()
        told = f"{message.error} {message.remedy}".strip()
        if message.request is None:
            self._tell(told)
        else:
            self._over(told)

    def _over(self, told: str) -> None:
        self._request = None
        self.query_one(ProgressLine).end()
        self._tell(told)

    def _found(self, told: str = "") -> GotModels:
        backend = self.app.backend.models
        return GotModels(backend.models(), backend.roles(), backend.running(), told)

    def _current(self) -> ModelFound | None:
        row = self.query_one("#models", DataTable).cursor_row
        return self._models[row] if 0 <= row < len(self._models) else None

    def _tell(self, status: str) -> None:
        self.query_one("#status", Static).update(status)


def _chats(model: ModelFound) -> bool:
    return model.here and model.kind == _CHAT


def _cells(model: ModelFound) -> tuple[str, ...]:
    here = "yes" if model.here else "no"
    size = f"{model.size / 1e6:,.0f} MB"
    return (model.name, here, size, model.kind, model.licence, model.title)


def _player(one: RolePlayed) -> str:
    adapter = f" with {one.adapter}" if one.adapter else ""
    return f"{one.player}{adapter}" if one.player else "as measured best"


def _memory(size: int | None) -> str:
    return "memory unknown" if size is None else f"{size / 1e6:,.0f} MB"


def _speed(speed: object) -> str:
    assert isinstance(speed, Speed)
    return (
        f"{speed.name}: loads in {speed.load_s:.1f} s, reads {speed.read_per_s:,.0f} and writes "
        f"{speed.written_per_s:,.0f} tokens a second, holds {_memory(speed.memory)}."
    )
