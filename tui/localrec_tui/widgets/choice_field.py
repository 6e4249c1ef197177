"""A word in the top line that tells a choice and lets it be changed, by click or by key."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static


class ChoiceField(Static, can_focus=True):
    """Shows `label: value`.

    Args:
        label: What is chosen; "" where the value speaks for itself.
        key: The key that changes it from anywhere, as shown.
        id: The widget's; `pick_ID` is the action of the screen that asks for another value.
    """

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
        """Show the current value."""
        self.value = value
        label = f"{self._label}: " if self._label else ""
        self.update(Content.assemble((f"{self._key} ", "dim"), label, (value, "bold")))

    async def action_press(self) -> None:
        """Let the screen ask for another value: its action `pick_ID`."""
        await self.run_action(f"screen.pick_{self.id}")

    async def on_click(self) -> None:
        """Do on a click what the key does."""
        await self.action_press()
