"""What `localrec doctor` looks at around the store: rights, room on the disk, caches, models."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from localrec.foundation.disk_errors import disk_trouble
from localrec.foundation.errors import LocalrecError, ModelError
from localrec.foundation.paths import pulled
from localrec.foundation.prose import count_of
from localrec.foundation.settings import RULES, SETTINGS_FILE, Settings
from localrec.graph.journal import STORE
from localrec.llm.adapter_files import adapter_path
from localrec.llm.model_catalog import model_file
from localrec.workspace.doctor_store import REPAIR, CheckResult

if TYPE_CHECKING:
    from localrec.data.domains import Domain
    from localrec.graph.store import Store

_Check = Callable[[Path, bool], Iterator[CheckResult]]
_MB = 1_000_000
_SPARE = 64 * _MB  # beyond the store: caches, logs, the copy that is written beside a file
_OTHERS = 0o077
_OTHERS_WRITE = 0o022


class PathMode(msgspec.Struct, frozen=True):
    """One file, folder or link of a workspace, and the bits of its mode.

    Args:
        path: Its path.
        mode: Kind and rights, as `lstat` tells them.
    """

    path: Path
    mode: int

    @property
    def wanted(self) -> int:
        """The rights that it should have: its owner's, and nobody else's."""
        return 0o700 if stat.S_ISDIR(self.mode) else 0o600

    @property
    def is_link(self) -> bool:
        """Whether it leads elsewhere, where nothing is looked into."""
        return stat.S_ISLNK(self.mode)

    @property
    def is_open(self) -> bool:
        """Whether others may do anything with it, if they can reach it."""
        return not self.is_link and bool(self.mode & _OTHERS)

    @property
    def is_closed(self) -> bool:
        """Whether its owner, or whoever looks, may not read, change or enter it."""
        if self.is_link:
            return False
        may = os.R_OK | os.W_OK | (os.X_OK if stat.S_ISDIR(self.mode) else 0)
        return self.mode & self.wanted != self.wanted or not os.access(self.path, may)


def folder_modes(folder: Path) -> Iterator[PathMode]:
    """The modes of a folder and of all below it, each folder before what lies in it.

    A folder that may not be looked into is told, and what lies in it is not.
    """
    yield PathMode(folder, folder.lstat().st_mode)
    for parent, folders, names in os.walk(folder):
        for name in sorted((*folders, *names)):
            path = Path(parent, name)
            with suppress(FileNotFoundError):  # another process removed it meanwhile
                yield PathMode(path, path.lstat().st_mode)


def check_folder(folder: Path, repair: bool) -> Iterator[CheckResult]:
    """Look at room and caches of a workspace and at what was pulled; mend what costs nothing."""
    yield from _checked((_pulled, _room, _caches), folder, repair)


def check_rights(folder: Path, repair: bool) -> Iterator[CheckResult]:
    """Look whether the workspace, its runs and its caches are their owner's alone, or mend it."""
    yield from _checked((_rights,), folder, repair)


def _checked(checks: tuple[_Check, ...], folder: Path, repair: bool) -> Iterator[CheckResult]:
    for check in checks:
        try:
            with disk_trouble():
                yield from check(folder, repair)
        except LocalrecError as error:
            yield CheckResult(check.__name__.strip("_"), "broken", error.message, error.hint)


def check_roles(settings: Settings) -> Iterator[CheckResult]:
    """Tell the models and adapters that the settings of a workspace name and that are not here."""
    roles: dict[str, str] = {
        role: named for role, named in settings.roles.items() if named != RULES
    }
    if settings.chat_model != Settings().chat_model:
        roles["chat"] = settings.chat_model
    missing = 0
    for role, named in roles.items():
        try:
            _require_file(model_file(named), "model")
            if adapter := settings.adapters.get(role):  # type: ignore[call-overload]
                _require_file(adapter_path(adapter), "adapter")
        except LocalrecError as error:
            missing += 1
            yield CheckResult(f"role {role}", "broken", error.message, error.hint)
    if roles and not missing:
        yield CheckResult("roles", "ok", f"the models of {', '.join(roles)} are here")


def check_vectors(store: Store, folder: Path, domain: Domain, embedder: str) -> CheckResult:
    """Say whether each text of a domain has its vector.

    Args:
        store: The open store.
        folder: The workspace.
        domain: The domain.
        embedder: The name of what embeds its texts.
    """
    from localrec.index.embedded_fields import count_pending
    from localrec.index.pending_vectors import read_pending

    what, pending = f"vectors {domain.name}", read_pending(folder / "indexes", domain.name)
    if pending is not None:
        told = f"{pending.as_sentence()} Until then texts are compared by spelling."
        return CheckResult(what, "ok" if pending.is_running else "missing", told, "localrec index")
    lacking = count_pending(store, domain, embedder)
    if lacking:
        told = f"{count_of(lacking, 'text')} without one by {embedder}"
        return CheckResult(what, "missing", told, "localrec index")
    return CheckResult(what, "ok", f"each text has one by {embedder}")


