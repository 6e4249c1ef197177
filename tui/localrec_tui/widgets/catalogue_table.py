"""The table of a catalogue's items, page by page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from localrec.data.rows import Event
from localrec_tui.messages import UndoRequested
from localrec_tui.widgets.paged_table import PagedTable
from localrec_tui.widgets.shown_items import FEEDBACK_KEYS


class CatalogueTable(PagedTable):
    """The list of items, which owns the single-letter keys: outside it a letter is a letter."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "screen.open", "Open", id="open"),
        Binding("g", "screen.walk", "Graph", id="walk"),
        *FEEDBACK_KEYS,
        Binding("o", "screen.pick_order", "Order", show=False, id="order"),
        Binding("r", "screen.turn_order", "Reverse", show=False, id="reverse"),
        Binding("slash", "screen.search", "Search", show=False, id="search"),
    ]

    @dataclass
    class Rated(Message):
        """The user gives feedback on the current item."""

        event: Event
        reason: bool

    def action_say(self, event: str, reason: bool = False) -> None:
        """Give feedback on the current item."""
        self.post_message(self.Rated(Event(event), reason=reason))

    def action_take_back(self) -> None:
        """Take back the last feedback."""
        self.post_message(UndoRequested())
