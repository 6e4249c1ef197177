"""Shows what becomes of the columns of a table that nothing here knows, and asks for its name."""

from __future__ import annotations

from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import DataTable, Input, Label

from localrec_tui.base_app import Dialog
from localrec_tui.services.import_look import FileLook, domain_name_of, name_fault
from localrec_tui.widgets.cells import Cell, fill_table
from localrec_tui.widgets.key_footer import KeyFooter
from localrec_tui.widgets.text_line import DialogLine

_HEADS = ("Column", "First values", "What becomes of it")


class OwnCatalogueDialog(Dialog[str]):
    """Asks what the items of a table are called together; None where it is left.

    Args:
        found: The table, with a proposal for its name.
    """

    DEFAULT_CSS = """
    OwnCatalogueDialog > .dialog { width: 120; }
    OwnCatalogueDialog DataTable { height: auto; max-height: 14; margin: 1 0; }
    """

    def __init__(self, found: FileLook) -> None:
        super().__init__()
        self._found = found

    def compose(self) -> ComposeResult:
        """The name on top, the columns below."""
        file = Path(self._found.path).name
        with Vertical(classes="dialog"):
            told = f"{file}: {self._found.rows:,} things of a new kind"
            yield Label(told, classes="title", markup=False)
            yield Label("What are they called together, such as wines or board games?")
            yield DialogLine(self._found.domain, max_length=40)
            yield DataTable[Cell](cursor_type="row", zebra_stripes=True)
            yield Label(
                "Enter reads all rows and shows what would be kept; nothing has changed yet. "
                "Tab leads to the columns.",
                classes="hint",
                id="status",
            )
            yield KeyFooter()

    def on_mount(self) -> None:
        """List the columns."""
        table = self.query_one(DataTable)
        table.add_columns(*_HEADS)
        fill_table(table, [(one.name, one.values, one.becomes) for one in self._found.columns])
        self.query_one(Input).focus()

    @on(Input.Submitted)
    def _named(self, event: Input.Submitted) -> None:
        name = domain_name_of(event.value)
        if fault := name_fault(name):
            self.query_one("#status", Label).update(fault)
        else:
            self.dismiss(name)
