"""The report of a fault of our own: places in the code, never what variables held.

Nor does it repeat what an error says of itself: that may be a question, a person, or a folder of
theirs.
"""

from __future__ import annotations

import os
import platform
import tempfile
import traceback
from collections.abc import Iterator
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from localrec.foundation.errors import LocalrecError
from localrec.foundation.paths import make_private

_PACKAGES = ("localrec", "duckdb", "textual")


class CrashedError(LocalrecError):
    """The program ended by a fault of its own."""

    exit_code = 70


def crash_error(folder: Path | None, error: BaseException, what: str) -> CrashedError:
    """Save the report of a fault, and return an error with its path.

    Args:
        folder: The workspace; the report goes into its `logs/`, or into a new temporary folder
            where there is no workspace or it takes nothing.
        error: The error that ended the program.
        what: Name of the ended program, such as "The app".
    """
    told = f"{what} ended by a fault of localrec ({type(error).__name__})."
    kept = "What was stored before is kept."
    for place in (folder, None):
        try:
            path = save_report(place, error)
        except (OSError, LocalrecError):
            continue
        return CrashedError(told, f"{kept} Please file the report, which names nobody: {path}")
    return CrashedError(told, f"{kept} No report could be written to the disk.")


def save_report(folder: Path | None, error: BaseException) -> Path:
    """Write a report for its owner alone; returns its path.

    Args:
        folder: A workspace that is there; None for a new temporary folder.
        error: The fault.

    Raises:
        OSError, WorkspaceError: it cannot be written.
    """
    if folder is None or not folder.is_dir():
        logs = Path(tempfile.mkdtemp(prefix="localrec-"))  # made with mode 0700
    else:
        logs = make_private(folder / "logs")
    path = logs / f"crash-{datetime.now():%Y%m%d-%H%M%S}.txt"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    with os.fdopen(os.open(path, flags, 0o600), "w", encoding="utf-8") as file:
        file.write("\n".join(crash_report(error)) + "\n")
    return path


def crash_report(error: BaseException) -> Iterator[str]:
    """The lines of a report: versions, then each error with its places, the cause last."""
    yield f"{', '.join(_versions())}, Python {platform.python_version()}, {platform.system()}"
    link: BaseException | None = error
    seen: set[int] = set()
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield f"{type(link).__module__}.{type(link).__qualname__}"
        for frame, line in traceback.walk_tb(link.__traceback__):
            place = frame.f_globals.get("__name__", "?")
            yield f"  {place}, line {line}, in {frame.f_code.co_qualname}"
        link = link.__cause__ or link.__context__


def _versions() -> Iterator[str]:
    for name in _PACKAGES:
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            continue
