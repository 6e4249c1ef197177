"""The line for a question; arrows bring back earlier questions, a lone digit leads to a room.

Names are completed while they are typed: what would follow stands behind the cursor, and the arrow
to the right takes it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import getters, on
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.suggester import Suggester, SuggestionReady
from textual.widgets import Input

from localrec.foundation.errors import LocalrecError
from localrec_tui.base_app import BaseApp
from localrec_tui.question_history import QuestionHistory
from localrec_tui.services.records import DomainSummary
from localrec_tui.widgets.text_line import TextLine

_ASKS = "Enter asks"
_COMPLETES = "→ completes"


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
        super().__init__(
            placeholder="What would you like?",
            max_length=2_000,
            id="prompt",
            suggester=NameSuggester(self._completed),
        )
        self._domains = domains
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

    @on(Input.Changed)
    def _tell_enter(self) -> None:
        room = self._room()
        self.border_subtitle = self._way if room is None else f"Enter leads to {room.capitalize()}"

    def _completed(self, typed: str) -> str | None:
        return self.app.services.catalogue.complete(self._domains(), typed, self.app.user)

    @on(SuggestionReady)
    def _tell_completion(self, event: SuggestionReady) -> None:
        if event.value == self.value:
            self.border_subtitle = f"{_COMPLETES}   {self._way}"

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
    """Completes names in the workspace at the end of a line.

    Args:
        complete: The line -> the completed line, or None; it may take its time.
    """

    def __init__(self, complete: Callable[[str], str | None]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._complete = complete

    async def get_suggestion(self, value: str) -> str | None:
        """Return the completed line; None where there is nothing to add or the store is taken."""
        try:
            return await asyncio.to_thread(self._complete, value)
        except LocalrecError:
            return None
