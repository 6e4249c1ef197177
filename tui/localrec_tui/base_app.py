"""The base of the app and of its screens: the workspace, the user, the log, the status line.

Apart from the app itself, which knows the screens.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from textual import events, getters
from textual._styles_cache import StylesCache
from textual.app import App
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.dom import DOMNode
from textual.geometry import Offset
from textual.reactive import reactive
from textual.screen import ModalScreen, Screen
from textual.signal import Signal
from textual.widget import Widget
from textual.widgets import Footer, OptionList, Static

from localrec_tui.garbage import IdleCollector
from localrec_tui.log_buffer import LogBuffer
from localrec_tui.messages import (
    FeedbackStored,
    LearningSeen,
    LearningStopped,
    RankingLearnt,
    WorkFailed,
    WorkStopped,
)
from localrec_tui.preferences import load_preferences
from localrec_tui.readable_colours import readable_variables
from localrec_tui.services.app_services import AppServices
from localrec_tui.services.records import RequestHandle
from localrec_tui.workers import run_in_thread

if TYPE_CHECKING:
    from textual_image.widget._base import Image

    from localrec.ranking.learned.progress_file import LearningProgress

_Result = TypeVar("_Result")
HEIGHTS = [(0, "-low"), (30, "-high")]  # lines of the window, for dialogs that hold a list
_PACKAGE = __name__.partition(".")[0]
_PAUSE_S = 0.3  # between two looks whether this is a pause
_TONES = ("accent", "secondary", "success", "warning", "primary")  # of domains, in turn
_TONE_CSS = "\n".join(
    f"AppScreen.-tone-{n} .pane {{ border-title-color: $text-{colour}; }}\n"
    f"AppScreen.-tone-{n} .pane:focus {{ border: round ${colour}; }}"
    for n, colour in enumerate(_TONES)
)


class BaseApp(App[None]):
    """The app as its screens see it.

    Args:
        folder: The workspace.
        services: The services behind the screens.

    Raises:
        InputError: the preferences in the workspace cannot be read.
    """

    user: reactive[str | None] = reactive(None)  # the key of the user; None for no user
    running_tasks: reactive[dict[str, str]] = reactive({})  # what runs, and how far it is
    running_fits: reactive[tuple[LearningProgress, ...]] = reactive(())  # of rankings, now

    def __init__(self, folder: Path, services: AppServices) -> None:
        super().__init__()
        self.folder = folder
        self.services = services
        self.logbook = LogBuffer()
        self.preferences = load_preferences(folder)
        self._learning: RequestHandle | None = None  # what `action_learn` began, until it is over
        # Rooms that are not in front get no messages of the app, but must not show what is past.
        self.feedback_stored: Signal[FeedbackStored] = Signal(self, "feedback_stored")
        self.user_forgotten: Signal[str] = Signal(self, "user_forgotten")  # the user's key
        self.data_changed: Signal[str] = Signal(self, "data_changed")  # by an import: what came in
        self.wants_example = False  # the first run is over: Ask shows an example
        self.pending_question: str | None = None  # that Ask is to ask when it comes in front
        self.collector = IdleCollector()
        self.pixel_widget: type[Image] | None = None  # shows pictures in pixels, where it can be

    def on_ready(self) -> None:
        """The first paint is done: from now on garbage is looked for in pauses."""
        self.collector.begin()
        self.set_interval(_PAUSE_S, self.collector.look)

    def on_unmount(self) -> None:
        """Give Python's collector back as it was."""
        self.collector.end()

    async def on_event(self, event: events.Event) -> None:
        """Note when the user did something."""
        if isinstance(event, events.InputEvent):
            self.collector.touch()
        await super().on_event(event)

    def get_css_variables(self) -> dict[str, str]:
        """Return the theme's variables, with texts that can be read whatever the theme."""
        self.theme_variables = readable_variables(super().get_css_variables())
        return self.theme_variables

    @classmethod
    def main_screens(cls) -> dict[str, type[AppScreen[None]]]:
        """The rooms that one can go to, in the order of their keys: what Textual calls modes."""
        return dict(cls.MODES)  # type: ignore[arg-type]

    def ask_question(self, text: str) -> None:
        """Ask a question in the room Ask, from any room."""
        self.pending_question = text
        self.switch_mode("ask")

    def tell_task(self, what: str, step: str | None) -> None:
        """Let every room show how far a long task is.

        Args:
            what: Its name.
            step: How far it is; None: it is over.
        """
        others = {name: told for name, told in self.running_tasks.items() if name != what}
        self.running_tasks = others if step is None else {**others, what: step}

    def edit_settings(self) -> None:
        """Change the settings of the workspace in an editor."""
        raise NotImplementedError

    # --- learning the ranking ---

    def look_at_learning(self) -> None:
        """Look how far the rankings are that are being learnt, in a thread."""
        learning = self.services.learning
        run_in_thread(
            self, "looking at learning", lambda: LearningSeen(learning.running()), is_logged=False
        )

    def action_learn(self) -> None:
        """Learn the default ranking of all domains, in a process beside the app."""
        if self._learning is not None or self.running_fits:
            self.notify("A ranking is being learnt already.")
            return
        self._learning = request = RequestHandle()
        self.notify("Learning begins; lists work meanwhile. Shift+F12 stops it.")
        learning = self.services.learning
        run_in_thread(
            self, "learning the ranking", lambda: RankingLearnt(learning.learn(request)), request
        )

    def action_stop_learning(self) -> None:
        """Ask all fits to stop, whoever began them."""
        learning, request = self.services.learning, self._learning
        run_in_thread(self, "stopping", lambda: LearningStopped(learning.halt(request)))

    def on_learning_seen(self, message: LearningSeen) -> None:
        """Let the rooms show it."""
        self.running_fits = message.running

    def on_ranking_learnt(self, message: RankingLearnt) -> None:
        """Say from what each domain's ranking was learnt."""
        self._learning_ended()
        told = "\n".join(f"{name}: {text}." for name, text in message.texts.items())
        self.notify(told or "There is nothing to learn from yet.", markup=False)

    def on_learning_stopped(self, message: LearningStopped) -> None:
        """Say whether there was something to stop."""
        self.notify(
            "Learning stops at a safe place, and goes on there the next time."
            if message.count
            else "Nothing is being learnt."
        )

    def on_work_failed(self, message: WorkFailed) -> None:
        """The learning that was asked for here may have failed."""
        if message.request is not None and message.request is self._learning:
            self._learning_ended()

    def on_work_stopped(self, message: WorkStopped) -> None:
        """The learning that was asked for here has stopped."""
        if message.request is self._learning:
            self._learning_ended()

    def _learning_ended(self) -> None:
        self._learning = None
        self.look_at_learning()


