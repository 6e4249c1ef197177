"""The line for a question; arrows bring back earlier questions, a lone digit leads to a room.

Names are completed while they are typed: what would follow stands behind the cursor, and the arrow
to the right takes it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import getters, on
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.suggester import Suggester, SuggestionReady
from textual.widgets import Input

from localrec_tui.base_app import BaseApp
from localrec_tui.messages import WorkFailed
from localrec_tui.question_history import QuestionHistory
from localrec_tui.services.records import DomainSummary
from localrec_tui.widgets.text_line import TextLine
from localrec_tui.workers import run_in_thread

if TYPE_CHECKING:
    from localrec.graph.name_completion import NameCompletion

_ASKS = "Enter asks"
_COMPLETES = "→ completes"


@dataclass
class NamesRead(Message):
    """The names of some domains, as a user sees them."""

    names: NameCompletion
    domains: tuple[str, ...]
    user: str | None


class Prompt(TextLine):
    """One line with a history; its frame says what Enter and the arrow do.

    Args:
        questions: What was asked before.
        domains: The domains whose names complete the line.
    """

    class Left(Message):
        """Arrow down was pressed below the newest question."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "earlier", "Earlier question", show=False, id="earlier"),
        Binding("down", "later", "Later question, then the answer", show=False, id="later"),
    ]
    app = getters.app(BaseApp)
    DEFAULT_CSS = """
    Prompt { border: round $border; height: 3; padding: 0 1; }
    Prompt:focus { border: round $accent; }
    """

    def __init__(self, questions: QuestionHistory, domains: Callable[[], Sequence[str]]) -> None:
        self._suggester = NameSuggester()
        super().__init__(
            placeholder="What would you like?",
            max_length=2_000,
            id="prompt",
            suggester=self._suggester,
        )
        self._domains = domains
        self._read_for: object = None  # whose names were asked for last
        self.questions = questions
        self._way = _ASKS
        self.border_subtitle = _ASKS

    def tell_way(self, below: str) -> None:
        """Say on the frame where the arrow leads from here; "" where it leads nowhere."""
        self._way = f"{_ASKS}   ↓ leads to {below}, where letters are keys" if below else _ASKS
        self._tell_enter()

    async def action_submit(self) -> None:
        """Ask; a digit alone, which asks nothing, leads to the room of that number."""
        room = self._room()
        if room is None:
            await super().action_submit()
        else:
            self.value = ""
            self.app.switch_mode(room)

    def on_mount(self) -> None:
        """Read names anew when they may be others."""
        self.app.data_changed.subscribe(self, self._drop_names)
        self.app.user_forgotten.subscribe(self, self._drop_names)

    def _drop_names(self, _: str) -> None:
        self._suggester.names, self._read_for = None, None

    @on(Input.Changed)
    def _changed(self) -> None:
        self._tell_enter()
        self._read_names()

    def _tell_enter(self) -> None:
        room = self._room()
        told = self._way if room is None else f"Enter leads to {room.capitalize()}"
        self.border_subtitle = f"{_COMPLETES}   {told}" if self._suggestion else told

    def _read_names(self) -> None:
        """Read the names that questions are completed by, once somebody types."""
        domains, user = tuple(self._domains()), self.app.user
        if self._room() is not None or not domains or self._read_for == (domains, user):
            return
        self._suggester.names, self._read_for = None, (domains, user)
        read = self.app.services.catalogue.name_completion
        run_in_thread(
            self,
            "names",
            lambda: NamesRead(read(domains, user), domains, user),
        )

    def on_names_read(self, message: NamesRead) -> None:
        """Complete by the names, unless others are meant by now."""
        message.stop()
        if self._read_for == (message.domains, message.user):
            self._suggester.names = message.names
            if found := message.names.complete(self.value):
                self.post_message(SuggestionReady(self.value, found))

    def on_work_failed(self, message: WorkFailed) -> None:
        """Go without names; they are asked for again after the next change of the data."""
        message.stop()

    @on(SuggestionReady)
    def _tell_completion(self, event: SuggestionReady) -> None:
        if event.value == self.value:
            self.call_after_refresh(self._tell_enter)

    def _room(self) -> str | None:
        """What the app calls the room whose number stands here alone; None for anything else."""
        rooms = list(self.app.main_screens())
        text = self.value.strip()
        is_number = text.isdecimal() and len(text) == 1 and 1 <= int(text) <= len(rooms)
        return rooms[int(text) - 1] if is_number else None

    def action_earlier(self) -> None:
        """Bring back the question before."""
        self._put(self.questions.earlier(self.value))

    def action_later(self) -> None:
        """Bring back the question after; below the newest one leave the line."""
        later = self.questions.later()
        if later is None:
            self.post_message(self.Left())
        else:
            self._put(later)

    def _put(self, text: str | None) -> None:
        if text is not None:
            self.value = text
            self.cursor_position = len(text)


def names_meant(chosen: str | None, domains: Sequence[DomainSummary]) -> list[str]:
    """List the domains that a question may be about: the chosen one, else all."""
    return [chosen] if chosen else [one.name for one in domains]


class NameSuggester(Suggester):
    """Completes names at the end of a line, once they are read."""

    def __init__(self) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self.names: NameCompletion | None = None

    async def get_suggestion(self, value: str) -> str | None:
        """Return the completed line; None where there is nothing to add."""
        return None if self.names is None else self.names.complete(value)
