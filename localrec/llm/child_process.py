"""The child process that runs llama.cpp: start it, watch it, call it, end it."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from localrec.llm import protocol
from localrec.llm.chat_model import ignore_chunk

_CLOSE_PATIENCE_S = 1.0
_POLL_MS = 50  # how soon a waiting call sees that its cancel had no effect
# Libraries that llama.cpp's Python package may bring along report usage or look for updates.
_SILENCE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
}
# llama.cpp's threads meet a thousand times per token. Spinning while they wait is cheap on idle
# cores, but beside any other busy process each wait lasts a scheduler's turn: with both of two
# cores shared, a token took 2 to 7 times as long as with this bound. The user's value wins.
_OPENMP_SPIN = {"GOMP_SPINCOUNT": "1000"}


class ChildGoneError(Exception):
    """The process ended, or had to be killed; the text says how."""

    def __init__(self, code: int, *, silent_s: float | None = None) -> None:
        self.signal = -code if code < 0 else None
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended ({code})"
        if silent_s is not None:
            how = f"did not move for {silent_s:g} seconds and was stopped"
        super().__init__(how)


class _SilentError(EOFError):
    """The process sent nothing for as long as it may be silent."""


class ChildProcess:
    """The process and the two pipes to it.

    Args:
        log: File for its messages, appended to; None throws them away.
        silence_s: Seconds of silence during a call after which the process is killed.
    """

    def __init__(self, log: Path | None, silence_s: float) -> None:
        self._silence_s = silence_s
        self._last_reply_at = time.monotonic()
        request_read, request_write = os.pipe()
        reply_read, reply_write = os.pipe()
        # File objects, so that a forgotten model closes its pipes, and thereby ends, when it is
        # collected.
        self._requests = open(request_write, "wb", buffering=0)  # noqa: SIM115, PTH123
        self._replies = open(reply_read, "rb", buffering=0)  # noqa: SIM115, PTH123
        os.set_blocking(request_write, False)  # a stopped process reads nothing
        self._writing = threading.Lock()
        try:
            self._process = _spawn(request_read, reply_write, log)
        finally:
            os.close(request_read)
            os.close(reply_write)

    def is_alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None

    def memory(self) -> int | None:
        """Return the resident bytes that Linux reports."""
        try:
            pages = Path(f"/proc/{self._process.pid}/statm").read_text(encoding="ascii").split()[1]
        except (OSError, IndexError):  # gone, or another system
            return None
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def ask(
        self,
        request: protocol.Request,
        is_overdue: Callable[[], bool],
        on_chunk: Callable[[str], None] = ignore_chunk,
    ) -> protocol.Reply:
        """Send a request and wait for its reply; once overdue, kill instead of waiting.

        `on_chunk` is told the pieces that come before it.

        Raises:
            ChildGoneError: the process ended or was killed; nothing is left of it.
        """
        try:
            self._last_reply_at = time.monotonic()
            self.send(request, is_overdue)
            while True:
                reply = self._next_reply(is_overdue)
                if isinstance(reply, protocol.TextChunk):
                    on_chunk(reply.text)
                elif not isinstance(reply, protocol.MovedReply):
                    return reply
        except _SilentError as error:
            raise ChildGoneError(self.stop(), silent_s=self._silence_s) from error
        except (OSError, EOFError) as error:
            raise ChildGoneError(self.stop()) from error

    def _next_reply(self, is_overdue: Callable[[], bool]) -> protocol.Reply:
        length = protocol.body_length(self._read(protocol.LENGTH_BYTES, is_overdue))
        return protocol.decode_reply(self._read(length, is_overdue))

    def send(
        self, request: protocol.Request, is_overdue: Callable[[], bool] = lambda: False
    ) -> None:
        """Write one whole frame, from any thread (OSError, ValueError: the pipe is closed)."""
        view = memoryview(protocol.encode_frame(request))
        poller = select.poll()
        with self._writing:
            poller.register(self._requests, select.POLLOUT)
            while view:
                if poller.poll(_POLL_MS):
                    view = view[self._requests.write(view) or 0 :]
                else:
                    self._look_after(is_overdue)

    def _look_after(self, is_overdue: Callable[[], bool]) -> None:
        """Kill a process that is overdue, or silent for too long.

        Raises:
            EOFError: it was killed.
        """
        if is_overdue():
            self._process.kill()
            raise EOFError
        if time.monotonic() - self._last_reply_at > self._silence_s:
            self._process.kill()
            raise _SilentError

    def stop(self) -> int:
        """Close the pipe, wait a moment, kill; returns the exit code and leaves no zombie."""
        with self._writing:
            self._requests.close()
        try:
            code = self._process.wait(_CLOSE_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        self._replies.close()
        return code

    def _read(self, count: int, is_overdue: Callable[[], bool]) -> bytes:
        poller = select.poll()
        poller.register(self._replies, select.POLLIN)
        taken = bytearray()
        while len(taken) < count:
            if not poller.poll(_POLL_MS):
                self._look_after(is_overdue)
                continue
            part = self._replies.read(count - len(taken))
            if not part:
                raise EOFError
            taken += part
            self._last_reply_at = time.monotonic()
        return bytes(taken)


def _spawn(read_fd: int, write_fd: int, log: Path | None) -> subprocess.Popen[bytes]:
    """Start the worker with its two pipe ends and nothing else of ours.

    A session of its own keeps Ctrl+C in the terminal from ending it in the middle of a frame;
    `-P` keeps a stray llama_cpp.py in the current folder from being imported.
    """
    package_home = str(Path(__file__).resolve().parents[2])
    search_path = os.pathsep.join(filter(None, [package_home, os.environ.get("PYTHONPATH")]))
    output = log.open("ab") if log else subprocess.DEVNULL
    try:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "localrec.llm.worker"]
            + [str(number) for number in (read_fd, write_fd, os.getpid())],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=(read_fd, write_fd),
            start_new_session=True,
            env={**_OPENMP_SPIN, **os.environ, **_SILENCE, "PYTHONPATH": search_path},
        )
    finally:
        if not isinstance(output, int):
            output.close()
