"""Cells of a table that stand for themselves: a table takes a bare string for markup."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from textual.content import Content
from textual.widgets import DataTable

_LEAST = 12  # characters of an elastic column: with fewer, nothing in it can be told


class Cell:
    """A text that is shown as it is."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> str:
        return self._text


def fitted(text: str, width: int) -> str:
    """A text that fits into so many cells of a terminal; "…" says that it is cut."""
    return Content(text).truncate(width, ellipsis=True).plain


class FittedTable(DataTable[Cell]):
    """A table of rows, one column of which takes the room that the others leave.

    Args:
        heads: The names of the columns.
        elastic: The place of that column; "…" says where its text is cut.
        id: The table's own name.
        classes: Of the style sheet.
    """

    def __init__(
        self, heads: Sequence[str], elastic: int, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(id=id, cursor_type="row", zebra_stripes=True, classes=classes)
        self._heads, self._elastic = tuple(heads), elastic
        self._texts: tuple[tuple[str, ...], ...] = ()

    def fill(self, rows: Iterable[Sequence[str]]) -> None:
        """Replace the rows; the cursor stays at its place as far as there is one."""
        texts = tuple(map(tuple, rows))
        if texts != self._texts or not self.columns:
            self._texts = texts
            self._lay_out()

    def on_resize(self) -> None:
        """The elastic column follows the width."""
        self._lay_out()

    def _lay_out(self) -> None:
        if not self.size.width:
            return
        columns = zip(self._heads, *self._texts, strict=True)
        widths = [max(Content(cell).cell_length for cell in cells) for cells in columns]
        room = self.size.width - self.styles.scrollbar_size_vertical
        self._fit(widths, room - 2 * self.cell_padding * len(widths))
        place = self.cursor_row
        self.clear(columns=True)
        for head, width in zip(self._heads, widths, strict=True):
            self.add_column(head, width=width)
        for row in self._texts:
            self.add_row(*(Cell(fitted(*cell)) for cell in zip(row, widths, strict=True)))
        if self.row_count:
            self.move_cursor(row=min(place, self.row_count - 1))

    def _fit(self, widths: list[int], room: int) -> None:
        """Make columns fit: the elastic one first, from a third of the room on the widest too."""
        own = widths.pop(self._elastic)
        over = sum(widths) + min(own, max(_LEAST, room // 3)) - room
        if over > 0:
            widest = widths.index(max(widths))
            widths[widest] = max(_LEAST, widths[widest] - over)
        widths.insert(self._elastic, max(_LEAST, min(own, room - sum(widths))))


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
