"""The warm helper: a process that keeps a workspace in memory and runs command lines for others.

It runs the same program as `localrec` does, with the streams, the folder and the environment of the
command line that asks, and one at a time. The store is let go a second after each, so that writers
get in; when somebody wrote or forgot, everything that was read is dropped within a second.
"""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from localrec.cli.start import code_state, workspace_in
from localrec.cli.warm_socket import WarmConnection, WarmListener, WarmRequest, listen
from localrec.foundation.paths import exclusive
from localrec.workspace.warm_workspace import WarmWorkspace

LOCK = "warm.lock"
_LOOK_S = 1.0  # between two looks for changes while nobody asks
# A helper answers for those alone who would have read the same files as it did.
_WATCHED = ("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")


def serve(folder: Path, idle_s: float) -> None:
    """Serve a workspace until somebody stops it, or nobody asks for a while.

    Raises:
        BusyError: another helper serves it.
        OSError: the folder takes no socket.
    """
    from localrec.cli.context import lend_workspace

    folder = folder.resolve()  # each request is served in a working folder of its own
    with exclusive(folder / LOCK, of=folder):
        warm = WarmWorkspace(folder)
        lend_workspace(folder, warm.lease)
        _warm_up(folder)
        listener = listen(str(folder))
        try:
            _serve_until_idle(_Helper(folder), listener, warm, idle_s)
        finally:
            listener.close()
            warm.close()


def _serve_until_idle(
    helper: _Helper, listener: WarmListener, warm: WarmWorkspace, idle_s: float
) -> None:
    last = time.monotonic()
    while listener.is_in_place() and time.monotonic() - last < idle_s:
        with listener.next(_LOOK_S) as connection:
            if connection is None:
                warm.drop_if_changed()
            elif not helper.serve(connection):
                return
            else:
                last = time.monotonic()


class _Helper:
    """Runs the command lines that are sent to one workspace."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._code = code_state()
        self._watched = _watched(dict(os.environ))

    def serve(self, connection: WarmConnection) -> bool:
        """Serve one request; False where it asks the helper to end."""
        try:
            request, streams = connection.receive()
        except (OSError, ValueError):
            return True  # somebody else's, or half a request
        try:
            if request.kind in ("ping", "stop"):
                connection.finish(0)
                return request.kind == "ping"
            if len(streams) != 2 or not self._is_meant(request):
                connection.decline()
                return request.code == self._code  # of an older installation: time to go
            connection.finish(_run(request, connection, streams))
            return True
        finally:
            for stream in streams:
                os.close(stream)

    def _is_meant(self, request: WarmRequest) -> bool:
        """Whether the command line would have done here what it would have done itself."""
        environment = _environment(request)
        if request.code != self._code or _watched(environment) != self._watched:
            return False
        os.chdir(request.folder)
        try:
            with _environment_of(request):
                named = workspace_in(request.arguments)
            return named is not None and Path(named).resolve() == self._folder
        finally:
            os.chdir("/")


def _run(request: WarmRequest, connection: WarmConnection, streams: list[int]) -> int:
    """Run a command line as if in its own process; returns the exit code."""
    from localrec.cli.app import run
    from localrec.cli.plain_letters import show_plain_letters

    before = sys.stdout, sys.stderr
    out, err = (_stream(number, request.encoding, connection) for number in streams)
    os.chdir(request.folder)
    try:
        with _environment_of(request):
            if out.isatty() and "COLUMNS" not in os.environ:  # rich asks descriptors of its own
                size = os.get_terminal_size(streams[0])
                os.environ.update(COLUMNS=str(size.columns), LINES=str(size.lines))
            sys.stdout, sys.stderr = out, err
            show_plain_letters()
            code = run(list(request.arguments))
            with suppress(OSError, ValueError):  # who asked has gone
                out.flush()
                err.flush()
        return code
    finally:
        sys.stdout, sys.stderr = before
        os.chdir("/")
        for stream in (out, err):
            with suppress(OSError, ValueError):
                stream.close()


class _Guarded(io.FileIO):
    """A stream of the command line, which takes nothing more when the command line has ended."""

    def __init__(self, number: int, connection: WarmConnection) -> None:
        super().__init__(number, "w", closefd=False)
        self._connection = connection

    def write(self, content: object) -> int:
        """Write as a file does; raises BrokenPipeError when nobody waits any more."""
        if not self._connection.is_open():
            raise BrokenPipeError
        return super().write(content)  # type: ignore[arg-type]


def _stream(number: int, encoding: str, connection: WarmConnection) -> io.TextIOWrapper:
    raw = _Guarded(number, connection)
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding, line_buffering=raw.isatty())


@contextmanager
def _environment_of(request: WarmRequest) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(_environment(request))
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _environment(request: WarmRequest) -> dict[str, str]:
    pairs = (one.partition("=") for one in request.environment)
    return {name: value for name, _, value in pairs if name}


def _watched(environment: dict[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in environment.items()
        if name in _WATCHED or (name.startswith("LOCALREC_") and name != "LOCALREC_WORKSPACE")
    }


def _warm_up(folder: Path) -> None:
    """Answer a question nobody sees, so that the first real one finds everything loaded."""
    from localrec.cli.app import run

    before = sys.stdout, sys.stderr
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        sys.stdout = sys.stderr = nowhere
        try:
            for line in (["something smooth"], ["something smooth", "--json"]):
                run(["--workspace", str(folder), "ask", *line])
        finally:
            sys.stdout, sys.stderr = before
