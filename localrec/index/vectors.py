"""What finds near vectors: an exact scan, and an HNSW graph laid over the same matrix.

The matrix of unit vectors is the ground: kept as .npy and memory-mapped, it is the exact index,
the source for re-scoring given items, and what an approximate backend falls back to. A backend
adds one file of its own to it. A new one (usearch, say) is a class beside `HnswIndex` and a line
in `BACKENDS`.
"""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from localrec.foundation.errors import UsageError
from localrec.index.protocols import Labels, VectorIndex, Vectors

EXACT_UP_TO = 50_000  # a scan of 50,000 x 384 takes some milliseconds and needs no building
_FEW_QUERIES = 4  # beyond, BLAS is worth its threads
_LARGE_SHARE = 4  # nodes that are this part of all are compared without a copy of their vectors
_BLOCK_BYTES = 64 << 20  # similarities held at once while a batch of queries is scanned


class ExactIndex:
    """Compares a query with every vector; recall is 1 by definition.

    Args:
        node_ids: Label of each row, ascending, shape (n,).
        matrix: Unit vectors, float32, shape (n, size); may be memory-mapped.
    """

    def __init__(self, node_ids: Labels, matrix: Vectors) -> None:
        self.node_ids = node_ids
        self.matrix = matrix

    def __len__(self) -> int:
        return len(self.node_ids)

    def search(self, queries: Vectors, k: int) -> tuple[Labels, Vectors]:
        """The min(k, n) nearest of each query, both (q, k); equal ones in order of node id."""
        count = len(self)
        k = max(0, min(k, count))
        labels = np.empty((len(queries), k), dtype=np.int64)
        similarities = np.empty((len(queries), k), dtype=np.float32)
        if not k:
            return labels, similarities
        step = max(1, _BLOCK_BYTES // (4 * count))
        for start in range(0, len(queries), step):
            block = slice(start, start + step)
            scores = _similarities(queries[block], self.matrix)
            best = _best_columns(scores, k)
            labels[block] = self.node_ids[best]
            similarities[block] = np.take_along_axis(scores, best, axis=1)
        return labels, similarities

    def similarities(self, query: Vectors, node_ids: Labels) -> Vectors:
        """Cosine of one query (size,) with the vectors of `node_ids` (n,); 0.0 where none is."""
        scores = np.zeros(len(node_ids), dtype=np.float32)
        if not len(self):
            return scores
        rows = np.searchsorted(self.node_ids, node_ids).clip(max=len(self) - 1)
        known = self.node_ids[rows] == node_ids
        if len(node_ids) * _LARGE_SHARE < len(self):
            scores[known] = np.vecdot(self.matrix[rows[known]], query)
        else:  # a copy of so many vectors takes longer than comparing with all of them
            scores[known] = np.vecdot(self.matrix, query)[rows[known]]
        return scores

    def save(self, path: Path) -> None:
        """Write the matrix as .npy; the node ids are the caller's to keep."""
        with path.open("wb") as file:
            np.save(file, self.matrix)

    @classmethod
    def load(cls, path: Path, node_ids: Labels) -> ExactIndex:
        """Map the matrix at `path`; pages are read when a query first touches them.

        Raises:
            OSError, ValueError: the file is missing, cut short, or holds another shape.
        """
        mapped = np.load(path, mmap_mode="r") if len(node_ids) else np.load(path)
        if mapped.ndim != 2 or len(mapped) != len(node_ids) or mapped.dtype != np.float32:
            raise ValueError(f"{path} does not hold {len(node_ids)} vectors.")
        return cls(node_ids, np.asarray(mapped))  # a plain view: still mapped, without the subclass


class HnswIndex:
    """Hierarchical navigable small worlds (hnswlib) over the vectors of an `ExactIndex`.

    Inner product, which on unit vectors is the cosine. Built on one thread with a fixed seed, so
    that the same vectors give the same file, byte for byte.
    """

    M = 16  # links of a vector per layer
    EF_CONSTRUCTION = 200  # candidates weighed while a vector is linked
    # Candidates kept while a query walks: at 100,000 vectors 100 gave a recall@10 of 0.91,
    # 400 of 0.989, 800 of 0.996 at 2.6 ms, a sixth of the exact scan.
    EF = 800
    SEED = 20

    def __init__(self, graph: Any, exact: ExactIndex) -> None:
        self._graph = graph
        self._exact = exact
        graph.set_ef(self.EF)  # never stored in the file: after loading it would be 10

    def __len__(self) -> int:
        return len(self._exact)

    def search(self, queries: Vectors, k: int) -> tuple[Labels, Vectors]:
        """The min(k, n) nearest of each query as far as the graph leads, both (q, k)."""
        k = max(0, min(k, len(self)))
        if not k or not len(queries):
            return self._exact.search(queries, k)
        try:
            labels, distances = self._graph.knn_query(queries, k=k, num_threads=1)
        except RuntimeError:
            # Many equal vectors can tear the graph apart; hnswlib then finds fewer than k.
            return self._exact.search(queries, k)
        return labels.astype(np.int64), (1.0 - distances).astype(np.float32)

    def save(self, path: Path) -> None:
        """Write the graph to `path`.

        Raises:
            OSError: the disk took less than the whole file, which hnswlib does not notice.
        """
        self._graph.save_index(str(path))
        if path.stat().st_size != self._graph.index_file_size():
            raise OSError(f"{path} could not be written in full.")

    @classmethod
    def parameters(cls) -> dict[str, int | str]:
        """Return the parameters of the file; hnswlib's version too, for its format carries none."""
        return {
            "M": cls.M,
            "ef_construction": cls.EF_CONSTRUCTION,
            "seed": cls.SEED,
            "hnswlib": metadata.version("hnswlib"),
        }

    @classmethod
    def build(cls, exact: ExactIndex) -> HnswIndex:
        """Build the graph over `exact`; 0.6 ms a vector at 100,000 x 384 on one quiet core."""
        graph = _empty_graph(exact)
        graph.init_index(
            max_elements=max(1, len(exact)),
            M=cls.M,
            ef_construction=cls.EF_CONSTRUCTION,
            random_seed=cls.SEED,
        )
        if len(exact):
            graph.add_items(exact.matrix, exact.node_ids, num_threads=1)
        return cls(graph, exact)

    @classmethod
    def load(cls, path: Path, exact: ExactIndex) -> HnswIndex:
        """Read a graph whose checksum the caller has verified: the parser trusts its input.

        Raises:
            OSError, RuntimeError, ValueError: the file is missing, cut short or foreign.
        """
        graph = _empty_graph(exact)
        graph.load_index(str(path))
        if graph.element_count != len(exact):
            raise ValueError(f"{path} does not hold {len(exact)} vectors.")
        return cls(graph, exact)


class StoredIndex(VectorIndex, Protocol):
    """A vector index that can write itself into one file."""

    def save(self, path: Path) -> None:
        """Write the index's own file."""
        ...


class IndexBackend(Protocol):
    """A builder of an approximate index; the exact one needs only its matrix."""

    def parameters(self) -> dict[str, int | str]:
        """Return the parameters of the file, all but the vectors."""
        ...

    def build(self, exact: ExactIndex) -> StoredIndex:
        """Build an index over the vectors of `exact`."""
        ...

    def load(self, path: Path, exact: ExactIndex) -> StoredIndex:
        """Read an index that `save` wrote, over the same vectors."""
        ...


BACKENDS: dict[str, IndexBackend] = {"hnsw": HnswIndex}


def choose_backend(name: str, count: int) -> str:
    """Settle `auto` for `count` vectors: exact while a scan is quick or hnswlib is missing.

    Raises:
        UsageError: no such backend, or its library is not installed.
    """
    if name not in ("auto", "exact", *BACKENDS):
        known = ", ".join(("auto", "exact", *BACKENDS))
        raise UsageError(f"There is no vector backend named {name!r}.", f"Known: {known}.")
    if name == "exact" or (name == "auto" and count <= EXACT_UP_TO):
        return "exact"
    if _can_import_hnswlib():
        return "hnsw" if name == "auto" else name
    if name == "auto":
        return "exact"
    raise UsageError(
        "The vector backend 'hnsw' needs hnswlib, which is not installed.",
        "Install it with pip install hnswlib, or leave the backend at auto.",
    )


def unit_rows(vectors: Vectors) -> Vectors:
    """Scale each row (n, size) to length 1; a row of zeros stays as it is."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)


def _similarities(queries: Vectors, matrix: Vectors) -> Vectors:
    """Inner products (q, n), for a few queries without BLAS.

    BLAS splits even one query among threads that wait for each other: 8 ms for 20,000 vectors
    while a model keeps the cores busy, where one thread alone takes 1.7 ms (measured).
    """
    if len(queries) <= _FEW_QUERIES:
        return np.vecdot(queries[:, None], matrix[None])
    return queries @ matrix.T


def _best_columns(scores: Vectors, k: int) -> Labels:
    count = scores.shape[1]
    if k < count:
        best = np.argpartition(scores, count - k, axis=1)[:, count - k :]
        best.sort(axis=1)  # so that the stable sort below keeps equal ones in order of node id
    else:
        best = np.broadcast_to(np.arange(count), scores.shape)
    kept = np.take_along_axis(scores, best, axis=1)
    return np.take_along_axis(best, np.argsort(-kept, axis=1, kind="stable"), axis=1)


def _empty_graph(exact: ExactIndex) -> Any:
    import hnswlib  # compiled, and not needed by the exact index

    return hnswlib.Index(space="ip", dim=max(1, exact.matrix.shape[1]))


def _can_import_hnswlib() -> bool:
    try:
        import hnswlib  # noqa: F401  # compiled on installation, so it may be missing or broken
    except ImportError:
        return False
    return True
