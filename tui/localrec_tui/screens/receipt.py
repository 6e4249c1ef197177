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

_PROBLEMS = 100


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
    lines = [
        f"{count_of(report.read, 'row')} read: {report.kept:,} would be kept, "
        f"{report.merged:,} merged, {report.dropped:,} dropped."
    ]
    if report.found_again:
        lines.append(f"{report.found_again:,} of the items are in a catalogue here already.")
    lines += report.notes
    lines += [f"  {one.as_line()}" for one in report.gravest_problems()[:_PROBLEMS]]
    if len(report.problems) > _PROBLEMS:
        lines.append(f"  … {len(report.problems) - _PROBLEMS:,} more")
    return lines
