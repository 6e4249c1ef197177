"""Asks before the app ends while something long runs, and says how that goes on."""

from __future__ import annotations

from collections.abc import Mapping

from localrec_tui.screens.choice import ChoiceDialog, ChoiceItem

STAY, QUIT = "stay", "quit"
_GOES_ON = {
    "Pulling": "begins again with P",
    "Importing": "keeps nothing half done: import it again",
    "Counting": "goes on with B in Memory",
    "Working": "goes on with W in Memory: what was under way waits",
    "Learning": "goes on with F12",
    "Training": "is saved, and goes on with G in Training",
}
_ELSE = "what is done is on disk; G in its room goes on"


class QuitDialog(ChoiceDialog):
    """Asks whether to leave; the value is `STAY` or `QUIT`.

    Args:
        running: What runs, and how far it is.
    """

    def __init__(self, running: Mapping[str, str]) -> None:
        told = [f"{what} ({step}) {_how_it_goes_on(what)}." for what, step in running.items()]
        choices = [
            ChoiceItem(STAY, "Stay", "and let it run"),
            ChoiceItem(QUIT, "Quit", "and stop it at a safe place"),
        ]
        super().__init__(
            "\n".join(["Something runs. When you leave it stops:", *told]), choices, ""
        )


def _how_it_goes_on(what: str) -> str:
    return next((how for begin, how in _GOES_ON.items() if what.startswith(begin)), _ELSE)
