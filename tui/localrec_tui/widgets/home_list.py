"""The list in the room Home, whose letters are keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.binding import BindingType
from textual.message import Message
from textual.widgets import OptionList

from localrec.data.rows import Event
from localrec_tui.messages import UndoRequested
from localrec_tui.widgets.shown_items import FEEDBACK_KEYS


class HomeList(OptionList):
    """Items with their reasons; Enter opens one, letters say what one thinks of it."""

    BINDINGS: ClassVar[list[BindingType]] = [*FEEDBACK_KEYS]

    @dataclass
    class Rated(Message):
        """The user gives feedback on the highlighted item."""

        event: Event
        reason: bool

    def action_say(self, event: str, reason: bool = False) -> None:
        """Give feedback on the highlighted item."""
        self.post_message(self.Rated(Event(event), reason=reason))

    def action_take_back(self) -> None:
        """Take back the last feedback."""
        self.post_message(UndoRequested())
