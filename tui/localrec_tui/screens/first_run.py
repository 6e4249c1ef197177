"""The first screen in an empty workspace; it leads to an answer in three keys."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Label, Static

from localrec_tui.base_app import AppScreen
from localrec_tui.messages import BundledDataLoaded, ProgressReported, WorkFailed
from localrec_tui.widgets.key_footer import KeyFooter
from localrec_tui.widgets.running_lines import RunningLines
from localrec_tui.workers import run_in_thread

_TEXT = """\
localrec recommends from a catalogue on this machine, and says why. Nothing leaves it.

Press Enter to begin with the drinks that came with localrec. No network is needed.

To begin with films, books or music of your own, press 6: the room Data imports them.
"""


class FirstRunScreen(AppScreen[bool]):
    """Puts the bundled drinks into the workspace; True when they are in."""

    HELP = "There is nothing in this workspace yet. Enter puts the drinks that came with it in."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "load", "Begin with the drinks", id="load_drinks"),
    ]
    DEFAULT_CSS = """
    FirstRunScreen { align: center middle; }
    FirstRunScreen > #welcome {
        width: 72; max-width: 95%; height: auto; border: round $border; padding: 1 2;
    }
    FirstRunScreen #status { max-height: 8; margin: 0; color: $foreground; }
    FirstRunScreen .title { text-style: bold; margin-bottom: 1; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._loading = False
        self._is_filled = False  # by an import, while this was in front

    def compose(self) -> ComposeResult:
        """A few words and a line that tells how far it is."""
        yield RunningLines()
        with Vertical(id="welcome"):
            yield Label("Welcome to localrec", classes="title")
            yield Static(_TEXT, markup=False)
            yield Static("", id="status", markup=False)
        yield KeyFooter()

    def on_screen_resume(self) -> None:
        """Go, where something came in meanwhile by another way."""
        if self._is_filled and not self._loading:
            self.call_after_refresh(self._leave)

    def on_mount(self) -> None:
        """Hear of what comes in by another way."""
        super().on_mount()
        self.app.data_changed.subscribe(self, self._filled)

    def _filled(self, _: str) -> None:
        self._is_filled = True

    def _leave(self) -> None:
        self.dismiss(None)

    def action_load(self) -> None:
        """Load the drinks."""
        if self._loading:
            return
        self._loading = True
        self.show_status("Loading …")
        services = self.app.services

        def step(what: str, done: int, total: int) -> None:
            self.post_message(ProgressReported(what, done, total))

        run_in_thread(
            self, "loading the drinks", lambda: BundledDataLoaded(services.load_bundled_data(step))
        )

    def on_progress_reported(self, message: ProgressReported) -> None:
        """Tell how far it is."""
        share = f" {100 * message.done // message.total} %" if message.total else " …"
        self.show_status(f"{message.what.capitalize()}{share}")

    def on_bundled_data_loaded(self, message: BundledDataLoaded) -> None:
        """Go on to the question."""
        self.notify(f"{message.count:,} drinks are in.")
        # Whoever went elsewhere meanwhile is led back: what is dismissed must be in front.
        self.app.switch_mode(self.app.DEFAULT_MODE)
        self.pop_until_active()
        self.dismiss(True)

    async def show_failure(self, failure: WorkFailed) -> None:
        """Show the failure; Enter tries again."""
        self._loading = False
        self.show_status(f"{failure.error}\n{failure.remedy}\nThen press Enter again.")
