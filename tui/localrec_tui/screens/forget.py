"""Forgetting a person: what would go, the word that it is meant, and the receipt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import msgspec
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.message import Message
from textual.widgets import Input, Label, Static

from localrec.graph.domain_files import load_domain
from localrec_tui.base_app import HEIGHTS, Dialog
from localrec_tui.messages import WorkFailed
from localrec_tui.widgets.forget_texts import forget_step, forget_text
from localrec_tui.widgets.key_footer import KeyFooter
from localrec_tui.workers import run_in_thread

if TYPE_CHECKING:
    from localrec.privacy.forget import ForgetReceipt


class ForgetRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Who is to be forgotten: since a day ("": for all time), in one domain (None: everywhere)."""

    user: str
    since: str = ""
    domain: str | None = None

    @property
    def is_whole(self) -> bool:
        """Whether nothing of the person stays."""
        return not self.since and self.domain is None


class ForgetChoice(msgspec.Struct, frozen=True):
    """A choice of how much to forget; without a request, the day is asked for first."""

    name: str
    meaning: str
    request: ForgetRequest | None


def forget_choices(user: str, domains: Sequence[str]) -> tuple[ForgetChoice, ...]:
    """List how much of a user can be forgotten.

    Args:
        user: The user.
        domains: Those in which the user may be known; one alone is everything.
    """
    parts = [(load_domain(one).plural, ForgetRequest(user=user, domain=one)) for one in domains]
    return (
        ForgetChoice(
            "everything", "the person, and all that came with them", ForgetRequest(user=user)
        ),
        *(
            ForgetChoice(f"only {plural}", "what they did there", request)
            for plural, request in (parts if len(parts) > 1 else ())
        ),
        ForgetChoice("since a day", "what they did from then on", None),
    )


class ForgetDialog(Dialog[bool]):
    """Says what would go, forgets when the person's key is typed, and shows the receipt.

    True where somebody was forgotten, None where it was left before.
    """

    @dataclass
    class EffectPreviewed(Message):
        """What would go."""

        receipt: ForgetReceipt

    @dataclass
    class UserForgotten(Message):
        """What went."""

        receipt: ForgetReceipt

    @dataclass
    class ForgetProgress(Message):
        """What is going on."""

        what: str

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Cancel", id="leave"),
        Binding("escape", "close", "Close", id="leave"),
        # A line keeps the arrows for itself, though it does nothing with them.
        Binding("down", "scroll_receipt(1)", "Scroll", key_display="↑↓", priority=True),
        Binding("up", "scroll_receipt(-1)", "Scroll", show=False, priority=True),
        Binding("pagedown", "scroll_receipt(8)", "Scroll", show=False, priority=True),
        Binding("pageup", "scroll_receipt(-8)", "Scroll", show=False, priority=True),
    ]
    DEFAULT_CSS = """
    ForgetDialog > .dialog { width: 76; }
    ForgetDialog VerticalScroll { height: auto; max-height: 8; margin-bottom: 1; }
    ForgetDialog.-high VerticalScroll { max-height: 16; }
    ForgetDialog.-done VerticalScroll { max-height: 12; }
    ForgetDialog.-done.-high VerticalScroll { max-height: 20; }
    ForgetDialog.-done Input { display: none; }
    """
    VERTICAL_BREAKPOINTS = HEIGHTS

    def __init__(self, request: ForgetRequest) -> None:
        super().__init__()
        self._request = request
        self._runs = False
        self._done = False

    def compose(self) -> ComposeResult:
        """What goes, and a line to type the key into."""
        request = self._request
        where = f" in {request.domain}" if request.domain else ""
        since = f" since {request.since}" if request.since else ""
        with Vertical(classes="dialog"):
            yield Label(
                f"Forget {request.user}{where}{since} for good?",
                classes="title",
                id="title",
                markup=False,
            )
            with VerticalScroll(can_focus=False):  # the arrows scroll it from the line too
                yield Static("Looking what would go …", id="receipt", markup=False)
            yield Input(placeholder=f"Type {request.user} and press Enter to forget", disabled=True)
            yield Label("This cannot be undone. Esc keeps everything.", classes="hint", id="status")
            yield KeyFooter()

    def on_mount(self) -> None:
        """Look what would go."""
        self.watch(self.query_one(VerticalScroll), "virtual_size", self._text_measured)
        memory, request = self.app.services.memory, self._request
        run_in_thread(
            self,
            "foreseeing",
            lambda: self.EffectPreviewed(
                memory.preview_forget(request.user, request.since, request.domain)
            ),
        )

    def on_forget_dialog_effect_previewed(self, message: EffectPreviewed) -> None:
        """Show it, and let the person decide."""
        self._show(message.receipt)
        line = self.query_one(Input)
        line.disabled = False
        line.focus()

    @on(Input.Submitted)
    def _confirmed(self, event: Input.Submitted) -> None:
        if event.value.strip() != self._request.user:
            self.show_status(f"Type exactly {self._request.user}; Esc keeps everything.")
            return
        event.input.disabled = True
        self._runs = True
        memory, request = self.app.services.memory, self._request

        def step(what: str, done: int, total: int) -> None:
            self.post_message(self.ForgetProgress(what))

        run_in_thread(
            self,
            "forgetting",
            lambda: self.UserForgotten(
                memory.forget(request.user, request.since, request.domain, step)
            ),
        )

    def on_forget_dialog_forget_progress(self, message: ForgetProgress) -> None:
        """Say what is going on."""
        if self._runs:
            self.show_status(forget_step(message.what))

    def on_forget_dialog_user_forgotten(self, message: UserForgotten) -> None:
        """Show the receipt."""
        self._runs, self._done = False, True
        self.set_class(True, "-done")
        self.query_one("#title", Label).update("Forgotten")
        self._show(message.receipt)
        self.set_focus(None)
        self.query_one(VerticalScroll).scroll_home(animate=False)
        self.show_status("Esc closes the receipt.")
        self.refresh_bindings()

    async def show_failure(self, failure: WorkFailed) -> None:
        """Show the failure, and let the user try again."""
        self._runs = False
        self.query_one(Input).disabled = False
        await super().show_failure(failure)

    def action_leave(self) -> None:
        """Close it, unless it is just being done."""
        if self._runs:
            self.show_status("It is being done, and cannot be stopped half-way.")
        else:
            self.dismiss(self._done or None)

    def action_close(self) -> None:
        """Close the receipt."""
        self.dismiss(True)

    def action_scroll_receipt(self, lines: int) -> None:
        """Go on in what goes, or back."""
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Tell which keys hold: nothing is cancelled once it is done; a short text stands still."""
        if action in ("leave", "close"):
            return (action == "close") == self._done
        if action == "scroll_receipt":
            return (
                bool(self.query(VerticalScroll)) and self.query_one(VerticalScroll).max_scroll_y > 0
            )
        return super().check_action(action, parameters)

    def _show(self, receipt: ForgetReceipt) -> None:
        self.query_one("#receipt", Static).update(forget_text(receipt))

    def _text_measured(self) -> None:
        self.refresh_bindings()  # whether it scrolls may be otherwise now
