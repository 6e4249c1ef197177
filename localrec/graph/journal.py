"""Many files changed in one step: prepared beside the old ones, then a journal, then the moves.

A file that is to be replaced is written as `NAME.forgetting`. While there is no journal, such
files are leftovers and the old state counts; once the journal stands the new state counts, and
whoever opens the workspace next finishes what is left. Each move can be done twice, or by two
processes at once, so nobody needs a lock for that.

The journal names files that go by the hash of their path alone: a path may hold a person's key.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import msgspec

from localrec.foundation.atomic_files import remove_stale_temporaries, sync, write_atomically
from localrec.foundation.disk_errors import disk_trouble
from localrec.foundation.errors import BusyError
from localrec.foundation.unfinished_parts import clear_unfinished
from localrec.graph.kept_copies import FOLDER
from localrec.graph.store import Store

PREPARED = ".forgetting"
STORE = "store.duckdb"
_JOURNAL = "forgetting.json"
_COMPANIONS = ("", ".wal", ".wal.checkpoint", ".wal.recovery")  # what DuckDB writes for one file


class _Journal(msgspec.Struct, frozen=True):
    """Hashes of the paths, relative to the workspace, of the files that go."""

    remove: frozenset[str]


def sidecar_files(path: Path) -> tuple[str, ...]:
    """Every file that DuckDB may touch while it writes the database `path`."""
    return tuple(f"{path}{ending}" for ending in _COMPANIONS)


def staged_path(path: Path) -> Path:
    """Return the path where the new content of `path` waits for the journal."""
    return path.with_name(path.name + PREPARED)


def is_journal(name: str) -> bool:
    """Whether a file of this name is the journal."""
    return name == _JOURNAL


def files_in(folder: Path) -> Iterator[Path]:
    """Every file below a folder, and every link, which is not followed; sockets hold nothing.

    Raises:
        OSError: a folder may not be looked into: what lies there must not pass for absent.
    """
    for parent, folders, names in os.walk(folder, onerror=_raise_unless_gone):
        here = Path(parent)
        yield from (here / name for name in sorted(names) if not (here / name).is_socket())
        yield from (here / name for name in sorted(folders) if (here / name).is_symlink())


def _raise_unless_gone(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):  # another process may have removed it meanwhile
        raise error


def commit(folder: Path, remove: Iterable[Path]) -> None:
    """Put the journal in place: from here on the new state counts.

    Everything prepared must be on disk, and the caller alone has the store open, unchanged since
    it was copied.
    """
    # Both logs are empty since the copy's checkpoints; none may be read into the new store.
    for name in (
        *sidecar_files(folder / STORE)[1:],
        *sidecar_files(staged_path(folder / STORE))[1:],
    ):
        Path(name).unlink(missing_ok=True)
    journal = _Journal(frozenset(_mark(folder, path) for path in remove))
    write_atomically(folder / _JOURNAL, msgspec.json.encode(journal))
    sync(folder)


def open_settled(
    folder: Path, *, read_only: bool, wait_s: float | None = None, may_read: Iterable[str] = ()
) -> Store:
    """Open a workspace's store after whatever forgetting was cut short has been brought to an end.

    Raises:
        BusyError, WorkspaceError: as `Store.open_`.
    """
    path = folder / STORE
    while True:
        with disk_trouble():
            finish_forgetting(folder)
            clear_unfinished(folder)
            before = _identity(path)
        store = Store.open_(path, read_only=read_only, wait_s=wait_s, may_read=tuple(may_read))
        if not read_only:
            remove_stale_temporaries(folder)
            for place in (folder / "domains", folder / "indexes", folder / FOLDER):
                for parent, _, _ in os.walk(place):
                    remove_stale_temporaries(Path(parent))
        # Somebody may have forgotten while we waited: then this is the old file, under no name.
        if before in (None, _identity(path)) and not (folder / _JOURNAL).exists():
            return store
        store.close()


def finish_forgetting(folder: Path) -> bool:
    """Bring a forgetting that was cut short to its end, forwards or backwards.

    Costs two questions to the file system where there is nothing to do.

    Returns:
        Whether there was anything to do.
    """
    if (folder / _JOURNAL).exists():
        _apply(folder)
        return True
    if staged_path(folder / STORE).exists():
        return _remove_prepared(folder)
    return False


def _apply(folder: Path) -> None:
    try:
        journal = msgspec.json.decode((folder / _JOURNAL).read_bytes(), type=_Journal)
    except FileNotFoundError:
        return  # another process was faster
    changed = {folder}
    for path in list(files_in(folder)):
        if _mark(folder, path) in journal.remove:
            path.unlink(missing_ok=True)
            changed.add(path.parent)
        elif path.name.endswith(PREPARED):
            with suppress(FileNotFoundError):
                path.replace(path.with_name(path.name.removesuffix(PREPARED)))
            changed.add(path.parent)
    for parent in changed:
        sync(parent)
    (folder / _JOURNAL).unlink(missing_ok=True)
    sync(folder)


def _remove_prepared(folder: Path) -> bool:
    """Remove what was prepared and never counted, unless somebody is just preparing it."""
    try:
        store = Store.open_(folder / STORE, wait_s=0)
    except BusyError:
        return False
    with store:
        remove_stale_temporaries(folder, of=_JOURNAL)
        prepared = [path for path in files_in(folder) if PREPARED in path.suffixes]
        # The store's last: it is what tells the next opening that there are leftovers.
        for path in sorted(prepared, key=lambda path: path.name.startswith(STORE)):
            path.unlink(missing_ok=True)
    return True


def _mark(folder: Path, path: Path) -> str:
    return blake2b(os.fsencode(path.relative_to(folder)), digest_size=16).hexdigest()


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino
