"""The user's preferences: `tui.toml` in the workspace, typed, unknown keys refused.

It holds no name of a person, so nobody has to be forgotten from it.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec

from localrec.foundation.atomic_files import write_atomically
from localrec.foundation.errors import InputError
from localrec.foundation.paths import make_private

FILE = "tui.toml"


class Preferences(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The preferences that the app keeps between its runs.

    Args:
        theme: A theme's name, as the palette lists them; "" for the app's own.
        keymap: Action -> keys, by commas, in place of the usual ones: `like = "ctrl+l"`. F1 shows
            the names of all actions.
    """

    theme: str = ""
    keymap: dict[str, str] = {}


def load_preferences(folder: Path) -> Preferences:
    """The preferences in a workspace; the defaults where it has none.

    Raises:
        InputError: the file is no TOML, or has an unknown or wrong field.
    """
    path = folder / FILE
    try:
        return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Preferences)
    except FileNotFoundError:
        return Preferences()
    except (OSError, tomllib.TOMLDecodeError, msgspec.ValidationError, UnicodeError) as error:
        raise InputError(
            f"{path} cannot be used: {error}.", "Mend the line, or delete the file."
        ) from error


def save_preferences(folder: Path, preferences: Preferences) -> None:
    """Write them in one step, for their owner alone.

    Raises:
        WorkspaceError: the folder cannot be made.
        OSError: the file cannot be written.
    """
    lines = [f"theme = {_quoted(preferences.theme)}"] if preferences.theme else []
    if preferences.keymap:
        keys = (f"{_quoted(name)} = {_quoted(k)}" for name, k in preferences.keymap.items())
        lines += ["", "[keymap]", *keys]
    write_atomically(make_private(folder) / FILE, ("\n".join(lines) + "\n").encode())


def _quoted(text: str) -> str:
    """A TOML string: JSON's, of which TOML forbids one letter more as it stands."""
    return msgspec.json.encode(text).decode().replace("\x7f", "\\u007f")
