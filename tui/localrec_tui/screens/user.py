"""Asks for the user whose history counts; the rooms for one user share how they show it."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Label, OptionList
from textual.widgets.option_list import Option

from localrec_tui.base_app import HEIGHTS, AppScreen, Dialog
from localrec_tui.messages import UsersLoaded, WorkFailed
from localrec_tui.widgets.choice_field import ChoiceField
from localrec_tui.widgets.key_footer import KeyFooter
from localrec_tui.widgets.text_line import DialogLine
from localrec_tui.workers import run_in_thread

_ENTER = "What you say is kept under this name, on this machine. Enter takes it."


class UserDialog(Dialog[str]):
    """Asks for the user: a known one, a new one by typing, or none (""); None where it is left.

    Args:
        user: The user who is chosen now.
        nobody: Whether the choice of no user is offered.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "to_list", "To the list", show=False),
    ]
    DEFAULT_CSS = """
    UserDialog OptionList { max-height: 9; }
    UserDialog.-high OptionList { max-height: 12; }
    UserDialog OptionList.-none { display: none; }
    """
    VERTICAL_BREAKPOINTS = HEIGHTS

    def __init__(self, user: str | None, *, nobody: bool = True) -> None:
        super().__init__()
        self._user = user
        self._nobody = nobody
        self._found: UsersLoaded | None = None  # who is listed
        self._is_named = False  # a name was entered whose matches are not here yet

    def compose(self) -> ComposeResult:
        """Compose the line to search and to name a new user, and the known users."""
        with Vertical(classes="dialog"):
            yield Label("Who are you?", classes="title")
            yield DialogLine(placeholder="Search, or type a new name", max_length=200)
            yield OptionList()
            yield Label(_ENTER, classes="hint", id="status", markup=False)
            yield KeyFooter()

    def on_mount(self) -> None:
        """List the known users."""
        self._search("")

    def action_to_list(self) -> None:
        """Go from the line to the list below it."""
        users = self.query_one(OptionList)
        if users.option_count:
            users.highlighted = users.highlighted or 0
            users.focus()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self._is_named = False
        self._search(event.value.strip())

    @on(Input.Submitted)
    def _named(self, event: Input.Submitted) -> None:
        name = event.value.strip()
        if not name:
            if self._nobody:
                self.dismiss("")
        elif self._found is None or self._found.like != name:
            self._is_named = True
        else:
            self._choose(self._found)

    @on(OptionList.OptionSelected)
    def _picked(self, event: OptionList.OptionSelected) -> None:
        self.dismiss((event.option_id or "")[1:])

    def on_users_loaded(self, message: UsersLoaded) -> None:
        """Show the users, unless more was typed meanwhile."""
        if message.like != self.query_one(Input).value.strip():
            return
        self._found = message
        users = self.query_one(OptionList)
        users.clear_options()
        if self._nobody and not message.like:
            users.add_option(Option("Nobody in particular", id="="))
        for key in message.users:
            now = "  (now)" if key == self._user else ""
            users.add_option(Option(Content(f"{key}{now}"), id=f"={key}"))
        if message.like and _called(message) is None:
            users.add_option(Option(Content(f"{message.like}  (new)"), id=f"+{message.like}"))
        users.set_class(not users.option_count, "-none")
        if self._is_named:
            self._choose(message)

    async def show_failure(self, failure: WorkFailed) -> None:
        """Show why no user is listed; a name can be typed all the same."""
        if self._is_named:
            self.dismiss(self.query_one(Input).value.strip())
        else:
            await super().show_failure(failure)

    def _choose(self, found: UsersLoaded) -> None:
        """Take the user with the typed name, or else the only match; a name unlike all is new."""
        self._is_named = False
        if (called := _called(found)) is not None:
            self.dismiss(called)
        elif not found.users:
            self.dismiss(found.like)
        elif found.like.casefold() not in found.users[0].casefold():  # spelt nearly so
            self._let_choose("Nobody is called so; is one of these meant? The last line is new.")
        elif len(found.users) == 1:
            self.dismiss(found.users[0])
        else:
            self._let_choose(
                "Several are called so: choose one of them, or the last line for somebody new."
            )

    def _let_choose(self, told: str) -> None:
        self.show_status(told)
        self.action_to_list()

    def _search(self, like: str) -> None:
        services = self.app.services
        run_in_thread(self, "users", lambda: UsersLoaded(like, services.users(like)))


class UserScreen(AppScreen[None]):
    """A room for one user, whom F2 changes; a `ChoiceField` with the id "user" names them."""

    NOBODY: ClassVar[bool] = True  # whether no user is a choice
    LINE: ClassVar[str] = ""  # selects the line that one types into; "" for none

    def action_pick_user(self) -> None:
        """Choose whose history counts."""
        dialog = UserDialog(self.app.user, nobody=self.NOBODY)
        self.app.push_screen(dialog, self._user_picked)

    def _user_picked(self, user: str | None) -> None:
        if user is None:
            return
        self.app.user = user or None
        if self.LINE:  # in the list, what the next person types would store verdicts
            self.query_one(self.LINE).focus()

    def _show_user_name(self, user: str | None) -> None:
        self.query_one("#user", ChoiceField).show(user or "nobody in particular")


def _called(found: UsersLoaded) -> str | None:
    """Return the user with the typed name, if need be in another case; None for none."""
    if found.like in found.users:
        return found.like
    same = [key for key in found.users if key.casefold() == found.like.casefold()]
    return same[0] if len(same) == 1 else None
