"""A picture of an item in lines of half cells."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.widgets import Static

from localrec_tui.services.records import HalfCell

_UPPER_HALF = "▀"


class PicturePreview(Static):
    """Shows nothing, and takes no room, before it has a picture, or where colours are off."""

    DEFAULT_CSS = """
    PicturePreview { height: auto; margin-top: 1; display: none; }
    """

    def show(self, lines: Sequence[Sequence[HalfCell]], room: int = 0) -> None:
        """Show a picture, line by line; () for none.

        Args:
            lines: The picture.
            room: Lines that it takes, kept free before it is here; 0: as many as it has.
        """
        self.display = bool(lines or room) and not self.app.no_color
        self.styles.height = room or "auto"
        self.update(Content("\n").join(map(_line, lines)))


def _line(cells: Sequence[HalfCell]) -> Content:
    return Content.assemble(*((_UPPER_HALF, f"{upper} on {lower}") for upper, lower in cells))
