"""History: all that one said and did, here or elsewhere, to search, change and take back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import DataTable, Input, Static

from localrec.data.recommendations import RecommendedItem
from localrec.data.rows import Event
from localrec_tui.base_app import bindings_of
from localrec_tui.item_text import FEEDBACK_LABELS, verdict_label
from localrec_tui.messages import FeedbackGiven, FeedbackStored
from localrec_tui.screens.choice import ChoiceDialog, ChoiceItem
from localrec_tui.screens.item import ItemScreen
from localrec_tui.screens.user import UserScreen
from localrec_tui.screens.verdict_choice import SPOKEN_EVENTS
from localrec_tui.services.catalogue import CatalogueView
from localrec_tui.services.feedback import HISTORY_ORDERS
from localrec_tui.services.records import HistoryRow, HistoryView
from localrec_tui.widgets.cells import Cell, fill_table
from localrec_tui.widgets.choice_field import ChoiceField
from localrec_tui.widgets.columns import BREAKPOINTS, Columns
from localrec_tui.widgets.detail_pane import TextPane
from localrec_tui.widgets.graph_pane import graph_text
from localrec_tui.widgets.history_table import HistoryTable
from localrec_tui.widgets.item_pane import LEAST_LINES, ItemPane
from localrec_tui.widgets.kept_items import around
from localrec_tui.widgets.key_footer import KeyFooter
from localrec_tui.widgets.nav_bar import NavBar
from localrec_tui.widgets.shown_items import ShownItem
from localrec_tui.widgets.text_line import TextLine
from localrec_tui.workers import run_in_thread

_LIMIT = 500  # lines: more than anybody scrolls; the search finds the rest
_HEADS = ("When", "Name", "You", "Why")
_NO_USER = "Nobody is chosen. F2 says whose history this is."
_NOTHING = "Nothing yet. L, D, S and N in any list say what you think; the room Data imports."
_STARS = tuple(range(1, 6))
_STAR = "stars-"


class HistoryScreen(UserScreen):
    """The history of one user."""

    TITLE = "History"
    NOBODY = False
    HELP = (
        "All that you said and did, here or in an export, the newest first. The line searches in "
        "names, reasons and verdicts; Down leads to the list, / back. E says something else of "
        "an item, such as stars: the newest word counts. Delete takes your last word on it back; "
        "what an export brought stays, and a newer word wins over it. O changes the order, Enter "
        "shows all about the item. Where there is room, what else has the attributes of the item "
        "stands in a third column."
    )
    HORIZONTAL_BREAKPOINTS = BREAKPOINTS
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (LEAST_LINES, "-tall")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "to_list", "To the list", show=False, id="history_list"),
        Binding("escape", "leave", "Back", show=False, id="history_leave"),
        Binding("f2", "pick_user", "Person", show=False, id="person"),
    ]
    DEFAULT_CSS = """
    HistoryScreen #search { border: round $border; height: 3; padding: 0 1; }
    HistoryScreen #search:focus { border: round $accent; }
    HistoryScreen #detail { display: block; width: 5fr; }
    HistoryScreen.-narrow #body { layout: vertical; }
    HistoryScreen.-narrow #detail { width: 100%; height: 60%; }
    HistoryScreen.-flat.-narrow #detail { display: none; }
    """

    @dataclass
    class HistoryLoaded(Message):
        """A history was read; `number` is that of the look it belongs to."""

        number: int
        found: HistoryView

    def __init__(self) -> None:
        super().__init__()
        self._rows: tuple[HistoryRow, ...] = ()
        self._order = HISTORY_ORDERS[0]
        self._number = 0
        self._imports = 0  # that came in or were taken back meanwhile

    @classmethod
    def all_bindings(cls) -> tuple[Binding, ...]:
        """Every key of the screen and of its list."""
        return bindings_of(cls, HistoryTable)

    def compose(self) -> ComposeResult:
        """Choices, the line to search in, the list, the chosen item."""
        yield NavBar()
        with Horizontal(id="top"):
            yield ChoiceField("Person", "F2", id="user")
            yield ChoiceField("Order", "O", id="order")
        yield TextLine(placeholder="Search in names and reasons", id="search", max_length=200)
        with Columns(id="body"):
            yield HistoryTable()
            yield ItemPane()
            yield TextPane(id="side", classes="side")
        yield Static(id="status", markup=False)
        yield KeyFooter()

    def on_mount(self) -> None:
        """Begin in the list."""
        table = self.query_one(HistoryTable)
        table.add_columns(*_HEADS)
        table.border_title = "History"
        self.watch(self.app, "user", self._user_changed, init=False)
        self.app.feedback_stored.subscribe(self, self._changed)
        self.app.user_forgotten.subscribe(self, lambda _: self._load())
        self.app.data_changed.subscribe(self, self._data_changed)
        table.focus()

    def on_screen_resume(self) -> None:
        """Read again: something may have been said meanwhile."""
        self._show_user_name(self.app.user)
        self._load()

    # --- keys ---

    def action_to_list(self) -> None:
        """Go from the line to the list."""
        self.query_one(HistoryTable).focus()

    def action_search(self) -> None:
        """Go to the line."""
        self.query_one("#search").focus()

    def action_leave(self) -> None:
        """Let go of the search; from the line go to the list."""
        search = self.query_one("#search", Input)
        if search.value:
            search.value = ""
        self.query_one(HistoryTable).focus()

    def action_pick_order(self) -> None:
        """Choose the order."""
        choices = [ChoiceItem(one, one) for one in HISTORY_ORDERS]
        screen = ChoiceDialog("In which order?", choices, self._order)
        self.app.push_screen(screen, self._order_picked)

    def action_edit(self) -> None:
        """Say something else of the item."""
        if (row := self._current()) is None:
            return
        choices = [ChoiceItem(one.value, FEEDBACK_LABELS[one]) for one in SPOKEN_EVENTS]
        choices += [ChoiceItem(f"{_STAR}{n}", "★" * n, f"{n} of 5 stars") for n in _STARS]
        chosen = row.verdict.event.value
        if row.verdict.stars is not None:
            chosen = f"{_STAR}{round(row.verdict.stars)}"

        def picked(choice: str | None) -> None:
            if choice is not None:
                self._say(row, choice)

        self.app.push_screen(
            ChoiceDialog(f"What do you think of {row.name}?", choices, chosen), picked
        )

    def action_retract(self) -> None:
        """Take back the last word on the item."""
        row, user = self._current(), self.app.user
        if row is None or user is None:
            return
        feedback = self.app.services.feedback

        def work() -> Message:
            choice, holds = feedback.retract(user, row.domain, row.key)
            event = None if holds is None else holds.event
            return FeedbackStored(user, choice, row.domain, event, undone=True)

        run_in_thread(self.app, "taking back", work)  # which tells all rooms

    @on(DataTable.RowSelected)
    def _opened(self) -> None:
        if (row := self._current()) is not None:
            shown = ShownItem(item=_item(row), verdict=verdict_label(row.verdict))
            self.app.push_screen(ItemScreen(shown, row.domain, None))

    @on(DataTable.RowHighlighted)
    def _row_reached(self) -> None:
        self._show_chosen()

    @on(HistoryTable.Rated)
    def _rated(self, event: HistoryTable.Rated) -> None:
        if (row := self._current()) is not None:
            self.post_message(
                FeedbackGiven(_item(row), row.domain, event.event, reason=event.reason)
            )

    @on(Input.Changed, "#search")
    def _typed(self) -> None:
        self._load()

    @on(Input.Submitted, "#search")
    def _entered(self) -> None:
        self.query_one(HistoryTable).focus()

    def _say(self, row: HistoryRow, choice: str) -> None:
        stars = float(choice.removeprefix(_STAR)) if choice.startswith(_STAR) else None
        event = Event.RATED if stars is not None else Event(choice)
        self.post_message(FeedbackGiven(_item(row), row.domain, event, reason=False, stars=stars))

    def _order_picked(self, order: str | None) -> None:
        if order is not None:
            self._order = order
            self._load()

    # --- reading and drawing ---

    def _user_changed(self, user: str | None) -> None:
        self._show_user_name(user)
        self._load()

    def _changed(self, _: FeedbackStored) -> None:
        if self.is_active:
            self._load()

    def _data_changed(self, _: str) -> None:
        """Something came in or was taken back: the graph around an item may be another."""
        self._imports += 1
        if self.is_active:
            self._load()

    def _load(self) -> None:
        user, order, feedback = self.app.user, self._order, self.app.services.feedback
        self.query_one("#order", ChoiceField).show(order)
        self._number += 1
        if user is None or self.app.services.is_empty:
            self._show(HistoryView(rows=(), total=0))
            self.show_status(_NO_USER)
            return
        number, typed = self._number, self.query_one("#search", Input).value.strip()
        run_in_thread(
            self,
            "history",
            lambda: self.HistoryLoaded(number, feedback.history(user, typed, order, _LIMIT)),
            is_logged=False,
        )

    def on_history_screen_history_loaded(self, message: HistoryLoaded) -> None:
        """Show it, unless something else is looked for by now."""
        if message.number != self._number:
            return
        found = message.found
        self._show(found)
        if not found.total:
            has_typed = self.query_one("#search", Input).value.strip()
            self.show_status("Nothing has these words. Esc lets go." if has_typed else _NOTHING)
            return
        shown = f"The first {len(found.rows):,} of " if found.total > len(found.rows) else ""
        self.show_status(f"{shown}{found.total:,} {'line' if found.total == 1 else 'lines'}.")

    def _show(self, found: HistoryView) -> None:
        self._rows = found.rows
        table: DataTable[Cell] = self.query_one(HistoryTable)
        fill_table(table, map(_cells, found.rows))
        table.border_title = f"{self.app.user or 'Nobody'}: {found.total:,}"
        self._show_chosen()

    def _show_chosen(self) -> None:
        row = self._current()
        shown = None
        if row is not None:
            self.set_tone(row.domain)
            shown = ShownItem(item=_item(row), verdict=verdict_label(row.verdict))
        domain = "" if row is None else row.domain
        rows = around(self._rows, self.query_one(HistoryTable).cursor_row)
        near = [one.key for one in rows if one.domain == domain]
        self.query_one(ItemPane).show(shown, domain, near)
        side = self.query_one("#side", TextPane)
        if row is None:
            side.clear()
            return
        catalogue, key = self.app.services.catalogue, row.key
        view = CatalogueView(domain=row.domain, user=self.app.user)
        chosen = (view, key, self._imports)
        side.choose(chosen, "What has the same", lambda: graph_text(catalogue, view, key))

    def _current(self) -> HistoryRow | None:
        place = self.query_one(HistoryTable).cursor_row
        return self._rows[place] if 0 <= place < len(self._rows) else None


def _cells(row: HistoryRow) -> tuple[str, ...]:
    return (row.day or "—", row.name, verdict_label(row.verdict).removeprefix("you "), row.note)


def _item(row: HistoryRow) -> RecommendedItem:
    return RecommendedItem(
        rank=0, key=row.key, name=row.name, score=0.0, satisfies=True, evidence=(), reason=""
    )
