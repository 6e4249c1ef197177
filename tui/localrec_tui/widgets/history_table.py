"""The table of a history, whose letters are keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import DataTable

from localrec.data.rows import Event
from localrec_tui.messages import UndoRequested
from localrec_tui.widgets.cells import Cell
from localrec_tui.widgets.shown_items import FEEDBACK_KEYS


class HistoryTable(DataTable[Cell]):
    """What one said, line by line."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e", "screen.edit", "Change", id="edit_word"),
        Binding("delete,backspace", "screen.retract", "Take back", id="retract"),
        *FEEDBACK_KEYS,
        Binding("o", "screen.pick_order", "Order", show=False, id="order"),
        Binding("slash", "screen.search", "Search", id="search"),
    ]

    @dataclass
    class Rated(Message):
        """The user gives feedback on the current item."""

        event: Event
        reason: bool

    def __init__(self) -> None:
        super().__init__(id="history", cursor_type="row", zebra_stripes=True, classes="pane")

    def action_say(self, event: str, reason: bool = False) -> None:
        """Give feedback on the current item."""
        self.post_message(self.Rated(Event(event), reason=reason))

    def action_take_back(self) -> None:
        """Take back the last feedback."""
        self.post_message(UndoRequested())
