"""The chosen item beside a list: why it, its recipe and facts, its way in the graph, its like."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence

from textual import getters
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from localrec_tui.base_app import BaseApp
from localrec_tui.item_text import verdict_label
from localrec_tui.messages import FactsLoaded, WorkFailed
from localrec_tui.services.records import ItemDetails
from localrec_tui.widgets.badges import badge, in_line, match_badges
from localrec_tui.widgets.item_facts import item_brief, item_facts
from localrec_tui.widgets.kept_items import KeptItems
from localrec_tui.widgets.picture_preview import PicturePreview
from localrec_tui.widgets.shown_items import ShownItem
from localrec_tui.workers import run_in_thread

LEAST_LINES = 22  # of a narrow window in which an item fits below its list
_HELD_S = 0.1  # keys that follow each other faster are held down
_PAUSE_S = 0.05  # a cursor that runs on does not read what it passes
_REST_S = 0.1  # after which also the picture and what is similar are read
_LATE_S = 0.3  # after which the item's title does not wait for the rest
_MANY = 5  # unknown items around the chosen one that are worth a read
_KEPT = 200  # items of a domain whose facts stay at hand
_LOW = 18  # lines of the pane under which an item is told in few
_Key = tuple[str, str, str | None]  # domain, item, and who looks
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
        self._near: tuple[str, ...] = ()  # keys of the items around it in its list
        self._chosen: _Key | None = None
        self._drawn: _Key | None = None  # the item that the pane is at, not the chosen
        self._waiting: Timer | None = None
        self._is_next = False  # it is read as soon as the list is painted
        self._is_held = False  # it is read once the cursor rests; `_waiting` is for that
        self._resting: Timer | None = None
        self._moved_at = 0.0  # when the newest item was chosen
        self._kept = KeptItems(_KEPT)
        self._generation = 0  # how often all that was read was dropped
        self._is_old = False  # what is drawn was read before that
        self._failure = ""  # why nothing is known of the item
        self.found: ItemDetails | None = None

    def compose(self) -> ComposeResult:
        """Why it, a picture where it has one, and what it is."""
        yield Static(_EMPTY, classes="said", markup=False)
        yield PicturePreview()
        yield Static(classes="facts", markup=False)

    def on_mount(self) -> None:
        """Drop what was read where it may hold no more."""
        for signal in (self.app.feedback_stored, self.app.data_changed, self.app.user_forgotten):
            signal.subscribe(self, self._drop)
        self.watch(self.app, "user", self._drop, init=False)

    def show(self, shown: ShownItem | None, domain: str, near: Iterable[str] = ()) -> None:
        """Show an item of a domain, once the list has drawn where its cursor is.

        Until then the item before stays with its own title.

        Args:
            shown: The item; None: nothing is chosen.
            domain: What it belongs to; "" where that is not known yet: nothing is read.
            near: Keys of the items around it, which are read beforehand.
        """
        self._shown, self._domain, self._near = shown, domain, tuple(near)
        before, self._chosen = self._chosen, self._key()
        if self._chosen == before:
            if self._waiting is None and not self._is_next:
                self._draw()
            return
        self.found, self._failure = None, ""
        self._stop_waiting()
        self._stop_resting()
        if shown is None or not domain:  # an answer that still arrives has no domain
            self._draw()
        elif self.display:
            now = time.monotonic()
            is_held, self._moved_at = now - self._moved_at < _HELD_S, now
            if is_held:
                self._is_held = True
                self._waiting = self.set_timer(_PAUSE_S, self._load)
            else:
                self._is_next = True
                self.call_after_refresh(self._load_next)

    def wake(self) -> None:
        """Read what is shown, where the pane was out of sight before."""
        if self.found is None and self._shown is not None and self._waiting is None:
            self._load()

    def _load_next(self) -> None:
        if self._is_next:
            self._load()

    def _stop_waiting(self) -> None:
        self._is_next = self._is_held = False
        if self._waiting is not None:
            self._waiting.stop()
            self._waiting = None

    def _stop_resting(self) -> None:
        if self._resting is not None:
            self._resting.stop()
            self._resting = None

    def _key(self) -> _Key | None:
        return None if self._shown is None else (self._domain, self._shown.item.key, self.app.user)

    def _load(self) -> None:
        """Show the facts, known ones at once; then what takes longer, where the cursor stays."""
        shown = self._shown
        if shown is None or not self._domain:
            return
        self._stop_waiting()
        if (known := self._kept.get(self._domain, self.app.user, shown.item.key)) is not None:
            self._tell(known)
            return
        # A store that is written, by an import for one, may let a reader wait for long.
        self._waiting = self.set_timer(_LATE_S, self._draw)
        self._read("facts beside the list", (shown.item.key,))

    def _load_rest(self) -> None:
        """Read the picture and what is similar; then the facts of the items around it."""
        shown, self._resting = self._shown, None
        if shown is None:
            return
        services, domain, key, user = self.app.services, self._domain, shown.item.key, self.app.user
        generation = self._generation
        run_in_thread(
            self,
            "item beside the list",
            lambda: FactsLoaded(domain, user, (services.item(domain, key, user),), generation),
            is_logged=False,
        )
        unknown = [one for one in self._near if self._kept.get(domain, user, one) is None]
        if len(unknown) >= min(_MANY, len(self._near)) > 0:
            self._read("items around it", unknown)

    def _read(self, what: str, keys: Sequence[str]) -> None:
        services, domain, user = self.app.services, self._domain, self.app.user
        generation = self._generation
        run_in_thread(
            self,
            what,
            lambda: FactsLoaded(domain, user, services.item_facts(domain, keys, user), generation),
            is_logged=False,
        )

    def on_facts_loaded(self, message: FactsLoaded) -> None:
        """Keep them, and show those of the item that is chosen by now."""
        message.stop()
        if message.generation != self._generation:
            return
        for found in message.found:
            self._kept.put(message.user, found)
        shown = self._shown
        if shown is None or (message.domain, message.user) != (self._domain, self.app.user):
            return
        for found in message.found:
            if found.key == shown.item.key:
                self._tell(found)
        if not message.found and self.found is None:
            self._load_rest()  # it is gone: this says so

    def _tell(self, found: ItemDetails) -> None:
        self._is_old, self._failure = False, ""
        if found == self.found:
            return
        is_first, self.found = self.found is None, found
        self._draw()
        if is_first:
            self._resting = self.set_timer(_REST_S, self._load_rest)

    def _drop(self, _: object) -> None:
        """Drop all that was read, also what is on its way, and read the shown item again.

        A word, an import, forgetting and another user each make some of it wrong.
        """
        self._kept.clear()
        self._generation += 1
        self._stop_resting()
        before, self._chosen = self._chosen, self._key()
        if self._chosen != before or not self.display:
            self.found = None
        self._is_old = self.found is not None
        if self._shown is None or not self.display:
            return
        if self._is_old:
            self._load_rest()
        else:
            self._load()

    def on_resize(self) -> None:
        """Tell the item in as many lines as there is room for."""
        is_low = self.outer_size.height < _LOW
        if is_low != self.has_class("-low"):
            self.set_class(is_low, "-low")
            self._draw_facts()

    def on_work_failed(self, message: WorkFailed) -> None:
        """Say why nothing is known of it."""
        message.stop()
        if self._is_next or self._is_held:
            return  # it was about an item before: this one is still to be read
        if self.found is None or self._is_old:
            self.found, self._is_old, self._failure = None, False, message.sentences
            self._draw()

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
            preview, found = self.query_one(PicturePreview), self.found
            if found is None:
                preview.show(())
            else:
                preview.show(found.picture, found.picture_lines, found.thumbnail)
            self._draw_facts()
        if self._drawn != self._chosen:
            self._drawn = self._chosen
            self.scroll_home(animate=False)

    def _draw_facts(self) -> None:
        lines: Iterator[Content] = iter([Content(self._failure)] if self._failure else [])
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
