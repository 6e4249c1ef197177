"""Files outside of the workspace that are being written, noted in it until they are whole.

Who is killed in an export leaves a part of it, with somebody's data, in a folder that localrec may
never look into again. The note says where, and the next command that opens the workspace removes
both. It bears the number of the process that writes, like all temporary files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from localrec.foundation.atomic_files import TEMPORARY, sync, temporary_path
from localrec.foundation.paths import owner_only
from localrec.foundation.processes import is_over

_NOTE = "unfinished"


@contextmanager
def noted(parts: Sequence[Path], workspace: Path) -> Iterator[None]:
    """Keep a note of parts while the block writes them, and remove them if it fails.

    Whoever makes a part removes it too, but Ctrl+C can come between its making and that promise.

    Args:
        parts: Their absolute paths, named by `temporary_path`.
        workspace: Folder for the note; one that takes none hinders nobody.
    """
    note = temporary_path(workspace / _NOTE)
    with suppress(OSError), owner_only():  # read-only or full, while the parts lie elsewhere
        note.write_bytes(msgspec.json.encode([str(part) for part in parts]))
        sync(note)
    try:
        yield
    except BaseException:
        for part in parts:
            with suppress(OSError):  # the news is what failed
                _remove_part(part, str(os.getpid()))
        raise
    finally:
        with suppress(OSError):
            note.unlink(missing_ok=True)


def clear_unfinished(workspace: Path) -> None:
    """Remove the parts that processes left which are no more; then their notes."""
    for note in workspace.glob(f"{_NOTE}.*.tmp"):
        found = TEMPORARY.fullmatch(note.name)
        if found and is_over(int(found["process"])):
            with suppress(OSError, msgspec.DecodeError):  # half a note: no part was begun
                for path in msgspec.json.decode(note.read_bytes(), type=list[str]):
                    _remove_part(Path(path), found["process"])
            with suppress(OSError):  # of a workspace that may only be read
                note.unlink(missing_ok=True)


def _remove_part(part: Path, process: str) -> None:
    """Remove a file only if it bears the name of a part of that process."""
    named = TEMPORARY.fullmatch(part.name)
    if named and named["process"] == process and not part.is_symlink():
        part.unlink(missing_ok=True)
