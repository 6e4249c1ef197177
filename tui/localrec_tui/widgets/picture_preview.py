"""A picture of an item: in pixels where the terminal shows them, else in lines of half cells."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual import getters
from textual.app import ComposeResult
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from localrec_tui.base_app import BaseApp
from localrec_tui.services.records import HalfCell

if TYPE_CHECKING:
    from textual_image.widget._base import Image

_UPPER_HALF = "▀"


class PicturePreview(Widget):
    """Shows nothing, and takes no room, before it has a picture, or where colours are off."""

    app = getters.app(BaseApp)
    DEFAULT_CSS = """
    PicturePreview { height: auto; margin-top: 1; display: none; }
    PicturePreview > * { width: auto; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._thumbnail = b""  # what the widget of pixels shows

    def compose(self) -> ComposeResult:
        """Half cells; pixels join them with the first picture."""
        yield Static()

    def show(
        self, lines: Sequence[Sequence[HalfCell]], room: int = 0, thumbnail: bytes = b""
    ) -> None:
        """Show a picture; () for none.

        Args:
            lines: The picture in half cells.
            room: Lines that it takes, kept free before it is here; 0: as many as it has.
            thumbnail: The same as a file of WebP, for pixels.
        """
        self.display = bool(lines or room) and not self.app.no_color
        self.styles.height = room or "auto"
        widget = None if self.app.no_color else self.app.pixel_widget
        told = Content("") if widget and thumbnail else Content("\n").join(map(_line, lines))
        for cells in self.query(Static):
            cells.update(told)
        if widget is not None:
            self._show_pixels(widget, thumbnail, room or len(lines))

    def _show_pixels(self, widget: type[Image], thumbnail: bytes, room: int) -> None:
        found = self.query(widget)
        shown = found.first() if found else widget()
        shown.styles.height = room
        if thumbnail != self._thumbnail:
            self._thumbnail = thumbnail
            shown.image = io.BytesIO(thumbnail) if thumbnail else None
        if not found:
            self.mount(shown)


def _line(cells: Sequence[HalfCell]) -> Content:
    return Content.assemble(*((_UPPER_HALF, f"{upper} on {lower}") for upper, lower in cells))
