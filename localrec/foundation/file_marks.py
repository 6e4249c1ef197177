"""What changes with every change of a file, without reading it."""

from __future__ import annotations

from pathlib import Path

FileMark = tuple[int, int, int]  # which file, when it was changed, its bytes


def file_mark(path: Path) -> FileMark | None:
    """Return what changes with every change of a file; None where there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size
