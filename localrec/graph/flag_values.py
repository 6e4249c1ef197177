"""One flag of all items, such as alcoholic or not: numbers in an array, and what they stand for."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Indexes, Mask


class FlagValues(msgspec.Struct, frozen=True, eq=False):
    """What a flag is for each of n items; words are compared once, not once for each item.

    Example:
        `FlagValues.of(["alcoholic", "", "alcoholic"]).among({"alcoholic"})` marks the first and
        the last.

    Args:
        codes: The number of each item's value, (n,).
        values: What the numbers stand for; "" where a catalogue says nothing.
    """

    codes: NDArray[np.int32]
    values: tuple[str, ...]

    @classmethod
    def of(cls, column: Sequence[str]) -> FlagValues:
        """Number the values of a column in the order in which they come."""
        number_of: dict[str, int] = {}
        codes = [number_of.setdefault(value, len(number_of)) for value in column]
        return cls(np.array(codes, dtype=np.int32), tuple(number_of))

    def __getitem__(self, item: int) -> str:
        """Return the value of one item."""
        return self.values[int(self.codes[item])]

    def among(self, accepted: Collection[str]) -> Mask:
        """Mark the items whose value is one of these, (n,)."""
        return np.array([value in accepted for value in self.values], dtype=bool)[self.codes]

    def agree(self, item: int, others: Indexes) -> Mask:
        """Mark those of some items whose value is that of one item, (k,)."""
        return self.codes[others] == self.codes[item]
