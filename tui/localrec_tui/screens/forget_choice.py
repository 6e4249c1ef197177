"""Asks how much of a person is to be forgotten, then leads to the dialog that shows what goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from localrec_tui.screens.choice import ChoiceDialog, ChoiceItem
from localrec_tui.screens.forget import ForgetDialog, ForgetRequest, forget_choices
from localrec_tui.screens.text import TextDialog
from localrec_tui.screens.user import UserScreen


def begin_forget(
    screen: UserScreen, user: str, domains: Sequence[str], forgotten: Callable[[], None]
) -> None:
    """Ask how much of a user is to be forgotten, and since when.

    Args:
        screen: The room that asks.
        user: Their key.
        domains: Those in which the user may be known, the one that is shown first.
        forgotten: Called once something is gone.
    """
    app = screen.app
    scopes = forget_choices(user, domains)
    choices = [ChoiceItem(one.name, one.name, one.meaning) for one in scopes]
    by_name = {one.name: one.request for one in scopes}

    def forget(request: ForgetRequest) -> None:
        def left(done: bool | None) -> None:
            if done:
                app.user_forgotten.publish(request.user)
                if request.is_whole:
                    app.user = None
                forgotten()

        app.push_screen(ForgetDialog(request), left)

    def day_entered(day: str | None) -> None:
        if day:
            forget(ForgetRequest(user=user, since=day))

    def picked(name: str | None) -> None:
        if name is None:
            return
        if (request := by_name[name]) is not None:
            forget(request)
        else:
            dialog = TextDialog("Since which day?", "such as 2026-10-01, in UTC")
            app.push_screen(dialog, day_entered)

    screen.app.push_screen(
        ChoiceDialog(f"How much of {user} is to be forgotten?", choices, ""), picked
    )
