"""What every system that answers questions offers: MARC, and what it is compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from localrec.data.answers import Answer
    from localrec.data.questions import Question


class QuestionAnswerer(Protocol):
    """Answers questions about one domain."""

    def answer(self, question: Question, k: int) -> Answer:
        """Answer one question with at most k items; never raises for what a question says."""
        ...
