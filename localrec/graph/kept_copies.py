"""Copies of the store that localrec keeps in a workspace before it changes all of it.

One is made before a migration, before `localrec restore` replaces the store, and before going back
to an older copy. Each lies in `backups/` beside a record with its checksum, so that a damaged copy
is never put in place. `forget` removes them: they hold what was forgotten.
"""

from __future__ import annotations

import builtins
import hashlib
import os
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

import msgspec

from localrec.foundation.atomic_files import write_atomically
from localrec.foundation.disk_errors import disk_trouble
from localrec.foundation.errors import InputError, WorkspaceError
from localrec.foundation.paths import make_private
from localrec.foundation.record_files import read_record, sha256_of, write_record
from localrec.graph.domain_files import declarations_of

FOLDER = "backups"
_KEPT = 3  # the newest copies; older ones go
_CHUNK = 1 << 20


class StoreCopy(msgspec.Struct, frozen=True, kw_only=True):
    """The record of one copy.

    Args:
        name: The file's name in `backups/`.
        before: Name of the change that the copy was made before, such as "schema 6".
        schema: The schema of the store in it; 0 where it could not be opened.
        number: Grows from copy to copy, whatever the clock says.
        at: Time of the copy, in UTC.
        bytes: Its size.
        sha256: Its checksum.
        domains: The workspace's own domains at that time, as `declarations_of` reads them: without
            them a store that went back could have items that nothing declares.
    """

    name: str
    before: str
    schema: int
    number: int
    at: datetime
    bytes: int
    sha256: str
    domains: dict[str, dict[str, builtins.bytes]] = {}


def keep_copy(
    store: BinaryIO, workspace: Path, before: str, schema: int, *, renew: bool = True
) -> StoreCopy:
    """Copy a store, unless that is there, as the newest copy; the oldest beyond three go.

    Args:
        store: The file, open for reading. Who has the same file open in DuckDB must close it after
            DuckDB has: closing it any earlier gives up DuckDB's lock.
        workspace: The folder that the store belongs to.
        before: Name of the change that the copy is made before.
        schema: The schema of the store.
        renew: Whether a copy that is there already becomes the newest.

    Raises:
        WorkspaceError: the disk has no room for the copy, or refuses it.
    """
    size = os.fstat(store.fileno()).st_size
    require_room(workspace, size, f"A copy of the store is made before {before}, which")
    with disk_trouble():
        return _copy(store, workspace, before, schema, renew=renew)


def require_room(folder: Path, needed: int, what: str) -> None:
    """Refuse what the disk has no room for.

    Args:
        folder: Folder that it will be written to.
        needed: Its size in bytes.
        what: The beginning of the sentence, up to "needs".

    Raises:
        WorkspaceError: there is less room.
    """
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise WorkspaceError(
            f"{what} needs {needed:,} bytes; {folder} has {free:,} left.",
            "Make room on the disk, then do it again; nothing was changed.",
        )


def _copy(store: BinaryIO, workspace: Path, before: str, schema: int, *, renew: bool) -> StoreCopy:
    folder = make_private(workspace / FOLDER)
    now = datetime.now(UTC)
    checksum, size = copy_hashed(store.read, lambda _: None)
    others, domains = kept_copies(workspace), declarations_of(workspace)
    number = max((other.number for other in others), default=0) + 1
    for known in others:  # such as by a process that died before it migrated
        if known.sha256 == checksum and is_sound(workspace, known):
            if not renew:
                return known
            again = msgspec.structs.replace(
                known, before=before, number=number, at=now, domains=domains
            )
            write_record(folder / f"{known.name}.json", again)
            return again
    name = f"store-{checksum[:16]}.duckdb"

    def save(path: Path) -> None:
        store.seek(0)
        with path.open("wb") as file:
            shutil.copyfileobj(store, file, _CHUNK)

    write_atomically(folder / name, save)
    copy = StoreCopy(
        name=name,
        before=before,
        schema=schema,
        number=number,
        at=now,
        bytes=size,
        sha256=checksum,
        domains=domains,
    )
    write_record(folder / f"{name}.json", copy)
    for old in kept_copies(workspace)[_KEPT:]:
        (folder / f"{old.name}.json").unlink(missing_ok=True)
        (folder / old.name).unlink(missing_ok=True)
    return copy


def kept_copies(workspace: Path) -> list[StoreCopy]:
    """List the copies that are there, the newest first, without those whose record is damaged."""
    found = []
    for path in sorted((workspace / FOLDER).glob("store-*.duckdb.json")):
        try:
            copy = read_record(path, StoreCopy, "a copy of a store", "Delete it.")
        except InputError:
            continue
        if f"{copy.name}.json" == path.name and (path.parent / copy.name).is_file():
            found.append(copy)
    return sorted(found, key=lambda copy: copy.number, reverse=True)


def is_sound(workspace: Path, copy: StoreCopy) -> bool:
    """Read a whole copy and hold it against its checksum."""
    path = workspace / FOLDER / copy.name
    with disk_trouble():
        return path.stat().st_size == copy.bytes and sha256_of(path) == copy.sha256


def copy_hashed(read: Callable[[int], bytes], write: Callable[[bytes], object]) -> tuple[str, int]:
    """Hand bytes on in portions; returns their sha256 and how many they were."""
    digest, size = hashlib.sha256(), 0
    while chunk := read(_CHUNK):
        digest.update(chunk)
        write(chunk)
        size += len(chunk)
    return digest.hexdigest(), size
