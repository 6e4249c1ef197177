"""Run the cases of a role one after the other; failures count as wrong and are also counted."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import msgspec

from localrec.foundation.errors import ModelCancelledError, ModelError

AnswerT = TypeVar("AnswerT")


class CaseAnswers(msgspec.Struct, Generic[AnswerT], frozen=True):
    """The answers to the cases, None where there is none, and the seconds that each took."""

    answers: Sequence[AnswerT | None]
    seconds: Sequence[float]

    @property
    def failed(self) -> int:
        """Count the cases without an answer."""
        return sum(answer is None for answer in self.answers)

    @property
    def median_s(self) -> float:
        """Return the median of the seconds, the first case left out: it reads the prefix."""
        warm = sorted(self.seconds[1:] or self.seconds)
        return warm[len(warm) // 2]


def ask_cases(
    count: int, ask: Callable[[int], AnswerT], progress: Callable[[int, int], None]
) -> CaseAnswers[AnswerT]:
    """Ask every case.

    Args:
        count: The number of cases.
        ask: Number of a case, from 0 -> its answer.
        progress: Called with cases done and all of them.

    Raises:
        ModelCancelledError: the model was stopped.
    """
    answers: list[AnswerT | None] = []
    seconds: list[float] = []
    for number in range(count):
        began = time.perf_counter()
        try:
            answers.append(ask(number))
        except ModelCancelledError:
            raise
        except ModelError:
            answers.append(None)
        seconds.append(time.perf_counter() - began)
        progress(number + 1, count)
    return CaseAnswers(answers, seconds)
