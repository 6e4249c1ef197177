"""The keys of actions, and how they are called."""

from __future__ import annotations

from collections.abc import Mapping

from textual.binding import Binding

_KEY_NAMES = {
    "escape": "Esc",
    "slash": "/",
    "delete": "Delete",
    "backspace": "Backspace",
    "enter": "Enter",
}


def keys_of(binding: Binding, keymap: Mapping[str, str]) -> list[str]:
    """List the keys of an action.

    Args:
        binding: Of the action.
        keymap: Action -> the keys that a user gave it, by commas.
    """
    keys = keymap.get(binding.id or "", binding.key)
    return [key.strip() for key in keys.split(",")]


def key_name(binding: Binding, keymap: Mapping[str, str]) -> str:
    """Name the first key of an action; the arguments are those of `keys_of`."""
    return key_text(keys_of(binding, keymap)[0])


def key_text(key: str) -> str:
    """Name a key as it stands on a keyboard: "Shift+L", "Ctrl+O", "F4"."""
    *held, key = key.strip().split("+")
    if len(key) == 1 and key.isalpha() and key.isupper():
        held.append("shift")
    return "+".join([*map(str.capitalize, held), _KEY_NAMES.get(key, key.capitalize())])
