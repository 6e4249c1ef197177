"""Letters over all that can have the focus; one of them leads there."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Label

_LETTERS = "asdfghjklqwertyuiopzxcvbnm"


class JumpScreen(ModalScreen[Widget]):
    """Shows a letter on each place of the screen below; None where it is left.

    Args:
        places: What can have the focus, in the order of Tab.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Cancel", id="leave"),
    ]
    DEFAULT_CSS = """
    JumpScreen { background: $background 40%; }
    JumpScreen Label {
        position: absolute; width: 3; height: 1; text-align: center;
        background: $accent; color: $background; text-style: bold;
    }
    """

    def __init__(self, places: list[Widget]) -> None:
        super().__init__()
        self._places = dict(zip(_LETTERS, places, strict=False))

    def compose(self) -> ComposeResult:
        """A letter on the corner of each place."""
        for letter, place in self._places.items():
            label = Label(letter.upper())
            label.styles.offset = (place.region.x + 1, place.region.y)
            yield label

    def on_key(self, event: events.Key) -> None:
        """Go to the place of a letter."""
        if (place := self._places.get(event.key.lower())) is not None:
            event.stop()
            self.dismiss(place)

    def on_click(self, event: events.Click) -> None:
        """Go to the place that was clicked, or leave."""
        here = (one for one in self._places.values() if event.screen_offset in one.region)
        self.dismiss(next(here, None))

    def action_leave(self) -> None:
        """Leave all as it was."""
        self.dismiss(None)


def places_of(chain: list[Widget]) -> list[Widget]:
    """Those of a chain of focus that can be seen."""
    return [one for one in chain if one.region.area and one.is_on_screen]
