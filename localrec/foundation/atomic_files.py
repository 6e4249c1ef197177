"""Files and folders that are either whole or absent: written beside, synced, renamed.

`write_atomically` takes the content, `atomic_file` and `atomic_folder` are for those who write
inside a block.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from localrec.foundation.processes import is_over

TEMPORARY = re.compile(r"(?P<name>.+)\.(?P<process>[0-9]+)-[0-9a-f]{8}\.tmp")


def write_atomically(
    path: Path,
    save: Callable[[Path], object] | bytes,
    *,
    private: bool = True,
    is_synced: bool = True,
    beside: Path | None = None,
) -> str:
    """Write beside `path`, wait for the disk, rename onto it; returns the checksum.

    Args:
        path: The file to write or to replace; its folder exists.
        save: The content, or a function that writes it into the empty file it is given.
        private: Let only the owner read the file.
        is_synced: Wait for the disk; not for a file that is no loss after a power cut.
        beside: The name under which it is written, where somebody has noted that: a
            `temporary_path`.

    Raises:
        OSError: the folder or the disk does not take it; what was there is unharmed.
    """
    with atomic_file(path, private=private, is_synced=is_synced, beside=beside) as part:
        if isinstance(save, bytes):
            part.write_bytes(save)
        else:
            save(part)
        return file_checksum(part)


@contextmanager
def atomic_file(
    path: Path, *, private: bool = True, is_synced: bool = True, beside: Path | None = None
) -> Iterator[Path]:
    """Yield an empty file beside `path`, and rename it onto `path` at the end of the block.

    Args:
        path: The file to write or to replace; its folder exists.
        private: Let only the owner read the file.
        is_synced: Wait for the disk before the renaming.
        beside: The name of the empty file, where somebody has noted that: a `temporary_path`.

    Raises:
        OSError: the folder or the disk does not take it; what was there is unharmed.
    """
    part = beside or temporary_path(path)
    remove_stale_temporaries(path.parent, of=path.name)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL  # with O_EXCL no link is followed
    is_ours = True
    try:
        try:
            os.close(os.open(part, flags, 0o600 if private else 0o666))
        except FileExistsError:  # another process writes there, and removes it
            is_ours = False
            raise
        yield part
        if is_synced:
            sync(part)
        part.replace(path)
    except BaseException:  # Ctrl+C included: no half file may pile up
        if is_ours:
            part.unlink(missing_ok=True)
        raise


def temporary_path(path: Path) -> Path:
    """A name that tells which process writes there, should that end before it is done."""
    return path.with_name(f"{path.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp")


def replace_folder(folder: Path, files: Mapping[str, bytes], staging: Path) -> None:
    """Put a folder of files in place, for the owner alone; one that was there goes first.

    Args:
        folder: Final path of the folder.
        files: Name -> content.
        staging: A folder of the same disk, where it is made ready: nobody looks for such ones
            there.

    Raises:
        OSError: the disk refuses; a folder that was there is unharmed, or gone.
    """
    with atomic_folder(folder, staging=staging) as ready:
        for name, content in files.items():
            write_atomically(ready / name, content)


@contextmanager
def atomic_folder(
    folder: Path, *, staging: Path | None = None, can_replace: bool = True
) -> Iterator[Path]:
    """Yield an empty folder, for the owner alone, and rename it to `folder` after the block.

    The names in it are synced; the block syncs the content of files that a checksum does not guard.

    Args:
        folder: Where it is to stand.
        staging: A folder of the same disk, where it is made ready; beside `folder` if None.
        can_replace: Whether a folder that is there goes first; otherwise one with files in it
            stays, and an empty one is replaced where the system allows it (not on Windows).

    Raises:
        OSError: the disk refuses, or a folder that stays stands there.
    """
    staging = staging or folder.parent
    ready = temporary_path(staging / folder.name)
    ready.mkdir(mode=0o700)
    try:
        yield ready
        sync(ready)
        if can_replace:
            remove_folder(folder, staging)
        ready.replace(folder)
    except BaseException:
        shutil.rmtree(ready, ignore_errors=True)
        raise
    sync(folder.parent)


def remove_folder(folder: Path, staging: Path) -> None:
    """Remove a folder, if it is there, in one step, whenever the process may end.

    Args:
        folder: The folder to remove. Of a symbolic link only the link goes, not its target.
        staging: A folder of the same disk, which it is moved to before its files go one by one.
    """
    if folder.is_symlink():
        folder.unlink()
        sync(folder.parent)
    elif folder.is_dir():
        gone = temporary_path(staging / folder.name)
        folder.replace(gone)
        sync(folder.parent)
        shutil.rmtree(gone)


def remove_stale_temporaries(folder: Path, of: str = "") -> None:
    """Remove half-written files and folders that processes left which are no more.

    Args:
        folder: The folder to look in, and in no folder below it.
        of: The name of the file that they were to become, and then no folder is removed, since it
            may lie among somebody's own; any where it is empty.
    """
    with suppress(OSError):  # what cannot be listed or removed does no harm
        for entry in os.scandir(folder):
            found = TEMPORARY.fullmatch(entry.name)
            if not found or (of and found["name"] != of) or not is_over(int(found["process"])):
                continue
            if not entry.is_dir(follow_symlinks=False):
                Path(entry.path).unlink(missing_ok=True)
            elif not of:
                shutil.rmtree(entry.path)


def file_checksum(path: Path) -> str:
    """BLAKE2b of a file, 16 bytes as hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, _new_checksum).hexdigest()


def short_digest(*parts: str) -> str:
    """A short mark of some texts, for names of files."""
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=6).hexdigest()


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, would survive a power cut."""
    if path.is_dir():
        with suppress(OSError):  # Windows lets no folder be opened
            _fsync(path, os.O_RDONLY)
    else:
        _fsync(path, os.O_RDWR)


def _fsync(path: Path, flags: int) -> None:
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _new_checksum() -> hashlib.blake2b:
    return hashlib.blake2b(digest_size=16)
