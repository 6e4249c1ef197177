"""Cache files that are either whole or absent: written beside, synced, renamed, checked."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path


def write_atomically(path: Path, save: Callable[[Path], object]) -> str:
    """Write beside `path`, wait for the disk, rename onto it; returns the checksum.

    Raises:
        OSError: the folder or the disk does not take it; what was there is unharmed.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.", suffix=".tmp")
    os.close(handle)
    beside = Path(name)
    try:
        save(beside)
        with beside.open("rb+") as file:
            os.fsync(file.fileno())
        checksum = file_checksum(beside)
        beside.replace(path)
    except BaseException:  # Ctrl+C included: no half file may pile up
        beside.unlink(missing_ok=True)
        raise
    return checksum


def file_checksum(path: Path) -> str:
    """BLAKE2b of a file, 16 bytes as hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, _new_checksum).hexdigest()


def short_digest(*parts: str) -> str:
    """A short mark of some texts, for names of files."""
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=6).hexdigest()


def sync_folder(folder: Path) -> None:
    """Make the renames last through a power cut, where the system lets a folder be opened."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _new_checksum() -> hashlib.blake2b:
    return hashlib.blake2b(digest_size=16)
