"""Forgetting a person: what would go, the word that it is meant, and the receipt."""

from __future__ import annotations

import msgspec
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.message import Message
from textual.widgets import Footer, Input, Label, Static

from localrec_tui.messages import Failed
from localrec_tui.shell import Dialog
from localrec_tui.workers import work_for


class Oblivion(msgspec.Struct, frozen=True, kw_only=True):
    """Who is to be forgotten: since a day ("": for all time), in one domain (None: everywhere)."""

    user: str
    since: str = ""
    domain: str | None = None

    @property
    def is_whole(self) -> bool:
        """Whether nothing of the person stays."""
        return not self.since and self.domain is None


class ForgetScreen(Dialog[bool]):
    """Says what would go, forgets when the person's key is typed, and shows the receipt.

    True where somebody was forgotten, None where it was left before.
    """

    class Foreseen(Message):
        """What would go."""

        def __init__(self, lines: tuple[str, ...]) -> None:
            super().__init__()
            self.lines = lines

    class Forgotten(Message):
        """What went."""

        def __init__(self, lines: tuple[str, ...]) -> None:
            super().__init__()
            self.lines = lines

    class Step(Message):
        """What is going on."""

        def __init__(self, what: str) -> None:
            super().__init__()
            self.what = what

    DEFAULT_CSS = """
    ForgetScreen > .dialog { width: 76; }
    ForgetScreen VerticalScroll { height: auto; max-height: 14; margin-bottom: 1; }
    """

    def __init__(self, wish: Oblivion) -> None:
        super().__init__()
        self._wish = wish
        self._runs = False
        self._done = False

    def compose(self) -> ComposeResult:
        """What goes, and a line to type the key into."""
        wish = self._wish
        where = f" in {wish.domain}" if wish.domain else ""
        since = f" since {wish.since}" if wish.since else ""
        with Vertical(classes="dialog"):
            yield Label(
                f"Forget {wish.user}{where}{since} for good?", classes="title", markup=False
            )
            with VerticalScroll():
                yield Static("Looking what would go …", id="receipt", markup=False)
            yield Input(placeholder=f"Type {wish.user} and press Enter to forget", disabled=True)
            yield Label("This cannot be undone. Esc keeps everything.", classes="hint", id="state")
            yield Footer()

    def on_mount(self) -> None:
        """Look what would go."""
        memory, wish = self.app.backend.memory, self._wish
        work_for(
            self,
            "foreseeing",
            lambda: self.Foreseen(memory.foresee(wish.user, wish.since, wish.domain)),
        )

    def on_forget_screen_foreseen(self, message: Foreseen) -> None:
        """Show it, and let the person decide."""
        self._show(message.lines)
        line = self.query_one(Input)
        line.disabled = False
        line.focus()

    @on(Input.Submitted)
    def _confirmed(self, event: Input.Submitted) -> None:
        if event.value.strip() != self._wish.user:
            self._tell(f"Type exactly {self._wish.user}; Esc keeps everything.")
            return
        event.input.disabled = True
        self._runs = True
        memory, wish = self.app.backend.memory, self._wish

        def step(what: str, done: int, total: int) -> None:
            self.post_message(self.Step(what))

        work_for(
            self,
            "forgetting",
            lambda: self.Forgotten(memory.forget(wish.user, wish.since, wish.domain, step)),
        )

    def on_forget_screen_step(self, message: Step) -> None:
        """Say what is going on."""
        if self._runs:
            self._tell(f"{message.what} …")

    def on_forget_screen_forgotten(self, message: Forgotten) -> None:
        """Show the receipt."""
        self._runs, self._done = False, True
        self._show(message.lines)
        self.query_one(VerticalScroll).focus()
        self._tell("Forgotten. Esc closes the receipt.")

    def on_failed(self, message: Failed) -> None:
        """Say why, and what to do."""
        message.stop()
        self._runs = False
        self.query_one(Input).disabled = False
        self._tell(f"{message.error} {message.remedy}".strip())

    def action_leave(self) -> None:
        """Close it, unless it is just being done."""
        if self._runs:
            self._tell("It is being done, and cannot be stopped half-way.")
        else:
            self.dismiss(self._done or None)

    def _show(self, lines: tuple[str, ...]) -> None:
        self.query_one("#receipt", Static).update("\n".join(lines))

    def _tell(self, state: str) -> None:
        self.query_one("#state", Label).update(state)
