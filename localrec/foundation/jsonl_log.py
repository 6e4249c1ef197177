"""Records in a file that only grows: one JSON line each, on disk before the next one is made.

A process that was killed leaves at most a torn last line, which the next one takes away; all lines
before it count. One process has a ledger at a time: two raters of the same samples would write
between each other's lines.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Generic

import msgspec

from localrec.foundation.errors import InputError
from localrec.foundation.paths import exclusive, owner_only
from localrec.foundation.record_files import UNREADABLE, Record, replace_file


def read_records(path: Path, shape: type[Record], *, skip_blank: bool = True) -> list[Record]:
    """Read every record of a file of JSON lines, without a last line that a kill left torn.

    Args:
        path: The file.
        shape: The class of the records.
        skip_blank: Whether blank lines are left out; otherwise they are refused.

    Raises:
        InputError: the file cannot be read, or a line is something else; names the line.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", "Check the path.") from error
    whole = content.rfind(b"\n") + 1
    records = _decode(path, content[:whole], shape, skip_blank)
    return records + _last(path, content[whole:], shape)


def write_records(path: Path, records: Sequence[msgspec.Struct]) -> None:
    """Write a file of JSON lines, whole or not at all."""
    replace_file(path, b"".join(msgspec.json.encode(one) + b"\n" for one in records))


class JsonlLog(Generic[Record]):
    """A growing file and the records that it holds.

    Args:
        path: Made where it is not there; a torn last line is cut off.
        shape: Type of a line.

    Raises:
        BusyError: another process has it open.
        InputError: the file cannot be used, or a line is something else; it is left as it is.
    """

    def __init__(self, path: Path, shape: type[Record]) -> None:
        with ExitStack() as stack:
            try:
                with owner_only():  # what somebody said of recommendations is theirs
                    path.parent.mkdir(parents=True, exist_ok=True)
                    self._file = stack.enter_context(exclusive(path))
            except OSError as error:
                raise InputError(
                    f"{path} cannot be written: {error.strerror}.", "Name another file."
                ) from error
            self._file.seek(0)
            content = self._file.read()
            whole = content.rfind(b"\n") + 1
            if content[whole:] and not content[whole:].startswith(b"{"):
                raise InputError(f"{path} is no file of {_noun(shape)}s.", "Name another file.")
            self.records = _decode(path, content[:whole], shape)
            self._file.truncate(whole)
            self._open = stack.pop_all()  # nothing failed: it stays open

    def append(self, record: Record) -> None:
        """Add a record; it has survived a crash when this returns."""
        self._file.write(msgspec.json.encode(record) + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self.records.append(record)

    def __enter__(self) -> JsonlLog[Record]:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.close()


def _decode(
    path: Path, content: bytes, shape: type[Record], skip_blank: bool = True
) -> list[Record]:
    records = []
    lines = content.removesuffix(b"\n").split(b"\n") if content else []
    for number, line in enumerate(lines, 1):
        if skip_blank and not line.strip():
            continue
        try:
            records.append(msgspec.json.decode(line, type=shape))
        except UNREADABLE as error:
            raise InputError(
                f"{path}, line {number} is no {_noun(shape)}: {error}.", "Name another file."
            ) from error
    return records


def _last(path: Path, line: bytes, shape: type[Record]) -> list[Record]:
    """Read the rest after the last line break: a whole record, or one that a kill left torn."""
    try:
        return _decode(path, line, shape)
    except InputError:
        if line.startswith(b"{"):
            return []
        raise


def _noun(shape: type[msgspec.Struct]) -> str:
    """Name a record in words: its own `noun`, else its class name as separate words."""
    own: str | None = getattr(shape, "noun", None)
    return own or re.sub(r"(?<!^)(?=[A-Z])", " ", shape.__name__).lower()
