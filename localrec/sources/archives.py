"""Exports that come as a zip archive, or as the folder it was unpacked to.

An archive is judged by its table of contents before a byte of it is unpacked: paths that lead
elsewhere, links, passwords, members that share a name or their bytes, and sizes beyond the limits
refuse the whole. Nothing is ever written to disk, and an archive inside the archive stays shut.
"""

from __future__ import annotations

import io
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, Protocol, cast

import msgspec

from localrec.foundation.bounded_files import (
    TABLE,
    ExpectedFile,
    FileLimits,
    open_bytes,
    open_regular,
    sniff_binary_kind,
)
from localrec.foundation.errors import InputError
from localrec.foundation.prose import join_words
from localrec.foundation.text import clean_name

_ZIP = b"PK\x03\x04"
_CHUNK = 1 << 18
_MEMBERS = 10_000
_CONTENTS_BYTES = 4 << 20  # a table of contents takes ten times its size in memory
_LOCAL_HEADER_BYTES = 30
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # LZMA may ask for gigabytes to unpack
_ENCRYPTED_FLAGS = 0x1 | 0x40 | 0x2000
# All that the standard library raises for a broken archive, by trial with flipped bytes.
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError)
_BROKEN_CONTENTS = (*_DAMAGE, struct.error, OverflowError)
_AGAIN = "Download the export again."
_FROM_SERVICE = "No service makes such an archive: download the export from the service itself."
_DROPPINGS = re.compile(r"(?:^|/)(?:__MACOSX/.*|\.DS_Store|Thumbs\.db|desktop\.ini)$")
_KINDS = {
    "an Excel workbook": ("[Content_Types].xml", "xl/workbook.xml"),
    "a Letterboxd export": ("watched.csv", "ratings.csv"),
    "a ListenBrainz export": ("user.json", "feedback.jsonl"),
}


class Member(Protocol):
    """One file of an export; as text, the path that messages name."""

    size: int  # bytes when unpacked

    def open(self, limits: FileLimits) -> BinaryIO:
        """A stream of its bytes, from the start.

        Raises:
            InputError: empty, too large or damaged, at once or while it is read.
        """
        ...


class Archive(msgspec.Struct, frozen=True):
    """The files of an export by their paths in it, with `/`, in the order of their names."""

    path: Path
    members: dict[str, Member]

    @property
    def is_single_file(self) -> bool:
        """Whether a file was named by itself, rather than a folder or an archive."""
        return self.path.is_file() and [*self.members] == [self.path.name]

    def refuse(self, wanted: str) -> NoReturn:
        """Say that this is not `wanted` ("a Letterboxd export"), and what it seems to be.

        Raises:
            InputError: always.
        """
        found = join_words([clean_name(name) for name in list(self.members)[:3]])
        told = f"it holds {found}" if found else "it holds no files"
        for kind, names in _KINDS.items():
            if all(name in self.members for name in names):
                told = f"it looks like {kind}"
        raise InputError(
            f"{self.path} is not {wanted}: {told}.",
            "Name the archive as it was downloaded, or the kind that it is.",
        )


@contextmanager
def open_archive(path: Path, limits: FileLimits, known: Collection[str] = ()) -> Iterator[Archive]:
    """Open a zip archive, or a folder in its place, once it has proved harmless.

    Args:
        path: The archive or folder.
        limits: Limits beyond which it is refused; all members together count too.
        known: Names at the top of such an export. Where everything lies in one folder of
            another name, as after packing it anew, that folder is taken off the paths.

    Raises:
        InputError: nothing there, no zip archive, a damaged one, or one that could do harm.
    """
    if path.is_dir():
        yield Archive(path, _arrange(_folder_members(path), known))
        return
    with _open_packed(path, limits) as stream:
        packed = _read_contents(path, stream)
        _check_contents(path, packed.infolist(), path.stat().st_size, limits)
        files = {
            info.filename: cast(Member, _ZipMember(path, packed, info))
            for info in packed.infolist()
            if not info.is_dir()
        }
        yield Archive(path, _arrange(files, known))


