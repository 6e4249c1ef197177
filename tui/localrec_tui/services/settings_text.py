"""The settings of a workspace as a text that a user edits."""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec

from localrec.foundation.atomic_files import write_atomically
from localrec.foundation.errors import InputError
from localrec.foundation.paths import make_private
from localrec.foundation.settings import Settings

_FILE = "settings.toml"
_HINT = """\
# What each line means: docs/cli.md and `localrec models use --help`. For example:
# threads = 2
# chat_model = "smollm2-135m"
"""


def read_settings_text(folder: Path) -> str:
    """The text of the settings; without any, a few lines that say what can stand there."""
    try:
        return (folder / _FILE).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return _HINT


def save_settings_text(folder: Path, text: str) -> None:
    """Write the settings; a text that is none changes nothing.

    Raises:
        InputError: the text is no TOML, or has an unknown or wrong field.
    """
    try:
        msgspec.convert(tomllib.loads(text), Settings)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise InputError(
            f"These settings cannot be used: {error}.", "Nothing was saved."
        ) from error
    write_atomically(make_private(folder) / _FILE, text.rstrip().encode() + b"\n")
