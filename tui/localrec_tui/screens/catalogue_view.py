"""The part of the Browse room that reads the catalogue page by page, and searches it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.message import Message
from textual.timer import Timer

from localrec_tui.item_text import FEEDBACK_LABELS, verdict_label
from localrec_tui.messages import FeedbackStored, WorkFailed, WorkStopped
from localrec_tui.screens.user import UserScreen
from localrec_tui.services.catalogue import CatalogueLayout, CataloguePage, CatalogueView, PageTurn
from localrec_tui.services.records import DomainSummary, RequestHandle
from localrec_tui.widgets.choice_field import ChoiceField
from localrec_tui.widgets.paged_table import PAGE_ROWS, PagedRow, PagedTable
from localrec_tui.widgets.side_pane import SidePane
from localrec_tui.workers import run_in_thread

if TYPE_CHECKING:
    from localrec.graph.pagination import PageRow

_ALIKE = 10  # items by meaning
_PAGE_WORK = "page"
_NEAR = "≈ "  # before names that were found by meaning


@dataclass
class PageLoaded(Message):
    """A page of the catalogue; `number` is that of the look it belongs to."""

    number: int
    turn: PageTurn
    page: CataloguePage


@dataclass
class SimilarItemsLoaded(Message):
    """Items that mean what was typed."""

    number: int
    rows: tuple[PageRow, ...]


class CatalogueScreen(UserScreen):
    """Shows one view of a catalogue in a `PagedTable`, and turns its pages."""

    def __init__(self) -> None:
        super().__init__()
        self._domains: tuple[DomainSummary, ...] = ()
        self._layout = CatalogueLayout(kinds=(), orders=())
        self._view = CatalogueView(domain="")
        self._having = ""  # the attribute that all listed items have, as people call it
        self._number = 0  # of the newest look; what an older one finds comes too late
        self._listed = 0  # of the look that the list shows
        self._is_turning = False  # a page is on its way
        self._next: PageTurn | None = None  # the page that is asked for when it is here
        self._total = 0
        self._similar_request: RequestHandle | None = None
        self._idle: Timer | None = None
        self._feedback: dict[tuple[str, str], str] = {}  # (domain, item) -> what the person thinks
        self._told_meanwhile: set[tuple[str, str]] = set()  # given while a page was on its way

    def on_unmount(self) -> None:
        """Drop the requests that still run."""
        self._supersede()

    def _look(self) -> None:
        """Ask for the first page of the view, whose choices changed."""
        self._show_choices()
        self._begin()

    def _begin(self) -> None:
        """Ask for the first page of the view; whatever was asked before is superseded."""
        self._supersede()
        self._turn(PageTurn())

    def _turn(self, turn: PageTurn) -> None:
        """Ask for a page, one after the other: of those that wait, only the newest is wanted."""
        if not self._view.domain:
            return
        if self._is_turning:
            self._next = turn
            return
        self._is_turning = True
        self._told_meanwhile = set()
        browse, view, number = self.app.services.catalogue, self._view, self._number
        run_in_thread(
            self,
            _PAGE_WORK,
            lambda: PageLoaded(number, turn, browse.page(view, turn, PAGE_ROWS)),
        )

    def _turn_next(self) -> None:
        self._is_turning = False
        turn, self._next = self._next, None
        if turn is not None:
            self._turn(turn)

    def _supersede(self) -> None:
        self._number += 1
        if self._idle is not None:
            self._idle.stop()
            self._idle = None
        if self._similar_request is not None:
            self._similar_request.stopped.set()
            self._similar_request = None

    @on(PagedTable.PageWanted)
    def _more_wanted(self, event: PagedTable.PageWanted) -> None:
        if self._listed == self._number:  # else the list is about to be another
            self._turn(event.turn)

    def _prepare(self) -> None:
        browse, view = self.app.services.catalogue, self._view
        run_in_thread(self, "prepare to search", lambda: browse.prepare(view))

    def _look_by_meaning(self) -> None:
        browse, view, number = self.app.services.catalogue, self._view, self._number
        self._similar_request = request = RequestHandle()
        run_in_thread(
            self,
            "search by meaning",
            lambda: SimilarItemsLoaded(number, browse.similar_items(view, _ALIKE, request)),
            request,
        )

    def _show_choices(self) -> None:
        plurals = {one.name: one.plural for one in self._domains}
        self.query_one("#domain", ChoiceField).show(
            plurals.get(self._view.domain, self._view.domain)
        )
        way = ", reversed" if self._view.descending else ""
        self.query_one("#order", ChoiceField).show(self._view.order.replace("_", " ") + way)

    # --- what comes back ---

    def on_page_loaded(self, message: PageLoaded) -> None:
        """Show it, unless something else is looked at by now."""
        self._turn_next()
        if message.number != self._number:
            return
        self._listed = message.number
        turn, page = message.turn, message.page
        for row in page.rows:
            place = (self._view.domain, row.key)
            if place not in self._told_meanwhile:
                self._feedback[place] = verdict_label(page.verdicts.get(row.key))
        lines = [self._line(row) for row in page.rows]
        listing, goes_on = self.query_one(PagedTable), len(lines) == PAGE_ROWS
        if page.total is not None:
            self._total = page.total
        if turn.last:
            listing.end(lines, self._total)
        elif turn.behind is not None:
            listing.append(lines, goes_on=goes_on)
        elif turn.before is not None:
            listing.prepend(lines)
        else:
            listing.begin(lines, goes_on=goes_on)
        listing.border_title = f"{self._total:,} {self.query_one('#domain', ChoiceField).value}"
        self._show_chosen()
        self.show_status(self._where())

    def on_similar_items_loaded(self, message: SimilarItemsLoaded) -> None:
        """Put them behind what has the words, where that ends."""
        if not message.number == self._listed == self._number:
            return
        self._similar_request = None
        listing = self.query_one(PagedTable)
        there = {line.key for line in listing.lines}
        lines = [self._line(row, is_near_miss=True) for row in message.rows if row.key not in there]
        if len(listing.lines) == self._total:
            listing.append(lines, goes_on=False)
        self.show_status(f"{self._where()} ≈ {len(lines)} more by meaning.")

    def on_work_stopped(self, message: WorkStopped) -> None:
        """A search by meaning was superseded: nobody waits for it."""

    async def show_failure(self, failure: WorkFailed) -> None:
        """Show the failure; that of a search by meaning stands behind the count of items."""
        if failure.what == _PAGE_WORK:
            self._turn_next()
        if failure.request is None:
            self.show_status(failure.sentences)
        elif failure.request is self._similar_request:
            self.show_status(f"{self._where()} {failure.sentences}")

    def _show_chosen(self) -> None:
        """Show the item under the cursor beside the list."""
        raise NotImplementedError

    def _mark(self, message: FeedbackStored) -> None:
        """Show the user's feedback on an item, given in any room, as the store has it."""
        said = message.feedback
        if said is None or message.user != self.app.user:
            return
        told = "" if message.holds is None else FEEDBACK_LABELS[message.holds]
        self._feedback[message.domain, said.item] = told
        self._told_meanwhile.add((message.domain, said.item))
        if message.domain != self._view.domain:
            return
        listing = self.query_one(PagedTable)
        for line in listing.lines:
            if line.key == said.item:
                listing.replace(line.key, (*line.cells[:-1], told.removeprefix("you ")))
        self._show_chosen()
        self.query_one(SidePane).look(self._view.domain)

    def _read_words_again(self) -> None:
        """Drop the user's feedback, some of which may be gone, and read the list anew."""
        self._feedback = {}
        self._begin()
        self.query_one(SidePane).look(self._view.domain)

    def _line(self, row: PageRow, *, is_near_miss: bool = False) -> PagedRow:
        told = [", ".join(row.attributes.get(kind, ())) for kind in self._layout.kinds]
        name = f"{_NEAR}{row.name}" if is_near_miss else row.name
        return PagedRow(
            key=row.key,
            name=row.name,
            cells=(name, *told, self.said_of(row.key).removeprefix("you ")),
            place=None if is_near_miss else row.place,
        )

    def said_of(self, key: str) -> str:
        """Say what the user thinks of an item of the shown domain; "" for nothing."""
        return self._feedback.get((self._view.domain, key), "")

    def _where(self) -> str:
        listing = self.query_one(PagedTable)
        plural = self.query_one("#domain", ChoiceField).value
        with_it = f" with {self._having}" if self._having else ""
        if not self._total:
            return f"No {plural}{with_it} have that in their names. Esc lets go of the words."
        seen = sum(line.place is not None for line in listing.lines)
        last = listing.first + seen
        return f"{listing.first + 1:,} to {last:,} of {self._total:,} {plural}{with_it}."
