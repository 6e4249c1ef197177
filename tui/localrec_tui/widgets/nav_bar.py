"""The lines on top of every room: all rooms, which one is open, and the ranking being learnt."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from localrec_tui.base_app import AppScreen, BaseApp
from localrec_tui.widgets.progress import format_duration

if TYPE_CHECKING:
    from localrec.ranking.learned.progress_file import LearningProgress


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


class TasksLine(Static):
    """Says which long tasks run, whatever room began them; takes no place otherwise."""

    DEFAULT_CSS = """
    TasksLine {
        height: 1; padding: 0 2; color: $text-accent; display: none;
        text-wrap: nowrap; text-overflow: ellipsis;
    }
    TasksLine.-shown { display: block; }
    """

    def __init__(self) -> None:
        super().__init__(markup=False)

    def on_mount(self) -> None:
        """Follow what the app knows."""
        self.watch(self.app, "running_tasks", self._show)

    def _show(self, running: dict[str, str]) -> None:
        self.set_class(bool(running), "-shown")
        self.update("   ".join(f"⟳ {what}: {step}" for what, step in running.items()))


class LearningLine(Static):
    """Says that a ranking is being learnt, and how far it is; takes no place otherwise."""

    DEFAULT_CSS = """
    LearningLine {
        height: 1; padding: 0 2; color: $text-muted; display: none;
        text-wrap: nowrap; text-overflow: ellipsis;
    }
    LearningLine.-shown { display: block; }
    """

    def __init__(self) -> None:
        super().__init__(markup=False)

    def on_mount(self) -> None:
        """Follow what the app sees."""
        self.watch(self.app, "running_fits", self._show)

    def _show(self, running: tuple[LearningProgress, ...]) -> None:
        self.set_class(bool(running), "-shown")
        self.update(_learning_text(running[0]) if running else "")


def _learning_text(one: LearningProgress) -> str:
    """What is learnt, first how far it is: a narrow terminal cuts the end."""
    counted = f", {one.done:,} of {one.total:,}" if one.total else ""
    passed = format_duration(max(0.0, time.time() - one.began))
    left = f", about {format_duration(one.left)} left" if one.left is not None else ""
    told = f"{one.what}{counted}, {passed}{left}"
    return f"Learning a better list ({told}). Until then the list as before."
