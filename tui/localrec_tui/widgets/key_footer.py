"""The line of keys at the foot, which keeps what the place owns where it gets narrow."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.widgets import Footer, Input, TextArea
from textual.widgets._footer import FooterKey

_EVERYWHERE = ("quit", "help")  # these go first: the palette has them
_ROOM_KEYS, _ROOMS = "alt+{}", "Rooms"
_PADDING = {False: 3, True: 2}  # cells of a key around its two words: roomy, compact
_PALETTE_EXTRA = 1  # the border before it


class KeyFooter(Footer):
    """Shows the keys that hold now, in as many cells as there are.

    All of them where they fit, else closer together, else without those that hold everywhere, and
    at last without the end of the list; the palette and F1 know them all. While a text is typed, it
    tells the keys that lead to the rooms as well, because a digit is a letter then.
    """

    def compose(self) -> ComposeResult:
        """Yield the keys that fit."""
        keys = [one for one in super().compose() if isinstance(one, FooterKey)]
        own = [one for one in keys if not one.has_class("-command-palette")]
        palette = [one for one in keys if one.has_class("-command-palette")]
        own += self._room_keys()
        room = self.size.width - sum(_width(one, True) + _PALETTE_EXTRA for one in palette)
        self.compact = bool(self.size.width) and _total(own, False) >= room
        if self.compact:
            own = _fitting(own, room)
        yield from (*own, *palette)

    def on_resize(self, event: events.Resize) -> None:
        """Choose anew what fits."""
        self.call_after_refresh(self.recompose)

    def _room_keys(self) -> list[FooterKey]:
        """The keys to the rooms, where a line has the focus and they hold."""
        if not isinstance(self.screen.focused, Input | TextArea):
            return []
        count = 0
        while _ROOM_KEYS.format(count + 1) in self.screen.active_bindings:
            count += 1
        if not count:
            return []
        # A click opens the palette, which lists the rooms by name.
        key, shown = self.app.COMMAND_PALETTE_BINDING, f"{_ROOM_KEYS.format(1)}…{count}"
        told = FooterKey(key, shown, _ROOMS, "app.command_palette")
        return [told.data_bind(compact=Footer.compact)]


def _fitting(keys: list[FooterKey], room: int) -> list[FooterKey]:
    """Take keys away until the rest fits, those that hold everywhere first."""
    kept = list(keys)
    for action in _EVERYWHERE:
        if _total(kept, True) <= room:
            break
        kept = [one for one in kept if one.action != action]
    while kept and _total(kept, True) > room:
        kept.pop()
    return kept


def _total(keys: list[FooterKey], compact: bool) -> int:
    return sum(_width(one, compact) for one in keys)


def _width(key: FooterKey, compact: bool) -> int:
    return len(key.key_display) + len(key.description) + _PADDING[compact]
