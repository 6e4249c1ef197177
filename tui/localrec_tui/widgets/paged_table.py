"""A table of any length that holds a window of its rows and asks for more near its edges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import msgspec
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import DataTable

from localrec_tui.services.catalogue import PageTurn
from localrec_tui.widgets.cells import Cell, RowTable, fitted

if TYPE_CHECKING:
    from localrec.graph.pagination import PageCursor

PAGE_ROWS = 60  # rows asked for at a time: more than a tall screen shows
_WINDOW = 3 * PAGE_ROWS
_AHEAD = 20  # rows from an edge at which the next ones are asked for
_SHARES = (4, 3, 2, 2)  # of the width: names, then the kinds that tell most
_CELL_PADDING = 2
_LEAST_KIND = 12  # characters of a kind's column: with fewer, no name in it can be told
_VERDICT_WIDTH = 10  # "dislike it"


class PagedRow(msgspec.Struct, frozen=True, kw_only=True):
    """One row: the item, its cells, and where it stands; no `place`: behind all others."""

    key: str
    name: str
    cells: tuple[str, ...]
    place: PageCursor | None


class PagedTable(RowTable):
    """Shows a window of rows, and asks for more near its edges."""

    @dataclass
    class PageWanted(Message):
        """A page is wanted that is not in the window."""

        turn: PageTurn

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("home", "first", "First item", show=False, id="first_item"),
        Binding("end", "last", "Last item", show=False, id="last_item"),
    ]
    DEFAULT_CSS = "PagedTable { height: 1fr; }"

    def __init__(self) -> None:
        super().__init__(id="listing", cursor_type="row", zebra_stripes=True, classes="pane")
        self._lines: list[PagedRow] = []
        self._heads: tuple[str, ...] = ()
        self._widths: dict[int, int] = {}  # of the columns that there is room for, by their place
        self._goes_on = False
        self._is_waiting = False
        self._is_settling = False  # rows are new, and the place among them is not yet the old one
        self.first = 0  # lines before the window

    @property
    def lines(self) -> tuple[PagedRow, ...]:
        """The lines in the window."""
        return tuple(self._lines)

    @property
    def current(self) -> PagedRow | None:
        """The line that keys mean."""
        return self._lines[self.cursor_row] if 0 <= self.cursor_row < len(self._lines) else None

    def set_heads(self, heads: Sequence[str]) -> None:
        """Name the columns, the verdict last, and drop the rows of other columns.

        Their widths follow from the table's, so that scrolling moves none. What has no room
        leaves: the kinds that tell least, first.
        """
        self._heads, self._lines = tuple(heads), []
        self._is_waiting, self._goes_on, self.first = False, False, 0
        self._lay_out()

    def begin(self, lines: Sequence[PagedRow], *, goes_on: bool) -> None:
        """Show the first lines of something else."""
        self._is_waiting, self._goes_on, self.first = False, goes_on, 0
        self._put(list(lines), row=0, scroll=0)

    def end(self, lines: Sequence[PagedRow], total: int) -> None:
        """Show the last lines."""
        self._is_waiting, self._goes_on, self.first = False, False, total - len(lines)
        self._put(list(lines), row=len(lines) - 1, scroll=len(lines))

    def append(self, lines: Sequence[PagedRow], *, goes_on: bool) -> None:
        """Show lines below the last; as many leave the window above, the cursor stays."""
        self._is_waiting, self._goes_on = False, goes_on
        lines = [*self._lines, *lines]
        gone = max(0, len(lines) - _WINDOW)
        self.first += gone
        self._put(lines[gone:], self.cursor_row - gone, self.scroll_offset.y - gone)

    def prepend(self, lines: Sequence[PagedRow]) -> None:
        """Show lines above the first; as many leave the window below, the cursor stays."""
        self._is_waiting = False
        self.first = max(0, self.first - len(lines)) if lines else 0
        self._goes_on = self._goes_on or len(self._lines) + len(lines) > _WINDOW
        come, lines = len(lines), [*lines, *self._lines][:_WINDOW]
        self._put(lines, self.cursor_row + come, self.scroll_offset.y + come)

    def replace(self, key: str, cells: tuple[str, ...]) -> None:
        """Show other cells for one line."""
        for row, line in enumerate(self._lines):
            if line.key == key:
                self._lines[row] = msgspec.structs.replace(line, cells=cells)
                for place, cell in enumerate(self._cells(self._lines[row])):
                    self.update_cell_at((row, place), cell)  # type: ignore[arg-type]

    def action_first(self) -> None:
        """Go to the first line of all."""
        if self.first:
            self._want(PageTurn())
        else:
            self.move_cursor(row=0)

    def action_last(self) -> None:
        """Go to the last line of all."""
        if self._goes_on:
            self._want(PageTurn(last=True))
        else:
            self.move_cursor(row=self.row_count - 1)

    def on_resize(self) -> None:
        """Columns follow the width."""
        self._lay_out()

    def on_data_table_row_highlighted(self) -> None:
        """Ask for more before the cursor is at an edge."""
        self._look_ahead()

    def watch_scroll_y(self, old: float, new: float) -> None:
        """Ask for more before the wheel is at an edge."""
        super().watch_scroll_y(old, new)
        self._look_ahead()

    def _look_ahead(self) -> None:
        if self._is_waiting or self._is_settling or not self._lines:
            return
        top = min(self.cursor_row, self.scroll_offset.y)
        bottom = max(self.cursor_row, self.scroll_offset.y + self.size.height)
        if self._goes_on and bottom >= len(self._lines) - _AHEAD:
            self._want(PageTurn(behind=self._lines[-1].place))
        elif self.first and top < _AHEAD:
            self._want(PageTurn(before=self._lines[0].place))

    def _want(self, turn: PageTurn) -> None:
        self._is_waiting = True
        self.post_message(self.PageWanted(turn))

    def _put(self, lines: list[PagedRow], row: int, scroll: int) -> None:
        self._lines, self._is_settling = lines, True
        with self.app.batch_update(), self.prevent(DataTable.RowHighlighted):
            self.clear()
            for line in lines:
                self.add_row(*self._cells(line))
            if lines:
                self.move_cursor(row=min(max(row, 0), len(lines) - 1), scroll=False)
        self.call_after_refresh(self._settle, max(scroll, 0))

    def _settle(self, scroll: int) -> None:
        """Scroll to the old place, once the table knows its length."""
        self.scroll_to(y=scroll, animate=False, immediate=True)
        self._is_settling = False
        self._look_ahead()

    def _cells(self, line: PagedRow) -> list[Cell]:
        """The cells that there is room for; a sign says where one is cut."""
        return [Cell(fitted(line.cells[place], width)) for place, width in self._widths.items()]

    def _lay_out(self) -> None:
        """Part the width among the columns."""
        if not self._heads or not self.size.width:
            return
        # The bar comes with the rows: room is left for it before they are here.
        room = self.size.width - self.styles.scrollbar_size_vertical
        self._widths = _widths(len(self._heads), room)
        row, scroll = self.cursor_row, self.scroll_offset.y
        self.clear(columns=True)
        for place, width in self._widths.items():
            self.add_column(self._heads[place], width=width)
        self._put(self._lines, row, scroll)


def _widths(columns: int, room: int) -> dict[int, int]:
    """How wide each of the columns is that have room, by its place: name, kinds, verdict."""
    for kinds in range(columns - 2, -1, -1):
        shares = (*_SHARES, *(1,) * kinds)[: kinds + 1]
        free = room - _CELL_PADDING * (kinds + 2) - _VERDICT_WIDTH
        widths = [free * share // sum(shares) for share in shares]
        if not kinds or widths[-1] >= _LEAST_KIND:
            break
    widths[0] = max(_LEAST_KIND, widths[0] + free - sum(widths))
    return {**dict(enumerate(widths)), columns - 1: _VERDICT_WIDTH}
