"""A line of input that takes as much of a paste as it can hold, and reports its changes."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.widgets import Input


class TextLine(Input):
    """One line of text; several pasted lines become one, and what is too long is cut."""

    def action_paste(self) -> None:
        """Paste what was copied inside the app."""
        self._take(self.app.clipboard)

    def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()  # Textual keeps the first line only, or nothing, and says neither
        self._take(event.text)

    def _take(self, pasted: str) -> None:
        """Put a paste in place of the selection."""
        lines = [line.strip() for line in pasted.splitlines() if line.strip()]
        if not lines:
            return
        # A single line keeps the spaces at its ends, which may part it from what stands there.
        text = pasted.strip("\r\n") if len(lines) == 1 else " ".join(lines)
        start, end = sorted(self.selection)
        kept = text
        if self.max_length:
            kept = text[: max(0, self.max_length - len(self.value) + end - start)]
        self.replace(kept, start, end)
        self._tell_changes(len(lines), len(text) - len(kept))

    def _tell_changes(self, lines: int, lost: int) -> None:
        told = []
        if lines > 1:
            told.append(f"You pasted {lines} lines: they stand here as one.")
        if lost:
            told.append(
                f"The line holds {self.max_length:,} characters: {lost:,} of the paste are cut off."
            )
        if told:
            self.notify(" ".join(told), severity="warning", timeout=10)


class DialogLine(TextLine):
    """The line of a dialog, whose foot says that Enter takes what was typed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Take it", id="take_line"),
    ]
