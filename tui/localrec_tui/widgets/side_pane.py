"""The third column of a wide window: what the person said last, and what is on their shelf."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from textual import getters
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from localrec_tui.base_app import BaseApp
from localrec_tui.item_text import verdict_label
from localrec_tui.messages import WorkFailed
from localrec_tui.services.catalogue import ShelfComponent
from localrec_tui.services.records import HistoryView
from localrec_tui.workers import run_in_thread

_LINES = 40
_NOBODY = "F2 says who sits here; then what you said stands here."
_NOTHING = "Nothing yet. L, D, S and N say what you think of an item."
_NO_SHELF = "Empty. F4 in Browse says what you have at hand."


@dataclass
class SideLoaded(Message, bubble=False):
    """What a user said last, and what they have at hand."""

    user: str
    history: HistoryView
    shelf: tuple[ShelfComponent, ...]
    has_shelf: bool


class SidePane(Vertical):
    """Shows one user beside the lists; reads only while it is in sight."""

    app = getters.app(BaseApp)
    DEFAULT_CSS = """
    SidePane { display: none; }
    SidePane > VerticalScroll { padding: 0 1; }
    SidePane > #side-said { height: 2fr; }
    SidePane > #side-shelf { height: 1fr; }
    SidePane Static { height: auto; }
    """

    def compose(self) -> ComposeResult:
        """Two panes."""
        with VerticalScroll(id="side-said", classes="pane"):
            yield Static(_NOBODY, markup=False)
        with VerticalScroll(id="side-shelf", classes="pane"):
            yield Static(_NO_SHELF, markup=False)

    def on_mount(self) -> None:
        """Name the panes."""
        self.query_one("#side-said").border_title = "You said"
        self.query_one("#side-shelf").border_title = "Your shelf"

    def look(self, domain: str) -> None:
        """Read what the user of the app said last.

        Args:
            domain: The domain of the shelf; "" for none yet.
        """
        app = self.app
        user, services = app.user, app.services
        if not self.display:
            return
        if user is None:
            self._show(_NOBODY, _NO_SHELF)
            return

        def read() -> SideLoaded:
            history = services.feedback.history(user, "", "newest", _LINES)
            if not domain:
                return SideLoaded(user, history, (), has_shelf=True)
            shelf = services.catalogue.shelf(domain, user)
            return SideLoaded(user, history, shelf.components, has_shelf=shelf.is_meant)

        run_in_thread(self, "what was said", read, is_logged=False)

    def on_side_loaded(self, message: SideLoaded) -> None:
        """Show it, unless somebody else sits here by now."""
        app = self.app
        if message.user != app.user:
            return
        self.query_one("#side-said").border_subtitle = f"{message.history.total:,} in all"
        self.query_one("#side-shelf").display = message.has_shelf
        lines = list(_history_lines(message.history))
        shelf = "\n".join(one.name for one in message.shelf)
        self._show(Content("\n").join(lines) if lines else _NOTHING, shelf or _NO_SHELF)

    def on_work_failed(self, message: WorkFailed) -> None:
        """A column beside the lists is no place for errors; the lists tell theirs."""
        message.stop()

    def _show(self, history: Content | str, shelf: str) -> None:
        self.query_one("#side-said Static", Static).update(history)
        self.query_one("#side-shelf Static", Static).update(shelf)


def _history_lines(history: HistoryView) -> Iterator[Content]:
    for row in history.rows:
        yield Content.assemble(
            (f"{row.day or '—':<11}", "dim"),
            (row.name, "bold"),
            (f"  {verdict_label(row.verdict)}", "dim"),
        )
