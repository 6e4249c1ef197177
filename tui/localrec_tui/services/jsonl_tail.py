"""Reads the lines added to a JSONL file since the last look, and no byte twice."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from localrec.foundation.errors import InputError

_Record = TypeVar("_Record", bound=msgspec.Struct)


class FilePosition(msgspec.Struct, frozen=True):
    """Up to where a file was read: which file it was, and the byte behind its last whole line."""

    file: int
    offset: int


class AddedRecords(msgspec.Struct, Generic[_Record], frozen=True):
    """The records behind a position in a file.

    Args:
        records: In the order of the file.
        is_anew: Whether they are all of the file, because it is another one than before or none
            was read.
        place: For the next look; None where there is no file.
    """

    records: tuple[_Record, ...]
    is_anew: bool
    place: FilePosition | None


def read_added(
    path: Path, shape: type[_Record], behind: FilePosition | None
) -> AddedRecords[_Record]:
    """The records behind a place; a line that is still being written waits for the next look.

    A file that was replaced, or cut, is read from its beginning.

    Raises:
        InputError: the file cannot be read, or a line is something else.
    """
    from localrec.foundation.record_files import UNREADABLE

    try:
        with path.open("rb") as file:
            found = os.fstat(file.fileno())
            offset = _goes_on_at(behind, found)
            file.seek(offset)
            content = file.read()
    except FileNotFoundError:
        return AddedRecords((), behind is not None, None)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", "Check the path.") from error
    whole = content[: content.rfind(b"\n") + 1]
    try:
        records = tuple(msgspec.json.decode(line, type=shape) for line in whole.splitlines())
    except UNREADABLE as error:
        raise InputError(f"{path} is damaged: {error}.", "Take the folder away.") from error
    return AddedRecords(records, not offset, FilePosition(found.st_ino, offset + len(whole)))


def _goes_on_at(behind: FilePosition | None, found: os.stat_result) -> int:
    """The byte to read from: 0 where the file is another than before, or was cut."""
    if behind is None or behind.file != found.st_ino or behind.offset > found.st_size:
        return 0
    return behind.offset
