"""Back to a backup, or to a copy of the store that localrec kept: all of it in one step.

Everything is checked before a byte of the workspace changes. Then the files are written beside the
old ones, and the journal of forgetting puts all of them in place at once: a process that dies
leaves the old workspace or the new one. The store as it was before is kept as a copy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from localrec.export.backup import (
    BackupManifest,
    BackupReport,
    backup_report,
    check_backup,
    is_backed_up,
    open_backup,
    unpack,
)
from localrec.foundation.atomic_files import sync
from localrec.foundation.disk_errors import disk_trouble
from localrec.foundation.errors import WorkspaceError
from localrec.foundation.paths import make_private, owner_only
from localrec.foundation.progress import Progress, no_progress
from localrec.graph.domain_files import declaration_paths, declarations_of
from localrec.graph.journal import (
    STORE,
    commit,
    files_in,
    finish_forgetting,
    open_settled,
    staged_path,
)
from localrec.graph.kept_copies import (
    FOLDER,
    StoreCopy,
    copy_hashed,
    is_sound,
    keep_copy,
    kept_copies,
    require_room,
)
from localrec.graph.migrations import SCHEMA_VERSION
from localrec.graph.store import Store, schema_of

_CACHES = ("indexes", "spill")


def restore_backup(
    folder: Path, path: Path, *, dry_run: bool = False, progress: Progress = no_progress
) -> BackupReport:
    """Replace a workspace by what a backup holds.

    Files of the workspace that are not in the backup go; logs and kept copies stay.

    Args:
        folder: The workspace; it may be empty or not there.
        path: The backup.
        dry_run: Whether it is only checked.
        progress: Called with the step, how much of it is done, and of how much.

    Raises:
        BusyError: another process has the store open.
        InputError: no backup, a damaged one, or one of a newer localrec; nothing was changed.
        WorkspaceError: the disk refuses.
    """
    manifest = check_backup(path, progress)
    if not dry_run:
        with disk_trouble(), owner_only():
            _restore(folder, path, manifest, progress)
            with open_settled(folder, read_only=True):
                pass  # brings a store of an older schema up to date
    return backup_report(path, manifest)


def _restore(folder: Path, path: Path, manifest: BackupManifest, progress: Progress) -> None:
    make_private(folder)
    require_room(folder, manifest.bytes, "Restoring")
    with _replaced(folder, "a restore"), open_backup(path) as archive:
        # The store comes first: it is what tells the next opening that there are leftovers.
        for number, wanted in enumerate(sorted(manifest.files, key=lambda f: f.path != STORE)):
            progress("restoring", number, len(manifest.files))
            target = staged_path(folder / wanted.path)
            make_private(target.parent)
            with target.open("wb") as file:
                unpack(path, archive, wanted, file.write)
            sync(target)
        _check_staged(folder, path)
        names = {file.path for file in manifest.files}
        commit(folder, [old for old in files_in(folder) if _goes(folder, old, names)])


def go_back(folder: Path) -> StoreCopy:
    """Put the newest sound copy of the store in place of the store, which is kept as a copy.

    Raises:
        BusyError: another process has the store open.
        WorkspaceError: there is no sound copy, or the disk refuses.
    """
    # A way back that is refused must leave no copy: the next one would lead there.
    look = partial(_newest_other, folder)
    with disk_trouble(), owner_only(), _replaced(folder, "going back", look) as present:
        # A process that died on its way back left a copy of what is here: that is no way back.
        copy = _newest_other(folder, present)
        require_room(folder, copy.bytes, "Going back")
        target = staged_path(folder / STORE)
        with (folder / FOLDER / copy.name).open("rb") as source, target.open("wb") as file:
            if copy_hashed(source.read, file.write) != (copy.sha256, copy.bytes):
                raise WorkspaceError(f"The copy {copy.name} changed while it was read.")
        sync(target)
        _stage_declarations(folder, copy)
        commit(folder, [old for old in files_in(folder) if _is_cache(folder, old)])
    return copy


def _stage_declarations(folder: Path, copy: StoreCopy) -> None:
    """Bring back with a store the domains of its items that were taken away since."""
    here = declarations_of(folder)
    for name, files in copy.domains.items():
        for file, path in declaration_paths(folder, name, files).items():
            if name not in here:
                target = staged_path(path)
                make_private(target.parent.parent)
                make_private(target.parent)
                target.write_bytes(files[file])
                sync(target)


def _newest_other(folder: Path, present: str) -> StoreCopy:
    """The newest sound copy that is not what the store is.

    Raises:
        WorkspaceError: there is none.
    """
    for copy in kept_copies(folder):
        if copy.schema and copy.sha256 != present and is_sound(folder, copy):
            return copy
    raise WorkspaceError(
        f"There is no sound copy of an earlier store in {folder / FOLDER}.",
        "Restore a backup: localrec restore FILE",
    )


@contextmanager
def _replaced(
    folder: Path, before: str, require: Callable[[str], object] = lambda _: None
) -> Iterator[str]:
    """Keep others out and the store as a copy while the block prepares and commits another one.

    Args:
        folder: The workspace.
        before: Name of the change that the copy is made before, such as "restore".
        require: Takes the store's checksum; raises where there is nothing to put in its place.

    Yields:
        The checksum of the store as it is.
    """
    try:
        with ExitStack() as later:
            store = _open_whatever_it_is(folder)
            file = later.enter_context((folder / STORE).open("rb"))
            if store is not None:
                later.callback(store.close)  # before the file, or its lock would be given up
                store.execute("CHECKPOINT")
            present, _ = copy_hashed(file.read, lambda _: None)
            require(present)
            if store is None or store.rows("SELECT 1 FROM node LIMIT 1"):
                file.seek(0)
                keep_copy(file, folder, before, SCHEMA_VERSION if store else 0)
            yield present
    finally:
        finish_forgetting(folder)  # forwards, or backwards after a failure


def _open_whatever_it_is(folder: Path) -> Store | None:
    """The store, open for writing; None for a file that cannot be opened as one.

    Raises:
        BusyError: another process has it open.
    """
    try:
        return open_settled(folder, read_only=False)
    except WorkspaceError:
        if not (folder / STORE).is_file():
            raise
        return None


def _check_staged(folder: Path, path: Path) -> None:
    """Refuse a backup whose store is none, or is newer than its manifest says.

    Raises:
        WorkspaceError: so it is; nothing was changed.
    """
    if (found := schema_of(staged_path(folder / STORE))) > SCHEMA_VERSION:
        raise WorkspaceError(
            f"The store in {path} has schema {found}; this localrec knows {SCHEMA_VERSION}.",
            "Upgrade localrec, then restore.",
        )


def _goes(folder: Path, old: Path, names: set[str]) -> bool:
    place = old.relative_to(folder)
    if old.is_symlink():
        return False
    return _is_cache(folder, old) or (is_backed_up(place) and place.as_posix() not in names)


def _is_cache(folder: Path, old: Path) -> bool:
    return old.relative_to(folder).parts[0] in _CACHES
