"""What runs now, on every screen: the long tasks that rooms began, and the ranking being learnt."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from textual import getters
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from localrec_tui.base_app import BaseApp
from localrec_tui.widgets.progress import format_duration

if TYPE_CHECKING:
    from localrec.ranking.learned.progress_file import LearningProgress


class RunningLines(Vertical):
    """The lines for a screen without the bar of rooms; they take no place while nothing runs."""

    DEFAULT_CSS = """
    RunningLines { dock: top; height: auto; }
    """

    def compose(self) -> ComposeResult:
        """The tasks, then the learning."""
        yield TasksLine()
        yield LearningLine()


class RunningLine(Static):
    """One such line, which lets go of the app when it is closed."""

    app = getters.app(BaseApp)
    DEFAULT_CSS = """
    RunningLine {
        height: 1; padding: 0 2; display: none; text-wrap: nowrap; text-overflow: ellipsis;
    }
    RunningLine.-shown { display: block; }
    """

    def __init__(self) -> None:
        super().__init__(markup=False)

    def show(self, told: str) -> None:
        """Show what runs; "" takes no place."""
        self.set_class(bool(told), "-shown")
        self.update(told)


class TasksLine(RunningLine):
    """Says which long tasks run, whatever room began them."""

    DEFAULT_CSS = "TasksLine { color: $text-accent; }"

    def on_mount(self) -> None:
        """Follow what the app knows."""
        self.watch(self.app, "running_tasks", self._show_tasks)

    def on_unmount(self) -> None:
        """Be dropped by the app, which drops its watchers only when it tells them something."""
        self.app.mutate_reactive(BaseApp.running_tasks)

    def _show_tasks(self, running: dict[str, str]) -> None:
        self.show("   ".join(f"⟳ {what}: {step}" for what, step in running.items()))


class LearningLine(RunningLine):
    """Says that a ranking is being learnt, and how far it is."""

    DEFAULT_CSS = "LearningLine { color: $text-muted; }"

    def on_mount(self) -> None:
        """Follow what the app sees."""
        self.watch(self.app, "running_fits", self._show_fits)

    def on_unmount(self) -> None:
        """Be dropped by the app, as the tasks are."""
        self.app.mutate_reactive(BaseApp.running_fits)

    def _show_fits(self, running: tuple[LearningProgress, ...]) -> None:
        self.show(_learning_text(running[0]) if running else "")


def _learning_text(one: LearningProgress) -> str:
    """What is learnt, first how far it is: a narrow terminal cuts the end."""
    counted = f", {one.done:,} of {one.total:,}" if one.total else ""
    passed = format_duration(max(0.0, time.time() - one.began))
    left = f", about {format_duration(one.left)} left" if one.left is not None else ""
    told = f"{one.what}{counted}, {passed}{left}"
    return f"Learning a better list ({told}). Until then the list as before."
