"""The socket between a command line and the warm helper of a workspace: a file, never a network.

`warm.sock` in the workspace is a Unix socket: a name in the file system with the rights of a file,
which only processes of its owner can open and which no other machine can reach. This is the one
module of localrec that imports `socket`, and it makes no other kind of socket. A command line hands
over its own standard streams, so that the helper writes where the command would have written.

    request   length, then NUL between: kind, code, working folder, encoding, so many arguments,
              the arguments, the environment; with it the descriptors of stdout and stderr
    answer    "=" and the exit code; "-" where the command line shall do it itself
"""

from __future__ import annotations

import os
import socket
import stat
import struct
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

NAME = "warm.sock"
_DONE, _DECLINED = b"=", b"-"
_LENGTH = struct.Struct("!I")
_LONGEST = 1 << 20
_PATIENCE_S = 2.0  # for a request to arrive whole
_PEER = struct.Struct("3i")  # process, user, group


class WarmRequest(NamedTuple):
    """A command line, and where it was typed.

    Args:
        kind: "run", "ping" or "stop".
        code: The state of the code that sends it; a helper of another state declines.
        folder: The working folder.
        encoding: The encoding of stdout.
        arguments: The arguments behind `localrec`.
        environment: The environment, as NAME=VALUE.
    """

    kind: str
    code: str
    folder: str = "/"
    encoding: str = "utf-8"
    arguments: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()


class WarmConnection:
    """One request that a helper received; answer it once."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def receive(self) -> tuple[WarmRequest, list[int]]:
        """Read the request and the descriptors that came with it, which the caller closes.

        Raises:
            OSError, ValueError: it comes from somebody else, or is none.
        """
        self._connection.settimeout(_PATIENCE_S)
        if not _is_own(self._connection):
            raise PermissionError("The request comes from another user.")
        content, streams, _, _ = socket.recv_fds(self._connection, _LENGTH.size, 2)
        try:
            if len(content) < _LENGTH.size or (length := _LENGTH.unpack(content)[0]) > _LONGEST:
                raise ValueError("This is no request.")
            return _decoded(_exactly(self._connection, length)), streams
        except BaseException:
            for stream in streams:
                os.close(stream)
            raise

    def is_open(self) -> bool:
        """Whether the command line still waits for the answer."""
        self._connection.settimeout(0)
        try:
            return bool(self._connection.recv(1, socket.MSG_PEEK))
        except BlockingIOError:
            return True
        except OSError:
            return False

    def finish(self, code: int) -> None:
        """Tell the exit code."""
        self._answer(_DONE + bytes([code & 255]))

    def decline(self) -> None:
        """Have the command line do it itself."""
        self._answer(_DECLINED)

    def _answer(self, content: bytes) -> None:
        self._connection.settimeout(_PATIENCE_S)
        with suppress(OSError):  # who asked has gone
            self._connection.sendall(content)


def is_there(workspace: str) -> bool:
    """Whether a socket of our own lies in a workspace; it may be left over."""
    try:
        found = os.lstat(os.path.join(workspace, NAME))
    except OSError:
        return False
    return stat.S_ISSOCK(found.st_mode) and found.st_uid == os.getuid()


def send(workspace: str, request: WarmRequest, streams: Sequence[int] = ()) -> int | None:
    """Have the helper of a workspace serve a request; returns the exit code.

    Returns:
        None: there is no helper, or it declines.

    Raises:
        ConnectionError: the helper ended while it served the request.
    """
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            with _inside(workspace):
                connection.connect(NAME)
            if not _is_own(connection):
                return None
            content = _encoded(request)
            socket.send_fds(connection, [_LENGTH.pack(len(content))], list(streams))
            connection.sendall(content)
        except OSError:
            return None
        answer = connection.recv(2)
        if answer[:1] == _DECLINED:
            return None
        if answer[:1] != _DONE or len(answer) < 2:
            raise ConnectionResetError("The helper ended while it answered.")
        return answer[1]


class WarmListener:
    """The helper's end: hands out one request at a time."""

    def __init__(self, listener: socket.socket, path: str) -> None:
        self._listener, self._path = listener, path
        self._file = os.lstat(path).st_ino

    def is_in_place(self) -> bool:
        """Whether the socket lies in the workspace as it was put there."""
        try:
            return os.lstat(self._path).st_ino == self._file
        except OSError:
            return False

    @contextmanager
    def next(self, timeout_s: float) -> Iterator[WarmConnection | None]:
        """Wait for a request; None where none comes in time."""
        self._listener.settimeout(timeout_s)
        try:
            connection, _ = self._listener.accept()
        except TimeoutError:
            yield None
            return
        with connection:
            yield WarmConnection(connection)

    def close(self) -> None:
        """Remove the socket."""
        if self.is_in_place():
            os.unlink(self._path)
        self._listener.close()


def listen(workspace: str) -> WarmListener:
    """Put a socket into a workspace that only its owner can open, in place of a left-over one.

    Raises:
        OSError: the folder takes none.
    """
    listener = socket.socket(socket.AF_UNIX)
    before = os.umask(0o177)  # the socket is private from its first moment on
    try:
        with _inside(workspace):
            with suppress(FileNotFoundError):
                os.unlink(NAME)
            listener.bind(NAME)
        listener.listen(4)
    except BaseException:
        listener.close()
        raise
    finally:
        os.umask(before)
    return WarmListener(listener, os.path.join(workspace, NAME))


@contextmanager
def _inside(folder: str) -> Iterator[None]:
    """Work in a folder: a socket's name may have about a hundred letters, a path has more."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _is_own(connection: socket.socket) -> bool:
    """Whether the other end is a process of this user; where the system does not say, files do."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
    return int(_PEER.unpack(told)[1]) == os.getuid()


def _exactly(connection: socket.socket, length: int) -> bytes:
    content = b""
    while len(content) < length:
        piece = connection.recv(length - len(content))
        if not piece:
            raise ValueError("The request is cut short.")
        content += piece
    return content


def _encoded(request: WarmRequest) -> bytes:
    head = (request.kind, request.code, request.folder, request.encoding)
    parts = (*head, str(len(request.arguments)), *request.arguments, *request.environment)
    return "\0".join(parts).encode(sys.getfilesystemencoding(), "surrogateescape")


def _decoded(content: bytes) -> WarmRequest:
    parts = content.decode(sys.getfilesystemencoding(), "surrogateescape").split("\0")
    kind, code, folder, encoding, count, *rest = parts
    arguments = tuple(rest[: int(count)])
    return WarmRequest(kind, code, folder, encoding, arguments, tuple(rest[int(count) :]))
