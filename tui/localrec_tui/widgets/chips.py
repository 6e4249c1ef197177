"""The constraints read in a question, as chips: each can be removed, and more added."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import HorizontalScroll
from textual.message import Message
from textual.widgets import Static

from localrec_tui.constraint_chips import Chip


class ChipButton(Static, can_focus=True):
    """One chip."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,delete,backspace", "remove", "Take the wish out", id="remove_wish"),
        Binding("left", "app.focus_previous", "Left", show=False),
        Binding("right", "app.focus_next", "Right", show=False),
    ]
    DEFAULT_CSS = """
    ChipButton { width: auto; height: 1; margin-right: 1; background: $boost; }
    ChipButton:focus { text-style: reverse; }
    ChipButton:hover { text-style: underline; }
    """

    def __init__(self, chip: Chip) -> None:
        super().__init__(f" {chip.label} × ", markup=False)
        self.chip = chip

    def action_remove(self) -> None:
        """Remove the constraint."""
        self.post_message(Chips.Removed(self.chip))

    def on_click(self) -> None:
        """A click is as good as a key."""
        self.action_remove()


class Chips(HorizontalScroll, can_focus=False):
    """All chips of a question in one line; nothing where there are none."""

    @dataclass
    class Removed(Message):
        """A constraint is to be removed."""

        chip: Chip

    DEFAULT_CSS = """
    Chips { height: 1; margin: 0 1; scrollbar-size: 0 0; }
    Chips.-none { display: none; }
    """

    def __init__(self) -> None:
        super().__init__(id="chips", classes="-none")
        self.chips: tuple[Chip, ...] = ()

    async def show(self, chips: tuple[Chip, ...]) -> None:
        """Show these chips; the focus stays at its place in the line."""
        buttons = list(self.query(ChipButton))
        place = next((n for n, one in enumerate(buttons) if one.has_focus), None)
        if chips != self.chips:
            self.chips = chips
            with self.app.batch_update():
                await self.remove_children()
                await self.mount_all(ChipButton(chip) for chip in chips)
        self.set_class(not chips, "-none")
        if place is not None and chips:
            self.query(ChipButton)[min(place, len(chips) - 1)].focus()
