"""The folder of a training: its origin, every logged step, and its checkpoints.

    config.json    the configuration with its kind, so that `resume` knows the trainer
    data.json      the data by fingerprint; the base by hash; seeds and versions
    metrics.jsonl  one line for each logged step; an incomplete last line is ignored
    checkpoints/   step-N/: the state after step N, with the hashes of its files in seal.json
    adapter/       the result, once the training is finished
    state.json     running, stopped or finished, and at which step
    lock           the number of the process that trains here

A checkpoint is written under another name and renamed, so none is incomplete. It is read only if
every file has its noted hash; a damaged one is skipped for the one before.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Literal

import msgspec

from localrec.foundation.atomic_files import atomic_folder, remove_stale_temporaries
from localrec.foundation.errors import BusyError, InputError, UsageError
from localrec.foundation.jsonl_log import JsonlLog, read_records, write_records
from localrec.foundation.paths import exclusive, make_private, owner_only
from localrec.foundation.record_files import (
    Record,
    installed_versions,
    read_record,
    sha256_of,
    write_record,
)

Status = Literal["running", "stopped", "finished"]

_PACKAGES = (
    *("localrec", "torch", "transformers", "peft", "trl"),
    *("numpy", "llama-cpp-python"),
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_STEP = re.compile(r"step-([0-9]+)")
_SEAL = "seal.json"
_KEPT = 2  # checkpoints: the newest, and the one before in case that was torn


class TrainingData(msgspec.Struct, frozen=True, kw_only=True):
    """The data and base of a run; it can be continued only on the same.

    Args:
        fingerprint: Hash of the examples or requests.
        counts: Their numbers by half, such as `train` and `validation`.
        base: Name of the base model for display.
        base_fingerprint: SHA-256 of the base, as `Base.fingerprint`.
        seeds: Seed of each random draw, by its purpose.
        versions: Versions of the libraries that compute.
    """

    fingerprint: str
    counts: dict[str, int]
    base: str
    base_fingerprint: str
    seeds: dict[str, int]
    versions: dict[str, str]


class StepRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a step.

    Args:
        step: Number of the step, from 1.
        values: Name -> figure; None for one that is no number there.
        seconds: Seconds of the step.
        parts: Part of the step -> its seconds. Times are the only thing in which a repeated run
            differs.
    """

    step: int
    values: dict[str, float | None]
    seconds: float = 0.0
    parts: dict[str, float] = {}


class TrainingState(msgspec.Struct, frozen=True, kw_only=True):
    """The progress of a training.

    Args:
        status: A run that says it is running while nobody holds its lock was killed.
        step: The last one that was done.
        steps: Number of all steps.
    """

    status: Status = "stopped"
    step: int = 0
    steps: int = 0


class Checkpoint(msgspec.Struct, frozen=True):
    """A checkpoint folder, and its step."""

    step: int
    folder: Path


def runs_folder(workspace: Path) -> Path:
    """Return the folder of a workspace's trainings."""
    return workspace / "runs" / "training"


def versions_now() -> dict[str, str]:
    """Look up the versions of the libraries that decide what a training computes."""
    return installed_versions(_PACKAGES)


def open_stopped_run(workspace: Path, name: str) -> TrainingRun:
    """Open a run of a workspace that has not come to its end, to go on with it.

    Raises:
        InputError: there is none, or its files are damaged.
        UsageError: it came to its end already.
    """
    opened = open_run(runs_folder(workspace) / name)
    if opened.state.status == "finished":
        raise UsageError(
            f"{name} came to its end already.", f"Export it: localrec train export {name}"
        )
    return opened


