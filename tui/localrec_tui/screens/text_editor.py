"""A dialog for a few sentences, beginning with those that are there."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult, SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Label, TextArea

from localrec_tui.base_app import Dialog
from localrec_tui.widgets.key_footer import KeyFooter


class TextEditorDialog(Dialog[str]):
    """Asks for a text; None where it is left.

    Args:
        title: What it is for.
        text: What it is now.
        longest: Characters that are kept of it.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "Save", id="save_text", priority=True),
        Binding("f4", "edit_elsewhere", "Your editor", id="edit_elsewhere"),
    ]
    DEFAULT_CSS = """
    TextEditorDialog > .dialog { width: 76; }
    TextEditorDialog TextArea { height: 10; }
    """

    def __init__(self, title: str, text: str, longest: int) -> None:
        super().__init__()
        self._title = title
        self._text = text
        self._longest = longest

    def compose(self) -> ComposeResult:
        """The text, and how much of it is kept."""
        with Vertical(classes="dialog"):
            yield Label(self._title, classes="title", markup=False)
            yield TextArea(self._text, soft_wrap=True)
            yield Label("", classes="hint", id="length", markup=False)
            yield KeyFooter()

    def on_mount(self) -> None:
        """Begin to write."""
        self.query_one(TextArea).focus()
        self._count()

    def action_save(self) -> None:
        """Take the text; one without a word is none."""
        words = self.query_one(TextArea).text.strip()
        if words and len(words) <= self._longest:
            self.dismiss(words)
        else:
            self._count()

    def action_edit_elsewhere(self) -> None:
        """Change the text in the editor that $VISUAL or $EDITOR names; its file goes afterwards."""
        import click  # 20 ms that the first paint must not wait for

        area = self.query_one(TextArea)
        try:
            with self.app.suspend():
                changed = click.edit(area.text, extension=".txt")
        except SuspendNotSupported:
            self.notify("An editor needs a terminal of its own.", severity="warning")
        except click.ClickException as error:
            self.notify(error.format_message(), severity="warning", markup=False)
        else:
            if changed is not None:
                area.text = changed

    @on(TextArea.Changed)
    def _count(self) -> None:
        length = len(self.query_one(TextArea).text.strip())
        room = self._longest - length
        told = f"{room:,} characters left. Ctrl+S saves, Esc leaves it as it was."
        if room < 0:
            told = f"{-room:,} characters too many: shorten it, then Ctrl+S."
        elif not length:
            told = "Write something, then Ctrl+S. Esc leaves it as it was."
        self.query_one("#length", Label).update(told)
