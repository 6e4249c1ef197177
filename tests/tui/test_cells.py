"""Tables of rows: they look as Textual's own do, and draw again only what looks otherwise."""

import pytest
from textual.app import App
from textual.widgets import DataTable

from localrec_tui.widgets.cells import Cell, RowTable

ROWS = 60
SIZE = (40, 20)


class TableApp(App):
    """One table as wide and high as the terminal."""

    def __init__(self, kind):
        super().__init__()
        self.table = kind(cursor_type="row", zebra_stripes=True)

    def compose(self):
        yield self.table

    def on_mount(self):
        self.table.add_columns("Name", "Kind")
        for number in range(ROWS):
            self.table.add_row(Cell(f"Item {number}"), Cell(f"kind {number % 7}"))


async def drawn_by(kind, keys, hovered=None):
    """What stands on the screen after some keys, with its colours."""
    app = TableApp(kind)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*keys)
        if hovered is not None:
            await pilot.hover(offset=hovered)
        await pilot.pause()
        return [list(strip) for strip in app.table.render_lines(app.table.size.region)]


@pytest.fixture
def drawn_cells(monkeypatch):
    """The rows of all cells that are drawn, one entry for each."""
    rows = []
    draw = DataTable._render_cell

    def noted(self, row_index, *more, **named):
        rows.append(row_index)
        return draw(self, row_index, *more, **named)

    monkeypatch.setattr(DataTable, "_render_cell", noted)
    return rows


class TestARowTable:
    @pytest.mark.parametrize(
        "keys",
        [
            (),
            ("down",) * 3,
            ("down",) * 30,
            ("down",) * 30 + ("up",) * 25,
            ("end",),
            ("end", "home"),
        ],
        ids=["at the start", "after arrows", "scrolled", "scrolled back", "at the end", "at home"],
    )
    async def test_looks_as_textuals_own(self, keys):
        assert await drawn_by(RowTable, keys) == await drawn_by(DataTable, keys)

    async def test_looks_as_textuals_own_under_the_mouse(self):
        places = {"keys": ("down",) * 4, "hovered": (3, 9)}
        assert await drawn_by(RowTable, **places) == await drawn_by(DataTable, **places)

    async def test_shows_a_changed_cell(self):
        app = TableApp(RowTable)
        async with app.run_test(size=SIZE) as pilot:
            app.table.update_cell_at((5, 0), Cell("Another"))
            await pilot.pause()
            lines = app.table.render_lines(app.table.size.region)
            assert "Another" in lines[6].text

    async def test_draws_only_the_rows_of_the_cursor_anew(self, drawn_cells):
        app = TableApp(RowTable)
        async with app.run_test(size=SIZE) as pilot:
            await pilot.press(*["down"] * 30)  # the list scrolls by now
            drawn_cells.clear()
            await pilot.press("down")
            await pilot.pause()
            assert set(drawn_cells) <= {-1, 30, 31}
