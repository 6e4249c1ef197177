"""The chosen item beside a list: why it, its recipe and facts, its way in the graph, its like."""

from __future__ import annotations

from collections.abc import Iterator

from textual import getters
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from localrec_tui.base_app import BaseApp
from localrec_tui.item_text import verdict_label
from localrec_tui.messages import ItemLoaded, WorkFailed
from localrec_tui.services.records import ItemDetails
from localrec_tui.widgets.badges import badge, in_line, match_badges
from localrec_tui.widgets.item_facts import item_brief, item_facts
from localrec_tui.widgets.picture_preview import PicturePreview
from localrec_tui.widgets.shown_items import ShownItem
from localrec_tui.workers import run_in_thread

LEAST_LINES = 22  # of a narrow window in which an item fits below its list
_PAUSE_S = 0.05  # a cursor that runs on does not read what it passes
_LATE_S = 0.3  # after which the item's title does not wait for the rest
_LOW = 18  # lines of the pane under which an item is told in few
_EMPTY = "Nothing is chosen yet.\n\nThe arrows choose an item of the list."


class ItemPane(VerticalScroll):
    """Shows one item; what the store knows of it follows a moment after the choice."""

    app = getters.app(BaseApp)
    DEFAULT_CSS = """
    ItemPane {
        padding: 0 1; display: none;
    }
    ItemPane .said, ItemPane .facts { height: auto; }
    ItemPane .facts { margin-top: 1; }
    ItemPane.-low .facts { margin-top: 0; }
    ItemPane.-low PicturePreview { max-height: 0; margin: 0; }
    """

    def __init__(self) -> None:
        super().__init__(id="detail", classes="pane")
        self._shown: ShownItem | None = None
        self._domain = ""
        self._drawn: tuple[str, str] | None = None  # the item that the pane is at, not the chosen
        self._waiting: Timer | None = None
        self.found: ItemDetails | None = None

    def compose(self) -> ComposeResult:
        """Why it, a picture where it has one, and what it is."""
        yield Static(_EMPTY, classes="said", markup=False)
        yield PicturePreview()
        yield Static(classes="facts", markup=False)

    def show(self, shown: ShownItem | None, domain: str) -> None:
        """Show an item of a domain; None: nothing is chosen.

        Until it is read, the item before stays with its own title, so that a key in the list
        draws the list alone.
        """
        is_same = _key(shown, domain) == _key(self._shown, self._domain)
        self._shown, self._domain = shown, domain
        if is_same:
            if self._waiting is None:
                self._draw()
            return
        self.found = None
        self._stop_waiting()
        if shown is None:
            self._draw()
        elif self.display:
            self._waiting = self.set_timer(_PAUSE_S, self._load)

    def wake(self) -> None:
        """Read what is shown, where the pane was out of sight before."""
        if self.found is None and self._shown is not None and self._waiting is None:
            self._load()

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.stop()
            self._waiting = None

    def _load(self) -> None:
        app, shown = self.app, self._shown
        if shown is None:
            return
        services, domain, key, user = app.services, self._domain, shown.item.key, app.user
        # A store that is written, by an import for one, may let a reader wait for long.
        self._waiting = self.set_timer(_LATE_S, self._draw)
        run_in_thread(
            self,
            "item beside the list",
            lambda: ItemLoaded(services.item(domain, key, user)),
            is_logged=False,
        )

    def on_item_loaded(self, message: ItemLoaded) -> None:
        """Show it, unless another item is chosen by now."""
        message.stop()
        found, shown = message.found, self._shown
        if shown is None or (found.domain, found.key) != (self._domain, shown.item.key):
            return
        self.found = found
        self._draw()

    def on_resize(self) -> None:
        """Tell the item in as many lines as there is room for."""
        is_low = self.outer_size.height < _LOW
        if is_low != self.has_class("-low"):
            self.set_class(is_low, "-low")
            self._draw_facts()

    def on_work_failed(self, message: WorkFailed) -> None:
        """Say why nothing is known of it."""
        message.stop()
        self._draw()
        self.query_one(".facts", Static).update(message.sentences)

    def _draw(self) -> None:
        """Draw the item, once for all its parts: each further layout costs as much as the first."""
        self._stop_waiting()
        shown = self._shown
        lines = [Content(_EMPTY)] if shown is None else list(self._head(shown))
        with self.app.batch_update():
            self.border_title = "" if shown is None else Content(shown.item.name)
            self.border_subtitle = "" if shown is None else "Enter: all about it"
            said = self.query_one(".said", Static)
            said.display = bool(lines)
            said.update(Content("\n").join(lines))
            self.query_one(PicturePreview).show(self.found.picture if self.found else ())
            self._draw_facts()
        if self._drawn != (key := _key(shown, self._domain)):
            self._drawn = key
            self.scroll_home(animate=False)

    def _draw_facts(self) -> None:
        lines: Iterator[Content] = iter(())
        if self.found is not None and self._shown is not None:
            if self.has_class("-low"):
                lines = item_brief(self.found)
            else:
                lines = item_facts(self.found, self._shown.item.evidence)
        self.query_one(".facts", Static).update(Content("\n").join(lines))

    def _head(self, shown: ShownItem) -> Iterator[Content]:
        own = shown.verdict or verdict_label(self.found.verdict if self.found else None)
        badges = match_badges(shown.match, shown.item.missing)
        if own:
            badges.insert(0, badge("said", own))
        if shown.is_near_miss:
            badges.append(badge("plain", "close, but misses something"))
        elif shown.item.rank and not shown.item.satisfies:
            badges.append(badge("plain", "not all you asked for"))
        if badges:
            yield in_line(badges)
        if shown.item.reason:
            yield Content(f"\n{shown.item.reason}" if badges else shown.item.reason)


def _key(shown: ShownItem | None, domain: str) -> tuple[str, str] | None:
    return None if shown is None else (domain, shown.item.key)
