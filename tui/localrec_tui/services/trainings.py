"""Serves the Training room: trainings as they go, new ones, and their adapters.

A training's folder may be somebody else's: all of its words are cleaned before they come here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from localrec.foundation.file_marks import FileMark, file_mark
from localrec.foundation.progress import Progress
from localrec_tui.services.commands import CommandRunner
from localrec_tui.services.jsonl_tail import FilePosition, read_added
from localrec_tui.services.records import RequestHandle
from localrec_tui.services.training_plans import (
    FinishedTraining,
    TrainingOption,
    TrainingPlan,
    training_options,
)

if TYPE_CHECKING:
    from localrec.training.jobs.training_runs import StepRecord, TrainingRun
    from localrec_tui.services.adapter_roles import AdapterOffer

State = Literal["finished", "running", "stopped", "unreadable"]
TrainingPart = tuple[str, tuple[str, ...]]  # a title, and its lines


class TrainingSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A training of the workspace.

    Args:
        name: Its folder's.
        state: How far it is; a training whose lock no process holds is stopped, whatever it says.
        kind: "grpo", "refine", "from-default" or "adapter"; "" where it cannot be read.
        role: That its adapter plays.
        step: The last one that was done.
        steps: The steps of the whole training; 0 before the first.
        base: The model that is trained.
        begun: Day and time, here.
        holder: The number of the process that trains now; None where none does.
        is_ours: Whether this app started that one.
        remark: Why the training cannot be read; "" where it can.
    """

    name: str
    state: State
    kind: str = ""
    role: str = ""
    step: int = 0
    steps: int = 0
    base: str = ""
    begun: str = ""
    holder: int | None = None
    is_ours: bool = False
    remark: str = ""


TrainingListMark = tuple[tuple[object, ...], ...]  # changes with any training


class TrainingList(msgspec.Struct, frozen=True):
    """All trainings, the newest first, and the mark to pass to the next look."""

    found: tuple[TrainingSummary, ...]
    mark: TrainingListMark


class LoggedStep(msgspec.Struct, frozen=True):
    """The measurements of a step, and its seconds; None stands for no number."""

    step: int
    values: dict[str, float | None]
    seconds: float


class TrainingMark(msgspec.Struct, frozen=True):
    """How a training's folder was at a look, and up to where its steps were read."""

    folder: tuple[object, ...]
    place: FilePosition | None


class TrainingUpdate(msgspec.Struct, frozen=True, kw_only=True):
    """A training as it is now.

    Args:
        found: The training.
        steps: Those behind the look before.
        is_anew: Whether these are all there are, whatever was seen before.
        checkpoint: The step behind which it can be gone on with; None where there is none.
        exported: The adapter as a file; "" where it was not exported.
        mark: For the next look.
    """

    found: TrainingSummary
    steps: tuple[LoggedStep, ...]
    is_anew: bool
    checkpoint: int | None
    exported: str
    mark: TrainingMark


class TrainingEstimate(msgspec.Struct, frozen=True, kw_only=True):
    """An estimate of a training's memory and time.

    Args:
        memory: Bytes at its highest.
        available: Bytes that the device has; None where that is unknown.
        step_s: Seconds of a step.
        total_s: Seconds of all.
    """

    memory: int
    available: int | None
    step_s: float
    total_s: float


class ExportedAdapter(msgspec.Struct, frozen=True):
    """An adapter as a file, and what for."""

    file: str
    role: str
    base: str


class SideAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of one model to a question.

    Args:
        name: The model's name, with its adapter.
        figures: Label -> its share, or criterion -> its points of a hundred; {} where it writes.
        lines: The text it wrote, or the items it ranked.
        fault: Why it came to no answer; "" where it did.
        ms: Milliseconds.
    """

    name: str
    figures: dict[str, float]
    lines: tuple[str, ...]
    fault: str
    ms: float


class AdapterAnswers(msgspec.Struct, frozen=True):
    """One question to the base alone, and to the base with the adapter."""

    question: str
    bare: SideAnswer
    adapted: SideAnswer


_CLOSE_S = 20.0  # a step that is under way is finished and saved
_LONGEST = 200  # characters of a line
_AGENT = "agent"  # the role of an agent's trainings
_WATCHED = ("config.json", "state.json", "metrics.jsonl", "lock", "checkpoints")
FileStats = tuple[FileMark | None, ...]  # one for each of `_WATCHED`


class _RunConfig(msgspec.Struct, frozen=True):
    """The part of a configuration that exporting, trying and following a training needs."""

    base: str
    serving: str = ""
    role: str = _AGENT


class TrainingService:
    """Reads trainings and starts new ones; making one opens nothing.

    Args:
        folder: The workspace.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sender = CommandRunner(folder, _CLOSE_S)
        self._ours: dict[RequestHandle, str] = {}  # the trainings that run for this app, by name
        self._holders: dict[str, tuple[FileStats, int | None]] = {}
        self._reading = Lock()  # one thread at a time prepares the decoders of msgspec

    def trainings(self, mark: TrainingListMark | None = None) -> TrainingList | None:
        """All of them."""
        with self._reading:
            paths = sorted(path.parent for path in self._home.glob("*/config.json"))
            now = tuple((path.name, file_stats(path), self._holder(path)) for path in paths)
            if now == mark:
                return None
            found = sorted(map(self._found, paths), key=lambda one: one.begun, reverse=True)
            return TrainingList(tuple(found), now)

    def trainees(self) -> tuple[TrainingOption, ...]:
        """List the trainings that can begin here."""
        from localrec.training.examples.roles import ROLES  # NumPy, but no torch

        every = self.trainings()
        assert every is not None  # without a mark
        with self._reading:
            finished = [self._done(one) for one in every.found if one.state == "finished"]
        return training_options(ROLES, finished)

    def about(self, name: str) -> tuple[TrainingPart, ...]:
        """Return the configuration of a training, and its data."""
        with self._reading:
            return tuple(_about(self._run(name)))

    def look(self, name: str, mark: TrainingMark | None = None) -> TrainingUpdate | None:
        """A training with the steps it did since."""
        from localrec.training.jobs.training_runs import StepRecord

        with self._reading:
            run = self._run(name)
            now = (file_stats(run.path), self._holder(run.path))
            if mark is not None and mark.folder == now:
                return None
            place = None if mark is None else mark.place
            added = read_added(run.path / "metrics.jsonl", StepRecord, place)
            exported = _export_of(run)
            return TrainingUpdate(
                found=self._found(run.path),
                steps=tuple(map(_step, added.records)),
                is_anew=added.is_anew,
                checkpoint=_newest_checkpoint(run.path),
                exported=str(exported) if exported.is_file() else "",
                mark=TrainingMark(now, added.place),
            )

    def estimate(
        self, plan: TrainingPlan, request: RequestHandle, on_progress: Progress
    ) -> TrainingEstimate:
        """Estimate a training's memory and time: `--estimate`."""
        found = self._data((*plan.arguments, "--estimate"), request, on_progress)
        return TrainingEstimate(
            memory=found["memory_bytes"],
            available=found["available_bytes"],
            step_s=found["seconds_per_step"],
            total_s=found["total_seconds"],
        )

    def start(
        self, plan: TrainingPlan, name: str, request: RequestHandle, on_progress: Progress
    ) -> None:
        """Train."""
        with self._training(name, request):
            self._sender.send((*plan.arguments, "--name", name), request, on_progress)

    def resume(self, name: str, request: RequestHandle, on_progress: Progress) -> None:
        """Go on with a training: `localrec train resume`."""
        with self._training(name, request):
            self._sender.send(("train", "resume", name), request, on_progress)

    def export(self, name: str, request: RequestHandle, on_progress: Progress) -> ExportedAdapter:
        """Write the adapter of a training as a file: `localrec train export`."""
        on_progress(f"exporting {name}", 0, 0)
        found = self._data(("train", "export", name), request, on_progress)
        card = found["card"]
        return ExportedAdapter(found["file"], _clean(card["role"]), _clean(card["base"]))

    def ask(
        self, name: str, question: str, request: RequestHandle, on_progress: Progress
    ) -> AdapterAnswers:
        """Ask both sides: `localrec models try --question`."""
        run = self._run(name)
        file = _export_of(run)
        if not file.is_file():
            file = Path(self.export(name, request, on_progress).file)
        with self._reading:
            asked = run.config(_RunConfig)
        arguments = ("models", "try", str(file), "--model", asked.serving or asked.base)
        on_progress(f"starting {name} and its base", 0, 0)
        found = self._data((*arguments, f"--question={question}"), request, on_progress)
        return AdapterAnswers(
            _clean(found["question"]), _side(found["bare"]), _side(found["adapted"])
        )

    def offer(self, name: str) -> AdapterOffer:
        """Read which roles the adapter of a training can take, and who has them."""
        from localrec_tui.services.adapter_roles import adapter_offer

        update, run = self.look(name), self._run(name)
        assert update is not None  # without a mark
        steps = (step.values for step in update.steps)
        with self._reading:
            return adapter_offer(self._folder, _export_of(run), update.found.role, steps)

    def stop(self, request: RequestHandle) -> None:
        """Stop at a safe place; the second time at once."""
        self._sender.stop(request)

    def close(self) -> None:
        """End every process that was started."""
        self._sender.close()

    @property
    def _home(self) -> Path:
        from localrec.training.jobs.training_runs import runs_folder

        return runs_folder(self._folder)

    def _run(self, name: str) -> TrainingRun:
        from localrec.training.jobs.training_runs import TrainingRun

        return TrainingRun(self._home / name)

    def _found(self, path: Path) -> TrainingSummary:
        """A training in a line; one that cannot be read is told as such."""
        from localrec.foundation.errors import LocalrecError

        run, name = self._run(path.name), _clean(path.name)
        try:
            asked, state, data, kind = run.config(_RunConfig), run.state, run.data, run.kind
        except LocalrecError as error:
            return TrainingSummary(name=name, state="unreadable", remark=_clean(error.message))
        holder = self._holder(path)
        goes_on: State = "stopped" if holder is None else "running"
        return TrainingSummary(
            name=name,
            state="finished" if state.status == "finished" else goes_on,
            kind=_clean(kind),
            role=_clean(asked.role),
            step=state.step,
            steps=state.steps,
            base=_clean(data.base),
            begun=_time_text((path / "config.json").stat().st_mtime),
            holder=holder,
            is_ours=path.name in self._ours.values(),
        )

    def _done(self, found: TrainingSummary) -> FinishedTraining:
        run = self._run(found.name)
        base, adapter = run.config(_RunConfig).base, run.adapter.absolute()
        return FinishedTraining(found.name, found.kind, found.role, base, adapter)

    def _holder(self, path: Path) -> int | None:
        """Find the training's process; look only after a change, or while one is known."""
        stats = file_stats(path)
        before, holder = self._holders.get(path.name, (None, None))
        if stats != before or holder is not None:
            holder = training_pid(path)
            self._holders[path.name] = (stats, holder)
        return holder

    @contextmanager
    def _training(self, name: str, request: RequestHandle) -> Iterator[None]:
        """While the block runs, the training is ours."""
        self._ours[request] = name
        try:
            yield
        finally:
            del self._ours[request]

    def _data(
        self, arguments: tuple[str, ...], request: RequestHandle, on_progress: Progress
    ) -> Any:
        """The one JSON document that a command prints."""
        (found,) = self._sender.send(arguments, request, on_progress)
        return found


