"""Many lists in one array: all entries behind one another, and where each list begins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def entries_of(first: NDArray[np.int64], lists: NDArray[np.int32]) -> NDArray[np.int64]:
    """Where the entries of some lists stand, one list behind the other.

    Args:
        first: Where each list begins, and behind the last where it ends, (n + 1,).
        lists: Which ones, in the order wanted; one may come twice.
    """
    starts = first[lists]
    lengths = first[lists + 1] - starts
    shifts = np.repeat(starts - np.cumsum(lengths) + lengths, lengths)
    return shifts + np.arange(len(shifts))
