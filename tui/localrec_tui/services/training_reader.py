"""Reads the steps of a training once for all that shows them, and then only what was added."""

from __future__ import annotations

from threading import Lock

import msgspec

from localrec_tui.services.trainings import TrainingService, TrainingUpdate


class TrainingReader:
    """Keeps the steps of the training that was read last; threads take turns."""

    def __init__(self) -> None:
        self._turn = Lock()
        self._name = ""
        self._before: TrainingUpdate | None = None

    def read(self, service: TrainingService, name: str) -> TrainingUpdate:
        """Return a training as it is now, with all of its steps."""
        with self._turn:
            before = self._before if name == self._name else None
            update = service.look(name, None if before is None else before.mark)
            if update is None:
                assert before is not None  # else there was no mark, and it was read anew
                return before
            known = () if update.is_anew or before is None else before.steps
            whole = msgspec.structs.replace(update, steps=(*known, *update.steps), is_anew=True)
            self._name, self._before = name, whole
            return whole
