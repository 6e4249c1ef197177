"""A look at a file or folder, enough to tell what it is; nothing is believed from it."""

from __future__ import annotations

import codecs
import gzip
import stat
import zipfile
import zlib
from pathlib import Path

from localrec.foundation.errors import InputError
from localrec.sources.protocols import PREVIEW_BYTES, FilePreview

_MEMBERS = 2_000  # names looked at in a folder or archive
_GZIP = b"\x1f\x8b"
_ZIP = b"PK\x03\x04"


def preview_file(path: Path) -> FilePreview:
    """Preview a file, archive or folder without reading it.

    Raises:
        InputError: there is nothing, it cannot be opened, or it is half an archive.
    """
    name = path.name.lower()
    try:
        if path.is_dir():
            return FilePreview(name, members=_names_in(path))
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe would keep us waiting for ever
            raise InputError(f"{path} is neither a file nor a folder.", "Name the export itself.")
        with path.open("rb") as file:
            start = file.read(PREVIEW_BYTES)
        if zipfile.is_zipfile(path):
            return FilePreview(name, members=_names_in_archive(path))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", "Check the path.") from error
    if start.startswith(_ZIP):  # an archive without its end, where its table of contents is
        raise InputError(
            f"{path} is a damaged zip archive: its table of contents is missing or broken.",
            "It was probably cut short on the way; download it again.",
        )
    if start.startswith(_GZIP):
        start = _unpacked(start)
    is_utf_16 = start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return FilePreview(
        name, head=start.decode("utf-16" if is_utf_16 else "utf-8", errors="replace")
    )


def _names_in(folder: Path) -> tuple[str, ...]:
    names = []
    found = sorted(folder.rglob("*"), key=lambda path: (len(path.parts), path))
    for path in found:  # what lies at the top first: deep folders would crowd it out
        names.append(path.relative_to(folder).as_posix().lower())
        if len(names) == _MEMBERS:
            break
    return tuple(names)


def _names_in_archive(path: Path) -> tuple[str, ...]:
    try:
        with zipfile.ZipFile(path) as archive:
            return tuple(name.lower() for name in archive.namelist()[:_MEMBERS])
    except (zipfile.BadZipFile, NotImplementedError):  # the latter: of a later version
        return ()


def _unpacked(start: bytes) -> bytes:
    try:
        return zlib.decompressobj(wbits=31).decompress(start, PREVIEW_BYTES)
    except (zlib.error, gzip.BadGzipFile):
        return b""
