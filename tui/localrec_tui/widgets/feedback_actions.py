"""What the letters of a list do, whose current item they are about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget

from localrec.data.rows import Event
from localrec_tui.messages import UndoRequested


class FeedbackActions:
    """The actions behind `FEEDBACK_KEYS`, for a widget that lists items.

    No widget itself: Textual takes styles and keys from the first base that is one.
    """

    @dataclass
    class Rated(Message):
        """The user gives feedback on the current item."""

        event: Event
        reason: bool

    if TYPE_CHECKING:

        def post_message(self, message: Message) -> bool:
            """The widget's own."""

    def action_say(self, event: str, reason: bool = False) -> None:
        """Give feedback on the current item."""
        self.post_message(self.Rated(Event(event), reason=reason))

    def action_take_back(self) -> None:
        """Take back the last feedback."""
        self.post_message(UndoRequested())


def rated_list(screen: Screen[Any]) -> Widget | None:
    """Find the list whose item feedback means: the one with the focus, else the one that is seen.

    Returns:
        A widget with `action_say`, or the screen itself where it shows one item; None for neither.
    """
    focused = [] if screen.focused is None else screen.focused.ancestors_with_self
    nodes = (*focused, *screen.query("*"), screen)
    rated = (node for node in nodes if hasattr(node, "action_say"))
    return next((node for node in rated if node is screen or node.display), None)
