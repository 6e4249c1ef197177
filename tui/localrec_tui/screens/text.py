"""Asks the user for a line of text."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input, Label

from localrec_tui.base_app import Dialog
from localrec_tui.widgets.key_footer import KeyFooter
from localrec_tui.widgets.text_line import DialogLine


class TextDialog(Dialog[str]):
    """Asks for a few words; "" is an answer, None says that it was left.

    Args:
        title: The question.
        hint: An example, or what happens without any.
    """

    def __init__(self, title: str, hint: str) -> None:
        super().__init__()
        self._title = title
        self._hint = hint

    def compose(self) -> ComposeResult:
        """One line."""
        with Vertical(classes="dialog"):
            yield Label(self._title, classes="title", markup=False)
            yield DialogLine(placeholder=self._hint, max_length=500)
            yield KeyFooter()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip())
