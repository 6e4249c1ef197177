"""The files that keep one field's vectors and index between runs; all of them can be lost.

A cache is node ids (.npy), the matrix (.npy), a backend's own file where it has one, and a sidecar
that tells what they were made from (`index/cached_artifact.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np

from localrec.foundation.atomic_files import short_digest
from localrec.index.cached_arrays import save_array
from localrec.index.cached_artifact import CachedArtifact, remove_artifact
from localrec.index.protocols import Labels, VectorIndex
from localrec.index.vectors import BACKENDS, ExactIndex, StoredIndex, choose_backend

_FORMAT = 1
_NODES, _VECTORS, _GRAPH = "nodes.npy", "vectors.npy", "graph"


class VectorCacheManifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The sources of the files, and a checksum (blake2b, hex) of each."""

    format: int
    fingerprint: str
    model: str
    size: int
    count: int
    metric: str
    backend: str
    parameters: dict[str, int | str]
    checksums: dict[str, str]


class FieldCache:
    """The cache of one domain, field and model inside the workspace's folder of indexes."""

    def __init__(self, folder: Path, domain: str, field: str, model: str) -> None:
        self._model = model
        readable = re.sub(r"[^A-Za-z0-9_-]+", "-", f"{domain}-{field}-{model}")[:80]
        self._folder, self._stem = folder, f"{readable}-{short_digest(domain, field, model)}"
        self._files = CachedArtifact(folder, self._stem)

    @property
    def sidecar_path(self) -> Path:
        """The JSON file that vouches for the others."""
        return self._files.sidecar_path

    def load(self, fingerprint: str, backend: str) -> tuple[ExactIndex, VectorIndex] | None:
        """Open the cache if it is whole and was made from `fingerprint` for `backend`.

        Returns:
            The exact index and the one that answers searches, which may be the same.
        """
        try:
            sidecar = msgspec.json.decode(self.sidecar_path.read_bytes(), type=VectorCacheManifest)
            backend = choose_backend(backend, sidecar.count)
            shape = (sidecar.count, sidecar.size)
            if sidecar != self._sidecar(fingerprint, backend, shape, sidecar.checksums):
                return None
            return self._load_files(sidecar)
        except (OSError, ValueError, RuntimeError, EOFError, msgspec.MsgspecError):
            return None  # missing, cut short or scribbled over: the store has the truth

    def remove(self) -> None:
        """Remove the files."""
        remove_artifact(self._folder, self._stem)

    def write(self, fingerprint: str, backend: str, exact: ExactIndex, index: StoredIndex) -> None:
        """Put the files beside the old ones, then the sidecar over the old one, then tidy up.

        Raises:
            OSError: the folder or the disk does not take them; the old cache is unharmed.
        """
        savers: dict[str, Callable[[Path], object]] = {
            _NODES: lambda beside: save_array(beside, exact.node_ids),
            _VECTORS: exact.save,
        }
        if backend in BACKENDS:
            savers[_GRAPH] = index.save

        def sidecar(checksums: dict[str, str]) -> bytes:
            made = self._sidecar(fingerprint, backend, exact.matrix.shape, checksums)
            return msgspec.json.format(msgspec.json.encode(made))

        self._files.write(_mark(fingerprint, backend), savers, sidecar)

    def _sidecar(
        self, fingerprint: str, backend: str, shape: tuple[int, ...], checksums: dict[str, str]
    ) -> VectorCacheManifest:
        count, size = shape
        return VectorCacheManifest(
            format=_FORMAT,
            fingerprint=fingerprint,
            model=self._model,
            size=size,
            count=count,
            metric="cosine",
            backend=backend,
            parameters=_parameters(backend),
            checksums=checksums,
        )

    def _load_files(self, sidecar: VectorCacheManifest) -> tuple[ExactIndex, VectorIndex] | None:
        mark = _mark(sidecar.fingerprint, sidecar.backend)
        kinds = [_NODES, _VECTORS] + [_GRAPH] * (sidecar.backend in BACKENDS)
        # hnswlib reads past the end of what it is told, so nothing is parsed unchecked.
        checksums = {kind: sidecar.checksums.get(kind, "") for kind in kinds}
        if not self._files.is_whole(mark, checksums):
            return None
        node_ids: Labels = np.load(self._files.path(mark, _NODES))
        exact = ExactIndex.load(self._files.path(mark, _VECTORS), node_ids)
        if exact.matrix.shape != (sidecar.count, sidecar.size):
            return None
        if sidecar.backend not in BACKENDS:
            return exact, exact
        backend = BACKENDS[sidecar.backend]
        return exact, backend.load(self._files.path(mark, _GRAPH), exact)


def _parameters(backend: str) -> dict[str, int | str]:
    return BACKENDS[backend].parameters() if backend in BACKENDS else {}


def _mark(fingerprint: str, backend: str) -> str:
    return short_digest(str(_FORMAT), fingerprint, backend, str(_parameters(backend)))
