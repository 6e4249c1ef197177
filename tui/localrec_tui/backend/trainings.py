"""The trainings in a workspace folder, as the Training room asks for them.

Folders are read without torch; whatever trains, exports or tries is a command of localrec that is
sent off. What is read of a folder goes through `_clean`: it may come from somebody else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import msgspec

from localrec_tui.backend.base import Progress, Request
from localrec_tui.backend.growing import read_added
from localrec_tui.backend.plans import Finished, Plan, Trainee, trainees
from localrec_tui.backend.sending import Sender
from localrec_tui.backend.training import (
    BothSaid,
    Estimated,
    Exported,
    ListMark,
    Look,
    LookMark,
    Part,
    SideSaid,
    State,
    StepLogged,
    TrainingFound,
    TrainingsFound,
)

if TYPE_CHECKING:
    from localrec.training.runs import Logged, TrainingRun

_CLOSE_S = 20.0  # a step that is under way is finished and saved
_LONGEST = 200  # characters of a line
_AGENT = "agent"  # what an agent's trainings are for
_WATCHED = ("config.json", "state.json", "metrics.jsonl", "lock", "checkpoints")

Stats = tuple[tuple[int, int, int] | None, ...]  # of each of `_WATCHED`: which file, when, how much


class _Asked(msgspec.Struct, frozen=True):
    """What of a configuration concerns whoever exports, tries or follows it."""

    base: str
    serving: str = ""
    role: str = _AGENT


class LocalTrainings:
    """`Training` over a workspace folder; making one opens nothing.

    Args:
        folder: The workspace.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sender = Sender(folder, _CLOSE_S)
        self._ours: dict[Request, str] = {}  # the trainings that run for this app, by name
        self._holders: dict[str, tuple[Stats, int | None]] = {}
        self._reading = Lock()  # see shapes.py

    def trainings(self, mark: ListMark | None = None) -> TrainingsFound | None:
        """All of them."""
        with self._reading:
            paths = sorted(path.parent for path in self._home.glob("*/config.json"))
            now = tuple((path.name, stats_of(path), self._holder(path)) for path in paths)
            if now == mark:
                return None
            found = sorted(map(self._found, paths), key=lambda one: one.begun, reverse=True)
            return TrainingsFound(tuple(found), now)

    def trainees(self) -> tuple[Trainee, ...]:
        """What can be trained here."""
        from localrec.training.examples.roles import ROLES  # NumPy, but no torch

        every = self.trainings()
        assert every is not None  # without a mark
        with self._reading:
            finished = [self._done(one) for one in every.found if one.state == "finished"]
        return trainees(ROLES, finished)

    def about(self, name: str) -> tuple[Part, ...]:
        """What a training was asked for, and what it learns from."""
        with self._reading:
            return tuple(_about(self._run(name)))

    def look(self, name: str, mark: LookMark | None = None) -> Look | None:
        """A training with the steps it did since."""
        from localrec.training.runs import Logged

        with self._reading:
            run = self._run(name)
            now = (stats_of(run.path), self._holder(run.path))
            if mark is not None and mark.folder == now:
                return None
            place = None if mark is None else mark.place
            added = read_added(run.path / "metrics.jsonl", Logged, place)
            exported = _export_of(run)
            return Look(
                found=self._found(run.path),
                steps=tuple(map(_step, added.records)),
                is_anew=added.is_anew,
                checkpoint=_newest_checkpoint(run.path),
                exported=str(exported) if exported.is_file() else "",
                mark=LookMark(now, added.place),
            )

    def estimate(self, plan: Plan, request: Request, heard: Progress) -> Estimated:
        """What a training would take: `--estimate`."""
        found = self._data((*plan.arguments, "--estimate"), request, heard)
        return Estimated(
            memory=found["memory_bytes"],
            available=found["available_bytes"],
            step_s=found["seconds_per_step"],
            total_s=found["total_seconds"],
        )

    def start(self, plan: Plan, name: str, request: Request, heard: Progress) -> None:
        """Train."""
        with self._training(name, request):
            self._sender.send((*plan.arguments, "--name", name), request, heard)

    def resume(self, name: str, request: Request, heard: Progress) -> None:
        """Go on with a training: `localrec train resume`."""
        with self._training(name, request):
            self._sender.send(("train", "resume", name), request, heard)

    def export(self, name: str, request: Request, heard: Progress) -> Exported:
        """Write what a training came to as a file: `localrec train export`."""
        heard(f"exporting {name}", 0, 0)
        found = self._data(("train", "export", name), request, heard)
        card = found["card"]
        return Exported(found["file"], _clean(card["role"]), _clean(card["base"]))

    def ask(self, name: str, question: str, request: Request, heard: Progress) -> BothSaid:
        """Ask both sides: `localrec models try --question`."""
        run = self._run(name)
        file = _export_of(run)
        if not file.is_file():
            file = Path(self.export(name, request, heard).file)
        with self._reading:
            asked = run.config(_Asked)
        arguments = ("models", "try", str(file), "--model", asked.serving or asked.base)
        heard(f"starting {name} and its base", 0, 0)
        found = self._data((*arguments, f"--question={question}"), request, heard)
        return BothSaid(_clean(found["question"]), _side(found["bare"]), _side(found["adapted"]))

    def stop(self, request: Request) -> None:
        """Stop at a safe place; the second time at once."""
        self._sender.stop(request)

    def close(self) -> None:
        """See that what was started has ended."""
        self._sender.close()

    @property
    def _home(self) -> Path:
        from localrec.training.runs import runs_folder

        return runs_folder(self._folder)

    def _run(self, name: str) -> TrainingRun:
        from localrec.training.runs import TrainingRun

        return TrainingRun(self._home / name)

    def _found(self, path: Path) -> TrainingFound:
        """A training in a line; one that cannot be read is told as such."""
        from localrec.errors import LocalrecError

        run, name = self._run(path.name), _clean(path.name)
        try:
            asked, state, data, kind = run.config(_Asked), run.state, run.data, run.kind
        except LocalrecError as error:
            return TrainingFound(name=name, state="unreadable", remark=_clean(error.message))
        holder = self._holder(path)
        goes_on: State = "stopped" if holder is None else "running"
        return TrainingFound(
            name=name,
            state="finished" if state.status == "finished" else goes_on,
            kind=_clean(kind),
            role=_clean(asked.role),
            step=state.step,
            steps=state.steps,
            base=_clean(data.base),
            begun=_told_time((path / "config.json").stat().st_mtime),
            holder=holder,
            is_ours=path.name in self._ours.values(),
        )

    def _done(self, found: TrainingFound) -> Finished:
        run = self._run(found.name)
        base, adapter = run.config(_Asked).base, run.adapter.absolute()
        return Finished(found.name, found.kind, found.role, base, adapter)

    def _holder(self, path: Path) -> int | None:
        """`holder_of`, asked only where something changed or somebody was there before."""
        stats = stats_of(path)
        before, holder = self._holders.get(path.name, (None, None))
        if stats != before or holder is not None:
            holder = holder_of(path)
            self._holders[path.name] = (stats, holder)
        return holder

    @contextmanager
    def _training(self, name: str, request: Request) -> Iterator[None]:
        """While the block runs, the training is ours."""
        self._ours[request] = name
        try:
            yield
        finally:
            del self._ours[request]

    def _data(self, arguments: tuple[str, ...], request: Request, heard: Progress) -> Any:
        """The one JSON document that a command prints."""
        (found,) = self._sender.send(arguments, request, heard)
        return found


