"""A program in a pseudo-terminal, driven from outside: keys go in, and what it draws is read.

No screen is kept. What was drawn is the bytes without their escape sequences: Textual draws a
changed widget line by line and whole, so that a line's new text stands there in one piece. Linux
only, for it looks into /proc.
"""

from __future__ import annotations

import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

COLUMNS, LINES = 120, 40
_READ_BYTES = 65_536
_CLOSE_PATIENCE_S = 10.0
_KEPT = 400_000  # characters; a frame has at most some 20,000
_SEQUENCE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[PX^_\]].*?(?:\x07|\x1b\\)|[@-Z\\-_])", re.DOTALL
)

KEYS = {
    "enter": b"\r",
    "escape": b"\x1b",
    "tab": b"\t",
    "down": b"\x1b[B",
    "up": b"\x1b[A",
    "home": b"\x1b[H",
    "end": b"\x1b[F",
    "f1": b"\x1bOP",
    "f2": b"\x1bOQ",
    "f3": b"\x1bOR",
    "f4": b"\x1bOS",
    "f6": b"\x1b[17~",
    "f7": b"\x1b[18~",
    "f9": b"\x1b[20~",
    "ctrl+p": b"\x10",
    "ctrl+q": b"\x11",
    "ctrl+u": b"\x15",
}


class TooLateError(Exception):
    """What was waited for was not drawn in time; the message ends with what was."""


class Terminal:
    """A program that believes it has a terminal of 120 by 40.

    Args:
        command: Its command line.
        environment: Added to our own.
        folder: Where it is started; by default here.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        settings = {**os.environ, "TERM": "xterm-256color", **(environment or {})}
        settings.pop("NO_COLOR", None)
        self.pressed_at = time.perf_counter()  # the newest key, or the start
        self._process = subprocess.Popen(
            command,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=settings,
            cwd=folder,
            start_new_session=True,
        )
        os.close(theirs)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._drawn = ""

    @property
    def process(self) -> int:
        """Of the program."""
        return self._process.pid

    def press(self, *keys: str) -> None:
        """Press keys, by name (`KEYS`) or as the letters they are."""
        self._send(b"".join(KEYS.get(key) or key.encode() for key in keys))

    def wait_for(self, wanted: str, timeout_s: float = 60.0) -> tuple[float, re.Match[str]]:
        """Wait until something was drawn after the newest key.

        Args:
            wanted: A regular expression; a line does not end where the screen's does.
            timeout_s: How long at most.

        Returns:
            Seconds from the key (or the start) until the piece came that has it, and the match.

        Raises:
            TooLateError: it did not come.
        """
        last = time.perf_counter() + timeout_s
        while (found := re.search(wanted, _SEQUENCE.sub("", self._drawn))) is None:
            left = last - time.perf_counter()
            if left <= 0 or not self._read(left):
                told = _SEQUENCE.sub("", self._drawn)[-2_000:]
                raise TooLateError(f"Not drawn: {wanted}. Drawn last: {told}")
        return self._read_at - self.pressed_at, found

    def rest(self, quiet_s: float, at_most_s: float = 10.0) -> None:
        """Read on until nothing was drawn for so long.

        A cursor that blinks draws twice a second for ever, so this ends all the same.

        Args:
            quiet_s: Seconds without anything drawn.
            at_most_s: Seconds after which it is enough.
        """
        last = time.perf_counter() + at_most_s
        while time.perf_counter() < last and self._read(quiet_s):
            pass

    def listen(self, seconds: float) -> None:
        """Read for so long, whatever comes, so that the program is not held up."""
        last = time.perf_counter() + seconds
        while (left := last - time.perf_counter()) > 0:
            self._read(left)

    def close(self) -> int:
        """Leave the program as a person would, else end it; its exit code."""
        self.press("ctrl+q")
        last = time.perf_counter() + _CLOSE_PATIENCE_S
        while self._process.poll() is None and time.perf_counter() < last:
            self._read(0.1)
        if self._process.poll() is None:
            self._process.kill()
        os.close(self._ours)
        return self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self.close()

    def _send(self, keys: bytes) -> None:
        self._read(0.0)
        self._drawn = ""
        self.pressed_at = self._read_at = time.perf_counter()
        while keys:
            keys = keys[os.write(self._ours, keys) :]

    def _read(self, timeout_s: float) -> bool:
        """Take in one piece; False where none came."""
        if not select.select([self._ours], [], [], timeout_s)[0]:
            return False
        try:
            piece = os.read(self._ours, _READ_BYTES)
        except OSError:  # Linux's way to say that the program has gone
            return False
        self._read_at = time.perf_counter()
        self._drawn = (self._drawn + self._decoder.decode(piece))[-_KEPT:]
        return bool(piece)


def children_of(process: int) -> dict[int, str]:
    """The processes that a process started: number -> command line."""
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        try:
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            told = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:  # gone meanwhile
            continue
        if parent == process:
            found[int(entry.name)] = told
    return found


def model_of(process: int) -> int | None:
    """The process that runs the model for an app; None where none does."""
    models = (one for one, told in children_of(process).items() if "localrec.llm.worker" in told)
    return next(models, None)


def processor_s(process: int) -> float:
    """Processor time that a process has used, over all its threads; 0.0 once it is gone."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mib(process: int) -> float:
    """Memory that a process holds: its resident set."""
    told = Path(f"/proc/{process}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", told)
    assert found is not None
    return int(found[1]) / 1024


def kill(process: int) -> None:
    """End a process as the system does when memory runs out: at once."""
    os.kill(process, signal.SIGKILL)
