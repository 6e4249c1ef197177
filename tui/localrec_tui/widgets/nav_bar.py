"""The lines on top of every room: all rooms, which one is open, and the ranking being learnt."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from localrec_tui.base_app import AppScreen, BaseApp
from localrec_tui.widgets.running_lines import LearningLine, TasksLine


class NavBar(Vertical):
    """All rooms by number and name; the one that is open stands in brackets."""

    DEFAULT_CSS = """
    NavBar { height: auto; }
    NavBar > Horizontal { height: 1; padding: 0 1; background: $panel; }
    """

    def compose(self) -> ComposeResult:
        """The names, in the order of their keys."""
        app, here = self.app, self.screen
        assert isinstance(app, BaseApp)
        with Horizontal():
            for number, (mode, room) in enumerate(app.main_screens().items(), 1):
                yield NavItem(number, mode, room, is_open=isinstance(here, room))
        yield TasksLine()
        yield LearningLine()


class NavItem(Static):
    """One room: a click goes there, as its number does.

    Args:
        number: Its key.
        mode: What the app calls it.
        room: The room.
        is_open: Whether we are there.
    """

    DEFAULT_CSS = """
    NavItem { width: auto; height: 1; margin-right: 1; color: $text-muted; }
    NavItem.-open { color: $text; text-style: bold; }
    NavItem:hover { text-style: underline; }
    """

    def __init__(
        self, number: int, mode: str, room: type[AppScreen[None]], *, is_open: bool
    ) -> None:
        told = f"{number} {room.TITLE}"
        super().__init__(f"[{told}]" if is_open else told, markup=False)
        self.set_class(is_open, "-open")
        self._mode = mode

    def on_click(self) -> None:
        """Go there."""
        self.app.switch_mode(self._mode)
