"""A command of localrec as a process of its own: what takes long, and what the app must not do.

The app opens no network and loads no torch; it starts `localrec models pull`, `evaluate run` or
`train` as a job instead, hears how far they are, and stops them as Ctrl+C would. A job ends
with whoever sent it, even one that was killed (`localrec/foundation/parent_watch.py`).
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from localrec.foundation.errors import BusyError, CutShortError, LocalrecError, UsageError
from localrec.foundation.idle_threads import environment_for_others
from localrec.foundation.parent_watch import PARENT_WATCH_VARIABLE
from localrec.foundation.private_arguments import hide
from localrec.foundation.progress_lines import ProgressMessage, parse_progress

_PATIENCE_S = 10.0  # for what is under way to be put on disk
_KILL_PATIENCE_S = 2.0
_FIRST = "localrec: "  # how the line begins that says why a command failed
_NOTES_KEPT = 50
_FAILURES = {2: UsageError, 3: BusyError, 130: CutShortError}


def _program() -> list[str]:
    """Return the command that starts localrec; `-P` ignores a stray localrec.py in the folder."""
    return [sys.executable, "-P", "-m", "localrec"]


def _environment(folder: Path, arguments: Sequence[str]) -> dict[str, str]:
    """The environment of a command, with its arguments, which the list of processes does not show.

    The package is found where it was found for this process.
    """
    package_home = str(Path(__file__).resolve().parents[2])
    search_path = os.pathsep.join(filter(None, [package_home, os.environ.get("PYTHONPATH")]))
    hidden = hide(["--json", "--workspace", str(folder), *arguments])
    return {**environment_for_others(), **hidden, "PYTHONPATH": search_path}


def start_in_background(folder: Path, arguments: Sequence[str], *, patient: bool = True) -> int:
    """Start a command of localrec that outlives this process; returns the id of its process.

    Args:
        folder: The workspace it works on.
        arguments: As behind `localrec`.
        patient: Whether it has the lowest claim on the CPU.
    """
    started = subprocess.Popen(
        [*_program(), *arguments[:1]],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=_be_patient if patient and hasattr(os, "nice") else None,
        env=_environment(folder, arguments),
    )
    return started.pid


def _be_patient() -> None:
    os.nice(10)


class CommandJob:
    """One running command; `follow` it from one thread, `stop` it from any.

    Args:
        folder: The workspace it works on.
        arguments: As behind `localrec`, such as `("models", "pull", "smollm2-135m")`.
    """

    def __init__(self, folder: Path, arguments: Sequence[str]) -> None:
        self.arguments = tuple(arguments)
        self._data = tempfile.TemporaryFile()  # noqa: SIM115 - a pipe nobody reads would stall it
        self._notes: list[str] = []
        self._was_asked = False
        self._process = subprocess.Popen(
            [*_program(), *arguments[:1]],
            stdin=subprocess.PIPE,
            stdout=self._data,
            stderr=subprocess.PIPE,
            # Ctrl+C in the terminal is not for it, and what it starts itself can end with it.
            start_new_session=True,
            env={**_environment(folder, arguments), PARENT_WATCH_VARIABLE: "1"},
        )

    @property
    def is_running(self) -> bool:
        """Whether the process has not ended yet."""
        return self._process.poll() is None

    def follow(self, on_progress: Callable[[ProgressMessage], None]) -> tuple[Any, ...]:
        """Wait for the end; returns the JSON documents that the command printed.

        Args:
            on_progress: Called with each step, in this thread.

        Raises:
            UsageError, BusyError, CutShortError, LocalrecError: the command failed, was stopped or
                killed; told in its own words.
        """
        assert self._process.stderr is not None
        for line in self._process.stderr:
            step = parse_progress(line)
            if step is not None:
                on_progress(step)
            elif told := line.decode("utf-8", "replace").strip():
                self._notes = [*self._notes, told][-_NOTES_KEPT:]
        code = self._process.wait()
        self._let_go()
        if code:
            raise self._failure(code)
        self._data.seek(0)
        return tuple(msgspec.json.decode(line) for line in self._data if line.strip())

    def stop(self) -> None:
        """Ask it to end at a safe place, as Ctrl+C does; insist the second time. Never waits."""
        if self._was_asked:
            self._signal_all(signal.SIGTERM)
        elif self.is_running:
            self._was_asked = True
            with suppress(ProcessLookupError):
                self._process.send_signal(signal.SIGINT)

    def close(self, patience_s: float = _PATIENCE_S) -> None:
        """See that it ends, with all that it started: asked, then told, then killed."""
        if not self._was_asked:
            self.stop()
        if not self._ends_within(patience_s):
            self._signal_all(signal.SIGTERM)
        if not self._ends_within(_KILL_PATIENCE_S):
            self._signal_all(signal.SIGKILL)
            self._process.wait()
        self._let_go()

    def _ends_within(self, seconds: float) -> bool:
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _signal_all(self, number: signal.Signals) -> None:
        """Reach the command and what it started: it leads a group of its own."""
        if self.is_running:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)

    def _let_go(self) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()

    def _failure(self, code: int) -> LocalrecError:
        if code < 0:
            how = f"was ended by {signal.Signals(-code).name}"
            return LocalrecError(f"`localrec {' '.join(self.arguments)}` {how}.", "Start it again.")
        said = [one.removeprefix(_FIRST) for one in self._notes if one.startswith(_FIRST)]
        told = said or self._notes or [f"`localrec` ended with {code}."]
        return _FAILURES.get(code, LocalrecError)(told[-1])
