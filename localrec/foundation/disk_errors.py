"""What a disk refuses, as a sentence with a remedy: no room, no rights, a file in the way."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from localrec.foundation.errors import WorkspaceError

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_NO_RIGHTS = {errno.EACCES, errno.EPERM}
_UNUSABLE = {
    errno.ENOTDIR,
    errno.EISDIR,
    errno.EEXIST,
    errno.ELOOP,
    errno.ENAMETOOLONG,
    errno.EIO,
    errno.ESTALE,
    errno.EMFILE,
    errno.ENFILE,
}
# What DuckDB says of the same troubles: its errors bear no number, only the system's words.
_WORDS = {
    "No space left": errno.ENOSPC,
    "Disk quota exceeded": errno.EDQUOT,
    "File too large": errno.EFBIG,
    "Permission denied": errno.EACCES,
    "Operation not permitted": errno.EPERM,
    "Read-only file system": errno.EROFS,
    "Input/output error": errno.EIO,
    "Not a directory": errno.ENOTDIR,
    "Too many open files": errno.EMFILE,
}


def disk_error(error: OSError) -> WorkspaceError | None:
    """Describe what the disk refused; None for an error that only a fault of ours explains."""
    return _described(error.errno, str(error.filename or "a file"), str(error.strerror))


def disk_error_in(text: str, place: object) -> WorkspaceError | None:
    """Describe what the disk refused by the words of a library; None where it was not the disk."""
    for words, number in _WORDS.items():
        if words in text:
            return _described(number, str(place), words)
    return None


@contextmanager
def disk_trouble() -> Iterator[None]:
    """Turn what the disk refuses inside the block into a `WorkspaceError`; others pass."""
    try:
        yield
    except OSError as error:
        if (told := disk_error(error)) is None:
            raise
        raise told from error


def _described(number: int | None, place: str, words: str) -> WorkspaceError | None:
    if number in _NO_ROOM:
        return WorkspaceError(
            f"There is no room to write {place}: {words}.",
            "Make room on the disk, then do it again.",
        )
    if number == errno.EROFS:
        return WorkspaceError(
            f"{place} cannot be written: the disk is read-only.",
            "Name a folder elsewhere with --workspace, and for pulled files with LOCALREC_CACHE.",
        )
    if number in _NO_RIGHTS:
        return WorkspaceError(
            f"You have no right to use {place}: {words}.",
            "Have its owner give you the right, or name another place.",
        )
    if number in _UNUSABLE:
        return WorkspaceError(f"{place} cannot be used: {words}.", "Name another place.")
    return None
