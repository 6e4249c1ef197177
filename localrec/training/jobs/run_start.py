"""Start or continue a training: find the model, measure the memory, open the run folder."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import msgspec

from localrec.llm.model_catalog import model_path
from localrec.training.jobs.distributed import DistributedContext
from localrec.training.jobs.estimates import main_memory
from localrec.training.jobs.training_runs import (
    TrainingData,
    TrainingRun,
    continued_run,
    create_run,
    runs_folder,
)
from localrec.training.libraries import training_libraries


class TrainingContext(Protocol):
    """The inputs of every kind of training."""

    @property
    def config(self) -> msgspec.Struct:
        """The settings; the class has a tag, the kind of training."""
        ...

    @property
    def data(self) -> TrainingData:
        """The data, base and versions that the run is bound to."""
        ...

    @property
    def distributed(self) -> DistributedContext:
        """The processes that train together."""
        ...


def begin_run(workspace: Path, name: str, made: TrainingContext) -> TrainingRun:
    """Create the folder of a new run.

    Raises:
        UsageError: the name is taken.
    """
    folder = runs_folder(workspace)
    data = made.data
    return made.distributed.created(
        folder / name, lambda: create_run(folder, name, made.config, data)
    )


def continue_run(workspace: Path, name: str, made: TrainingContext) -> TrainingRun:
    """Open the folder of an earlier run to continue its training.

    Raises:
        InputError: there is none, or it was begun on other data, another base or other versions.
    """
    return continued_run(runs_folder(workspace) / name, made.data)


def located(name: str) -> Path:
    """Find the file or folder of a model, named by its path or as in the catalogue.

    Raises:
        ModelError: there is none.
    """
    path = Path(name)
    return path if path.exists() or path.suffix == ".gguf" else model_path(name)


def available_memory(device: str, processes: int = 1) -> int | None:
    """Return the bytes of a device's memory for each of some processes; None where unknown.

    Processes share the main memory; each has a GPU of its own.
    """
    if device == "cpu":
        memory = main_memory()
        return memory and memory // processes
    with training_libraries():
        import torch
    if not torch.cuda.is_available():  # loading the base will report it
        return None
    return int(torch.cuda.get_device_properties(torch.device(device)).total_memory)
