"""Shows what an import would keep, before anything changes."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Label, Static

from localrec.data.rows import ImportReport
from localrec.foundation.prose import count_of
from localrec_tui.base_app import Dialog
from localrec_tui.widgets.key_footer import KeyFooter
from localrec_tui.widgets.transfer_texts import receipt_notes


class ReceiptDialog(Dialog[bool]):
    """Asks whether what was read is to come in; None where it is left.

    Args:
        report: What a dry run said.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "take", "Import", id="take_import"),
    ]
    DEFAULT_CSS = """
    ReceiptDialog > .dialog { width: 90; }
    ReceiptDialog VerticalScroll { height: auto; max-height: 16; margin-bottom: 1; }
    """

    def __init__(self, report: ImportReport) -> None:
        super().__init__()
        self._report = report

    def compose(self) -> ComposeResult:
        """Counts, then each row that would be mended or dropped."""
        with Vertical(classes="dialog"):
            yield Label(f"Import {self._report.source}?", classes="title", markup=False)
            with VerticalScroll():
                yield Static("\n".join(receipt_lines(self._report)), markup=False)
            yield Label("Nothing has changed yet.", classes="hint")
            yield KeyFooter()

    def action_take(self) -> None:
        """Take it in."""
        self.dismiss(True)


def receipt_lines(report: ImportReport) -> list[str]:
    """A receipt in sentences: the counts, the notes, then the rows that are dropped or mended."""
    counts = (
        f"{count_of(report.read, 'row')} read: {report.kept:,} would be kept, "
        f"{report.merged:,} merged, {report.dropped:,} dropped."
    )
    return [counts, *receipt_notes(report)]