def stats_of(path: Path) -> Stats:
    """What changes whenever a training does anything, for the price of a few looks at a folder."""
    return tuple(_stat(path / name) for name in _WATCHED)


def holder_of(path: Path) -> int | None:
    """The process that trains in a folder; None where none does.

    The lock is asked for, and let go at once. A training that begins in that very moment would be
    refused, so nobody should ask without a cause.
    """
    from localrec.errors import BusyError
    from localrec.paths import exclusive

    lock = path / "lock"
    if not lock.is_file():
        return None
    try:
        with exclusive(lock):
            return None
    except BusyError:
        number = lock.read_text(encoding="ascii", errors="replace")[:20]
        return int(number) if number.isdigit() else 0
    except OSError:  # not ours to lock, so nobody of ours trains there
        return None


def _stat(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def _newest_checkpoint(path: Path) -> int | None:
    """The step of the newest; whether it is whole, who goes on with it finds out."""
    folders = (path / "checkpoints").glob("step-*")
    steps = [number for folder in folders if (number := folder.name[5:]).isdigit()]
    return max(map(int, steps), default=None)


def _export_of(run: TrainingRun) -> Path:
    """Where `train export` writes, unless it is told otherwise."""
    return run.path / f"{run.name}.gguf"


def _step(logged: Logged) -> StepLogged:
    values = {_clean(name): value for name, value in logged.values.items()}
    return StepLogged(logged.step, values, logged.seconds)


def _about(run: TrainingRun) -> Iterator[Part]:
    run.config(_Asked)  # raises where it is damaged
    asked = msgspec.json.decode((run.path / "config.json").read_bytes())
    yield "What was asked for", tuple(_told("", asked))
    yield "What it learns from, and on", tuple(_told("", msgspec.to_builtins(run.data)))


def _told(name: str, value: object) -> Iterator[str]:
    """A setting in a line, one within another in a line each."""
    if isinstance(value, Mapping):
        for part, inner in value.items():
            yield from _told(f"{name}.{part}".lstrip("."), inner)
    else:
        yield f"{_clean(name)}: {_clean(str(value)) or '-'}"


def _told_time(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds):%Y-%m-%d %H:%M}"


def _side(said: Mapping[str, Any]) -> SideSaid:
    return SideSaid(
        name=_clean(said["name"]),
        figures={_clean(name): float(value) for name, value in said["figures"].items()},
        lines=tuple(map(_clean, said["lines"])),
        fault=_clean(said["fault"]),
        ms=said["ms"],
    )


def _clean(text: str) -> str:
    from localrec.sources.text import clean_text

    return clean_text(text, limit=_LONGEST)
