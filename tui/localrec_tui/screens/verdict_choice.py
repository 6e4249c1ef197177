"""Asks what a user thinks of the chosen item; the reason is asked next."""

from __future__ import annotations

from typing import Any

from textual.screen import Screen

from localrec.data.rows import Event
from localrec_tui.base_app import BaseApp
from localrec_tui.item_text import FEEDBACK_LABELS
from localrec_tui.screens.choice import ChoiceDialog, ChoiceItem
from localrec_tui.widgets.feedback_actions import rated_list

SPOKEN_EVENTS = (Event.LIKED, Event.DISLIKED, Event.SEEN, Event.LATER)
_TITLE = "What do you think of it? The reason comes next."


def ask_verdict(app: BaseApp, screen: Screen[Any]) -> None:
    """Ask for feedback on the chosen item of a screen's list, and let the app ask why."""
    target = rated_list(screen)
    if target is None:
        app.notify("There is no item here to say something of.")
        return

    async def picked(event: str | None) -> None:
        if event is not None:
            await target.run_action(f"say('{event}', True)")

    choices = [ChoiceItem(one.value, FEEDBACK_LABELS[one]) for one in SPOKEN_EVENTS]
    app.push_screen(ChoiceDialog(_TITLE, choices, ""), picked)
