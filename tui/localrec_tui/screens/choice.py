"""Asks the user for one of a few choices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import msgspec
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Label, OptionList
from textual.widgets.option_list import Option

from localrec_tui.base_app import Dialog
from localrec_tui.widgets.key_footer import KeyFooter


class ChoiceItem(msgspec.Struct, frozen=True):
    """One choice: its value, its name, and its meaning."""

    value: str
    name: str
    meaning: str = ""


class Choices(OptionList):
    """The list of a dialog, whose foot says that Enter takes what is pointed at."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "Choose", id="take_choice"),
    ]


class ChoiceDialog(Dialog[str]):
    """Asks for one of a few choices; None where it is left.

    Args:
        title: The question.
        choices: In their order.
        chosen: The current value.
    """

    def __init__(self, title: str, choices: Sequence[ChoiceItem], chosen: str) -> None:
        super().__init__()
        self._title = title
        self._choices = choices
        self._chosen = chosen

    def compose(self) -> ComposeResult:
        """The choices, the one that holds marked in words."""
        with Vertical(classes="dialog"):
            yield Label(self._title, classes="title", markup=False)
            yield Choices(*(self._option(one) for one in self._choices))
            yield KeyFooter()

    def on_mount(self) -> None:
        """Begin at the choice that holds."""
        places = [one.value for one in self._choices]
        choices = self.query_one(OptionList)
        choices.highlighted = places.index(self._chosen) if self._chosen in places else 0
        choices.focus()

    @on(OptionList.OptionSelected)
    def _picked(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_id)

    def _option(self, one: ChoiceItem) -> Option:
        now = "  (now)" if one.value == self._chosen else ""
        parts = Content.assemble((one.name, "bold"), now)
        if one.meaning:
            parts = Content.assemble(parts, (f"  {one.meaning}", "$text-quiet"))
        return Option(parts, id=one.value)
