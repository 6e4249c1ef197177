"""`-` where a file goes: what comes down a pipe as a file that every reader can take, and back."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from localrec.foundation.errors import InputError, LocalrecError, UsageError

PIPE = "-"
_PIECE = 1 << 20
_MAGIC = {b"PAR1": ".parquet", b"PK\x03\x04": ".zip", b"\x1f\x8b": ".gz"}
_Report = TypeVar("_Report")


@contextmanager
def from_pipe(path: Path) -> Iterator[Path]:
    """Inside the block, the file that was named; for `-` what stdin held, private and then gone.

    Raises:
        InputError: nothing came, or more than a file may hold.
    """
    if str(path) != PIPE:
        yield path
        return
    from localrec.foundation.bounded_files import FileLimits

    most = FileLimits().file_bytes
    with TemporaryDirectory(prefix="localrec-") as folder:
        begin = sys.stdin.buffer.read(_PIECE)
        if not begin:
            raise InputError("Nothing came from stdin.", "Pipe a file in, or name one.")
        taken = Path(folder) / f"stdin{_ending(begin)}"
        with taken.open("wb") as file:
            size = file.write(begin)
            while piece := sys.stdin.buffer.read(_PIECE):
                size += file.write(piece)
                if size > most:
                    raise InputError(f"stdin holds more than {most:,} bytes.", "Split it.")
        try:
            yield taken
        except LocalrecError as error:  # nobody can use the name of a file that is gone
            error.message = error.message.replace(str(taken), "stdin")
            error.hint = error.hint.replace(str(taken), PIPE)
            raise


def _ending(begin: bytes) -> str:
    """The ending that a file beginning like this has."""
    for magic, ending in _MAGIC.items():
        if begin.startswith(magic):
            return ending
    text = begin.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text.startswith(b"{"):
        return ".jsonl"
    if text.startswith(b"<"):
        return ".xml"
    return ".tsv" if b"\t" in text.partition(b"\n")[0] else ".csv"


def to_pipe(form: str | None, write: Callable[[Path], _Report]) -> _Report:
    """Have a file written and copy it to stdout once it is whole.

    Args:
        form: csv, json or parquet; csv by default.
        write: Writes the file of that name and returns its receipt.

    Raises:
        UsageError: the format is no single file, or the terminal would get binary data.
    """
    form = form or "csv"
    if form not in ("csv", "json", "parquet"):
        raise UsageError(f"{form} is more than one file.", "Name a place with --out.")
    if form == "parquet" and sys.stdout.isatty():
        raise UsageError("Parquet is nothing for a terminal.", "Name a file with --out.")
    with TemporaryDirectory(prefix="localrec-") as folder:
        path = Path(folder) / f"export.{form}"
        report = write(path)
        with path.open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)
        sys.stdout.buffer.flush()
    return report
