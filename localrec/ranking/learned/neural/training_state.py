"""Keep the state of a training on disk, so that a kill costs seconds and changes no result.

A resumed training makes the very steps that were left: weights, moments, random states and the
place within the epoch are kept together, as arrays and plain values (`learned/artefact.py`).
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import torch
from torch import Tensor, nn

from localrec.foundation.errors import InputError
from localrec.ranking.learned.artefact import Arrays, read_artefact, write_artefact

_EVERY_S = 15.0  # what a kill may cost; writing takes some milliseconds
_WEIGHTS, _MOMENTS, _RANDOM = "weights", "moments", "random"

Batch = tuple[Tensor, Tensor]
Epoch = Callable[[np.random.Generator], Iterator[Batch]]


class BatchStream:
    """Batches of epoch after epoch, whose position can be saved and restored.

    Args:
        epoch: Makes the batches of one epoch from a generator.
        generator: Generator of every random choice; owned by the stream from here on.
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
        """Return the position: the generator's state at the epoch's start, and batches taken."""
        return {"begin": self._begin, "taken": self._taken}

    def move_to(self, place: dict[str, Any]) -> None:
        """Continue at a saved position."""
        self._generator.bit_generator.state = json.loads(place["begin"])
        self._skipped = int(place["taken"])

    def _state(self) -> str:
        return json.dumps(self._generator.bit_generator.state)


class Position(msgspec.Struct, frozen=True):
    """The position of a training.

    Args:
        step: Steps made.
        spent: Seconds of CPU time that they took.
    """

    step: int = 0
    spent: float = 0.0


class NetworkCheckpoint:
    """Save one training in a folder, and restore it.

    Args:
        folder: The folder; None keeps nothing.
        mark: Mark of all inputs of the training; a checkpoint with another mark is not used.
        network: The network whose weights are kept.
        optimizer: The optimizer whose moments are kept.
        stream: The stream whose position is kept.
    """

    def __init__(
        self,
        folder: Path | None,
        mark: str,
        network: nn.Module,
        optimizer: torch.optim.Optimizer,
        stream: BatchStream,
    ) -> None:
        self._folder, self._mark = folder, mark
        self._network, self._optimizer, self._stream = network, optimizer, stream
        self._written = time.monotonic()

    def resume(self) -> Position:
        """Restore the saved training; start at the beginning where nothing fits."""
        kept = self._read()
        if kept is None:
            return Position()
        plain, arrays = kept
        tensors = {name: torch.from_numpy(np.array(values)) for name, values in arrays.items()}
        self._network.load_state_dict(_part(tensors, _WEIGHTS))
        moments: dict[int, dict[str, Tensor]] = {}
        for name, values in _part(tensors, _MOMENTS).items():
            number, _, moment = name.partition("/")
            moments.setdefault(int(number), {})[moment] = values
        self._optimizer.load_state_dict({**self._optimizer.state_dict(), "state": moments})
        self._stream.move_to(plain)
        torch.set_rng_state(tensors[_RANDOM])
        return Position(int(plain["step"]), float(plain["spent"]))

    def keep(self, position: Position) -> None:
        """Save the state, unless it was saved a moment ago."""
        if self._folder is None or time.monotonic() - self._written < _EVERY_S:
            return
        weights = {f"{_WEIGHTS}/{name}": one for name, one in self._network.state_dict().items()}
        moments = {
            f"{_MOMENTS}/{number}/{moment}": one
            for number, state in self._optimizer.state_dict()["state"].items()
            for moment, one in state.items()
        }
        arrays = {name: one.detach().numpy() for name, one in (weights | moments).items()}
        arrays[_RANDOM] = torch.get_rng_state().numpy()
        where = {"mark": self._mark, "step": position.step, "spent": position.spent}
        write_artefact(self._folder, where | self._stream.place(), arrays)
        self._written = time.monotonic()

    def done(self) -> None:
        """Delete the folder after the end of the training."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _read(self) -> tuple[dict[str, Any], Arrays] | None:
        if self._folder is None:
            return None
        with suppress(InputError):  # damaged: costs what was kept in it, and nothing else
            kept = read_artefact(self._folder)
            if kept is not None and kept[0].get("mark") == self._mark:
                return kept
        return None


def _part(tensors: dict[str, Tensor], head: str) -> dict[str, Tensor]:
    """Select the tensors whose names begin with a prefix, by the rest of the name."""
    return {
        name.partition("/")[2]: one for name, one in tensors.items() if name.startswith(f"{head}/")
    }
