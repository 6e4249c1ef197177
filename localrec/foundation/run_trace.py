"""What answering costs and who does it: kept by every system in the same way."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from localrec.foundation.errors import ModelCancelledError, ModelError

_Played = TypeVar("_Played")


class RunTrace:
    """The cost of one answer and the components that took part, while it is being made.

    Args:
        **answered_by: Stages whose player is known from the start.

    Attributes:
        timings_ms: Stage -> milliseconds.
        tokens: Stage -> tokens that its model read and wrote.
        answered_by: Stage -> who played it; `STAGE_failed` says why its model did not.
    """

    def __init__(self, **answered_by: str) -> None:
        self.timings_ms: dict[str, float] = {}
        self.tokens: dict[str, int] = {}
        self.answered_by: dict[str, str] = dict(answered_by)

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Count the block's time to a stage."""
        started = time.perf_counter()
        try:
            yield
        finally:
            spent = 1000 * (time.perf_counter() - started)
            self.timings_ms[stage] = self.timings_ms.get(stage, 0.0) + spent

    def played_by_model(self, stage: str, play: Callable[[], _Played]) -> _Played | None:
        """Let a model play a stage; None where it is missing or fails, which goes on record."""
        try:
            played = play()
        except ModelCancelledError:
            raise
        except ModelError as error:
            self.answered_by[f"{stage}_failed"] = error.message
            return None
        self.answered_by[stage] = "model"
        return played

    def rounded_ms(self) -> dict[str, float]:
        """Return the timings as an answer shows them."""
        return {stage: round(ms, 3) for stage, ms in self.timings_ms.items()}
