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
        typed: What stands in the line already.
        fault: Why that did not do, where it was tried.
    """

    def __init__(self, title: str, hint: str, typed: str = "", fault: str = "") -> None:
        super().__init__()
        self._title, self._hint = title, hint
        self._typed, self._fault = typed, fault

    def compose(self) -> ComposeResult:
        """One line."""
        with Vertical(classes="dialog"):
            yield Label(self._title, classes="title", markup=False)
            yield DialogLine(
                self._typed, placeholder=self._hint, max_length=500, select_on_focus=False
            )
            if self._fault:
                yield Label(self._fault, classes="hint", markup=False)
            yield KeyFooter()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip())
