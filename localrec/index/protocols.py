"""The two seams of vector search: what makes vectors, and what finds near ones.

Shapes: texts n, queries q, vectors (n, size) float32 of unit length, labels int64 node ids,
similarities float32 cosine, higher is nearer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Labels = NDArray[np.int64]


class Embedder(Protocol):
    """Turns texts into unit vectors; `name` is stored with every vector it made."""

    name: str
    size: int

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed n texts as rows of unit length, shape (n, size); an empty text gives zeros."""
        ...


class VectorIndex(Protocol):
    """Near vectors by cosine; labels are node ids of the store."""

    def __len__(self) -> int: ...

    def search(self, queries: Vectors, k: int) -> tuple[Labels, Vectors]:
        """The min(k, len) nearest of each query, best first: labels, similarities, both (q, k)."""
        ...