@contextmanager
def open_export(
    path: Path, limits: FileLimits, known: Collection[str] = (), wanted: ExpectedFile = TABLE
) -> Iterator[Archive]:
    """Open an archive or folder as `open_archive` does, or a file of the export by itself.

    Args:
        path: The archive, folder or file; a file may be packed as .gz.
        limits: Limits beyond which it is refused.
        known: See `open_archive`.
        wanted: Expected kind of a file by itself.

    Raises:
        InputError: see `open_archive`.
    """
    if not path.is_dir():
        with open_regular(path, limits) as stream:
            is_packed = stream.read(len(_ZIP)) == _ZIP
        if not is_packed:
            yield Archive(path, {path.name: cast(Member, _SingleFile(path, wanted))})
            return
    with open_archive(path, limits, known) as archive:
        yield archive


class _SingleFile:
    """A file of an export that was named by itself."""

    def __init__(self, path: Path, wanted: ExpectedFile) -> None:
        self._path = path
        self._wanted = wanted
        self.size = path.stat().st_size

    def __str__(self) -> str:
        return str(self._path)

    def open(self, limits: FileLimits) -> BinaryIO:
        return open_bytes(self._path, limits, self._wanted)


class _FolderFile:
    """A file of an unpacked export."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.size = path.stat().st_size

    def __str__(self) -> str:
        return str(self._path)

    def open(self, limits: FileLimits) -> BinaryIO:
        return open_regular(self._path, limits)


class _ZipMember:
    """A file in a zip archive, unpacked as it is read."""

    def __init__(self, path: Path, packed: zipfile.ZipFile, info: zipfile.ZipInfo) -> None:
        self._path = path
        self._packed = packed
        self._info = info
        self.size = info.file_size

    def __str__(self) -> str:
        return f"{self._path}/{clean_name(self._info.filename)}"

    def open(self, limits: FileLimits) -> BinaryIO:
        if not self.size:
            raise InputError(f"{self} is empty.", "Export it again.")
        try:
            unpacked = self._packed.open(self._info)
        except _DAMAGE as error:
            raise InputError(f"{self} is damaged.", _AGAIN) from error
        raw = cast(io.RawIOBase, _Unpacked(cast(BinaryIO, unpacked), str(self)))
        return cast(BinaryIO, io.BufferedReader(raw, _CHUNK))


class _Unpacked(io.RawIOBase):
    """A member's bytes; the library stops at the declared size and proves the checksum there."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self._stream = stream
        self._name = name

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            piece = self._stream.read(len(buffer))
        except _DAMAGE as error:
            raise InputError(f"{self._name} is damaged.", _AGAIN) from error
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        self._stream.close()
        super().close()


class _BoundedReader(io.BufferedReader):
    """A file from which no single read takes more than a table of contents may hold.

    zipfile reads that table in one piece, as large as the file says it is.
    """

    def read(self, size: int | None = -1, /) -> bytes:
        asked = _CONTENTS_BYTES + 1 if size is None or size < 0 else size
        piece = super().read(min(asked, _CONTENTS_BYTES + 1))
        if len(piece) > _CONTENTS_BYTES:
            raise zipfile.BadZipFile("the table of contents is too large")
        return piece


def _open_packed(path: Path, limits: FileLimits) -> BinaryIO:
    stream = cast(io.BufferedReader, open_regular(path, limits))
    start = stream.peek(1024)[:1024]
    if not start.startswith(_ZIP):
        stream.close()
        kind = sniff_binary_kind(start) or "a plain text file"
        raise InputError(
            f"{path} is {kind}, not an export in a zip archive.",
            "Name the archive as it was downloaded, or the folder it was unpacked to.",
        )
    return cast(BinaryIO, _BoundedReader(stream.detach()))


def _read_contents(path: Path, stream: BinaryIO) -> zipfile.ZipFile:
    stream.seek(0)
    try:
        return zipfile.ZipFile(stream)
    except _BROKEN_CONTENTS as error:
        raise InputError(
            f"{path} is a damaged zip archive: its table of contents is missing or broken.",
            "It was probably cut short on the way; download it again.",
        ) from error


def _check_contents(
    path: Path, infos: list[zipfile.ZipInfo], packed_bytes: int, limits: FileLimits
) -> None:
    if len(infos) > _MEMBERS:
        raise InputError(f"{path} holds more than {_MEMBERS:,} files.", _FROM_SERVICE)
    seen: set[str] = set()
    for info in infos:
        problem = _path_problem(info.orig_filename) or _member_problem(info, limits)
        if problem is None and info.filename.casefold() in seen:
            problem = "is there twice"
        if problem:
            raise InputError(
                f"{path} cannot be trusted: {clean_name(info.orig_filename)!r} in it {problem}.",
                _FROM_SERVICE,
            )
        seen.add(info.filename.casefold())
    _check_sizes(path, infos, packed_bytes, limits)


def _path_problem(name: str) -> str | None:
    """Return the reason why a path must not be followed; None for a plain one."""
    if not name.isprintable():
        return "has a name with control characters"
    if "\\" in name or ":" in name or name.startswith("/"):
        return "is a path from another place"
    if {"", ".", ".."} & set(name.removesuffix("/").split("/")):
        return "is a path that leads elsewhere"
    return None


def _member_problem(info: zipfile.ZipInfo, limits: FileLimits) -> str | None:
    """Return the reason why a member must not be unpacked; None for a plain file or folder."""
    form = stat.S_IFMT(info.external_attr >> 16)
    if form not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "is a link or device"
    if info.flag_bits & _ENCRYPTED_FLAGS:
        return "is locked with a password"
    if info.compress_type not in _METHODS:
        return f"is packed in a way that is not read here ({info.compress_type})"
    most = limits.most_unpacked(info.compress_size)
    if info.file_size > most:
        return f"unpacks to more than the {most:,} bytes allowed"
    return None


def _check_sizes(
    path: Path, infos: list[zipfile.ZipInfo], packed_bytes: int, limits: FileLimits
) -> None:
    """Refuse an archive whose members share bytes, or unpack to too much together."""
    end = 0
    for info in sorted(infos, key=lambda info: info.header_offset):
        if info.header_offset < end:
            raise InputError(
                f"{path} cannot be trusted: files in it share their bytes, as in a zip bomb.",
                _FROM_SERVICE,
            )
        end = info.header_offset + _LOCAL_HEADER_BYTES + info.compress_size
    if sum(info.file_size for info in infos) > (most := limits.most_unpacked(packed_bytes)):
        raise InputError(
            f"{path} unpacks to more than the {most:,} bytes allowed.",
            "If it is no zip bomb, unpack it and import the folder.",
        )


def _folder_members(folder: Path) -> dict[str, Member]:
    """The files of a folder; links are passed over, since they lead out of the export."""
    found: dict[str, Member] = {}
    for file in _walk(folder):
        found[file.relative_to(folder).as_posix()] = _FolderFile(file)
        if len(found) > _MEMBERS:
            raise InputError(
                f"{folder} holds more than {_MEMBERS:,} files.", "Name the export's own folder."
            )
    return found


def _walk(folder: Path) -> Iterator[Path]:
    waiting = [folder]
    while waiting:
        inside = waiting.pop()
        try:
            entries = list(inside.iterdir())
        except OSError as error:
            raise InputError(
                f"{inside} cannot be read: {error.strerror}.", "Check the path."
            ) from error
        plain = [entry for entry in entries if not entry.is_symlink()]
        waiting += [entry for entry in plain if entry.is_dir()]
        yield from (entry for entry in plain if entry.is_file())


def _arrange(found: dict[str, Member], known: Collection[str]) -> dict[str, Member]:
    names = sorted(name for name in found if not _DROPPINGS.search(name))
    cut = len(_shared_folder(names, known))
    return {name[cut:]: found[name] for name in names}


def _shared_folder(names: Iterable[str], known: Collection[str]) -> str:
    """The one folder that all names lie in, with its `/`; "" where there is none to take off."""
    tops = {name.partition("/")[0] if "/" in name else "" for name in names}
    top = tops.pop() if len(tops) == 1 else ""
    return f"{top}/" if top and top not in known else ""
