"""Lets an exported adapter play a role, after showing whom it replaces and by which figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Label, OptionList, Static
from textual.widgets.option_list import Option

from localrec_tui.base_app import Dialog
from localrec_tui.services.adapter_roles import AdapterOffer, RoleOffer
from localrec_tui.widgets.key_footer import KeyFooter
from localrec_tui.workers import run_in_thread

_CAUTION = (
    "The two figures are of different cases: T asks both one question, and "
    "`localrec models try` counts many. Models, U, takes the role back."
)


class OfferedRoles(OptionList):
    """The roles of the adapter; the foot says what Enter does."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "Use it", id="use_adapter"),
    ]


class AdapterUseDialog(Dialog[str]):
    """Asks for the role that an adapter is to play, and gives it; returns that in a sentence.

    Args:
        name: The training that the adapter came from.
    """

    DEFAULT_CSS = """
    AdapterUseDialog > .dialog { width: 76; }
    AdapterUseDialog OptionList { height: auto; margin: 1 0; }
    """

    @dataclass
    class OfferRead(Message):
        """The roles, and who has them, were read."""

        offer: AdapterOffer

    @dataclass
    class RoleTaken(Message):
        """The adapter has a role."""

        role: str

    def __init__(self, name: str) -> None:
        super().__init__()
        self._run_name = name
        self._offer: AdapterOffer | None = None

    def compose(self) -> ComposeResult:
        """What it was measured at, and its roles with those who have them."""
        with Vertical(classes="dialog"):
            yield Label(f"Use {self._run_name} as …", classes="title", markup=False)
            yield Static("…", id="figure", markup=False)
            yield OfferedRoles()
            yield Label(_CAUTION, classes="hint", id="status", markup=False)
            yield KeyFooter()

    def on_mount(self) -> None:
        """Read what it can take."""
        trainings, name = self.app.services.trainings, self._run_name
        run_in_thread(self, "roles of an adapter", lambda: self.OfferRead(trainings.offer(name)))

    def on_adapter_use_dialog_offer_read(self, message: OfferRead) -> None:
        """Show it."""
        self._offer = offer = message.offer
        self.query_one("#figure", Static).update(f"{self._run_name}: {offer.figure}.")
        roles = self.query_one(OfferedRoles)
        roles.add_options(Option(_role_text(one), id=one.role) for one in offer.roles)
        roles.highlighted = 0
        roles.focus()

    @on(OptionList.OptionSelected)
    def _picked(self, event: OptionList.OptionSelected) -> None:
        models, role, offer = self.app.services.models, event.option_id or "", self._offer
        if offer is None:
            return
        file = offer.file

        def work() -> Message:
            models.use(role, file)
            return self.RoleTaken(role)

        self.show_status(f"Binding {role} …")
        run_in_thread(self, "binding a role", work)

    def on_adapter_use_dialog_role_taken(self, message: RoleTaken) -> None:
        """Leave; the room says what came of it."""
        self.dismiss(
            f"{message.role} is played by {self._run_name} from the next question on. "
            "Models, U, takes the role back."
        )


def _role_text(one: RoleOffer) -> Content:
    return Content.assemble(
        (one.role, "bold"), f"  replaces {one.holder}", (f"  {one.figure}", "dim")
    )
