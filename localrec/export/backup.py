"""A whole workspace in one file, with a checksum of each of its files.

The file is a zip archive that any program opens: the files of the workspace under their own paths,
and `manifest.json` with their sizes and checksums. Caches, logs and localrec's own copies of the
store stay out: they come back by themselves. A backup is read through once more before it gets its
name, so what is there under the name was whole.
"""

from __future__ import annotations

import stat
import zipfile
import zlib
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import BinaryIO

import msgspec

from localrec.data.records import Record
from localrec.foundation.atomic_files import temporary_path, write_atomically
from localrec.foundation.disk_errors import disk_trouble
from localrec.foundation.errors import InputError, UsageError
from localrec.foundation.progress import Progress, no_progress
from localrec.foundation.record_files import UNREADABLE, installed_versions
from localrec.foundation.unfinished_parts import noted
from localrec.graph.journal import PREPARED, STORE, files_in, is_journal, open_settled
from localrec.graph.kept_copies import FOLDER, copy_hashed
from localrec.graph.migrations import SCHEMA_VERSION
from localrec.graph.store import Store, require_store

_MANIFEST = "manifest.json"
_FORMAT = 1
_MANIFEST_BYTES = 64 << 20
_LEFT_OUT_FOLDERS = ("indexes", "logs", "spill", FOLDER)
_LEFT_OUT_ENDINGS = (".log", ".part", ".tmp", ".lock", ".wal", PREPARED)
Writer = Callable[[bytes], object]
_REMEDY = "Name a file that localrec backup wrote."


class BackupFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file of a backup: its path in the workspace, its size and its sha256."""

    path: str
    bytes: int
    sha256: str


class BackupManifest(msgspec.Struct, frozen=True, kw_only=True):
    """The manifest of a backup: its version, its files and their sizes.

    Args:
        format: The number of this layout.
        localrec: The version that wrote it.
        schema: The schema of its store.
        at: Time of the backup, in UTC.
        rows: Table of the store -> its number of rows.
        files: The files in it.
        links: Links of the workspace, which no backup follows.
    """

    format: int
    localrec: str
    schema: int
    at: datetime
    rows: dict[str, int]
    files: tuple[BackupFile, ...]
    links: tuple[str, ...] = ()

    @property
    def bytes(self) -> int:
        """Sum the sizes of the files, in bytes."""
        return sum(file.bytes for file in self.files)


class BackupReport(msgspec.Struct, Record, frozen=True, kw_only=True):
    """The report on a backup that was written or checked.

    Args:
        path: The backup.
        at: Time of the backup, in UTC.
        schema: The schema of its store.
        files: The number of its files; every one was read and has its checksum.
        bytes: Size of the files.
        packed_bytes: Size of the backup itself.
        rows: Table of the store -> its number of rows.
        links: Links of the workspace, which were not followed.
    """

    path: str
    at: datetime
    schema: int
    files: int
    bytes: int
    packed_bytes: int
    rows: dict[str, int]
    links: tuple[str, ...]


def back_up(
    folder: Path, out: Path, *, force: bool = False, progress: Progress = no_progress
) -> BackupReport:
    """Write a workspace into one file, and read it back.

    Args:
        folder: The workspace; nobody else can use its store meanwhile.
        out: The file, which must lie outside the workspace.
        force: Whether a file that is there is replaced.
        progress: Called with the step, how much of it is done, and of how much.

    Raises:
        BusyError: another process has the store open.
        UsageError: the file is there already, or lies in the workspace or in no folder.
        WorkspaceError: there is no store, or the disk refuses.
    """
    require_store(folder / STORE)
    _check_target(folder, out, force=force)
    # The store is read while DuckDB has it open; the file may be closed only after DuckDB's.
    with disk_trouble(), ExitStack() as closing:
        opened: BinaryIO | None = None
        closing.callback(lambda: opened and opened.close())
        store = closing.enter_context(open_settled(folder, read_only=False))
        store.execute("CHECKPOINT")
        opened = (folder / STORE).open("rb")
        content, rows = opened, table_counts(store)

        def save(path: Path) -> None:
            _write(folder, path, content, rows, progress)
            check_backup(path, progress)

        part = temporary_path(out.absolute())
        closing.enter_context(noted([part], folder))
        write_atomically(out, save, beside=part)
    return backup_report(out, read_manifest(out))


def table_counts(store: Store) -> dict[str, int]:
    """Count the rows of each table of a store."""
    tables = store.rows(
        "SELECT table_name FROM duckdb_tables() WHERE database_name = current_database() "
        "AND NOT temporary ORDER BY 1"
    )
    return {name: int(store.rows(f'SELECT count(*) FROM "{name}"')[0][0]) for (name,) in tables}


def backup_report(path: Path, manifest: BackupManifest) -> BackupReport:
    """Build the report on a backup from its manifest."""
    return BackupReport(
        path=str(path),
        at=manifest.at,
        schema=manifest.schema,
        files=len(manifest.files),
        bytes=manifest.bytes,
        packed_bytes=path.stat().st_size,
        rows=manifest.rows,
        links=manifest.links,
    )


def read_manifest(path: Path) -> BackupManifest:
    """Read what a backup says of itself, and refuse what could not be restored.

    Raises:
        InputError: no such file, or no backup, or one of a newer localrec.
    """
    with open_backup(path) as archive:
        try:
            with archive.open(_MANIFEST) as file:
                content = file.read(_MANIFEST_BYTES)
            manifest = msgspec.json.decode(content, type=BackupManifest)
        except (KeyError, *_BROKEN, *UNREADABLE) as error:
            raise _no_backup(path) from error
        names = [name for name in archive.namelist() if name != _MANIFEST]
    if manifest.format > _FORMAT or manifest.schema > SCHEMA_VERSION:
        raise InputError(
            f"{path} was written by localrec {manifest.localrec}, whose store has schema "
            f"{manifest.schema}; this localrec knows {SCHEMA_VERSION}.",
            "Upgrade localrec, then restore.",
        )
    paths = [file.path for file in manifest.files]
    if sorted(names) != sorted(set(paths)) or STORE not in paths:
        raise _no_backup(path)
    if strange := next((name for name in paths if not _is_plain(name)), None):
        raise InputError(f"{path} names a file outside a workspace: {strange!r}.", _REMEDY)
    return manifest


def check_backup(path: Path, progress: Progress = no_progress) -> BackupManifest:
    """Hold every file of a backup against its checksum.

    Raises:
        InputError: as `read_manifest`, or a file is damaged.
    """
    manifest = read_manifest(path)
    with open_backup(path) as archive:
        for number, wanted in enumerate(manifest.files):
            progress("checking the backup", number, len(manifest.files))
            unpack(path, archive, wanted, lambda _: None)
    return manifest


def unpack(path: Path, archive: zipfile.ZipFile, wanted: BackupFile, write: Writer) -> None:
    """Hand on the bytes of a file of a backup, and then say whether they were the right ones.

    Raises:
        InputError: they were not; what was handed on must be thrown away.
    """
    try:
        if archive.getinfo(wanted.path).file_size != wanted.bytes:
            raise _damaged(path, wanted)
        with archive.open(wanted.path) as file:
            found = copy_hashed(file.read, write)
    except (KeyError, *_BROKEN) as error:
        raise _damaged(path, wanted) from error
    if found != (wanted.sha256, wanted.bytes):
        raise _damaged(path, wanted)


def open_backup(path: Path) -> zipfile.ZipFile:
    """Open the archive.

    Raises:
        InputError: no such file, or no archive.
    """
    try:
        return zipfile.ZipFile(path)
    except FileNotFoundError as error:
        raise InputError(f"There is no file {path}.", _REMEDY) from error
    except (IsADirectoryError, *_BROKEN) as error:
        raise _no_backup(path) from error


_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)


def _no_backup(path: Path) -> InputError:
    return InputError(f"{path} is no backup of a workspace, or it is damaged.", _REMEDY)


def _damaged(path: Path, file: BackupFile) -> InputError:
    return InputError(
        f"The backup {path} is damaged: {file.path} is not what was backed up.",
        "Use another backup; nothing was changed.",
    )


def _check_target(folder: Path, out: Path, *, force: bool) -> None:
    if out.is_dir() or not out.resolve().parent.is_dir():
        raise UsageError(
            f"{out} cannot be written: a backup is a file.", "Name a file in a folder."
        )
    if out.resolve().is_relative_to(folder.resolve()):
        raise UsageError(
            "A backup inside the workspace would be lost with it.", "Name a file elsewhere."
        )
    if out.exists() and not force:
        raise UsageError(f"{out} is there already.", "Replace it with --force.")


def _write(
    folder: Path, out: Path, opened: BinaryIO, rows: dict[str, int], progress: Progress
) -> None:
    paths, links = _what_belongs(folder)
    found: list[BackupFile] = []
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for number, path in enumerate(paths):
            progress("backing up", number, len(paths))
            place = path.relative_to(folder).as_posix()
            with ExitStack() as closing:
                file = opened if place == STORE else closing.enter_context(path.open("rb"))
                target = closing.enter_context(archive.open(_entry(place), "w", force_zip64=True))
                checksum, size = copy_hashed(file.read, target.write)
            found.append(BackupFile(path=place, bytes=size, sha256=checksum))
        manifest = BackupManifest(
            format=_FORMAT,
            localrec=installed_versions(["localrec"]).get("localrec", "unknown"),
            schema=SCHEMA_VERSION,
            at=datetime.now(UTC).replace(microsecond=0),
            rows=rows,
            files=tuple(found),
            links=tuple(links),
        )
        archive.writestr(_entry(_MANIFEST), msgspec.json.encode(manifest))


def _entry(name: str) -> zipfile.ZipInfo:
    """An entry for its owner alone, of no particular day."""
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (stat.S_IFREG | 0o600) << 16
    return entry


def _what_belongs(folder: Path) -> tuple[list[Path], list[str]]:
    """The files that are backed up, the store first, and the links that are not."""
    links = [path.relative_to(folder).as_posix() for path in files_in(folder) if path.is_symlink()]
    paths = [path for path in files_in(folder) if not path.is_symlink() and path.is_file()]
    kept = [path for path in paths if is_backed_up(path.relative_to(folder))]
    return sorted(kept, key=lambda path: path != folder / STORE), links


def is_backed_up(place: Path | PurePosixPath) -> bool:
    """Whether a path in a workspace is part of a backup, and so replaced by a restore."""
    is_temporary = any(part.endswith(_LEFT_OUT_ENDINGS) for part in place.parts)
    return place.parts[0] not in _LEFT_OUT_FOLDERS and not is_temporary


def _is_plain(name: str) -> bool:
    """Whether a name of a manifest is a path inside a workspace, as a backup writes it."""
    place = PurePosixPath(name)
    plain = not any(letter in name for letter in "\\:\0") and place.as_posix() == name
    inside = not place.is_absolute() and ".." not in place.parts and bool(place.parts)
    return plain and inside and is_backed_up(place) and not is_journal(place.name)
