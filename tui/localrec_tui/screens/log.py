"""F9: what happened in this run, to be read, and saved to a file."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Label, Log

from localrec.foundation.errors import WorkspaceError
from localrec_tui.base_app import AppScreen
from localrec_tui.widgets.key_footer import KeyFooter
from localrec_tui.widgets.running_lines import RunningLines

_AGAIN_S = 0.5


class LogScreen(AppScreen[None]):
    """The log of this run."""

    HELP = (
        "What the app did, and how long it took. Nothing of it is on disk until you save it; no "
        "question and no name stands in it."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "save", "Save to a file", id="save_log"),
        Binding("escape,q", "back", "Back", id="back"),
    ]

    def compose(self) -> ComposeResult:
        """The lines."""
        yield RunningLines()
        yield Label("Log", classes="title")
        yield Log(auto_scroll=True)
        yield KeyFooter()

    def on_mount(self) -> None:
        """Show the lines, and those that come."""
        self._seen: list[str] = []
        self._show_lines()
        self.set_interval(_AGAIN_S, self._show_lines)
        self.query_one(Log).focus()

    def action_save(self) -> None:
        """Write the lines to the workspace."""
        try:
            path = self.app.logbook.save(self.app.folder)
        except (OSError, WorkspaceError) as error:
            told = f"The log cannot be saved: {error}"
            self.notify(told, severity="error", markup=False)
        else:
            self.notify(f"Saved to {path}", markup=False)

    def _show_lines(self) -> None:
        lines = self.app.logbook.lines
        if lines != self._seen:
            self._seen = lines
            self.query_one(Log).clear().write_lines(lines)
