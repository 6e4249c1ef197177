"""What is new in the room Home: which rankings are being learnt, and what came in last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from localrec_tui.services.transfers import Arrival
from localrec_tui.widgets.transfer_texts import arrival_line

if TYPE_CHECKING:
    from localrec.ranking.learned.progress_file import LearningProgress

_NO_ARRIVALS = "Nothing came in from a file yet. The room Data imports."


class HomeNews(Vertical):
    """Two panes."""

    DEFAULT_CSS = """
    HomeNews > Static { padding: 0 1; }
    HomeNews > #learning { height: auto; max-height: 9; }
    HomeNews > #arrivals { height: 1fr; }
    """

    def __init__(self) -> None:
        super().__init__(id="news")

    def compose(self) -> ComposeResult:
        """What is learnt above, what came in below."""
        yield Static(id="learning", classes="pane", markup=False)
        yield Static(id="arrivals", classes="pane", markup=False)

    def on_mount(self) -> None:
        """Name the panes."""
        self.query_one("#learning").border_title = "Being learnt"
        self.query_one("#arrivals").border_title = "Came in last"

    def show_learning(self, running: Sequence[LearningProgress]) -> None:
        """Show how far the rankings are that are being learnt."""
        told = "Nothing now. F12 learns from all that is here which list is best."
        if running:
            told = "\n".join(
                f"{one.what}" + (f", {one.done:,} of {one.total:,}" if one.total else "")
                for one in running
            )
        self.query_one("#learning", Static).update(told)

    def show_arrivals(self, arrivals: Sequence[Arrival], waiting: int) -> None:
        """Show what came in last, and how many words wait to enter a memory."""
        told = Content("\n").join(map(arrival_line, arrivals)) or Content(_NO_ARRIVALS)
        if waiting:
            words = "word of yours waits" if waiting == 1 else "words of yours wait"
            told += Content(f"\n{waiting:,} {words} to enter a memory: room Memory, then W.")
        self.query_one("#arrivals", Static).update(told)
