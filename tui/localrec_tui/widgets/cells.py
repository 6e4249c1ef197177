"""Cells of a table that stand for themselves: a table takes a bare string for markup."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from textual.content import Content
from textual.widgets import DataTable


class Cell:
    """A text that is shown as it is."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> str:
        return self._text


def fitted(text: str, width: int) -> str:
    """A text that fits into so many cells of a terminal; "…" says that it is cut."""
    return Content(text).truncate(width, ellipsis=True).plain


def fill_table(table: DataTable[Cell], rows: Iterable[Sequence[str]]) -> None:
    """Replace the rows of a table; the cursor stays at its place as far as there is one."""
    place = table.cursor_row
    table.clear()
    texts = [tuple(row) for row in rows]
    # A table that is drawn before it has measured its cells keeps what it drew; so measure first.
    for column, cells in zip(table.ordered_columns, zip(*texts, strict=True), strict=False):
        widest = max(Content(cell).cell_length for cell in cells)
        column.content_width = max(column.content_width, widest)
    for row in texts:
        table.add_row(*map(Cell, row))
    if table.row_count:
        table.move_cursor(row=min(place, table.row_count - 1))
