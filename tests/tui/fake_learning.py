"""Learning that takes as long as a test wants."""

from __future__ import annotations

import os
import time

from localrec.ranking.learned.progress_file import LearningProgress
from localrec_tui.services.records import RequestHandle

from .recorder import Recorder


class FakeLearningService(Recorder):
    """Says that what it was told runs.

    Attributes:
        fits: What runs.
    """

    def __init__(self) -> None:
        super().__init__()
        self.fits: tuple[LearningProgress, ...] = ()

    def running(self) -> tuple[LearningProgress, ...]:
        return self.fits

    def learn(self, request: RequestHandle) -> dict[str, str]:
        self._note("learn")
        self._wait(request)
        return {"cocktails": "learnt from 40 interactions; what counts: ease"}

    def halt(self, request: RequestHandle | None) -> int:
        self._note("halt")
        if request is not None:
            self.stop(request)
            return 1
        fits, self.fits = self.fits, ()
        return len(fits)


def a_fit(what: str = "fitting: ease", done: int = 3, total: int = 12) -> LearningProgress:
    """A fit that began a minute ago in this process."""
    now = time.time()
    return LearningProgress(os.getpid(), what, done, total, now - 60, now)