def _require_file(path: Path, kind: str) -> None:
    if not path.is_file():
        raise ModelError(
            f"The {kind} {path} is not here.",
            "Put it back, or name another: localrec models use --help",
        )


def _rights(folder: Path, repair: bool) -> Iterator[CheckResult]:
    """Whether the workspace, its runs and its caches are their owner's alone."""
    if os.name != "posix":
        return
    is_shut = not folder.lstat().st_mode & _OTHERS
    opened: list[Path] = []
    closed: list[Path] = []
    harmless: list[PathMode] = []
    for found in folder_modes(folder):
        if found.is_open and not found.is_closed and _is_harmless(found, folder):
            harmless.append(found)
        elif found.is_closed or found.is_open:
            (closed if found.is_closed else opened).append(found.path)
            if repair:
                found.path.chmod(found.wanted)  # before the walk enters it
    if repair and (opened or closed):
        for found in harmless:
            found.path.chmod(found.wanted)
        told = f"{_files(len(opened) + len(closed))} yours alone again, such as "
        yield CheckResult("rights", "mended", told + str((closed or opened)[0]))
        return
    if closed:
        told = f"{_files(len(closed))} closed to you, such as {closed[0]}"
        yield CheckResult("rights", "broken", told, REPAIR)
    if opened and not is_shut:
        told = f"{_files(len(opened))} open to other users of this machine, such as {opened[0]}"
        yield CheckResult("rights", "broken", told, REPAIR)
    elif opened:
        told = f"{_files(len(opened))} open to others, should the folder ever be: {REPAIR}"
        yield CheckResult("rights", "ok", f"the folder is yours alone; in it {told}")
    elif not closed:
        yield CheckResult("rights", "ok", "the folder and all that is in it are yours alone")


def _is_harmless(found: PathMode, folder: Path) -> bool:
    """Whether others see what tells nothing: the names in a folder, and settings, as by hand."""
    return found.path in (folder, folder / SETTINGS_FILE) and not found.mode & _OTHERS_WRITE


def _pulled(folder: Path, repair: bool) -> Iterator[CheckResult]:
    """Whether others may change what was pulled, models and data sets; reading them is no harm."""
    if os.name != "posix":
        return
    found = [
        one
        for kind in ("models", "datasets")
        if pulled(kind).is_dir()
        for one in folder_modes(pulled(kind))
        if not one.is_link and one.mode & _OTHERS_WRITE
    ]
    if not found:
        return
    if repair:
        for one in found:
            one.path.chmod(stat.S_IMODE(one.mode) & ~_OTHERS_WRITE)
        told = f"others may change {count_of(len(found), 'pulled file')} no more"
        yield CheckResult("pulled files", "mended", told)
    else:
        told = f"others may change {len(found):,} of them, such as {found[0].path}"
        yield CheckResult("pulled files", "broken", told, REPAIR)


def _room(folder: Path, repair: bool) -> Iterator[CheckResult]:
    """Whether there is room to write the store once more, as forgetting and backups do."""
    size = (folder / STORE).stat().st_size
    free = shutil.disk_usage(folder).free
    told = f"{free // _MB:,} MB are free; the store has {max(size // _MB, 1):,} MB"
    if free > size + _SPARE:
        yield CheckResult("room", "ok", told)
    else:
        told += ", which forgetting, backups and new versions write once more"
        yield CheckResult("room", "missing", told, "Make room on the disk.")


def _caches(folder: Path, repair: bool) -> Iterator[CheckResult]:
    """Whether the files in `indexes/` are what their sidecars say."""
    from localrec.index.cached_artifact import artifact_states, remove_artifact

    states = artifact_states(folder / "indexes")
    damaged = [stem for stem, is_whole in states.items() if not is_whole]
    if not damaged:
        yield CheckResult("caches", "ok", "each is what it was when it was written")
    elif repair:
        for stem in damaged:
            remove_artifact(folder / "indexes", stem)
        told = f"{count_of(len(damaged), 'damaged cache')} removed; what needs it makes it anew"
        yield CheckResult("caches", "mended", told)
    else:
        told = f"{count_of(len(damaged), 'cache')} damaged, such as {damaged[0]}; nothing reads it"
        yield CheckResult("caches", "missing", told, REPAIR)


def _files(count: int) -> str:
    return "1 file or folder is" if count == 1 else f"{count:,} files and folders are"