class BaseScreen(Screen[_Result], Generic[_Result]):
    """A screen that closes only itself, and frees the keys that its footer showed before.

    Two keys that come at once may both mean to close it; Textual would let the second close what
    lies behind, and the app with the last of all.
    """

    app = getters.app(BaseApp)

    def on_mount(self) -> None:
        """Be told when other keys hold."""
        self.bindings_updated_signal.subscribe(self, self._drop_old_keys)

    def _drop_old_keys(self, _: Screen[object]) -> None:
        """Let go of the keys that the foot drew before.

        It draws them anew with every focus, and they watch it; Textual 8.2.8 drops watchers that
        are gone only where what they watch is set. Kept, they took 0.3 MB per opened item.
        """
        for footer in self.query(Footer):
            footer.mutate_reactive(Footer.compact)
        # Textual 8.2.8 keeps the lines of the last 1,024 widgets here, also of those that are gone.
        StylesCache.get_inner_outer.cache_clear()

    def get_widget_and_offset_at(self, x: int, y: int) -> tuple[Widget | None, Offset | None]:
        """Return what is drawn at a place, and where in it; nothing for what is being removed.

        Textual 8.2.8 begins a selection in the parent of what was clicked, and fails where a list
        that is drawn anew has just taken it away.
        """
        widget, offset = super().get_widget_and_offset_at(x, y)
        is_gone = widget is not None and widget.parent is None
        return (None, None) if is_gone else (widget, offset)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Put the cursor of a list on its first line, or Enter would do nothing there."""
        listed = event.widget
        if isinstance(listed, OptionList) and listed.highlighted is None:
            listed.action_first()

    def show_status(self, status: str) -> None:
        """Show a sentence in the status line."""
        self.query_one("#status", Static).update(status)

    async def on_work_failed(self, message: WorkFailed) -> None:
        """Show why the work failed, and the remedy."""
        message.stop()
        await self.show_failure(message)

    async def show_failure(self, failure: WorkFailed) -> None:
        """Show a failure of work that this screen began."""
        self.show_status(failure.sentences)

    def on_unmount(self) -> None:
        """It is closed: its memory can be had back."""
        self.app.collector.note_closed()

    def dismiss(self, result: _Result | None = None) -> AwaitComplete:
        """Close the screen where it is in front, and return the result to its opener."""
        return super().dismiss(result) if self.is_active else AwaitComplete.nothing()


class AppScreen(BaseScreen[_Result], Generic[_Result]):
    """A screen of the app; `HELP` explains it in a few sentences.

    One that `BaseApp.main_screens` lists has a `TITLE`, by which it is called in the line of rooms.
    """

    HELP: ClassVar[str] = ""
    DEFAULT_CSS = f"""
    {_TONE_CSS}
    AppScreen #top {{ height: 1; margin: 0 1; }}
    AppScreen #status {{ height: auto; max-height: 4; margin: 0 2; color: $text-muted; }}
    AppScreen .head {{ text-style: bold; margin-top: 1; }}
    AppScreen .-none {{ display: none; }}
    AppScreen .pane {{
        border: round $foreground 25%; border-title-style: bold; border-title-color: $text;
        scrollbar-size-vertical: 1;
        border-subtitle-color: $text-muted;
    }}
    AppScreen .pane:focus {{ border: round $accent; }}
    AppScreen Input {{ border-subtitle-color: $frame-hint; }}
    """

    @classmethod
    def all_bindings(cls) -> tuple[Binding, ...]:
        """Every key of the screen and of its parts, for its help."""
        return bindings_of(cls)

    def set_tone(self, domain: str) -> None:
        """Give the titled panes the accent of a domain.

        Args:
            domain: Its name; "" for none.
        """
        from localrec.graph.domain_files import known_domains

        names = sorted(known_domains())
        chosen = names.index(domain) % len(_TONES) if domain in names else -1
        for number in range(len(_TONES)):
            self.set_class(number == chosen, f"-tone-{number}")

    def action_back(self) -> None:
        """Return to the screen below."""
        self.dismiss(None)


class Dialog(BaseScreen[_Result], ModalScreen[_Result], Generic[_Result]):
    """A question to the user in front of a screen; Esc leaves it without an answer."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Cancel", id="leave"),
    ]
    DEFAULT_CSS = """
    Dialog { align: center middle; }
    Dialog > .dialog {
        width: 64; max-width: 95%; height: auto; max-height: 90%;
        border: round $border; background: $surface; padding: 0 1;
    }
    Dialog .title { width: 100%; text-style: bold; margin-bottom: 1; }
    Dialog .hint { color: $text-muted; width: 100%; }
    """

    def action_leave(self) -> None:
        """Close the dialog without an answer."""
        self.dismiss(None)


def bindings_of(*owners: type) -> tuple[Binding, ...]:
    """The bindings that some classes declare, each action once."""
    found = {
        binding.action: binding
        for owner in owners
        for binding in getattr(owner, "BINDINGS", ())
        if isinstance(binding, Binding) and binding.description
    }
    return tuple(found.values())


def binding_ids() -> set[str]:
    """The names of all actions that can be given other keys, on every screen and in every part."""
    waiting: list[type[DOMNode]] = [DOMNode]
    found: set[str] = set()
    while waiting:
        owner = waiting.pop()
        waiting += owner.__subclasses__()
        if owner.__module__.partition(".")[0] == _PACKAGE:  # Textual's own keys are not given here
            bindings = (one for one in vars(owner).get("BINDINGS", ()) if isinstance(one, Binding))
            found |= {one.id for one in bindings if one.id is not None}
    return found
