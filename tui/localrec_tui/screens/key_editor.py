"""Gives actions other keys: the new key is pressed, and the workspace remembers it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Label, OptionList, Static
from textual.widgets.option_list import Option

from localrec.foundation.errors import LocalrecError
from localrec_tui.base_app import Dialog
from localrec_tui.key_names import key_text, keys_of
from localrec_tui.preferences import with_keys
from localrec_tui.widgets.key_footer import KeyFooter

_LEAVES = "escape"
_NEEDED = frozenset(
    "tab shift+tab enter space up down left right home end pageup pagedown backspace delete "
    "ctrl+c ctrl+q ctrl+p".split()
)


class KeyEditor(Dialog[None]):
    """Lists actions with their keys, and gives one another key.

    Args:
        bindings: The actions that can be reached where the user came from.
        rooms: The actions of each room, the app's among them: a key holds in all of them.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "change", "Another key", id="change_key", priority=True),
        Binding("delete,backspace", "usual", "The usual key", id="usual_key"),
    ]
    DEFAULT_CSS = "KeyEditor > .dialog { width: 78; }"

    def __init__(self, bindings: Sequence[Binding], rooms: Sequence[Sequence[Binding]]) -> None:
        super().__init__()
        self._named = [one for one in bindings if one.id]
        self._rooms = rooms

    def compose(self) -> ComposeResult:
        """The actions below what Enter and Delete do."""
        with Vertical(classes="dialog"):
            yield Label("Keys", classes="title")
            yield OptionList(*self._options())
            yield Label("Kept for this workspace, in its tui.toml.", classes="hint")
            yield KeyFooter()

    def on_mount(self) -> None:
        """Begin at the first action."""
        self.query_one(OptionList).highlighted = 0

    def action_change(self) -> None:
        """Ask for a key to be pressed."""
        if (binding := self._chosen()) is not None:
            self.app.push_screen(KeyCapture(binding, self._taken_beside(binding)), self._give)

    def _taken_beside(self, binding: Binding) -> dict[str, str]:
        """The keys of other actions wherever this one is, with what these do."""
        return {
            key: one.description
            for room in self._rooms
            if any(one.id == binding.id for one in room)
            for one in room
            if one.id != binding.id
            for key in keys_of(one, self.app.preferences.keymap)
        }

    def action_usual(self) -> None:
        """Let the action have its usual keys again."""
        if (binding := self._chosen()) is not None:
            self._keep(binding, binding.key)

    def _give(self, key: str | None) -> None:
        """Let a pressed key take the first key's place; further ones, for lines, stay."""
        binding = self._chosen()
        if key is not None and binding is not None:
            self._keep(binding, ",".join([key, *keys_of(binding, {})[1:]]))

    def _keep(self, binding: Binding, keys: str) -> None:
        name = binding.id or ""
        try:
            self.app.preferences = with_keys(self.app.folder, name, keys, binding.key)
        except (OSError, LocalrecError) as error:
            self.notify(f"The key is not kept: {error}", severity="error", markup=False)
            return
        self.app.set_keymap(self.app.preferences.keymap)
        listed = self.query_one(OptionList)
        place = listed.highlighted
        listed.clear_options()
        listed.add_options(self._options())
        listed.highlighted = place

    def _chosen(self) -> Binding | None:
        place = self.query_one(OptionList).highlighted
        return None if place is None else self._named[place]

    def _options(self) -> list[Option]:
        keymap = self.app.preferences.keymap
        keys = [" or ".join(map(key_text, keys_of(one, keymap))) for one in self._named]
        wide = max(map(len, keys), default=0)
        return [
            Option(
                Content.assemble(
                    (f"{key:<{wide}}  ", "bold"), one.description, (self._whose(one), "$text-muted")
                )
            )
            for key, one in zip(keys, self._named, strict=True)
        ]

    def _whose(self, binding: Binding) -> str:
        given = self.app.preferences.keymap.get(binding.id or "", binding.key)
        return "" if given == binding.key else "  (yours)"


class KeyCapture(Dialog[str]):
    """Waits for the key that an action is to have; None where it is left.

    Args:
        binding: Of the action.
        taken: Keys that other actions have here, with what these do.
    """

    def __init__(self, binding: Binding, taken: dict[str, str]) -> None:
        super().__init__()
        self._binding, self._taken = binding, taken

    def compose(self) -> ComposeResult:
        """What is waited for, and why a key is not taken."""
        with Vertical(classes="dialog"):
            yield Label(f"A key for “{self._binding.description}”", classes="title", markup=False)
            yield KeyField("Press the key. Esc leaves it as it is.", markup=False)
            yield Label("", classes="hint", markup=False)

    def on_mount(self) -> None:
        """Hear every key."""
        self.query_one(KeyField).focus()

    def on_key_field_pressed(self, event: KeyField.Pressed) -> None:
        """Take the key, or say why not."""
        if event.key == _LEAVES:
            self.dismiss(None)
        elif fault := self._fault_of(event):
            self.query_one(".hint", Label).update(fault)
        else:
            self.dismiss(event.key)

    def _fault_of(self, event: KeyField.Pressed) -> str:
        if event.key in _NEEDED:
            return "That key is needed to move about and to leave. Take another."
        if event.key in self._taken:
            return f"That key is taken by “{self._taken[event.key]}”. Give that one another first."
        is_letter = len(keys_of(self._binding, {})[0]) == 1
        if event.is_typed and not is_letter:
            return "A letter works in lists alone. Take a function key, or one with Ctrl."
        return ""


class KeyField(Static, can_focus=True):
    """Hears keys, and keeps them from doing anything, but for Ctrl+Q and Ctrl+P of the app."""

    class Pressed(Message):
        """A key was pressed."""

        def __init__(self, key: str, is_typed: bool) -> None:
            super().__init__()
            self.key, self.is_typed = key, is_typed

    def on_key(self, event: events.Key) -> None:
        """Pass the key on."""
        event.stop()
        event.prevent_default()
        self.post_message(self.Pressed(event.key, event.is_printable))
