"""What every system that answers questions offers: MARC, and what it is compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from localrec.systems.marc import Question
    from localrec.types import Answer


class Asker(Protocol):
    """Answers questions about one domain."""

    def answer(self, question: Question, k: int) -> Answer:
        """Answer one question with at most k items; never raises for what a question says."""
        ...
