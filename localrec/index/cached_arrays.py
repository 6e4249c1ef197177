"""Arrays counted from the store and kept in `indexes/`, memory-mapped when they are read again.

A cache is one .npy file for each array, and a sidecar that tells what they were counted from and
the checksum of each (`index/cached_artifact.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Generic, Protocol, Self, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.foundation.atomic_files import short_digest
from localrec.foundation.errors import WorkspaceError
from localrec.index.cached_artifact import CachedArtifact

_MAPPED_FROM = 4096  # bytes; a smaller file is read whole

Arrays = tuple[NDArray[Any], ...]


class CacheState(Protocol):
    """The state of the data that arrays were counted from; a frozen msgspec record."""

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
        stem: First part of the names of its files.
        kinds: A word for each array, in order.
        stand: The type of record that says what they were counted from.
    """

    def __init__(self, folder: Path, stem: str, kinds: Sequence[str], stand: type[S]) -> None:
        self._files = CachedArtifact(folder, stem)
        self._kinds, self._stand = [f"{kind}.npy" for kind in kinds], stand

    def load(self, now: S) -> CachedArrays | None:
        """The arrays, if they are whole and what they were counted from serves `now`."""
        try:
            sidecar = msgspec.json.decode(self._files.sidecar_path.read_bytes(), type=_Sidecar)
            then = msgspec.json.decode(sidecar.stand, type=self._stand)
            mark = _mark(bytes(sidecar.stand))
            checksums = dict(zip(self._kinds, sidecar.checksums, strict=True))
            if not self._files.is_whole(mark, checksums) or not then.serves(now):
                return None
            arrays = tuple(_opened(self._files.path(mark, kind)) for kind in self._kinds)
            return CachedArrays(arrays, short_digest(*sidecar.checksums))
        except (OSError, ValueError, EOFError, msgspec.MsgspecError):
            return None  # missing, cut short or scribbled over

    def keep(self, stand: S, arrays: Arrays) -> CachedArrays:
        """Write the arrays for next time, where the folder and the disk take them."""
        encoded = msgspec.json.encode(stand)

        def sidecar(checksums: dict[str, str]) -> bytes:
            return msgspec.json.encode(_Sidecar(msgspec.Raw(encoded), tuple(checksums.values())))

        savers = {
            kind: partial(save_array, array=array)
            for kind, array in zip(self._kinds, arrays, strict=True)
        }
        try:
            checksums = self._files.write(_mark(encoded), savers, sidecar)
        except (OSError, WorkspaceError):  # a full disk: slower next time, not wrong
            return CachedArrays(arrays, "")
        return CachedArrays(arrays, short_digest(*checksums.values()))

    def load_or_make(self, stand: S, make: Callable[[], Arrays]) -> CachedArrays:
        """Load the arrays, or make them and keep them for next time."""
        return self.load(stand) or self.keep(stand, make())


def _mark(stand: bytes) -> str:
    return short_digest(stand.decode())


def _opened(path: Path) -> NDArray[Any]:
    mapped = path.stat().st_size > _MAPPED_FROM
    return np.asarray(np.load(path, mmap_mode="r" if mapped else None))


def save_array(path: Path, array: NDArray[Any]) -> None:
    """Write an array as .npy under exactly this name (`np.save` would add a suffix)."""
    with path.open("wb") as file:
        np.save(file, array)
