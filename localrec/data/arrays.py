"""Ragged arrays: the entries of all lists concatenated, and the offset of each list."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def csr_rows(first: NDArray[np.int64], lists: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the positions of some lists' entries, concatenated.

    Args:
        first: Offset of each list, and the end of the last, (n + 1,).
        lists: Numbers of the wanted lists, in order; one may come twice.
    """
    starts = first[lists]
    lengths = first[lists + 1] - starts
    shifts = np.repeat(starts - np.cumsum(lengths) + lengths, lengths)
    return shifts + np.arange(len(shifts))


def row_offsets(values: Indexes, many: int) -> Offsets:
    """Return the offsets of 0, 1, ..., many - 1 in sorted `values`, (many + 1,)."""
    offsets = np.zeros(many + 1, dtype=np.int64)
    np.cumsum(np.bincount(values, minlength=many), out=offsets[1:])
    return offsets


Mask = NDArray[np.bool_]


Indexes = NDArray[np.int32]


Offsets = NDArray[np.int64]


Days = NDArray[np.float32]


Floats = NDArray[np.float32]


Scores = NDArray[np.float32]


def unit_vectors(vectors: Floats) -> Floats:
    """Scale vectors to length 1; zeros stay zeros, (m, size)."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
