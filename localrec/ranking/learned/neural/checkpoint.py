"""The state of a training on disk, so that a kill costs seconds of it and changes nothing.

A resumed training makes the very steps that were left: weights, moments, random states and the
place within the epoch are kept together. The file is read without unpickling anything but tensors
and plain values.
"""

from __future__ import annotations

import io
import json
import pickle
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import torch
from torch import Tensor, nn

from localrec.foundation.atomic_files import write_atomically

_EVERY_S = 15.0  # what a kill may cost; writing takes some milliseconds
_DAMAGED = (OSError, RuntimeError, EOFError, KeyError, ValueError, pickle.UnpicklingError)

Batch = tuple[Tensor, Tensor]
Epoch = Callable[[np.random.Generator], Iterator[Batch]]


class BatchStream:
    """Batches of one epoch after the other, with a place that can be kept and taken up again.

    Args:
        epoch: Makes the batches of one epoch from a generator.
        generator: Of all that is drawn; owned by the stream from here on.
    """

    def __init__(self, epoch: Epoch, generator: np.random.Generator) -> None:
        self._epoch, self._generator = epoch, generator
        self._begin = self._state()
        self._taken = self._skipped = 0

    def __iter__(self) -> Iterator[Batch]:
        while True:
            self._begin, self._taken = self._state(), 0
            for batch in self._epoch(self._generator):
                self._taken += 1
                if self._taken > self._skipped:
                    yield batch
            self._skipped = 0

    def place(self) -> dict[str, Any]:
        """Where the stream stands: the state that the epoch began with, and batches taken."""
        return {"begin": self._begin, "taken": self._taken}

    def move_to(self, place: dict[str, Any]) -> None:
        """Go on behind a kept place."""
        self._generator.bit_generator.state = json.loads(place["begin"])
        self._skipped = int(place["taken"])

    def _state(self) -> str:
        return json.dumps(self._generator.bit_generator.state)


class Position(msgspec.Struct, frozen=True):
    """How far a training is.

    Args:
        step: Steps made.
        spent: Seconds of CPU time that they took.
    """

    step: int = 0
    spent: float = 0.0


class Checkpoint:
    """Keeps one training in a file, and takes it up again.

    Args:
        path: The file; None keeps nothing.
        mark: Of all that the training is made from; a file with another one is not taken up.
        network: Whose weights are kept.
        optimizer: Whose moments are kept.
        stream: Whose place is kept.
    """

    def __init__(
        self,
        path: Path | None,
        mark: str,
        network: nn.Module,
        optimizer: torch.optim.Optimizer,
        stream: BatchStream,
    ) -> None:
        self._path, self._mark = path, mark
        self._network, self._optimizer, self._stream = network, optimizer, stream
        self._written = time.monotonic()

    def resume(self) -> Position:
        """Take up what was kept; the beginning where there is nothing that fits."""
        kept = self._read()
        if kept is None:
            return Position()
        self._network.load_state_dict(kept["network"])
        self._optimizer.load_state_dict(kept["optimizer"])
        self._stream.move_to(kept["stream"])
        torch.set_rng_state(kept["random"])
        return Position(int(kept["step"]), float(kept["spent"]))

    def keep(self, position: Position) -> None:
        """Write the state, unless it was written a moment ago."""
        if self._path is None or time.monotonic() - self._written < _EVERY_S:
            return
        whole = io.BytesIO()
        torch.save(
            {
                "mark": self._mark,
                "step": position.step,
                "spent": position.spent,
                "network": self._network.state_dict(),
                "optimizer": self._optimizer.state_dict(),
                "stream": self._stream.place(),
                "random": torch.get_rng_state(),
            },
            whole,
        )
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomically(self._path, whole.getvalue())
        self._written = time.monotonic()

    def done(self) -> None:
        """Take the file away: the training ended."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    def _read(self) -> dict[str, Any] | None:
        if self._path is None:
            return None
        # A damaged file costs what was kept in it, and nothing else.
        with suppress(*_DAMAGED):
            kept: dict[str, Any] = torch.load(self._path, weights_only=True)
            if kept["mark"] == self._mark:
                return kept
        return None
