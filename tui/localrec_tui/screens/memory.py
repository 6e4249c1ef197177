"""Memory: what is remembered of a user, its sources and rules, and the jobs.

The screen reads and draws; its parts are in `widgets/memory_panels.py` and
`widgets/jobs_panel.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widget import Widget
from textual.widgets import TabbedContent, TabPane, Tabs

from localrec.foundation.progress import Progress
from localrec.graph.domain_files import load_domain
from localrec_tui.screens.choice import ChoiceDialog, ChoiceItem
from localrec_tui.screens.forget_choice import begin_forget
from localrec_tui.screens.text_editor import TextEditorDialog
from localrec_tui.screens.user import UserScreen
from localrec_tui.services.memory import MemoryVersion, NeighbourScore, RulesText, UserMemory
from localrec_tui.services.records import RequestHandle
from localrec_tui.widgets.choice_field import ChoiceField
from localrec_tui.widgets.columns import BREAKPOINTS
from localrec_tui.widgets.jobs_panel import JobsPanel
from localrec_tui.widgets.key_footer import KeyFooter
from localrec_tui.widgets.memory_panels import (
    MemoryPanel,
    NeighboursPanel,
    RulesPanel,
    VersionsPanel,
)
from localrec_tui.widgets.nav_bar import NavBar
from localrec_tui.widgets.task_panel import TaskPanel
from localrec_tui.workers import run_in_thread

_LOOK_S = 1.0  # how often is looked whether the queue moved
_NO_USER = "Nobody is chosen who did anything yet. F2 chooses a person."
_LONGEST = 1_200  # characters of a memory
_MEMORY, _VERSIONS, _NEAR, _RULES, _JOBS = "memory", "versions", "near", "rules", "jobs"
_PAGES: dict[str, tuple[str, type[Widget]]] = {
    _MEMORY: ("Memory", MemoryPanel),
    _VERSIONS: ("Versions", VersionsPanel),
    _NEAR: ("Neighbours", NeighboursPanel),
    _RULES: ("Rules", RulesPanel),
    _JOBS: ("Jobs", JobsPanel),
}


class MemoryScreen(UserScreen):
    """Shows the memory of one user."""

    TITLE = "Memory"
    NOBODY = False
    HELP = (
        "What localrec remembers of a person, in words and point by point: how sure each point is "
        "and what supports it. E puts it in your own words, which nothing overwrites; P keeps it "
        "as it is, or lets it change again; X forgets, after showing what would go. Where there is "
        "room, what supports the chosen point stands beside the points.\n\n"
        "The other pages: all versions with what changed from one to the next ([-out-], {+in+}), "
        "who and what is near the person's taste, the rules that choose those, and the jobs that "
        "work what people do into memories. W works off what waits, B counts all memories anew, as "
        "after an import, Esc stops either, H lets jobs "
        "wait or go on, R lets failed ones wait again. Left and Right go from page to page."
    )
    HORIZONTAL_BREAKPOINTS = BREAKPOINTS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2", "pick_user", "Person", show=False, id="person"),
        Binding("f5", "pick_domain", "Domain", show=False, id="domain"),
        Binding("e", "edit", "Edit", id="edit_memory"),
        Binding("p", "pin", "Pin", id="pin_memory"),
        Binding("x", "forget", "Forget", id="forget"),
        Binding("w", "work", "Work off jobs", id="work_jobs"),
        Binding("b", "rebuild", "Count anew", show=False, id="rebuild_memory"),
        Binding("h", "hold", "Hold jobs", show=False, id="hold_jobs"),
        Binding("r", "retry", "Retry failed jobs", show=False, id="retry_jobs"),
        Binding("escape", "stop", "Stop", show=False, id="stop"),
    ]
    DEFAULT_CSS = """
    MemoryScreen TabbedContent { height: 1fr; }
    MemoryScreen TabPane { padding: 0 1; }
    """

    @dataclass
    class MemoryRead(Message):
        """What is remembered was read, and whose it is."""

        found: UserMemory

    @dataclass
    class NeighboursFound(Message):
        """Who is near somebody was counted."""

        found: tuple[NeighbourScore, ...]
        whose: tuple[str, str]

    @dataclass
    class RulesRead(Message):
        """The rules of a domain were read."""

        found: RulesText

    @dataclass
    class MemoryChanged(Message):
        """Something was changed that has to be read again; what, in a sentence."""

        sentence: str

    def __init__(self) -> None:
        super().__init__()
        self._domain: str | None = None
        self._found: UserMemory | None = None
        self._near_of: tuple[str, str] | None = None  # whose neighbours are shown

    def compose(self) -> ComposeResult:
        """Choices, and a page for each thing."""
        yield NavBar()
        with Horizontal(id="top"):
            yield ChoiceField("Person", "F2", id="user")
            yield ChoiceField("About", "F5", id="domain")
        with TabbedContent(initial=_MEMORY):
            for page, (title, panel) in _PAGES.items():
                with TabPane(title, id=page):
                    yield panel()
        yield TaskPanel()
        yield KeyFooter()

    def on_mount(self) -> None:
        """Look when there is somebody to look for, and at the queue now and then."""
        self.watch(self.app, "user", self._user_changed, init=False)
        self.app.feedback_stored.subscribe(self, lambda _: self._look())
        self.set_interval(_LOOK_S, self._look)
        self.query_one(Tabs).focus()

    def on_screen_resume(self) -> None:
        """What is shown may have changed while one was elsewhere."""
        self._read_again()
        self._look()

    # --- keys ---

    def action_pick_domain(self) -> None:
        """Say what it is about."""
        found = self._found
        if found is None or not found.domains:
            self.notify(_NO_USER)
            return
        choices = [ChoiceItem(one, load_domain(one).plural) for one in found.domains]
        screen = ChoiceDialog("What is it about?", choices, found.domain)
        self.app.push_screen(screen, self._domain_picked)

    def action_edit(self) -> None:
        """Put the memory in one's own words."""
        if (found := self._selected_user()) is None:
            return
        text = found.versions[0].text if found.versions else ""
        title = f"What should be remembered of {found.user}?"

        def written(words: str | None) -> None:
            if words:
                told = f"Remembered of {found.user} in your words; P lets it change again."
                memory = self.app.services.memory
                self._change(told, lambda: memory.edit(found.user, found.domain, words))

        self.app.push_screen(TextEditorDialog(title, text, _LONGEST), written)

    def action_pin(self) -> None:
        """Keep the memory as it is, or let it change again."""
        if (found := self._selected_user()) is None:
            return
        if not found.versions:
            self.notify("There is nothing to pin yet. E writes it yourself.")
            return
        pinned = not found.versions[0].pinned
        told = "Pinned: nothing but you changes it." if pinned else "It may change again."
        memory = self.app.services.memory
        self._change(told, lambda: memory.pin(found.user, found.domain, pinned))

    def action_forget(self) -> None:
        """Forget the person, or a part of what they did."""
        if (found := self._selected_user()) is None:
            return
        others = [one for one in found.domains if one != found.domain]
        begin_forget(self, found.user, [found.domain, *others], self._forgotten)

    def action_rebuild(self) -> None:
        """Count all memories anew from what people did, as after an import."""
        transfers = self.app.services.transfers

        def work(request: RequestHandle, on_progress: Progress) -> Message:
            return self.MemoryChanged(transfers.rebuild_memories(request, on_progress))

        when_stopped = "Stopped; the next time goes on there."
        self.query_one(TaskPanel).begin("Counting anew", work, transfers.stop, when_stopped)

    def action_work(self) -> None:
        """Work off what waits."""
        self.query_one(TabbedContent).active = _JOBS
        memory = self.app.services.memory

        def work(request: RequestHandle, on_progress: Progress) -> Message:
            from localrec.memory.report import work_summary  # NumPy: not before the first paint

            return self.MemoryChanged(work_summary(memory.work(request, on_progress)))

        when_stopped = "Stopped; what was under way waits."
        self.query_one(TaskPanel).begin("Working off jobs", work, memory.stop, when_stopped)

    def action_stop(self) -> None:
        """Stop the work on jobs."""
        self.query_one(TaskPanel).stop()

    def action_hold(self) -> None:
        """Let jobs wait, or go on."""
        self.query_one(JobsPanel).hold()

    def action_retry(self) -> None:
        """Let failed jobs wait again."""
        self.query_one(JobsPanel).retry()

    # --- what was picked ---

    def _domain_picked(self, domain: str | None) -> None:
        if domain is not None:
            self._domain = domain
            self._read_again()

    def _forgotten(self) -> None:
        self._near_of = None
        self._read_again()

    # --- reading ---

    def _user_changed(self) -> None:
        self._domain = None
        self._read_again()

    def _read_again(self) -> None:
        """Read what is remembered of whoever sits here."""
        user, domain = self.app.user, self._domain
        self._show_user_name(user)
        if user is None:
            self._found = None
            self._show(None)
            return
        memory = self.app.services.memory
        run_in_thread(self, "memory", lambda: self.MemoryRead(memory.user_memory(user, domain)))

    def on_memory_screen_memory_read(self, message: MemoryRead) -> None:
        """Show it, unless somebody else was chosen meanwhile."""
        if message.found.user == self.app.user:
            self._found = message.found
            self._show(message.found)

    @on(TabbedContent.TabActivated)
    def _fetch_page(self) -> None:
        """Read what only one page shows, when it is opened."""
        found, memory = self._found, self.app.services.memory
        page = self.query_one(TabbedContent).active
        if found is None or not (domain := found.domain):
            return
        user = found.user
        if page == _NEAR and self._near_of != (user, domain):
            self._near_of = whose = (user, domain)
            self.query_one(NeighboursPanel).wait()

            def work() -> Message:
                return self.NeighboursFound(memory.neighbours(user, domain), whose)

            run_in_thread(self, "neighbours", work)
        elif page == _RULES:
            run_in_thread(self, "rules", lambda: self.RulesRead(memory.rules(domain)))

    def on_memory_screen_neighbours_found(self, message: NeighboursFound) -> None:
        """Show who is near."""
        if self._near_of == message.whose:
            self.query_one(NeighboursPanel).show(message.found)

    def on_memory_screen_rules_read(self, message: RulesRead) -> None:
        """Show the rules."""
        self.query_one(RulesPanel).show(message.found)

    def _look(self) -> None:
        """Look whether the queue moved; not from behind other rooms."""
        if self.is_active and not self.app.services.is_empty:
            self.query_one(JobsPanel).look()

    @on(JobsPanel.QueueMoved)
    def _queue_moved(self) -> None:
        self._near_of = None
        self._read_again()

    def on_task_panel_task_over(self) -> None:
        """Look at the queue after the work."""
        self.query_one(JobsPanel).look()

    @on(JobsPanel.StatusTold)
    def _status_told(self, event: JobsPanel.StatusTold) -> None:
        self.show_status(event.sentence)

    # --- changing ---

    def _change(self, sentence: str, change: Callable[[], None]) -> None:
        def work() -> Message:
            change()
            return self.MemoryChanged(sentence)

        run_in_thread(self, "changing the memory", work)

    def on_memory_screen_memory_changed(self, message: MemoryChanged) -> None:
        """Say so, and read it again."""
        self.show_status(message.sentence)
        self._read_again()

    # --- drawing ---

    def _selected_user(self) -> UserMemory | None:
        """Whom keys are about; says so where there is nobody."""
        if self._found is None or not self._found.domain:
            self.notify(_NO_USER)
            return None
        return self._found

    def _show(self, found: UserMemory | None) -> None:
        versions: tuple[MemoryVersion, ...] = found.versions if found is not None else ()
        plural = load_domain(found.domain).plural if found is not None and found.domain else "-"
        self.query_one("#domain", ChoiceField).show(plural)
        self.set_tone(found.domain if found is not None else "")
        self.query_one(MemoryPanel).show(found)
        self.query_one(VersionsPanel).show(versions)
        if found is None or not found.domain:
            self._near_of = None
            self.query_one(NeighboursPanel).clear()
        self._fetch_page()
