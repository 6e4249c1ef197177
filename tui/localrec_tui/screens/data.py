"""Data: what came in, what can be pulled; files in and out, with a look before and a way back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.events import DescendantFocus
from textual.message import Message
from textual.widgets import DataTable, OptionList, Static
from textual.widgets.option_list import Option

from localrec.foundation.progress import Progress
from localrec_tui.messages import DomainsLoaded
from localrec_tui.screens.choice import ChoiceDialog, ChoiceItem
from localrec_tui.screens.export_choice import begin_export
from localrec_tui.screens.forget_choice import begin_forget
from localrec_tui.screens.importing import ImportingScreen
from localrec_tui.services.records import DomainSummary, ExportChoice, ExportRequest, RequestHandle
from localrec_tui.services.transfers import Arrival, DatasetSummary, ImportUndo
from localrec_tui.widgets.cells import FittedTable
from localrec_tui.widgets.choice_field import ChoiceField
from localrec_tui.widgets.columns import BREAKPOINTS, Columns
from localrec_tui.widgets.detail_pane import TextPane
from localrec_tui.widgets.key_footer import KeyFooter
from localrec_tui.widgets.nav_bar import NavBar
from localrec_tui.widgets.task_panel import TaskPanel
from localrec_tui.widgets.transfer_texts import (
    arrival_line,
    dataset_text,
    domain_text,
    receipt_text,
    undo_question,
)
from localrec_tui.workers import run_in_thread

_HEADS = ("Data set", "Here", "What", "Licence")
_ARRIVALS = 50
_LEAVE, _UNDO = "leave", "undo"
_EMPTY = "Nothing came in from a file yet. I imports one, P pulls the data set under the cursor."


class DataScreen(ImportingScreen):
    """Files in and out."""

    TITLE = "Data"
    HELP = (
        "I imports a file: an export of Letterboxd, Goodreads, IMDb and others, or a table of "
        "drinks, films or your own things. It is read first, you see what would be kept, and "
        "Enter takes it in; Z takes the last import of this run back, with all that was said "
        "since, after asking. X writes your history, your profile or a catalogue to a file. P "
        "pulls the data set under the cursor: that alone uses a network. F forgets a person, "
        "after showing what would go. S changes the settings of the workspace. Where there is "
        "room, the data set or import under the cursor stands beside the lists, and what is here "
        "of its domain."
    )
    HORIZONTAL_BREAKPOINTS = BREAKPOINTS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("i", "import_file", "Import", id="import_file"),
        Binding("z", "undo_import", "Undo import", id="undo_import"),
        Binding("x", "export", "Export", id="export"),
        Binding("p", "pull", "Pull", id="pull_data"),
        Binding("f", "forget", "Forget", id="forget"),
        Binding("s", "settings", "Settings", id="settings"),
        Binding("f2", "pick_user", "Person", show=False, id="person"),
        Binding("escape", "stop", "Stop", show=False, id="stop"),
    ]
    DEFAULT_CSS = """
    DataScreen #datasets, DataScreen #arrivals { height: 1fr; }
    DataScreen #arrivals { padding: 0 1; }
    DataScreen #arrivals:focus-within { border: round $accent; }
    DataScreen #arrivals Static { height: auto; }
    DataScreen #receipts {
        height: auto; max-height: 100%; margin-top: 1; padding: 0; border: none;
        background: transparent;
    }
    """

    @dataclass
    class DataLoaded(Message):
        """What can be pulled, and what came in."""

        datasets: tuple[DatasetSummary, ...]
        arrivals: tuple[Arrival, ...]
        domains: tuple[DomainSummary, ...]

    @dataclass
    class ExportsFound(Message):
        """What can go out was read."""

        choices: tuple[ExportChoice, ...]

    @dataclass
    class UndoForeseen(Message):
        """What taking the last import back would undo was read."""

        found: ImportUndo

    def __init__(self) -> None:
        super().__init__()
        self._datasets: tuple[DatasetSummary, ...] = ()
        self._arrivals: tuple[Arrival, ...] = ()
        self._is_at_imports = False  # whether the cursor is there, and not at the data sets

    def compose(self) -> ComposeResult:
        """What can be pulled, what came in, what runs."""
        yield NavBar()
        with Horizontal(id="top"):
            yield ChoiceField("Person", "F2", id="user")
        with Columns(id="body"):
            with Vertical(classes="list"):
                yield FittedTable(_HEADS, _HEADS.index("What"), id="datasets", classes="pane")
                with VerticalScroll(id="arrivals", classes="pane", can_focus=False):
                    yield Static(_EMPTY, markup=False)
                    yield OptionList(id="receipts")
            yield TextPane(id="detail", classes="detail")
            yield TextPane(id="side", classes="side")
        yield TaskPanel()
        yield KeyFooter()

    def on_mount(self) -> None:
        """Name the columns and the panes."""
        table = self.query_one("#datasets", FittedTable)
        table.border_title = "Data sets that can be pulled"
        self.query_one("#arrivals").border_title = "Came in"
        self.watch(self.app, "user", self._show_user_name)
        table.focus()

    def on_screen_resume(self) -> None:
        """Others may have brought something in."""
        self._look()

    @on(DescendantFocus, "#datasets, #receipts")
    def _list_reached(self, event: DescendantFocus) -> None:
        self._is_at_imports = event.widget.id == "receipts"
        receipts = self.query_one("#receipts", OptionList)
        if self._is_at_imports and receipts.highlighted is None and self._arrivals:
            receipts.highlighted = 0
        self._show_chosen()

    @on(DataTable.RowHighlighted)
    @on(OptionList.OptionHighlighted)
    def _line_reached(self) -> None:
        self._show_chosen()

    # --- keys ---

    def action_undo_import(self) -> None:
        """Look what goes with the last import, then ask whether to take it back."""
        if self._tasks.is_busy():
            return
        transfers = self.app.services.transfers
        run_in_thread(
            self, "taking an import back", lambda: self.UndoForeseen(transfers.import_undo())
        )

    def on_data_screen_undo_foreseen(self, message: UndoForeseen) -> None:
        """Say what would go, and take the import back on request."""
        if not self.is_active or self._tasks.is_busy():
            return

        def decided(choice: str | None) -> None:
            if choice == _UNDO:
                self._undo_import()

        choices = [
            ChoiceItem(_LEAVE, "Leave all as it is"),
            ChoiceItem(_UNDO, "Take it back"),
        ]
        self.app.push_screen(ChoiceDialog(undo_question(message.found), choices, ""), decided)

    def _undo_import(self) -> None:
        if self._tasks.is_busy():
            return
        transfers = self.app.services.transfers

        def work() -> Message:
            transfers.undo_import()
            return self.Transferred("The store is as it was before the last import.")

        run_in_thread(self, "taking an import back", work)

    def action_export(self) -> None:
        """Look what can go out, then ask where to."""
        if self._tasks.is_busy():
            return
        services, user = self.app.services, self.app.user
        if services.is_empty:
            self.show_status("There is nothing to export yet.")
            return
        transfers = services.transfers
        run_in_thread(
            self, "what can go out", lambda: self.ExportsFound(transfers.export_choices(user))
        )

    def action_pull(self) -> None:
        """Fetch the data set under the cursor."""
        chosen, transfers = self._dataset(), self.app.services.transfers
        if chosen is None:
            return

        def work(request: RequestHandle, progress: Progress) -> Message:
            transfers.pull(chosen.name, request, progress)
            return self.Transferred(f"{chosen.name} is here ({chosen.licence}).")

        self._begin(f"Pulling {chosen.name}", work)

    def action_forget(self) -> None:
        """Forget a person, after showing what would go."""
        user = self.app.user
        if user is None:
            self.show_status("F2 chooses who is to be forgotten.")
        elif self._domains:
            begin_forget(self, user, [one.name for one in self._domains], self._forgotten)

    def action_settings(self) -> None:
        """Change the settings of the workspace."""
        self.app.edit_settings()

    def action_stop(self) -> None:
        """Stop what runs."""
        self._tasks.stop()

    def on_data_screen_exports_found(self, message: ExportsFound) -> None:
        """Ask what goes out, then where to."""
        if message.choices:
            begin_export(self, message.choices, self._export)
        else:
            self.show_status("There is nothing to export yet.")

    def _export(self, wanted: ExportRequest) -> None:
        transfers = self.app.services.transfers

        def work(request: RequestHandle, progress: Progress) -> Message:
            return self.Transferred(transfers.export(wanted, request, progress))

        self._begin("Writing", work)

    # --- what comes back ---

    def on_importing_screen_transferred(self, message: ImportingScreen.Transferred) -> None:
        """Say so, and look again."""
        self.show_status(message.sentence)
        self.app.data_changed.publish(message.sentence)
        self._look()

    def on_data_screen_data_loaded(self, message: DataLoaded) -> None:
        """Show it."""
        self._datasets, self._domains = message.datasets, message.domains
        self.query_one("#datasets", FittedTable).fill(map(_cells, message.datasets))
        counts = "\n".join(one.counted for one in message.domains)
        self.query_one("#arrivals Static", Static).update(counts if message.arrivals else _EMPTY)
        if message.arrivals != self._arrivals:
            self._arrivals = message.arrivals
            receipts = self.query_one("#receipts", OptionList)
            receipts.clear_options()
            receipts.add_options(Option(arrival_line(one)) for one in message.arrivals)
        self._show_chosen()

    def _show_chosen(self) -> None:
        """Show the data set or the import under the cursor beside them."""
        detail, side = self.query_one("#detail", TextPane), self.query_one("#side", TextPane)
        transfers, domain = self.app.services.transfers, ""
        arrival, dataset = self._arrival(), self._dataset()
        if self._is_at_imports and arrival is not None:
            domain = arrival.domain
            detail.choose(
                arrival,
                arrival.file,
                lambda: receipt_text(arrival, transfers.receipt(arrival.number)),
            )
        elif dataset is not None:
            domain = dataset.domain
            detail.choose(
                (dataset, self._domains),
                dataset.name,
                lambda: dataset_text(dataset, transfers.dataset_details(dataset.name)),
            )
        if domain:
            self.set_tone(domain)
            side.choose(
                (domain, self._domains),
                f"Here: {domain}",
                lambda: domain_text(transfers.domain_counts(domain)),
            )

    def _arrival(self) -> Arrival | None:
        place = self.query_one("#receipts", OptionList).highlighted
        return self._arrivals[place] if place is not None and self._arrivals[place:] else None

    def _dataset(self) -> DatasetSummary | None:
        place = self.query_one("#datasets", DataTable).cursor_row
        return self._datasets[place] if 0 <= place < len(self._datasets) else None

    def on_domains_loaded(self, message: DomainsLoaded) -> None:
        """Only the first run asks for them; here they come with the rest."""
        message.stop()

    @on(TaskPanel.TaskOver)
    def _task_over(self) -> None:
        self._look()

    def _forgotten(self) -> None:
        self.show_status("Forgotten; the receipt said what went.")
        self._look()

    def _look(self) -> None:
        services = self.app.services

        def read() -> Message:
            transfers = services.transfers
            if services.is_empty:
                return self.DataLoaded(transfers.datasets(), (), ())
            arrivals = transfers.arrivals(_ARRIVALS)
            return self.DataLoaded(transfers.datasets(), arrivals, services.domains())

        run_in_thread(self, "data sets", read)


def _cells(one: DatasetSummary) -> tuple[str, ...]:
    return (one.name, "yes" if one.here else "no", one.title, one.licence)
