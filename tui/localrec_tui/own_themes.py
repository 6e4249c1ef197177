"""Themes of a user's own: one TOML file each in the folder `themes` beside their `tui.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec
from textual.color import Color, ColorParseError
from textual.theme import Theme

from localrec_tui.preferences import user_file

_MOST_BYTES = 20_000


class OwnTheme(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A theme as its file says it: colours by name or as "#rrggbb"; what is left out is derived.

    Args:
        primary: The colour of frames and titles.
        secondary: A second one beside it.
        accent: What has the focus.
        success: What went well.
        warning: What needs a look.
        error: What failed.
        foreground: Letters.
        background: Behind all.
        surface: Behind panes and lines.
        panel: Behind the line of rooms.
        dark: Whether letters are light on dark.
    """

    primary: str
    secondary: str | None = None
    accent: str | None = None
    success: str | None = None
    warning: str | None = None
    error: str | None = None
    foreground: str | None = None
    background: str | None = None
    surface: str | None = None
    panel: str | None = None
    dark: bool = True


def themes_folder() -> Path:
    """Where a user's own themes lie."""
    return user_file().parent / "themes"


def load_own_themes(folder: Path) -> tuple[list[Theme], list[str]]:
    """Read all themes of a folder; the name of a file is the name of its theme.

    Returns:
        The themes, and a sentence for each file that is none.
    """
    themes, faults = [], []
    for path in sorted(folder.glob("*.toml")):
        try:
            themes.append(_read(path))
        except (OSError, ValueError, tomllib.TOMLDecodeError, ColorParseError) as error:
            faults.append(f"The theme {path.name} cannot be used: {error}.")
    return themes, faults


def _read(path: Path) -> Theme:
    with path.open("rb") as file:
        text = file.read(_MOST_BYTES).decode("utf-8")
    told = msgspec.convert(tomllib.loads(text), OwnTheme)
    colours = {name: value for name, value in msgspec.structs.asdict(told).items() if value}
    is_dark = bool(colours.pop("dark", False))
    for value in colours.values():
        Color.parse(value)
    return Theme(name=path.stem, dark=is_dark, **colours)