def file_stats(path: Path) -> FileStats:
    """What changes whenever a training does anything, for the price of a few looks at a folder."""
    return tuple(file_mark(path / name) for name in _WATCHED)


def training_pid(path: Path) -> int | None:
    """The process that trains in a folder; None where none does.

    The lock is asked for, and let go at once. A training that begins in that very moment would be
    refused, so nobody should ask without a cause.
    """
    from localrec.foundation.errors import BusyError
    from localrec.foundation.paths import exclusive

    lock = path / "lock"
    if not lock.is_file():
        return None
    try:
        with exclusive(lock):
            return None
    except BusyError:
        number = lock.read_text(encoding="ascii", errors="replace")[:20]
        return int(number) if number.isdigit() else 0
    except OSError:  # the lock belongs to another user, so no process of ours trains there
        return None


def _newest_checkpoint(path: Path) -> int | None:
    """The step of the newest; whether it is whole, who goes on with it finds out."""
    folders = (path / "checkpoints").glob("step-*")
    steps = [number for folder in folders if (number := folder.name[5:]).isdigit()]
    return max(map(int, steps), default=None)


def _export_of(run: TrainingRun) -> Path:
    """Where `train export` writes, unless it is told otherwise."""
    return run.path / f"{run.name}.gguf"


def _step(logged: StepRecord) -> LoggedStep:
    values = {_clean(name): value for name, value in logged.values.items()}
    return LoggedStep(logged.step, values, logged.seconds)


def _about(run: TrainingRun) -> Iterator[TrainingPart]:
    run.config(_RunConfig)  # raises where it is damaged
    asked = msgspec.json.decode((run.path / "config.json").read_bytes())
    yield "What was asked for", tuple(_setting_lines("", asked))
    yield "What it learns from, and on", tuple(_setting_lines("", msgspec.to_builtins(run.data)))


def _setting_lines(name: str, value: object) -> Iterator[str]:
    """A setting in a line, one within another in a line each."""
    if isinstance(value, Mapping):
        for part, inner in value.items():
            yield from _setting_lines(f"{name}.{part}".lstrip("."), inner)
    else:
        yield f"{_clean(name)}: {_clean(str(value)) or '-'}"


def _time_text(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds):%Y-%m-%d %H:%M}"


def _side(record: Mapping[str, Any]) -> SideAnswer:
    return SideAnswer(
        name=_clean(record["name"]),
        figures={_clean(name): float(value) for name, value in record["figures"].items()},
        lines=tuple(map(_clean, record["lines"])),
        fault=_clean(record["fault"]),
        ms=record["ms"],
    )


def _clean(text: str) -> str:
    from localrec.foundation.text import clean_text

    return clean_text(text, limit=_LONGEST)
