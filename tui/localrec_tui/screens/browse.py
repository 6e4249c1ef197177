"""Browse: the catalogue page by page, searched while one types; from here into the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.events import DescendantFocus
from textual.widgets import DataTable, Input, Static

from localrec.data.recommendations import RecommendedItem
from localrec_tui.base_app import bindings_of
from localrec_tui.messages import (
    DomainsLoaded,
    FeedbackGiven,
)
from localrec_tui.screens.answer_view import NOTHING_HERE
from localrec_tui.screens.catalogue_view import CatalogueScreen
from localrec_tui.screens.choice import ChoiceDialog, ChoiceItem
from localrec_tui.screens.graph_browser import GraphBrowserScreen
from localrec_tui.screens.item import ItemScreen
from localrec_tui.screens.shelf import ShelfScreen
from localrec_tui.screens.user import UserDialog
from localrec_tui.services.catalogue import CatalogueView
from localrec_tui.services.records import DomainSummary
from localrec_tui.widgets.catalogue_table import CatalogueTable
from localrec_tui.widgets.choice_field import ChoiceField
from localrec_tui.widgets.item_pane import LEAST_LINES, ItemPane
from localrec_tui.widgets.kept_items import around
from localrec_tui.widgets.key_footer import KeyFooter
from localrec_tui.widgets.nav_bar import NavBar
from localrec_tui.widgets.paged_table import PagedRow, PagedTable
from localrec_tui.widgets.shown_items import ShownItem
from localrec_tui.widgets.side_pane import SidePane
from localrec_tui.widgets.text_line import TextLine
from localrec_tui.workers import run_in_thread

if TYPE_CHECKING:
    pass

_IDLE_S = 0.7  # a pause that says that the question is typed
_LEAST_FOR_MEANING = 3  # letters
_TWO_PLACES = "↓ leads to the list, where letters are keys"

NO_SHELF = "Nothing here is made of what one keeps on a shelf. P in the room Data pulls the drinks."


class BrowseScreen(CatalogueScreen):
    """Where the catalogue is looked through."""

    TITLE = "Browse"
    LINE = "#search"
    HELP = (
        "Type at once: the line has the focus, and letters are only letters there. Only what has "
        "every word in its name or in those of its attributes stays, whole words before their "
        "beginnings and an item's own name before its attributes. After a moment, items that mean "
        "the same follow at the end, marked ≈. Down leads to the list, first to the best hit; Home "
        "and End go to the ends of the whole catalogue, however long it is.\n\n"
        "Below the list, or beside it where there is room, stands the item under the cursor.\n\n"
        "In the list letters are keys. Enter shows all about an item, G walks the graph from "
        "there, R turns the order and O changes what it goes by. L, D, S and N say what you think "
        "of an item, U takes it back. F4 opens your shelf. Esc goes back to the line, and then "
        "lets go of what was searched for."
    )
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide"), (160, "-huge")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (LEAST_LINES, "-tall")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "to_list", "To the list", id="search_list"),
        Binding("escape", "leave", "Back", show=False, id="search_leave"),
        Binding("f2", "pick_user", "Person", show=False, id="person"),
        Binding("f4", "shelf", "Shelf", id="shelf"),
        Binding("f5", "pick_domain", "Domain", show=False, id="domain"),
    ]
    DEFAULT_CSS = """
    BrowseScreen #search { border: round $border; height: 3; padding: 0 1; }
    BrowseScreen #search:focus { border: round $accent; }
    BrowseScreen #body { height: 1fr; width: 100%; }
    BrowseScreen #listing { width: 6fr; }
    BrowseScreen #detail { width: 5fr; }
    BrowseScreen #side { width: 4fr; }
    BrowseScreen.-narrow #body { layout: vertical; }
    BrowseScreen.-narrow #listing { border: none; width: 100%; }
    BrowseScreen.-narrow #detail { width: 100%; height: 60%; }
    BrowseScreen #detail { display: block; }
    BrowseScreen.-flat.-narrow #detail { display: none; }
    BrowseScreen.-huge #side { display: block; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._domains: tuple[DomainSummary, ...] = ()

    @classmethod
    def all_bindings(cls) -> tuple[Binding, ...]:
        """Every key of the screen and of its list."""
        return bindings_of(cls, CatalogueTable, PagedTable)

    def compose(self) -> ComposeResult:
        """Choices, the line to search in, the list."""
        yield NavBar()
        with Horizontal(id="top"):
            yield ChoiceField("Person", "F2", id="user")
            yield ChoiceField("About", "F5", id="domain")
            yield ChoiceField("Order", "O", id="order")
        yield TextLine(
            placeholder="Search by name, attribute or meaning", id="search", max_length=200
        )
        with Horizontal(id="body"):
            yield CatalogueTable()
            yield ItemPane()
            yield SidePane(id="side")
        yield Static(id="status", markup=False)
        yield KeyFooter()

    def on_mount(self) -> None:
        """Begin in the line."""
        self.watch(self.app, "user", self._show_user)
        self.app.feedback_stored.subscribe(self, self._mark)
        self.app.data_changed.subscribe(self, self._data_changed)
        self.app.user_forgotten.subscribe(self, lambda _: self._read_words_again())
        search = self.query_one("#search", Input)
        search.border_subtitle = _TWO_PLACES
        search.focus()

    def on_screen_resume(self) -> None:
        """Read the domains again while there are none."""
        if not self._domains:
            services = self.app.services
            run_in_thread(self, "domains", lambda: DomainsLoaded(services.domains()))

    def _data_changed(self, _: str) -> None:
        """Something came in or was taken back: the domains are read the next time one is here."""
        self._domains = ()
        self._read_words_again()

    # --- what is looked at ---

    def on_domains_loaded(self, message: DomainsLoaded) -> None:
        """Begin with the largest domain."""
        message.stop()  # the app would take it for a first run
        if self._domains:  # asked for twice, by two visits that came close together
            return
        self._domains = message.domains
        search = self.query_one("#search", Input)
        search.disabled = not self._domains  # else it would take the 1 that leads to the drinks
        if self._domains:
            search.focus()
            self._open_domain(self._domains[0].name)
        else:
            self.show_status(NOTHING_HERE)

    def _open_domain(self, domain: str) -> None:
        self._layout = self.app.services.catalogue.layout(domain)
        self._view = CatalogueView(domain=domain, user=self.app.user)
        self.set_tone(domain)
        self._having = ""
        with self.prevent(Input.Changed):
            self.query_one("#search", Input).value = ""
        heads = (*(kind.replace("_", " ").capitalize() for kind in self._layout.kinds), "You")
        self.query_one(PagedTable).set_heads(("Name", *heads))
        self._look()
        if self.query_one("#search").has_focus:
            self._prepare()

    @on(DescendantFocus, "#search")
    def _line_reached(self) -> None:
        """Prepare the search before the user types."""
        if self._view.domain:
            self._prepare()

    @on(Input.Changed, "#search")
    def _typed(self, event: Input.Changed) -> None:
        typed = event.value.strip().lstrip("/").lstrip()  # / goes to the line: it is no word
        if typed == self._view.typed or not self._view.domain:
            return
        self._view = msgspec.structs.replace(self._view, typed=typed)
        self._begin()
        if len(typed) >= _LEAST_FOR_MEANING:
            self._idle = self.set_timer(_IDLE_S, self._look_by_meaning)

    # --- keys ---

    def action_search(self) -> None:
        """Go to the line."""
        self.query_one("#search").focus()

    def action_leave(self) -> None:
        """Go from the list to the line; in the line, clear the search."""
        search = self.query_one("#search", Input)
        if not search.has_focus:
            search.focus()
        elif search.value:
            search.value = ""
        elif self._having:
            self._look_at(None)

    @on(Input.Submitted, "#search")
    def action_to_list(self) -> None:
        """Go to the list, to the item where it stands: after a search that is the best hit."""
        self.query_one(PagedTable).focus()

    def action_open(self) -> None:
        """Show all about the item."""
        if (line := self.query_one(PagedTable).current) is not None:
            shown = ShownItem(item=_item(line))
            self.app.push_screen(ItemScreen(shown, self._view.domain, None))

    @on(DataTable.RowHighlighted, "#listing")
    def _row_reached(self) -> None:
        self._show_chosen()

    def on_resize(self) -> None:
        """Read what came into sight."""
        self.call_after_refresh(self._wake_panes)

    def _wake_panes(self) -> None:
        self._show_chosen()
        pane = self.query_one(ItemPane)
        if pane.display:
            pane.wake()
        self.query_one(SidePane).look(self._view.domain)

    def _show_chosen(self) -> None:
        """Show the item under the cursor beside the list."""
        listing = self.query_one(PagedTable)
        line = listing.current
        shown = (
            None if line is None else ShownItem(item=_item(line), verdict=self.said_of(line.key))
        )
        near = [one.key for one in around(listing.lines, listing.cursor_row)]
        self.query_one(ItemPane).show(shown, self._view.domain, near)

    @on(DataTable.RowSelected)
    def _row_pressed(self) -> None:
        self.action_open()

    def action_walk(self) -> None:
        """Walk the graph from the item."""
        if (line := self.query_one(PagedTable).current) is not None:
            self.app.push_screen(GraphBrowserScreen(self._view, line.key), self._look_at)

    @on(CatalogueTable.Rated)
    def _rated(self, event: CatalogueTable.Rated) -> None:
        if (line := self.query_one(PagedTable).current) is not None:
            self.post_message(
                FeedbackGiven(_item(line), self._view.domain, event.event, reason=event.reason)
            )

    def action_pick_domain(self) -> None:
        """Choose the domain."""
        choices = [ChoiceItem(one.name, one.plural, f"{one.items:,}") for one in self._domains]
        if choices:
            screen = ChoiceDialog("What is it about?", choices, self._view.domain)
            self.app.push_screen(screen, self._domain_picked)

    def action_pick_order(self) -> None:
        """Choose the order of the list."""
        choices = [ChoiceItem(one, one.replace("_", " ")) for one in self._layout.orders]
        if choices:
            screen = ChoiceDialog("In which order?", choices, self._view.order)
            self.app.push_screen(screen, self._order_picked)

    def action_turn_order(self) -> None:
        """The other way round."""
        self._view = msgspec.structs.replace(self._view, descending=not self._view.descending)
        self._look()

    def action_shelf(self) -> None:
        """Open the user's shelf, once the user is known."""
        if not self._view.domain:
            self.show_status(NOTHING_HERE)
        elif not self._shelf_domain:
            self.show_status(NO_SHELF)
        elif self.app.user is None:
            self.app.push_screen(UserDialog(None, nobody=False), self._shelf_of)
        else:
            self._shelf_of(self.app.user)

    # --- what was picked ---

    def _shelf_of(self, user: str | None) -> None:
        if user:
            self.app.user = user
            self.app.push_screen(ShelfScreen(self._shelf_domain, user))

    @property
    def _shelf_domain(self) -> str:
        """The domain that is shown where one keeps its parts at hand, else the first such; ""."""
        names = [one.name for one in self._domains if one.has_shelf]
        return self._view.domain if self._view.domain in names else next(iter(names), "")

    def _domain_picked(self, domain: str | None) -> None:
        if domain is not None and domain != self._view.domain:
            self._open_domain(domain)

    def _order_picked(self, order: str | None) -> None:
        if order is not None:
            self._view = msgspec.structs.replace(self._view, order=order)
            self._look()

    def _look_at(self, having: tuple[int, str] | None) -> None:
        """List only items with an attribute; None: no such demand (or the walk ended nowhere)."""
        node_id, self._having = having if having is not None else (None, "")
        if node_id != self._view.having:
            self._view = msgspec.structs.replace(self._view, having=node_id)
            self._look()

    # --- drawing ---

    def _show_user(self, user: str | None) -> None:
        self._show_user_name(user)
        if user != self._view.user and self._view.domain:
            self._feedback = {}
            self._view = msgspec.structs.replace(self._view, user=user)
            self._look()
        self.query_one(SidePane).look(self._view.domain)


def _item(line: PagedRow) -> RecommendedItem:
    """Make an item of the catalogue, which has neither rank nor reason."""
    return RecommendedItem(
        rank=0, key=line.key, name=line.name, score=0.0, satisfies=True, evidence=(), reason=""
    )
