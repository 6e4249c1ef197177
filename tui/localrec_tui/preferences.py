"""The user's preferences: `tui.toml` in the workspace, and one for all; unknown keys refused.

It holds no name of a person, so nobody has to be forgotten from it.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec
import platformdirs

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
    """The preferences in a workspace, over those of the user for all of their workspaces.

    Raises:
        InputError: a file is no TOML, or has an unknown or wrong field.
    """
    own, here = _read(user_file()), _read(folder / FILE)
    return Preferences(theme=here.theme or own.theme, keymap={**own.keymap, **here.keymap})


def user_file() -> Path:
    """The file of a user's own preferences, for all workspaces."""
    return Path(platformdirs.user_config_dir("localrec", appauthor=False)) / FILE


def load_workspace_preferences(folder: Path) -> Preferences:
    """The preferences in a workspace alone.

    Raises:
        InputError: as `load_preferences`.
    """
    return _read(folder / FILE)


def _read(path: Path) -> Preferences:
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


def with_keys(folder: Path, action: str, keys: str, usual: str) -> Preferences:
    """Give an action keys in a workspace; return all preferences.

    Args:
        folder: The workspace.
        action: Its name.
        keys: By commas. The usual ones are written down only where the user has others for all
            workspaces.
        usual: The keys that the action has where nobody gives it any.

    Raises:
        InputError: as `load_preferences`.
        WorkspaceError, OSError: as `save_preferences`.
    """
    here = load_workspace_preferences(folder)
    keymap = {name: k for name, k in here.keymap.items() if name != action}
    if keys != usual or action in _read(user_file()).keymap:
        keymap[action] = keys
    save_preferences(folder, msgspec.structs.replace(here, keymap=keymap))
    return load_preferences(folder)


def _quoted(text: str) -> str:
    """A TOML string: JSON's, of which TOML forbids one letter more as it stands."""
    return msgspec.json.encode(text).decode().replace("\x7f", "\\u007f")
