"""The list in the room Home, whose letters are keys."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import OptionList

from localrec_tui.widgets.feedback_actions import FeedbackActions
from localrec_tui.widgets.shown_items import FEEDBACK_KEYS


class HomeList(FeedbackActions, OptionList):
    """Items with their reasons; Enter opens one, letters say what one thinks of it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *FEEDBACK_KEYS,
        Binding("right", "screen.next_domain(1)", "Next domain", show=False, id="next_domain"),
        Binding("left", "screen.next_domain(-1)", "Domain before", show=False, id="domain_before"),
    ]
