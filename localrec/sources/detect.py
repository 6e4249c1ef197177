"""A look at a file or folder, enough to tell what it is; nothing is believed from it."""

from __future__ import annotations

import gzip
import zipfile
import zlib
from pathlib import Path

from localrec.errors import InputError
from localrec.sources.base import Glimpse

_HEAD = 64 << 10
_MEMBERS = 2_000  # names looked at in a folder or archive
_GZIP = b"\x1f\x8b"


def glimpse_of(path: Path) -> Glimpse:
    """What can be seen of a file, archive or folder without reading it.

    Raises:
        InputError: there is nothing, or it cannot be opened.
    """
    name = path.name.lower()
    try:
        if path.is_dir():
            return Glimpse(name, members=_names_in(path))
        with path.open("rb") as file:
            start = file.read(_HEAD)
        if zipfile.is_zipfile(path):
            return Glimpse(name, members=_names_in_archive(path))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", "Check the path.") from error
    if start.startswith(_GZIP):
        start = _unpacked(start)
    return Glimpse(name, head=start.decode("utf-8", errors="replace"))


def _names_in(folder: Path) -> tuple[str, ...]:
    names = []
    for path in sorted(folder.rglob("*")):
        names.append(path.relative_to(folder).as_posix().lower())
        if len(names) == _MEMBERS:
            break
    return tuple(names)


def _names_in_archive(path: Path) -> tuple[str, ...]:
    try:
        with zipfile.ZipFile(path) as archive:
            return tuple(name.lower() for name in archive.namelist()[:_MEMBERS])
    except zipfile.BadZipFile:
        return ()


def _unpacked(start: bytes) -> bytes:
    try:
        return zlib.decompressobj(wbits=31).decompress(start, _HEAD)
    except (zlib.error, gzip.BadGzipFile):
        return b""
