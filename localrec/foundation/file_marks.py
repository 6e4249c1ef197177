"""What changes with every change of a file, without reading it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from localrec.foundation.errors import InputError

FileMark = tuple[int, int, int]  # which file, when it was changed, its bytes


def file_mark(path: Path) -> FileMark | None:
    """Return what changes with every change of a file; None where there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def marks_of(paths: Iterable[str | Path]) -> dict[str, FileMark | None]:
    """Return the marks of files, and of all files in folders, by their paths."""
    return {str(path): file_mark(path) for one in paths for path in _files_of(Path(one))}


@contextmanager
def unchanged(*paths: str | Path) -> Iterator[None]:
    """Refuse files and folders that somebody changes while the block reads them.

    Raises:
        InputError: one is not what it was.
    """
    before = marks_of(paths)
    yield
    require_unchanged(before, marks_of(paths))


def require_unchanged(
    before: dict[str, FileMark | None], now: dict[str, FileMark | None] | None = None
) -> None:
    """Refuse files whose marks are others than before.

    Raises:
        InputError: one is not what it was.
    """
    now = marks_of(before) if now is None else now
    changed = sorted(path for path in {*before, *now} if before.get(path) != now.get(path))
    if changed:
        raise InputError(
            f"{changed[0]} changed while it was read.",
            "Import it again when nothing writes to it; nothing was changed.",
        )


def _files_of(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
    for folder, _, names in os.walk(path):
        yield from (Path(folder) / name for name in names)
