"""A titled pane about the chosen line of a list, which is read in a thread after a short pause."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from textual import getters
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Static

from localrec_tui.base_app import BaseApp
from localrec_tui.messages import WorkFailed
from localrec_tui.services.records import RequestHandle
from localrec_tui.workers import run_in_thread

_Found = TypeVar("_Found")
_PAUSE_S = 0.05  # a cursor that runs on does not read what it passes
_LATE_S = 0.3  # after which the title does not wait for the rest
_EMPTY = "Nothing is chosen yet.\n\nThe arrows choose a line of the list."
_WAITING = "Reading …"
_LABEL = 10  # characters


class DetailPane(VerticalScroll, Generic[_Found]):
    """Shows what is known of one line; reads only while it is in sight.

    Until the chosen line is read, the one before stays with its own title, so that a key in the
    list draws the list alone.

    Args:
        id: The pane's own name.
        classes: Its place among the columns.
        subtitle: What leads on from here.
    """

    app = getters.app(BaseApp)
    DEFAULT_CSS = """
    DetailPane { padding: 0 1; }
    DetailPane Static { height: auto; }
    """

    @dataclass
    class DetailRead(Message, bubble=False):
        """What is known of a line was read."""

        request: RequestHandle
        found: object

    def __init__(self, *, id: str, classes: str, subtitle: str = "") -> None:
        super().__init__(id=id, classes=f"pane {classes}")
        self._subtitle = subtitle
        self._key: Hashable = None
        self._title = ""
        self._read: Callable[[], _Found] | None = None
        self._request: RequestHandle | None = None  # of the newest reading
        self._waiting: Timer | None = None

    def compose(self) -> ComposeResult:
        """One text."""
        yield Static(_EMPTY, classes="told", markup=False)

    def choose(self, key: Hashable, title: str, read: Callable[[], _Found]) -> None:
        """Show a line of the list.

        Args:
            key: What makes it another line, or the same line in another state.
            title: Its name.
            read: Reads what is known of it; runs in a thread.
        """
        if key == self._key:
            return
        self._key, self._title, self._read, self._request = key, title, read, None
        if self.display:
            self._wait(_PAUSE_S, self._load)

    def clear(self, told: str = _EMPTY) -> None:
        """Show that nothing is chosen."""
        self._stop_waiting()
        self._key = self._read = self._request = None
        self._title = ""
        self._entitle("")
        self.tell(told)

    def on_show(self) -> None:
        """Read what was chosen while there was no room for it."""
        if self._read is not None and self._request is None and self._waiting is None:
            self._load()

    def draw(self, found: _Found) -> None:
        """Draw what was read."""
        raise NotImplementedError

    def tell(self, told: Content | str) -> None:
        """Show a text in place of what else the pane draws."""
        self.query_one(".told", Static).update(told)

    def _load(self) -> None:
        if (read := self._read) is None:
            return
        request = self._request = RequestHandle()
        self._wait(_LATE_S, self._be_late)
        run_in_thread(
            self,
            f"{self.id} of a room",
            lambda: self.DetailRead(request, read()),
            request,
            is_logged=False,
        )

    def on_detail_pane_detail_read(self, message: DetailRead) -> None:
        """Show it, unless another line is chosen by now."""
        if message.request is self._request:
            self._stop_waiting()
            with self.app.batch_update():
                self._entitle(self._title)
                self.draw(message.found)  # type: ignore[arg-type]  # as this pane's `read` made it

    def on_work_failed(self, message: WorkFailed) -> None:
        """Say why nothing is known of it."""
        message.stop()
        if message.request is self._request:
            self._stop_waiting()
            self._entitle(self._title)
            self.tell(message.sentences)

    def _be_late(self) -> None:
        self._stop_waiting()
        self._entitle(self._title)
        self.tell(_WAITING)

    def _entitle(self, title: str) -> None:
        if str(self.border_title or "") != title:
            self.scroll_home(animate=False)
        self.border_title = Content(title)
        self.border_subtitle = self._subtitle if title else ""

    def _wait(self, seconds: float, then: Callable[[], None]) -> None:
        self._stop_waiting()
        self._waiting = self.set_timer(seconds, then)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.stop()
            self._waiting = None


class TextPane(DetailPane[Content]):
    """A pane whose lines are made where they are read."""

    def draw(self, found: Content) -> None:
        """Show them."""
        self.tell(found)


def pane_head(text: str) -> Content:
    """The head of a part of a pane."""
    return Content.styled(text, "bold $text-accent")


def pane_fact(label: str, value: str) -> Content:
    """A line of a pane that tells one fact under its label."""
    return Content.assemble((f"{label:<{_LABEL}}", "dim"), value)


def megabytes(count: int) -> str:
    """Say how large something of so many bytes is."""
    return f"{count / 1e6:,.0f} MB"


def pane_lines(parts: Iterable[Content | str]) -> Content:
    """The lines of a pane, one below the other."""
    return Content("\n").join([Content(one) if isinstance(one, str) else one for one in parts])
