"""Arrays counted from the store and kept in `indexes/`, memory-mapped when they are read again.

A cache is one .npy file for each array and a JSON sidecar that vouches for them: what they were
counted from, and a checksum of each. The files' names carry a mark of what they were counted from
and the sidecar is replaced last, so whenever a process dies there is a whole cache or none.
Whatever does not fit counts as absent, for the store has the truth.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Generic, Protocol, Self, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.foundation.atomic_files import (
    file_checksum,
    short_digest,
    sync_folder,
    write_atomically,
)
from localrec.foundation.errors import WorkspaceError
from localrec.foundation.paths import make_private

_MAPPED_FROM = 4096  # bytes; a smaller file is read whole

Arrays = tuple[NDArray[Any], ...]


class CacheState(Protocol):
    """What arrays were counted from; a frozen msgspec record."""

    def serves(self, now: Self) -> bool:
        """Whether what was counted then is near enough to what would be counted now."""
        ...


S = TypeVar("S", bound=CacheState)


class CachedArrays(msgspec.Struct, frozen=True):
    """Arrays with the mark of their contents; the mark is empty where they are in memory only."""

    arrays: Arrays
    mark: str


class _Sidecar(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    stand: msgspec.Raw
    checksums: tuple[str, ...]


class ArrayCache(Generic[S]):
    """The files of one family of arrays.

    Args:
        folder: The workspace's `indexes/`.
        stem: What the names of its files begin with.
        kinds: A word for each array, in order.
        stand: The type of record that says what they were counted from.
    """

    def __init__(self, folder: Path, stem: str, kinds: Sequence[str], stand: type[S]) -> None:
        self._folder, self._stem, self._kinds, self._stand = folder, stem, tuple(kinds), stand
        self._sidecar = folder / f"{stem}.json"

    def load(self, now: S) -> CachedArrays | None:
        """The arrays, if they are whole and what they were counted from serves `now`."""
        try:
            sidecar = msgspec.json.decode(self._sidecar.read_bytes(), type=_Sidecar)
            then = msgspec.json.decode(sidecar.stand, type=self._stand)
            paths = self._paths(bytes(sidecar.stand))
            whole = all(
                file_checksum(path) == told
                for path, told in zip(paths, sidecar.checksums, strict=True)
            )
            if not whole or not then.serves(now):
                return None
            return CachedArrays(
                tuple(_opened(path) for path in paths), short_digest(*sidecar.checksums)
            )
        except (OSError, ValueError, EOFError, msgspec.MsgspecError):
            return None  # missing, cut short or scribbled over

    def keep(self, stand: S, arrays: Arrays) -> CachedArrays:
        """Write the arrays for next time, where the folder and the disk take them."""
        try:
            return CachedArrays(arrays, self._write(msgspec.json.encode(stand), arrays))
        except (OSError, WorkspaceError):  # a full disk: slower next time, not wrong
            return CachedArrays(arrays, "")

    def _write(self, stand: bytes, arrays: Arrays) -> str:
        make_private(self._folder)
        paths = self._paths(stand)
        checksums = [
            write_atomically(path, lambda beside, array=array: save_array(beside, array))  # type: ignore[misc]
            for path, array in zip(paths, arrays, strict=True)
        ]
        encoded = msgspec.json.encode(_Sidecar(msgspec.Raw(stand), tuple(checksums)))
        write_atomically(self._sidecar, lambda beside: beside.write_bytes(encoded))
        sync_folder(self._folder)
        for path in self._folder.glob(f"{self._stem}.*"):
            if path not in {self._sidecar, *paths}:
                with suppress(OSError):  # still mapped by another process on Windows
                    path.unlink()
        return short_digest(*checksums)

    def _paths(self, stand: bytes) -> list[Path]:
        mark = short_digest(stand.decode())
        return [self._folder / f"{self._stem}.{mark}.{kind}.npy" for kind in self._kinds]


def _opened(path: Path) -> NDArray[Any]:
    mapped = path.stat().st_size > _MAPPED_FROM
    return np.asarray(np.load(path, mmap_mode="r" if mapped else None))


def save_array(path: Path, array: NDArray[Any]) -> None:
    """Write an array as .npy under exactly this name (`np.save` would add a suffix)."""
    with path.open("wb") as file:
        np.save(file, array)
