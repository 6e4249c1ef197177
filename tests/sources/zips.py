"""Small archives for tests, good and bad."""

from __future__ import annotations

import io
import stat
import zipfile
from collections.abc import Mapping


def packed(files: Mapping[str, bytes | str], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive of these files."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


def linked(files: Mapping[str, bytes | str], name: str, target: str) -> bytes:
    """The same, with a symbolic link beside them."""
    stream = io.BytesIO(packed(files))
    with zipfile.ZipFile(stream, "a") as archive:
        info = zipfile.ZipInfo(name)
        info.create_system = 3
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, target)
    return stream.getvalue()


def locked(content: bytes) -> bytes:
    """The same archive with the flag of a password on every member."""
    changed = bytearray(content)
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = changed.find(mark)
        while at >= 0:
            changed[at + place] |= 1
            at = changed.find(mark, at + 4)
    return bytes(changed)


def flipped(content: bytes, place: int) -> bytes:
    """The same bytes with one bit turned over."""
    changed = bytearray(content)
    changed[place % len(changed)] ^= 1 << (place % 8)
    return bytes(changed)
