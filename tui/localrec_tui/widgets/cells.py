"""Tables whose cells stand for themselves, where a bare string would be taken for markup."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from textual.content import Content
from textual.coordinate import Coordinate
from textual.strip import Strip
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


class RowTable(DataTable[Cell]):
    """A table that draws again only those rows that look otherwise than before.

    Textual 8.2.8 keeps each line that it drew under the places of cursor and mouse, and so draws
    all of them anew with an arrow that scrolls. Lines of rows under neither are kept here without.
    """

    def _render_line(self, y: int, x1: int, x2: int, base_style: Any) -> Strip:
        draw = super()._render_line
        if self._is_marked(y):
            return draw(y, x1, x2, base_style)
        of_table = (self._update_count, self._pseudo_class_state, self.size.width, base_style)
        key: Any = ("unmarked", y, x1, x2, *of_table)
        if key not in self._line_cache:
            self._line_cache[key] = draw(y, x1, x2, base_style)
        return self._line_cache[key]

    def _is_marked(self, y: int) -> bool:
        """Whether a line belongs to the heads, to the row of the cursor or to that of the mouse."""
        try:
            key, _ = self._get_offsets(y)
        except LookupError:
            return True  # below the last row: nothing to keep
        row = self._row_locations.get(key)
        return row is None or row in (self.cursor_row, self.hover_row)


class FittedTable(RowTable):
    """A table of rows, one column of which takes the room that the others leave.

    Args:
        heads: The names of the columns.
        elastic: The place of that column; "…" says where its text is cut.
        spare: The places of columns that leave where not all fit beside another pane, the first
            of them first.
        id: The table's own name.
        classes: Of the style sheet.
    """

    def __init__(
        self,
        heads: Sequence[str],
        elastic: int,
        id: str | None = None,
        classes: str | None = None,
        *,
        spare: Sequence[int] = (),
    ) -> None:
        super().__init__(id=id, cursor_type="row", zebra_stripes=True, classes=classes)
        self._heads, self._elastic, self._spare = tuple(heads), elastic, tuple(spare)
        self._texts: tuple[tuple[str, ...], ...] = ()
        self._widths: dict[int, int] = {}  # of the columns that are drawn

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
        columns = zip(self._heads, *self._texts, strict=True)
        widths = {
            column: max(Content(cell).cell_length for cell in cells)
            for column, cells in enumerate(columns)
        }
        if self.size.width:  # else it is hidden, and has its rows for the cursor alone
            self._fit(widths, self.size.width - self.styles.scrollbar_size_vertical)
        fitting = [
            tuple(fitted(row[column], width) for column, width in sorted(widths.items()))
            for row in self._texts
        ]
        if widths == self._widths and len(fitting) == self.row_count:
            self._mend(fitting)
        else:
            self._widths = widths
            self._draw_anew(fitting)

    def _mend(self, fitting: Sequence[Sequence[str]]) -> None:
        """Change those cells that tell something else."""
        for row, texts in enumerate(fitting):
            for column, (before, text) in enumerate(zip(self.get_row_at(row), texts, strict=True)):
                if str(before) != text:
                    self.update_cell_at(Coordinate(row, column), Cell(text))

    def _draw_anew(self, fitting: Sequence[Sequence[str]]) -> None:
        place = self.cursor_row
        self.clear(columns=True)
        for column, width in sorted(self._widths.items()):
            self.add_column(self._heads[column], width=width, key=str(column))
        for texts in fitting:
            self.add_row(*map(Cell, texts))
        if self.row_count:
            self.move_cursor(row=min(place, self.row_count - 1))

    def _fit(self, widths: dict[int, int], width: int) -> None:
        """Make columns fit: the elastic one first, from a third of the room on others too.

        Spare ones leave; where that is too little, the widest is cut.
        """
        own = widths.pop(self._elastic)
        spare = [] if self.screen.has_class("-narrow") else list(self._spare)
        while True:
            room = width - 2 * self.cell_padding * (len(widths) + 1)
            over = sum(widths.values()) + max(_LEAST, min(own, room // 3)) - room
            if over <= 0 or not spare:
                break
            del widths[spare.pop(0)]
        if over > 0:
            widest = max(widths, key=lambda column: widths[column])
            widths[widest] = max(_LEAST, widths[widest] - over)
        widths[self._elastic] = max(_LEAST, min(own, room - sum(widths.values())))


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
