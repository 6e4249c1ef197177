"""The progress of a running or stopped fit, readable without store and NumPy.

indexes/learned-DOMAIN/progress.json    there while a process fits, rewritten with each step
indexes/learned-DOMAIN/held             there while somebody wants no fit to begin by itself
indexes/learned-DOMAIN/STAGE-KIND/      a finished part, there until the whole fit is done
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from localrec.foundation.atomic_files import short_digest, write_atomically
from localrec.foundation.errors import WorkspaceError
from localrec.foundation.paths import make_private
from localrec.foundation.processes import is_over
from localrec.foundation.progress import Progress
from localrec.ranking.learned.time_left import TimeLeft

_FILE = "progress.json"
_HELD = "held"
_FOLDER = "learned-"


class LearningProgress(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The progress of a fit.

    Args:
        process: Number of the process that fits.
        what: Name of the step.
        done: Units of the step that are done.
        total: All units of the step; 0 where unknown.
        began: Time when the fit began.
        at: Time when this was written.
        left: Seconds that the fit still takes, estimated; None where too little is done to say.
    """

    process: int
    what: str
    done: int
    total: int
    began: float
    at: float
    left: float | None = None

    @property
    def is_alive(self) -> bool:
        """Whether the process still runs."""
        return not is_over(self.process)

    def stop(self) -> None:
        """Ask the process to stop at a safe place, as Ctrl+C does."""
        with suppress(ProcessLookupError, PermissionError):
            os.kill(self.process, signal.SIGINT)


def folder_of(indexes: Path, domain: str) -> Path:
    """Return the folder of a domain's ranker."""
    return indexes / f"{_FOLDER}{short_digest(domain)}"


def learning_progress(indexes: Path, domain: str) -> LearningProgress | None:
    """Read the progress of a running fit; None where none runs."""
    return _read(folder_of(indexes, domain) / _FILE)


def finished_parts(indexes: Path, domain: str) -> tuple[str, ...]:
    """List the finished parts of a stopped or killed fit, in order.

    The next fit goes on behind them, unless the interactions are others by then.
    """
    records = folder_of(indexes, domain).glob("*-*/ranker.json")
    found = sorted((path.stat().st_mtime_ns, path.parent.name) for path in records)
    return tuple(name for _, name in found)


def hold(indexes: Path, domain: str) -> None:
    """Let no fit of a domain begin by itself until `release`; a full disk is passed over."""
    _hold(folder_of(indexes, domain))


def hold_running_fits(indexes: Path) -> tuple[LearningProgress, ...]:
    """Hold every domain whose fit runs, and return these fits."""
    running = [(path, one) for path in _files(indexes) if (one := _read(path)) is not None]
    for path, _ in running:
        _hold(path.parent)
    return tuple(one for _, one in running)


def release(indexes: Path, domain: str) -> None:
    """Let fits of a domain begin by themselves again."""
    with suppress(OSError):
        (folder_of(indexes, domain) / _HELD).unlink(missing_ok=True)


def is_held(indexes: Path, domain: str) -> bool:
    """Whether somebody stopped the fit of a domain, and nothing has asked for it since."""
    return (folder_of(indexes, domain) / _HELD).exists()


def running_fits(indexes: Path) -> tuple[LearningProgress, ...]:
    """List the running fits of all domains, the oldest first."""
    found = filter(None, map(_read, _files(indexes)))
    return tuple(sorted(found, key=lambda one: one.began))


@contextmanager
def told_beside(folder: Path, progress: Progress, time_left: TimeLeft) -> Iterator[Progress]:
    """Write each step and the time left beside the ranker, for other processes."""
    path, began = folder / _FILE, time.time()

    def tell(what: str, done: int, total: int) -> None:
        progress(what, done, total)
        time_left.record(what, done, total)
        now, left = time.time(), time_left.seconds
        step = LearningProgress(os.getpid(), what, done, total, began, now, left)
        # Not synced: it is written many times, and is no loss.
        write_atomically(path, msgspec.json.encode(step), is_synced=False)

    try:
        yield tell
    finally:
        path.unlink(missing_ok=True)


def _files(indexes: Path) -> Iterator[Path]:
    return indexes.glob(f"{_FOLDER}*/{_FILE}")


def _hold(folder: Path) -> None:
    with suppress(OSError, WorkspaceError):
        make_private(folder.parent)
        make_private(folder)
        write_atomically(folder / _HELD, b"")


def _read(path: Path) -> LearningProgress | None:
    try:
        told = msgspec.json.decode(path.read_bytes(), type=LearningProgress)
    except (OSError, msgspec.MsgspecError):
        return None
    return told if told.is_alive else None
