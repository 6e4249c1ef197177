"""F1: what a screen is for, its keys, and the names under which `tui.toml` can change them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Label, Static

from localrec_tui.base_app import Dialog
from localrec_tui.key_names import keys_of
from localrec_tui.screens.key_editor import KeyEditor
from localrec_tui.widgets.key_footer import KeyFooter

_REMAP = (
    "K gives actions other keys. By hand it is done under [keymap] in tui.toml, in the workspace "
    "or for all of them in your folder of settings, by the names in the last column: "
    'like = "ctrl+l"'
)


class HelpScreen(Dialog[None]):
    """Shows the help of the screen below.

    Args:
        text: What the screen is for.
        bindings: All its keys.
        rooms: The keys of each room, in all of which a changed key holds.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("k", "keys", "Change keys", id="keys"),
        Binding("escape,f1,q", "leave", "Close", id="leave"),
    ]
    DEFAULT_CSS = "HelpScreen > .dialog { width: 78; }"

    def __init__(
        self, text: str, bindings: Sequence[Binding], rooms: Sequence[Sequence[Binding]]
    ) -> None:
        super().__init__()
        self._rooms = rooms
        self._text = text
        self._bindings_shown = bindings

    def compose(self) -> ComposeResult:
        """The text above the table of keys."""
        with Vertical(classes="dialog"):
            yield Label("Help", classes="title")
            with VerticalScroll():
                yield Static(self._text, markup=False)
                yield Static(Content("\n").join(["", *self._lines(), "", _REMAP]), markup=False)
            yield KeyFooter()

    def action_keys(self) -> None:
        """Give actions other keys; they stand here when that is done."""
        self.app.push_screen(KeyEditor(self._bindings_shown, self._rooms), self._show_again)

    def _show_again(self, _: None) -> None:
        self.refresh(recompose=True)

    def _lines(self) -> list[Content]:
        keys = [self._keys(one) for one in self._bindings_shown]
        wide = max(map(len, keys), default=0)
        long = max((len(one.description) for one in self._bindings_shown), default=0)
        return [
            Content.assemble(
                (f"{key:<{wide}}  ", "bold"), f"{one.description:<{long}}  ", (one.id or "", "dim")
            )
            for key, one in zip(keys, self._bindings_shown, strict=True)
        ]

    def _keys(self, binding: Binding) -> str:
        keys = keys_of(binding, self.app.preferences.keymap)
        return " or ".join(self.app.get_key_display(binding.with_key(key, None)) for key in keys)
