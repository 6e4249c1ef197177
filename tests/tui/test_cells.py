"""Tables of rows: they look as Textual's own do, and draw again only what looks otherwise."""

import msgspec
import pytest
from textual.app import App
from textual.widgets import DataTable

from localrec.data.rows import Event
from localrec_tui.widgets.cells import Cell, FittedTable, RowTable
from localrec_tui.widgets.results import Results

from .conftest import seen, settled

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


class TestAnAnswer:
    async def test_shows_whole_columns_only_the_rightmost_leaving_first(self, open_app, services):
        drink = services.ask.__globals__["drink"]
        missing = ("something nobody has", "more")
        near = msgspec.structs.replace(drink(1, "A name of middling length", 0.8), missing=missing)
        async with open_app((120, 40)) as pilot:
            results = pilot.app.screen.query_one(Results)
            table = results.query_one(FittedTable)
            await results.show("cocktails", (), (near,))
            await settled(pilot)
            assert heads(table) == ["#", "Name", "Meets", "You", "Fits"]
            assert table.virtual_size.width <= table.scrollable_content_region.width
            await pilot.resize_terminal(240, 40)
            await settled(pilot)
            assert heads(table)[-1] == "Missing"
            assert "something nobody has, more" in seen(pilot)

    async def test_keeps_its_cursor_where_a_cell_tells_something_else(self, open_app, services):
        drink = services.ask.__globals__["drink"]
        items = tuple(drink(number, f"Drink {number}", 0.5) for number in range(1, 30))
        async with open_app((120, 40)) as pilot:
            results = pilot.app.screen.query_one(Results)
            table = results.query_one(FittedTable)
            await results.show("cocktails", items)
            await settled(pilot)
            table.move_cursor(row=20)
            results.mark("cocktails", items[20].key, Event.LIKED)
            await settled(pilot)
            assert table.cursor_row == 20
            assert "like it" in " ".join(map(str, table.get_row_at(20)))


def heads(table):
    return [str(column.label) for column in table.ordered_columns]
