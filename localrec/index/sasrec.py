"""SASRec's forward pass in NumPy: from a history to the state that says what comes next.

Training needs torch; asking what was trained needs only some matrices. The layers are those of
`ranking/baselines/neural/sasrec.py`, without its dropout: normalise, attend to what stands before
with a
learnt bias for each distance, normalise, think, and a last norm at the end. Only the state behind
the newest item is asked for, so the last block computes one place instead of all.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Indexes

Floats = NDArray[np.float32]

_EPSILON = np.float32(1e-5)  # torch's own in LayerNorm
_AT_ONCE = 64  # histories; their attention weights are then some megabytes
# Rows that one call of BLAS multiplies. Up to about this size it does not wake its threads, which
# wait for each other where a model keeps the cores busy; larger is no faster on one thread.
_ROWS = 16


class SasRecLayer(msgspec.Struct, frozen=True):
    """One layer; what is multiplied comes from the left: `states @ square + shift`.

    Args:
        norms: Scale and shift before the attention, then before the feed-forward, (2, 2, size).
        squares: Queries, keys, values, gathered, inner, outer, (6, size, size).
        shifts: The shift of each square, (6, size).
        distances: Added to the attention of each head for each distance, (heads, length).
    """

    norms: Floats
    squares: Floats
    shifts: Floats
    distances: Floats

    def places(self, states: Floats, newest_only: bool) -> Floats:
        """States (b, t, size) from such; of `newest_only` the last place, (b, 1, size)."""
        asking = states[:, -1:] if newest_only else states
        asking = asking + self._attend(states, len(asking[0]))
        inner = np.maximum(self._times(_normed(asking, self.norms[1]), 4), 0.0)
        return asking + self._times(inner, 5)

    def _attend(self, states: Floats, newest: int) -> Floats:
        """Attend from the newest `newest` places to those before them, (b, asking, size)."""
        batch, width, size = states.shape
        heads = len(self.distances)
        normed = _normed(states, self.norms[0])

        def parted(square: int, rows: Floats) -> Floats:
            return self._times(rows, square).reshape(batch, -1, heads, size // heads).swapaxes(1, 2)

        queries = parted(0, normed[:, width - newest :])
        keys, values = parted(1, normed), parted(2, normed)
        queries *= np.float32((size // heads) ** -0.5)
        attention = queries @ keys.swapaxes(2, 3)  # (b, heads, asking, t)
        weights = _softmax(attention + self._between(width)[:, width - newest :])
        joined = (weights @ values).swapaxes(1, 2).reshape(batch, newest, size)
        return self._times(joined, 3)

    def _between(self, width: int) -> Floats:
        """Return the bias of the attention from each place to each other, (heads, t, t)."""
        place = np.arange(width)
        distance = place[:, None] - place
        between: Floats = self.distances[:, distance.clip(min=0)]
        between[:, distance < 0] = -np.inf
        return between

    def _times(self, rows: Floats, square: int) -> Floats:
        return _product(rows, self.squares[square]) + self.shifts[square]


class SasRecEncoder(msgspec.Struct, frozen=True):
    """A trained SASRec.

    Args:
        items: The embedding of each item, on the way in and out, (n, size).
        bias: Bias of each item on the way out, (n,).
        met: Whether an item occurred in training; the numbers of others mean nothing, (n,).
        norms: Two of each layer, then the last one; scale and shift, (2 * layers + 1, 2, size).
        squares: Six of each layer, as in `Block`, (layers, 6, size, size).
        shifts: (layers, 6, size).
        distances: (layers, heads, length).
    """

    items: Floats
    bias: Floats
    met: NDArray[np.bool_]
    norms: Floats
    squares: Floats
    shifts: Floats
    distances: Floats

    @property
    def size(self) -> int:
        """Numbers in a state."""
        return self.items.shape[1]

    @property
    def length(self) -> int:
        """Newest items of a history that are looked at."""
        return self.distances.shape[2]

    def state_of(self, history: Indexes) -> Floats:
        """The state behind one history, oldest item first, (size,); zeros of an empty one."""
        states: Floats = self.states_of([history])[0]
        return states

    def states_of(self, histories: Sequence[Indexes]) -> Floats:
        """The state behind each history, (b, size); items that nobody had are passed over."""
        states = np.zeros((len(histories), self.size), dtype=np.float32)
        known = [self._known(history) for history in histories]
        widths = np.array([len(history) for history in known], dtype=np.int64)
        # Histories of one length go together: nothing is filled up, so nothing is masked.
        for width in np.unique(widths[widths > 0]).tolist():
            rows = np.flatnonzero(widths == width)
            for begin in range(0, len(rows), _AT_ONCE):
                some = rows[begin : begin + _AT_ONCE]
                states[some] = self._read(np.stack([known[row] for row in some.tolist()]))
        return states

    def _known(self, history: Indexes) -> Indexes:
        return history[self.met[history]][-self.length :]

    def _read(self, items: NDArray[np.int32]) -> Floats:
        """States (b, size) behind histories (b, t), t at least 1."""
        states = self.items[items]
        layers = len(self.squares)
        for layer in range(layers):
            block = SasRecLayer(
                self.norms[2 * layer : 2 * layer + 2],
                self.squares[layer],
                self.shifts[layer],
                self.distances[layer],
            )
            states = block.places(states, newest_only=layer == layers - 1)
        newest: Floats = _normed(states[:, -1], self.norms[-1])
        return newest


def _normed(states: Floats, norm: Floats) -> Floats:
    """Each state with mean 0 and variance 1, then scaled and shifted."""
    centred = states - states.mean(axis=-1, keepdims=True)
    variance = np.square(centred).mean(axis=-1, keepdims=True)
    scale, shift = norm
    normed: Floats = centred / np.sqrt(variance + _EPSILON) * scale + shift
    return normed


def _softmax(attention: Floats) -> Floats:
    weights = np.exp(attention - attention.max(axis=-1, keepdims=True))
    shares: Floats = weights / weights.sum(axis=-1, keepdims=True)
    return shares


def _product(rows: Floats, square: Floats) -> Floats:
    """`rows @ square` in small parts, (..., size)."""
    flat = rows.reshape(-1, rows.shape[-1])
    whole = len(flat) // _ROWS * _ROWS
    product = np.empty((len(flat), square.shape[1]), dtype=np.float32)
    np.matmul(
        flat[:whole].reshape(-1, _ROWS, flat.shape[1]),
        square,
        out=product[:whole].reshape(-1, _ROWS, square.shape[1]),
    )
    np.matmul(flat[whole:], square, out=product[whole:])
    return product.reshape(*rows.shape[:-1], square.shape[1])
