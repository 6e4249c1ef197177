"""The base of the app and of its screens: the workspace, the user, the log, the status line.

Apart from the app itself, which knows the screens.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from textual import getters
from textual.app import App
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.reactive import reactive
from textual.screen import ModalScreen, Screen
from textual.signal import Signal
from textual.widgets import Footer, Static

from localrec_tui.log_buffer import LogBuffer
from localrec_tui.messages import FeedbackStored, WorkFailed
from localrec_tui.preferences import load_preferences
from localrec_tui.services.app_services import AppServices

_Result = TypeVar("_Result")


class BaseApp(App[None]):
    """The app as its screens see it.

    Args:
        folder: The workspace.
        services: The services behind the screens.

    Raises:
        InputError: the preferences in the workspace cannot be read.
    """

    user: reactive[str | None] = reactive(None)  # the key of the user; None for no user

    def __init__(self, folder: Path, services: AppServices) -> None:
        super().__init__()
        self.folder = folder
        self.services = services
        self.logbook = LogBuffer()
        self.preferences = load_preferences(folder)
        # Rooms that are not in front get no messages of the app, but must not show what is past.
        self.feedback_stored: Signal[FeedbackStored] = Signal(self, "feedback_stored")
        self.user_forgotten: Signal[str] = Signal(self, "user_forgotten")  # the user's key

    @classmethod
    def main_screens(cls) -> dict[str, type[AppScreen[None]]]:
        """The rooms that one can go to, in the order of their keys: what Textual calls modes."""
        return dict(cls.MODES)  # type: ignore[arg-type]


class BaseScreen(Screen[_Result], Generic[_Result]):
    """A screen that closes only itself, and frees the keys that its footer showed before.

    Two keys that come at once may both mean to close it; Textual would let the second close what
    lies behind, and the app with the last of all.
    """

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

    def dismiss(self, result: _Result | None = None) -> AwaitComplete:
        """Close the screen where it is in front, and return the result to its opener."""
        return super().dismiss(result) if self.is_active else AwaitComplete.nothing()


class AppScreen(BaseScreen[_Result], Generic[_Result]):
    """A screen of the app; `HELP` explains it in a few sentences.

    One that `BaseApp.main_screens` lists has a `TITLE`, by which it is called in the line of rooms.
    """

    HELP: ClassVar[str] = ""
    app = getters.app(BaseApp)
    DEFAULT_CSS = """
    AppScreen #top { height: 1; margin: 0 1; }
    AppScreen #status { height: auto; max-height: 4; margin: 0 2; color: $text-muted; }
    AppScreen .head { text-style: bold; margin-top: 1; }
    AppScreen .-none { display: none; }
    """

    @classmethod
    def all_bindings(cls) -> tuple[Binding, ...]:
        """Every key of the screen and of its parts, for its help."""
        return bindings_of(cls)

    def action_back(self) -> None:
        """Return to the screen below."""
        self.dismiss(None)


class Dialog(BaseScreen[_Result], ModalScreen[_Result], Generic[_Result]):
    """A question to the user in front of a screen; Esc leaves it without an answer."""

    app = getters.app(BaseApp)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Cancel", id="leave"),
    ]
    DEFAULT_CSS = """
    Dialog { align: center middle; }
    Dialog > .dialog {
        width: 64; max-width: 95%; height: auto; max-height: 90%;
        border: round $border; background: $surface; padding: 0 1;
    }
    Dialog .title { text-style: bold; margin-bottom: 1; }
    Dialog .hint { color: $text-muted; }
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
