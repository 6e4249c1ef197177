"""The line for a question; arrows bring back earlier questions."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from localrec_tui.question_history import QuestionHistory
from localrec_tui.widgets.text_line import TextLine


class Prompt(TextLine):
    """One line with a history.

    Args:
        questions: What was asked before.
    """

    class Left(Message):
        """Arrow down was pressed below the newest question."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "earlier", "Earlier question", show=False, id="earlier"),
        Binding("down", "later", "Later question, then the answer", show=False, id="later"),
    ]
    DEFAULT_CSS = """
    Prompt { border: round $border; height: 3; padding: 0 1; }
    Prompt:focus { border: round $accent; }
    """

    def __init__(self, questions: QuestionHistory) -> None:
        super().__init__(placeholder="What would you like?", max_length=2_000, id="prompt")
        self.questions = questions

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
