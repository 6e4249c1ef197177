"""GRU4Rec's forward pass in NumPy: from the newest items of a history to the state behind them.

A gated recurrent unit reads the embeddings one after the other, and a linear map turns its state
back into an embedding (Hidasi et al., ICLR 2016). The gates stand in torch's order.
"""

from __future__ import annotations

import msgspec
import numpy as np

from localrec.ranking.learned.interactions import Floats, Histories, Offsets

LENGTH = 50  # newest items of a history that are read
_AT_ONCE = 256  # histories


class NumpyGru(msgspec.Struct, frozen=True):
    """The weights of one trained network.

    Args:
        embedding: Of each item, on the way in and out, (items, size).
        bias: Of each item on the way out, (items,).
        gates_in: Embedding to reset gate, update gate and new state, (size, 3 * state).
        gates_back: State to the same, (state, 3 * state).
        shift_in: (3 * state,).
        shift_back: (3 * state,).
        out: State to embedding, (state, size).
        shift_out: (size,).
    """

    embedding: Floats
    bias: Floats
    gates_in: Floats
    gates_back: Floats
    shift_in: Floats
    shift_back: Floats
    out: Floats
    shift_out: Floats

    def states(self, histories: Histories) -> Floats:
        """The state behind each history, (b, size); of an empty one it means nothing."""
        rows = [
            self._read(*padded(histories, begin, min(begin + _AT_ONCE, len(histories))))
            for begin in range(0, len(histories), _AT_ONCE)
        ]
        return np.concatenate([self.embedding[:0], *rows])

    def _read(self, items: Offsets, lengths: Offsets) -> Floats:
        width = self.gates_back.shape[0]
        state = np.zeros((len(items), width), dtype=np.float32)
        given = self.embedding[items] @ self.gates_in + self.shift_in  # (b, t, 3 * state)
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


def padded(histories: Histories, begin: int, end: int) -> tuple[Offsets, Offsets]:
    """Newest items of some histories from the left, filled up with item 0, and their lengths."""
    newest = [histories.items_of(row)[-LENGTH:] for row in range(begin, end)]
    lengths = np.array([len(one) for one in newest], dtype=np.int64)
    items = np.zeros((len(newest), max(1, int(lengths.max(initial=0)))), dtype=np.int64)
    for row, one in enumerate(newest):
        items[row, : len(one)] = one
    return items, lengths


def _sigmoid(values: Floats) -> Floats:
    logistic: Floats = 0.5 * (1.0 + np.tanh(0.5 * values))
    return logistic
