"""Where things lie on disk: the workspace, the pulled models, the data that ships with localrec.

`models/` and `datasets/` sit at the top of a checkout and inside the wheel; `shipped` finds
either. Folders that hold a person's data are made with mode 0700.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from localrec.foundation.errors import BusyError, WorkspaceError

_PACKAGE = Path(__file__).resolve().parents[1]


def shipped(name: str) -> Path:
    """Folder of data that ships with localrec: `models` or `datasets`."""
    checkout = checkout_path(name)
    return checkout if (checkout / "catalog.toml").is_file() else _PACKAGE / "_data" / name


def checkout_path(name: str) -> Path:
    """Return where a file or folder of a checkout lies: beside the package."""
    return _PACKAGE.parent / name


def default_workspace() -> Path:
    """Workspace folder used when neither `--workspace` nor LOCALREC_WORKSPACE names one.

    Raises:
        WorkspaceError: there is no home folder to have one in.
    """
    configured = os.environ.get("LOCALREC_WORKSPACE")
    if configured:
        return Path(configured)
    import platformdirs  # 5 ms, only paid where nothing is configured

    return _at_home(
        platformdirs.user_data_dir("localrec"), "--workspace or the variable LOCALREC_WORKSPACE"
    )


def pulled(name: str) -> Path:
    """Folder of pulled files (`models` or `datasets`); LOCALREC_CACHE moves it.

    Raises:
        WorkspaceError: there is no home folder to have one in.
    """
    configured = os.environ.get("LOCALREC_CACHE")
    if configured:
        return Path(configured) / name
    import platformdirs

    return _at_home(platformdirs.user_cache_dir("localrec"), "the variable LOCALREC_CACHE") / name


def _at_home(folder: str, otherwise: str) -> Path:
    """A folder below the home folder; without one, `~` would become a folder of that name here."""
    if folder.startswith("~"):
        raise WorkspaceError(
            "This user has no home folder to keep things in.",
            f"Set HOME, or name a folder with {otherwise}.",
        )
    return Path(folder)


def make_private(folder: Path) -> Path:
    """Make sure that `folder` exists; one that is made here can be entered by its owner alone.

    Raises:
        WorkspaceError: something else stands in the way.
    """
    if not folder.is_dir():
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise WorkspaceError(
                f"The folder {folder} cannot be made: {error.strerror}.", "Name another one."
            ) from error
        folder.chmod(0o700)  # whatever the umask says
    return folder


class _Mask:
    """The mask of the process, as it was before the first block that is open."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open = 0
        self._before = 0

    def enter(self) -> None:
        with self._lock:
            if not self._open:
                self._before = os.umask(0o077)
            self._open += 1

    def leave(self) -> None:
        with self._lock:
            self._open -= 1
            if not self._open:
                os.umask(self._before)


_MASK = _Mask()


@contextmanager
def owner_only() -> Iterator[None]:
    """Files and folders made inside the block, by libraries too, are for their owner alone.

    The mask belongs to the whole process: a file that another thread makes meanwhile is private
    as well, which harms nobody. Blocks of several threads may overlap; the mask comes back when the
    last one ends.
    """
    _MASK.enter()
    try:
        yield
    finally:
        _MASK.leave()


@contextmanager
def exclusive(path: Path, of: Path | None = None) -> Iterator[BinaryIO]:
    """A file, made where it is not there, for reading and appending by nobody else.

    Whoever does not ask this way is not kept out, and on Windows and on a file system without
    locks nobody is.

    Args:
        path: The file.
        of: Name of the file in the error.

    Raises:
        BusyError: another process has the file, or this one has it already.
        OSError: it cannot be opened.
    """
    with path.open("a+b") as file:
        if not _locked(file):
            raise BusyError(
                f"Another process is writing to {of or path}.",
                "Let it finish, or give --out another name.",
            )
        yield file


def _locked(file: BinaryIO) -> bool:
    """Take the file until it is closed; False where somebody else has it."""
    try:
        import fcntl  # not on Windows
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True
