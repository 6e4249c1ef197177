"""The table of a catalogue's items, page by page."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from localrec_tui.widgets.feedback_actions import FeedbackActions
from localrec_tui.widgets.paged_table import PagedTable
from localrec_tui.widgets.shown_items import FEEDBACK_KEYS


class CatalogueTable(FeedbackActions, PagedTable):
    """The list of items, which owns the single-letter keys: outside it a letter is a letter."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "screen.open", "Open", id="open"),
        Binding("g", "screen.walk", "Walk", id="walk"),
        *FEEDBACK_KEYS,
        Binding("o", "screen.pick_order", "Order", show=False, id="order"),
        Binding("r", "screen.turn_order", "Reverse", show=False, id="reverse"),
        Binding("slash", "screen.search", "Search", show=False, id="search"),
    ]
