"""SASRec's forward pass in NumPy: from the newest items of a history to the state behind them.

Each block normalises, attends to what stands before with a learnt bias for each distance, and
transforms each place by itself (Kang and McAuley, ICDM 2018, with relative instead of absolute
positions, so that a short history is read like the end of a long one).
"""

from __future__ import annotations

import msgspec
import numpy as np

from localrec.ranking.learned.interactions import Floats, Histories, Offsets
from localrec.ranking.learned.neural.recurrent import padded

_AT_ONCE = 128  # histories
_EPSILON = np.float32(1e-5)


class NumpySasrec(msgspec.Struct, frozen=True):
    """The weights of one trained network.

    Args:
        embedding: Of each item, on the way in and out, (items, size).
        bias: Of each item on the way out, (items,).
        norms: Scale and shift of two norms for each block, then of the last one,
            (2 * blocks + 1, 2, size).
        squares: Queries, keys, values, gathered, inner and outer of each block, multiplied from
            the left, (blocks, 6, size, size).
        shifts: Of each of these, (blocks, 6, size).
        distances: Added to the attention of each head for each distance,
            (blocks, heads, LENGTH).
    """

    embedding: Floats
    bias: Floats
    norms: Floats
    squares: Floats
    shifts: Floats
    distances: Floats

    def states(self, histories: Histories) -> Floats:
        """The state behind each history, (b, size); of an empty one it means nothing."""
        rows = [
            self._read(*padded(histories, begin, min(begin + _AT_ONCE, len(histories))))
            for begin in range(0, len(histories), _AT_ONCE)
        ]
        return np.concatenate([self.embedding[:0], *rows])

    def _read(self, items: Offsets, lengths: Offsets) -> Floats:
        states = self.embedding[items]
        for block in range(len(self.squares)):
            states = self._attend(states, block)
            inner = self._times(_normed(states, self.norms[2 * block + 1]), block, 4)
            states = states + self._times(np.maximum(inner, 0.0), block, 5)
        last = np.maximum(lengths - 1, 0)
        return _normed(states[np.arange(len(items)), last], self.norms[-1])

    def _attend(self, states: Floats, block: int) -> Floats:
        batch, width, size = states.shape
        heads = self.distances.shape[1]
        normed = _normed(states, self.norms[2 * block])
        queries, keys, values = (
            self._times(normed, block, one).reshape(batch, width, heads, -1).swapaxes(1, 2)
            for one in range(3)
        )
        nearness = queries @ keys.swapaxes(2, 3) * np.float32((size // heads) ** -0.5)
        distance = np.arange(width)[:, None] - np.arange(width)
        nearness += self.distances[block][:, distance.clip(min=0)]
        nearness[:, :, distance < 0] = -np.inf  # what comes later is not known yet
        weights = np.exp(nearness - nearness.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        joined = (weights @ values).swapaxes(1, 2).reshape(batch, width, size)
        gathered: Floats = states + self._times(joined, block, 3)
        return gathered

    def _times(self, rows: Floats, block: int, square: int) -> Floats:
        product: Floats = rows @ self.squares[block, square] + self.shifts[block, square]
        return product


def _normed(states: Floats, norm: Floats) -> Floats:
    centred = states - states.mean(axis=-1, keepdims=True)
    variance = np.square(centred).mean(axis=-1, keepdims=True)
    normed: Floats = centred / np.sqrt(variance + _EPSILON) * norm[0] + norm[1]
    return normed
