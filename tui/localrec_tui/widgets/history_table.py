"""The table of a history, whose letters are keys."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from localrec_tui.widgets.cells import RowTable
from localrec_tui.widgets.feedback_actions import FeedbackActions
from localrec_tui.widgets.shown_items import FEEDBACK_KEYS


class HistoryTable(FeedbackActions, RowTable):
    """What one said, line by line."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e", "screen.edit", "Change", id="edit_word"),
        Binding("delete,backspace", "screen.retract", "Remove", id="retract"),
        *FEEDBACK_KEYS,
        Binding("o", "screen.pick_order", "Order", show=False, id="order"),
        Binding("slash", "screen.search", "Search", id="search"),
    ]

    def __init__(self) -> None:
        super().__init__(id="history", cursor_type="row", zebra_stripes=True, classes="pane list")
