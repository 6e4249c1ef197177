"""The shelf editor: a user's components at hand, as in `localrec shelf`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Label, OptionList, Static
from textual.widgets.option_list import Option

from localrec_tui.base_app import AppScreen
from localrec_tui.messages import FeedbackGiven, FeedbackStored
from localrec_tui.screens.item import ItemScreen
from localrec_tui.services.catalogue import ShelfComponent, ShelfContents
from localrec_tui.services.records import RequestHandle, Verdict
from localrec_tui.widgets.key_footer import KeyFooter
from localrec_tui.widgets.running_lines import RunningLines
from localrec_tui.widgets.shelf_makes import ShelfMakes, report_keys
from localrec_tui.widgets.text_line import TextLine
from localrec_tui.workers import run_in_thread

if TYPE_CHECKING:
    from localrec.retrieval.shelf import ShelfReport

_COMPLETIONS = 12
_LISTED = 20  # of each list of what a shelf makes


@dataclass
class ShelfLoaded(Message):
    """A shelf was read; `taken` was just taken off it, `sentence` says how."""

    shelf: ShelfContents
    sentence: str = ""
    taken: tuple[ShelfComponent, ...] = ()


@dataclass
class NamesLoaded(Message):
    """The components whose names contain the typed text were read."""

    like: str
    names: tuple[str, ...]


@dataclass
class ShelfSurveyed(Message):
    """What a shelf makes was counted."""

    request: RequestHandle
    report: ShelfReport
    verdicts: dict[str, Verdict]  # what the user said of its items


class ShelfScreen(AppScreen[None]):
    """Edits the components at hand.

    Args:
        domain: The domain of the shelf.
        user: The owner of the shelf.
    """

    HELP = (
        "Type what you have, several things parted by commas, and press Enter; typos are mended. "
        "While you type, the list below offers names: Down leads there, Enter takes one. In the "
        "list of your shelf Delete takes a thing off. Beside it stands what you can make now, "
        "which bottle unlocks most, and what lacks one thing: Tab leads there, Enter opens a "
        "drink, L, D, S and N say what you think of it. Ctrl+Z takes back what you changed last, "
        "as often as you like."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("delete", "take_off", "Take off", id="take_off"),
        Binding("ctrl+z", "undo", "Undo", id="shelf_undo"),
        Binding("escape", "back", "Back", id="back"),
        Binding("down", "to_list", "To the list", show=False, id="shelf_list"),
    ]
    DEFAULT_CSS = """
    ShelfScreen Input { border: round $border; height: 3; padding: 0 1; }
    ShelfScreen Input:focus { border: round $accent; }
    ShelfScreen #body { height: 1fr; width: 100%; }
    ShelfScreen #shelf { height: 1fr; width: 2fr; }
    ShelfScreen #makes { height: 1fr; width: 3fr; }
    ShelfScreen #makes > .option-list--option-disabled { color: $foreground; }
    """

    def __init__(self, domain: str, user: str) -> None:
        super().__init__()
        self._domain = domain
        self._user = user
        self._components: tuple[ShelfComponent, ...] = ()
        self._names: tuple[str, ...] = ()  # that are offered; none: the shelf is shown
        self._request: RequestHandle | None = None  # of what it makes
        self._changes: list[tuple[str, tuple[ShelfComponent, ...]]] = []  # ("put" or "taken", what)

    def compose(self) -> ComposeResult:
        """Compose the line to add with, the shelf or the offered names, and the status."""
        yield RunningLines()
        yield Label(f"What {self._user} has at hand", classes="title", markup=False)
        yield TextLine(placeholder="Add, such as: gin, lime juice", max_length=500)
        with Horizontal(id="body"):
            yield OptionList(id="shelf", classes="pane")
            yield ShelfMakes()
        yield Static(id="status", markup=False)
        yield KeyFooter()

    def on_mount(self) -> None:
        """Read the shelf."""
        self.query_one(Input).focus()
        self.query_one(Input).border_subtitle = "Enter puts it there"
        self.query_one("#shelf", OptionList).border_title = "At hand"
        self.query_one(ShelfMakes).border_title = "What that makes"
        self.app.feedback_stored.subscribe(self, self._mark)
        self.set_tone(self._domain)
        browse, domain, user = self.app.services.catalogue, self._domain, self._user
        run_in_thread(self, "shelf", lambda: ShelfLoaded(browse.shelf(domain, user)))

    # --- keys ---

    def action_to_list(self) -> None:
        """From the line to the list below it."""
        shown = self.query_one("#shelf", OptionList)
        if shown.option_count:
            shown.highlighted = shown.highlighted or 0
            shown.focus()

    def action_take_off(self) -> None:
        """Take the thing off that is pointed at."""
        shelf = self.query_one("#shelf", OptionList)
        place = shelf.highlighted
        if self._names or place is None or not shelf.has_focus:
            return
        self._take((self._components[place],))

    def action_undo(self) -> None:
        """Take back the last change."""
        if not self._changes:
            self.show_status("There is nothing to take back.")
            return
        what, components = self._changes.pop()
        browse, domain, user = self.app.services.catalogue, self._domain, self._user
        change = browse.take_off if what == "put" else browse.put_back
        told = f"Taken back: {_listed(components)}."
        run_in_thread(self, "shelf", lambda: ShelfLoaded(change(domain, user, components), told))

    def action_back(self) -> None:
        """Clear the line; where it is empty, return to Browse."""
        line = self.query_one(Input)
        if line.value:
            line.value = ""
            line.focus()
        else:
            self.dismiss(None)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        like = _name_being_typed(event.value)
        browse, domain = self.app.services.catalogue, self._domain
        if not like:
            self._show(())
            return
        run_in_thread(
            self, "names", lambda: NamesLoaded(like, browse.components(domain, like, _COMPLETIONS))
        )

    @on(Input.Submitted)
    def _added(self, event: Input.Submitted) -> None:
        if typed := event.value.strip():
            self._add(typed)

    @on(OptionList.OptionSelected, "#shelf")
    def _picked(self, event: OptionList.OptionSelected) -> None:
        if self._names:
            before = self.query_one(Input).value.rpartition(",")[0]
            self._add(", ".join(filter(None, [before.strip(), self._names[event.option_index]])))

    @on(OptionList.OptionSelected, "#makes")
    def _opened(self) -> None:
        if (shown := self.query_one(ShelfMakes).current) is not None:
            self.app.push_screen(ItemScreen(shown, self._domain, None))

    @on(ShelfMakes.Rated)
    def _rated(self, event: ShelfMakes.Rated) -> None:
        if (shown := self.query_one(ShelfMakes).current) is not None:
            self.post_message(
                FeedbackGiven(shown.item, self._domain, event.event, reason=event.reason)
            )

    def _add(self, typed: str) -> None:
        browse, domain, user = self.app.services.catalogue, self._domain, self._user
        run_in_thread(self, "shelf", lambda: ShelfLoaded(browse.stock(domain, user, typed)))

    def _take(self, components: tuple[ShelfComponent, ...]) -> None:
        browse, domain, user = self.app.services.catalogue, self._domain, self._user
        told = f"Taken off: {_listed(components)}. Ctrl+Z puts it back."
        run_in_thread(
            self,
            "shelf",
            lambda: ShelfLoaded(browse.take_off(domain, user, components), told, components),
        )

    # --- what comes back ---

    def on_shelf_loaded(self, message: ShelfLoaded) -> None:
        """Show the shelf."""
        shelf = message.shelf
        if shelf.added:
            self._changes.append(("put", shelf.added))
            with self.prevent(Input.Changed):
                self.query_one(Input).value = ""
        if message.taken:
            self._changes.append(("taken", message.taken))
        self._components = shelf.components
        self._show(())
        read = ", ".join(f"{typed} → {meant}" for typed, meant in shelf.corrected.items())
        added = f"Put there: {_listed(shelf.added)}." if shelf.added else ""
        parts = [message.sentence, added, f"Read as: {read}." if read else "", self._count()]
        self.show_status(" ".join(filter(None, parts)))

        self._survey()

    def _survey(self) -> None:
        """Find out what the shelf makes; only the newest shelf is of interest."""
        if self._request is not None:
            self._request.stopped.set()
        self._request = request = RequestHandle()
        browse, domain, user = self.app.services.catalogue, self._domain, self._user
        feedback = self.app.services.feedback

        def survey() -> ShelfSurveyed:
            report = browse.shelf_report(domain, user, _LISTED, request)
            said = feedback.verdicts(domain, user, report_keys(report))
            return ShelfSurveyed(request, report, said)

        run_in_thread(self, "what the shelf makes", survey, request)

    def on_shelf_surveyed(self, message: ShelfSurveyed) -> None:
        """Show what the shelf makes, unless it changed meanwhile."""
        if message.request is self._request:
            self.query_one(ShelfMakes).show(message.report, message.verdicts)

    def _mark(self, message: FeedbackStored) -> None:
        """Show the user's word on a drink, given here or beside, as the store has it."""
        if message.feedback is not None and message.domain == self._domain:
            holds = None if message.holds is None else Verdict(event=message.holds)
            self.query_one(ShelfMakes).mark(message.feedback.item, holds)

    def on_work_stopped(self) -> None:
        """The shelf changed meanwhile: nobody waits for what the old one makes."""

    def on_names_loaded(self, message: NamesLoaded) -> None:
        """Offer them, unless more was typed meanwhile."""
        if message.like == _name_being_typed(self.query_one(Input).value):
            self._show(message.names)

    # --- drawing ---

    def _show(self, names: tuple[str, ...]) -> None:
        """Offer names, or show the shelf where there are none to offer."""
        self._names = names
        shown = self.query_one("#shelf", OptionList)
        place = shown.highlighted
        shown.clear_options()
        told = [f"+ {name}" for name in names] or [one.name for one in self._components]
        shown.add_options([Option(Content(one)) for one in told])
        if place is not None and told:
            shown.highlighted = min(place, len(told) - 1)

    def _count(self) -> str:
        if not self._components:
            return "The shelf is empty: type what you have."
        return f"{len(self._components)} on the shelf."


def _name_being_typed(typed: str) -> str:
    """What is typed behind the last comma."""
    return typed.rpartition(",")[2].strip()


def _listed(components: tuple[ShelfComponent, ...]) -> str:
    return ", ".join(one.name for one in components)
