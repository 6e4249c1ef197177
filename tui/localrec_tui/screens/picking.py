"""Dialogs that ask for one thing: a choice among a few, a person, a few words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import msgspec
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Footer, Input, Label, OptionList
from textual.widgets.option_list import Option

from localrec_tui.messages import Failed, GotPeople
from localrec_tui.shell import Dialog
from localrec_tui.widgets.text_line import TextLine
from localrec_tui.workers import work_for


class Choice(msgspec.Struct, frozen=True):
    """One thing to choose: what it stands for, its name, and what it means."""

    value: str
    name: str
    meaning: str = ""


class PickScreen(Dialog[str]):
    """Asks for one of a few choices; None where it is left.

    Args:
        title: What is chosen.
        choices: In their order.
        chosen: What is chosen now.
    """

    def __init__(self, title: str, choices: Sequence[Choice], chosen: str) -> None:
        super().__init__()
        self._title = title
        self._choices = choices
        self._chosen = chosen

    def compose(self) -> ComposeResult:
        """The choices, the one that holds marked in words."""
        with Vertical(classes="dialog"):
            yield Label(self._title, classes="title", markup=False)
            yield OptionList(*(self._option(one) for one in self._choices))
            yield Footer()

    def on_mount(self) -> None:
        """Begin at the choice that holds."""
        places = [one.value for one in self._choices]
        choices = self.query_one(OptionList)
        choices.highlighted = places.index(self._chosen) if self._chosen in places else 0
        choices.focus()

    @on(OptionList.OptionSelected)
    def _picked(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_id)

    def _option(self, one: Choice) -> Option:
        now = "  (now)" if one.value == self._chosen else ""
        parts = Content.assemble((one.name, "bold"), now)
        if one.meaning:
            parts = Content.assemble(parts, (f"  {one.meaning}", "$text-muted"))
        return Option(parts, id=one.value)


class WordsScreen(Dialog[str]):
    """Asks for a few words; "" is an answer, None says that it was left.

    Args:
        title: What they are for.
        hint: An example, or what happens without any.
    """

    def __init__(self, title: str, hint: str) -> None:
        super().__init__()
        self._title = title
        self._hint = hint

    def compose(self) -> ComposeResult:
        """One line."""
        with Vertical(classes="dialog"):
            yield Label(self._title, classes="title", markup=False)
            yield TextLine(placeholder=self._hint, max_length=500)
            yield Footer()

    @on(Input.Submitted)
    def _said(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip())


class PersonScreen(Dialog[str]):
    """Asks who sits here: one who is known, a new one by typing, or nobody (""); None: left.

    Args:
        person: Who sits here now.
        nobody: Whether nobody is an answer.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "to_list", "To the list", show=False),
    ]
    DEFAULT_CSS = "PersonScreen OptionList { max-height: 12; }"

    def __init__(self, person: str | None, *, nobody: bool = True) -> None:
        super().__init__()
        self._person = person
        self._nobody = nobody
        self._found: GotPeople | None = None  # who is listed
        self._is_named = False  # a name was entered whose matches are not here yet

    def compose(self) -> ComposeResult:
        """A line to search and to name somebody new in, and who is known."""
        with Vertical(classes="dialog"):
            yield Label("Who are you?", classes="title")
            yield TextLine(placeholder="Search, or type a new name", max_length=200)
            yield OptionList()
            yield Label("", classes="hint", id="person-error", markup=False)
            yield Footer()

    def on_mount(self) -> None:
        """Look who is known."""
        self._search("")

    def action_to_list(self) -> None:
        """From the line to the list below it."""
        people = self.query_one(OptionList)
        if people.option_count:
            people.highlighted = people.highlighted or 0
            people.focus()

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

    def on_got_people(self, message: GotPeople) -> None:
        """Show them, unless more was typed meanwhile."""
        if message.like != self.query_one(Input).value.strip():
            return
        self._found = message
        people = self.query_one(OptionList)
        people.clear_options()
        if self._nobody and not message.like:
            people.add_option(Option("Nobody in particular", id="="))
        for key in message.people:
            now = "  (now)" if key == self._person else ""
            people.add_option(Option(Content(f"{key}{now}"), id=f"={key}"))
        if message.like and _called(message) is None:
            people.add_option(Option(Content(f"{message.like}  (new)"), id=f"+{message.like}"))
        if self._is_named:
            self._choose(message)

    def on_failed(self, message: Failed) -> None:
        """Say why nobody is listed; a name can be typed all the same."""
        message.stop()
        if self._is_named:
            self.dismiss(self.query_one(Input).value.strip())
            return
        self.query_one("#person-error", Label).update(f"{message.error} {message.remedy}".strip())

    def _choose(self, found: GotPeople) -> None:
        """Take whoever is called as typed, or else the only match; a name of nobody is new."""
        self._is_named = False
        if (called := _called(found)) is not None:
            self.dismiss(called)
        elif len(found.people) <= 1:
            self.dismiss(next(iter(found.people), found.like))
        else:
            told = "Several are called so: choose one of them, or the last line for somebody new."
            self.query_one("#person-error", Label).update(told)
            self.action_to_list()

    def _search(self, like: str) -> None:
        backend = self.app.backend
        work_for(self, "people", lambda: GotPeople(like, backend.people(like)))


def _called(found: GotPeople) -> str | None:
    """Whoever is called as was typed, if need be in letters of another case; None for nobody."""
    if found.like in found.people:
        return found.like
    same = [key for key in found.people if key.casefold() == found.like.casefold()]
    return same[0] if len(same) == 1 else None
