"""Asks for a file: its path is typed with completion, or picked in the tree below."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.suggester import Suggester
from textual.widgets import DirectoryTree, Input, Label

from localrec_tui.base_app import HEIGHTS, Dialog
from localrec_tui.widgets.key_footer import KeyFooter
from localrec_tui.widgets.text_line import DialogLine

_HINT = "Paste or type a path, or pick a file below."
_MOST_NAMES = 5_000  # of a folder are looked at


class PathDialog(Dialog[str]):
    """Asks for the path of a file; None where it is left.

    Args:
        title: What the file is for.
        hint: An example.
        start: The folder that the tree shows.
        typed: What stands in the line already.
        fault: Why that did not do, where it was tried.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "complete", "Complete, then the tree", id="complete", priority=True),
    ]
    DEFAULT_CSS = """
    PathDialog > .dialog { width: 90; }
    PathDialog FileTree { height: 9; }
    PathDialog.-high FileTree { height: 12; }
    """
    VERTICAL_BREAKPOINTS = HEIGHTS

    def __init__(
        self, title: str, hint: str, start: Path, typed: str = "", fault: str = ""
    ) -> None:
        super().__init__()
        self._title, self._hint, self._start = title, hint, start
        self._typed, self._fault = typed, fault

    def compose(self) -> ComposeResult:
        """The line, and the files below."""
        with Vertical(classes="dialog"):
            yield Label(self._title, classes="title", markup=False)
            yield DialogLine(
                self._typed,
                placeholder=self._hint,
                suggester=PathSuggester(),
                max_length=4_000,
                select_on_focus=False,
            )
            yield FileTree(self._start)
            yield Label(self._fault or _HINT, classes="hint", markup=False)
            yield KeyFooter()

    def action_complete(self) -> None:
        """Take the completion; where there is none, go on to the next field."""
        line = self.query_one(Input)
        if line.has_focus and line.value and line._suggestion not in ("", line.value):
            line.value = line._suggestion
            line.cursor_position = len(line.value)
        else:
            self.focus_next()

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        if path := event.value.strip().strip("'\""):
            self.dismiss(path)

    @on(DirectoryTree.FileSelected)
    def _picked(self, event: DirectoryTree.FileSelected) -> None:
        self.dismiss(str(event.path))


class FileTree(DirectoryTree):
    """Folders and files but for the hidden ones, which can still be typed."""

    def filter_paths(self, paths: Iterable[Path]) -> Iterable[Path]:
        """Leave out what begins with a dot."""
        return (one for one in paths if not one.name.startswith("."))


class PathSuggester(Suggester):
    """Completes a path by the names in its folder."""

    def __init__(self) -> None:
        super().__init__(use_cache=False, case_sensitive=True)

    async def get_suggestion(self, value: str) -> str | None:
        """Return the whole path; None where no name goes on so."""
        return await asyncio.to_thread(_completion, value)


def _completion(value: str) -> str | None:
    typed = Path(value).expanduser()
    folder, begin = (typed, "") if value.endswith("/") else (typed.parent, typed.name)
    if not begin and not value.endswith("/"):
        return None
    try:
        names = [one.name for one, _ in zip(folder.iterdir(), range(_MOST_NAMES), strict=False)]
    except OSError:
        return None
    fitting = sorted(name for name in names if name.startswith(begin) and name != begin)
    return value + fitting[0][len(begin) :] if fitting else None