def create_run(folder: Path, name: str, config: msgspec.Struct, data: TrainingData) -> TrainingRun:
    """Begin a run's folder.

    Args:
        folder: Folder of all trainings, see `runs_folder`.
        name: Name of the new run.
        config: The settings; their class has a tag, the kind of training.
        data: The data that it learns from.

    Raises:
        UsageError: the name is taken, or none that a folder can have everywhere.
        WorkspaceError: the folder cannot be made.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"A run cannot be called {name!r}.", "Take letters, digits, dots, - and _; 64 at most."
        )
    path = folder / name
    if (path / "config.json").exists():
        raise UsageError(
            f"There is a run {name} already.",
            f"Go on with it: localrec train resume {name}; or give --name another one.",
        )
    make_private(path)
    _write(path / "data.json", data)
    _write(path / "state.json", TrainingState())
    _write(path / "config.json", config)  # last: with it the folder is a run
    return TrainingRun(path)


def open_run(path: Path) -> TrainingRun:
    """Open the folder of an earlier run.

    Raises:
        InputError: the folder is none, or its files are damaged.
    """
    run = TrainingRun(path)
    _ = run.kind, run.data, run.state
    return run


def continued_run(path: Path, data: TrainingData) -> TrainingRun:
    """Open a run to continue it on the data that it was begun on.

    Raises:
        InputError: the folder is none, or data, base or libraries are others than at its beginning.
    """
    run = open_run(path)
    for field in TrainingData.__struct_fields__:
        before, now = getattr(run.data, field), getattr(data, field)
        if before != now:
            raise InputError(
                f"{path.name} was begun with another {field.replace('_', ' ')} "
                f"({_short(before)}; now {_short(now)}), so its halves would not belong together.",
                "Put back what it was begun with, or begin a new run.",
            )
    return run


class TrainingRun:
    """One run folder; reading needs no lock, a training holds `training()`.

    Attributes:
        path: The folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._step_log: JsonlLog[StepRecord] | None = None

    @property
    def name(self) -> str:
        """Return the name of the run."""
        return self.path.name

    @property
    def adapter(self) -> Path:
        """Return the folder of the trained adapter."""
        return self.path / "adapter"

    @property
    def kind(self) -> str:
        """Return the tag of the configuration, the kind of training.

        Raises:
            InputError: there is no run, or its configuration is damaged.
        """
        return _read(self.path / "config.json", _Kind).type

    @property
    def data(self) -> TrainingData:
        """Read the data record of the run.

        Raises:
            InputError: `data.json` is missing or damaged.
        """
        return _read(self.path / "data.json", TrainingData)

    @property
    def state(self) -> TrainingState:
        """Read the progress of the run.

        Raises:
            InputError: `state.json` is missing or damaged.
        """
        return _read(self.path / "state.json", TrainingState)

    def config(self, shape: type[Record]) -> Record:
        """Read the configuration of the run.

        Raises:
            InputError: it is damaged, or of another kind of training.
        """
        return _read(self.path / "config.json", shape)

    def records(self) -> list[StepRecord]:
        """Read every logged step so far.

        Raises:
            InputError: a line is something else.
        """
        if self._step_log is not None:
            return list(self._step_log.records)
        path = self.path / "metrics.jsonl"
        return read_records(path, StepRecord) if path.exists() else []

    # --- while training ---

    @contextmanager
    def training(self) -> Iterator[None]:
        """Lock the run for this process inside the block; an early end leaves it stopped.

        Raises:
            BusyError: another process does.
        """
        with _held(self.path / "lock", self.name):
            try:
                yield
            finally:
                self._close_step_log()
                if self.state.status == "running":
                    self._note(status="stopped")

    def begin(self, steps: int) -> Checkpoint | None:
        """Get ready to train, behind the newest checkpoint if there is one.

        What was logged behind that is taken away, since it is about to be logged again.

        Args:
            steps: Number of all steps.
        """
        checkpoint = self.latest_checkpoint()
        step = checkpoint.step if checkpoint else 0
        self._close_step_log()
        path = self.path / "metrics.jsonl"
        if path.exists():
            write_records(path, [one for one in read_records(path, StepRecord) if one.step <= step])
        self._step_log = JsonlLog(path, StepRecord)
        self._note(status="running", step=step, steps=steps)
        return checkpoint

    def log(self, record: StepRecord) -> None:
        """Log a step's figures; they are on disk when this returns."""
        if self._step_log is None:
            raise TypeError("log() outside of a training that was begun")
        self._step_log.append(record)
        self._note(step=record.step)

    @contextmanager
    def checkpoint(self, step: int) -> Iterator[Path]:
        """Write a checkpoint into a folder inside the block."""
        place = self.path / "checkpoints" / f"step-{step}"
        remove_stale_temporaries(make_private(place.parent))
        # Its files are not waited for: the seal shows a torn one, and the one before is kept.
        with owner_only(), atomic_folder(place) as ready:
            yield ready
            _write(ready / _SEAL, _Seal(step=step, files=_hashes(ready)))
        for old in self._checkpoints()[_KEPT:]:
            shutil.rmtree(old.folder, ignore_errors=True)

    def latest_checkpoint(self) -> Checkpoint | None:
        """Find the newest checkpoint whose files are unchanged; None where there is none."""
        return next((one for one in self._checkpoints() if _is_whole(one)), None)

    def finish(self) -> None:
        """Mark the training as finished, and delete its checkpoints."""
        self._note(status="finished")
        shutil.rmtree(self.path / "checkpoints", ignore_errors=True)

    def _checkpoints(self) -> list[Checkpoint]:
        """List all checkpoints, the newest first."""
        folders = (self.path / "checkpoints").glob("step-*")
        named = ((_STEP.fullmatch(folder.name), folder) for folder in folders)
        found = [Checkpoint(int(name[1]), folder) for name, folder in named if name]
        return sorted(found, key=lambda one: -one.step)

    def _note(self, **changes: Any) -> None:
        _write(self.path / "state.json", msgspec.structs.replace(self.state, **changes))

    def _close_step_log(self) -> None:
        if self._step_log is not None:
            self._step_log.__exit__(None, None, None)
            self._step_log = None


class _Kind(msgspec.Struct, frozen=True):
    type: str


class _Seal(msgspec.Struct, frozen=True, kw_only=True):
    """Hashes of a checkpoint's files, by their names within it."""

    step: int
    files: dict[str, str]


def _is_whole(checkpoint: Checkpoint) -> bool:
    try:
        seal = _read(checkpoint.folder / _SEAL, _Seal)
    except InputError:
        return False
    return seal == _Seal(step=checkpoint.step, files=_hashes(checkpoint.folder))


def _hashes(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != _SEAL)
    return {path.relative_to(folder).as_posix(): sha256_of(path) for path in files}


@contextmanager
def _held(path: Path, name: str) -> Iterator[None]:
    """Hold the lock of a run, with the number of this process in it."""
    with ExitStack() as stack:
        try:
            file = stack.enter_context(exclusive(path))
        except BusyError as error:
            holder = path.read_text(encoding="ascii", errors="replace")[:20]
            raise BusyError(
                f"Process {holder or '?'} trains in {name} already.",
                "Let it finish, or end it first.",
            ) from error
        file.truncate(0)
        file.write(str(os.getpid()).encode())
        file.flush()
        yield


def _short(value: object) -> str:
    return f"{value!s:.60}"


def _read(path: Path, shape: type[Record]) -> Record:
    if not path.is_file():
        raise InputError(
            f"{path.parent} is no training run: it has no {path.name}.", "Name another folder."
        )
    return read_record(path, shape, "a training run", "Begin a new run.")


def _write(path: Path, record: msgspec.Struct) -> None:
    write_record(path, record, indent=2)
