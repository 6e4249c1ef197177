"""A word in the top line that tells a choice and lets it be changed, by click or by key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Static


class ChoiceField(Static, can_focus=True):
    """Shows `label: value`.

    Args:
        label: What is chosen; "" where the value speaks for itself.
        key: The key that changes it from anywhere, as shown.
        id: The widget's.
    """

    @dataclass
    class Pressed(Message):
        """Somebody wants to change it."""

        field: ChoiceField

        @property
        def control(self) -> ChoiceField:
            """The widget itself, for `@on` with a selector."""
            return self.field

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,space", "press", "Change", show=False)]
    DEFAULT_CSS = """
    ChoiceField {
        width: auto; height: 1; margin-right: 2; text-wrap: nowrap; text-overflow: ellipsis;
    }
    ChoiceField:focus { text-style: reverse; }
    ChoiceField:hover { text-style: underline; }
    """

    def __init__(self, label: str, key: str, *, id: str) -> None:
        super().__init__(id=id)
        self._label = label
        self._key = key
        self.value = ""

    def show(self, value: str) -> None:
        """Show what is chosen now."""
        self.value = value
        label = f"{self._label}: " if self._label else ""
        self.update(Content.assemble((f"{self._key} ", "$text-muted"), label, (value, "bold")))

    def action_press(self) -> None:
        """Ask for a change."""
        self.post_message(self.Pressed(self))

    def on_click(self) -> None:
        """A click is as good as a key."""
        self.action_press()
