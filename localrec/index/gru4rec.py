"""GRU4Rec's forward pass in NumPy: from the newest items of a history to the state behind them.

A gated recurrent unit reads the embeddings one after the other, and a linear map turns its state
back into an embedding (Hidasi et al., ICLR 2016). The gates stand in torch's order.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Indexes, Mask, Offsets

Floats = NDArray[np.float32]

LENGTH = 50  # newest items of a history that are read
_AT_ONCE = 256  # histories


class GruEncoder(msgspec.Struct, frozen=True):
    """A trained GRU4Rec.

    Args:
        items: The embedding of each item, on the way in and out, (n, size).
        bias: Bias of each item on the way out, (n,).
        met: Whether an item occurred in training; the numbers of others mean nothing, (n,).
        gates_in: Embedding to reset gate, update gate and new state, (size, 3 * state).
        gates_back: State to the same, (state, 3 * state).
        shift_in: (3 * state,).
        shift_back: (3 * state,).
        out: State to embedding, (state, size).
        shift_out: (size,).
    """

    items: Floats
    bias: Floats
    met: Mask
    gates_in: Floats
    gates_back: Floats
    shift_in: Floats
    shift_back: Floats
    out: Floats
    shift_out: Floats

    def states_of(self, histories: Sequence[Indexes]) -> Floats:
        """The state behind each history, (b, size); items that nobody met are passed over."""
        known = [history[self.met[history]][-LENGTH:] for history in histories]
        rows = [
            self._read(*_padded(known[begin : begin + _AT_ONCE]))
            for begin in range(0, len(known), _AT_ONCE)
        ]
        return np.concatenate([self.items[:0], *rows])

    def _read(self, items: Offsets, lengths: Offsets) -> Floats:
        width = self.gates_back.shape[0]
        state = np.zeros((len(items), width), dtype=np.float32)
        given = self.items[items] @ self.gates_in + self.shift_in  # (b, t, 3 * state)
        for place in range(items.shape[1]):
            held = state @ self.gates_back + self.shift_back
            now = given[:, place]
            reset = _sigmoid(now[:, :width] + held[:, :width])
            update = _sigmoid(now[:, width : 2 * width] + held[:, width : 2 * width])
            fresh = np.tanh(now[:, 2 * width :] + reset * held[:, 2 * width :])
            moved = (1.0 - update) * fresh + update * state
            state = np.where((place < lengths)[:, None], moved, state)
        read: Floats = state @ self.out + self.shift_out
        return read


def _padded(histories: Sequence[Indexes]) -> tuple[Offsets, Offsets]:
    """Histories from the left, filled up with item 0, and their lengths."""
    lengths = np.array([len(one) for one in histories], dtype=np.int64)
    items = np.zeros((len(histories), max(1, int(lengths.max(initial=0)))), dtype=np.int64)
    for row, one in enumerate(histories):
        items[row, : len(one)] = one
    return items, lengths


def _sigmoid(values: Floats) -> Floats:
    logistic: Floats = 0.5 * (1.0 + np.tanh(0.5 * values))
    return logistic
