"""F1: what a screen is for, its keys, and the names under which `tui.toml` can change them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Label, Static

from localrec_tui.base_app import Dialog
from localrec_tui.widgets.key_footer import KeyFooter

_REMAP = (
    "The last column names each action. Give it other keys under [keymap] in tui.toml, in the "
    'workspace or for all of them in your folder of settings: like = "ctrl+l"'
)


class HelpScreen(Dialog[None]):
    """Shows the help of the screen below.

    Args:
        text: What the screen is for.
        bindings: All its keys.
        keymap: Action -> the keys that a person gave it.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1,q", "leave", "Close", id="leave"),
    ]
    DEFAULT_CSS = "HelpScreen > .dialog { width: 78; }"

    def __init__(self, text: str, bindings: Sequence[Binding], keymap: Mapping[str, str]) -> None:
        super().__init__()
        self._text = text
        self._bindings_shown = bindings
        self._given = keymap

    def compose(self) -> ComposeResult:
        """The text above the table of keys."""
        with Vertical(classes="dialog"):
            yield Label("Help", classes="title")
            with VerticalScroll():
                yield Static(self._text, markup=False)
                yield Static(Content("\n").join(["", *self._lines(), "", _REMAP]), markup=False)
            yield KeyFooter()

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
        keys = self._given.get(binding.id or "", binding.key)
        shown = (
            self.app.get_key_display(binding.with_key(key.strip(), None)) for key in keys.split(",")
        )
        return " or ".join(shown)
